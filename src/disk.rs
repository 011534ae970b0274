//! The only module that writes to a project: a [`Plan`] is written completely or not at all.
//!
//! rustop first writes the new texts and the list of steps to a directory inside the project, the journal. One rename
//! makes it valid; from then on this process carries it out or, if this process is killed, the next run in the project
//! does. An error on the way undoes every step.

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
use path::below;
use record::Records;

/// The text of a file; `None` where there is none.
///
/// # Errors
/// When it cannot be read, is no text, is no regular file, or is larger than [`regular::LIMIT`].
pub fn read(path: &Path) -> std::result::Result<Option<String>, Io> {
    match regular::text(path) {
        Ok(text) => Ok(Some(text)),
        // A link to nothing is something: the user's.
        Err(error)
            if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
                && !path.is_symlink() =>
        {
            Ok(None)
        }
        Err(error) => Err(Io::on("read", path)(error)),
    }
}

/// The names in a directory, sorted; none where there is no directory.
///
/// # Errors
/// When it cannot be read.
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

/// A project's directory, held by one rustop at a time.
#[derive(Debug)]
pub struct Site {
    root: PathBuf,
    /// Removed again if nothing is written.
    made: Made,
    /// What became of a run that was interrupted; `None` if there was none.
    pub recovery: Option<Recovery>,
    records: Records,
    /// The lock on the directory, which the kernel releases when the process ends.
    _lock: File,
}

/// What [`Site::claim`] did about an earlier run that was interrupted.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Recovery {
    /// Every change of that run is made.
    Finished,
    /// That run had failed, and none of its changes is left.
    Undone,
}

impl Site {
    /// Takes hold of `root`, creating it if it does not exist, and finishes what an interrupted run began there. Calls
    /// `on_wait` if another rustop holds it, and waits for that one.
    ///
    /// # Errors
    /// Returns an error if the disk refuses, or if there is a journal that this account's rustop has not written or whose
    /// files were edited since.
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

    /// Writes a plan completely or not at all.
    ///
    /// # Errors
    /// Returns an error if the disk refuses, or if a path leads out of the project or through a symbolic link. Then every
    /// file is as it was.
    pub fn write(&mut self, plan: &Plan) -> Result<()> {
        if plan.changes.is_empty() {
            return Ok(());
        }
        for change in &plan.changes {
            below(&self.root, &change.path)?;
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

/// The directories that were made for a project. As long as nothing is written they are empty, and go
/// with this value.
#[derive(Debug)]
struct Made {
    root: PathBuf,
    /// The topmost of them.
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

/// The topmost directory of `path` that does not exist yet.
fn first_missing(path: &Path) -> Option<PathBuf> {
    path.ancestors()
        .take_while(|dir| !dir.as_os_str().is_empty() && !exists(dir))
        .last()
        .map(Path::to_owned)
}

#[cfg(test)]
mod tests;
