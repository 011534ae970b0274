//! The packages of a repository and their targets, derived from the `Cargo.toml` files without
//! cargo.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use toml_edit::{DocumentMut, Item};

use crate::disk::normal;

/// A package with its targets. All paths are relative to the repository.
#[derive(Clone, Debug)]
pub struct Package {
    pub name: String,
    /// The directory of its `Cargo.toml`.
    pub dir: PathBuf,
    /// The directory of its workspace, or its own without one.
    pub workspace: PathBuf,
    /// The crate name of the library, and its crate root; `None` if the package has no library.
    pub lib: Option<(String, PathBuf)>,
    /// Its binary targets: those that the manifest declares, `src/main.rs`, and those in `src/bin`.
    pub bins: Vec<Bin>,
    /// The path dependencies, without dev- and build-dependencies.
    pub dependencies: Vec<Dependency>,
    /// The major and minor version that the dependency on `kube` or `kube-runtime` requires: the
    /// first of the two in the manifest. `None` if neither names a version.
    pub kube: Option<(u32, u32)>,
}

/// A binary target of a package.
#[derive(Clone, Debug)]
pub struct Bin {
    pub name: String,
    /// The file with `main`, relative to the repository.
    pub root: PathBuf,
    /// The features that the target requires.
    pub features: Vec<String>,
}

/// A package in the same repository on which another one depends.
#[derive(Clone, Debug)]
pub struct Dependency {
    /// The crate name in the code, if the dependency is renamed.
    pub renamed: Option<String>,
    /// The directory of the package, relative to the repository.
    pub dir: PathBuf,
}

/// Returns the packages of the given manifests, in their order. `manifests` are the texts of
/// `Cargo.toml` files with their directories, and `files` the paths of all sources. Manifests that
/// are not TOML, and those without a package, are left out.
pub fn packages(
    manifests: impl IntoIterator<Item = (PathBuf, impl AsRef<str>)>,
    files: &BTreeSet<&Path>,
) -> Vec<Package> {
    let manifests: Vec<(PathBuf, DocumentMut)> = manifests
        .into_iter()
        .filter_map(|(dir, text)| Some((dir, text.as_ref().parse().ok()?)))
        .collect();
    manifests
        .iter()
        .filter_map(|(dir, manifest)| package(dir, manifest, &manifests, files))
        .collect()
}

/// Returns the lowest major and minor version of the package `name` in the text of a `Cargo.lock`;
/// `None` if it is not locked.
pub fn locked(lock: &str, name: &str) -> Option<(u32, u32)> {
    let lock: DocumentMut = lock.parse().ok()?;
    let packages = lock.get("package")?.as_array_of_tables()?.iter();
    let named = packages.filter(|it| it.get("name").and_then(Item::as_str) == Some(name));
    named.filter_map(|it| version(it.get("version")?)).min()
}

/// Returns the line, counted from 1, at which a `Cargo.toml` is not TOML, and why; `None` if it is.
pub fn problem(text: &str) -> Option<(usize, String)> {
    let error = text.parse::<DocumentMut>().err()?;
    let at = error.span().map_or(0, |span| span.start.min(text.len()));
    let line = text[..at].matches('\n').count() + 1;
    Some((line, error.message().to_owned()))
}

fn package(
    dir: &Path,
    manifest: &DocumentMut,
    manifests: &[(PathBuf, DocumentMut)],
    files: &BTreeSet<&Path>,
) -> Option<Package> {
    let name = manifest.get("package")?.get("name")?.as_str()?.to_owned();
    let workspace = workspace_of(dir, manifests);
    let mut dependencies = Vec::new();
    let mut kube = None;
    for table in dependency_tables(manifest) {
        let Some(table) = table.as_table_like() else {
            continue;
        };
        for (key, item) in table.iter() {
            let is_inherited = item.get("workspace").and_then(Item::as_bool) == Some(true);
            let (base, item) = match workspace {
                Some((above, manifest)) if is_inherited => {
                    let inherited = manifest["workspace"].get("dependencies");
                    match inherited.and_then(|inherited| inherited.get(key)) {
                        Some(item) => (above, item),
                        None => continue,
                    }
                }
                _ => (dir, item),
            };
            if matches!(key, "kube" | "kube-runtime") {
                kube = kube.or_else(|| version(item));
            }
            if let Some(path) = item.get("path").and_then(Item::as_str) {
                dependencies.push(Dependency {
                    renamed: item.get("package").is_some().then(|| crate_name(key)),
                    dir: normal(&base.join(path)),
                });
            }
        }
    }
    Some(Package {
        workspace: workspace.map_or(dir, |(above, _)| above).to_owned(),
        lib: lib(dir, manifest, &name, files),
        bins: bins(dir, manifest, &name, files),
        dependencies,
        dir: dir.to_owned(),
        kube,
        name,
    })
}

/// Returns the workspace of a package: the nearest one at or above it that does not exclude it.
/// Path dependencies of members are members, too; in practice, any package below a workspace is one
/// of these.
fn workspace_of<'m>(
    dir: &Path,
    manifests: &'m [(PathBuf, DocumentMut)],
) -> Option<(&'m Path, &'m DocumentMut)> {
    let above = dir
        .ancestors()
        .filter_map(|above| manifests.iter().find(|(it, _)| it == above));
    above
        .map(|(above, manifest)| (above.as_path(), manifest))
        .find(|(above, manifest)| {
            let workspace = manifest.get("workspace");
            workspace.is_some_and(|it| !is_excluded(it, dir.strip_prefix(above).unwrap_or(dir)))
        })
}

/// Reports whether a workspace excludes a directory below it: a directory that `members` names is
/// never excluded, as in cargo's `WorkspaceRootConfig::is_excluded`.
fn is_excluded(workspace: &Item, below: &Path) -> bool {
    let names = |key: &str| {
        let items = workspace.get(key).and_then(Item::as_array);
        let mut names = items.into_iter().flatten().filter_map(|it| it.as_str());
        names.any(|name| below.starts_with(normal(Path::new(name))))
    };
    names("exclude") && !names("members")
}

/// Returns the tables of dependencies, including those for single targets. Dev- and
/// build-dependencies are not linked into a program.
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
    let name = crate_name(text("name").unwrap_or(package));
    files.contains(root.as_path()).then_some((name, root))
}

fn bins(dir: &Path, manifest: &DocumentMut, package: &str, files: &BTreeSet<&Path>) -> Vec<Bin> {
    let exists = |path: &PathBuf| files.contains(path.as_path());
    let mut bins: Vec<Bin> = Vec::new();
    let declared = manifest.get("bin").and_then(Item::as_array_of_tables);
    for bin in declared.into_iter().flatten() {
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
        let features = bin.get("required-features").and_then(Item::as_array);
        let features = features.into_iter().flatten();
        if let Some(root) = path.filter(exists) {
            bins.push(Bin {
                name: name.to_owned(),
                root,
                features: features
                    .filter_map(|it| it.as_str().map(str::to_owned))
                    .collect(),
            });
        }
    }
    let mut add = |name: &str, root: &Path| {
        if !bins.iter().any(|bin| bin.root == root) {
            bins.push(Bin {
                name: name.to_owned(),
                root: root.to_owned(),
                features: Vec::new(),
            });
        }
    };
    let main = dir.join("src/main.rs");
    if exists(&main) {
        add(package, &main);
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
            add(name, path);
        }
    }
    bins
}

/// Returns the crate name of a package or a dependency.
fn crate_name(name: &str) -> String {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_named_member_is_never_excluded() {
        let root = "[workspace]\nmembers = [\"kept\", \"crates/*\"]\nexclude = [\"kept\", \"crates/own\"]\n";
        let manifest = |name: &str| format!("[package]\nname = \"{name}\"\n");
        let manifests = [
            (PathBuf::new(), root.to_owned()),
            ("crates/a".into(), manifest("a")),
            ("crates/own".into(), manifest("own")),
            ("kept".into(), manifest("kept")),
        ];
        let found = packages(manifests, &BTreeSet::new());
        let workspaces: Vec<_> = found
            .iter()
            .map(|package| (package.name.as_str(), package.workspace.to_str().unwrap()))
            .collect();
        assert_eq!(workspaces, [("a", ""), ("own", "crates/own"), ("kept", "")]);
    }

    #[test]
    fn binary_targets_are_declared_or_found_in_their_usual_places() {
        let manifest = "[package]\nname = \"farm\"\n[[bin]]\nname = \"ox\"\nrequired-features = [\"yoke\"]\n\
                        [[bin]]\nname = \"gone\"\npath = \"src/gone.rs\"\n";
        let files = [
            "src/main.rs",
            "src/bin/ox.rs",
            "src/bin/hen/main.rs",
            "src/bin/hen/egg.rs",
        ];
        let files = files.map(Path::new).into_iter().collect();
        let found = packages([(PathBuf::new(), manifest)], &files);
        let bins: Vec<_> = found[0]
            .bins
            .iter()
            .map(|bin| {
                (
                    bin.name.as_str(),
                    bin.root.to_str().unwrap(),
                    bin.features.join(","),
                )
            })
            .collect();
        let no_features = String::new();
        assert_eq!(
            bins,
            [
                ("ox", "src/bin/ox.rs", "yoke".to_owned()),
                ("farm", "src/main.rs", no_features.clone()),
                ("hen", "src/bin/hen/main.rs", no_features),
            ]
        );
    }
}
