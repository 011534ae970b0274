//! Kustomizations that list files which do not exist, such as CRDs that are generated and not
//! committed, or addresses, which rustop does not fetch. kustomize would reject the former as a
//! whole, and would send a request to the latter.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::{fmt, fs};

use serde_json::Value;
use tempfile::TempDir;

use crate::adopted::detect::files_of;
use crate::adopted::kustomize::{FIELDS, NAMES, entries};
use crate::adopted::{Error, documents};
use crate::disk::{normal, regular};
use crate::error::Io;
use crate::text;

/// The fields at any depth that name further files.
const INPUTS: [&str; 10] = [
    "configurations",
    "crds",
    "env",
    "envs",
    "files",
    "generators",
    "patchesStrategicMerge",
    "path",
    "transformers",
    "validators",
];

/// Maximum nesting of kustomizations.
const DEEPEST: usize = 8;

/// An entry of a kustomization that names no file, and is left out.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub struct LeftOut {
    /// The file of the kustomization, relative to the repository.
    pub file: PathBuf,
    /// The line of the entry; 0 if it is not known.
    pub line: usize,
    /// The path or the address, as the kustomization lists it.
    pub entry: String,
    /// True if the entry is an address, such as `github.com/owner/name//config`.
    pub is_remote: bool,
}

impl fmt::Display for LeftOut {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let (place, entry) = (text::place(&self.file, self.line), &self.entry);
        let why = if self.is_remote {
            "which rustop does not fetch"
        } else {
            "which does not exist"
        };
        write!(f, "{place} lists `{entry}`, {why}; the rest is read")
    }
}

/// Returns the entries that name no file, of the kustomization in the directory `path` and of those
/// that it includes.
///
/// # Errors
/// Returns an error if a patch or another input that cannot be left out is an address.
pub fn left_out(dir: &Path, path: &str) -> Result<BTreeSet<LeftOut>, Error> {
    let mut found = BTreeSet::new();
    collect(dir, &normal(Path::new(path)), &mut found, 0)?;
    Ok(found)
}

fn collect(
    dir: &Path,
    path: &Path,
    found: &mut BTreeSet<LeftOut>,
    depth: usize,
) -> Result<(), Error> {
    let file = NAMES.iter().map(|name| path.join(name));
    let Some(file) = file.into_iter().find(|file| dir.join(file).is_file()) else {
        return Ok(());
    };
    let Ok(text) = regular::text(&dir.join(&file)) else {
        return Ok(());
    };
    let line_of = |entry: &str| {
        let at = text.lines().position(|row| row.contains(entry));
        at.map_or(0, |at| at + 1)
    };
    let documents = documents::objects_of_any_kind(&text);
    for entry in documents.iter().flat_map(inputs) {
        if is_address(entry) {
            return Err(Error::Remote {
                place: text::place(&file, line_of(entry)),
                entry: entry.to_owned(),
            });
        }
    }
    for entry in documents.iter().flat_map(entries) {
        let target = normal(&path.join(entry));
        let full = dir.join(&target);
        let is_remote = is_address(entry) || (!full.exists() && has_host(entry));
        if !is_remote && full.is_dir() && depth < DEEPEST {
            collect(dir, &target, found, depth + 1)?;
        } else if is_remote || !full.exists() {
            found.insert(LeftOut {
                file: file.clone(),
                line: line_of(entry),
                entry: entry.to_owned(),
                is_remote,
            });
        }
    }
    Ok(())
}

/// Reports whether an entry is an address, and not a path.
fn is_address(entry: &str) -> bool {
    entry.contains("://") || entry.contains('?') || entry.starts_with("git@")
}

/// Reports whether an entry may be a remote base without a scheme: `github.com/owner/name//config`.
fn has_host(entry: &str) -> bool {
    let host = entry.split('/').next().unwrap_or_default();
    !host.starts_with('.') && host.contains('.') && entry.contains('/')
}

/// Returns the files that a kustomization reads in addition to its objects. Literal texts, such as
/// an inline patch, are none.
fn inputs(kustomization: &Value) -> Vec<&str> {
    let mut found = Vec::new();
    match kustomization {
        Value::Object(fields) => {
            for (key, value) in fields {
                if INPUTS.contains(&key.as_str()) {
                    let one = value.as_str().into_iter();
                    let list = value.as_array().into_iter().flatten();
                    let texts = one.chain(list.filter_map(Value::as_str));
                    found.extend(texts.filter(|text| !text.contains('\n')));
                }
                found.extend(inputs(value));
            }
        }
        Value::Array(items) => found.extend(items.iter().flat_map(inputs)),
        _ => {}
    }
    found
}

/// Returns a copy of the repository's files in which the kustomization in the directory `path`, and
/// those that it includes, lack the given entries. The copy is removed when it is dropped.
///
/// # Errors
/// Returns an error if a file cannot be copied.
pub fn without(dir: &Path, path: &str, left_out: &BTreeSet<LeftOut>) -> Result<TempDir, Error> {
    let copy = tempfile::tempdir().map_err(Io::on("create", std::env::temp_dir()))?;
    for file in files_of(dir) {
        copy_text(dir, copy.path(), &file)?;
    }
    // Generated files are often ignored by git.
    for ignored in self::left_out(copy.path(), path)? {
        let parent = ignored.file.parent().unwrap_or(Path::new(""));
        copy_text(dir, copy.path(), &normal(&parent.join(&ignored.entry)))?;
    }
    for file in left_out.iter().map(|it| &it.file).collect::<BTreeSet<_>>() {
        let path = copy.path().join(file);
        let text = regular::text(&path).map_err(Io::on("read", &path))?;
        let mut documents = documents::objects_of_any_kind(&text);
        for document in &mut documents {
            for key in FIELDS {
                let Some(list) = document.get_mut(key).and_then(Value::as_array_mut) else {
                    continue;
                };
                list.retain(|entry| {
                    let mut of_file = left_out.iter().filter(|it| it.file == *file);
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

/// Copies a file of a repository, unless it is too large or not a regular file.
fn copy_text(dir: &Path, copy: &Path, file: &Path) -> Result<(), Error> {
    let (from, to) = (dir.join(file), copy.join(file));
    if from
        .metadata()
        .is_ok_and(|it| it.is_file() && it.len() < LARGEST)
    {
        let parent = to.parent().unwrap_or(copy);
        fs::create_dir_all(parent).map_err(Io::on("create", parent))?;
        fs::copy(&from, &to).map_err(Io::on("copy", &from))?;
    }
    Ok(())
}

/// The size in bytes from which on kustomize does not read a file.
const LARGEST: u64 = 1 << 20;

#[cfg(test)]
mod tests {
    use std::process::Command;

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
        write(
            "base/kustomization.yml",
            "resources: [a.yaml, b.yaml, ignored.yaml]\n",
        );
        write("base/a.yaml", "kind: A\n");
        write("base/ignored.yaml", "kind: B\n");
        write(".gitignore", "ignored.yaml\n");
        let git = Command::new("git")
            .args(["init", "-q"])
            .current_dir(dir.path())
            .status();
        assert!(git.unwrap().success());
        let found = left_out(dir.path(), "deploy").unwrap();
        let shown: Vec<_> = found
            .iter()
            .map(|it| {
                format!(
                    "{}:{} {} {}",
                    it.file.display(),
                    it.line,
                    it.entry,
                    it.is_remote
                )
            })
            .collect();
        assert_eq!(
            shown,
            [
                "base/kustomization.yml:1 b.yaml false",
                "deploy/kustomization.yaml:4 ./crds.yaml false",
                "deploy/kustomization.yaml:6 https://x.io/a.yaml true",
                "deploy/kustomization.yaml:7 github.com/x/y//config true",
            ]
        );
        let copy = without(dir.path(), "deploy", &found).unwrap();
        for file in ["deploy/role.yaml", "base/ignored.yaml"] {
            assert!(copy.path().join(file).is_file(), "{file}");
        }
        let text = fs::read_to_string(copy.path().join("deploy/kustomization.yaml")).unwrap();
        let documents = documents::objects_of_any_kind(&text);
        let listed: Vec<_> = documents.iter().flat_map(entries).collect();
        assert_eq!(listed, ["../base", "role.yaml"]);
        assert!(text.contains("farm"));
        assert!(left_out(copy.path(), "deploy").unwrap().is_empty());
    }

    #[test]
    fn an_unknown_line_is_not_shown() {
        let entry = LeftOut {
            file: "kustomization.yaml".into(),
            line: 0,
            entry: "a.yaml".to_owned(),
            is_remote: false,
        };
        let shown = "kustomization.yaml lists `a.yaml`, which does not exist; the rest is read";
        assert_eq!(entry.to_string(), shown);
    }

    #[test]
    fn an_address_of_another_input_is_an_error_and_one_in_a_literal_is_none() {
        let dir = tempfile::tempdir().unwrap();
        let write = |text: &str| fs::write(dir.path().join("kustomization.yaml"), text).unwrap();
        write("patches:\n- path: http://127.0.0.1:1/x.yaml\n");
        let error = left_out(dir.path(), ".").unwrap_err();
        assert_eq!(
            error.to_string(),
            "kustomization.yaml:2: names `http://127.0.0.1:1/x.yaml`, and rustop fetches nothing that a repository names"
        );
        write(
            "patches:\n- patch: |\n    url: https://x.io\nconfigMapGenerator:\n- literals: [url=https://x.io]\n  files: [a.txt]\n",
        );
        assert!(left_out(dir.path(), ".").unwrap().is_empty());
    }
}
