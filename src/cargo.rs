//! What cargo is asked for: to build a program of the project, and what its workspace is made of.

use std::ffi::OsString;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde::Deserialize;

use crate::error::{Failure, Io};

/// An error of cargo, or of what it was to build.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The project does not build; cargo has said why.
    #[error("the project's `{binary}` does not build")]
    Build {
        /// The binary that was wanted.
        binary: String,
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
        "json-render-diagnostics",
    ]);
    command
        .current_dir(root)
        .stdin(Stdio::null())
        .stderr(Stdio::inherit());
    let Output { status, stdout, .. } = command.output().map_err(|error| match error.kind() {
        ErrorKind::NotFound => Error::NoCargo,
        _ => Io::on("run", "cargo")(error).into(),
    })?;
    let built = text(&stdout).lines().rev().find_map(|line| {
        let message: Message = serde_json::from_str(line).ok()?;
        message
            .executable
            .filter(|_| message.target.is_some_and(|target| target.name == binary))
    });
    match built {
        Some(path) if status.success() => Ok(path),
        _ => Err(Error::Build {
            binary: binary.to_owned(),
        }),
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
