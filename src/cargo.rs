//! What cargo is asked for: to build a program of the project, and what its workspace is made of.

pub mod stamp;

use std::ffi::OsString;
use std::io::{BufRead as _, BufReader, ErrorKind, IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde::Deserialize;

use crate::error::{Failure, Io};
use crate::terminal;

/// An error of cargo, or of what it was to build.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The project does not build; cargo has said why.
    #[error("the project's `{binary}` does not build")]
    Build {
        /// The binary that was wanted.
        binary: String,
        /// The compiler's errors, which the terminal has had already.
        says: String,
    },
    /// cargo cannot be run.
    #[error(transparent)]
    Io(#[from] Io),
    /// cargo cannot read the project's manifests.
    #[error("`cargo metadata` failed:\n{output}")]
    Metadata {
        /// What it said.
        output: String,
    },
    /// No cargo on the machine.
    #[error("cannot find `cargo`, which builds the project's types")]
    NoCargo,
}

impl Error {
    /// What the compiler says, where that is why.
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

/// A line of cargo's `--message-format=json`, as much of it as is of interest.
#[derive(Deserialize)]
struct Message {
    target: Option<Target>,
    executable: Option<PathBuf>,
    message: Option<Diagnostic>,
}

#[derive(Deserialize)]
struct Diagnostic {
    level: String,
    /// As the compiler prints it, with colors.
    rendered: Option<String>,
}

#[derive(Deserialize)]
struct Target {
    name: String,
}

/// Builds one binary of the project's workspace and says where it is. The whole workspace is named, so
/// that cargo settles features once and the operator finds its dependencies built.
///
/// # Errors
/// When there is no cargo, or the project does not build.
pub fn build(root: &Path, binary: &str) -> Result<PathBuf, Error> {
    let mut command = Command::new(cargo());
    command.args([
        "build",
        "--workspace",
        "--bin",
        binary,
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
    /// Prints it as cargo does, over cargo's progress, and keeps the text of an error.
    fn show(&self, says: &mut String) {
        let Some(rendered) = &self.rendered else {
            return;
        };
        let is_terminal = std::io::stderr().is_terminal();
        let over = if is_terminal { "\r\x1b[K" } else { "" };
        // A terminal that is gone is no reason to end a build.
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

/// The cargo to call: the one that called rustop, if that is how it came to be.
pub fn cargo() -> OsString {
    std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into())
}

/// What a program printed.
pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
