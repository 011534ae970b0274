//! The one door to the disk: a [`Plan`] is written all or nothing.
//!
//! New texts are first written to a directory inside the project, together with a list of what is to
//! be done. One rename makes that list valid; from then on it is carried out, by this process or, had
//! that been killed, by the next one that works on the project. An error on the way is undone.

mod journal;

use std::fs::{self, File, TryLockError};
use std::io::{self, ErrorKind};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use crate::error::Io;
use crate::tree::{Change, Plan};
use journal::{DONE, DRAFT, JOURNAL, UNDO, carry_out, exists, take_back, write_draft};

/// The text of a file; `None` where there is none.
///
/// # Errors
/// When it cannot be read, is no text, or is no file.
pub fn read(path: &Path) -> Result<Option<String>, Io> {
    match fs::read_to_string(path) {
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
pub fn list(dir: &Path) -> Result<Vec<String>, Io> {
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
    /// What goes again when nothing is written.
    made: Made,
    /// Whether this process finished what a killed one had begun.
    pub recovered: bool,
    /// The lock on the directory, free as soon as its process is gone.
    _lock: File,
}

impl Site {
    /// Takes hold of `root`, which is made where it does not exist, and carries out what a killed
    /// process had begun there. `on_wait` is called when another rustop has it: then this one waits.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn claim(root: &Path, on_wait: &dyn Fn()) -> Result<Self, Io> {
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
            // It was made by another rustop, which failed and took it away again.
            drop((lock, made));
            return Self::claim(root, on_wait);
        }
        let mut site = Self {
            root: root.to_owned(),
            made,
            recovered: false,
            _lock: lock,
        };
        site.recover()?;
        Ok(site)
    }

    /// Writes a plan: all of it or nothing.
    ///
    /// # Errors
    /// When the disk refuses; then all is as it was.
    pub fn write(&mut self, plan: &Plan) -> Result<(), Io> {
        if plan.changes.is_empty() {
            return Ok(());
        }
        // A rename would put a file in the place of the link.
        let link =
            |change: &&Change| change.before.is_some() && self.root.join(&change.path).is_symlink();
        if let Some(change) = plan.changes.iter().find(link) {
            let why = io::Error::other("it is a symbolic link, and rustop writes files anew");
            return Err(Io::on("replace", self.root.join(&change.path))(why));
        }
        let draft = self.root.join(DRAFT);
        let journal = self.root.join(JOURNAL);
        fs::create_dir(&draft).map_err(Io::on("create", &draft))?;
        let drafted = write_draft(&draft, &self.root, &plan.changes)
            .and_then(|()| fs::rename(&draft, &journal).map_err(Io::on("create", &journal)));
        if drafted.is_err() {
            // The first error is the one to tell.
            let _ = fs::remove_dir_all(&draft);
        }
        drafted.and_then(|()| carry_out(&self.root, &journal))?;
        self.made.top = None;
        Ok(())
    }

    fn recover(&mut self) -> Result<(), Io> {
        let draft = self.root.join(DRAFT);
        if exists(&draft) {
            fs::remove_dir_all(&draft).map_err(Io::on("remove", &draft))?;
        }
        let undo = self.root.join(UNDO);
        if exists(&undo) {
            take_back(&self.root, &undo)?;
        }
        let journal = self.root.join(JOURNAL);
        if exists(&journal) {
            carry_out(&self.root, &journal)?;
            self.recovered = true;
        }
        let done = self.root.join(DONE);
        if exists(&done) {
            fs::remove_dir_all(&done).map_err(Io::on("remove", &done))?;
            self.recovered = true;
        }
        Ok(())
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
