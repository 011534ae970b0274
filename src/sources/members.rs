//! Where the sources of the operator are: those of the workspace's members that it is built from, as cargo has
//! them, without their tests, examples and benches. An `xtask` beside it, a vendored crate and whatever else lies
//! in the project's directory needs no permissions in the cluster.

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

/// The directories of the members that rustop writes, for a machine without cargo.
const USUAL: [&str; 3] = ["api/src", "build.rs", "src"];

/// Directories with the sources of the operator `binary`, and single files, relative to the project.
///
/// # Errors
/// When cargo cannot read the project's manifests.
pub fn places(root: &Path, binary: &str) -> Result<BTreeSet<PathBuf>, cargo::Error> {
    let canonical = root.canonicalize().map_err(Io::on("find", root))?;
    let stamp = Stamp::of(&canonical, "members");
    if let Some(known) = stamp.read().and_then(|(kept, _)| Metadata::kept(&kept)) {
        return Ok(known.places(&canonical, binary));
    }
    let asked = SystemTime::now();
    let Some(said) = metadata(root)? else {
        // The roles alone need no toolchain.
        let usual = USUAL.iter().map(PathBuf::from);
        return Ok(usual.filter(|place| root.join(place).exists()).collect());
    };
    let unusable = |error: serde_json::Error| cargo::Error::Metadata {
        output: error.to_string(),
    };
    let metadata: Metadata = serde_json::from_str(&said).map_err(unusable)?;
    // What is edited while cargo is asked, it may have seen or not.
    if metadata.manifests().all(|file| is_older(&file, asked)) {
        stamp.write(metadata.to_keep(&said).as_bytes(), asked);
    }
    Ok(metadata.places(&canonical, binary))
}

/// What `cargo metadata` prints; none without cargo.
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
