//! Calls of Cargo: building a binary of the project, and reading the structure of its workspace.

pub mod stamp;

use std::ffi::OsString;
use std::io::{BufRead as _, BufReader, ErrorKind, IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde::Deserialize;

use crate::error::{Failure, Io};
use crate::terminal;

/// An error of Cargo or of a build.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The project does not compile; the compiler's messages have been printed.
    #[error("the project's `{binary}` does not build")]
    Build {
        /// The binary that was to be built.
        binary: String,
        /// The compiler's errors as plain text. They have also been printed.
        says: String,
    },
    /// Cargo cannot be run.
    #[error(transparent)]
    Io(#[from] Io),
    /// `cargo metadata` failed, for example because a manifest is invalid.
    #[error("`cargo metadata` failed:\n{output}")]
    Metadata {
        /// The error output of Cargo.
        output: String,
    },
    /// Cargo is not installed.
    #[error("cannot find `cargo`, which builds the project's types")]
    NoCargo,
}

impl Error {
    /// Returns the compiler's errors, or `None` if the build did not fail because of them.
    pub fn compiler(&self) -> Option<&str> {
        match self {
            Self::Build { says, .. } => Some(says),
            _ => None,
        }
    }
}

impl Failure for Error {
    fn help(&self) -> Option<String> {
        match self {
            Self::Build { .. } => Some("cargo build --workspace says more".into()),
            Self::NoCargo => Some("install Rust: https://rustup.rs".into()),
            Self::Io(_) | Self::Metadata { .. } => None,
        }
    }
}

/// A line of Cargo's `--message-format=json` output, with the fields that are needed.
#[derive(Deserialize)]
struct Message {
    target: Option<Target>,
    executable: Option<PathBuf>,
    message: Option<Diagnostic>,
}

#[derive(Deserialize)]
struct Diagnostic {
    level: String,
    /// The text with colors, as the compiler prints it.
    rendered: Option<String>,
}

#[derive(Deserialize)]
struct Target {
    name: String,
}

/// Builds one binary of the project's workspace, and returns its path. The command names the whole workspace, so that
/// Cargo resolves features only once and a later build of the operator reuses the dependencies. It also names the examples,
/// which makes Cargo unify the features of dev-dependencies, so that `cargo test` reuses them, too. (A release build enables
/// none of these.)
///
/// # Errors
/// Returns an error if Cargo is not installed, or if the project does not compile.
pub fn build(root: &Path, binary: &str) -> Result<PathBuf, Error> {
    let mut command = Command::new(cargo());
    command.args([
        "build",
        "--workspace",
        "--bin",
        binary,
        "--examples",
        "--message-format",
        "json-diagnostic-rendered-ansi",
    ]);
    command
        .current_dir(root)
        .stdin(Stdio::null())
        .stdout(Stdio::piped());
    let mut child = command.spawn().map_err(|error| match error.kind() {
        ErrorKind::NotFound => Error::NoCargo,
        _ => Io::on("run", "cargo")(error).into(),
    })?;
    let (mut built, mut says) = (None, String::new());
    let stdout = child.stdout.take().into_iter();
    for line in stdout
        .flat_map(|it| BufReader::new(it).lines())
        .map_while(Result::ok)
    {
        let Ok(message) = serde_json::from_str::<Message>(&line) else {
            continue;
        };
        if let Some(diagnostic) = message.message {
            diagnostic.show(&mut says);
        }
        if message.target.is_some_and(|target| target.name == binary) {
            built = message.executable.or(built);
        }
    }
    let status = child.wait().map_err(Io::on("run", "cargo"))?;
    match built {
        Some(path) if status.success() => Ok(path),
        _ => Err(Error::Build {
            binary: binary.to_owned(),
            says,
        }),
    }
}

impl Diagnostic {
    /// Prints the message like Cargo, overwriting the progress bar, and appends the text of an error to `says`.
    fn show(&self, says: &mut String) {
        let Some(rendered) = &self.rendered else {
            return;
        };
        let is_terminal = std::io::stderr().is_terminal();
        let over = if is_terminal { "\r\x1b[K" } else { "" };
        // A closed terminal must not abort the build.
        let _ = writeln!(
            anstream::stderr(),
            "{over}{}",
            terminal::colored(rendered.trim_end_matches('\n'))
        );
        if self.level.starts_with("error") {
            *says += &anstream::adapter::strip_str(rendered).to_string();
        }
    }
}

/// Returns the `cargo` to call: the one that started rustop, or else the one in `PATH`.
pub fn cargo() -> OsString {
    std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into())
}

/// Returns the output of a program as text.
pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
