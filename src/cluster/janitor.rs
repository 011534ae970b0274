//! A process that cleans up after this one, should it be killed.

use std::ffi::OsStr;
use std::process::{Child, Command, Stdio};

use super::error::{Error, Result};
use super::process::this_program;

/// The process.
#[derive(Debug)]
pub struct Janitor(Child);

impl Janitor {
    /// Starts `rustop cluster janitor` with these arguments.
    pub fn hire<S: AsRef<OsStr>>(arguments: &[S]) -> Result<Self> {
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

    /// Ends it: it has nothing left to do.
    pub fn dismiss(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
