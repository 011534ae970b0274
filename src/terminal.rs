//! The only file that prints. Status goes to stderr, with a green verb in a column of twelve as in
//! cargo; data goes to stdout, so that it can be piped. What is printed is escaped here, and only here.

mod escape;

use std::fmt::Display;
use std::io::{self, Write as _};

use anstream::ColorChoice;
use anstyle::{AnsiColor, Style};

use crate::error::{Failure, causes};
pub use escape::{colored, escaped};

const GOOD: Style = AnsiColor::Green.on_default().bold();
const WARN: Style = AnsiColor::Yellow.on_default().bold();
const BAD: Style = AnsiColor::Red.on_default().bold();
const HINT: Style = AnsiColor::Cyan.on_default().bold();

/// Data could not be written to stdout.
#[derive(Debug, thiserror::Error)]
#[error("cannot write to stdout")]
pub struct Error(#[source] io::Error);

impl Failure for Error {}

/// How much a command says, and where it says it.
#[derive(Clone, Copy, Debug)]
pub struct Terminal {
    verbosity: i8,
}

impl Terminal {
    /// `verbosity` is the number of `-v` minus the number of `-q`; `color` holds for the process.
    pub fn new(verbosity: i8, color: ColorChoice) -> Self {
        color.write_global();
        Self { verbosity }
    }

    /// A step that is done or under way: `verb` in green, then what it was done to.
    pub fn status(self, verb: &str, message: impl Display) {
        if self.verbosity >= 0 {
            let message = escaped(&message.to_string());
            Self::line(&format!("{GOOD}{verb:>12}{GOOD:#} {message}"));
        }
    }

    /// A detail that only `-v` shows.
    pub fn detail(self, message: impl Display) {
        if self.verbosity > 0 {
            for line in escaped(&message.to_string()).lines() {
                Self::line(&format!("{:>12} {line}", ""));
            }
        }
    }

    /// What to do next: plain text on stderr, quiet with `-q`.
    pub fn note(self, message: impl Display) {
        if self.verbosity >= 0 {
            Self::line(&escaped(&message.to_string()));
        }
    }

    /// A note with a line for each of several things; nothing where there are none.
    pub fn list(self, what: &str, items: &[&str]) {
        if !items.is_empty() {
            self.note(format_args!("{what}:\n  {}", items.join("\n  ")));
        }
    }

    /// Something that went on but should be looked at; shown even with `-q`.
    pub fn warning(self, message: impl Display) {
        let _ = self;
        let message = escaped(&message.to_string());
        Self::line(&format!("{WARN}warning:{WARN:#} {message}"));
    }

    /// A warning about a place in the sources; shown even with `-q`.
    pub fn diagnostic(self, diagnostic: &impl Display) {
        let _ = self;
        let text = escaped(&diagnostic.to_string());
        let (head, rest) = text.split_once(':').unwrap_or((&text, ""));
        Self::line(&format!("{WARN}{head}:{WARN:#}{rest}\n"));
    }

    /// The error that ended the command, its causes and what mends it.
    pub fn error(self, error: &dyn Failure) {
        let _ = self;
        let message = escaped(&error.to_string());
        let mut lines = vec![format!("{BAD}error:{BAD:#} {message}")];
        let causes = causes(error).into_iter();
        lines.extend(causes.map(|cause| format!("  caused by: {}", escaped(&cause))));
        let help = error.help().map(|help| escaped(&help));
        lines.extend(help.map(|help| format!("{HINT}help:{HINT:#} {help}")));
        Self::line(&lines.join("\n"));
    }

    /// Data on stdout: as it is for a program, escaped for a terminal.
    ///
    /// # Errors
    /// When stdout cannot be written; a reader who went away (`| head`) is no error.
    pub fn data(self, text: &str) -> Result<(), Error> {
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

    /// A line of another program, on its way to stderr. Its colours stay.
    pub fn passed_on(self, line: &str) {
        let _ = self;
        Self::line(&colored(line));
    }

    /// Whether what goes to stderr may have colors.
    pub fn is_colored(self) -> bool {
        let _ = self;
        anstream::AutoStream::choice(&io::stderr()) != ColorChoice::Never
    }

    /// Whether a human watches stderr: progress bars and live views are for humans only.
    pub fn is_interactive(self) -> bool {
        self.verbosity >= 0 && io::IsTerminal::is_terminal(&io::stderr())
    }

    fn line(text: &str) {
        // Nobody is left to tell when stderr itself is gone.
        let _ = writeln!(anstream::stderr(), "{text}");
    }
}
