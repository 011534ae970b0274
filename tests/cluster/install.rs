//! `rustop cluster install`: from a server, good and bad, from Go, from a directory. After every
//! failure the cache is as it was.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use rustix::process::Signal;

use crate::server::{Entry, File, Server, archive, envtest, program};
use crate::support::{Ran, Sandbox, files, is_in, kill, run, until};

const VERSION: &str = "1.37.2";

struct Installer {
    sandbox: Sandbox,
    server: Server,
}

impl Installer {
    /// With a server that has everything, and without Go.
    fn new() -> Self {
        let server = Server::start();
        server.put_release(VERSION, &platform(), &archive(&envtest()));
        for name in ["kube-controller-manager", "kube-scheduler"] {
            server.put_program(&on_site(VERSION, name), &program(name));
        }
        let sandbox = Sandbox::new();
        fs::create_dir(sandbox.path().join("bin")).unwrap();
        Self { sandbox, server }
    }

    fn cache(&self) -> PathBuf {
        self.sandbox.path().join("cache")
    }

    fn installed(&self) -> PathBuf {
        self.cache().join(format!("k8s/v{VERSION}-{}", platform()))
    }

    fn command(&self, line: &str) -> Command {
        let mut command = self.sandbox.rustop(&format!("cluster install {line}"));
        command
            .env("RUSTOP_CACHE", self.cache())
            .env("RUSTOP_INDEX", format!("{}/index.yaml", self.server.url))
            .env("RUSTOP_RELEASE_SITE", &self.server.url)
            .env("RUSTOP_DOWNLOAD_TIMEOUT", "1")
            .env("PATH", self.sandbox.path().join("bin"))
            .env("NO_PROXY", "127.0.0.1")
            .env_remove("KUBEBUILDER_ASSETS");
        command
    }

    fn run(&self, line: &str) -> Ran {
        run(&mut self.command(line))
    }

    fn ok(&self, line: &str) -> Ran {
        let ran = self.run(line);
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        ran
    }

    /// Expects an error that says all of `words`, and that nothing is in the cache.
    #[track_caller]
    fn fails(&self, line: &str, words: &[&str]) {
        let ran = self.run(line);
        assert_eq!(ran.code, Some(1), "{}", ran.stderr);
        for word in words {
            assert!(is_in(word, &ran.stderr), "no `{word}` in: {}", ran.stderr);
        }
        assert_eq!(files(self.cache()), ["k8s/.lock"]);
        assert_eq!(fs::read_dir(self.cache().join("k8s")).unwrap().count(), 1);
    }

    /// A program that a shell can run, in the only directory of PATH.
    fn put_in_path(&self, name: &str, script: &str) {
        write_script(&self.sandbox.path().join("bin").join(name), script);
    }
}

fn platform() -> String {
    let arch = match std::env::consts::ARCH {
        "x86_64" => "amd64",
        "aarch64" => "arm64",
        other => other,
    };
    format!("linux-{arch}")
}

fn on_site(version: &str, name: &str) -> String {
    format!("/v{version}/bin/{}/{name}", platform().replace('-', "/"))
}

fn write_script(path: &Path, script: &str) {
    fs::write(path, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn a_download_brings_every_program_that_has_a_checksum() {
    let installer = Installer::new();
    let ran = installer.ok("");
    assert!(is_in("KWOK has no published checksums", &ran.stderr));
    let names = [
        "etcd",
        "kube-apiserver",
        "kube-controller-manager",
        "kube-scheduler",
        "kubectl",
    ];
    assert_eq!(files(installer.installed()), names);
    for name in names {
        let path = installer.installed().join(name);
        assert_eq!(fs::read(&path).unwrap(), program(name));
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o755);
    }
    assert_eq!(
        fs::read_dir(installer.cache().join("k8s")).unwrap().count(),
        2
    );

    let again = installer.ok("--from download --kubernetes-version v1.37");
    assert!(
        is_in("Installed already", &again.stderr),
        "{}",
        again.stderr
    );
    assert_eq!(installer.server.requests("/index.yaml"), 1);
}

#[test]
fn a_patch_without_an_archive_gets_the_etcd_of_another() {
    let installer = Installer::new();
    installer
        .server
        .put_release("1.37.1", &platform(), &archive(&envtest()));
    for name in ["kube-apiserver", "kubectl"] {
        installer
            .server
            .put_program(&on_site(VERSION, name), &program("newer"));
    }
    installer.ok("--kubernetes-version 1.37.2");
    let read = |name| fs::read(installer.installed().join(name)).unwrap();
    assert_eq!(read("etcd"), program("etcd"));
    assert_eq!(read("kube-apiserver"), program("newer"));
}

#[test]
fn what_is_not_what_its_publisher_says_is_refused_and_never_built_instead() {
    let installer = Installer::new();
    installer.put_in_path("go", "exit 0");
    let name = format!("/envtest-v{VERSION}-{}.tar.gz", platform());
    installer.server.put(&name, File::Whole(archive(&[])));
    installer.fails("", &["error: the checksum of", &name, "--from go"]);

    let installer = Installer::new();
    let path = on_site(VERSION, "kube-scheduler");
    installer.server.put(&path, File::Whole(b"evil".to_vec()));
    installer.fails("", &["error: the checksum of", &path]);
}

#[test]
fn a_connection_that_ends_early_or_says_nothing_is_an_error() {
    let name = format!("/envtest-v{VERSION}-{}.tar.gz", platform());
    let bytes = archive(&envtest());
    let installer = Installer::new();
    installer.server.put(&name, File::Half(bytes.clone()));
    installer.fails(
        "",
        &[&name, "ended before its last byte", "help: try again"],
    );

    let installer = Installer::new();
    installer.server.put(&name, File::Stalled(bytes));
    installer.fails("", &[&name, "sent nothing for 1 s"]);

    let installer = Installer::new();
    installer
        .server
        .put("/index.yaml", File::Stalled(vec![b'#'; 1000]));
    installer.fails("", &["/index.yaml", "sent nothing for 1 s"]);
}

#[test]
fn an_archive_that_is_cut_off_is_refused_even_with_the_right_checksum() {
    let installer = Installer::new();
    let whole = archive(&envtest());
    for length in [whole.len() / 2, whole.len() - 4] {
        installer
            .server
            .put_release(VERSION, &platform(), &whole[..length]);
        installer.fails("", &["cannot unpack", "caused by"]);
    }
}

#[test]
fn an_archive_that_climbs_out_or_links_is_refused() {
    let entries = [
        (Entry::File("../evil", b"evil".to_vec()), "`../evil`"),
        (
            Entry::File("a/../../evil", b"evil".to_vec()),
            "`a/../../evil`",
        ),
        (
            Entry::File("/tmp/rustop-evil", b"evil".to_vec()),
            "`/tmp/rustop-evil`",
        ),
        (Entry::Link("kwok", "/bin/sh"), "is a link"),
        (
            Entry::Link("controller-tools/envtest/x", "../.."),
            "is a link",
        ),
    ];
    for (entry, words) in entries {
        let installer = Installer::new();
        let mut all = envtest();
        all.push(entry);
        installer
            .server
            .put_release(VERSION, &platform(), &archive(&all));
        installer.fails("", &["contains", words]);
        assert!(!Path::new("/tmp/rustop-evil").exists());
        assert!(
            !files(installer.sandbox.path())
                .iter()
                .any(|file| file.contains("evil"))
        );
    }
}

#[test]
fn what_the_server_does_not_have_is_named() {
    let installer = Installer::new();
    installer.fails(
        "--kubernetes-version 1.12",
        &["has no Kubernetes 1.12", "--kubernetes-version 1.37.2"],
    );

    installer.server.put_release(VERSION, "plan9-mips", &[]);
    installer.fails("", &[&platform(), "--from go"]);

    let installer = Installer::new();
    installer
        .server
        .remove(&format!("/envtest-v{VERSION}-{}.tar.gz", platform()));
    installer.fails("", &["answered 404"]);

    let installer = Installer::new();
    installer.server.remove(&on_site(VERSION, "kube-scheduler"));
    installer.fails("", &["kube-scheduler", "answered 404"]);

    let installer = Installer::new();
    installer
        .server
        .put("/index.yaml", File::Whole(b"<html>".to_vec()));
    installer.fails("", &["is not in the format of envtest releases"]);

    let installer = Installer::new();
    let mut short = envtest();
    short.remove(0);
    installer
        .server
        .put_release(VERSION, &platform(), &archive(&short));
    installer.fails("", &["has no `etcd`"]);
}

#[test]
fn a_failure_leaves_what_was_installed_before() {
    let installer = Installer::new();
    installer.ok("");
    let before = files(installer.cache());
    let path = on_site("1.37.4", "kube-scheduler");
    installer.server.put(&path, File::Whole(b"evil".to_vec()));
    assert_eq!(installer.run("--kubernetes-version 1.37.4").code, Some(1));
    assert_eq!(files(installer.cache()), before);
}

#[test]
fn two_installs_at_once_do_not_harm_each_other() {
    let installer = Installer::new();
    let mut children: Vec<_> = (0..4)
        .map(|_| installer.command("").spawn().unwrap())
        .collect();
    for child in &mut children {
        assert!(child.wait().unwrap().success());
    }
    assert_eq!(files(installer.installed()).len(), 5);
    assert_eq!(installer.server.requests("/index.yaml"), 1);
}

#[test]
fn a_killed_install_leaves_nothing_to_the_next() {
    let installer = Installer::new();
    let path = on_site(VERSION, "kube-scheduler");
    installer
        .server
        .put(&path, File::Stalled(program("kube-scheduler")));
    let mut child = installer
        .command("")
        .env("RUSTOP_DOWNLOAD_TIMEOUT", "60")
        .spawn()
        .unwrap();
    until("the download stalls", Duration::from_secs(20), || {
        installer.server.requests(&path) == 1
    });
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(!installer.installed().exists());
    assert_eq!(
        fs::read_dir(installer.cache().join("k8s")).unwrap().count(),
        2
    );

    installer
        .server
        .put_program(&path, &program("kube-scheduler"));
    installer.ok("");
    assert_eq!(files(installer.installed()).len(), 5);
    assert_eq!(
        fs::read_dir(installer.cache().join("k8s")).unwrap().count(),
        2
    );
}

/// A `go` that records its arguments, lists two packages that are not compiled yet and two that
/// are, and links each program unless it is linked already. `FAIL_AT` names a program that cannot
/// be linked, and `HANG_AT` one that takes forever.
const FAKE_GO: &str = r#"
case "$1" in
version) exit ;;
env) echo /nonexistent; exit ;;
list)
    printf 'example.com/a\tstale dependency: fmt\nexample.com/b\tbuild ID mismatch\n'
    printf 'example.com/c\t\nexample.com/d\tnot installed but available in build cache\n'
    exit ;;
esac
echo "$CGO_ENABLED $GOFLAGS $*" >> "$LOG"
test -d "$GOTMPDIR" || exit 1
echo example.com/a >&2
while test "$1" != -o; do shift; done
out=$2; shift; shift
for package; do
    name=${package##*/}
    test "$name" != v3 || name=server
    if test "$name" = "$FAIL_AT"; then echo "link: cannot link $name" >&2; exit 1; fi
    if test "$name" = "$HANG_AT"; then echo $$ > "$LOG.pid"; /bin/sleep 600 & wait; fi
    test -e "$out/$name" || echo "$name" >> "$LOG.linked"
    echo > "$out/$name"
done
"#;

/// The names of the programs of [`FAKE_GO`] in the cache.
const BUILT: [&str; 6] = [
    "etcd",
    "kube-apiserver",
    "kube-controller-manager",
    "kube-scheduler",
    "kubectl",
    "kwok",
];

impl Installer {
    fn log(&self) -> PathBuf {
        self.sandbox.path().join("go.log")
    }

    /// An install where no release can be reached.
    fn build(&self, line: &str) -> Command {
        let mut command = self.command(line);
        command
            .env("LOG", self.log())
            .env("RUSTOP_INDEX", "http://127.0.0.1:1/index.yaml");
        command
    }

    fn linked(&self) -> Vec<String> {
        let log = fs::read_to_string(self.log().with_extension("log.linked")).unwrap();
        log.lines().map(str::to_owned).collect()
    }
}

#[test]
fn where_nothing_can_be_reached_it_is_built_and_the_reason_told() {
    let installer = Installer::new();
    let ran = run(&mut installer.build(""));
    assert_eq!(ran.code, Some(1));
    assert!(
        is_in("cannot reach `http://127.0.0.1:1/index.yaml`", &ran.stderr),
        "{}",
        ran.stderr
    );

    installer.put_in_path("go", FAKE_GO);
    let ran = run(&mut installer.build("--kubernetes-version 1.34"));
    assert!(is_in("error: cannot reach", &ran.stderr), "{}", ran.stderr);
    let ran = run(&mut installer.build("--kubernetes-version 1.34 --from go"));
    assert!(
        is_in("are those of 1.37.2, 1.36.3 and 1.35.4", &ran.stderr),
        "{}",
        ran.stderr
    );

    let ran = run(&mut installer.build(""));
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(
        is_in("building it with Go instead", &ran.stderr),
        "{}",
        ran.stderr
    );
    assert_eq!(files(installer.installed()), BUILT);
    let log = fs::read_to_string(installer.log()).unwrap();
    assert_eq!(log.lines().count(), 1, "one build makes all programs");
    assert!(
        log.starts_with("0 -mod=readonly build -v -trimpath"),
        "{log}"
    );
    assert!(is_in("version.gitVersion=v1.37.2", &log), "{log}");
}

#[test]
fn each_supported_minor_version_can_be_built() {
    let installer = Installer::new();
    installer.put_in_path("go", FAKE_GO);
    for (minor, version) in [("1.36", "1.36.3"), ("1.35", "1.35.4")] {
        let ran = run(&mut installer.build(&format!("--kubernetes-version {minor} --from go")));
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        let store = installer.cache().join("k8s");
        assert_eq!(
            files(store.join(format!("v{version}-{}", platform()))),
            BUILT
        );
        let log = fs::read_to_string(installer.log()).unwrap();
        let stamp = format!("version.gitVersion=v{version} ");
        assert!(log.lines().last().unwrap().contains(&stamp), "{log}");
    }
}

#[test]
fn kubectl_is_built_unless_a_compatible_one_is_on_the_path() {
    let installer = Installer::new();
    installer.put_in_path("go", FAKE_GO);
    for (version, is_built) in [("v1.35.3", true), ("v1.36.1", false), ("v1.38.0", false)] {
        let mut build = installer.build("--from go");
        let printed = format!("echo '{{\"clientVersion\": {{\"gitVersion\": \"{version}\"}}}}'");
        installer.put_in_path("kubectl", &printed);
        let ran = run(&mut build);
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        let kubectl = installer.installed().join("kubectl");
        assert_eq!(kubectl.exists(), is_built, "{version}: {}", ran.stderr);
        let again = run(&mut build);
        assert!(
            is_in("Installed already", &again.stderr),
            "{}",
            again.stderr
        );
        fs::remove_dir_all(installer.installed()).unwrap();
    }
}

#[test]
fn a_build_that_fails_shows_why_and_goes_on_where_it_was() {
    let installer = Installer::new();
    let ran = run(&mut installer.build("--from go"));
    assert!(is_in("go is not installed", &ran.stderr), "{}", ran.stderr);
    installer.put_in_path("go", FAKE_GO);
    let ran = run(installer
        .build("--from go")
        .env("FAIL_AT", "kube-scheduler"));
    assert_eq!(ran.code, Some(1));
    for words in [
        "go cannot build Kubernetes 1.37.2",
        "link: cannot link kube-scheduler",
    ] {
        assert!(is_in(words, &ran.stderr), "{}", ran.stderr);
    }
    assert!(!is_in("example.com/a", &ran.stderr), "{}", ran.stderr);
    assert!(!installer.installed().exists());
    let before = installer.linked();
    assert!(before.contains(&"server".to_owned()), "{before:?}");

    let ran = run(&mut installer.build("--from go"));
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert_eq!(files(installer.installed()), BUILT);
    let after = installer.linked();
    assert_eq!(
        after.len(),
        BUILT.len(),
        "no program is linked twice: {after:?}"
    );
    let left = fs::read_dir(installer.cache().join("k8s")).unwrap();
    assert_eq!(left.count(), 2, "only the lock and the programs are left");
}

#[test]
fn a_signal_ends_a_build_and_all_that_it_started() {
    let installer = Installer::new();
    installer.put_in_path("go", FAKE_GO);
    let mut child = installer
        .build("--from go")
        .env("HANG_AT", "kube-scheduler")
        .spawn()
        .unwrap();
    let recorded = installer.log().with_extension("log.pid");
    let pid = || {
        fs::read_to_string(&recorded)
            .unwrap_or_default()
            .trim()
            .to_owned()
    };
    until("the build hangs", Duration::from_secs(20), || {
        !pid().is_empty()
    });
    kill(child.id(), Signal::TERM);
    assert_eq!(child.wait().unwrap().code(), Some(128 + 15));
    assert!(!Path::new("/proc").join(pid()).exists());
    assert!(!installer.installed().exists());

    let ran = run(&mut installer.build("--from go"));
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert_eq!(files(installer.installed()), BUILT);
}

#[test]
fn two_builds_at_once_make_one() {
    let installer = Installer::new();
    installer.put_in_path("go", FAKE_GO);
    let mut children: Vec<_> = (0..3)
        .map(|_| installer.build("--from go").spawn().unwrap())
        .collect();
    for child in &mut children {
        assert!(child.wait().unwrap().success());
    }
    assert_eq!(files(installer.installed()), BUILT);
    let log = fs::read_to_string(installer.log()).unwrap();
    assert_eq!(log.lines().count(), 1, "{log}");
}

#[test]
fn a_directory_is_taken_as_it_is() {
    let installer = Installer::new();
    let dir = installer.sandbox.path().join("mine");
    fs::create_dir(&dir).unwrap();
    installer.fails(
        &format!("--from {}", dir.display()),
        &["there is no `etcd` in", "--from DIR"],
    );
    write_script(&dir.join("etcd"), "");
    write_script(
        &dir.join("kube-apiserver"),
        "echo Kubernetes v1.30.1-dirty+abc",
    );
    let from = format!("--from {}", dir.display());
    installer.fails(
        &format!("{from} --kubernetes-version 1.31"),
        &["contains Kubernetes 1.30.1, not 1.31"],
    );
    installer.ok(&from);
    installer.ok(&from);
    let result = installer
        .cache()
        .join(format!("k8s/v1.30.1-{}", platform()));
    assert_eq!(files(result), ["etcd", "kube-apiserver"]);
}

#[test]
fn without_programs_a_start_names_the_command_that_installs_them() {
    let installer = Installer::new();
    for (line, help) in [
        ("cluster start", "help: run `rustop cluster install`"),
        (
            "cluster exec --kubernetes-version 1.35 -- true",
            "help: run `rustop cluster install --kubernetes-version 1.35`",
        ),
    ] {
        let ran = run(installer
            .sandbox
            .rustop(line)
            .env("RUSTOP_CACHE", installer.cache())
            .env("XDG_DATA_HOME", installer.cache())
            .env_remove("KUBEBUILDER_ASSETS"));
        assert_eq!(ran.code, Some(1));
        assert!(is_in(help, &ran.stderr), "{}", ran.stderr);
    }
}

#[test]
fn programs_are_looked_for_in_one_place_after_the_other() {
    let installer = Installer::new();
    let platform = platform();
    // Programs that end at once and say where they are from.
    let put = |place: &str| {
        let dir = installer.sandbox.path().join(place);
        fs::create_dir_all(&dir).unwrap();
        write_script(&dir.join("etcd"), &format!("echo from {place}; exit 1"));
        write_script(&dir.join("kube-apiserver"), "exit 1");
        dir
    };
    let start = |options: &str, variable: &Path| {
        let mut command = installer.sandbox.rustop("cluster start --no-controllers");
        command
            .args(options.split_whitespace())
            .env("RUSTOP_CACHE", installer.cache())
            .env("XDG_DATA_HOME", installer.sandbox.path().join("data"))
            .env("KUBEBUILDER_ASSETS", variable);
        run(&mut command).stderr
    };
    let none = Path::new("");
    let store = format!("data/kubebuilder-envtest/k8s/1.37.2-{platform}");
    put(&store);
    assert!(is_in(format!("from {store}"), &start("", none)));
    let cached = format!("cache/k8s/v1.37.1-{platform}");
    put(&cached);
    assert!(is_in(format!("from {store}"), &start("", none)));
    let words = start("--kubernetes-version 1.37", none);
    assert!(is_in(format!("from {cached}"), &words), "{words}");
    let variable = put("variable");
    assert!(is_in("from variable", &start("", &variable)));
    put("option");
    assert!(is_in("from option", &start("--assets option", &variable)));

    fs::remove_file(variable.join("etcd")).unwrap();
    let words = start("", &variable);
    assert!(is_in("which KUBEBUILDER_ASSETS names", &words), "{words}");
    assert!(is_in("help: unset KUBEBUILDER_ASSETS", &words), "{words}");
}
