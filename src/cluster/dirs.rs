//! Where things live: the cache of programs and the state of clusters.

use std::fs;
use std::path::{Path, PathBuf};

use super::error::{Error, Result};
pub use crate::dirs::variable;
use crate::dirs::{self, Location};

/// rustop's directories outside of any project.
#[derive(Clone, Debug)]
pub struct Dirs {
    /// What can be made again: `RUSTOP_CACHE`, else `rustop` in the user's cache.
    pub cache: PathBuf,
    /// Clusters: `RUSTOP_STATE`, else `rustop` in the user's state.
    pub state: PathBuf,
}

impl Dirs {
    /// From the environment.
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
        .map_err(Error::io("find", location.variable))?
        .ok_or(Error::NoHome {
            what,
            variable: location.variable,
        })
}

/// Removes `dir` and all that is in it; one that is not there is fine.
pub fn remove(dir: &Path) -> Result<()> {
    match fs::remove_dir_all(dir) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(Error::io("remove", dir)(error))
        }
        _ => Ok(()),
    }
}
