//! Detection of changes in the project's sources.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use walkdir::WalkDir;

/// A snapshot of the sources: the newest modification time and the number of files.
#[derive(Debug)]
pub struct Sources {
    root: PathBuf,
    seen: (Option<SystemTime>, usize),
}

impl Sources {
    /// Takes a snapshot of the sources.
    pub fn new(root: &Path) -> Self {
        let mut sources = Self {
            root: root.to_owned(),
            seen: (None, 0),
        };
        sources.changed();
        sources
    }

    /// Reports whether a file was edited, added or removed since the last call.
    pub fn changed(&mut self) -> bool {
        let files = ["Cargo.toml", "Cargo.lock", "api", "src", "vendor"]
            .iter()
            .flat_map(|part| WalkDir::new(self.root.join(part)));
        let times = files.filter_map(|file| file.ok()?.metadata().ok()?.modified().ok());
        let now = times.fold((None, 0), |(newest, count), time| {
            (newest.max(Some(time)), count + 1)
        });
        let changed = now != self.seen;
        self.seen = now;
        changed
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn edits_additions_and_removals_are_seen_once() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("src")).unwrap();
        let file = dir.path().join("src/main.rs");
        fs::write(&file, "").unwrap();
        let mut sources = Sources::new(dir.path());
        assert!(!sources.changed());
        let later = SystemTime::now() + std::time::Duration::from_secs(5);
        fs::File::open(&file).unwrap().set_modified(later).unwrap();
        assert!(sources.changed() && !sources.changed());
        fs::remove_file(&file).unwrap();
        assert!(sources.changed());
    }
}
