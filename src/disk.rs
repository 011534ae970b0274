//! The one door to the disk: a [`Plan`] is written all or nothing.
//!
//! New texts are first written to a directory inside the project, together with a list of what is to
//! be done. One rename makes that list valid; from then on it is carried out, by this process or, had
//! that been killed, by the next one that works on the project. An error on the way is undone.

use std::fs::{self, File, TryLockError};
use std::io::{self, ErrorKind};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::error::Io;
use crate::tree::{Change, Plan};

/// Holds what is being prepared; worthless when its process is gone.
const DRAFT: &str = ".rustop-draft";
/// Holds what is to be done: whoever finds it does it.
const JOURNAL: &str = ".rustop-journal";
/// Holds what could not be done: whoever finds it takes it back.
const UNDO: &str = ".rustop-undo";
/// Holds what was done; worthless, but whoever finds it knows that its process could not say so.
const DONE: &str = ".rustop-done";
/// The list of steps, in each.
const STEPS: &str = "steps.json";

/// One change, as the journal has it. The new text is the file `new-<n>`, the old one `old-<n>`, `n`
/// being the step's place in the list.
#[derive(Debug, Deserialize, Serialize)]
struct Step {
    path: String,
    existed: bool,
    remove: bool,
}

/// The text of a file; `None` where there is none.
///
/// # Errors
/// When it cannot be read, is no text, or is no file.
pub fn read(path: &Path) -> Result<Option<String>, Io> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        // A link to nothing is something: the user's.
        Err(error)
            if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
                && !path.is_symlink() =>
        {
            Ok(None)
        }
        Err(error) => Err(Io::on("read", path)(error)),
    }
}

/// The names in a directory, sorted; none where there is no directory.
///
/// # Errors
/// When it cannot be read.
pub fn list(dir: &Path) -> Result<Vec<String>, Io> {
    let entries = match fs::read_dir(dir) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(Io::on("read", dir)(error)),
    };
    let name =
        |entry: io::Result<fs::DirEntry>| Ok(entry?.file_name().to_string_lossy().into_owned());
    let mut names = entries
        .map(name)
        .collect::<io::Result<Vec<_>>>()
        .map_err(Io::on("read", dir))?;
    names.sort();
    Ok(names)
}

/// A project's directory, held by one rustop at a time.
#[derive(Debug)]
pub struct Site {
    root: PathBuf,
    /// What goes again when nothing is written.
    made: Made,
    /// Whether this process finished what a killed one had begun.
    pub recovered: bool,
    /// The lock on the directory, free as soon as its process is gone.
    _lock: File,
}

impl Site {
    /// Takes hold of `root`, which is made where it does not exist, and carries out what a killed
    /// process had begun there. `on_wait` is called when another rustop has it: then this one waits.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn claim(root: &Path, on_wait: &dyn Fn()) -> Result<Self, Io> {
        let made = Made {
            root: root.to_owned(),
            top: first_missing(root),
        };
        fs::create_dir_all(root).map_err(Io::on("create", root))?;
        let lock = File::open(root).map_err(Io::on("read", root))?;
        if let Err(TryLockError::WouldBlock) = lock.try_lock() {
            on_wait();
            lock.lock().map_err(Io::on("lock", root))?;
        }
        let inode = |found: io::Result<fs::Metadata>| found.map(|metadata| metadata.ino()).ok();
        if inode(lock.metadata()) != inode(root.metadata()) {
            // It was made by another rustop, which failed and took it away again.
            drop((lock, made));
            return Self::claim(root, on_wait);
        }
        let mut site = Self {
            root: root.to_owned(),
            made,
            recovered: false,
            _lock: lock,
        };
        site.recover()?;
        Ok(site)
    }

    /// Writes a plan: all of it or nothing.
    ///
    /// # Errors
    /// When the disk refuses; then all is as it was.
    pub fn write(&mut self, plan: &Plan) -> Result<(), Io> {
        if plan.changes.is_empty() {
            return Ok(());
        }
        // A rename would put a file in the place of the link.
        let link =
            |change: &&Change| change.before.is_some() && self.root.join(&change.path).is_symlink();
        if let Some(change) = plan.changes.iter().find(link) {
            let why = io::Error::other("it is a symbolic link, and rustop writes files anew");
            return Err(Io::on("replace", self.root.join(&change.path))(why));
        }
        let draft = self.root.join(DRAFT);
        let journal = self.root.join(JOURNAL);
        fs::create_dir(&draft).map_err(Io::on("create", &draft))?;
        let drafted = write_draft(&draft, &plan.changes)
            .and_then(|()| fs::rename(&draft, &journal).map_err(Io::on("create", &journal)));
        if drafted.is_err() {
            // The first error is the one to tell.
            let _ = fs::remove_dir_all(&draft);
        }
        drafted.and_then(|()| carry_out(&self.root, &journal))?;
        self.made.top = None;
        Ok(())
    }

    fn recover(&mut self) -> Result<(), Io> {
        let draft = self.root.join(DRAFT);
        if exists(&draft) {
            fs::remove_dir_all(&draft).map_err(Io::on("remove", &draft))?;
        }
        let undo = self.root.join(UNDO);
        if exists(&undo) {
            take_back(&self.root, &undo)?;
        }
        let journal = self.root.join(JOURNAL);
        if exists(&journal) {
            carry_out(&self.root, &journal)?;
            self.recovered = true;
        }
        let done = self.root.join(DONE);
        if exists(&done) {
            fs::remove_dir_all(&done).map_err(Io::on("remove", &done))?;
            self.recovered = true;
        }
        Ok(())
    }
}

/// The directories that were made for a project. As long as nothing is written they are empty, and go
/// with this value.
#[derive(Debug)]
struct Made {
    root: PathBuf,
    /// The topmost of them.
    top: Option<PathBuf>,
}

impl Drop for Made {
    fn drop(&mut self) {
        if let Some(top) = &self.top {
            for dir in self.root.ancestors().take_while(|dir| dir.starts_with(top)) {
                let _ = fs::remove_dir(dir);
            }
        }
    }
}

fn write_draft(draft: &Path, changes: &[Change]) -> Result<(), Io> {
    let put = |name: String, text: &str| {
        let path = draft.join(name);
        fs::write(&path, text).map_err(Io::on("write", path))
    };
    let mut steps = Vec::new();
    for (n, change) in changes.iter().enumerate() {
        if let Some(text) = &change.after {
            put(format!("new-{n}"), text)?;
        }
        if let Some(text) = &change.before {
            put(format!("old-{n}"), text)?;
        }
        steps.push(Step {
            path: change.path.clone(),
            existed: change.before.is_some(),
            remove: change.after.is_none(),
        });
    }
    put(
        STEPS.to_owned(),
        &serde_json::to_string(&steps).expect("strings and booleans"),
    )
}

/// Does what the journal says, in order, and removes it. A step that is done already is no error.
fn carry_out(root: &Path, journal: &Path) -> Result<(), Io> {
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
    discard(journal, &root.join(DONE))
}

/// Takes back what was done of a journal, and removes it. A step that is taken back already is no error.
fn take_back(root: &Path, journal: &Path) -> Result<(), Io> {
    for (n, step) in read_steps(journal)?.iter().enumerate() {
        let file = |side| journal.join(format!("{side}-{n}"));
        if step.remove || !exists(&file("new")) {
            undo_step(&root.join(&step.path), step, &file("old"), root);
        }
    }
    discard(journal, &root.join(DRAFT))
}

fn read_steps(journal: &Path) -> Result<Vec<Step>, Io> {
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

fn do_step(path: &Path, step: &Step, new: &Path) -> io::Result<()> {
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
fn undo_step(path: &Path, step: &Step, old: &Path, root: &Path) {
    if step.existed {
        let _ = fs::rename(old, path);
        return;
    }
    let _ = fs::remove_file(path);
    // Directories that were made for it are empty now; others are not and stay.
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

fn exists(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}

/// The topmost directory of `path` that does not exist yet.
fn first_missing(path: &Path) -> Option<PathBuf> {
    path.ancestors()
        .take_while(|dir| !dir.as_os_str().is_empty() && !exists(dir))
        .last()
        .map(Path::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn create(path: &str, text: &str) -> Change {
        Change {
            path: path.into(),
            before: None,
            after: Some(text.into()),
            edited: false,
        }
    }

    fn replace(path: &str, before: &str, text: &str) -> Change {
        Change {
            path: path.into(),
            before: Some(before.into()),
            after: Some(text.into()),
            edited: false,
        }
    }

    fn plan(changes: Vec<Change>) -> Plan {
        Plan {
            changes,
            conflicts: Vec::new(),
        }
    }

    fn names(root: &Path) -> Vec<String> {
        let mut names: Vec<_> = walkdir::WalkDir::new(root)
            .min_depth(1)
            .into_iter()
            .map(|e| {
                e.unwrap()
                    .path()
                    .strip_prefix(root)
                    .unwrap()
                    .display()
                    .to_string()
            })
            .collect();
        names.sort();
        names
    }

    fn claim(root: &Path) -> Result<Site, Io> {
        Site::claim(root, &|| panic!("somebody else has {}", root.display()))
    }

    #[test]
    fn a_plan_is_written_and_leaves_nothing_else() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("a/b");
        claim(&root)
            .unwrap()
            .write(&plan(vec![create("x", "1"), create("y/z", "2")]))
            .unwrap();
        assert_eq!(names(&root), ["x", "y", "y/z"]);
    }

    #[test]
    fn an_error_undoes_every_step() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path();
        fs::write(root.join("file"), "in the way").unwrap();
        fs::write(root.join("old"), "1").unwrap();
        let steps = vec![
            create("deep/new", "2"),
            replace("old", "1", "3"),
            create("file/below", "4"),
        ];
        claim(root).unwrap().write(&plan(steps)).unwrap_err();
        assert_eq!(names(root), ["file", "old"]);
        assert_eq!(fs::read_to_string(root.join("old")).unwrap(), "1");
    }

    #[test]
    fn a_directory_made_for_nothing_goes_again() {
        let dir = tempfile::tempdir().unwrap();
        drop(claim(&dir.path().join("a/b")).unwrap());
        assert_eq!(names(dir.path()), [""; 0]);
    }

    #[test]
    fn the_next_process_carries_out_what_was_begun() {
        for done in 0..=3 {
            let dir = tempfile::tempdir().unwrap();
            let root = dir.path();
            fs::write(root.join("gone"), "0").unwrap();
            let journal = root.join(JOURNAL);
            fs::create_dir(&journal).unwrap();
            let gone = Change {
                after: None,
                ..replace("gone", "0", "")
            };
            write_draft(&journal, &[create("a/x", "1"), create("y", "2"), gone]).unwrap();
            let steps: Vec<Step> =
                serde_json::from_str(&fs::read_to_string(journal.join(STEPS)).unwrap()).unwrap();
            for (n, step) in steps.iter().enumerate().take(done) {
                do_step(
                    &root.join(&step.path),
                    step,
                    &journal.join(format!("new-{n}")),
                )
                .unwrap();
            }
            assert!(claim(root).unwrap().recovered);
            assert_eq!(names(root), ["a", "a/x", "y"], "after {done} steps");
            assert!(!claim(root).unwrap().recovered);
        }
    }

    #[test]
    fn the_next_process_takes_back_what_failed() {
        for undone in 0..=3 {
            let dir = tempfile::tempdir().unwrap();
            let root = dir.path();
            fs::write(root.join("old"), "1").unwrap();
            let undo = root.join(UNDO);
            fs::create_dir(&undo).unwrap();
            let all = [
                create("a/x", "2"),
                replace("old", "1", "3"),
                create("never", "4"),
            ];
            write_draft(&undo, &all).unwrap();
            let steps = read_steps(&undo).unwrap();
            for (n, step) in steps.iter().enumerate().take(2) {
                do_step(&root.join(&step.path), step, &undo.join(format!("new-{n}"))).unwrap();
            }
            for (n, step) in steps.iter().enumerate().take(undone) {
                undo_step(
                    &root.join(&step.path),
                    step,
                    &undo.join(format!("old-{n}")),
                    root,
                );
            }
            assert!(!claim(root).unwrap().recovered);
            assert_eq!(names(root), ["old"], "after {undone} steps");
            assert_eq!(fs::read_to_string(root.join("old")).unwrap(), "1");
        }
    }

    #[test]
    fn a_draft_of_a_dead_process_is_thrown_away() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join(DRAFT)).unwrap();
        fs::write(dir.path().join(DRAFT).join("new-0"), "half").unwrap();
        assert!(!claim(dir.path()).unwrap().recovered);
        assert_eq!(names(dir.path()), [""; 0]);
    }
}
