//! What cargo is asked for: to build a program of the project, and what its workspace is made of.

use std::ffi::OsString;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde::Deserialize;

use crate::error::{Error, Result};

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
pub fn build(root: &Path, binary: &str) -> Result<PathBuf> {
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
        _ => Error::io("run", "cargo")(error),
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
