//! The last lines and the exit code of `rustop torture` and `rustop simulate`.

use std::fmt::Display;
use std::process::ExitCode;

use crate::terminal::Terminal;

/// The verdict of a search for bugs of the operator.
#[derive(Clone, Copy, Debug)]
pub struct Verdict {
    /// The first word of the last line if the search is conclusive, such as `Finished`.
    pub finished: &'static str,
    /// The number of bugs that were found.
    pub failures: usize,
    /// True if nothing was found, but too little was tried for a verdict.
    pub is_inconclusive: bool,
    /// True if a signal ended the search.
    pub is_interrupted: bool,
}

impl Verdict {
    /// Prints the verdict with the numbers of the search. If it is inconclusive and was not
    /// interrupted, also prints `help`, the command with which a search is long enough.
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

    /// Returns 2 if the search is inconclusive, 1 if it found bugs, and 0 if it found none.
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
