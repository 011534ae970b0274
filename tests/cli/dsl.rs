//! The small language of these tests: a [`Place`] to work in, and [`Run`]s of rustop there.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use flate2::read::GzDecoder;
use tempfile::TempDir;
use walkdir::WalkDir;

use crate::scratch::scratch;

const FIRST_RELEASE: &[u8] = include_bytes!("../projects/upgraded/lolcow-0.1.0.tar.gz");

/// All below a directory: directories, links and files, with what is in them.
pub type Snapshot = BTreeMap<String, String>;

/// A new directory called `lolcow-operator` and what happens in it.
pub struct Place {
    dir: PathBuf,
    _temporary: TempDir,
}

impl Place {
    pub fn empty() -> Self {
        let temporary = scratch();
        let dir = temporary.path().join("lolcow-operator");
        fs::create_dir(&dir).unwrap();
        Self {
            dir,
            _temporary: temporary,
        }
    }

    /// After `rustop init --domain my.domain`.
    pub fn project() -> Self {
        let place = Self::empty();
        place.rustop("init --domain my.domain -q").ok();
        place
    }

    /// A project of rustop 0.1.0 in which its user wrote.
    pub fn of_first_release() -> Self {
        let place = Self::empty();
        let archive = GzDecoder::new(FIRST_RELEASE);
        for entry in tar::Archive::new(archive).entries().unwrap() {
            let mut entry = entry.unwrap();
            if !entry.header().entry_type().is_file() {
                continue;
            }
            let path = entry.path().unwrap().into_owned();
            let path: PathBuf = path.components().skip(1).collect();
            let mut text = Vec::new();
            entry.read_to_end(&mut text).unwrap();
            place.write(path.to_str().unwrap(), text);
        }
        place
    }

    /// Another place with the same files.
    pub fn copy(&self) -> Self {
        let place = Self::empty();
        for (path, text) in snapshot(self.dir()) {
            if !path.ends_with('/') {
                place.write(&path, text);
            }
        }
        place
    }

    /// Runs a line, which is split as [`words`] does it.
    pub fn rustop(&self, line: &str) -> Run<'_> {
        self.run(words(line))
    }

    /// Runs with arguments that are passed as they are.
    pub fn run<S: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = S>) -> Run<'_> {
        let mut command = rustop(self.dir());
        command.args(arguments);
        Run {
            place: self,
            command,
            code: 0,
            stdout: Expected::Is(String::new()),
            stderr: Expected::Is(String::new()),
            lacks: Vec::new(),
            unchanged: false,
        }
    }

    pub fn dir(&self) -> &Path {
        &self.dir
    }

    pub fn path(&self, path: &str) -> PathBuf {
        self.dir.join(path)
    }

    pub fn read(&self, path: &str) -> String {
        fs::read_to_string(self.path(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    pub fn write(&self, path: &str, contents: impl AsRef<[u8]>) -> &Self {
        fs::create_dir_all(self.path(path).parent().unwrap()).unwrap();
        fs::write(self.path(path), contents).unwrap();
        self
    }

    pub fn remove(&self, path: &str) -> &Self {
        fs::remove_file(self.path(path)).unwrap();
        self
    }

    /// Replaces a text in a file that has it.
    pub fn edit(&self, path: &str, from: &str, to: &str) -> &Self {
        let text = self.read(path);
        assert!(text.contains(from), "{path} has no {from:?}:\n{text}");
        self.write(path, text.replace(from, to))
    }

    pub fn has(&self, path: &str) -> bool {
        self.path(path).symlink_metadata().is_ok()
    }

    /// The paths of all files, without the crate `manager`, which is the same in every project.
    pub fn files(&self) -> Vec<String> {
        let all = snapshot(self.dir()).into_keys();
        all.filter(|path| !path.ends_with('/') && !path.starts_with("vendor/"))
            .collect()
    }
}

/// `rustop` in a directory, with an environment that only says where its state is: next to the
/// directory.
pub fn rustop(dir: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rustop"));
    command
        .current_dir(dir)
        .env_clear()
        .env("RUSTOP_STATE", state(dir));
    command
}

/// The environment in which cargo finds its toolchain.
pub fn toolchain() -> impl Iterator<Item = (&'static str, OsString)> {
    ["PATH", "HOME", "CARGO_HOME", "RUSTUP_HOME"]
        .into_iter()
        .filter_map(|name| Some((name, std::env::var_os(name)?)))
}

/// The state directory of the runs in a directory. Snapshots leave it out.
pub fn state(dir: &Path) -> PathBuf {
    dir.with_extension("state")
}

pub fn snapshot(dir: &Path) -> Snapshot {
    let entry = |entry: walkdir::DirEntry| {
        let path = entry.path().strip_prefix(dir).unwrap().to_string_lossy();
        if entry.file_type().is_dir() {
            (format!("{path}/"), String::new())
        } else if entry.path_is_symlink() {
            let target = fs::read_link(entry.path()).unwrap();
            (path.into_owned(), format!("-> {}", target.display()))
        } else {
            let bytes = fs::read(entry.path()).unwrap();
            (
                path.into_owned(),
                String::from_utf8_lossy(&bytes).into_owned(),
            )
        }
    };
    let is_state = |entry: &walkdir::DirEntry| entry.path().extension() == Some("state".as_ref());
    WalkDir::new(dir)
        .min_depth(1)
        .into_iter()
        .filter_entry(|entry| !is_state(entry))
        .map(|found| entry(found.unwrap()))
        .collect()
}

enum Expected {
    Is(String),
    Has(Vec<String>),
}

impl Expected {
    fn has(parts: &[&str]) -> Self {
        Self::Has(parts.iter().map(ToString::to_string).collect())
    }

    fn check(&self, text: &str, what: &str) {
        match self {
            Self::Is(expected) => assert_eq!(text, expected, "{what}"),
            Self::Has(parts) => {
                for part in parts {
                    assert!(text.contains(part), "no {part:?} from {what}");
                }
            }
        }
    }
}

/// One run, and what it is expected to give.
#[must_use = "nothing runs before `ok` or `fails`"]
pub struct Run<'a> {
    place: &'a Place,
    command: Command,
    code: i32,
    stdout: Expected,
    stderr: Expected,
    lacks: Vec<String>,
    unchanged: bool,
}

impl<'a> Run<'a> {
    pub fn stdout(mut self, text: &str) -> Self {
        self.stdout = Expected::Is(text.to_owned());
        self
    }

    /// Parts of stdout.
    pub fn shows(mut self, parts: &[&str]) -> Self {
        self.stdout = Expected::has(parts);
        self
    }

    /// The whole of stderr.
    pub fn stderr(mut self, text: &str) -> Self {
        self.stderr = Expected::Is(text.to_owned());
        self
    }

    /// Parts of stderr.
    pub fn says(mut self, parts: &[&str]) -> Self {
        self.stderr = Expected::has(parts);
        self
    }

    /// Asserts that stderr does not contain a text.
    pub fn lacks(mut self, part: &str) -> Self {
        self.lacks.push(part.to_owned());
        self
    }

    /// The run succeeds, and changes nothing on disk.
    pub fn unchanged(mut self) -> Self {
        self.unchanged = true;
        self
    }

    /// With a variable in its environment.
    pub fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    /// With cargo on its `PATH`.
    pub fn with_cargo(mut self) -> Self {
        self.command.envs(toolchain());
        self
    }

    /// With a limit of its CPU time, at which it is killed. The time on the clock depends on what
    /// else the machine does.
    pub fn within_cpu_seconds(mut self, seconds: u32) -> Self {
        let script = format!("ulimit -t {seconds}; exec \"$0\" \"$@\"");
        let mut limited = Command::new("/bin/sh");
        limited
            .args(["-c", &script])
            .arg(self.command.get_program())
            .args(self.command.get_args())
            .current_dir(self.place.dir())
            .env_clear();
        for (name, value) in self.command.get_envs() {
            limited.env(name, value.unwrap_or_default());
        }
        self.command = limited;
        self
    }

    /// Runs, and returns the exit code alone; `None` if a signal ended it.
    pub fn code_of(mut self) -> Option<i32> {
        self.command.output().unwrap().status.code()
    }

    pub fn ok(self) -> &'a Place {
        self.check()
    }

    /// The run fails with this code and changes nothing on disk.
    pub fn fails(mut self, code: i32) -> &'a Place {
        self.code = code;
        self.unchanged = true;
        self.check()
    }

    fn check(mut self) -> &'a Place {
        let around = self.place.dir().parent().unwrap();
        let before = self.unchanged.then(|| snapshot(around));
        let Output {
            status,
            stdout,
            stderr,
        } = self.command.output().unwrap();
        let (stdout, stderr) = (
            String::from_utf8(stdout).unwrap(),
            String::from_utf8(stderr).unwrap(),
        );
        let what = format!("{:?}\nstdout: {stdout}\nstderr: {stderr}", self.command);
        assert_eq!(status.code(), Some(self.code), "{what}");
        self.stdout.check(&stdout, &what);
        self.stderr.check(&stderr, &what);
        for part in self.lacks {
            assert!(!stderr.contains(&part), "{part:?} from {what}");
        }
        if let Some(before) = before {
            assert_eq!(before, snapshot(around), "the tree changed: {what}");
        }
        self.place
    }
}

/// Splits a line at blanks, but not inside double quotes.
pub fn words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quoted = false;
    for c in line.chars() {
        match c {
            '"' => quoted = !quoted,
            ' ' if !quoted => words.push(String::new()),
            c => words.last_mut().unwrap().push(c),
        }
    }
    words
}
