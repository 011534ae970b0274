//! The end of a search for faults: its last lines and its exit code.

use std::fmt::Display;
use std::process::ExitCode;

use crate::terminal::Terminal;

/// The verdict of a search.
#[derive(Clone, Copy, Debug)]
pub struct Verdict {
    /// The verb of a search that is complete.
    pub finished: &'static str,
    /// The number of faults that were found.
    pub failures: usize,
    /// True if too little was tried, and nothing was found.
    pub is_inconclusive: bool,
    /// True if a signal ended the search.
    pub is_interrupted: bool,
}

impl Verdict {
    /// Prints the verdict with the numbers of the search. `help` is the command for a search that is not inconclusive.
    pub fn show(&self, terminal: Terminal, help: impl Display, summary: impl Display) {
        if self.is_inconclusive && !self.is_interrupted {
            terminal.note(format_args!("help: {help}"));
        }
        let verdict = if self.is_interrupted {
            "Interrupted"
        } else if self.is_inconclusive {
            "Inconclusive"
        } else {
            self.finished
        };
        terminal.status(verdict, summary);
    }

    /// Returns 2 if the search is inconclusive, 1 if it has found faults, and otherwise 0.
    pub fn exit_code(&self) -> ExitCode {
        if self.is_inconclusive {
            ExitCode::from(2)
        } else if self.failures == 0 {
            ExitCode::SUCCESS
        } else {
            ExitCode::FAILURE
        }
    }
}
