//! The only module that writes to a project: a [`Plan`] is applied completely or not at all.
//!
//! rustop first writes the new texts and the list of steps into a directory inside the project, the journal. A rename
//! then makes the journal valid. From then on this process carries it out; if the process is killed, the next run in
//! the project does. If a step fails, all steps are undone.

mod error;
mod journal;
mod path;
pub mod private;
mod record;
pub mod regular;

use std::fs::{self, File, TryLockError};
use std::io::{self, ErrorKind};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use crate::error::Io;
use crate::tree::Plan;
pub use error::{Error, Result};
use journal::{DONE, DRAFT, JOURNAL, Journal, Side, UNDO, exists};
pub use path::normal;
use record::Records;

/// Returns the text of a file, or `None` if the file does not exist.
///
/// # Errors
/// Returns an error if the file cannot be read, is not UTF-8, is not a regular file, or is larger than
/// [`regular::LIMIT`].
pub fn read(path: &Path) -> std::result::Result<Option<String>, Io> {
    match regular::text(path) {
        Ok(text) => Ok(Some(text)),
        // A dangling symbolic link is not a missing file: it is the user's.
        Err(error)
            if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
                && !path.is_symlink() =>
        {
            Ok(None)
        }
        Err(error) => Err(Io::on("read", path)(error)),
    }
}

/// Returns the sorted names in a directory, or nothing if the directory does not exist.
///
/// # Errors
/// Returns an error if the directory cannot be read.
pub fn list(dir: &Path) -> std::result::Result<Vec<String>, Io> {
    let entries = match fs::read_dir(dir) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(Io::on("read", dir)(error)),
    };
    let name =
        |entry: io::Result<fs::DirEntry>| Ok(entry?.file_name().to_string_lossy().into_owned());
    let mut names = entries
        .map(name)
        .collect::<io::Result<Vec<_>>>()
        .map_err(Io::on("read", dir))?;
    names.sort();
    Ok(names)
}

/// A project's directory, locked by one rustop process at a time.
#[derive(Debug)]
pub struct Site {
    root: PathBuf,
    /// Created directories, removed again if nothing is written.
    made: Made,
    /// The outcome of an interrupted earlier run; `None` if there was none.
    pub recovery: Option<Recovery>,
    records: Records,
    /// The lock on the directory, which the kernel releases when the process ends.
    _lock: File,
}

/// The result of recovering an interrupted run in [`Site::claim`].
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Recovery {
    /// Every change of that run is applied.
    Finished,
    /// The interrupted run had failed, and all its changes are undone.
    Undone,
}

impl Site {
    /// Locks `root`, creating it if it does not exist, and finishes or undoes an interrupted run there. If another
    /// rustop process holds the lock, calls `on_wait` and waits.
    ///
    /// # Errors
    /// Returns an error if an I/O operation fails, if the project contains a journal that this account's rustop did not
    /// write, or if files of the journal were edited since.
    pub fn claim(root: &Path, on_wait: &dyn Fn()) -> Result<Self> {
        Self::claim_with(root, Records::of_account(), on_wait)
    }

    fn claim_with(root: &Path, records: Records, on_wait: &dyn Fn()) -> Result<Self> {
        let made = Made {
            root: root.to_owned(),
            top: first_missing(root),
        };
        fs::create_dir_all(root).map_err(Io::on("create", root))?;
        let lock = File::open(root).map_err(Io::on("read", root))?;
        if let Err(TryLockError::WouldBlock) = lock.try_lock() {
            on_wait();
            lock.lock().map_err(Io::on("lock", root))?;
        }
        let inode = |found: io::Result<fs::Metadata>| found.map(|metadata| metadata.ino()).ok();
        if inode(lock.metadata()) != inode(root.metadata()) {
            // Another rustop created the directory, failed, and removed it.
            drop((lock, made));
            return Self::claim_with(root, records, on_wait);
        }
        let mut site = Self {
            root: root.to_owned(),
            made,
            recovery: None,
            records,
            _lock: lock,
        };
        site.recovery = site.recover()?;
        Ok(site)
    }

    /// Applies a plan completely or not at all.
    ///
    /// # Errors
    /// Returns an error if an I/O operation fails, or if a path leads out of the project or through a symbolic link. In
    /// that case no file is changed.
    pub fn write(&mut self, plan: &Plan) -> Result<()> {
        if plan.changes.is_empty() {
            return Ok(());
        }
        let draft = self.root.join(DRAFT);
        fs::create_dir(&draft).map_err(Io::on("create", &draft))?;
        let journal = Journal::write(&self.root, &draft, &plan.changes, &self.records)
            .and_then(|mut journal| journal.rename(JOURNAL).map(|()| journal));
        if journal.is_err() {
            // The first error is the one to report.
            let _ = fs::remove_dir_all(&draft);
        }
        journal?.carry_out(&self.records)?;
        self.made.top = None;
        Ok(())
    }

    fn recover(&self) -> Result<Option<Recovery>> {
        let mut recovery = None;
        let draft = self.root.join(DRAFT);
        if exists(&draft) {
            if !draft.symlink_metadata().is_ok_and(|it| it.is_dir()) {
                return Err(Error::UnknownJournal { journal: draft });
            }
            fs::remove_dir_all(&draft).map_err(Io::on("remove", &draft))?;
        }
        let undo = self.root.join(UNDO);
        if exists(&undo) {
            let journal = Journal::read(&self.root, &undo, Side::Old, &self.records)?;
            journal.take_back(&self.records)?;
            recovery = Some(Recovery::Undone);
        }
        let journal = self.root.join(JOURNAL);
        if exists(&journal) {
            let journal = Journal::read(&self.root, &journal, Side::New, &self.records)?;
            journal.carry_out(&self.records)?;
            recovery = Some(Recovery::Finished);
        }
        let done = self.root.join(DONE);
        if exists(&done) {
            if !done.symlink_metadata().is_ok_and(|it| it.is_dir()) {
                return Err(Error::UnknownJournal { journal: done });
            }
            fs::remove_dir_all(&done).map_err(Io::on("remove", &done))?;
            recovery = Some(Recovery::Finished);
        }
        Ok(recovery)
    }
}

/// The directories created for a project. Dropping the value removes them unless something was written into them.
#[derive(Debug)]
struct Made {
    root: PathBuf,
    /// The topmost created directory.
    top: Option<PathBuf>,
}

impl Drop for Made {
    fn drop(&mut self) {
        if let Some(top) = &self.top {
            for dir in self.root.ancestors().take_while(|dir| dir.starts_with(top)) {
                let _ = fs::remove_dir(dir);
            }
        }
    }
}

/// Returns the topmost directory of `path` that does not exist yet.
fn first_missing(path: &Path) -> Option<PathBuf> {
    path.ancestors()
        .take_while(|dir| !dir.as_os_str().is_empty() && !exists(dir))
        .last()
        .map(Path::to_owned)
}

#[cfg(test)]
mod tests;
