//! The only module that changes the files of a project (build results and reports aside): a
//! [`Plan`] is applied completely or not at all.
//!
//! rustop first writes the new texts and the list of steps into a directory inside the project, the
//! journal. A rename then makes the journal valid. From then on this process carries it out; if the
//! process is killed, the next run in the project does. If a step fails, all steps are undone. A
//! new directory is written under another name and renamed, so it is complete as soon as it exists.

mod error;
mod fresh;
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
use fresh::NewDir;
use journal::{DONE, DRAFT, JOURNAL, Journal, Side, UNDO, exists};
pub use path::normal;
use record::Records;

/// Returns the text of a file, or `None` if the file does not exist. Follows links: [`read_in`] is
/// for settings, whose text is shown in errors and differences.
///
/// # Errors
/// Returns an error if the file cannot be read, is not UTF-8, is not a regular file, or is larger
/// than [`regular::LIMIT`].
pub fn read(path: &Path) -> std::result::Result<Option<String>, Io> {
    existing(path, regular::text(path))
}

/// Returns the text of the file `name` in a project's directory, or `None` if the file does not
/// exist.
///
/// # Errors
/// Returns the errors of [`read`], and an error if the file is a link that leads out of the
/// directory.
pub fn read_in(dir: &Path, name: &str) -> std::result::Result<Option<String>, Io> {
    existing(&dir.join(name), regular::text_in(dir, name))
}

/// Returns `None` for a file that does not exist.
fn existing(path: &Path, text: io::Result<String>) -> std::result::Result<Option<String>, Io> {
    match text {
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
    /// The project's directory; until it exists, the one in which its files are prepared.
    root: PathBuf,
    /// `None` if the project's directory exists.
    new: Option<NewDir>,
    /// The outcome of an interrupted earlier run; `None` if no earlier run had begun to change
    /// files.
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
    /// The interrupted run was preparing a new directory, whose files are removed.
    Discarded,
}

impl Site {
    /// Locks `root`, which need not exist, and finishes or undoes an interrupted run there. If
    /// another rustop process holds the lock, calls `on_wait` and waits.
    ///
    /// # Errors
    /// Returns an error if an I/O operation fails, if the project contains a journal that this
    /// account's rustop did not write, or if files of the journal were edited since.
    pub fn claim(root: &Path, on_wait: &dyn Fn()) -> Result<Self> {
        Self::claim_with(root, &Records::of_account(), on_wait)
    }

    fn claim_with(root: &Path, records: &Records, on_wait: &dyn Fn()) -> Result<Self> {
        let mut site = loop {
            // Each try releases its lock before the next one: another rustop may have moved the
            // locked directory to `root`.
            if let Some(site) = Self::try_claim(root, records, on_wait)? {
                break site;
            }
        };
        site.recovery = site.recover()?.or(site.recovery);
        Ok(site)
    }

    /// Locks `root` or the directory in which it is prepared; `None` if another rustop has renamed
    /// or removed the directory before it was locked.
    fn try_claim(root: &Path, records: &Records, on_wait: &dyn Fn()) -> Result<Option<Self>> {
        let mut new = NewDir::of(root, records)?;
        let dir = new.as_ref().map_or(root, NewDir::staged).to_owned();
        let lock = match File::open(&dir) {
            Err(error) if error.kind() == ErrorKind::NotFound && new.is_some() => return Ok(None),
            opened => opened.map_err(Io::on("read", &dir))?,
        };
        if let Err(TryLockError::WouldBlock) = lock.try_lock() {
            on_wait();
            lock.lock().map_err(Io::on("lock", &dir))?;
        }
        // While this process waited, another rustop may have renamed or removed the directory.
        let inode = |found: io::Result<fs::Metadata>| found.map(|metadata| metadata.ino()).ok();
        if inode(lock.metadata()) != inode(dir.metadata()) {
            return Ok(None);
        }
        let mut recovery = None;
        if let Some(new) = &mut new {
            recovery = new.own()?.then_some(Recovery::Discarded);
            if new.exists() {
                return Ok(None);
            }
        }
        Ok(Some(Self {
            root: new.as_ref().map_or_else(|| root.to_owned(), NewDir::root),
            new,
            recovery,
            records: records.clone(),
            _lock: lock,
        }))
    }

    /// Applies a plan completely or not at all.
    ///
    /// # Errors
    /// Returns an error if an I/O operation fails, or if a path leads out of the project or through
    /// a symbolic link. Then all changes are undone; if that fails as well, the journal stays, and
    /// the next [`Self::claim`] continues.
    pub fn write(&mut self, plan: &Plan) -> Result<()> {
        if plan.changes.is_empty() {
            return Ok(());
        }
        if let Some(new) = self.new.take() {
            self.root = new.publish(&plan.changes)?;
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
        journal?.carry_out(&self.records)
    }

    /// Completes what an interrupted run has left in an existing project: removes a draft, undoes a
    /// failed change, carries out a valid one, and removes the journal of a completed one. Returns
    /// `None` if no run had begun to change files.
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

/// Reports whether an interrupted run of this account left its journal in `root`, and no rustop is
/// at work there.
pub fn is_interrupted(root: &Path) -> bool {
    is_interrupted_with(root, &Records::of_account())
}

fn is_interrupted_with(root: &Path, records: &Records) -> bool {
    let is_ours = |name: &&str| {
        let steps = regular::text(&root.join(name).join(journal::STEPS));
        steps.is_ok_and(|steps| records.has(&steps))
    };
    [UNDO, JOURNAL].iter().any(is_ours)
        && File::open(root).is_ok_and(|dir| dir.try_lock_shared().is_ok())
}

#[cfg(test)]
mod tests;
