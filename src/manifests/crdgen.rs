//! Builds the project's `crdgen` and runs it: what it prints is what the Rust types say.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::SystemTime;

use serde::Deserialize;

use super::freshness::Freshness;
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

/// The JSON array of CRDs that the project's `crdgen` prints. cargo speaks to the user by itself.
///
/// # Errors
/// When there is no cargo, or the project does not build, or `crdgen` fails.
pub fn run(root: &Path) -> Result<String> {
    let freshness = Freshness::of(root);
    let fresh = freshness.as_ref().and_then(Freshness::fresh);
    let crdgen = if let Some(crdgen) = fresh {
        crdgen
    } else {
        let start = SystemTime::now();
        let crdgen = build(root, "crdgen")?;
        freshness.inspect(|freshness| freshness.stamp(&crdgen, start));
        crdgen
    };
    let mut command = Command::new(&crdgen);
    command.current_dir(root).stdin(Stdio::null());
    let output = command.output().map_err(Error::io("run", &crdgen))?;
    if !output.status.success() {
        return Err(Error::Crdgen {
            output: text(&output.stderr),
        });
    }
    Ok(text(&output.stdout))
}

/// Builds one binary of the project's workspace and says where it is. The whole workspace is named, so
/// that cargo settles features once and the operator finds its dependencies built.
///
/// # Errors
/// When there is no cargo, or the project does not build.
pub fn build(root: &Path, binary: &str) -> Result<PathBuf> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
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

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
