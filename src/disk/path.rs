//! Checks of paths: rustop writes only below the project, and not through a symbolic link.

use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};

use super::error::{Error, Result};

/// Returns the full path of `path` below `root`.
///
/// # Errors
/// Returns an error if `path` is absolute, has a component other than a name (`..`), enters `.git`,
/// or if the file or a directory between it and `root` is a symbolic link.
pub fn below(root: &Path, path: &str) -> Result<PathBuf> {
    let full = inside(root, path)?;
    let mut place = root.to_owned();
    for name in Path::new(path) {
        place.push(name);
        match place.symlink_metadata() {
            Ok(found) if found.is_symlink() => {
                return Err(Error::Symlink {
                    path: full,
                    link: place,
                });
            }
            // Nothing can be below what does not exist.
            Err(error) if error.kind() == ErrorKind::NotFound => break,
            _ => {}
        }
    }
    Ok(full)
}

/// Returns the full path of `path` below `root` like [`below`], but does not look for links on the
/// disk: for a directory in which only this process writes.
///
/// # Errors
/// Returns an error if `path` is absolute, has a component other than a name (`..`), or enters
/// `.git`.
pub fn inside(root: &Path, path: &str) -> Result<PathBuf> {
    let is_name = |part: Component| matches!(part, Component::Normal(name) if name != ".git");
    if path.is_empty() || !Path::new(path).components().all(is_name) {
        return Err(Error::Outside {
            path: path.to_owned(),
        });
    }
    Ok(root.join(path))
}

/// Removes `.` and `..` from a path without looking at the disk.
pub fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                normal.pop();
            }
            part => normal.push(part),
        }
    }
    normal
}
