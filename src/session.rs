//! The context of an operation: its directory, its output, and its interruption.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::interrupt::Interrupt;
use crate::project;
use crate::terminal::Terminal;

/// One invocation of rustop.
#[derive(Debug)]
pub struct Session {
    /// The project's directory: [`Self::here`], or the nearest directory above it that contains a project.
    pub dir: PathBuf,
    /// The directory given by the user, or the current one.
    pub here: PathBuf,
    /// The output to stdout and stderr.
    pub terminal: Terminal,
    interrupt: OnceLock<Interrupt>,
}

impl Session {
    /// Creates a session in the directory `here`.
    pub fn new(here: &Path, terminal: Terminal) -> Self {
        Self {
            dir: project::root(here),
            here: here.to_owned(),
            terminal,
            interrupt: OnceLock::new(),
        }
    }

    /// Returns the interrupt state. The first call installs signal handlers: from then on, Ctrl-C and similar signals
    /// no longer end the process.
    pub fn interrupt(&self) -> &Interrupt {
        self.interrupt.get_or_init(Interrupt::install)
    }
}
