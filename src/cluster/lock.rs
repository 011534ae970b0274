//! File locks between processes. The system releases a lock when its process ends, also after
//! SIGKILL.
//!
//! A directory is removed together with its lock file. So a process that has locked a file calls
//! [`is_same_file`]: if the path names another file or none, the lock protects nothing, and the
//! process opens the path again.

use std::fs::{File, TryLockError};
use std::path::Path;
use std::thread::sleep;
use std::time::Duration;

use super::dirs::Dirs;
use super::error::{Error, Result};
use crate::disk::private;
use crate::interrupt::Interrupt;
use crate::text::sha256;

/// Opens `path` for [`take`], and creates it if it is missing. Does not lock it.
///
/// # Errors
/// Returns an error if the file cannot be opened or created.
pub fn open(path: &Path) -> Result<File> {
    Ok(private::append(path)?)
}

/// Tries to lock `file` without waiting. Returns false if another process holds the lock. `path` is
/// for error messages. The lock is released when `file` is dropped.
///
/// # Errors
/// Returns an error if the file system does not support locks.
pub fn take(file: &File, path: &Path) -> Result<bool> {
    match file.try_lock() {
        Ok(()) => Ok(true),
        Err(TryLockError::WouldBlock) => Ok(false),
        Err(TryLockError::Error(error)) => Err(Error::io("lock", path)(error)),
    }
}

/// Creates `path` if it is missing, and locks it. If another process holds the lock, calls
/// `waiting` once, for a message, and tries again every 20 ms without a time limit. The lock is
/// released when the returned file is dropped.
///
/// # Errors
/// Returns an error if the file cannot be opened or locked, or if a signal interrupts the wait.
pub fn acquire(path: &Path, interrupt: &Interrupt, waiting: impl FnOnce()) -> Result<File> {
    let file = open(path)?;
    let mut waiting = Some(waiting);
    while !take(&file, path)? {
        if let Some(waiting) = waiting.take() {
            waiting();
        }
        interrupt.check()?;
        sleep(Duration::from_millis(20));
    }
    Ok(file)
}

/// Takes the lock with the name `key`, any text on which the processes agree, for as long as the
/// returned file is open. Returns `None` if another process holds it.
///
/// # Errors
/// Returns an error if the state directory cannot be written to, or if its file system does not
/// support locks.
pub fn try_exclusive(dirs: &Dirs, key: &str) -> Result<Option<File>> {
    let dir = dirs.state.join("locks");
    private::create_dir(&dir)?;
    let path = dir.join(sha256(key));
    let file = open(&path)?;
    Ok(take(&file, &path)?.then_some(file))
}

/// Returns true if `path` still names the file that was opened as `file`; false if it was removed
/// or replaced since then.
pub fn is_same_file(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    match (file.metadata(), std::fs::metadata(path)) {
        (Ok(opened), Ok(found)) => opened.dev() == found.dev() && opened.ino() == found.ino(),
        _ => false,
    }
}
