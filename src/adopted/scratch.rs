//! A copy of the repository in which the CRD command may write files.
//!
//! The copy of a repository always has the same path, and unchanged files keep their modification
//! times, so that cargo rebuilds only what has changed.

use std::fs::{self, File, Metadata, Permissions};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io::Write as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use tempfile::TempDir;
use walkdir::WalkDir;

use super::detect::files_of;
use crate::dirs::CACHE;
use crate::disk::private;
use crate::error::Io;

/// A copy of a repository, locked while it is used.
#[derive(Debug)]
pub struct Scratch {
    path: PathBuf,
    /// Removes the copy if there is no cache directory.
    _temporary: Option<TempDir>,
    /// Held until the copy is dropped, since all processes use the same path.
    _lock: Option<File>,
}

impl Scratch {
    /// Copies the tracked and new files of a repository, without those that git ignores except for
    /// `Cargo.lock`.
    ///
    /// # Errors
    /// Returns an error if a file cannot be copied.
    pub fn of(dir: &Path) -> Result<Self, Io> {
        let whole = dir.canonicalize().map_err(Io::on("find", dir))?;
        let mut hasher = DefaultHasher::new();
        whole.hash(&mut hasher);
        let name = format!("{:016x}", hasher.finish());
        let scratch = match CACHE
            .path()
            .ok()
            .flatten()
            .map(|cache| cache.join("adopted"))
        {
            Some(base) if private::create_dir(&base).is_ok() => {
                let lock = base.join(format!("{name}.lock"));
                let lock = File::create(&lock).map_err(Io::on("create", lock))?;
                lock.lock().map_err(Io::on("lock", &base))?;
                Self {
                    path: base.join(name),
                    _temporary: None,
                    _lock: Some(lock),
                }
            }
            _ => {
                let temporary =
                    tempfile::tempdir().map_err(Io::on("create", std::env::temp_dir()))?;
                Self {
                    path: temporary.path().join("repository"),
                    _temporary: Some(temporary),
                    _lock: None,
                }
            }
        };
        scratch.update(&whole)?;
        Ok(scratch)
    }

    /// Returns the directory of the copy.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Makes files look out of date, so that a command that writes only what has changed, such as
    /// make, writes them: appends a line feed, which means nothing in YAML, JSON and Helm
    /// templates, and sets the oldest modification time. Skips entries that are not files.
    ///
    /// # Errors
    /// Returns an error if a file cannot be written.
    pub fn make_stale(&self, files: &[PathBuf]) -> Result<(), Io> {
        for file in files {
            let path = self.path.join(file);
            if !path.symlink_metadata().is_ok_and(|it| it.is_file()) {
                continue;
            }
            let file = File::options().append(true).open(&path);
            file.and_then(|mut file| {
                file.write_all(b"\n")?;
                file.set_modified(SystemTime::UNIX_EPOCH)
            })
            .map_err(Io::on("write", path))?;
        }
        Ok(())
    }

    fn update(&self, from: &Path) -> Result<(), Io> {
        fs::create_dir_all(&self.path).map_err(Io::on("create", &self.path))?;
        let mut files = files_of(from);
        let lock = PathBuf::from("Cargo.lock");
        if from.join(&lock).is_file() {
            files.insert(lock);
        }
        for entry in WalkDir::new(&self.path).into_iter().flatten() {
            let inside = entry
                .path()
                .strip_prefix(&self.path)
                .unwrap_or(entry.path());
            // The results of earlier builds make the next one faster.
            let is_build = inside.components().any(|it| it.as_os_str() == "target");
            if !entry.file_type().is_dir() && !files.contains(inside) && !is_build {
                fs::remove_file(entry.path()).map_err(Io::on("remove", entry.path()))?;
            }
        }
        for file in &files {
            copy(&from.join(file), &self.path.join(file))?;
        }
        Ok(())
    }

    /// Returns the files that were written since `start`, a time of [`clock`], relative to the copy
    /// and sorted.
    pub fn written_since(&self, start: SystemTime) -> Vec<PathBuf> {
        let is_part = |entry: &walkdir::DirEntry| entry.file_name() != "target";
        let walk = WalkDir::new(&self.path).sort_by_file_name().into_iter();
        let files = walk
            .filter_entry(is_part)
            .flatten()
            .filter(|it| it.file_type().is_file());
        let is_new = |entry: &walkdir::DirEntry| {
            let modified = entry.metadata().ok().and_then(|it| it.modified().ok());
            modified.is_some_and(|modified| modified >= start)
        };
        files
            .filter(is_new)
            .filter_map(|entry| Some(entry.path().strip_prefix(&self.path).ok()?.to_owned()))
            .collect()
    }
}

/// Returns the time that a file written now gets. The kernel's clock for files is some milliseconds
/// behind.
pub fn clock() -> SystemTime {
    let time = tempfile::tempfile().and_then(|file| file.metadata()?.modified());
    time.unwrap_or_else(|_| SystemTime::now())
}

/// Copies a file with its permissions and modification time, unless the copy has the same size and
/// time. The copy of a read-only file can be written. Symbolic links stay links.
fn copy(from: &Path, to: &Path) -> Result<(), Io> {
    let found = from.symlink_metadata().map_err(Io::on("read", from))?;
    let known = to.symlink_metadata().ok();
    if found.is_symlink() {
        let target = fs::read_link(from).map_err(Io::on("read", from))?;
        remove(to, known.as_ref())?;
        parent(to)?;
        return symlink(target, to).map_err(Io::on("create", to));
    }
    // Submodules and sockets are not files.
    if !found.is_file() {
        return Ok(());
    }
    let modified = found.modified().map_err(Io::on("read", from))?;
    let is_same = known.as_ref().is_some_and(|known| {
        known.is_file()
            && !known.permissions().readonly()
            && known.len() == found.len()
            && known.modified().is_ok_and(|it| it == modified)
    });
    if is_same {
        return Ok(());
    }
    remove(to, known.as_ref())?;
    parent(to)?;
    fs::copy(from, to).map_err(Io::on("copy", from))?;
    let mode = found.permissions().mode() | 0o200;
    fs::set_permissions(to, Permissions::from_mode(mode)).map_err(Io::on("copy", from))?;
    let file = File::options().append(true).open(to);
    file.and_then(|file| file.set_modified(modified))
        .map_err(Io::on("copy", from))
}

/// Removes the old copy of an entry, whose metadata is `found`; `None` if there is none. The old
/// copy is a directory if a file or a link of the repository has replaced one.
fn remove(path: &Path, found: Option<&Metadata>) -> Result<(), Io> {
    let removed = match found {
        None => return Ok(()),
        Some(found) if found.is_dir() => fs::remove_dir_all(path),
        Some(_) => fs::remove_file(path),
    };
    removed.map_err(Io::on("remove", path))
}

fn parent(path: &Path) -> Result<(), Io> {
    path.parent().map_or(Ok(()), |parent| {
        fs::create_dir_all(parent).map_err(Io::on("create", parent))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_follows_its_repository_and_keeps_links() {
        let dir = tempfile::tempdir().unwrap();
        let (from, to) = (dir.path().join("from"), dir.path().join("to"));
        fs::create_dir_all(from.join("a")).unwrap();
        fs::write(from.join("a/b"), "1").unwrap();
        fs::write(from.join("gone"), "1").unwrap();
        fs::set_permissions(from.join("a/b"), Permissions::from_mode(0o444)).unwrap();
        symlink("a/b", from.join("link")).unwrap();
        let scratch = Scratch {
            path: to.clone(),
            _temporary: None,
            _lock: None,
        };
        scratch.update(&from).unwrap();
        let mode = |path: PathBuf| path.metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(to.join("a/b")), 0o644, "a command can write it");
        let time = to.join("a/b").metadata().unwrap().modified().unwrap();
        assert_eq!(
            time,
            from.join("a/b").metadata().unwrap().modified().unwrap()
        );
        assert_eq!(fs::read_link(to.join("link")).unwrap(), Path::new("a/b"));
        fs::remove_file(from.join("gone")).unwrap();
        fs::write(to.join("a/b"), "changed by a command").unwrap();
        scratch.update(&from).unwrap();
        assert!(!to.join("gone").exists());
        assert_eq!(fs::read_to_string(to.join("a/b")).unwrap(), "1");
        fs::remove_dir_all(from.join("a")).unwrap();
        fs::write(from.join("a"), "now a file").unwrap();
        scratch.update(&from).unwrap();
        assert_eq!(fs::read_to_string(to.join("a")).unwrap(), "now a file");
        let start = clock();
        fs::write(to.join("new"), "1").unwrap();
        assert_eq!(scratch.written_since(start), [Path::new("new")]);
    }
}
