//! The operator as a local process, with the permissions of its ServiceAccount.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt::Write as _;
use std::io::{self, BufRead, BufReader, Read as _};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use super::error::Result;
use super::local_address::LocalAddress;
use super::webhooks::LocalWebhooks;
use crate::error::Io;

/// The maximum number of bytes of a log line; the rest of the line is dropped.
const LONGEST: u64 = 64 << 10;
/// The time that the operator has for a graceful shutdown.
const GRACE: Duration = Duration::from_secs(10);
/// The time to wait for remaining log output after the operator has exited. A process that it
/// started may still hold the pipe open.
const LAST_WORDS: Duration = Duration::from_secs(1);
/// The operator's `TERMINATION_GRACE_PERIOD_SECONDS`: short, since a developer is waiting for it.
const CONFIGURED_GRACE_SECONDS: &str = "5";

/// A running operator. Dropping it stops the process.
#[derive(Debug)]
pub struct Operator {
    child: Child,
    /// The thread that forwards the log.
    log_thread: Option<JoinHandle<()>>,
}

/// The settings with which the operator is started.
#[derive(Debug)]
pub struct Launch<'a> {
    /// The kubeconfig with the permissions of the operator's ServiceAccount.
    pub kubeconfig: &'a Path,
    /// The namespace that the operator considers its own.
    pub namespace: &'a str,
    /// The namespaces that it watches; empty for all.
    pub watch_namespace: &'a str,
    /// The address of its health probes; `None` disables them.
    pub probe: Option<&'a LocalAddress>,
    /// The address of its metrics; `None` disables them.
    pub metrics_address: Option<&'a LocalAddress>,
    /// The settings of its webhook server; `None` disables it.
    pub webhooks: Option<&'a LocalWebhooks>,
    /// Environment variables by which the process is found and killed if the cluster ends or
    /// `rustop dev` is killed: see [`crate::cluster::Cluster::mark`] and
    /// [`crate::cluster::Hold::mark`].
    pub marks: Vec<(&'static str, &'a Path)>,
    /// The command line for [`Self::plain_command`]; [`Self::command`] ignores it.
    pub plain: PlainCommandLine,
}

impl Launch<'_> {
    /// Returns the command that runs the program `binary` with these settings.
    pub fn command(&self, binary: &Path) -> Command {
        let mut command = Command::new(binary);
        let probe = self.probe.map(|probe| probe.address().to_string());
        let metrics = self
            .metrics_address
            .map(|probe| probe.address().to_string());
        command
            .args([
                "--health-probe-bind-address",
                probe.as_deref().unwrap_or("0"),
            ])
            .args(["--metrics-bind-address", metrics.as_deref().unwrap_or("0")])
            .arg("--metrics-secure=false")
            // The default is text, since a person reads this log. The user's own setting takes
            // precedence.
            .env(
                "LOG_FORMAT",
                std::env::var_os("LOG_FORMAT").unwrap_or_else(|| "text".into()),
            )
            .env("KUBECONFIG", self.kubeconfig)
            .env("POD_NAME", "rustop-dev")
            .env("POD_NAMESPACE", self.namespace)
            .env("WATCH_NAMESPACE", self.watch_namespace)
            .env("TERMINATION_GRACE_PERIOD_SECONDS", CONFIGURED_GRACE_SECONDS)
            .envs(webhook_environment(self.webhooks))
            .envs(self.marks.iter().copied());
        command
    }
}

impl Launch<'_> {
    /// Returns the command that runs an operator without rustop's runtime: with its kubeconfig, and
    /// none of the flags and variables of the runtime.
    pub fn plain_command(&self, binary: &Path) -> Command {
        let mut command = Command::new(binary);
        let plain = &self.plain;
        command
            .args(&plain.arguments)
            .envs(&plain.environment)
            .env("KUBECONFIG", self.kubeconfig)
            .envs(self.marks.iter().copied());
        if let Some(dir) = &plain.dir {
            command.current_dir(dir);
        }
        command
    }
}

/// The command line of an operator without rustop's runtime.
#[derive(Clone, Debug, Default)]
pub struct PlainCommandLine {
    /// The arguments after the program.
    pub arguments: Vec<String>,
    /// The variables to set in addition to those of rustop.
    pub environment: BTreeMap<String, String>,
    /// The working directory; `None` for that of rustop.
    pub dir: Option<PathBuf>,
}

/// Returns the environment variables of an operator's webhook server.
pub fn webhook_environment(webhooks: Option<&LocalWebhooks>) -> Vec<(&'static str, OsString)> {
    let off = || vec![("WEBHOOK_PORT", "0".into())];
    webhooks.map_or_else(off, LocalWebhooks::environment)
}

impl Operator {
    /// Starts the operator in its own process group, so that only rustop receives Ctrl-C. `hear`
    /// gets each line of its stderr and its stdout: a program may parse rustop's own stdout, and
    /// escape sequences could reach a terminal behind it.
    ///
    /// # Errors
    /// Returns an error if the program cannot be run.
    pub fn start_heard(
        mut command: Command,
        mut hear: impl FnMut(&str) + Send + 'static,
    ) -> Result<Self> {
        let program = command.get_program().to_owned();
        let run = || Io::on("run", &program);
        let (reader, writer) = io::pipe().map_err(run())?;
        // The operator also holds the read end. If rustop is killed, writing to the log therefore
        // does not fail until the operator is killed, too.
        let other = reader.try_clone().map_err(run())?;
        command.stdout(writer.try_clone().map_err(run())?);
        command.stdin(other).stderr(writer).process_group(0);
        let child = command.spawn().map_err(run())?;
        // Close the command's copy of the write end; otherwise the log would not end with the
        // operator.
        drop(command);
        let log_thread = std::thread::spawn(move || {
            let mut reader = BufReader::new(reader);
            while let Some(line) = next_line(&mut reader) {
                hear(&line);
            }
        });
        Ok(Self {
            child,
            log_thread: Some(log_thread),
        })
    }

    /// Returns the exit status if the operator has exited. Its last log lines have been forwarded
    /// by then.
    pub fn ended(&mut self) -> Option<ExitStatus> {
        let status = self.child.try_wait().ok().flatten()?;
        if let Some(log_thread) = self.log_thread.take() {
            let deadline = Instant::now() + LAST_WORDS;
            while !log_thread.is_finished() && Instant::now() < deadline {
                std::thread::sleep(Duration::from_millis(5));
            }
        }
        Some(status)
    }

    /// Sends SIGTERM, waits for the grace period, and kills the operator if it is still running.
    pub fn stop(&mut self) {
        if self.ended().is_some() {
            return;
        }
        if let Some(pid) = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw) {
            let _ = kill_process(pid, Signal::TERM);
        }
        let deadline = Instant::now() + GRACE;
        while self.ended().is_none() && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(20));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Returns the next line of a log, or `None` at its end. A line that is too long is cut off.
fn next_line(reader: &mut impl BufRead) -> Option<String> {
    let mut line = Vec::new();
    let read = reader.take(LONGEST).read_until(b'\n', &mut line).ok()?;
    if read == 0 {
        return None;
    }
    let mut left_out = 0;
    if line.last() == Some(&b'\n') {
        line.pop();
    } else {
        left_out = reader.skip_until(b'\n').unwrap_or_default();
    }
    let mut text = String::from_utf8_lossy(&line).into_owned();
    if left_out > 1 {
        let _ = write!(text, " … ({} bytes more)", left_out - 1);
    }
    Some(text)
}

impl Drop for Operator {
    fn drop(&mut self) {
        self.stop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stdout_and_stderr_of_an_operator_are_read() {
        let mut command = Command::new("sh");
        command.args(["-c", "echo out; echo err >&2"]);
        let (sender, receiver) = std::sync::mpsc::channel();
        let mut operator = Operator::start_heard(command, move |line| {
            sender.send(line.to_owned()).unwrap();
        })
        .unwrap();
        while operator.ended().is_none() {
            std::thread::sleep(Duration::from_millis(5));
        }
        assert_eq!(receiver.iter().collect::<Vec<_>>(), ["out", "err"]);
    }

    #[test]
    fn a_line_without_end_is_cut() {
        let long = "x".repeat(1 << 20);
        let text = format!("one\n\n{long}\ntwo\nlast");
        let mut reader = BufReader::new(text.as_bytes());
        let lines: Vec<_> = std::iter::from_fn(|| next_line(&mut reader)).collect();
        assert_eq!(lines.len(), 5);
        assert_eq!(
            [&lines[0], &lines[1], &lines[3], &lines[4]],
            ["one", "", "two", "last"]
        );
        assert!(lines[2].len() < 70_000 && lines[2].ends_with(" … (983040 bytes more)"));
    }
}
