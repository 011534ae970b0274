//! Where things live: the cache of programs and the state of clusters.

use std::env;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use super::error::{Error, Result};

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
            cache: place("the cache", "RUSTOP_CACHE", "XDG_CACHE_HOME", ".cache")?,
            state: place(
                "the state",
                "RUSTOP_STATE",
                "XDG_STATE_HOME",
                ".local/state",
            )?,
        })
    }
}

fn place(what: &'static str, own: &'static str, xdg: &str, home: &str) -> Result<PathBuf> {
    if let Some(dir) = variable(own) {
        return std::path::absolute(&dir).map_err(Error::io("find", dir));
    }
    variable(xdg)
        .filter(|dir| dir.is_absolute())
        .or_else(|| Some(variable("HOME")?.join(home)))
        .map(|dir| dir.join("rustop"))
        .ok_or(Error::NoHome {
            what,
            variable: own,
        })
}

/// A variable that is set and not empty, as a path.
pub fn variable(name: &str) -> Option<PathBuf> {
    env::var_os(name)
        .filter(|value| !value.is_empty())
        .map(PathBuf::from)
}

/// Makes `dir` and its parents; only the owner may look into `dir`.
pub fn create_private(dir: &Path) -> Result<()> {
    use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _};
    fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(dir)
        .map_err(Error::io("create", dir))?;
    fs::set_permissions(dir, fs::Permissions::from_mode(0o700)).map_err(Error::io("protect", dir))
}

/// Replaces `path` whole, so that no reader ever sees half of it; only the owner may read it.
pub fn write_private(path: &Path, text: &str) -> Result<()> {
    let dir = path.parent().unwrap_or(Path::new("."));
    // Temporary files are made with mode 0600.
    let mut file = tempfile::NamedTempFile::new_in(dir).map_err(Error::io("write", path))?;
    file.write_all(text.as_bytes())
        .map_err(Error::io("write", path))?;
    file.persist(path)
        .map_err(|error| Error::io("write", path)(error.error))?;
    Ok(())
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
