//! The operator as a process on this machine, with the rights of its ServiceAccount and no others.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::io::{self, BufRead, BufReader, IsTerminal as _, Read as _};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command, ExitStatus};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use super::error::Result;
use super::probe::Probe;
use super::webhooks::Webhooks;
use crate::error::Io;

/// The most bytes of a line of its log that are kept.
const LONGEST: u64 = 64 << 10;
/// How long the operator may take to stop in order.
const GRACE: Duration = Duration::from_secs(10);
/// How long its log may take to come by after it has ended; something that it started may still have it open.
const LAST_WORDS: Duration = Duration::from_secs(1);
/// What it is told: whoever waits for it sits in front of it.
const TOLD: &str = "5";

/// A running operator; it is stopped when this is dropped.
#[derive(Debug)]
pub struct Operator {
    child: Child,
    /// Who passes its log on.
    hears: Option<JoinHandle<()>>,
}

/// What the operator is started with.
#[derive(Debug)]
pub struct Launch<'a> {
    /// Its kubeconfig.
    pub kubeconfig: &'a Path,
    /// The namespace that it thinks it runs in.
    pub namespace: &'a str,
    /// The namespaces that it watches; empty for all.
    pub watch_namespace: &'a str,
    /// Where it is asked whether it is ready, if it is.
    pub probe: Option<&'a Probe>,
    /// Where it shows its figures, if anybody looks.
    pub figures: Option<&'a Probe>,
    /// How it serves its webhooks, if it has any to serve.
    pub webhooks: Option<&'a Webhooks>,
    /// What ends it with the cluster and with `rustop dev`, should that be killed: see
    /// [`crate::cluster::Cluster::mark`] and [`crate::cluster::Hold::mark`].
    pub marks: Vec<(&'static str, &'a Path)>,
}

impl Launch<'_> {
    /// The command that runs the program `binary` like this.
    pub fn command(&self, binary: &Path) -> Command {
        let mut command = Command::new(binary);
        let probe = self.probe.map(|probe| probe.address().to_string());
        let figures = self.figures.map(|probe| probe.address().to_string());
        command
            .args([
                "--health-probe-bind-address",
                probe.as_deref().unwrap_or("0"),
            ])
            .args(["--metrics-bind-address", figures.as_deref().unwrap_or("0")])
            .arg("--metrics-secure=false")
            // People read this log, wherever it goes; the user's own setting wins.
            .env(
                "LOG_FORMAT",
                std::env::var_os("LOG_FORMAT").unwrap_or_else(|| "text".into()),
            )
            .env("KUBECONFIG", self.kubeconfig)
            .env("POD_NAME", "rustop-dev")
            .env("POD_NAMESPACE", self.namespace)
            .env("WATCH_NAMESPACE", self.watch_namespace)
            .env("TERMINATION_GRACE_PERIOD_SECONDS", TOLD)
            .envs(served(self.webhooks))
            .envs(self.marks.iter().copied());
        command
    }
}

/// The settings of an operator's webhook server.
pub fn served(webhooks: Option<&Webhooks>) -> Vec<(&'static str, OsString)> {
    let off = || vec![("WEBHOOK_PORT", "0".into())];
    webhooks.map_or_else(off, Webhooks::environment)
}

impl Operator {
    /// Starts the operator, in a process group of its own so that Ctrl-C reaches rustop alone. Each line of its log
    /// goes to `hear`, and so does what it writes to a stdout that is a terminal: there it could be an escape sequence.
    ///
    /// # Errors
    /// When the program cannot be run.
    pub fn start_heard(
        mut command: Command,
        mut hear: impl FnMut(&str) + Send + 'static,
    ) -> Result<Self> {
        let program = command.get_program().to_owned();
        let run = || Io::on("run", &program);
        let (reader, writer) = io::pipe().map_err(run())?;
        // It holds both ends: should rustop be killed, nothing breaks under it until somebody ends it.
        let other = reader.try_clone().map_err(run())?;
        if io::stdout().is_terminal() {
            command.stdout(writer.try_clone().map_err(run())?);
        }
        command.stdin(other).stderr(writer).process_group(0);
        let child = command.spawn().map_err(run())?;
        // The command has the end that is written to, too: without it, the log ends with the operator.
        drop(command);
        let hears = std::thread::spawn(move || {
            let mut reader = BufReader::new(reader);
            while let Some(line) = next_line(&mut reader) {
                hear(&line);
            }
        });
        Ok(Self {
            child,
            hears: Some(hears),
        })
    }

    /// How it ended, if it did. What it said last has been passed on by then.
    pub fn ended(&mut self) -> Option<ExitStatus> {
        let status = self.child.try_wait().ok().flatten()?;
        if let Some(hears) = self.hears.take() {
            let deadline = Instant::now() + LAST_WORDS;
            while !hears.is_finished() && Instant::now() < deadline {
                std::thread::sleep(Duration::from_millis(5));
            }
        }
        Some(status)
    }

    /// Asks it to stop, waits, and ends it when it does not.
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

/// The next line of a log; `None` at its end. Of a line that is too long the beginning is kept.
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
