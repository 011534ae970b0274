//! A journal: the directory that holds the steps of a change, so that an interrupted run can be
//! finished or undone.

use std::collections::BTreeSet;
use std::fs::{self, Metadata, Permissions};
use std::io::{self, ErrorKind};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::error::{Error, Result};
use super::path::below;
use super::record::Records;
use super::regular;
use crate::error::Io;
use crate::text::sha256;
use crate::tree::Change;

/// Directory of a change in preparation; without value once its process has ended.
pub const DRAFT: &str = ".rustop-draft";
/// Directory of a valid change: the next run finishes it.
pub const JOURNAL: &str = ".rustop-journal";
/// Directory of a failed change: the next run undoes it.
pub const UNDO: &str = ".rustop-undo";
/// Directory of a completed change whose process could not report success.
pub const DONE: &str = ".rustop-done";
/// The file in a journal that lists the steps.
pub const STEPS: &str = "steps.json";

/// A journal and its steps.
#[derive(Debug)]
pub struct Journal {
    /// The root directory of the project.
    root: PathBuf,
    /// The directory with the texts `new-<n>` and `old-<n>`, where `n` is the index into `steps`.
    dir: PathBuf,
    /// The text of [`STEPS`]; its digest identifies the journal in the records.
    text: String,
    /// In order of execution.
    pub steps: Vec<FileChange>,
}

/// The texts before a change, which undo it, or the texts after it, which finish it.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Side {
    /// After the change.
    New,
    /// Before the change.
    Old,
}

/// The change of one file.
#[derive(Debug, Deserialize, Serialize)]
pub struct FileChange {
    /// The path relative to the project.
    pub path: String,
    /// The digest of the text before the change; `None` if the file does not exist.
    before: Option<String>,
    /// The digest of the text after the change; `None` if the file is removed.
    after: Option<String>,
    /// The permissions of the file, as in `st_mode`, which the change preserves; `None` if the file
    /// does not exist.
    mode: Option<u32>,
}

/// The format of [`STEPS`].
#[derive(Deserialize, Serialize)]
struct Steps {
    /// The absolute path of the project, so that two projects with the same steps have different
    /// records. In a path that is not UTF-8, the other bytes are replaced.
    root: String,
    steps: Vec<FileChange>,
}

impl Journal {
    /// Writes the texts of changes below `root` and the list of steps into the directory `dir`, and
    /// records the journal.
    ///
    /// A text that replaces a file gets that file's permissions: a script stays executable, a
    /// read-only file read-only.
    ///
    /// # Errors
    /// Returns an error if rustop must not write to one of the paths, or if an I/O operation fails.
    pub fn write(root: &Path, dir: &Path, changes: &[Change], records: &Records) -> Result<Self> {
        let absolute = root.canonicalize().map_err(Io::on("find", root))?;
        // `git add --all` after an interrupted run must not add the journal.
        put(dir, ".gitignore", "*\n")?;
        let mut steps = Vec::new();
        for (n, change) in changes.iter().enumerate() {
            let file = below(root, &change.path)?;
            let permissions = fs::metadata(&file).map(|found| found.permissions()).ok();
            for (side, text) in [(Side::New, &change.after), (Side::Old, &change.before)] {
                let Some(text) = text else { continue };
                let path = put(dir, &side.name(n), text)?;
                if let Some(permissions) = &permissions {
                    fs::set_permissions(&path, permissions.clone())
                        .map_err(Io::on("write", path))?;
                }
            }
            steps.push(FileChange {
                path: change.path.clone(),
                before: change.before.as_ref().map(sha256),
                after: change.after.as_ref().map(sha256),
                mode: permissions.map(|it| it.mode()),
            });
        }
        let all = Steps {
            root: absolute.to_string_lossy().into_owned(),
            steps,
        };
        let text = serde_json::to_string(&all).expect("strings are JSON");
        put(dir, STEPS, &text)?;
        records.add(&text, &absolute, []);
        Ok(Self {
            root: root.to_owned(),
            dir: dir.to_owned(),
            text,
            steps: all.steps,
        })
    }

    /// Reads the journal of an earlier run and verifies its texts of one side.
    ///
    /// # Errors
    /// Returns an error if `dir` is not the journal that this account's rustop wrote for this
    /// project, if one of the verified texts was modified, if rustop must not write to one of the
    /// paths, or if a file was edited since.
    pub fn read(root: &Path, dir: &Path, side: Side, records: &Records) -> Result<Self> {
        let unknown = || Error::UnknownJournal {
            journal: dir.to_owned(),
        };
        let list = dir.join(STEPS);
        let is = |path: &Path, kind: fn(&Metadata) -> bool| {
            path.symlink_metadata().is_ok_and(|it| kind(&it))
        };
        if !is(dir, Metadata::is_dir) || !is(&list, Metadata::is_file) {
            return Err(unknown());
        }
        let text = regular::text(&list).map_err(Io::on("read", &list))?;
        if !records.has(&text) {
            return Err(unknown());
        }
        let all: Steps = serde_json::from_str(&text).map_err(|_| unknown())?;
        // A copy of the project may include the journal.
        let here = root.canonicalize().ok();
        if here.is_none_or(|here| here.to_string_lossy() != all.root) {
            return Err(unknown());
        }
        for step in &all.steps {
            below(root, &step.path)?;
        }
        let journal = Self {
            root: root.to_owned(),
            dir: dir.to_owned(),
            text,
            steps: all.steps,
        };
        journal.check_files(|step| step.knows(&root.join(&step.path)))?;
        // The paths of the texts that are not in the journal, because they were already moved to
        // their destinations.
        let mut moved = BTreeSet::new();
        for (n, step) in journal.steps.iter().enumerate() {
            let file = journal.file(side, n);
            if is(&file, Metadata::is_file) {
                step.restore_mode(&file).map_err(Io::on("read", &file))?;
                let expected = step.digest(side);
                let found = contents(&file).ok().map(sha256);
                if expected.is_some() && found.as_deref() != expected {
                    return Err(unknown());
                }
            } else if exists(&file) {
                return Err(unknown());
            } else {
                moved.insert(&step.path);
            }
        }
        journal.check_files(|step| {
            let path = root.join(&step.path);
            let expected = step.digest(side);
            !moved.contains(&step.path)
                || expected.is_none()
                || contents(&path).ok().map(sha256).as_deref() == expected
        })?;
        Ok(journal)
    }

    /// Renames the journal's directory to `to`, a name such as [`JOURNAL`], which states what the
    /// next run does with it.
    ///
    /// # Errors
    /// Returns an error if an I/O operation fails.
    pub fn rename(&mut self, to: &str) -> Result<()> {
        let to = self.root.join(to);
        fs::rename(&self.dir, &to).map_err(Io::on("create", &to))?;
        self.dir = to;
        Ok(())
    }

    /// Checks the file of each step.
    ///
    /// # Errors
    /// Returns an error that lists the files for which `is_unchanged` returns false as edited since
    /// the run.
    fn check_files(&self, is_unchanged: impl Fn(&FileChange) -> bool) -> Result<()> {
        let paths: Vec<_> = self
            .steps
            .iter()
            .filter(|step| !is_unchanged(step))
            .map(|step| step.path.clone())
            .collect();
        if paths.is_empty() {
            return Ok(());
        }
        Err(Error::ChangedSince {
            journal: self.dir.clone(),
            paths,
        })
    }

    /// Carries out the steps in order and removes the journal. If a step fails, undoes all of them.
    /// Skips steps that an earlier run carried out.
    ///
    /// # Errors
    /// Returns the error of the step that failed, or an error if a file was edited since the
    /// journal was written: by the user, or by another program, while this process did not run.
    pub fn carry_out(mut self, records: &Records) -> Result<()> {
        let done = self.steps.iter().enumerate().try_for_each(|(n, step)| {
            // A directory may have been replaced by a link since the journal was written.
            let path = below(&self.root, &step.path)?;
            if !step.knows(&path) {
                return Err(Error::ChangedMeanwhile {
                    path: step.path.clone(),
                });
            }
            Ok(do_step(&path, step, &self.file(Side::New, n)).map_err(Io::on("change", path))?)
        });
        if let Err(error) = done {
            self.rename(UNDO)?;
            return Err(match self.take_back(records) {
                Ok(()) => error,
                Err(Error::NotUndone { journal, paths, .. }) => Error::NotUndone {
                    journal,
                    paths,
                    source: Some(Box::new(error)),
                },
                Err(other) => other,
            });
        }
        for step in self.steps.iter().filter(|step| step.after.is_none()) {
            remove_empty_above(&self.root.join(&step.path), &self.root);
        }
        self.discard(DONE, records)
    }

    /// Undoes the completed steps and removes the journal.
    ///
    /// # Errors
    /// Returns an error that names the files that cannot be undone, because they were edited after
    /// their step or because an I/O operation fails. Then the journal stays, with their texts.
    /// Returns an error if the journal cannot be removed.
    pub fn take_back(self, records: &Records) -> Result<()> {
        let mut paths = Vec::new();
        for (n, step) in self.steps.iter().enumerate() {
            let was_moved = step.after.is_none() || !exists(&self.file(Side::New, n));
            if !was_moved {
                continue;
            }
            // A directory may have been replaced by a link in the meantime.
            let Ok(path) = below(&self.root, &step.path) else {
                paths.push(step.path.clone());
                continue;
            };
            if step.is_at(&path, Side::New) {
                undo_step(&path, step, &self.file(Side::Old, n), &self.root);
            }
            // A file in the place of a removed one is the user's, or was not removed yet.
            let is_old = match step.after {
                None => exists(&path),
                Some(_) => step.is_at(&path, Side::Old),
            };
            if !is_old {
                paths.push(step.path.clone());
            }
        }
        if !paths.is_empty() {
            return Err(Error::NotUndone {
                journal: self.dir,
                paths,
                source: None,
            });
        }
        self.discard(DRAFT, records)
    }

    /// Removes the journal. Renames it first to `worthless`, which is [`DONE`] or [`DRAFT`],
    /// because a partly removed journal must not be carried out.
    fn discard(&self, worthless: &str, records: &Records) -> Result<()> {
        let worthless = self.root.join(worthless);
        fs::rename(&self.dir, &worthless)
            .and_then(|()| fs::remove_dir_all(&worthless))
            .map_err(Io::on("remove", &self.dir))?;
        records.remove(&self.text);
        Ok(())
    }

    /// Returns the file that holds the `old` or `new` text of a step.
    pub fn file(&self, side: Side, step: usize) -> PathBuf {
        self.dir.join(side.name(step))
    }
}

impl Side {
    /// Returns the name of the file that holds the text of a step on this side.
    fn name(self, step: usize) -> String {
        match self {
            Self::New => format!("new-{step}"),
            Self::Old => format!("old-{step}"),
        }
    }
}

impl FileChange {
    /// Returns the digest of the text on one side; `None` if the file does not exist there.
    fn digest(&self, side: Side) -> Option<&str> {
        let digest = match side {
            Side::New => &self.after,
            Side::Old => &self.before,
        };
        digest.as_deref()
    }

    /// Reports whether the file at `path` has its state from before or after this step.
    fn knows(&self, path: &Path) -> bool {
        digest_at(path).is_ok_and(|found| {
            [Side::Old, Side::New]
                .iter()
                .any(|side| found.as_deref() == self.digest(*side))
        })
    }

    /// Reports whether the file at `path` has its state of one side of this step.
    fn is_at(&self, path: &Path, side: Side) -> bool {
        digest_at(path).is_ok_and(|found| found.as_deref() == self.digest(side))
    }

    /// Sets the recorded permissions on a text of an interrupted run. A new file is never
    /// executable, and only its owner may write to it.
    fn restore_mode(&self, text: &Path) -> io::Result<()> {
        let found = text.symlink_metadata()?.permissions().mode();
        let mode = self.mode.unwrap_or(found & 0o644);
        fs::set_permissions(text, Permissions::from_mode(mode))
    }
}

/// Returns the digest of the file at `path`; `None` if there is no such file.
fn digest_at(path: &Path) -> io::Result<Option<String>> {
    match contents(path) {
        Ok(text) => Ok(Some(sha256(text))),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        // An earlier step may remove a file that is in the place of a parent directory.
        Err(error) if error.kind() == ErrorKind::NotADirectory => Ok(None),
        Err(error) => Err(error),
    }
}

fn put(dir: &Path, name: &str, text: &str) -> Result<PathBuf> {
    let path = dir.join(name);
    fs::write(&path, text).map_err(Io::on("write", &path))?;
    Ok(path)
}

/// Returns the contents of a file of the project or the journal. A clone can contain a named pipe
/// or a file of any size.
fn contents(path: &Path) -> io::Result<Vec<u8>> {
    regular::bytes(path, regular::LIMIT)
}

/// Carries out a step unless an earlier run did: moves `new`, the text in the journal, to `path`,
/// the file in the project, or removes `path`.
pub fn do_step(path: &Path, step: &FileChange, new: &Path) -> io::Result<()> {
    if step.after.is_none() {
        return match fs::remove_file(path) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        };
    }
    // Most files are written to a directory that exists.
    let renamed = match (fs::rename(new, path), path.parent()) {
        (Err(error), Some(parent)) if error.kind() == ErrorKind::NotFound => {
            fs::create_dir_all(parent)?;
            fs::rename(new, path)
        }
        (result, _) => result,
    };
    match renamed {
        // The earlier run has already moved `new` to `path`.
        Err(error) if error.kind() == ErrorKind::NotFound && exists(path) => Ok(()),
        result => result,
    }
}

/// Restores the state of `path` before a step, from `old`, its text in the journal. Removes a file
/// that the step created, and the directories above it that are empty. Ignores errors, since there
/// is no further fallback.
pub fn undo_step(path: &Path, step: &FileChange, old: &Path, root: &Path) {
    if step.before.is_some() {
        let _ = fs::rename(old, path);
        return;
    }
    let _ = fs::remove_file(path);
    remove_empty_above(path, root);
}

/// Removes the directories above a removed file that have become empty.
fn remove_empty_above(path: &Path, root: &Path) {
    for parent in path
        .ancestors()
        .skip(1)
        .take_while(|parent| *parent != root)
    {
        if fs::remove_dir(parent).is_err() {
            break;
        }
    }
}

/// Reports whether anything exists at `path`, including a dangling symbolic link.
pub fn exists(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}
