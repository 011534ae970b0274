//! The packages and programs of a repository, by its `Cargo.toml` files.

use std::path::{Path, PathBuf};

use toml_edit::{DocumentMut, Item};

use super::repository::Repository;
use crate::adopted::paths::fits;
use crate::sources::Crate;
use crate::text::shell_word;

/// A package of Cargo.
#[derive(Clone, Debug)]
pub struct Package {
    pub name: String,
    /// The directory, relative to the repository.
    pub dir: PathBuf,
    /// The directories of the packages on which it depends by path.
    pub dependencies: Vec<PathBuf>,
    pub bins: Vec<Bin>,
}

/// A program of a package.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Bin {
    pub name: String,
    /// The name of its package.
    pub package: String,
    /// The directory of its package.
    pub dir: PathBuf,
    /// The directory of the workspace, whose `target` contains the program.
    pub workspace: PathBuf,
    /// The file with `main`.
    pub path: PathBuf,
    /// The features that the program requires.
    pub features: Vec<String>,
    /// True if other packages of the repository may have a program of the same name, or none is built by default.
    pub needs_package: bool,
}

impl Bin {
    /// Returns `cargo SUBCOMMAND` for the program.
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

    /// Returns the path of the built program.
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

/// Returns all packages outside of tests and examples, sorted by directory.
pub fn packages(repository: &Repository) -> Vec<Package> {
    let mut manifests = Vec::new();
    for path in repository
        .files()
        .filter(|path| path.ends_with("Cargo.toml"))
    {
        let dir = path.parent().unwrap_or(Path::new(""));
        let is_vendored = dir.components().any(|it| {
            ["vendor", "target", "node_modules"]
                .iter()
                .any(|name| it.as_os_str() == *name)
        });
        let text = repository.text(path).filter(|_| !is_vendored);
        if let Some(document) = text.and_then(|text| text.parse::<DocumentMut>().ok()) {
            manifests.push((dir.to_owned(), document));
        }
    }
    let count = manifests
        .iter()
        .filter(|(_, it)| it.contains_key("package"))
        .count();
    let mut packages = Vec::new();
    for (dir, document) in &manifests {
        let Some(name) = document
            .get("package")
            .and_then(|it| it.get("name"))
            .and_then(Item::as_str)
        else {
            continue;
        };
        let workspace = workspace_of(dir, &manifests);
        let shared = manifests
            .iter()
            .find(|(it, _)| *it == workspace)
            .map(|(_, it)| it);
        let bins = bins(repository, name, dir, &workspace, document, count > 1);
        packages.push(Package {
            name: name.to_owned(),
            dir: dir.clone(),
            dependencies: dependencies(dir, document, &workspace, shared),
            bins,
        });
    }
    packages
}

/// Returns the directory of the workspace of a package: the nearest one above it that has it as a member.
fn workspace_of(dir: &Path, manifests: &[(PathBuf, DocumentMut)]) -> PathBuf {
    let above = dir
        .ancestors()
        .filter_map(|above| manifests.iter().find(|(it, _)| it == above));
    let is_of = |above: &Path, document: &DocumentMut| {
        let Some(workspace) = document.get("workspace") else {
            return false;
        };
        let list = |key: &str| -> Vec<String> {
            let items = workspace.get(key).and_then(Item::as_array);
            let items = items
                .into_iter()
                .flatten()
                .filter_map(|it| it.as_str().map(str::to_owned));
            items
                .map(|it| it.trim_end_matches('/').trim_start_matches("./").to_owned())
                .collect()
        };
        let below = dir.strip_prefix(above).unwrap_or(dir).display().to_string();
        let is_in = |patterns: &[String]| patterns.iter().any(|it| path_fits(it, &below));
        let is_excluded = list("exclude")
            .iter()
            .any(|it| below == *it || below.starts_with(&format!("{it}/")));
        // Path dependencies of members are members, too; a package below a workspace is one of these in practice.
        below.is_empty() || is_in(&list("members")) || !is_excluded
    };
    let mut above = above.filter(|(above, document)| is_of(above, document));
    above
        .next()
        .map_or_else(|| dir.to_owned(), |(above, _)| above.clone())
}

fn path_fits(pattern: &str, path: &str) -> bool {
    let (pattern, path): (Vec<_>, Vec<_>) =
        (pattern.split('/').collect(), path.split('/').collect());
    pattern.len() == path.len()
        && pattern
            .iter()
            .zip(path)
            .all(|(pattern, part)| fits(pattern, part))
}

/// Returns the directories of path dependencies, including those that inherit from the workspace.
fn dependencies(
    dir: &Path,
    document: &DocumentMut,
    workspace: &Path,
    shared: Option<&DocumentMut>,
) -> Vec<PathBuf> {
    let shared = shared.and_then(|it| it.get("workspace")?.get("dependencies"));
    let table = document.get("dependencies").and_then(Item::as_table_like);
    let mut found = Vec::new();
    for (name, item) in table.into_iter().flat_map(|it| it.iter()) {
        let own = item
            .get("path")
            .and_then(Item::as_str)
            .map(|path| clean(&dir.join(path)));
        let inherited = || {
            let item = shared?.get(name)?;
            let path = item.get("path").and_then(Item::as_str)?;
            Some(clean(&workspace.join(path)))
        };
        found.extend(own.or_else(inherited));
    }
    found
}

fn bins(
    repository: &Repository,
    package: &str,
    dir: &Path,
    workspace: &Path,
    document: &DocumentMut,
    needs_package: bool,
) -> Vec<Bin> {
    let bin = |name: &str, path: PathBuf, features: Vec<String>| Bin {
        name: name.to_owned(),
        package: package.to_owned(),
        dir: dir.to_owned(),
        workspace: workspace.to_owned(),
        path,
        features,
        needs_package,
    };
    let mut found: Vec<Bin> = Vec::new();
    let declared = document.get("bin").and_then(Item::as_array_of_tables);
    for table in declared.into_iter().flatten() {
        let Some(name) = table.get("name").and_then(Item::as_str) else {
            continue;
        };
        let usual = [
            format!("src/bin/{name}.rs"),
            format!("src/bin/{name}/main.rs"),
            "src/main.rs".to_owned(),
        ];
        let path = table
            .get("path")
            .and_then(Item::as_str)
            .map(|it| clean(&dir.join(it)));
        let path = path.or_else(|| {
            usual
                .iter()
                .map(|it| dir.join(it))
                .find(|it| repository.has(it))
        });
        let features = table.get("required-features").and_then(Item::as_array);
        let features = features
            .into_iter()
            .flatten()
            .filter_map(|it| it.as_str().map(str::to_owned));
        found.extend(path.map(|path| bin(name, path, features.collect())));
    }
    let is_known = |found: &[Bin], path: &Path| found.iter().any(|it| it.path == path);
    let main = dir.join("src/main.rs");
    if repository.has(&main) && !is_known(&found, &main) {
        found.push(bin(package, main, Vec::new()));
    }
    let bin_dir = dir.join("src/bin");
    for path in repository.below(&bin_dir) {
        let Ok(inside) = path.strip_prefix(&bin_dir) else {
            continue;
        };
        let parts: Vec<_> = inside.iter().map(|it| it.to_string_lossy()).collect();
        let name = match &parts[..] {
            [file] => file.strip_suffix(".rs").map(str::to_owned),
            [name, file] if file == "main.rs" => Some(name.to_string()),
            _ => None,
        };
        if let Some(name) = name.filter(|_| !is_known(&found, path)) {
            found.push(bin(&name, path.to_owned(), Vec::new()));
        }
    }
    found
}

/// Returns the library or main crate of each package, for the resolution of names.
pub fn crates(repository: &Repository) -> Vec<Crate> {
    let packages = packages(repository).into_iter();
    packages
        .map(|package| Crate {
            name: package.name.replace('-', "_"),
            dir: package.dir.join("src"),
        })
        .collect()
}

/// Removes `.` and `..` from a relative path.
pub fn clean(path: &Path) -> PathBuf {
    let mut clean = PathBuf::new();
    for part in path.components() {
        match part {
            std::path::Component::ParentDir => drop(clean.pop()),
            std::path::Component::CurDir => {}
            part => clean.push(part),
        }
    }
    clean
}
