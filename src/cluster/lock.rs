//! File locks between processes. The system releases a lock when its process ends, also after SIGKILL.

use std::fs::{File, TryLockError};
use std::path::Path;
use std::thread::sleep;
use std::time::Duration;

use super::error::{Error, Result};
use crate::disk::private;
use crate::interrupt::Interrupt;

/// Opens `path`, and creates it if it is missing.
pub fn open(path: &Path) -> Result<File> {
    Ok(private::append(path)?)
}

/// Tries to lock `file`. Returns false if another process holds the lock.
pub fn take(file: &File, path: &Path) -> Result<bool> {
    match file.try_lock() {
        Ok(()) => Ok(true),
        Err(TryLockError::WouldBlock) => Ok(false),
        Err(TryLockError::Error(error)) => Err(Error::io("lock", path)(error)),
    }
}

/// Locks `path`. If another process holds the lock, calls `waiting` once and waits until the lock is free or a signal is
/// received.
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

/// Returns true if `path` still names the file that was opened as `file`.
pub fn is_same_file(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    match (file.metadata(), std::fs::metadata(path)) {
        (Ok(opened), Ok(found)) => opened.dev() == found.dev() && opened.ino() == found.ino(),
        _ => false,
    }
}
