//! `install.sh`, with a release on loopback: it installs the release, and installs nothing after
//! any error. The Homebrew formula and `cargo binstall` describe the same release.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Arc;

use flate2::{Compression, write::GzEncoder};
use sha2::{Digest as _, Sha256};
use tempfile::TempDir;

const VERSION: &str = "1.2.3";
/// The programs that the script needs, in addition to curl or wget.
const TOOLS: [&str; 12] = [
    "cat",
    "chmod",
    "cp",
    "gzip",
    "mkdir",
    "mktemp",
    "mv",
    "rm",
    "sed",
    "sha256sum",
    "tar",
    "uname",
];

/// The files of a release by name, and a home directory to install into.
struct Place {
    dir: TempDir,
    files: BTreeMap<String, Vec<u8>>,
}

impl Place {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("home")).unwrap();
        let mut files = BTreeMap::new();
        let mut sums = Vec::new();
        for target in ["x86_64-unknown-linux-musl", "aarch64-unknown-linux-musl"] {
            let name = format!("rustop-{VERSION}-{target}");
            let archive = archive(&name);
            sums.push(format!("{:x}  {name}.tar.gz\n", Sha256::digest(&archive)));
            files.insert(format!("{name}.tar.gz"), archive);
        }
        files.insert(
            format!("rustop-{VERSION}-sha256sums.txt"),
            sums.concat().into_bytes(),
        );
        Self { dir, files }
    }

    fn path(&self, below: &str) -> PathBuf {
        self.dir.path().join(below)
    }

    /// Applies an edit to each archive.
    fn archives(mut self, edit: impl Fn(&mut Vec<u8>)) -> Self {
        let archives = self.files.iter_mut();
        let archives = archives.filter(|(name, _)| name.contains(".tar"));
        archives.for_each(|(_, archive)| edit(archive));
        self
    }

    /// Runs the script with a path that has only the programs that it needs and `downloader`.
    fn run(&self, downloader: &[&str], arguments: &str) -> Output {
        let bin = self.path("bin");
        fs::create_dir_all(&bin).unwrap();
        for tool in TOOLS.iter().chain(downloader) {
            let there = ["/usr/bin", "/bin"].map(|dir| Path::new(dir).join(tool));
            let there = there.iter().find(|path| path.exists());
            symlink(
                there.unwrap_or_else(|| panic!("no {tool} here")),
                bin.join(tool),
            )
            .unwrap();
        }
        let script = root().join("install.sh");
        Command::new("/bin/sh")
            .arg(script)
            .args(arguments.split_whitespace())
            .env_clear()
            .env("PATH", bin)
            .env("HOME", self.path("home"))
            .env("TMPDIR", self.dir.path())
            .env("RUSTOP_RELEASES", self.releases())
            .output()
            .unwrap()
    }

    /// Returns the URL of the release: on loopback, unless a fake `curl` acts as GitHub.
    fn releases(&self) -> String {
        if self.path("bin/curl").is_symlink() || !self.path("bin/gh").exists() {
            serve(self.files.clone())
        } else {
            "https://github.com/an-owner/rustop/releases".to_owned()
        }
    }

    /// Adds a program to the script's path.
    fn program(&self, name: &str, script: &str) {
        fs::create_dir_all(self.path("bin")).unwrap();
        let path = self.path("bin").join(name);
        fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// Creates a release on GitHub, and a `gh` with this behaviour, which checks its attestation.
    fn on_github(gh: &str) -> Self {
        let place = Self::new();
        let address = serve(place.files.clone());
        let curl = ["/usr/bin/curl", "/bin/curl"].map(Path::new);
        let curl = curl.into_iter().find(|path| path.exists()).unwrap();
        // The last argument is the URL.
        let script = format!(
            "for url; do :; done\nname=${{url##*/download/}}\nwhile [ \"$1\" != --output ]; do shift; done\n\
             exec {} --silent --fail --output \"$2\" {address}/download/$name",
            curl.display()
        );
        place.program("curl", &script);
        place.program("gh", gh);
        place
    }

    fn installed(&self) -> PathBuf {
        self.path("home/.local/bin/rustop")
    }

    /// Asserts that the script fails with the message `why` and leaves no files behind.
    fn refuses(&self, downloader: &[&str], arguments: &str, why: &str) {
        let output = self.run(downloader, arguments);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{said}");
        assert!(said.contains(why), "{said}");
        assert!(!self.path("home/.local").exists(), "something is installed");
        self.is_tidy();
    }

    fn is_tidy(&self) {
        let names = fs::read_dir(self.dir.path()).unwrap();
        let mut names: Vec<_> = names.map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        assert_eq!(names, ["bin", "home"]);
    }
}

/// Returns an archive in the layout of a release, with a program that prints its version.
fn archive(name: &str) -> Vec<u8> {
    let mut tar = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
    let program = format!("#!/bin/sh\necho rustop {VERSION}\n");
    let mut header = tar::Header::new_gnu();
    header.set_size(program.len() as u64);
    header.set_mode(0o755);
    let path = format!("{name}/rustop");
    tar.append_data(&mut header, path, program.as_bytes())
        .unwrap();
    tar.into_inner().unwrap().finish().unwrap()
}

/// Serves the files of a release on loopback until the test ends. Returns the address.
pub fn serve(files: BTreeMap<String, Vec<u8>>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let files = Arc::new(files);
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let files = Arc::clone(&files);
            std::thread::spawn(move || answer(&stream, &files));
        }
    });
    format!("http://{address}")
}

fn answer(mut stream: &TcpStream, files: &BTreeMap<String, Vec<u8>>) {
    let mut lines = BufReader::new(stream).lines().map_while(Result::ok);
    let first = lines.next().unwrap_or_default();
    lines.take_while(|line| !line.is_empty()).for_each(drop);
    let path = first.split(' ').nth(1).unwrap_or_default();
    let name = path.strip_prefix(&format!("/download/v{VERSION}/"));
    let (status, body) = match name.and_then(|name| files.get(name)) {
        Some(body) => ("200 OK", body.as_slice()),
        None => ("404 Not Found", b"".as_slice()),
    };
    let length = body.len();
    let head =
        format!("HTTP/1.1 {status}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n");
    let _ = stream
        .write_all(head.as_bytes())
        .and_then(|()| stream.write_all(body));
}

#[test]
fn it_installs_with_curl_and_with_wget_and_over_an_older_one() {
    for downloader in ["curl", "wget"] {
        let place = Place::new();
        fs::create_dir_all(place.installed().parent().unwrap()).unwrap();
        fs::write(place.installed(), "an older one").unwrap();
        let output = place.run(&[downloader], "--version v1.2.3");
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{downloader}: {said}");
        let mode = place.installed().metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o755);
        let ran = Command::new(place.installed()).output().unwrap();
        assert_eq!(ran.stdout, b"rustop 1.2.3\n");
        assert!(String::from_utf8_lossy(&output.stdout).contains("export PATH="));
        place.is_tidy();
    }
}

#[test]
fn broken_or_missing_archives_are_not_installed() {
    let version = "--version 1.2.3";
    let cut = Place::new().archives(|archive| archive.truncate(archive.len() / 2));
    cut.refuses(&["curl"], version, "is broken: its checksum is");
    let other = Place::new().archives(|archive| archive.push(0));
    other.refuses(&["wget"], version, "is broken: its checksum is");
    let mut unnamed = Place::new();
    let sums = format!("rustop-{VERSION}-sha256sums.txt");
    unnamed.files.insert(sums.clone(), b"Not found".to_vec());
    unnamed.refuses(&["curl"], version, "has no checksum of rustop-1.2.3-");
    unnamed.files.remove(&sums);
    fs::remove_dir_all(unnamed.path("bin")).unwrap();
    unnamed.refuses(&["curl"], version, "cannot be had");
    Place::new().refuses(&["wget"], "--version 9.9.9", "v9.9.9/rustop-9.9.9-");
    Place::new().refuses(&[], version, "neither curl nor wget is here");
}

/// The program in an archive of the right name is a link.
#[test]
fn a_program_that_is_a_link_is_not_installed() {
    let mut place = Place::new();
    let mut sums = Vec::new();
    for target in ["x86_64-unknown-linux-musl", "aarch64-unknown-linux-musl"] {
        let name = format!("rustop-{VERSION}-{target}");
        let mut tar = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
        let mut header = tar::Header::new_gnu();
        header.set_entry_type(tar::EntryType::Symlink);
        header.set_size(0);
        header.set_mode(0o777);
        tar.append_link(&mut header, format!("{name}/rustop"), "/etc/passwd")
            .unwrap();
        let archive = tar.into_inner().unwrap().finish().unwrap();
        sums.push(format!("{:x}  {name}.tar.gz\n", Sha256::digest(&archive)));
        place.files.insert(format!("{name}.tar.gz"), archive);
    }
    let name = format!("rustop-{VERSION}-sha256sums.txt");
    place.files.insert(name, sums.concat().into_bytes());
    place.refuses(
        &["curl"],
        "--version 1.2.3",
        "there is no rustop in the archive",
    );
}

#[test]
fn the_attestation_is_verified_if_gh_supports_it() {
    let verifies = "case \"$*\" in *--repo*) [ \"${*#*--repo an-owner/rustop}\" != \"$*\" ] && [ -f \"$3\" ] ;; esac";
    let place = Place::on_github(verifies);
    let output = place.run(&[], "--version 1.2.3");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(
        place.installed().exists() && !said.contains("not verified"),
        "{said}"
    );

    let forged = "case \"$*\" in *--repo*) echo forged; exit 1 ;; esac";
    Place::on_github(forged).refuses(&[], "--version 1.2.3", "forged");
    for (gh, why) in [
        ("[ \"$1\" != auth ]", "gh is not logged in"),
        ("[ \"$1\" = auth ]", "this gh is too old"),
    ] {
        let place = Place::on_github(gh);
        let output = place.run(&[], "--version 1.2.3");
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{said}");
        assert!(
            said.contains("not verified") && said.contains(why),
            "{said}"
        );
    }
}

#[test]
fn an_unwritable_directory_is_an_error() {
    let place = Place::new();
    fs::write(place.path("home/file"), "").unwrap();
    let below = place.path("home/file/bin");
    let arguments = format!("--version 1.2.3 --to {}", below.display());
    place.refuses(&["curl"], &arguments, "cannot be made: say --to DIR");
    Place::new().refuses(
        &["curl"],
        "--version 1.2.3 --to /proc",
        "/proc cannot be written to",
    );
}

#[test]
fn invalid_arguments_are_errors() {
    Place::new().refuses(&["curl"], "", "say --version VERSION");
    Place::new().refuses(&["curl"], "--version", "--version wants a version");
    Place::new().refuses(&["curl"], "--force", "what is --force?");
}

/// Runs `.ci/formula` for a release with these archives.
fn formula(targets: &[&str]) -> Output {
    let dir = tempfile::tempdir().unwrap();
    let sums = dir.path().join("sums.txt");
    let lines = targets
        .iter()
        .enumerate()
        .map(|(index, target)| format!("{index:064x}  rustop-{VERSION}-{target}.tar.gz\n"));
    fs::write(&sums, lines.collect::<String>()).unwrap();
    Command::new(root().join(".ci/formula"))
        .args(["https://example.com/rustop/releases", VERSION])
        .arg(&sums)
        .output()
        .unwrap()
}

#[test]
fn the_formula_has_each_archive_with_its_checksum() {
    let targets = [
        "aarch64-apple-darwin",
        "x86_64-apple-darwin",
        "aarch64-unknown-linux-musl",
        "x86_64-unknown-linux-musl",
    ];
    let output = formula(&targets);
    let text = String::from_utf8(output.stdout).unwrap();
    for (index, target) in targets.into_iter().enumerate() {
        let address = "https://example.com/rustop/releases/download/v1.2.3/rustop-1.2.3";
        let archive = format!("url \"{address}-{target}.tar.gz\"\n      sha256 \"{index:064x}\"\n");
        assert!(text.contains(&archive), "{text}");
    }
    // Each archive contains the files that the formula installs.
    let release = fs::read_to_string(root().join(".ci/release")).unwrap();
    let installs = ["rustop", "man", "completions"];
    assert!(installs.iter().all(|part| release.contains(part)));
    for file in ["rustop.bash", "rustop.fish", "_rustop"] {
        assert!(text.contains(&format!("\"completions/{file}\"")));
        assert!(root().join("completions").join(file).exists());
    }
    let output = formula(&targets[..3]);
    assert!(!output.status.success() && output.stdout.is_empty());
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("has no checksum of rustop-1.2.3-x86_64-unknown-linux-musl"));
}

#[test]
fn binstall_metadata_match_the_names_of_archives() {
    let manifest = fs::read_to_string(root().join("Cargo.toml")).unwrap();
    let manifest: toml::Table = manifest.parse().unwrap();
    let told = &manifest["package"]["metadata"]["binstall"];
    let target = "x86_64-unknown-linux-musl";
    let filled = |key: &str| {
        let values = [
            ("repo", ""),
            ("version", VERSION),
            ("target", target),
            ("bin", "rustop"),
            ("binary-ext", ""),
        ];
        values.into_iter().fold(
            told[key].as_str().unwrap().to_owned(),
            |text, (name, value)| text.replace(&format!("{{ {name} }}"), value),
        )
    };
    let place = Place::new();
    let archive = filled("pkg-url");
    let name = archive.strip_prefix(&format!("/releases/download/v{VERSION}/"));
    let archive = &place.files[name.unwrap()];
    let mut archive = tar::Archive::new(flate2::read::GzDecoder::new(archive.as_slice()));
    let program = PathBuf::from(filled("bin-dir"));
    let mut entries = archive.entries().unwrap();
    assert!(entries.any(|entry| entry.unwrap().path().unwrap() == program));
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}
