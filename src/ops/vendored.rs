//! Edits of the runtime crate that a project vendors. A user who needs a changed crate keeps a copy
//! of their own: the directory of the vendored one is generated.

use std::path::Path;

use walkdir::WalkDir;

use super::{Refusal, Result};
use crate::disk;
use crate::scaffold::MANAGER;
use crate::tree::Tree;

/// Checks that the directory of the vendored crate has the files of `tree`, which this rustop
/// rendered, and no others. Files may be missing. `command` is the one to run when the named
/// files are deleted.
///
/// # Errors
/// Returns an error that names the files, or an error if a file cannot be read.
pub fn check(root: &Path, tree: &Tree, command: &'static str) -> Result<()> {
    let mut paths = Vec::new();
    for path in files(root) {
        let expected = tree.get(&path).map(|file| file.text.as_str());
        if expected.is_none() || disk::read(&root.join(&path))?.as_deref() != expected {
            paths.push(path);
        }
    }
    refuse(paths, command)
}

/// Checks that the directory of the vendored crate has no file that is not in `tree`.
///
/// # Errors
/// Returns an error that names the files.
pub fn check_added(root: &Path, tree: &Tree) -> Result<()> {
    let added = files(root).filter(|path| tree.get(path).is_none());
    refuse(added.collect(), "rustop manifests")
}

fn refuse(paths: Vec<String>, command: &'static str) -> Result<()> {
    if paths.is_empty() {
        return Ok(());
    }
    Err(Refusal::EditedCrate { paths, command }.into())
}

/// Returns the paths of all files in the crate's directory, relative to the project and sorted.
fn files(root: &Path) -> impl Iterator<Item = String> {
    let entries = WalkDir::new(root.join(MANAGER)).sort_by_file_name();
    let files = entries
        .into_iter()
        .flatten()
        .filter(|entry| !entry.file_type().is_dir());
    let root = root.to_owned();
    files.filter_map(move |entry| {
        let path = entry.path().strip_prefix(&root).ok()?;
        Some(path.to_string_lossy().into_owned())
    })
}
