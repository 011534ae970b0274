//! What every operation is given: where it works, how it speaks, and whether it is to stop.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::interrupt::Interrupt;
use crate::project;
use crate::terminal::Terminal;

/// One run of rustop.
#[derive(Debug)]
pub struct Session {
    /// The project's directory: [`Self::here`], or the nearest above it that holds a project.
    pub dir: PathBuf,
    /// The directory that was named, or the current one.
    pub here: PathBuf,
    /// The way to stdout and stderr.
    pub terminal: Terminal,
    interrupt: OnceLock<Interrupt>,
}

impl Session {
    /// A run in the directory `here`.
    pub fn new(here: &Path, terminal: Terminal) -> Self {
        Self {
            dir: project::root(here),
            here: here.to_owned(),
            terminal,
            interrupt: OnceLock::new(),
        }
    }

    /// Ctrl-C and its kin: from the first call on they are noticed here instead of ending the process.
    pub fn interrupt(&self) -> &Interrupt {
        self.interrupt.get_or_init(Interrupt::install)
    }
}
