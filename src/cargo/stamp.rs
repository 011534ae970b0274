//! What cargo has said about a project, kept in its target directory: to ask again takes longer than all else that a
//! command does.
//!
//! Whether it still holds is for those to say who ask.

use std::fs::{self, File};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// A file with what cargo said, as old as the question.
#[derive(Debug)]
pub struct Stamp(pub PathBuf);

impl Stamp {
    /// It has a name of its own for each project, as projects may share a target directory. `root` is canonical.
    pub fn of(root: &Path, about: &str) -> Self {
        let target = std::env::var_os("CARGO_TARGET_DIR")
            .map_or_else(|| root.join("target"), |dir| root.join(dir));
        let mut hasher = DefaultHasher::new();
        root.hash(&mut hasher);
        Self(target.join(format!("rustop-{about}-{:016x}", hasher.finish())))
    }

    /// What was said last, and when it was asked.
    pub fn read(&self) -> Option<(String, SystemTime)> {
        let said = fs::read_to_string(&self.0).ok()?;
        let asked = fs::metadata(&self.0).and_then(|file| file.modified());
        Some((said, asked.ok()?))
    }

    /// Keeps what was said to a question that was asked at `asked`. Where that cannot be written, cargo is asked the
    /// next time.
    pub fn write(&self, said: &[u8], asked: SystemTime) {
        let written = fs::write(&self.0, said);
        let timed = written.and_then(|()| {
            File::options()
                .write(true)
                .open(&self.0)?
                .set_modified(asked)
        });
        if timed.is_err() {
            let _ = fs::remove_file(&self.0);
        }
    }
}

/// Whether a file is there and did not change since.
pub fn is_older(path: &Path, moment: SystemTime) -> bool {
    path.metadata()
        .and_then(|file| file.modified())
        .is_ok_and(|time| time < moment)
}
