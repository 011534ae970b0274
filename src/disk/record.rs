//! Records of the journals that this account's rustop wrote, stored outside of all projects.
//!
//! A journal is inside the project, so a clone or an archive can contain a journal that rustop did
//! not write. rustop therefore carries out only journals whose digest is recorded in its own state
//! directory.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs::{self, DirEntry};
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use super::{private, regular};
use crate::dirs;
use crate::text::sha256;

/// The common prefix of the names of all journals.
const PREFIX: &str = ".rustop-";
/// Separates the paths in a record. No path contains it.
const SEPARATOR: u8 = 0;

/// The directory of the records. Each unfinished journal, and each directory in preparation, has a
/// file, named after the digest, with the project's path and the paths that rustop writes there.
#[derive(Clone, Debug)]
pub struct Records {
    /// `None` if the environment names no state directory.
    dir: Option<PathBuf>,
}

impl Records {
    /// Returns the records of this account.
    pub fn of_account() -> Self {
        let state = dirs::STATE.path().ok().flatten();
        Self {
            dir: state.map(|state| state.join("journals")),
        }
    }

    /// Returns records in the given directory, for tests.
    #[cfg(test)]
    pub fn in_dir(dir: PathBuf) -> Self {
        Self { dir: Some(dir) }
    }

    /// Records a journal before it becomes valid, or a directory in preparation. `steps` is the
    /// text of the journal's list of steps, or the text of [`of_dir`]; its digest names the record.
    /// `root` is the directory that contains the journal, or the directory in preparation.
    ///
    /// Without a writable state directory the journal stays unrecorded. A run that completes does
    /// not need the record; after an interrupted run, the next run rejects the journal.
    ///
    /// `paths` are those that will be written into a directory in preparation; a journal lists its
    /// own.
    pub fn add(&self, steps: &str, root: &Path, paths: impl IntoIterator<Item = PathBuf>) {
        let Some(dir) = &self.dir else { return };
        let paths: Vec<_> = [root.to_owned()].into_iter().chain(paths).collect();
        let bytes: Vec<_> = paths.iter().map(|it| it.as_os_str().as_bytes()).collect();
        let bytes = bytes.join(&SEPARATOR);
        let added = private::create_dir(dir)
            .and_then(|()| private::write_bytes(&dir.join(sha256(steps)), &bytes));
        if added.is_ok() {
            prune(dir);
        }
    }

    /// Returns the paths with which [`Self::add`] recorded `steps`; none if there is no record.
    pub fn paths(&self, steps: &str) -> BTreeSet<PathBuf> {
        let record = self.dir.as_ref().map(|dir| dir.join(sha256(steps)));
        let paths = record.map_or_else(Vec::new, |record| paths_in(&record));
        paths.into_iter().skip(1).collect()
    }

    /// Reports whether this account's rustop wrote the journal with these steps.
    pub fn has(&self, steps: &str) -> bool {
        let dir = self.dir.as_ref();
        dir.is_some_and(|dir| dir.join(sha256(steps)).is_file())
    }

    /// Removes the record of a finished journal or of a published directory.
    pub fn remove(&self, steps: &str) {
        if let Some(dir) = &self.dir {
            let _ = fs::remove_file(dir.join(sha256(steps)));
        }
    }
}

/// Returns the text by which a directory in preparation is recorded. It identifies the directory
/// itself and not only its path, where the user may have created another one since.
///
/// # Errors
/// Returns an error if the directory does not exist.
pub fn of_dir(dir: &Path) -> io::Result<String> {
    let found = dir.symlink_metadata()?;
    // Not all file systems know this time.
    let created = found.created().ok();
    let created = created.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    Ok(format!(
        "new {} {} {} {}",
        std::path::absolute(dir)?.display(),
        found.dev(),
        found.ino(),
        created.unwrap_or_default().as_nanos()
    ))
}

/// Returns the paths in a record, the root first; none if it cannot be read.
fn paths_in(record: &Path) -> Vec<PathBuf> {
    let bytes = regular::bytes(record, regular::LIMIT).unwrap_or_default();
    bytes
        .split(|byte| *byte == SEPARATOR)
        .filter(|path| !path.is_empty())
        .map(|path| PathBuf::from(OsStr::from_bytes(path)))
        .collect()
}

/// Removes the records of projects that no longer contain a journal.
fn prune(dir: &Path) {
    let Ok(entries) = fs::read_dir(dir) else {
        return;
    };
    for record in entries.flatten().map(|entry| entry.path()) {
        let Some(root) = paths_in(&record).into_iter().next() else {
            continue;
        };
        let is_ours = |entry: DirEntry| entry.file_name().to_string_lossy().starts_with(PREFIX);
        let is_unfinished = fs::read_dir(root).is_ok_and(|entries| entries.flatten().any(is_ours));
        if !is_unfinished {
            let _ = fs::remove_file(record);
        }
    }
}
