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

/// Removes the file of `cluster`. Returns an error if a rustop process uses the cluster, with its
/// process ID if the file names it.
pub fn forget(dirs: &Dirs, cluster: &str) -> Result<()> {
    let path = holders_dir(dirs).join(cluster);
    let Ok(file) = File::options().append(true).open(&path) else {
        return Ok(());
    };
    if !lock::take(&file, &path)? {
        // A process that has just started has not written the file yet, and the janitor of one that
        // has ended holds the lock while it cleans up.
        let holder = Holder::read(&path).filter(|holder| holder.process.is_alive());
        let pid = holder.map(|holder| holder.process.pid);
        return Err(Error::Held { pid });
    }
    fs::remove_file(&path).map_err(Error::io("remove", path))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Failure as _;

    #[test]
    fn a_lock_without_a_living_holder_names_no_process() {
        let place = tempfile::tempdir().unwrap();
        let dirs = Dirs {
            cache: place.path().join("cache"),
            state: place.path().join("state"),
        };
        let path = holders_dir(&dirs).join("cow");
        fs::create_dir_all(holders_dir(&dirs)).unwrap();
        let locked = File::create(&path).unwrap();
        locked.lock().unwrap();
        let ended = Holder {
            process: Process::ended(7),
            ends_cluster: false,
        };
        for text in [String::new(), serde_json::to_string(&ended).unwrap()] {
            fs::write(&path, text).unwrap();
            let error = forget(&dirs, "cow").unwrap_err();
            assert!(!error.to_string().contains("the process"), "{error}");
            assert!(
                !error.help().unwrap().contains("kill"),
                "{:?}",
                error.help()
            );
        }
        drop(locked);
        forget(&dirs, "cow").unwrap();
        assert!(!path.exists());
    }
}
