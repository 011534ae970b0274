//! The packages and programs of a repository, by its `Cargo.toml` files.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::repository::Repository;
use crate::sources::Crate;
use crate::sources::packages as cargo;
use crate::text::shell_word;

/// A package of the repository with its programs.
#[derive(Clone, Debug)]
pub struct CargoPackage {
    pub name: String,
    /// The directory, relative to the repository.
    pub dir: PathBuf,
    /// The directories of the packages on which it depends by path, relative to the repository.
    pub dependencies: Vec<PathBuf>,
    /// The major and minor version of kube, or of kube-runtime, in its dependencies. `None` if it
    /// depends on neither, or names no version.
    pub kube: Option<(u32, u32)>,
    /// The crate name of the library, and its crate root; `None` if the package has no library.
    lib: Option<(String, PathBuf)>,
    /// Its programs.
    pub bins: Vec<Bin>,
}

/// A program of a package.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Bin {
    pub name: String,
    /// The name of its package.
    pub package: String,
    /// The directory of its package, relative to the repository.
    pub dir: PathBuf,
    /// The directory whose `target` contains the program: that of the workspace, or of the package
    /// if it has none. Relative to the repository, and empty for its top.
    pub workspace: PathBuf,
    /// The file with `main`, relative to the repository.
    pub path: PathBuf,
    /// The features that the program requires.
    pub features: Vec<String>,
    /// True if the repository has several packages. Then cargo needs the name of the package, since
    /// two may have a program of this name, or this one may not be a default member.
    pub needs_package: bool,
}

impl Bin {
    /// Returns the shell line `cargo SUBCOMMAND` for the program, to be run at the top of the
    /// repository.
    pub fn cargo(&self, subcommand: &str) -> String {
        let mut line = format!("cargo {subcommand}");
        let mut add = |flag: &str, value: &str| {
            line.push_str(flag);
            line.push_str(&shell_word(value));
        };
        if !self.workspace.as_os_str().is_empty() {
            add(
                " --manifest-path ",
                &self.dir.join("Cargo.toml").display().to_string(),
            );
        } else if self.needs_package {
            add(" -p ", &self.package);
        }
        add(" --bin ", &self.name);
        if !self.features.is_empty() {
            add(" --features ", &self.features.join(","));
        }
        line
    }

    /// Returns the path of the program in a debug build, relative to the repository.
    pub fn built(&self) -> String {
        self.workspace
            .join("target/debug")
            .join(&self.name)
            .display()
            .to_string()
    }

    /// Returns true if the program is a generator of CRDs, by its name.
    pub fn is_generator(&self) -> bool {
        let name = self.name.to_lowercase().replace(['-', '_'], "");
        name.contains("crdgen")
            || name.contains("gencrd")
            || name.contains("generatecrd")
            || name == "crds"
            || name == "crd"
    }
}

/// Returns all packages outside of vendored and build directories, sorted by directory.
pub fn packages(repository: &Repository) -> Vec<CargoPackage> {
    let manifests = repository
        .files()
        .filter(|path| path.ends_with("Cargo.toml"));
    let manifests = manifests.filter_map(|path| {
        let dir = path.parent().unwrap_or(Path::new(""));
        let is_vendored = dir.components().any(|it| {
            ["vendor", "target", "node_modules"]
                .iter()
                .any(|name| it.as_os_str() == *name)
        });
        let text = repository.text(path).filter(|_| !is_vendored)?;
        Some((dir.to_owned(), text))
    });
    let files: BTreeSet<_> = repository.files().collect();
    let found = cargo::packages(manifests, &files);
    let needs_package = found.len() > 1;
    found
        .into_iter()
        .map(|package| CargoPackage::of(package, needs_package))
        .collect()
}

impl CargoPackage {
    fn of(package: cargo::Package, needs_package: bool) -> Self {
        let bins = package.bins.into_iter().map(|bin| Bin {
            name: bin.name,
            package: package.name.clone(),
            dir: package.dir.clone(),
            workspace: package.workspace.clone(),
            path: bin.root,
            features: bin.features,
            needs_package,
        });
        let dependencies = package.dependencies.into_iter();
        Self {
            bins: bins.collect(),
            dependencies: dependencies.map(|it| it.dir).collect(),
            kube: package.kube,
            lib: package.lib,
            name: package.name,
            dir: package.dir,
        }
    }
}

/// Returns the lowest major and minor version of kube in the dependencies of the packages.
pub fn kube(repository: &Repository) -> Option<(u32, u32)> {
    let packages = packages(repository).into_iter();
    packages.filter_map(|package| package.kube).min()
}

/// Returns the library of each package, or its main crate in `src` if it has none, for the
/// resolution of names. Directories are relative to the repository.
pub fn crates(repository: &Repository) -> Vec<Crate> {
    let packages = packages(repository).into_iter();
    packages
        .map(|package| match package.lib {
            Some((name, root)) => Crate {
                name,
                dir: root.parent().unwrap_or(Path::new("")).to_owned(),
            },
            None => Crate {
                name: package.name.replace('-', "_"),
                dir: package.dir.join("src"),
            },
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crate_has_the_name_and_the_directory_of_its_library() {
        let dir = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            let path = dir.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        let package = "[package]\nname = \"cow-types\"\n";
        for (lib, name, sources) in [
            ("", "cow_types", "a/src"),
            ("[lib]\nname = \"cows\"\n", "cows", "a/src"),
            ("[lib]\npath = \"lib/lib.rs\"\n", "cow_types", "a/lib"),
        ] {
            write("a/Cargo.toml", &format!("{package}{lib}"));
            write(&format!("{sources}/lib.rs"), "");
            write("b/Cargo.toml", "[package]\nname = \"a-cow\"\n");
            write("b/src/main.rs", "fn main() {}");
            let found = crates(&Repository::read(dir.path()));
            let named = |name: &str, dir: &str| Crate {
                name: name.to_owned(),
                dir: dir.into(),
            };
            assert_eq!(found, [named(name, sources), named("a_cow", "b/src")]);
        }
    }
}
