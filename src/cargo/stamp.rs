//! A cache of Cargo's answers in the project's target directory, since calling Cargo takes longer
//! than everything else in a command.
//!
//! The caller decides whether a cached answer is still valid.

use std::fs::{self, File};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::disk::private;

/// The file with a cached answer. Its modification time is the time of the call.
#[derive(Debug)]
pub struct Stamp(pub PathBuf);

impl Stamp {
    /// Returns the stamp of a project, which must be given by its canonical path. The file name
    /// contains a hash of that path, since projects can share a target directory.
    pub fn of(root: &Path, about: &str) -> Self {
        let target = std::env::var_os("CARGO_TARGET_DIR")
            .map_or_else(|| root.join("target"), |dir| root.join(dir));
        let mut hasher = DefaultHasher::new();
        root.hash(&mut hasher);
        Self(target.join(format!("rustop-{about}-{:016x}", hasher.finish())))
    }

    /// Returns the cached answer and the time of the call.
    pub fn read(&self) -> Option<(String, SystemTime)> {
        let content = fs::read_to_string(&self.0).ok()?;
        let requested = fs::metadata(&self.0).and_then(|file| file.modified());
        Some((content, requested.ok()?))
    }

    /// Stores the answer of a call that was made at `requested`. If the file cannot be written, it
    /// is removed, and Cargo is called again next time.
    pub fn write(&self, content: &[u8], requested: SystemTime) {
        let written = private::write_bytes(&self.0, content).is_ok();
        let timed = || {
            File::options()
                .write(true)
                .open(&self.0)?
                .set_modified(requested)
        };
        if !written || timed().is_err() {
            let _ = fs::remove_file(&self.0);
        }
    }
}

/// Reports whether a file exists and was last modified before `moment`.
pub fn is_older(path: &Path, moment: SystemTime) -> bool {
    path.metadata()
        .and_then(|file| file.modified())
        .is_ok_and(|time| time < moment)
}
