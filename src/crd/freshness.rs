//! Whether `crdgen` is what the sources say, without asking cargo, which takes ten times as long.
//!
//! As cargo itself it compares times. What `crdgen` is made of, cargo writes beside the program. The time
//! to compare with is that of the stamp, the moment before cargo was last called here with success: an
//! edit while cargo was at work is later than that.

use std::fs::{self, File};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// What is known of a project's `crdgen`.
#[derive(Debug)]
pub struct Freshness {
    root: PathBuf,
    stamp: PathBuf,
}

impl Freshness {
    /// The stamp has a name of its own for each project, as projects may share a target directory.
    pub fn of(root: &Path) -> Option<Self> {
        let root = root.canonicalize().ok()?;
        let target = std::env::var_os("CARGO_TARGET_DIR")
            .map_or_else(|| root.join("target"), |dir| root.join(dir));
        let mut hasher = DefaultHasher::new();
        root.hash(&mut hasher);
        let stamp = target.join(format!("rustop-crdgen-{:016x}", hasher.finish()));
        Some(Self { root, stamp })
    }

    /// The program, if nothing that it is made of changed since it was built.
    pub fn fresh(&self) -> Option<PathBuf> {
        let crdgen = PathBuf::from(fs::read_to_string(&self.stamp).ok()?);
        let built = fs::metadata(&self.stamp)
            .and_then(|stamp| stamp.modified())
            .ok()?;
        let list = fs::read_to_string(crdgen.with_extension("d")).ok()?;
        let sources = sources(&list);
        // Another project that shares the target directory may have built its own there.
        let is_ours =
            sources.contains(&self.root.join("api/src/bin/crdgen.rs")) && crdgen.is_file();
        let is_old = |path: &Path| {
            path.metadata()
                .and_then(|file| file.modified())
                .is_ok_and(|time| time < built)
        };
        let settings = [
            "Cargo.toml",
            "Cargo.lock",
            "api/Cargo.toml",
            "vendor/rustop-manager/Cargo.toml",
        ]
        .map(|file| self.root.join(file));
        let optional = [
            ".cargo/config.toml",
            "rust-toolchain.toml",
            "rust-toolchain",
        ]
        .map(|file| self.root.join(file));
        let fresh = is_ours
            && sources.iter().chain(&settings).all(|file| is_old(file))
            && optional.iter().all(|file| !file.exists() || is_old(file));
        fresh.then_some(crdgen)
    }

    /// Remembers a build that began at `start`. Where that cannot be written, cargo is asked the next time.
    pub fn stamp(&self, crdgen: &Path, start: SystemTime) {
        let written = fs::write(&self.stamp, crdgen.as_os_str().as_encoded_bytes());
        let timed = written.and_then(|()| {
            File::options()
                .write(true)
                .open(&self.stamp)?
                .set_modified(start)
        });
        if timed.is_err() {
            let _ = fs::remove_file(&self.stamp);
        }
    }
}

/// The files in a dep-info file of cargo: `target: source source`, blanks in a path escaped.
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
    use super::*;

    #[test]
    fn a_blank_in_a_path_is_part_of_it() {
        let list = "/t/crdgen: /a/lib.rs /a\\ b/x.rs\n";
        assert_eq!(
            sources(list),
            [Path::new("/a/lib.rs"), Path::new("/a b/x.rs")]
        );
    }

    #[test]
    fn fresh_is_what_is_older_than_the_stamp() {
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
        let freshness = Freshness {
            root: root.clone(),
            stamp: root.join("target/stamp"),
        };
        assert_eq!(freshness.fresh(), None, "nothing was built yet");
        let start = SystemTime::now() + std::time::Duration::from_secs(1);
        freshness.stamp(&crdgen, start);
        assert_eq!(freshness.fresh(), Some(crdgen.clone()));
        let edit = |path: &Path, time| {
            let file = File::options().write(true).open(path).unwrap();
            file.set_modified(time).unwrap();
        };
        for path in settings.map(|path| root.join(path)).iter().chain([&source]) {
            edit(path, start);
            assert_eq!(freshness.fresh(), None, "{} was edited", path.display());
            edit(path, SystemTime::now());
            assert!(freshness.fresh().is_some());
        }
        let toolchain = file("rust-toolchain.toml", "");
        assert!(freshness.fresh().is_some());
        edit(&toolchain, start);
        assert_eq!(freshness.fresh(), None);
        fs::remove_file(toolchain).unwrap();
        file(
            "target/debug/crdgen.d",
            "x: /another/project/api/src/bin/crdgen.rs\n",
        );
        assert_eq!(freshness.fresh(), None, "another project's");
    }
}
