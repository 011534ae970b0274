//! Checks whether `crdgen` is up to date without running cargo, which would take ten times as long.
//! cargo lists the sources of a program in a dep-info file in the same directory.
//!
//! Like cargo, the check compares modification times. It compares them with the time before the
//! last successful cargo run started, so that an edit during that run counts as newer.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::cargo::stamp::{Stamp, is_older};

/// The up-to-date check of a project's `crdgen`.
#[derive(Debug)]
pub struct CrdgenStamp {
    root: PathBuf,
    stamp: Stamp,
}

impl CrdgenStamp {
    /// Creates the check for the project in a directory; `None` if the directory does not exist.
    pub fn of(root: &Path) -> Option<Self> {
        let root = root.canonicalize().ok()?;
        let stamp = Stamp::of(&root, "crdgen");
        Some(Self { root, stamp })
    }

    /// Returns the path of the program if none of its sources changed since it was built; `None` if
    /// it must be built.
    pub fn up_to_date_program(&self) -> Option<PathBuf> {
        let (crdgen, built) = self.stamp.read()?;
        let crdgen = PathBuf::from(crdgen);
        let list = fs::read_to_string(crdgen.with_extension("d")).ok()?;
        let sources = sources(&list);
        // Another project that shares the target directory may have built its own `crdgen` there.
        let is_ours =
            sources.contains(&self.root.join("api/src/bin/crdgen.rs")) && crdgen.is_file();
        let is_old = |path: &PathBuf| is_older(path, built);
        let settings =
            ["Cargo.toml", "Cargo.lock", "api/Cargo.toml"].map(|file| self.root.join(file));
        let optional = [
            ".cargo/config.toml",
            "rust-toolchain.toml",
            "rust-toolchain",
            "vendor/rustop-manager/Cargo.toml",
        ]
        .map(|file| self.root.join(file));
        let is_up_to_date = is_ours
            && sources.iter().chain(&settings).all(is_old)
            && optional.iter().all(|file| !file.exists() || is_old(file));
        is_up_to_date.then_some(crdgen)
    }

    /// Stores the path of the program that a successful build has returned, and the time before the
    /// build started.
    pub fn write(&self, crdgen: &Path, start: SystemTime) {
        self.stamp
            .write(crdgen.as_os_str().as_encoded_bytes(), start);
    }
}

/// Parses a dep-info file of cargo: `target: source source`, with escaped spaces in paths.
fn sources(list: &str) -> Vec<PathBuf> {
    let sources = list
        .lines()
        .filter_map(|line| line.split_once(": "))
        .flat_map(|(_, sources)| {
            let escaped = sources.replace("\\ ", "\0");
            escaped
                .split(' ')
                .map(|source| PathBuf::from(source.replace('\0', " ")))
                .collect::<Vec<_>>()
        });
    sources.collect()
}

#[cfg(test)]
mod tests {
    use std::fs::File;

    use super::*;

    #[test]
    fn a_path_may_contain_a_blank() {
        let list = "/t/crdgen: /a/lib.rs /a\\ b/x.rs\n";
        assert_eq!(
            sources(list),
            [Path::new("/a/lib.rs"), Path::new("/a b/x.rs")]
        );
    }

    #[test]
    fn only_files_older_than_the_stamp_are_up_to_date() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        let file = |path: &str, text: &str| {
            let path = root.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, text).unwrap();
            path
        };
        let settings = [
            "Cargo.toml",
            "Cargo.lock",
            "api/Cargo.toml",
            "vendor/rustop-manager/Cargo.toml",
        ];
        for path in settings {
            file(path, "");
        }
        let source = file("api/src/bin/crdgen.rs", "");
        let crdgen = file("target/debug/crdgen", "");
        file(
            "target/debug/crdgen.d",
            &format!("{}: {}\n", crdgen.display(), source.display()),
        );
        let stamp = CrdgenStamp {
            root: root.clone(),
            stamp: Stamp(root.join("target/stamp")),
        };
        assert_eq!(stamp.up_to_date_program(), None, "nothing was built yet");
        let start = SystemTime::now() + std::time::Duration::from_secs(1);
        stamp.write(&crdgen, start);
        assert_eq!(stamp.up_to_date_program(), Some(crdgen.clone()));
        let edit = |path: &Path, time| {
            let file = File::options().write(true).open(path).unwrap();
            file.set_modified(time).unwrap();
        };
        for path in settings.map(|path| root.join(path)).iter().chain([&source]) {
            edit(path, start);
            assert_eq!(
                stamp.up_to_date_program(),
                None,
                "{} was edited",
                path.display()
            );
            edit(path, SystemTime::now());
            assert!(stamp.up_to_date_program().is_some());
        }
        let toolchain = file("rust-toolchain.toml", "");
        assert!(stamp.up_to_date_program().is_some());
        edit(&toolchain, start);
        assert_eq!(stamp.up_to_date_program(), None);
        fs::remove_file(toolchain).unwrap();
        file(
            "target/debug/crdgen.d",
            "x: /another/project/api/src/bin/crdgen.rs\n",
        );
        assert_eq!(stamp.up_to_date_program(), None, "another project's");
    }
}
