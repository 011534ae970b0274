//! A child process that cleans up if this process is killed, even by SIGKILL. It waits for the lock
//! of a file that this process holds (`cluster_lock.rs`, `exec.rs`), and runs in its own session,
//! so that Ctrl-C does not end it.

use std::ffi::OsStr;
use std::process::{Child, Command, Stdio};

use super::error::{Error, Result};
use super::process::this_program;

/// A running `rustop cluster janitor`. It continues to run if this value is dropped.
#[derive(Debug)]
pub struct CleanupProcess(Child);

impl CleanupProcess {
    /// Starts the janitor. `arguments` are the directory of a cluster of `exec`, which it removes,
    /// or the name of a project's cluster and the ID of this process, which has the
    /// [`Hold`](super::Hold) of it. For the latter, the janitor ends the operator, and stops the
    /// cluster only if [`Hold::ends_cluster`](super::Hold::ends_cluster) was called.
    pub fn start<S: AsRef<OsStr>>(arguments: &[S]) -> Result<Self> {
        let program = this_program();
        Command::new(&program)
            .args(["cluster", "janitor"])
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .map(Self)
            .map_err(|source| Error::Spawn { program, source })
    }

    /// Kills the janitor. Call this only after everything has been cleaned up.
    pub fn kill(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
