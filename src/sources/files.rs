//! Reads the Rust sources of a project. Nothing here writes.
//!
//! Left out are hidden directories, build directories (`target` beside a `Cargo.toml`, or with cargo's
//! cache tag in it), and packages, tests, examples and benches inside of what is read. A symbolic link to a file
//! is read, one that leads nowhere is no file; one to a directory is not followed: what it shows of the project is
//! found where it really is, and what lies outside is no part of it, so a loop of links cannot be entered.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::thread;

use walkdir::{DirEntry, WalkDir};

use super::comments::{self, Scan};
use crate::diagnostic::Diagnostic;

/// No source that a person wrote is larger; reading on would only take memory.
const LARGEST: u64 = 32 << 20;

/// Directories of a package whose files are no part of what it builds.
const TESTS: [&str; 3] = ["benches", "examples", "tests"];

/// Finds the markers in the Rust sources at some places of the project, files or directories, in the order of the
/// files' names and then of the text, with everything that is wrong. Nothing is read twice and nothing is written.
pub fn scan<'a>(root: &Path, places: impl IntoIterator<Item = &'a PathBuf>) -> Scan {
    let mut files = BTreeSet::new();
    let mut diagnostics = Vec::new();
    for place in places {
        let (found, problems) = sources(root, &root.join(place));
        files.extend(found);
        diagnostics.extend(problems);
    }
    let files: Vec<_> = files.into_iter().collect();
    let mut all = Scan {
        diagnostics,
        ..Scan::default()
    };
    let threads = thread::available_parallelism()
        .map_or(1, NonZero::get)
        .min(8);
    let share = files.len().div_ceil(threads).max(1);
    let scans = thread::scope(|scope| {
        let workers: Vec<_> = files
            .chunks(share)
            .map(|files| {
                scope.spawn(move || files.iter().map(|file| scan_file(root, file)).collect())
            })
            .collect();
        let done = workers
            .into_iter()
            .map(|worker| worker.join().unwrap_or_default());
        done.collect::<Vec<Vec<Scan>>>()
    });
    for scan in scans.into_iter().flatten() {
        all.markers.extend(scan.markers);
        all.allows.extend(scan.allows);
        all.uses.extend(scan.uses);
        all.routes.extend(scan.routes);
        all.diagnostics.extend(scan.diagnostics);
    }
    all.diagnostics
        .sort_by(|a, b| a.sort_key().cmp(&b.sort_key()));
    all
}

/// The texts of the Rust sources below a directory of the project, by their paths in it. What cannot be
/// read is left out: [`scan`] tells of it.
pub fn texts(root: &Path, below: &str) -> Vec<(PathBuf, String)> {
    let (files, _) = sources(root, &root.join(below));
    let text = |path: PathBuf| Some((relative(root, &path), read(root, &path).ok()??));
    files.into_iter().filter_map(text).collect()
}

/// The Rust sources of the project below `directory`, in the order of their names, and what cannot be
/// looked into.
fn sources(root: &Path, directory: &Path) -> (Vec<PathBuf>, Vec<Diagnostic>) {
    let mut files = Vec::new();
    let mut problems = Vec::new();
    let entries = WalkDir::new(directory).sort_by_file_name().into_iter();
    for entry in entries.filter_entry(is_part) {
        match entry {
            Ok(entry) if entry.file_type().is_dir() => {}
            Ok(entry) if entry.path().extension().is_some_and(|ext| ext == "rs") => {
                files.push(entry.into_path());
            }
            Ok(_) => {}
            Err(error) => {
                let path = relative(root, error.path().unwrap_or(root));
                let error = error.into_io_error();
                let error = error.unwrap_or_else(|| io::ErrorKind::Other.into());
                problems.push(unreadable(&path, &error));
            }
        }
    }
    (files, problems)
}

fn is_part(entry: &DirEntry) -> bool {
    if entry.depth() == 0 {
        return true;
    }
    let name = entry.file_name();
    let is_dir = entry.file_type().is_dir();
    let is_hidden = name.as_encoded_bytes().starts_with(b".");
    let is_in_package = || entry.path().with_file_name("Cargo.toml").exists();
    let is_build = is_dir
        && name == "target"
        && (is_in_package() || entry.path().join("CACHEDIR.TAG").exists());
    let is_package = is_dir && entry.path().join("Cargo.toml").exists();
    let is_test = is_dir && TESTS.iter().any(|test| name == *test) && is_in_package();
    !(is_hidden || is_build || is_package || is_test)
}

fn scan_file(root: &Path, path: &Path) -> Scan {
    match read(root, path) {
        Ok(Some(text)) => comments::scan(&relative(root, path), &text),
        Ok(None) => Scan::default(),
        Err(problem) => Scan {
            diagnostics: vec![problem],
            ..Scan::default()
        },
    }
}

/// The text of a source; of a link to a directory or to nothing there is none.
fn read(root: &Path, path: &Path) -> Result<Option<String>, Diagnostic> {
    let name = relative(root, path);
    let metadata = match fs::metadata(path) {
        // A link to nothing: were it a module, rustc would say so.
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        metadata => metadata.map_err(|error| unreadable(&name, &error))?,
    };
    if metadata.is_dir() {
        return Ok(None);
    }
    if !metadata.is_file() {
        return Err(Diagnostic::file(&name, "this is no regular file"));
    }
    if metadata.len() > LARGEST {
        let message = format!(
            "the file is larger than {} MiB, too large for a source",
            LARGEST >> 20
        );
        return Err(Diagnostic::file(&name, message).help("move it out of the project"));
    }
    let bytes = fs::read(path).map_err(|error| unreadable(&name, &error))?;
    String::from_utf8(bytes).map(Some).map_err(|error| {
        let valid = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = valid.split(|b| *b == b'\n').count();
        let message = format!("the file is not UTF-8 (line {line})");
        Diagnostic::file(&name, message).help("save it as UTF-8, as rustc needs it")
    })
}

fn unreadable(path: &Path, error: &io::Error) -> Diagnostic {
    Diagnostic::file(path, format!("this cannot be read: {error}"))
}

fn relative(root: &Path, path: &Path) -> PathBuf {
    match path.strip_prefix(root) {
        Ok(relative) if relative != Path::new("") => relative.to_owned(),
        _ => path.to_owned(),
    }
}

#[cfg(test)]
mod tests;
