//! The file that identifies the rustop process that uses a project's cluster.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::dirs::Dirs;
use super::error::{Error, Result};
use super::lock;
use super::process::Process;

/// The content of the file.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Holder {
    /// The process that uses the cluster.
    pub process: Process,
    /// True if the cluster ends with the process.
    pub ends_cluster: bool,
}

impl Holder {
    /// Reads the file at `path`. Returns `None` if it is missing, empty or invalid.
    pub fn read(path: &Path) -> Option<Self> {
        serde_json::from_slice(&fs::read(path).ok()?).ok()
    }
}

/// Returns the directory of the files. Each is named after its cluster.
pub fn holders_dir(dirs: &Dirs) -> PathBuf {
    dirs.state.join("dev")
}

/// Removes the file of `cluster`. Returns an error with the process ID if a rustop process uses the
/// cluster.
pub fn forget(dirs: &Dirs, cluster: &str) -> Result<()> {
    let path = holders_dir(dirs).join(cluster);
    let Ok(file) = File::options().append(true).open(&path) else {
        return Ok(());
    };
    if !lock::take(&file, &path)? {
        let pid = Holder::read(&path).map_or(0, |holder| holder.process.pid);
        return Err(Error::Held { pid });
    }
    fs::remove_file(&path).map_err(Error::io("remove", path))
}
