//! Detection of changes in the project's sources.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use walkdir::{DirEntry, WalkDir};

/// The files and directories of a scaffolded project that contain sources.
const SCAFFOLDED: [&str; 5] = ["Cargo.toml", "Cargo.lock", "api", "src", "vendor"];
/// The endings of source files in other repositories.
const ENDINGS: [&str; 11] = [
    "go", "java", "kt", "lock", "mod", "proto", "py", "rs", "sum", "toml", "ts",
];
/// The interval between two walks through another repository, which can be large.
const PAUSE: Duration = Duration::from_secs(1);

/// A snapshot of the sources: the newest modification time and the number of files.
#[derive(Debug)]
pub struct SourcesSnapshot {
    parts: Vec<PathBuf>,
    /// True if only files with the [`ENDINGS`] are sources.
    is_repository: bool,
    /// The time of the last walk.
    walked: Option<Instant>,
    seen: (Option<SystemTime>, usize),
}

impl SourcesSnapshot {
    /// Takes a snapshot of the sources of a scaffolded project.
    pub fn new(root: &Path) -> Self {
        let mut sources = Self {
            parts: SCAFFOLDED.map(|part| root.join(part)).into(),
            is_repository: false,
            walked: None,
            seen: (None, 0),
        };
        sources.changed();
        sources
    }

    /// Takes a snapshot of the source files of any repository. Build results and hidden directories
    /// do not count.
    pub fn of_repository(root: &Path) -> Self {
        let mut sources = Self {
            parts: vec![root.to_owned()],
            is_repository: true,
            walked: None,
            seen: (None, 0),
        };
        sources.changed();
        // The first call of `changed` need not wait for `PAUSE`.
        sources.walked = None;
        sources
    }

    /// Reports whether a file was edited, added or removed since the last call. Changes in a
    /// repository are noticed after a second.
    pub fn changed(&mut self) -> bool {
        if self.is_repository && self.walked.is_some_and(|it| it.elapsed() < PAUSE) {
            return false;
        }
        self.walked = Some(Instant::now());
        let is_repository = self.is_repository;
        let files = self.parts.iter().flat_map(|part| {
            let walk = WalkDir::new(part).into_iter();
            walk.filter_entry(move |entry| !is_repository || is_source(entry))
        });
        let times = files.filter_map(|file| {
            let file = file.ok()?;
            // A directory changes with every file that is not a source.
            if is_repository && file.file_type().is_dir() {
                return None;
            }
            file.metadata().ok()?.modified().ok()
        });
        let now = times.fold((None, 0), |(newest, count), time| {
            (newest.max(Some(time)), count + 1)
        });
        let changed = now != self.seen;
        self.seen = now;
        changed
    }
}

/// Reports whether an entry is a source file, or a directory that may contain some.
fn is_source(entry: &DirEntry) -> bool {
    if entry.depth() == 0 {
        return true;
    }
    let name = entry.file_name().to_string_lossy();
    if name.starts_with('.') {
        return false;
    }
    if entry.file_type().is_dir() {
        let is_built = ["node_modules", "target"].contains(&&*name);
        return !is_built && !entry.path().join("CACHEDIR.TAG").exists();
    }
    let ending = entry.path().extension().and_then(|it| it.to_str());
    ending.is_some_and(|ending| ENDINGS.contains(&ending))
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
        let mut sources = SourcesSnapshot::new(dir.path());
        assert!(!sources.changed());
        let later = SystemTime::now() + Duration::from_secs(5);
        fs::File::open(&file).unwrap().set_modified(later).unwrap();
        assert!(sources.changed() && !sources.changed());
        fs::remove_file(&file).unwrap();
        assert!(sources.changed());
    }

    #[test]
    fn only_sources_of_a_repository_count() {
        let dir = tempfile::tempdir().unwrap();
        for part in ["crates/a/src", "target/debug", ".git"] {
            fs::create_dir_all(dir.path().join(part)).unwrap();
        }
        let mut sources = SourcesSnapshot::of_repository(dir.path());
        for other in ["target/debug/a.rs", ".git/x.rs", "crates/a/log.txt"] {
            fs::write(dir.path().join(other), "").unwrap();
        }
        assert!(!sources.changed());
        fs::write(dir.path().join("crates/a/src/lib.rs"), "").unwrap();
        assert!(!sources.changed(), "the repository was read just before");
        sources.walked = None;
        assert!(sources.changed());
    }
}
