//! rustop's directories outside of projects, and the environment variables that set them.

use std::env;
use std::io;
use std::path::PathBuf;

/// A directory of rustop outside of projects, below the user's home unless a variable sets it.
#[derive(Debug)]
pub struct Location {
    /// rustop's own environment variable, which sets the directory itself.
    pub variable: &'static str,
    /// The XDG variable, which sets the parent directory of `rustop`.
    xdg: &'static str,
    /// The default of the parent directory, relative to the home directory.
    home: &'static str,
}

/// Data that rustop can restore: programs, modules, downloads.
pub const CACHE: Location = Location {
    variable: "RUSTOP_CACHE",
    xdg: "XDG_CACHE_HOME",
    home: ".cache",
};

/// Data that outlives a run: clusters, and the records with which journals of interrupted runs are
/// verified.
pub const STATE: Location = Location {
    variable: "RUSTOP_STATE",
    xdg: "XDG_STATE_HOME",
    home: ".local/state",
};

impl Location {
    /// Returns the absolute path of the directory, which need not exist, or `None` if none of the
    /// variables and `HOME` is set.
    ///
    /// # Errors
    /// Returns an error if rustop's own variable has a relative path: it would name another
    /// directory in each project.
    pub fn path(&self) -> io::Result<Option<PathBuf>> {
        if let Some(dir) = variable(self.variable) {
            if dir.is_relative() {
                return Err(io::Error::other(format!(
                    "`{}` is a relative path, and only an absolute one names the same directory everywhere",
                    dir.display()
                )));
            }
            return Ok(Some(dir));
        }
        let parent = variable(self.xdg)
            // The XDG specification ignores relative paths.
            .filter(|dir| dir.is_absolute())
            .or_else(|| Some(variable("HOME")?.join(self.home)));
        Ok(parent.map(|dir| dir.join("rustop")))
    }
}

/// Returns an environment variable as a path, or `None` if it is unset or empty.
pub fn variable(name: &str) -> Option<PathBuf> {
    env::var_os(name)
        .filter(|value| !value.is_empty())
        .map(PathBuf::from)
}
