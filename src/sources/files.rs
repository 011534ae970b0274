//! Reads the Rust sources of a project. Never writes.
//!
//! Skips hidden directories, build directories (`target` next to a `Cargo.toml`, or with cargo's
//! cache tag), and any packages, tests, examples and benches below the given places. Follows
//! symbolic links to files and ignores dangling ones. Does not follow links to directories: a
//! directory inside the project is found at its real path, and one outside is not part of the
//! project. This also avoids endless loops of links.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::thread;

use walkdir::{DirEntry, WalkDir};

use super::Sources;
use super::comments::{self, Scan};
use super::conditions::{self, Conditions, InFile};
use super::types::{self, Crate, Parsed, Types};
use crate::diagnostic::Diagnostic;
use crate::disk::regular;

/// Maximum size of a source file. No hand-written file is larger, and reading it would only take
/// memory.
const LARGEST: u64 = 32 << 20;

/// The beginning of the definition of a macro, which may declare types.
const MACRO: &str = "macro_rules!";

/// Directories of a package that do not contribute to the operator.
const TESTS: [&str; 3] = ["benches", "examples", "tests"];

/// Stack size of a worker thread; the Rust parser recurses for each bracket.
const STACK: usize = 32 << 20;

/// The results from one file.
struct Read {
    scan: Scan,
    types: Option<Parsed>,
    conditions: Option<InFile>,
}

/// Reads the Rust sources at some places of the project, which may be files or directories, each
/// file once. The results are ordered by file name and position, and include all diagnostics.
pub fn read<'a>(root: &Path, places: impl IntoIterator<Item = &'a PathBuf>) -> Sources {
    let mut files = BTreeSet::new();
    let mut all = Scan::default();
    for place in places {
        let (found, problems) = sources(root, &root.join(place));
        files.extend(found);
        all.diagnostics.extend(problems);
    }
    let files: Vec<_> = files.into_iter().collect();
    let mut types = Vec::new();
    let mut conditions = Vec::new();
    for file in in_parallel(&files, |file| read_file(root, file)) {
        all.markers.extend(file.scan.markers);
        all.allows.extend(file.scan.allows);
        all.uses.extend(file.scan.uses);
        all.hidden_inputs.extend(file.scan.hidden_inputs);
        all.routes.extend(file.scan.routes);
        all.diagnostics.extend(file.scan.diagnostics);
        types.extend(file.types);
        conditions.extend(file.conditions);
    }
    all.diagnostics
        .sort_by(|a, b| a.sort_key().cmp(&b.sort_key()));
    Sources {
        scan: all,
        types: Types::of(types),
        conditions: Conditions::of(conditions),
    }
}

/// Reads the types and suppressions of several crates, whose paths are relative to `root`. A
/// program next to a library of the same package is not read, since its modules would have the
/// names of the library's.
pub fn read_crates(root: &Path, crates: &[Crate]) -> Sources {
    let mut files = BTreeSet::new();
    for of in crates {
        let (found, _) = sources(root, &root.join(&of.dir));
        let has_library = root.join(&of.dir).join("lib.rs").is_file();
        let is_program = |path: &Path| {
            let inside = relative(&root.join(&of.dir), path);
            inside.starts_with("bin") || (has_library && inside == Path::new("main.rs"))
        };
        files.extend(found.into_iter().filter(|path| !is_program(path)));
    }
    let files: Vec<_> = files.into_iter().collect();
    let read = in_parallel(&files, |path| {
        let name = relative(root, path);
        let text = text(root, path).ok().flatten()?;
        let mut scan = comments::scan(&name, &text);
        // Without the manager, code has no other clock.
        if !text.contains("rustop_manager") {
            scan.hidden_inputs.clear();
        }
        // Parsing takes most of the time, and most files of a large workspace have no schema.
        let is_typed = ["JsonSchema", "CustomResource", "use ", MACRO]
            .iter()
            .any(|word| text.contains(word));
        let parsed = if is_typed {
            Parsed::of(&name, &text)
        } else {
            text.contains('!').then(|| Parsed::deferred(&name, text))
        };
        Some((scan, parsed))
    });
    let mut all = Sources::default();
    let mut types = Vec::new();
    for (scan, parsed) in read.into_iter().flatten() {
        all.scan.allows.extend(scan.allows);
        all.scan.hidden_inputs.extend(scan.hidden_inputs);
        types.extend(parsed);
    }
    all.types = Types::of_crates(crates, types);
    all
}

/// Applies `work` to all files in parallel and returns the results in order.
fn in_parallel<T: Send>(files: &[PathBuf], work: impl Fn(&Path) -> T + Sync) -> Vec<T> {
    let threads = thread::available_parallelism()
        .map_or(1, NonZero::get)
        .min(8);
    let share = files.len().div_ceil(threads).max(1);
    let of_share = |share: &[PathBuf]| share.iter().map(|file| work(file)).collect::<Vec<_>>();
    let of_share = &of_share;
    thread::scope(|scope| {
        let shares = files.chunks(share);
        let start = |share| {
            let worker = thread::Builder::new().stack_size(STACK);
            worker.spawn_scoped(scope, move || of_share(share))
        };
        let workers: Vec<_> = shares.map(|share| (share, start(share))).collect();
        let done = workers.into_iter().map(|(share, worker)| match worker {
            Ok(worker) => worker.join().unwrap_or_default(),
            // If no thread can be started, do the work on this one.
            Err(_) => of_share(share),
        });
        done.flatten().collect()
    })
}

/// Returns the Rust sources below `directory` in the order of their names, and diagnostics about
/// unreadable directories.
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

fn read_file(root: &Path, path: &Path) -> Read {
    let name = relative(root, path);
    let mut read = Read {
        scan: Scan::default(),
        types: None,
        conditions: None,
    };
    match text(root, path) {
        Ok(Some(text)) => {
            read.scan = comments::scan(&name, &text);
            read.conditions = conditions::find(&name, &text);
            if types::is_in_types_crate(&name) {
                read.types = Parsed::of(&name, &text);
            } else if text.contains(MACRO) {
                read.types = Parsed::of_macros(&name, &text);
            }
        }
        Ok(None) => {}
        Err(problem) => read.scan.diagnostics.push(*problem),
    }
    read
}

/// Reads a source file; `None` for a link that is dangling or leads to a directory.
fn text(root: &Path, path: &Path) -> Result<Option<String>, Box<Diagnostic>> {
    let name = relative(root, path);
    let metadata = match fs::metadata(path) {
        // A dangling link: if it were a module, rustc would report it.
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        metadata => metadata.map_err(|error| unreadable(&name, &error))?,
    };
    if metadata.is_dir() {
        return Ok(None);
    }
    if !metadata.is_file() {
        return Err(Diagnostic::file(&name, "this is not a regular file").into());
    }
    if metadata.len() > LARGEST {
        let message = format!(
            "the file is larger than {} MiB, too large for a source",
            LARGEST >> 20
        );
        return Err(Diagnostic::file(&name, message)
            .help("move it out of the project")
            .into());
    }
    let bytes = regular::bytes(path, LARGEST).map_err(|error| unreadable(&name, &error))?;
    String::from_utf8(bytes).map(Some).map_err(|error| {
        let valid = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = valid.split(|b| *b == b'\n').count();
        let message = format!("the file is not UTF-8 (line {line})");
        Diagnostic::file(&name, message)
            .help("save it as UTF-8, as rustc needs it")
            .into()
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
