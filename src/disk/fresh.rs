//! A project in a new directory, which appears only when all of its files are written.

use std::collections::HashSet;
use std::ffi::OsString;
use std::fs::{self, File, Metadata};
use std::io::{self, ErrorKind, Write as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Component, Path, PathBuf};

use walkdir::WalkDir;

use super::error::{Error, Result};
use super::journal::exists;
use super::path::{below, inside};
use super::record::{self, Records};
use crate::error::Io;
use crate::tree::Change;

/// The prefix of the name of a directory in preparation: `a` is prepared in `.rustop-new-a` next to
/// it.
const PREFIX: &str = ".rustop-new-";

/// A directory in preparation. Once [`Self::own`] was called, dropping the value removes it, unless
/// [`Self::publish`] has moved it to its place.
#[derive(Debug)]
pub struct NewDir {
    /// The topmost directory that does not exist yet.
    place: PathBuf,
    /// The directory that will be renamed to `place`.
    staged: PathBuf,
    /// The path of the project's directory in `place`.
    rest: PathBuf,
    /// The record of `staged`, while this process holds the lock on it.
    record: Option<String>,
    records: Records,
}

impl NewDir {
    /// Creates the directory in which `root` is prepared, unless an earlier run did; `None` if
    /// `root` exists.
    ///
    /// # Errors
    /// Returns an error if the directory cannot be created, or if something else has its name.
    pub fn of(root: &Path, records: &Records) -> Result<Option<Self>> {
        if root.is_symlink() && !root.exists() {
            return Err(Error::DanglingLink { link: root.into() });
        }
        let Some(place) = first_missing(root) else {
            return Ok(None);
        };
        let parent = place.parent().unwrap_or(Path::new(""));
        let mut names = root.strip_prefix(parent).unwrap_or(root).components();
        let (Some(name), true) = (names.next(), names.clone().all(is_name)) else {
            // The error of `mkdir` for `missing/../name`.
            return Err(Io::on("create", root)(ErrorKind::NotFound.into()).into());
        };
        let rest = names.as_path().to_owned();
        let mut staged = OsString::from(PREFIX);
        staged.push(name);
        let staged = parent.join(staged);
        match fs::create_dir_all(&staged) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            created => created.map_err(Io::on("create", root))?,
        }
        // The owner of the directory could replace the files in it.
        let is_own =
            |found: Metadata| found.is_dir() && found.uid() == rustix::process::geteuid().as_raw();
        if !staged.symlink_metadata().is_ok_and(is_own) {
            return Err(Error::UnknownStaged { dir: staged });
        }
        Ok(Some(Self {
            place,
            staged,
            rest,
            record: None,
            records: records.clone(),
        }))
    }

    /// Returns the directory to lock.
    pub fn staged(&self) -> &Path {
        &self.staged
    }

    /// Returns the directory in which the project's files are prepared.
    pub fn root(&self) -> PathBuf {
        self.staged.join(&self.rest)
    }

    /// Reports whether another process has created the topmost missing directory meanwhile.
    pub fn exists(&self) -> bool {
        exists(&self.place)
    }

    /// Takes possession of the directory: removes what an interrupted run has prepared in it, and
    /// returns true if there was something. From then on, dropping the value removes the directory.
    /// The caller holds the lock on [`Self::staged`].
    ///
    /// # Errors
    /// Returns an error if the directory contains files that this account's rustop has not
    /// recorded, or if a file cannot be removed.
    pub fn own(&mut self) -> Result<bool> {
        let record = record::of_dir(&self.staged).map_err(Io::on("read", &self.staged))?;
        let is_empty = fs::read_dir(&self.staged).is_ok_and(|mut it| it.next().is_none());
        if !is_empty {
            self.check_prepared(&record)?;
        }
        self.record = Some(record);
        remove_contents(&self.staged).map_err(Io::on("remove", &self.staged))?;
        Ok(!is_empty)
    }

    /// Checks that an interrupted run has prepared everything in the directory.
    fn check_prepared(&self, record: &str) -> Result<()> {
        let recorded = self.records.paths(record);
        if recorded.is_empty() {
            return Err(Error::UnknownStaged {
                dir: self.staged.clone(),
            });
        }
        let is_prepared = |path: &Path, is_dir: bool| {
            recorded.contains(path) || is_dir && recorded.iter().any(|it| it.starts_with(path))
        };
        let mut paths = Vec::new();
        let entries = WalkDir::new(&self.staged).min_depth(1);
        let mut entries = entries.sort_by_file_name().into_iter();
        while let Some(entry) = entries.next() {
            let entry = entry.map_err(|error| Io::on("read", &self.staged)(error.into()))?;
            let path = entry.path();
            let is_dir = entry.file_type().is_dir();
            let inside = path.strip_prefix(&self.staged).unwrap_or(path);
            if !is_prepared(inside, is_dir) {
                paths.push(path.to_owned());
                if is_dir {
                    entries.skip_current_dir();
                }
            }
        }
        if paths.is_empty() {
            return Ok(());
        }
        Err(Error::NotPrepared {
            dir: self.staged.clone(),
            paths,
        })
    }

    /// Records the paths of the files in the directory, before they are written.
    fn record_files(&self, changes: &[Change]) -> Result<()> {
        let Some(record) = &self.record else {
            return Ok(());
        };
        let staged = std::path::absolute(&self.staged).map_err(Io::on("read", &self.staged))?;
        let written = changes.iter().filter(|change| change.after.is_some());
        let files = written.map(|change| self.rest.join(&change.path));
        let parent = staged.parent().unwrap_or(&staged);
        self.records.add(record, parent, files);
        Ok(())
    }

    /// Writes the files and moves the directory to its place. Returns the project's directory.
    /// Called after [`Self::own`]. Records the files first, so that the next run recognises them if
    /// this one is killed. A change that removes a file has nothing to remove here, and is skipped.
    ///
    /// # Errors
    /// Returns an error if a path leads out of the directory, or if an I/O operation fails. Then
    /// nothing is left.
    pub fn publish(mut self, changes: &[Change]) -> Result<PathBuf> {
        let root = self.root();
        self.record_files(changes)?;
        fs::create_dir_all(&root).map_err(Io::on("create", &root))?;
        let mut dirs = HashSet::from([root.clone()]);
        for change in changes {
            let path = inside(&root, &change.path)?;
            let Some(text) = &change.after else { continue };
            let parent = path.parent().unwrap_or(&root);
            if !dirs.contains(parent) {
                below(&root, &change.path)?;
                fs::create_dir_all(parent).map_err(Io::on("create", parent))?;
                dirs.insert(parent.to_owned());
            }
            let write = || File::create_new(&path)?.write_all(text.as_bytes());
            write().map_err(Io::on("write", &path))?;
        }
        fs::rename(&self.staged, &self.place).map_err(Io::on("create", &self.place))?;
        if let Some(record) = self.record.take() {
            self.records.remove(&record);
        }
        Ok(self.place.join(&self.rest))
    }
}

impl Drop for NewDir {
    fn drop(&mut self) {
        if let Some(record) = self.record.take() {
            let _ = fs::remove_dir_all(&self.staged);
            self.records.remove(&record);
        }
    }
}

fn remove_contents(dir: &Path) -> io::Result<()> {
    for entry in fs::read_dir(dir)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            fs::remove_dir_all(entry.path())?;
        } else {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

/// Reports whether a component of a path is neither `.` nor `..`.
fn is_name(component: Component) -> bool {
    matches!(component, Component::Normal(_))
}

/// Returns the topmost directory of `path` that does not exist yet; `None` if `path` exists.
fn first_missing(path: &Path) -> Option<PathBuf> {
    path.ancestors()
        .take_while(|dir| !dir.as_os_str().is_empty() && !exists(dir))
        .last()
        .map(Path::to_owned)
}
