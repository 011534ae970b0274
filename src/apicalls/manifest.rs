//! The packages of a repository and their targets, derived from the `Cargo.toml` files without cargo.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};

use toml_edit::{DocumentMut, Item};

/// A package with its targets. All paths are relative to the repository.
#[derive(Debug)]
pub struct Package {
    pub name: String,
    /// The root file of the library and its name in Rust.
    pub lib: Option<(String, PathBuf)>,
    /// The names of the programs and their root files.
    pub bins: Vec<(String, PathBuf)>,
    /// Path dependencies: the name in Rust, if the dependency is renamed, and the directory.
    pub dependencies: Vec<(Option<String>, PathBuf)>,
    pub dir: PathBuf,
    /// The major and minor version of kube in the dependencies.
    pub kube: Option<(u32, u32)>,
}

/// Returns the packages of the given files, which are the repository's manifests and sources by path.
pub fn packages(files: &BTreeMap<PathBuf, String>) -> Vec<Package> {
    let is_manifest = |path: &Path| path.file_name().is_some_and(|name| name == "Cargo.toml");
    let manifests: BTreeMap<PathBuf, DocumentMut> = files
        .iter()
        .filter(|(path, _)| is_manifest(path))
        .filter_map(|(path, text)| Some((path.parent()?.to_owned(), text.parse().ok()?)))
        .collect();
    let paths: BTreeSet<&Path> = files.keys().map(PathBuf::as_path).collect();
    manifests
        .iter()
        .filter_map(|(dir, manifest)| package(dir, manifest, &manifests, &paths))
        .collect()
}

fn package(
    dir: &Path,
    manifest: &DocumentMut,
    manifests: &BTreeMap<PathBuf, DocumentMut>,
    files: &BTreeSet<&Path>,
) -> Option<Package> {
    let name = manifest.get("package")?.get("name")?.as_str()?.to_owned();
    let workspace = dir.ancestors().find_map(|above| {
        let dependencies = manifests
            .get(above)?
            .get("workspace")?
            .get("dependencies")?;
        Some((above.to_owned(), dependencies))
    });
    let mut dependencies = Vec::new();
    let mut kube = None;
    for table in dependency_tables(manifest) {
        let Some(table) = table.as_table_like() else {
            continue;
        };
        for (key, item) in table.iter() {
            let is_inherited = item.get("workspace").and_then(Item::as_bool) == Some(true);
            let (base, item) = match &workspace {
                Some((above, inherited)) if is_inherited => match inherited.get(key) {
                    Some(item) => (above.as_path(), item),
                    None => continue,
                },
                _ => (dir, item),
            };
            if matches!(key, "kube" | "kube-runtime") {
                kube = kube.or_else(|| version(item));
            }
            if let Some(path) = item.get("path").and_then(Item::as_str) {
                let renamed = item.get("package").is_some().then(|| ident(key));
                dependencies.push((renamed, normal(&base.join(path))));
            }
        }
    }
    Some(Package {
        lib: lib(dir, manifest, &name, files),
        bins: bins(dir, manifest, &name, files),
        dependencies,
        dir: dir.to_owned(),
        kube,
        name,
    })
}

/// Returns the tables of dependencies, including those for single targets. Dev-dependencies are not part of a program.
fn dependency_tables(manifest: &DocumentMut) -> Vec<&Item> {
    let targets = manifest.get("target").and_then(Item::as_table_like);
    let of_targets = targets
        .into_iter()
        .flat_map(|table| table.iter())
        .filter_map(|(_, target)| target.get("dependencies"));
    manifest
        .get("dependencies")
        .into_iter()
        .chain(of_targets)
        .collect()
}

fn lib(
    dir: &Path,
    manifest: &DocumentMut,
    package: &str,
    files: &BTreeSet<&Path>,
) -> Option<(String, PathBuf)> {
    let table = manifest.get("lib");
    let text = |key: &str| table?.get(key)?.as_str();
    let root = normal(&dir.join(text("path").unwrap_or("src/lib.rs")));
    let name = ident(text("name").unwrap_or(package));
    files.contains(root.as_path()).then_some((name, root))
}

fn bins(
    dir: &Path,
    manifest: &DocumentMut,
    package: &str,
    files: &BTreeSet<&Path>,
) -> Vec<(String, PathBuf)> {
    let mut bins = BTreeMap::new();
    let exists = |path: &PathBuf| files.contains(path.as_path());
    let main = dir.join("src/main.rs");
    if exists(&main) {
        bins.insert(main, package.to_owned());
    }
    let below = dir.join("src/bin");
    for path in files.range(below.as_path()..) {
        let Ok(inside) = path.strip_prefix(&below) else {
            break;
        };
        let parts: Vec<_> = inside.iter().map(|part| part.to_string_lossy()).collect();
        let name = match &parts[..] {
            [file] => file.strip_suffix(".rs"),
            [name, file] if file == "main.rs" => Some(&**name),
            _ => None,
        };
        if let Some(name) = name {
            bins.insert(path.to_path_buf(), name.to_owned());
        }
    }
    let listed = manifest.get("bin").and_then(Item::as_array_of_tables);
    for bin in listed.into_iter().flatten() {
        let text = |key: &str| bin.get(key)?.as_str();
        let Some(name) = text("name") else { continue };
        let usual = [
            dir.join(format!("src/bin/{name}.rs")),
            dir.join(format!("src/bin/{name}/main.rs")),
            dir.join("src/main.rs"),
        ];
        let path = match text("path") {
            Some(path) => Some(normal(&dir.join(path))),
            None => usual.into_iter().find(exists),
        };
        if let Some(path) = path.filter(exists) {
            bins.insert(path, name.to_owned());
        }
    }
    bins.into_iter().map(|(path, name)| (name, path)).collect()
}

/// Returns the name of a package or a dependency in Rust.
fn ident(name: &str) -> String {
    name.replace('-', "_")
}

/// Returns the first two numbers of a version requirement.
fn version(item: &Item) -> Option<(u32, u32)> {
    let text = item.as_str().or_else(|| item.get("version")?.as_str())?;
    let mut numbers = text
        .trim_start_matches(|c: char| !c.is_ascii_digit())
        .split(|c: char| !c.is_ascii_digit())
        .map(str::parse);
    let major = numbers.next()?.ok()?;
    let minor = numbers.next().and_then(Result::ok).unwrap_or(0);
    Some((major, minor))
}

/// Removes `.` and `..` from a path without looking at the disk.
pub fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                normal.pop();
            }
            part => normal.push(part),
        }
    }
    normal
}
