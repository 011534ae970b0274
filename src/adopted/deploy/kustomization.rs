//! Kustomizations that list files which do not exist, such as CRDs that are generated and not committed. kustomize rejects
//! them as a whole.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::{fmt, fs};

use serde_json::Value;
use tempfile::TempDir;

use crate::adopted::detect::files_of;
use crate::adopted::{Error, documents};
use crate::disk::{normal, regular};
use crate::error::Io;

/// The names of the file that describes a kustomization.
const NAMES: [&str; 3] = ["kustomization.yaml", "kustomization.yml", "Kustomization"];

/// The fields that list files and directories with objects.
const FIELDS: [&str; 3] = ["resources", "bases", "components"];

/// Maximum nesting of kustomizations.
const DEEPEST: usize = 8;

/// An entry of a kustomization that names no file.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub struct Absent {
    /// The file of the kustomization, relative to the repository.
    pub file: PathBuf,
    /// The line of the entry; 0 if it is not known.
    pub line: usize,
    pub entry: String,
}

impl fmt::Display for Absent {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let (file, line, entry) = (self.file.display(), self.line, &self.entry);
        write!(
            f,
            "{file}:{line} lists `{entry}`, which does not exist; the rest is read"
        )
    }
}

/// Returns the entries that name no file, of the kustomization in the directory `path` and of those that it includes.
pub fn absent(dir: &Path, path: &str) -> BTreeSet<Absent> {
    let mut found = BTreeSet::new();
    collect(dir, &normal(Path::new(path)), &mut found, 0);
    found
}

fn collect(dir: &Path, path: &Path, found: &mut BTreeSet<Absent>, depth: usize) {
    let file = NAMES.iter().map(|name| path.join(name));
    let Some(file) = file.into_iter().find(|file| dir.join(file).is_file()) else {
        return;
    };
    let Ok(text) = regular::text(&dir.join(&file)) else {
        return;
    };
    for entry in entries(&text) {
        // Remote bases are left to kustomize.
        if entry.contains("://") || entry.contains('?') || entry.starts_with("git@") {
            continue;
        }
        let target = normal(&path.join(&entry));
        let full = dir.join(&target);
        if full.is_dir() && depth < DEEPEST {
            collect(dir, &target, found, depth + 1);
        } else if !full.exists() && !is_remote(&entry) {
            let at = text.lines().position(|row| row.contains(&entry));
            found.insert(Absent {
                file: file.clone(),
                line: at.map_or(0, |at| at + 1),
                entry,
            });
        }
    }
}

/// Reports whether an entry may be a remote base without a scheme: `github.com/owner/name//config`.
fn is_remote(entry: &str) -> bool {
    let host = entry.split('/').next().unwrap_or_default();
    !host.starts_with('.') && host.contains('.') && entry.contains('/')
}

/// Returns the entries of a kustomization.
fn entries(text: &str) -> Vec<String> {
    let documents = documents::objects_of_any_kind(text);
    let lists = documents
        .iter()
        .flat_map(|document| FIELDS.iter().filter_map(|key| document[*key].as_array()));
    let entries = lists.flatten().filter_map(Value::as_str);
    entries.map(str::to_owned).collect()
}

/// Returns a copy of the repository's files whose kustomizations lack the given entries.
///
/// # Errors
/// Returns an error if a file cannot be copied.
pub fn without(dir: &Path, absent: &BTreeSet<Absent>) -> Result<TempDir, Error> {
    let copy = tempfile::tempdir().map_err(Io::on("create", std::env::temp_dir()))?;
    for file in files_of(dir) {
        let (from, to) = (dir.join(&file), copy.path().join(&file));
        let is_text = from.metadata().is_ok_and(|it| it.len() < LARGEST);
        if from.is_file() && is_text {
            let parent = to.parent().unwrap_or(copy.path());
            fs::create_dir_all(parent).map_err(Io::on("create", parent))?;
            fs::copy(&from, &to).map_err(Io::on("copy", &from))?;
        }
    }
    for file in absent.iter().map(|it| &it.file).collect::<BTreeSet<_>>() {
        let path = copy.path().join(file);
        let text = regular::text(&path).map_err(Io::on("read", &path))?;
        let mut documents = documents::objects_of_any_kind(&text);
        for document in &mut documents {
            for key in FIELDS {
                let Some(list) = document.get_mut(key).and_then(Value::as_array_mut) else {
                    continue;
                };
                list.retain(|entry| {
                    let mut of_file = absent.iter().filter(|it| it.file == *file);
                    !of_file.any(|it| *entry == it.entry.as_str())
                });
            }
        }
        // JSON is YAML.
        let text: Vec<_> = documents.iter().map(Value::to_string).collect();
        fs::write(&path, text.join("\n---\n")).map_err(Io::on("write", &path))?;
    }
    Ok(copy)
}

/// The size in bytes from which on a file is no input of kustomize.
const LARGEST: u64 = 1 << 20;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_without_a_file_are_found_in_bases_too_and_left_out_of_the_copy() {
        let dir = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            let path = dir.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        write(
            "deploy/kustomization.yaml",
            "namespace: farm\nresources:\n- ../base\n- ./crds.yaml\n- role.yaml\n- https://x.io/a.yaml\n- github.com/x/y//config\n",
        );
        write("deploy/role.yaml", "kind: Role\n");
        write("base/kustomization.yml", "resources: [a.yaml, b.yaml]\n");
        write("base/a.yaml", "kind: A\n");
        let found = absent(dir.path(), "deploy");
        let shown: Vec<_> = found
            .iter()
            .map(|it| format!("{}:{} {}", it.file.display(), it.line, it.entry))
            .collect();
        assert_eq!(
            shown,
            [
                "base/kustomization.yml:1 b.yaml",
                "deploy/kustomization.yaml:4 ./crds.yaml"
            ]
        );
        let copy = without(dir.path(), &found).unwrap();
        assert!(copy.path().join("deploy/role.yaml").is_file());
        let text = fs::read_to_string(copy.path().join("deploy/kustomization.yaml")).unwrap();
        assert_eq!(
            entries(&text),
            [
                "../base",
                "role.yaml",
                "https://x.io/a.yaml",
                "github.com/x/y//config"
            ]
        );
        assert!(text.contains("farm"));
        assert!(absent(copy.path(), "deploy").is_empty());
    }
}
