//! The file that says who runs `rustop dev` on the project of a cluster.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::dirs::Dirs;
use super::error::{Error, Result};
use super::lock;
use super::process::Process;

/// What the file says.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Holder {
    /// The `rustop dev`.
    pub process: Process,
    /// Whether the cluster ends with it.
    pub ends_cluster: bool,
}

impl Holder {
    /// Whoever the file at `path` names, if anybody.
    pub fn read(path: &Path) -> Option<Self> {
        serde_json::from_slice(&fs::read(path).ok()?).ok()
    }
}

/// Where the files are, each called as its cluster.
pub fn place(dirs: &Dirs) -> PathBuf {
    dirs.state.join("dev")
}

/// Forgets the project of `cluster`, unless somebody works on it; then says who.
pub fn forget(dirs: &Dirs, cluster: &str) -> Result<()> {
    let path = place(dirs).join(cluster);
    let Ok(file) = File::options().append(true).open(&path) else {
        return Ok(());
    };
    if !lock::take(&file, &path)? {
        let pid = Holder::read(&path).map_or(0, |holder| holder.process.pid);
        return Err(Error::Held { pid });
    }
    fs::remove_file(&path).map_err(Error::io("remove", path))
}
