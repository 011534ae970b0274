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
    let mut place = root.to_owned();
    // Nothing can be below what does not exist, so the rest of such a path needs no look at the
    // disk.
    let mut exists = true;
    for component in Path::new(path).components() {
        match component {
            Component::Normal(name) if name != ".git" => place.push(name),
            _ => {
                return Err(Error::Outside {
                    path: path.to_owned(),
                });
            }
        }
        if !exists {
            continue;
        }
        match place.symlink_metadata() {
            Ok(found) if found.is_symlink() => {
                return Err(Error::Symlink {
                    path: root.join(path),
                    link: place,
                });
            }
            Err(error) if error.kind() == ErrorKind::NotFound => exists = false,
            _ => {}
        }
    }
    if place == root {
        return Err(Error::Outside {
            path: path.to_owned(),
        });
    }
    Ok(place)
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
