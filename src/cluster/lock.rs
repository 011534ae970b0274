//! Locks between processes. They end with the process that holds them, however that ends.

use std::fs::{File, TryLockError};
use std::path::Path;
use std::thread::sleep;
use std::time::Duration;

use super::error::{Error, Result};
use crate::disk::private;
use crate::interrupt::Interrupt;

/// Opens `path`, which is made if need be.
pub fn open(path: &Path) -> Result<File> {
    Ok(private::append(path)?)
}

/// Locks `file`, unless another process has it.
pub fn take(file: &File, path: &Path) -> Result<bool> {
    match file.try_lock() {
        Ok(()) => Ok(true),
        Err(TryLockError::WouldBlock) => Ok(false),
        Err(TryLockError::Error(error)) => Err(Error::io("lock", path)(error)),
    }
}

/// Locks `path`; if another process has it, says so by `waiting` and waits, until a signal comes.
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

/// Whether `path` is still the file that was opened as `file`.
pub fn is_same_file(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    match (file.metadata(), std::fs::metadata(path)) {
        (Ok(opened), Ok(found)) => opened.dev() == found.dev() && opened.ino() == found.ino(),
        _ => false,
    }
}
