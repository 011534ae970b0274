//! The members of a workspace, from `cargo metadata`.

use std::collections::BTreeSet;
use std::fs;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::{Path, PathBuf};

use serde::Deserialize;

/// A member of every project that needs no permissions itself.
const MANAGER: &str = "rustop-manager";

/// The relevant part of the output of `cargo metadata`.
#[derive(Deserialize)]
pub struct Metadata {
    packages: Vec<PackageMetadata>,
    workspace_root: PathBuf,
}

#[derive(Deserialize)]
struct PackageMetadata {
    name: String,
    manifest_path: PathBuf,
    targets: Vec<Target>,
    dependencies: Vec<Dependency>,
}

#[derive(Deserialize)]
struct Target {
    name: String,
    kind: Vec<String>,
    src_path: PathBuf,
}

#[derive(Deserialize)]
struct Dependency {
    path: Option<PathBuf>,
    kind: Option<String>,
}

impl Metadata {
    /// Returns the text to cache for `output`, the output of `cargo metadata` from which this was
    /// parsed: a hash of its inputs, and the output.
    pub fn to_cached_text(&self, output: &str) -> String {
        format!("{}\n{output}", self.input_hash())
    }

    /// Parses a cached text. `None` if it is invalid, or if `cargo metadata` may now return
    /// something else.
    pub fn from_cached_text(text: &str) -> Option<Self> {
        let (hash, output) = text.split_once('\n')?;
        let cached: Self = serde_json::from_str(output).ok()?;
        (cached.input_hash().to_string() == hash).then_some(cached)
    }

    /// Returns the manifests that cargo has read.
    pub fn manifests(&self) -> impl Iterator<Item = PathBuf> {
        let members = self.packages.iter();
        let members = members.map(|package| package.manifest_path.clone());
        members.chain([self.workspace_root.join("Cargo.toml")])
    }

    /// Hashes everything that determines the output: the manifests, and files that are targets
    /// without being listed in a manifest. Uses contents, not modification times, because the
    /// result must not depend on how a checkout or a cache sets the times.
    fn input_hash(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        for manifest in self.manifests() {
            crate::disk::regular::text(&manifest).ok().hash(&mut hasher);
        }
        for package in &self.packages {
            for file in ["build.rs", "src/lib.rs", "src/main.rs"] {
                package.directory().join(file).exists().hash(&mut hasher);
            }
            let programs = fs::read_dir(package.directory().join("src/bin"));
            let programs = programs.into_iter().flatten().flatten();
            let programs: BTreeSet<_> = programs.map(|program| program.file_name()).collect();
            programs.hash(&mut hasher);
        }
        hasher.finish()
    }

    /// Returns the directories and files with the sources of the operator `binary`, relative to
    /// `root`, which must be canonical.
    pub fn source_paths(&self, root: &Path, binary: &str) -> BTreeSet<PathBuf> {
        let members = self.operator_packages(root, binary).into_iter();
        let places = members.flat_map(PackageMetadata::source_paths);
        places
            .filter_map(|place| Some(place.strip_prefix(root).ok()?.to_owned()))
            .collect()
    }

    /// Returns the packages below `root` from which the operator is built, including the one with
    /// its types.
    fn operator_packages(&self, root: &Path, binary: &str) -> Vec<&PackageMetadata> {
        let own = self.packages.iter();
        let own = own.filter(|package| package.directory().starts_with(root));
        let own: Vec<_> = own.filter(|package| package.name != MANAGER).collect();
        let is_start = |package: &&PackageMetadata| package.has(binary) || package.has("crdgen");
        let mut found: Vec<&PackageMetadata> = own.iter().copied().filter(is_start).collect();
        let mut next = 0;
        while let Some(package) = found.get(next) {
            let needs = |other: &&&PackageMetadata| package.needs(other);
            let new: Vec<_> = own.iter().filter(needs).copied().collect();
            let is_known =
                |new: &&PackageMetadata| found.iter().any(|known| known.name == new.name);
            let new: Vec<_> = new.into_iter().filter(|new| !is_known(new)).collect();
            found.extend(new);
            next += 1;
        }
        found
    }
}

impl PackageMetadata {
    fn directory(&self) -> &Path {
        self.manifest_path.parent().unwrap_or(&self.manifest_path)
    }

    /// Returns true if the package has a binary target of this name.
    fn has(&self, binary: &str) -> bool {
        let mut targets = self.targets.iter();
        targets.any(|target| target.name == binary && target.kind.iter().any(|kind| kind == "bin"))
    }

    /// Returns true if the other package is compiled into this one.
    fn needs(&self, other: &Self) -> bool {
        let mut needed = self.dependencies.iter();
        needed.any(|dependency| {
            dependency.kind.as_deref() != Some("dev")
                && dependency.path.as_deref() == Some(other.directory())
        })
    }

    /// Returns the directories of the package's targets; for a build script, the file.
    fn source_paths(&self) -> impl Iterator<Item = PathBuf> {
        let is = |target: &Target, kinds: &[&str]| {
            target.kind.iter().any(|kind| kinds.contains(&&**kind))
        };
        let targets = self.targets.iter();
        let targets = targets.filter(move |target| !is(target, &["test", "example", "bench"]));
        targets.map(move |target| match target.src_path.parent() {
            Some(directory) if !is(target, &["custom-build"]) => directory.to_owned(),
            _ => target.src_path.clone(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn package(
        directory: &str,
        targets: &[(&str, &str, &str)],
        needs: &[(&str, Option<&str>)],
    ) -> PackageMetadata {
        let target = |(kind, name, path): &(&str, &str, &str)| Target {
            name: (*name).to_owned(),
            kind: vec![(*kind).to_owned()],
            src_path: Path::new(directory).join(path),
        };
        let dependency = |(path, kind): &(&str, Option<&str>)| Dependency {
            path: Some(PathBuf::from(path)),
            kind: kind.map(str::to_owned),
        };
        PackageMetadata {
            name: directory.rsplit('/').next().unwrap().to_owned(),
            manifest_path: Path::new(directory).join("Cargo.toml"),
            targets: targets.iter().map(target).collect(),
            dependencies: needs.iter().map(dependency).collect(),
        }
    }

    #[test]
    fn sources_of_the_package_and_its_local_dependencies_are_returned() {
        let lib = ("lib", "lib", "src/lib.rs");
        let packages = vec![
            package(
                "/p",
                &[
                    lib,
                    ("bin", "cow", "src/main.rs"),
                    ("custom-build", "build-script-build", "build.rs"),
                    ("test", "life", "tests/life.rs"),
                    ("bench", "speed", "benches/speed.rs"),
                    ("example", "moo", "examples/moo.rs"),
                ],
                &[
                    ("/p/api", None),
                    ("/p/vendor/rustop-manager", None),
                    ("/p/grass", Some("build")),
                    ("/p/fake", Some("dev")),
                    ("/q", None),
                ],
            ),
            package(
                "/p/api",
                &[lib, ("bin", "crdgen", "src/bin/crdgen.rs")],
                &[],
            ),
            package("/p/vendor/rustop-manager", &[lib], &[]),
            package("/p/grass", &[lib], &[("/p/seed", None)]),
            package("/p/seed", &[lib], &[("/p/grass", None)]),
            package("/p/fake", &[lib], &[]),
            package(
                "/p/xtask",
                &[("bin", "xtask", "src/main.rs")],
                &[("/p", None)],
            ),
            package("/q", &[lib], &[]),
        ];
        let metadata = Metadata {
            packages,
            workspace_root: "/p".into(),
        };
        let places = metadata.source_paths(Path::new("/p"), "cow");
        let expected = [
            "api/src",
            "api/src/bin",
            "build.rs",
            "grass/src",
            "seed/src",
            "src",
        ];
        assert_eq!(
            places.into_iter().collect::<Vec<_>>(),
            expected.map(PathBuf::from)
        );
    }

    #[test]
    fn the_hash_changes_whenever_the_output_of_cargo_would() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path();
        let write = |path: &str, text: &str| {
            let path = root.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        for path in ["Cargo.toml", "api/Cargo.toml", "api/src/lib.rs"] {
            write(path, "");
        }
        let api = package(root.join("api").to_str().unwrap(), &[], &[]);
        let metadata = Metadata {
            packages: vec![api],
            workspace_root: root.into(),
        };
        let state = metadata.input_hash();
        write("api/src/lib.rs", "mod x;");
        write("README.md", "");
        assert_eq!(
            metadata.input_hash(),
            state,
            "these files do not affect the output"
        );
        let mut states = BTreeSet::from([state]);
        let edits = [
            "Cargo.toml",
            "api/Cargo.toml",
            "api/build.rs",
            "api/src/main.rs",
            "api/src/bin/moo.rs",
        ];
        for path in edits {
            write(path, "x");
            assert!(states.insert(metadata.input_hash()), "{path} changed");
        }
        fs::remove_file(root.join("api/Cargo.toml")).unwrap();
        assert!(states.insert(metadata.input_hash()), "a member is gone");
    }
}
