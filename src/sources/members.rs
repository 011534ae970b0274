//! Where the sources of the operator are: those of the workspace's members that it is built from, as cargo has
//! them, without their tests, examples and benches. An `xtask` beside it, a vendored crate and whatever else lies
//! in the project's directory needs no permissions in the cluster.

use std::collections::BTreeSet;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::SystemTime;

use serde::Deserialize;

use crate::cargo;
use crate::cargo::stamp::{Stamp, is_older};
use crate::error::Io;

/// The directories of the members that rustop writes, for a machine without cargo.
const USUAL: [&str; 3] = ["api/src", "build.rs", "src"];

/// The member of every project that needs no permissions of its own.
const MANAGER: &str = "rustop-manager";

/// What `cargo metadata` prints, as much of it as is of interest.
#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
    workspace_root: PathBuf,
}

#[derive(Deserialize)]
struct Package {
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

/// Directories with the sources of the operator `binary`, and single files, relative to the project.
///
/// # Errors
/// When cargo cannot read the project's manifests.
pub fn places(root: &Path, binary: &str) -> Result<BTreeSet<PathBuf>, cargo::Error> {
    let canonical = root.canonicalize().map_err(Io::on("find", root))?;
    let stamp = Stamp::of(&canonical, "members");
    let known = stamp.read().and_then(|(said, asked)| {
        let known: Metadata = serde_json::from_str(&said).ok()?;
        known.holds_since(asked).then_some(known)
    });
    if let Some(known) = known {
        return Ok(known.places(&canonical, binary));
    }
    let asked = SystemTime::now();
    let Some(said) = metadata(root)? else {
        // The roles alone need no toolchain.
        let usual = USUAL.iter().map(PathBuf::from);
        return Ok(usual.filter(|place| root.join(place).exists()).collect());
    };
    let metadata: Metadata =
        serde_json::from_slice(&said).map_err(|error| cargo::Error::Metadata {
            output: error.to_string(),
        })?;
    stamp.write(&said, asked);
    Ok(metadata.places(&canonical, binary))
}

/// What `cargo metadata` prints; none without cargo.
fn metadata(root: &Path) -> Result<Option<Vec<u8>>, cargo::Error> {
    let mut command = Command::new(cargo::cargo());
    command.args([
        "metadata",
        "--no-deps",
        "--offline",
        "--format-version",
        "1",
    ]);
    command.current_dir(root).stdin(Stdio::null());
    let output = match command.output() {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        output => output.map_err(Io::on("run", "cargo"))?,
    };
    if !output.status.success() {
        let output = cargo::text(&output.stderr).trim().to_owned();
        return Err(cargo::Error::Metadata { output });
    }
    Ok(Some(output.stdout))
}

impl Metadata {
    /// Whether cargo would say the same now: no manifest changed, and no file came or went where cargo looks for
    /// targets that no manifest names.
    fn holds_since(&self, asked: SystemTime) -> bool {
        let manifests = self.packages.iter().map(|package| &package.manifest_path);
        let root = self.workspace_root.join("Cargo.toml");
        let looked_in = self.packages.iter().map(Package::directory);
        let mut looked_in = looked_in
            .flat_map(|directory| ["", "src", "src/bin"].map(|inner| directory.join(inner)))
            .filter(|directory| directory.exists());
        manifests
            .chain([&root])
            .all(|manifest| is_older(manifest, asked))
            && looked_in.all(|directory| is_older(&directory, asked))
    }

    fn places(&self, root: &Path, binary: &str) -> BTreeSet<PathBuf> {
        let members = self.of(root, binary).into_iter();
        let places = members.flat_map(Package::places);
        places
            .filter_map(|place| Some(place.strip_prefix(root).ok()?.to_owned()))
            .collect()
    }

    /// The packages below `root` that the operator is built from, and the one with its types.
    fn of(&self, root: &Path, binary: &str) -> Vec<&Package> {
        let own = self.packages.iter();
        let own = own.filter(|package| package.directory().starts_with(root));
        let own: Vec<_> = own.filter(|package| package.name != MANAGER).collect();
        let is_start = |package: &&Package| package.has(binary) || package.has("crdgen");
        let mut found: Vec<&Package> = own.iter().copied().filter(is_start).collect();
        let mut next = 0;
        while let Some(package) = found.get(next) {
            let needs = |other: &&&Package| package.needs(other);
            let new: Vec<_> = own.iter().filter(needs).copied().collect();
            let is_known = |new: &&Package| found.iter().any(|known| known.name == new.name);
            let new: Vec<_> = new.into_iter().filter(|new| !is_known(new)).collect();
            found.extend(new);
            next += 1;
        }
        found
    }
}

impl Package {
    fn directory(&self) -> &Path {
        self.manifest_path.parent().unwrap_or(&self.manifest_path)
    }

    /// Whether it has a program of this name.
    fn has(&self, binary: &str) -> bool {
        let mut targets = self.targets.iter();
        targets.any(|target| target.name == binary && target.kind.iter().any(|kind| kind == "bin"))
    }

    /// Whether another one is compiled into it.
    fn needs(&self, other: &Self) -> bool {
        let mut needed = self.dependencies.iter();
        needed.any(|dependency| {
            dependency.kind.as_deref() != Some("dev")
                && dependency.path.as_deref() == Some(other.directory())
        })
    }

    /// The directories of its targets; of a build script, the file.
    fn places(&self) -> impl Iterator<Item = PathBuf> {
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
    use std::fs;
    use std::time::Duration;

    use super::*;

    fn package(
        directory: &str,
        targets: &[(&str, &str, &str)],
        needs: &[(&str, Option<&str>)],
    ) -> Package {
        let target = |(kind, name, path): &(&str, &str, &str)| Target {
            name: (*name).to_owned(),
            kind: vec![(*kind).to_owned()],
            src_path: Path::new(directory).join(path),
        };
        let dependency = |(path, kind): &(&str, Option<&str>)| Dependency {
            path: Some(PathBuf::from(path)),
            kind: kind.map(str::to_owned),
        };
        Package {
            name: directory.rsplit('/').next().unwrap().to_owned(),
            manifest_path: Path::new(directory).join("Cargo.toml"),
            targets: targets.iter().map(target).collect(),
            dependencies: needs.iter().map(dependency).collect(),
        }
    }

    #[test]
    fn what_the_operator_is_built_from() {
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
        let places = metadata.places(Path::new("/p"), "cow");
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
    fn cargo_is_asked_again_when_it_would_say_something_else() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path();
        let file = |path: &str| {
            let path = root.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        };
        for path in ["Cargo.toml", "api/Cargo.toml", "api/src/lib.rs"] {
            file(path);
        }
        let api = package(root.join("api").to_str().unwrap(), &[], &[]);
        let metadata = Metadata {
            packages: vec![api],
            workspace_root: root.into(),
        };
        let later = |path: &str, seconds| {
            let time = SystemTime::now() + Duration::from_secs(seconds);
            let file = fs::File::open(root.join(path)).unwrap();
            file.set_modified(time).unwrap();
        };
        let asked = SystemTime::now() + Duration::from_secs(60);
        assert!(metadata.holds_since(asked));
        for path in ["Cargo.toml", "api/Cargo.toml", "api", "api/src"] {
            later(path, 60);
            assert!(!metadata.holds_since(asked), "{path} changed");
            later(path, 0);
            assert!(metadata.holds_since(asked));
        }
        later("api/src/lib.rs", 60);
        assert!(
            metadata.holds_since(asked),
            "what is in a source is read anyway"
        );
        fs::remove_file(root.join("api/Cargo.toml")).unwrap();
        assert!(!metadata.holds_since(asked), "a member is gone");
    }
}
