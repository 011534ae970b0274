//! Helpers of tests of the built binary: sandboxes to run it in, and functions that inspect them.
//!
//! The programs of the control plane come from rustop's cache (`RUSTOP_CACHE` moves it) or from
//! `KUBEBUILDER_ASSETS`. If they are missing, a test fails with the command that installs them.

#![allow(dead_code, reason = "no test binary uses all of it")]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

pub mod crds;
pub mod random;

pub mod audit;

use std::ffi::OsStr;
use std::fs;
use std::io::{Write as _, stderr};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use tempfile::TempDir;

/// A directory for one test, with clusters of its own. When it goes, so do they.
pub struct Sandbox {
    dir: TempDir,
}

impl Sandbox {
    pub fn new() -> Self {
        Self {
            dir: tempfile::tempdir().unwrap(),
        }
    }

    pub fn path(&self) -> &Path {
        self.dir.path()
    }

    pub fn state(&self) -> PathBuf {
        self.path().join("state")
    }

    /// `rustop` with the words of `line`.
    pub fn rustop(&self, line: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_rustop"));
        command
            .args(line.split_whitespace())
            .current_dir(self.path())
            .env("RUSTOP_STATE", self.state())
            .stdin(Stdio::null());
        command
    }

    /// Runs `rustop` and expects success.
    pub fn ok(&self, line: &str) -> Ran {
        if line.starts_with("cluster start") {
            progress("starts a control plane");
        }
        let ran = run(&mut self.rustop(line));
        assert_eq!(ran.code, Some(0), "rustop {line}: {}", ran.stderr);
        ran
    }

    /// `kubectl` on the cluster called `name`.
    pub fn kubectl(&self, name: &str, line: &str) -> Ran {
        let [status] = &self.status(name)[..] else {
            panic!("one cluster called {name}");
        };
        let assets = PathBuf::from(status["assets"].as_str().unwrap());
        run(Command::new(assets.join("kubectl"))
            .args(line.split_whitespace())
            .arg("--request-timeout=20s")
            .env("KUBECONFIG", status["kubeconfig"].as_str().unwrap())
            .env("HOME", self.path()))
    }

    pub fn status(&self, name: &str) -> Vec<Value> {
        let ran = self.ok(&format!("cluster status --name {name} --output json"));
        serde_json::from_str(&ran.stdout).unwrap()
    }

    /// The process of one component of the cluster called `name`.
    pub fn pid(&self, name: &str, component: &str) -> Option<u32> {
        let status = self.status(name);
        let components = status[0]["components"].as_array().unwrap().clone();
        let found = components.iter().find(|c| c["name"] == component)?;
        u32::try_from(found["pid"].as_u64()?).ok()
    }

    /// All processes that have this directory in their environment.
    pub fn processes(&self) -> Vec<(u32, String)> {
        let needle = self.path().to_str().unwrap().as_bytes();
        fs::read_dir("/proc")
            .unwrap()
            .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
            .filter(|pid: &u32| {
                fs::read(format!("/proc/{pid}/environ"))
                    .is_ok_and(|text| text.windows(needle.len()).any(|part| part == needle))
            })
            .map(|pid| {
                let command =
                    fs::read_to_string(format!("/proc/{pid}/cmdline")).unwrap_or_default();
                (pid, command.replace('\0', " ").chars().take(80).collect())
            })
            .collect()
    }

    /// Waits until none of them is left.
    pub fn assert_no_processes(&self) {
        until("all processes are gone", Duration::from_secs(20), || {
            self.processes().is_empty()
        });
    }

    /// Waits until no cluster of an `exec` is left.
    pub fn assert_no_exec_directory(&self) {
        until(
            "the directory of exec is empty",
            Duration::from_secs(20),
            || {
                fs::read_dir(self.state().join("exec"))
                    .map_or(true, |mut entries| entries.next().is_none())
            },
        );
    }
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        for (pid, _) in self.processes() {
            kill(pid, Signal::KILL);
        }
    }
}

/// Prints the progress of the running test to the terminal. Output of tests is shown only when they
/// fail; this is shown at once.
pub fn progress(what: &str) {
    static START: OnceLock<Instant> = OnceLock::new();
    let seconds = START.get_or_init(Instant::now).elapsed().as_secs();
    let (minutes, seconds) = (seconds / 60, seconds % 60);
    // The harness calls the thread of a test like the test.
    let thread = std::thread::current();
    let test = thread.name().map(|name| format!("{name}: "));
    let line = format!(
        "    {minutes}:{seconds:02} {}{what}\n",
        test.unwrap_or_default()
    );
    let _ = stderr().write_all(line.as_bytes());
}

/// The output and the exit status of a program.
#[derive(Debug)]
pub struct Ran {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl From<Output> for Ran {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code(),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}

pub fn run(command: &mut Command) -> Ran {
    command.output().unwrap().into()
}

/// Fails if another user can read or enter anything in `dir`, or `dir` itself.
pub fn assert_private(dir: &Path) {
    use std::os::unix::fs::PermissionsExt as _;
    for entry in walkdir::WalkDir::new(dir) {
        // A cluster that runs replaces files.
        let Ok(entry) = entry else { continue };
        let Ok(found) = entry.metadata() else {
            continue;
        };
        if !found.is_symlink() {
            let mode = found.permissions().mode() & 0o777;
            assert_eq!(mode & 0o077, 0, "{}: {mode:o}", entry.path().display());
        }
    }
}

/// A line for a shell that waits until the API server serves the kinds of all CRDs. `kubectl wait`
/// fails at once on a CRD that has no conditions yet, which takes a large one a moment, so it is
/// repeated.
pub const ESTABLISHED: &str = "for attempt in $(seq 60); do \
     $KUBECTL wait --for condition=Established --timeout 60s crd --all && exit; sleep 0.5; \
     done; exit 1";

/// Waits until `done`, and fails the test when that takes longer than `limit`.
pub fn until(what: &str, limit: Duration, mut done: impl FnMut() -> bool) {
    let start = Instant::now();
    while !done() {
        assert!(start.elapsed() < limit, "not in {limit:?}: {what}");
        sleep(Duration::from_millis(50));
    }
}

pub fn kill(pid: u32, signal: Signal) {
    let pid = Pid::from_raw(i32::try_from(pid).unwrap()).unwrap();
    let _ = kill_process(pid, signal);
}

/// All files below `dir`, as paths relative to it, sorted.
pub fn files(dir: impl AsRef<Path>) -> Vec<String> {
    let dir = dir.as_ref();
    let mut files: Vec<String> = walkdir::WalkDir::new(dir)
        .into_iter()
        .flatten()
        .filter(|entry| !entry.file_type().is_dir())
        .filter_map(|entry| Some(entry.path().strip_prefix(dir).ok()?.to_str()?.to_owned()))
        .collect();
    files.sort();
    files
}

pub fn is_in(needle: impl AsRef<OsStr>, text: &str) -> bool {
    text.contains(needle.as_ref().to_str().unwrap())
}

/// Returns one of the sixteen million loopback addresses, so that tests need not search for a free
/// port. A test program has 4096 of them, which no concurrent test program uses.
pub fn address() -> String {
    static NEXT: AtomicU32 = AtomicU32::new(1);
    let next = NEXT.fetch_add(1, Ordering::Relaxed);
    assert!(next < 1 << 12, "all addresses are taken");
    let [_, a, b, c] = ((std::process::id() << 12) | next).to_be_bytes();
    format!("127.{}.{b}.{c}", a.clamp(1, 254))
}
