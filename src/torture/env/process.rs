//! The process of the operator, its files, and the summary of its log.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group, test_kill_process_group};
use serde_json::{Value, json};

use crate::disk::private;
use crate::error::Io;
use crate::torture::env::network::NetworkNamespace;
use crate::torture::error::Result;

/// The program of an operator and how it is started.
#[derive(Clone, Debug)]
pub struct Program {
    /// The executable.
    pub path: PathBuf,
    pub arguments: Vec<OsString>,
    /// Variables that are added to those of rustop.
    pub environment: Vec<(OsString, OsString)>,
    /// The kubeconfig as JSON, in which the address of the proxy replaces that of the API server.
    pub kubeconfig: Value,
    /// If true, the operator watches a single namespace, which it reads from `WATCH_NAMESPACE`.
    pub namespaced: bool,
    /// The working directory; `None` for that of rustop.
    pub dir: Option<PathBuf>,
    /// A namespace that stands for the run's: arguments and variables with this value get the name
    /// of the run's namespace.
    pub namespace: Option<String>,
}

impl Program {
    /// Returns the program with further arguments.
    #[must_use]
    pub fn with_arguments(&self, further: impl IntoIterator<Item = OsString>) -> Self {
        let mut program = self.clone();
        program.arguments.extend(further);
        program
    }

    /// Returns a value of an argument or variable for a run in `namespace`.
    fn value<'a>(&self, value: &'a OsString, namespace: &'a str) -> &'a OsStr {
        let own = self.namespace.as_deref().map(OsStr::new);
        if own == Some(value.as_os_str()) {
            OsStr::new(namespace)
        } else {
            value
        }
    }
}

/// A running operator. It is killed when the value is dropped.
#[derive(Debug)]
pub struct OperatorProcess {
    child: Child,
}

impl OperatorProcess {
    /// Returns the id of the process, which is also that of its process group.
    pub fn pid(&self) -> Option<Pid> {
        i32::try_from(self.child.id()).ok().and_then(Pid::from_raw)
    }

    /// Asks the operator to end by SIGTERM to its process group, as the kubelet does.
    pub fn terminate(&mut self) {
        if let Some(group) = self.pid()
            && self.ended().is_none()
        {
            let _ = kill_process_group(group, Signal::TERM);
        }
    }

    /// Waits until the process has ended, for at most `limit`. Blocks the thread.
    pub fn wait(&mut self, limit: Duration) {
        let since = Instant::now();
        while self.ended().is_none() && since.elapsed() < limit {
            thread::sleep(limit / 100);
        }
    }

    /// Returns the exit status, or `None` while the process runs.
    pub fn ended(&mut self) -> Option<ExitStatus> {
        self.child.try_wait().ok().flatten()
    }
}

/// The time in which the child processes of a killed operator must have ended.
const GONE_AFTER: Duration = Duration::from_secs(1);

impl Drop for OperatorProcess {
    /// Kills the operator's process group and waits for it, so that the ports are free for the next
    /// one.
    fn drop(&mut self) {
        let Some(group) = self.pid() else { return };
        // The id of a process that was waited for may have been reused.
        if self.ended().is_none() {
            let _ = kill_process_group(group, Signal::KILL);
        }
        let _ = self.child.wait();
        let since = Instant::now();
        while test_kill_process_group(group).is_ok() && since.elapsed() < GONE_AFTER {
            thread::sleep(GONE_AFTER / 200);
        }
    }
}

/// The kubeconfig and the log of the operator of one run.
#[derive(Clone, Debug)]
pub struct RunFiles {
    kubeconfig: PathBuf,
    log: PathBuf,
}

impl RunFiles {
    /// Writes the kubeconfig into `dir` for the run in `namespace`, whose proxy listens at
    /// `address`. It has no credentials, since the proxy authenticates the operator, whose log is
    /// part of the report.
    pub fn new(dir: &Path, namespace: &str, program: &Program, address: &str) -> Result<Self> {
        let kubeconfig = dir.join(format!("{namespace}.kubeconfig"));
        let mut config = program.kubeconfig.clone();
        for cluster in config["clusters"].as_array_mut().into_iter().flatten() {
            cluster["cluster"] = json!({ "server": format!("http://{address}") });
        }
        for user in config["users"].as_array_mut().into_iter().flatten() {
            user["user"] = json!({});
        }
        private::write(&kubeconfig, &config.to_string())?;
        let log = dir.join(format!("{namespace}.log"));
        Ok(Self { kubeconfig, log })
    }

    /// Starts the program for the run in `namespace`, in its own process group, so that Ctrl-C
    /// reaches only rustop, and in a network namespace if there is one. Its output is appended to
    /// the log.
    pub fn start(
        &self,
        program: &Program,
        namespace: &str,
        network: Option<&NetworkNamespace>,
    ) -> Result<OperatorProcess> {
        let log = private::append(&self.log)?;
        let copy = log.try_clone().map_err(Io::on("write", &self.log))?;
        let mut command = match network {
            Some(network) => network.command(&program.path),
            None => Command::new(&program.path),
        };
        command
            .args(
                program
                    .arguments
                    .iter()
                    .map(|it| program.value(it, namespace)),
            )
            .envs(
                program
                    .environment
                    .iter()
                    .map(|(name, value)| (name, program.value(value, namespace))),
            )
            .env("KUBECONFIG", &self.kubeconfig)
            .stdin(Stdio::null())
            .stdout(log)
            .stderr(copy)
            .process_group(0);
        if let Some(dir) = &program.dir {
            command.current_dir(dir);
        }
        if program.namespaced {
            command.env("WATCH_NAMESPACE", namespace);
        }
        let child = command.spawn().map_err(Io::on("run", &program.path))?;
        Ok(OperatorProcess { child })
    }

    /// Returns the log so far.
    pub fn log(&self) -> String {
        let bytes = fs::read(&self.log).unwrap_or_default();
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// Removes both files.
    pub fn clear(&self) {
        for file in [&self.kubeconfig, &self.log] {
            let _ = fs::remove_file(file);
        }
    }
}

/// Returns the line of a log with the probable reason why a program exited: the message of a panic,
/// an error with its causes, or the last line. For an empty log, returns `it printed nothing`.
pub fn exit_reason(log: &str) -> String {
    let lines = without_backtraces(log);
    let last = |is_wanted: &dyn Fn(&str) -> bool| lines.iter().rposition(|line| is_wanted(line));
    let panicked = last(&|line| line.contains("panicked at"));
    let said = panicked
        .filter(|line| line + 1 < lines.len())
        .map(|line| line + 1);
    let panicked_in_go = || last(&|line| line.starts_with("panic:"));
    let failed = || last(&|line| line.starts_with("Error:"));
    let mentioned = || last(&|line| line.to_lowercase().contains("error"));
    let Some(line) = said
        .or_else(panicked_in_go)
        .or_else(failed)
        .or_else(mentioned)
        .or(lines.len().checked_sub(1))
    else {
        return "it printed nothing".to_owned();
    };
    let mut words = lines[line].to_owned();
    if lines.get(line + 1) == Some(&"Caused by:") {
        for cause in &lines[line + 2..] {
            words += ": ";
            words += frame(cause).unwrap_or(cause);
        }
    }
    words
}

/// Returns the lines of a log without blank lines and backtraces, whose functions may be called
/// `error`.
pub fn without_backtraces(log: &str) -> Vec<&str> {
    let mut in_backtrace = false;
    let lines = log.lines().map(str::trim).filter(|line| !line.is_empty());
    lines
        .filter(|line| {
            let begins = line.eq_ignore_ascii_case("stack backtrace:");
            let goes_on =
                frame(line).is_some() || line.starts_with("at ") || line.starts_with("note: ");
            in_backtrace = begins || (in_backtrace && goes_on);
            !in_backtrace
        })
        .collect()
}

/// Returns the text after the number of a backtrace frame or of a numbered cause: `3:
/// core::ops::call`.
fn frame(line: &str) -> Option<&str> {
    let (number, rest) = line.split_once(": ")?;
    let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then_some(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_user_reads_the_kubeconfig_and_the_log_of_a_run() {
        use std::os::unix::fs::PermissionsExt as _;
        let dir = tempfile::tempdir().unwrap();
        let program = Program {
            path: "true".into(),
            arguments: Vec::new(),
            environment: Vec::new(),
            kubeconfig: json!({ "users": [{ "name": "x", "user": { "token": "secret" } }] }),
            namespaced: false,
            dir: None,
            namespace: None,
        };
        let desk = RunFiles::new(dir.path(), "ns", &program, "127.0.0.1:1").unwrap();
        drop(desk.start(&program, "ns", None).unwrap());
        for file in [&desk.kubeconfig, &desk.log] {
            let mode = file.metadata().unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600, "{}", file.display());
        }
        let kubeconfig = fs::read_to_string(&desk.kubeconfig).unwrap();
        assert!(!kubeconfig.contains("token"), "the operator may log it");
    }

    #[test]
    fn the_namespace_of_the_run_replaces_the_operators() {
        let dir = tempfile::tempdir().unwrap();
        let program = Program {
            path: "sh".into(),
            arguments: ["-c", "echo $0 $WATCHED $OTHER", "farm"]
                .map(Into::into)
                .into(),
            environment: vec![
                ("WATCHED".into(), "farm".into()),
                ("OTHER".into(), "farmer".into()),
            ],
            kubeconfig: json!({}),
            namespaced: false,
            dir: None,
            namespace: Some("farm".to_owned()),
        };
        let files = RunFiles::new(dir.path(), "torture-1", &program, "127.0.0.1:1").unwrap();
        let mut running = files.start(&program, "torture-1", None).unwrap();
        while running.ended().is_none() {
            thread::sleep(GONE_AFTER / 100);
        }
        assert_eq!(files.log(), "torture-1 torture-1 farmer\n");
    }

    #[test]
    fn the_last_words_are_the_error_without_its_backtrace() {
        let trace = "\n\nStack backtrace:\n   0: anyhow::error::<impl anyhow::Error>::from\n             at /x/error.rs:27:14\n   1: main\n";
        let direct = format!("starts\nError: Address already in use (os error 98){trace}");
        assert_eq!(
            exit_reason(&direct),
            "Error: Address already in use (os error 98)"
        );
        let one = format!(
            "Error: cannot serve metrics\n\nCaused by:\n    Address already in use (os error 98){trace}"
        );
        let expected = "Error: cannot serve metrics: Address already in use (os error 98)";
        assert_eq!(exit_reason(&one), expected);
        let two = "Error: cannot start\n\nCaused by:\n    0: cannot serve metrics\n    1: Address already in use";
        let expected = "Error: cannot start: cannot serve metrics: Address already in use";
        assert_eq!(exit_reason(two), expected);
    }

    #[test]
    fn child_processes_end_with_the_operator() {
        let dir = tempfile::tempdir().unwrap();
        // A wrapper that waits for the operator, like `go run`.
        let program = Program {
            path: "sh".into(),
            arguments: ["-c", "sleep 60 & echo $!; wait"].map(Into::into).into(),
            environment: Vec::new(),
            kubeconfig: json!({}),
            namespaced: false,
            dir: None,
            namespace: None,
        };
        let desk = RunFiles::new(dir.path(), "ns", &program, "127.0.0.1:1").unwrap();
        let running = desk.start(&program, "ns", None).unwrap();
        while !desk.log().ends_with('\n') {
            thread::sleep(GONE_AFTER / 100);
        }
        drop(running);
        let sleeper = Pid::from_raw(desk.log().trim().parse().unwrap()).unwrap();
        let stat = fs::read_to_string(format!("/proc/{}/stat", sleeper.as_raw_nonzero()));
        // A dead process that its parent has not waited for is a zombie.
        assert!(stat.is_err() || stat.unwrap().contains(") Z "));
    }

    #[test]
    fn the_last_words_are_the_relevant_log_line() {
        let panic = "starts\nthread 'main' (7) panicked at src/main.rs:1:1:\nno bug is called x\nstack backtrace:\n 0: x";
        assert_eq!(exit_reason(panic), "no bug is called x");
        assert_eq!(
            exit_reason("a\nError: no KUBECONFIG\nexit\n"),
            "Error: no KUBECONFIG"
        );
        assert_eq!(exit_reason("a\nb\n"), "b");
        let go = "starts\npanic: no bug is called x\n\ngoroutine 1 [running]:\nmain.main()\n\t/x/main.go:12 +0x1d\nexit status 2";
        assert_eq!(exit_reason(go), "panic: no bug is called x");
        assert_eq!(exit_reason(""), "it printed nothing");
    }
}
