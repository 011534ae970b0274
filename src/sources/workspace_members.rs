//! Locates the sources of the operator: those of the workspace members from which cargo builds it,
//! without tests, examples and benches. Other code in the project's directory, such as an `xtask`
//! or a vendored crate, needs no permissions in the cluster.

mod metadata;

use std::collections::BTreeSet;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::SystemTime;

use crate::cargo;
use crate::cargo::stamp::{Stamp, is_older};
use crate::error::Io;

use metadata::Metadata;

/// Source directories and files of the members that rustop generates; used if cargo is not
/// installed.
const USUAL: [&str; 3] = ["api/src", "build.rs", "src"];

/// Returns directories with the sources of the operator `binary`, and single files, relative to the
/// project. Without cargo, returns those that rustop generates.
///
/// # Errors
/// Returns an error if cargo cannot read the project's manifests.
pub fn places(root: &Path, binary: &str) -> Result<BTreeSet<PathBuf>, cargo::Error> {
    let canonical = root.canonicalize().map_err(Io::on("find", root))?;
    let stamp = Stamp::of(&canonical, "members");
    if let Some(known) = stamp
        .read()
        .and_then(|(kept, _)| Metadata::from_cached_text(&kept))
    {
        return Ok(known.source_paths(&canonical, binary));
    }
    let requested = SystemTime::now();
    let Some(said) = metadata(root)? else {
        // Generating the roles must not require a toolchain.
        let usual = USUAL.iter().map(PathBuf::from);
        return Ok(usual.filter(|place| root.join(place).exists()).collect());
    };
    let unusable = |error: serde_json::Error| cargo::Error::Metadata {
        output: error.to_string(),
    };
    let metadata: Metadata = serde_json::from_str(&said).map_err(unusable)?;
    // Do not cache the result if a manifest was edited in the meantime: cargo may or may not have
    // seen the edit.
    if metadata.manifests().all(|file| is_older(&file, requested)) {
        stamp.write(metadata.to_cached_text(&said).as_bytes(), requested);
    }
    Ok(metadata.source_paths(&canonical, binary))
}

/// Returns the output of `cargo metadata`; `None` if cargo is not installed.
fn metadata(root: &Path) -> Result<Option<String>, cargo::Error> {
    let mut command = Command::new(cargo::cargo());
    command.args([
        "metadata",
        "--no-deps",
        "--offline",
        "--format-version",
        "1",
    ]);
    command.current_dir(root).stdin(Stdio::null());
    let output = match command.output() {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        output => output.map_err(Io::on("run", "cargo"))?,
    };
    if !output.status.success() {
        let output = cargo::text(&output.stderr).trim().to_owned();
        return Err(cargo::Error::Metadata { output });
    }
    Ok(Some(cargo::text(&output.stdout)))
}
