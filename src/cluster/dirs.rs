//! The directories of the installed programs and of the clusters.

use std::fs;
use std::path::{Path, PathBuf};

use super::error::{Error, Result};
pub use crate::dirs::variable;
use crate::dirs::{self, Location};

/// rustop's directories outside of any project.
#[derive(Clone, Debug)]
pub struct Dirs {
    /// Data that rustop can restore: `RUSTOP_CACHE`, or `rustop` in the user's cache directory.
    pub cache: PathBuf,
    /// Clusters: `RUSTOP_STATE`, or `rustop` in the user's state directory.
    pub state: PathBuf,
}

impl Dirs {
    /// Reads the directories from the environment.
    pub fn from_env() -> Result<Self> {
        Ok(Self {
            cache: path("the cache", &dirs::CACHE)?,
            state: path("the state", &dirs::STATE)?,
        })
    }
}

fn path(what: &'static str, location: &Location) -> Result<PathBuf> {
    location
        .path()
        .map_err(Error::io("use", location.variable))?
        .ok_or(Error::NoHome {
            what,
            variable: location.variable,
        })
}

/// Removes `dir` and its contents, if it exists.
pub fn remove(dir: &Path) -> Result<()> {
    match fs::remove_dir_all(dir) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(Error::io("remove", dir)(error))
        }
        _ => Ok(()),
    }
}
