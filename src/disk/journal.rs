//! What is to be done, as a directory: whoever finds it carries it out, or takes it back.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::error::Io;
use crate::tree::Change;

/// Holds what is being prepared; worthless when its process is gone.
pub const DRAFT: &str = ".rustop-draft";
/// Holds what is to be done: whoever finds it does it.
pub const JOURNAL: &str = ".rustop-journal";
/// Holds what could not be done: whoever finds it takes it back.
pub const UNDO: &str = ".rustop-undo";
/// Holds what was done; worthless, but whoever finds it knows that its process could not say so.
pub const DONE: &str = ".rustop-done";
/// The list of steps, in each.
pub const STEPS: &str = "steps.json";

/// One change, as the journal has it. The new text is the file `new-<n>`, the old one `old-<n>`, `n`
/// being the step's place in the list.
#[derive(Debug, Deserialize, Serialize)]
pub struct Step {
    /// Of the file, relative to the root.
    pub path: String,
    existed: bool,
    remove: bool,
}

/// Writes the texts of changes to the files below `root`, old and new, and the list of steps into `draft`.
/// What takes the place of a file has its permissions: a script stays one, and what is read-only stays so.
pub fn write_draft(draft: &Path, root: &Path, changes: &[Change]) -> Result<(), Io> {
    let mut steps = Vec::new();
    for (n, change) in changes.iter().enumerate() {
        let file = root.join(&change.path);
        for (side, text) in [("new", &change.after), ("old", &change.before)] {
            let Some(text) = text else { continue };
            let path = put(draft, &format!("{side}-{n}"), text)?;
            if let Ok(found) = fs::metadata(&file) {
                fs::set_permissions(&path, found.permissions()).map_err(Io::on("write", path))?;
            }
        }
        steps.push(Step {
            path: change.path.clone(),
            existed: change.before.is_some(),
            remove: change.after.is_none(),
        });
    }
    let steps = serde_json::to_string(&steps).expect("strings and booleans");
    put(draft, STEPS, &steps).map(drop)
}

fn put(draft: &Path, name: &str, text: &str) -> Result<PathBuf, Io> {
    let path = draft.join(name);
    fs::write(&path, text).map_err(Io::on("write", &path))?;
    Ok(path)
}

/// Does what the journal says, in order, and removes it. A step that is done already is no error.
pub fn carry_out(root: &Path, journal: &Path) -> Result<(), Io> {
    let steps = read_steps(journal)?;
    let done = steps.iter().enumerate().try_for_each(|(n, step)| {
        let path = root.join(&step.path);
        do_step(&path, step, &journal.join(format!("new-{n}"))).map_err(Io::on("change", path))
    });
    if done.is_err() {
        let undo = root.join(UNDO);
        fs::rename(journal, &undo).map_err(Io::on("create", &undo))?;
        take_back(root, &undo)?;
        return done;
    }
    for step in steps.iter().filter(|step| step.remove) {
        remove_empty_above(&root.join(&step.path), root);
    }
    discard(journal, &root.join(DONE))
}

/// Takes back what was done of a journal, and removes it. A step that is taken back already is no error.
pub fn take_back(root: &Path, journal: &Path) -> Result<(), Io> {
    for (n, step) in read_steps(journal)?.iter().enumerate() {
        let file = |side| journal.join(format!("{side}-{n}"));
        if step.remove || !exists(&file("new")) {
            undo_step(&root.join(&step.path), step, &file("old"), root);
        }
    }
    discard(journal, &root.join(DRAFT))
}

/// The steps of a journal.
pub fn read_steps(journal: &Path) -> Result<Vec<Step>, Io> {
    let list = journal.join(STEPS);
    let text = fs::read_to_string(&list).map_err(Io::on("read", &list))?;
    serde_json::from_str(&text)
        .map_err(|error| Io::on("read", &list)(io::Error::new(ErrorKind::InvalidData, error)))
}

/// Removes a journal, under another name: one that is half removed must not be carried out.
fn discard(journal: &Path, worthless: &Path) -> Result<(), Io> {
    fs::rename(journal, worthless)
        .and_then(|()| fs::remove_dir_all(worthless))
        .map_err(Io::on("remove", journal))
}

/// Does a step; one that is done already is no error.
pub fn do_step(path: &Path, step: &Step, new: &Path) -> io::Result<()> {
    if step.remove {
        return match fs::remove_file(path) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        };
    }
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent)?;
    }
    match fs::rename(new, path) {
        Err(error) if error.kind() == ErrorKind::NotFound && exists(path) => Ok(()),
        result => result,
    }
}

/// Puts back what was there. There is nothing left to try when this fails.
pub fn undo_step(path: &Path, step: &Step, old: &Path, root: &Path) {
    if step.existed {
        let _ = fs::rename(old, path);
        return;
    }
    let _ = fs::remove_file(path);
    remove_empty_above(path, root);
}

/// Directories that were there for a file are empty without it; others are not and stay.
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

/// Whether there is anything, be it a link to nothing.
pub fn exists(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}
