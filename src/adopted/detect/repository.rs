//! The files of a repository.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use walkdir::WalkDir;

use crate::adopted::documents::{self, Parsed};
use crate::adopted::paths::is_manifest;
use crate::disk::regular;
use crate::git;

/// Directories that contain no part of the operator.
const FOREIGN: [&str; 14] = [
    "benches",
    "bin",
    "build",
    "dist",
    "e2e",
    "example",
    "examples",
    "fixtures",
    "node_modules",
    "target",
    "test",
    "testdata",
    "tests",
    "vendor",
];

/// The files of a repository: those that git tracks, and new ones that it does not ignore. Without
/// git, all files outside of hidden and build directories.
#[derive(Debug)]
pub struct Repository {
    root: PathBuf,
    files: BTreeSet<PathBuf>,
    /// The files that were read; `None` if a file cannot be read.
    texts: RefCell<HashMap<PathBuf, Option<Rc<str>>>>,
    parsed: RefCell<HashMap<PathBuf, Rc<Parsed>>>,
}

impl Repository {
    /// Lists the files below a directory.
    pub fn read(root: &Path) -> Self {
        let files = files(root);
        Self {
            root: root.to_owned(),
            files,
            texts: RefCell::default(),
            parsed: RefCell::default(),
        }
    }

    /// Returns the directory of the repository, as it was given.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Returns all files, relative to the root and sorted.
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        self.files.iter().map(PathBuf::as_path)
    }

    /// Returns true if the repository has a file.
    pub fn has(&self, path: impl AsRef<Path>) -> bool {
        self.files.contains(path.as_ref())
    }

    /// Returns the files below a directory, which is relative to the root, as are the files.
    pub fn below<'a>(&'a self, dir: &'a Path) -> impl Iterator<Item = &'a Path> {
        self.files().filter(move |path| path.starts_with(dir))
    }

    /// Returns the files that may contain objects of Kubernetes, without those of tests and
    /// examples.
    pub fn manifests(&self) -> impl Iterator<Item = &Path> {
        let is_own = |path: &&Path| is_manifest(path) && !is_foreign(path);
        self.files().filter(is_own)
    }

    /// Returns the files of [`Self::manifests`] and those in `dist`, the directory of what is
    /// released.
    pub fn manifests_with_released(&self) -> impl Iterator<Item = &Path> {
        let is_own = |path: &&Path| is_manifest(path) && !is_foreign_but(path, Some("dist"));
        self.files().filter(is_own)
    }

    /// Returns the Rust sources, without those of tests and examples.
    pub fn sources(&self) -> impl Iterator<Item = &Path> {
        let is_source = |path: &&Path| {
            path.extension().is_some_and(|it| it == "rs") && !is_foreign_source(path)
        };
        self.files().filter(is_source)
    }

    /// Returns the text of a file, or `None` if it cannot be read.
    pub fn text(&self, path: &Path) -> Option<Rc<str>> {
        if let Some(known) = self.texts.borrow().get(path) {
            return known.clone();
        }
        let text = regular::text(&self.root.join(path)).ok().map(Rc::from);
        self.texts
            .borrow_mut()
            .insert(path.to_owned(), text.clone());
        text
    }

    /// Returns the objects of Kubernetes in a file; none if it cannot be read. Each file is parsed
    /// once.
    pub fn parsed(&self, path: &Path) -> Rc<Parsed> {
        if let Some(known) = self.parsed.borrow().get(path) {
            return known.clone();
        }
        let text = self.text(path).filter(|text| text.contains("kind"));
        let parsed = text.map_or_else(Parsed::default, |text| documents::of_file(path, &text).0);
        let parsed = Rc::new(parsed);
        self.parsed
            .borrow_mut()
            .insert(path.to_owned(), parsed.clone());
        parsed
    }
}

/// Returns true if a file belongs to tests, examples, or another project.
pub fn is_foreign(path: &Path) -> bool {
    is_foreign_but(path, None)
}

/// Like [`is_foreign`], but `src/bin` is part of the operator.
pub fn is_foreign_source(path: &Path) -> bool {
    is_foreign_but(path, Some("bin"))
}

/// Like [`is_foreign`], but directories with the name `own` are part of the operator.
fn is_foreign_but(path: &Path, own: Option<&str>) -> bool {
    let dirs = path.parent().into_iter().flat_map(Path::components);
    let mut names = dirs.map(|part| part.as_os_str().to_string_lossy());
    names.any(|name| own != Some(&name) && (FOREIGN.contains(&&*name) || name.starts_with('.')))
}

/// Returns the files of a repository, relative to `root`: those that git lists or, without git, all
/// outside of hidden and build directories.
pub fn files(root: &Path) -> BTreeSet<PathBuf> {
    // A repository above may ignore the directory: then git lists nothing.
    tracked(root)
        .filter(|files| !files.is_empty())
        .unwrap_or_else(|| walked(root))
}

/// Returns the files that git tracks or would add; `None` outside of a repository or without git.
fn tracked(root: &Path) -> Option<BTreeSet<PathBuf>> {
    let list = [
        "ls-files",
        "--cached",
        "--others",
        "--exclude-standard",
        "-z",
    ];
    let output = git::command(root, &list)
        .output()
        .ok()
        .filter(|output| output.status.success())?;
    let text = String::from_utf8_lossy(&output.stdout);
    let names = text.split('\0').filter(|name| !name.is_empty());
    // A file that is deleted but not yet in the index is listed, too.
    let is_file = |path: &PathBuf| {
        root.join(path)
            .symlink_metadata()
            .is_ok_and(|it| !it.is_dir())
    };
    Some(names.map(PathBuf::from).filter(is_file).collect())
}

/// Returns all files outside of hidden and build directories.
fn walked(root: &Path) -> BTreeSet<PathBuf> {
    let is_part = |entry: &walkdir::DirEntry| {
        let name = entry.file_name().to_string_lossy();
        entry.depth() == 0
            || !entry.file_type().is_dir()
            || !(matches!(&*name, "target" | "node_modules")
                || (name.starts_with('.') && name != ".github"))
    };
    let entries = WalkDir::new(root)
        .into_iter()
        .filter_entry(is_part)
        .flatten();
    entries
        .filter(|entry| entry.path().is_file())
        .filter_map(|entry| Some(entry.path().strip_prefix(root).ok()?.to_owned()))
        .collect()
}

/// Returns the text of a source file up to its inline module of tests.
pub fn without_tests(text: &str) -> &str {
    const MARK: &str = "#[cfg(test)]";
    let is_inline = |at: &usize| {
        let row = text[at + MARK.len()..]
            .trim_start()
            .lines()
            .next()
            .unwrap_or_default();
        row.contains("mod ") && row.trim_end().ends_with('{')
    };
    let end = text.match_indices(MARK).map(|(at, _)| at).find(is_inline);
    &text[..end.unwrap_or(text.len())]
}

/// Returns the number of the line that contains an offset, counted from 1.
pub fn line_at(text: &str, offset: usize) -> usize {
    text[..offset].matches('\n').count() + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_that_an_outer_repository_ignores_has_its_files() {
        let outer = tempfile::tempdir().unwrap();
        let inner = outer.path().join("built/operator");
        std::fs::create_dir_all(&inner).unwrap();
        std::fs::write(outer.path().join(".gitignore"), "built\n").unwrap();
        std::fs::write(inner.join("main.rs"), "").unwrap();
        let made = git::command(outer.path(), &["init", "--quiet"]).status();
        assert!(made.unwrap().success());
        assert_eq!(files(&inner), [PathBuf::from("main.rs")].into());
    }
}
