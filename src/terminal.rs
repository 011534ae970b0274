//! Terminal output. No other module prints. Status messages go to stderr, with a green verb in a
//! column of twelve characters as in Cargo. Data goes to stdout, so that it can be piped. Output is
//! escaped only in this module.

mod escape;
mod live;

use std::fmt::Display;
use std::io::{self, Write as _};

use anstream::ColorChoice;
use anstyle::{AnsiColor, Style};

use crate::error::{Failure, causes, help};
use crate::text::indented;
pub use escape::{colored, escaped, escaped_line};
pub use live::{above_progress, hide_progress, show_progress};

const GOOD: Style = AnsiColor::Green.on_default().bold();
const WARN: Style = AnsiColor::Yellow.on_default().bold();
const BAD: Style = AnsiColor::Red.on_default().bold();
const HINT: Style = AnsiColor::Cyan.on_default().bold();

/// An error while writing data to stdout.
#[derive(Debug, thiserror::Error)]
#[error("cannot write to stdout")]
pub struct Error(#[source] io::Error);

impl Failure for Error {}

/// The output of a command, with its verbosity. A method with `let _ = self` prints whatever the
/// verbosity is; it takes `self` so that only code that was given a terminal can print.
#[derive(Clone, Copy, Debug)]
pub struct Terminal {
    verbosity: i8,
    /// True if stdout is for one JSON document only.
    is_for_program: bool,
}

impl Terminal {
    /// Creates a terminal. `verbosity` is the number of `-v` minus the number of `-q`; `color`
    /// applies to the whole process.
    pub fn new(verbosity: i8, color: ColorChoice) -> Self {
        color.write_global();
        Self {
            verbosity,
            is_for_program: false,
        }
    }

    /// Reserves stdout for the document of [`Self::document`]: [`Self::data`] prints nothing.
    #[must_use]
    pub fn for_program(self) -> Self {
        Self {
            is_for_program: true,
            ..self
        }
    }

    /// Prints a step that is done or in progress: `verb` in green, then `message`.
    pub fn status(self, verb: &str, message: impl Display) {
        if self.verbosity >= 0 {
            let message = escaped_line(&message.to_string());
            Self::line(&format!("{GOOD}{verb:>12}{GOOD:#} {message}"));
        }
    }

    /// Prints a detail, only with `-v`.
    pub fn detail(self, message: impl Display) {
        if self.verbosity > 0 {
            for line in escaped(&message.to_string()).lines() {
                Self::line(&format!("{:>12} {line}", ""));
            }
        }
    }

    /// Prints a hint about the next step as plain text to stderr, unless `-q` is given.
    pub fn note(self, message: impl Display) {
        if self.verbosity >= 0 {
            Self::line(&escaped_line(&message.to_string()));
        }
    }

    /// Prints a note with one line for each item. Prints nothing if there are no items.
    pub fn list(self, what: &str, items: &[impl AsRef<str>]) {
        if self.verbosity >= 0 && !items.is_empty() {
            let items = items.iter().map(|item| escaped_line(item.as_ref()));
            let items = indented(&items.collect::<Vec<_>>());
            Self::line(&format!("{}:\n{items}", escaped_line(what)));
        }
    }

    /// Prints a text of several lines as a note. Names in it must be escaped.
    pub fn report(self, report: impl Display) {
        if self.verbosity >= 0 {
            Self::line(&escaped(&report.to_string()));
        }
    }

    /// Prints a warning, even with `-q`.
    pub fn warning(self, message: impl Display) {
        let _ = self;
        Self::warning_line(&escaped_line(&message.to_string()));
    }

    /// Prints an error that does not end the command as a warning, with its help.
    pub fn warning_of(self, error: &dyn Failure) {
        let _ = self;
        let shown = escaping(error);
        Self::warning_line(&shown(&error.to_string()));
        if let Some(help) = help(error) {
            Self::line(&help_line(&shown(&help)));
        }
    }

    /// Prints a warning and below it a report or a unified diff, even with `-q`. Names in a report
    /// must be escaped.
    pub fn warning_with_report(self, message: impl Display, report: &impl Display) {
        self.warning(message);
        Self::line(&escaped(&report.to_string()));
    }

    fn warning_line(escaped: &str) {
        Self::line(&format!("{WARN}warning:{WARN:#} {escaped}"));
    }

    /// Prints a warning about a place in the sources, even with `-q`.
    pub fn diagnostic(self, diagnostic: &impl Display) {
        let _ = self;
        let text = escaped(&diagnostic.to_string());
        let (head, rest) = text.split_once(':').unwrap_or((&text, ""));
        Self::line(&format!("{WARN}{head}:{WARN:#}{rest}\n"));
    }

    /// Prints the error that ended the command, with its causes and its help.
    pub fn error(self, error: &dyn Failure) {
        let _ = self;
        let shown = escaping(error);
        let message = shown(&error.to_string());
        let mut lines = vec![format!("{BAD}error:{BAD:#} {message}")];
        let causes = causes(error).into_iter();
        lines.extend(causes.map(|cause| format!("  caused by: {}", escaped_line(&cause))));
        lines.extend(help(error).map(|help| help_line(&shown(&help))));
        Self::line(&lines.join("\n"));
    }

    /// Prints data to stdout. The text is escaped only if stdout is a terminal.
    ///
    /// # Errors
    /// Returns an error if writing to stdout fails. A closed pipe, as with `| head`, is not an
    /// error.
    pub fn data(self, text: &str) -> Result<(), Error> {
        if self.is_for_program {
            return Ok(());
        }
        self.document(text)
    }

    /// Prints the JSON document of a command to stdout.
    ///
    /// # Errors
    /// Returns an error if writing to stdout fails.
    pub fn document(self, text: &str) -> Result<(), Error> {
        let _ = self;
        let is_terminal = io::IsTerminal::is_terminal(&io::stdout());
        let text = if is_terminal {
            escaped(text)
        } else {
            text.to_owned()
        };
        let mut out = anstream::stdout();
        match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(Error(error)),
            _ => Ok(()),
        }
    }

    /// Forwards an output line of another program to stderr, preserving its colors.
    pub fn passed_on(self, line: &str) {
        let _ = self;
        Self::line(&colored(line));
    }

    /// Reports whether output to stderr may have colors.
    pub fn is_colored(self) -> bool {
        let _ = self;
        anstream::AutoStream::choice(&io::stderr()) != ColorChoice::Never
    }

    /// Reports whether stderr is a terminal and `-q` is not given. Progress bars and live views are
    /// only for that case.
    pub fn is_interactive(self) -> bool {
        self.verbosity >= 0 && io::IsTerminal::is_terminal(&io::stderr())
    }

    fn line(text: &str) {
        above_progress(|| {
            // A failure to write to stderr cannot be reported.
            let _ = writeln!(anstream::stderr(), "{text}");
        });
    }
}

/// Returns the function that escapes the message and the help of an error.
fn escaping(error: &dyn Failure) -> fn(&str) -> String {
    if error.is_report() {
        escaped
    } else {
        escaped_line
    }
}

fn help_line(escaped: &str) -> String {
    format!("{HINT}help:{HINT:#} {escaped}")
}
