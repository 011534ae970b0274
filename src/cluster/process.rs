//! Processes that outlive rustop, and the functions that find and end them.
//!
//! A process is identified by its ID and its start time, because the system reuses IDs. It also has
//! [`MARK`] in its environment, by which rustop finds a process that it could not record because it
//! was killed right after the start.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde::{Deserialize, Serialize};

use super::error::{Error, Result};
use crate::disk::private;
use crate::interrupt::Interrupted;

/// The environment variable with the directory of the cluster that a process belongs to.
pub const MARK: &str = "RUSTOP_COMPONENT_OF";

/// The identity of a process.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct Process {
    pub pid: u32,
    /// Its start time, in the system's own format.
    started: String,
}

impl Process {
    /// Returns the process that has this ID now; `None` if there is none, or only a zombie.
    pub fn with_pid(pid: u32) -> Option<Self> {
        system::started(pid).map(|started| Self { pid, started })
    }

    /// Returns a process that had this ID and has ended.
    pub fn ended(pid: u32) -> Self {
        Self {
            pid,
            started: String::new(),
        }
    }

    /// Returns true if the process runs. A zombie process does not.
    pub fn is_alive(&self) -> bool {
        Self::with_pid(self.pid).as_ref() == Some(self)
    }

    /// Returns true if the process runs and is not exiting. The threads of a killed process may
    /// hold its ports and files for a while.
    pub fn is_well(&self) -> bool {
        self.is_alive() && !system::is_ending(self.pid)
    }

    /// Sends `signal` if it still runs.
    pub fn signal(&self, signal: Signal) {
        if self.is_alive() {
            send(self.pid, signal);
        }
    }
}

/// Sends `signal` to the process that has this ID now. Does nothing if the process has ended.
pub fn send(pid: u32, signal: Signal) {
    if let Some(pid) = i32::try_from(pid).ok().and_then(Pid::from_raw) {
        let _ = kill_process(pid, signal);
    }
}

/// Sends SIGTERM to the processes, and SIGKILL to those that still run after `grace`. Returns when
/// all have ended, or ten seconds after SIGKILL.
pub fn end(processes: &[Process], grace: Duration) {
    if !grace.is_zero() {
        for process in processes {
            process.signal(Signal::TERM);
        }
        wait_until_gone(processes, grace);
    }
    for process in processes {
        process.signal(Signal::KILL);
    }
    // The kernel first frees the memory of a killed process.
    wait_until_gone(processes, Duration::from_secs(10));
}

fn wait_until_gone(processes: &[Process], limit: Duration) {
    let deadline = Instant::now() + limit;
    while processes.iter().any(Process::is_alive) && Instant::now() < deadline {
        sleep(Duration::from_millis(10));
    }
}

/// Returns the processes whose environment has `variable` with the value `dir`; none on systems
/// other than Linux.
pub fn marked(variable: &str, dir: &Path) -> Vec<Process> {
    system::with_variable(variable, dir)
}

/// A program to start as a process that outlives rustop.
#[derive(Debug)]
pub struct Detached<'a> {
    pub program: &'a Path,
    pub arguments: &'a [String],
    /// The directory of the cluster that it is part of.
    pub cluster: &'a Path,
    /// The file for its output.
    pub log: &'a Path,
}

impl Detached<'_> {
    /// Starts the program in its own session, so that it does not receive the signals of the
    /// terminal. It does not inherit the environment.
    pub fn spawn(&self) -> Result<Child> {
        let log = private::append(self.log)?;
        log.set_len(0).map_err(Error::io("empty", self.log))?;
        let copy = log.try_clone().map_err(Error::io("open", self.log))?;
        let mut command = Command::new(this_program());
        command
            .args(["cluster", "detach", &std::process::id().to_string(), "--"])
            .arg(self.program)
            .args(self.arguments)
            .current_dir(self.cluster)
            .env_clear()
            .env(MARK, self.cluster)
            .env("HOME", self.cluster)
            .stdin(Stdio::null())
            .stdout(log)
            .stderr(copy);
        for name in ["PATH", "TMPDIR", "TZ"] {
            if let Some(value) = std::env::var_os(name) {
                command.env(name, value);
            }
        }
        command.spawn().map_err(|source| Error::Spawn {
            program: self.program.into(),
            source,
        })
    }
}

/// Runs in the process that [`Detached::spawn`] started: leaves the session and executes `program`.
/// Returns only if this fails, or if `parent` was killed before this process had its mark, by which
/// rustop would have found it.
pub fn become_detached(parent: u32, program: &Path, arguments: &[OsString]) -> Error {
    // This fails only in a process that leads a process group, and without a session of its own the
    // program still runs.
    let _ = rustix::process::setsid();
    execute(parent, program, arguments)
}

/// Returns a command that runs the same program, which gets SIGTERM when this thread ends, even if
/// rustop is killed. Only Linux has such a signal; elsewhere the program outlives a killed rustop.
pub fn tethered(command: &Command) -> Command {
    let mut tethered = Command::new(this_program());
    tethered
        .args(["cluster", "tether", &std::process::id().to_string(), "--"])
        .arg(command.get_program())
        .args(command.get_args());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => tethered.env(name, value),
            None => tethered.env_remove(name),
        };
    }
    if let Some(dir) = command.get_current_dir() {
        tethered.current_dir(dir);
    }
    tethered
}

/// Runs in the process that a command of [`tethered`] started: executes `program`. Returns only if
/// this fails, or if `parent` was killed before.
pub fn become_tethered(parent: u32, program: &Path, arguments: &[OsString]) -> Error {
    #[cfg(target_os = "linux")]
    let _ = rustix::process::set_parent_process_death_signal(Some(Signal::TERM));
    execute(parent, program, arguments)
}

/// Replaces this process by `program`. Returns only if this fails, or if `parent` has ended.
fn execute(parent: u32, program: &Path, arguments: &[OsString]) -> Error {
    use std::os::unix::process::CommandExt as _;
    if std::os::unix::process::parent_id() != parent {
        return Interrupted { signal: 9 }.into();
    }
    Error::Spawn {
        program: program.into(),
        source: Command::new(program).args(arguments).exec(),
    }
}

/// Returns a path that runs this program again, on Linux even if the file was replaced by a newer
/// version.
pub fn this_program() -> PathBuf {
    if cfg!(target_os = "linux") {
        PathBuf::from("/proc/self/exe")
    } else {
        std::env::current_exe().unwrap_or_else(|_| PathBuf::from("rustop"))
    }
}

/// Returns the last `count` lines of a log that are not empty, each with at most 300 characters. If
/// the log cannot be read, returns one line with the reason.
pub fn last_lines(log: &Path, count: usize) -> Vec<String> {
    let text = std::fs::read(log).map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    let text = text.unwrap_or_else(|error: io::Error| format!("(no log: {error})"));
    let lines: Vec<&str> = text
        .lines()
        .filter(|line| !line.trim().is_empty())
        .collect();
    lines[lines.len().saturating_sub(count)..]
        .iter()
        .map(|line| line.chars().take(300).collect())
        .collect()
}

#[cfg(target_os = "linux")]
mod system {
    //! Reads the state of processes from `/proc`.

    use std::fs;
    use std::os::unix::ffi::OsStrExt as _;
    use std::path::Path;
    use std::sync::LazyLock;
    use std::thread::sleep;
    use std::time::Duration;

    use super::Process;

    /// The ID of the boot. It is a part of start times, because Linux counts them from the boot.
    static BOOT: LazyLock<String> = LazyLock::new(|| {
        fs::read_to_string("/proc/sys/kernel/random/boot_id")
            .map(|id| id.trim().to_owned())
            .unwrap_or_default()
    });

    /// `PF_EXITING` of `linux/sched.h`: the first thread is on its way out.
    const EXITING: u32 = 4;

    /// Returns the start time of a process, as `BOOT_ID/TICKS`; `None` if it has ended.
    pub fn started(pid: u32) -> Option<String> {
        let fields = stat(pid)?;
        let (state, threads, ticks) = (fields.first()?, fields.get(17)?, fields.get(19)?);
        // The first thread may have ended while others still hold the ports.
        let ended = is_dead(state) && matches!(threads.as_str(), "0" | "1");
        (!ended).then(|| format!("{}/{ticks}", *BOOT))
    }

    /// Returns true if a process has ended or is exiting.
    pub fn is_ending(pid: u32) -> bool {
        stat(pid).is_none_or(|fields| {
            let flags = fields.get(6).and_then(|flags| flags.parse::<u32>().ok());
            fields.first().is_none_or(|state| is_dead(state))
                || flags.is_none_or(|flags| flags & EXITING != 0)
        })
    }

    fn is_dead(state: &str) -> bool {
        matches!(state, "Z" | "X")
    }

    /// Returns the fields after the name, which is in brackets and may contain any character: the
    /// state, 5 numbers, the flags, 10 numbers, the number of threads, another number, and the
    /// start time (`proc_pid_stat(5)`).
    fn stat(pid: u32) -> Option<Vec<String>> {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        let (_, fields) = stat.rsplit_once(") ")?;
        Some(fields.split(' ').map(str::to_owned).collect())
    }

    /// Returns the processes whose environment has `variable` with the value `dir`.
    pub fn with_variable(variable: &str, dir: &Path) -> Vec<Process> {
        let wanted = [variable.as_bytes(), b"=", dir.as_os_str().as_bytes()].concat();
        let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
        let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
        pids.filter(|pid| {
            environment(*pid)
                .split(|byte| *byte == 0)
                .any(|v| v == wanted)
        })
        .filter_map(Process::with_pid)
        .collect()
    }

    /// Returns the environment of a process; empty for the process of another user, which cannot be
    /// read.
    fn environment(pid: u32) -> Vec<u8> {
        let mut attempts = 10;
        loop {
            let text = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
            attempts -= 1;
            // A program that is just being loaded has none for a moment. Threads of the kernel
            // never have one, nor have they a program.
            let is_loading = text.is_empty() && fs::read_link(format!("/proc/{pid}/exe")).is_ok();
            if !is_loading || attempts == 0 {
                return text;
            }
            sleep(Duration::from_millis(1));
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    //! Reads the state of processes from the output of `ps`, on other systems than Linux.

    use std::path::Path;
    use std::process::Command;

    use super::Process;

    /// Returns the start time of a process, as `ps` formats it; `None` if it has ended.
    pub fn started(pid: u32) -> Option<String> {
        let output = Command::new("ps")
            .args(["-o", "state=,lstart=", "-p", &pid.to_string()])
            .output()
            .ok()?;
        let line = String::from_utf8(output.stdout).ok()?;
        let (state, started) = line.trim().split_once(' ')?;
        (!state.starts_with('Z')).then(|| started.trim().to_owned())
    }

    /// Returns false, since `ps` does not report it.
    pub fn is_ending(_: u32) -> bool {
        false
    }

    /// Returns no processes, since `ps` does not report environments on all systems.
    pub fn with_variable(_: &str, _: &Path) -> Vec<Process> {
        Vec::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_not_another_one_with_its_number() {
        let this = Process::with_pid(std::process::id()).unwrap();
        assert!(this.is_alive());
        let earlier = Process {
            started: format!("{}0", this.started),
            ..this
        };
        assert!(!earlier.is_alive());
    }

    #[test]
    fn an_unwaited_child_is_dead_and_a_marked_one_is_found() {
        let dir = tempfile::tempdir().unwrap();
        let mut child = Command::new("sleep")
            .arg("60")
            .env("RUSTOP_TEST_MARK", dir.path())
            .spawn()
            .unwrap();
        let process = Process::with_pid(child.id()).unwrap();
        assert!(process.is_well());
        if cfg!(target_os = "linux") {
            let found = marked("RUSTOP_TEST_MARK", dir.path());
            assert_eq!(found, std::slice::from_ref(&process));
            assert_eq!(marked("RUSTOP_TEST_MARK", Path::new("/")), []);
        }
        end(std::slice::from_ref(&process), Duration::from_secs(5));
        assert!(!process.is_alive() && !process.is_well());
        child.wait().unwrap();
    }
}
