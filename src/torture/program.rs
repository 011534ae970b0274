//! The operator's program as a process, in all its lives of one run.

use std::ffi::OsString;
use std::fs;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};

use rustix::process::Pid;
use serde_json::{Value, json};

use super::error::Result;
use crate::disk::private;
use crate::error::Io;

/// How the operator is started.
#[derive(Clone, Debug)]
pub struct Program {
    /// What is run.
    pub path: PathBuf,
    /// Its arguments.
    pub arguments: Vec<OsString>,
    /// What is added to its environment.
    pub environment: Vec<(OsString, OsString)>,
    /// Its kubeconfig, but for the address of the API server.
    pub kubeconfig: Value,
    /// Whether it watches one namespace only, which it is told.
    pub namespaced: bool,
}

/// One that runs.
#[derive(Debug)]
pub struct Running {
    child: Child,
}

impl Running {
    /// Its process.
    pub fn pid(&self) -> Option<Pid> {
        i32::try_from(self.child.id()).ok().and_then(Pid::from_raw)
    }

    /// How it ended, if it did.
    pub fn ended(&mut self) -> Option<ExitStatus> {
        self.child.try_wait().ok().flatten()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Where a run keeps what belongs to its operator.
#[derive(Clone, Debug)]
pub struct Desk {
    kubeconfig: PathBuf,
    log: PathBuf,
}

impl Desk {
    /// In `dir`, for the run in `namespace`, whose proxy listens at `address`.
    pub fn new(dir: &Path, namespace: &str, program: &Program, address: &str) -> Result<Self> {
        let kubeconfig = dir.join(format!("{namespace}.kubeconfig"));
        let mut config = program.kubeconfig.clone();
        for cluster in config["clusters"].as_array_mut().into_iter().flatten() {
            cluster["cluster"] = json!({ "server": format!("http://{address}") });
        }
        private::write(&kubeconfig, &config.to_string())?;
        let log = dir.join(format!("{namespace}.log"));
        Ok(Self { kubeconfig, log })
    }

    /// Starts the program, in a process group of its own so that Ctrl-C reaches rustop alone.
    pub fn start(&self, program: &Program, namespace: &str) -> Result<Running> {
        let log = private::append(&self.log)?;
        let copy = log.try_clone().map_err(Io::on("write", &self.log))?;
        let mut command = Command::new(&program.path);
        command
            .args(&program.arguments)
            .env("KUBECONFIG", &self.kubeconfig)
            .envs(
                program
                    .environment
                    .iter()
                    .map(|(name, value)| (name, value)),
            )
            .stdin(Stdio::null())
            .stdout(log)
            .stderr(copy)
            .process_group(0);
        if program.namespaced {
            command.env("WATCH_NAMESPACE", namespace);
        }
        let child = command.spawn().map_err(Io::on("run", &program.path))?;
        Ok(Running { child })
    }

    /// What it said so far.
    pub fn log(&self) -> String {
        let bytes = fs::read(&self.log).unwrap_or_default();
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// Throws everything away.
    pub fn clear(&self) {
        for file in [&self.kubeconfig, &self.log] {
            let _ = fs::remove_file(file);
        }
    }
}

/// The line of a log that says why a program ended: what a panic or an error says, else the last.
pub fn last_words(log: &str) -> String {
    let lines: Vec<&str> = log
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .collect();
    let panicked = lines.iter().rposition(|line| line.contains("panicked at"));
    let said = panicked.and_then(|line| lines.get(line + 1));
    let failed = |line: &&&str| line.to_lowercase().contains("error");
    let failed = || lines.iter().rev().find(failed);
    let words = said.or_else(failed).or(lines.last());
    words.map_or_else(|| "it said nothing".to_owned(), ToString::to_string)
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
        };
        let desk = Desk::new(dir.path(), "ns", &program, "127.0.0.1:1").unwrap();
        drop(desk.start(&program, "ns").unwrap());
        for file in [&desk.kubeconfig, &desk.log] {
            let mode = file.metadata().unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600, "{}", file.display());
        }
    }

    #[test]
    fn a_log_is_told_in_the_line_that_matters() {
        let panic = "starts\nthread 'main' (7) panicked at src/main.rs:1:1:\nno bug is called x\nstack backtrace:\n 0: x";
        assert_eq!(last_words(panic), "no bug is called x");
        assert_eq!(
            last_words("a\nError: no KUBECONFIG\nexit\n"),
            "Error: no KUBECONFIG"
        );
        assert_eq!(last_words("a\nb\n"), "b");
        assert_eq!(last_words(""), "it said nothing");
    }
}
