//! Reads the Rust sources of a project. The one function here only reads.
//!
//! Left out are hidden directories, build directories (`target` beside a `Cargo.toml`, or with cargo's
//! cache tag in it) and the project's `manager` member, which rustop writes itself and which needs no
//! permissions of its own. A symbolic link to a file is read; one to a directory is not followed: what it
//! shows of the project is found where it really is, and what lies outside is no part of it, so a loop of
//! links cannot be entered.

use std::fs;
use std::io;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::thread;

use walkdir::{DirEntry, WalkDir};

use super::diagnostic::Diagnostic;
use super::source::{self, Scan};

/// No source that a person wrote is larger; reading on would only take memory.
const LARGEST: u64 = 32 << 20;

/// Finds the markers in all Rust sources below `root`, in the order of the files' names and then of the
/// text, with everything that is wrong. Nothing is read twice and nothing is written.
pub fn scan(root: &Path) -> Scan {
    let mut all = Scan::default();
    let mut files = Vec::new();
    let entries = WalkDir::new(root).sort_by_file_name().into_iter();
    for entry in entries.filter_entry(|entry| is_part(root, entry)) {
        match entry {
            Ok(entry) if entry.file_type().is_dir() => {}
            Ok(entry) if entry.path().extension().is_some_and(|ext| ext == "rs") => {
                files.push(entry.into_path());
            }
            Ok(_) => {}
            Err(error) => {
                let path = error.path().unwrap_or(root).to_owned();
                let error = error
                    .into_io_error()
                    .unwrap_or_else(|| io::ErrorKind::Other.into());
                all.diagnostics
                    .push(unreadable(&relative(root, &path), &error));
            }
        }
    }
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

fn is_part(root: &Path, entry: &DirEntry) -> bool {
    if entry.depth() == 0 {
        return true;
    }
    let name = entry.file_name();
    let is_dir = entry.file_type().is_dir();
    let is_hidden = name.as_encoded_bytes().starts_with(b".");
    let is_build = is_dir
        && name == "target"
        && (entry.path().with_file_name("Cargo.toml").exists()
            || entry.path().join("CACHEDIR.TAG").exists());
    let is_manager = is_dir && entry.path() == root.join("manager");
    !(is_hidden || is_build || is_manager)
}

fn scan_file(root: &Path, path: &Path) -> Scan {
    let name = relative(root, path);
    let failed = |diagnostic| Scan {
        diagnostics: vec![diagnostic],
        ..Scan::default()
    };
    let metadata = match fs::metadata(path) {
        Ok(metadata) => metadata,
        Err(error) => return failed(unreadable(&name, &error)),
    };
    if metadata.is_dir() {
        return Scan::default();
    }
    if !metadata.is_file() {
        return failed(Diagnostic::file(&name, "this is no regular file"));
    }
    if metadata.len() > LARGEST {
        let message = format!(
            "the file is larger than {} MiB, too large for a source",
            LARGEST >> 20
        );
        return failed(Diagnostic::file(&name, message).help("move it out of the project"));
    }
    match fs::read(path).map(String::from_utf8) {
        Ok(Ok(text)) => source::scan(&name, &text),
        Ok(Err(error)) => {
            let valid = &error.as_bytes()[..error.utf8_error().valid_up_to()];
            let line = valid.split(|b| *b == b'\n').count();
            let message = format!("the file is not UTF-8 (line {line})");
            failed(Diagnostic::file(&name, message).help("save it as UTF-8, as rustc needs it"))
        }
        Err(error) => failed(unreadable(&name, &error)),
    }
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
