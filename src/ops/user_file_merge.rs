//! Three-way merges of user files. They are needed if rustop renders such a file differently than
//! before: for a newer release, for changed settings of `init`, or for a newer CRD. The merge base
//! of a file is the text that rustop rendered before.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::Result;
use crate::disk;
use crate::names::ProjectName;
use crate::terminal::Terminal;
use crate::tree::{Owner, Tree};
use crate::upgrade::{ManualEdit, is_example, markers, merge};

/// The part of the merges that must succeed.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Extent {
    /// Everything that can be merged is merged. On a conflict, an example keeps the user's text,
    /// and any other file gets both sides with conflict markers.
    Possible,
    /// Either everything is merged or nothing. Every conflict counts, and no file may be in the
    /// way.
    Whole,
}

/// The result of a merge for one file.
#[derive(Debug, Eq, PartialEq)]
pub enum Fate {
    /// The file is not changed. If it does not exist, it is not created.
    Stays,
    /// The file gets this text; `None` removes it.
    Becomes(Option<String>),
}

/// The merges of the user files of a project.
#[derive(Debug)]
pub struct Merges {
    extent: Extent,
    /// The project's name before and after the change, which `Cargo.lock` contains.
    names: [ProjectName; 2],
    /// The places where the user must resolve a conflict: a file and a line.
    conflicts: Vec<(String, usize)>,
    /// The fields that the user must change by hand, with their files.
    manual_edits: Vec<(String, ManualEdit)>,
    /// Descriptions of texts that stay as the user has them, although rustop renders them
    /// differently.
    kept: Vec<String>,
    /// The user files that are no longer used.
    useless: Vec<String>,
    /// The files that change, with their current and their new text. `None` for a file that does
    /// not exist.
    changes: BTreeMap<String, (Option<String>, Option<String>)>,
    /// The new files that already exist.
    there: Vec<String>,
}

impl Merges {
    /// Creates an empty set of merges.
    pub fn new(extent: Extent, names: [&ProjectName; 2]) -> Self {
        Self {
            extent,
            names: names.map(Clone::clone),
            conflicts: Vec::new(),
            manual_edits: Vec::new(),
            kept: Vec::new(),
            useless: Vec::new(),
            changes: BTreeMap::new(),
            there: Vec::new(),
        }
    }

    /// Merges all user files that differ between two trees.
    ///
    /// # Errors
    /// Returns an error if a file cannot be read.
    pub fn of(
        extent: Extent,
        names: [&ProjectName; 2],
        root: &Path,
        [before, after]: [&Tree; 2],
    ) -> Result<Self> {
        let mut merges = Self::new(extent, names);
        let users = |tree: &'_ Tree| -> BTreeSet<String> {
            let files = tree.iter().filter(|(_, file)| file.owner == Owner::User);
            files.map(|(path, _)| path.to_owned()).collect()
        };
        for path in &users(before) | &users(after) {
            let [old, new] = [before, after].map(|tree| tree.get(&path).map(|it| it.text.as_str()));
            if old != new {
                let there = disk::read(&root.join(&path))?;
                merges.file(&path, old, there, new);
            }
        }
        Ok(merges)
    }

    /// Merges one file. `old` and `new` are the texts that rustop renders before and after the
    /// change, and `there` is the text on the disk.
    pub fn file(
        &mut self,
        path: &str,
        old: Option<&str>,
        there: Option<String>,
        new: Option<&str>,
    ) -> Fate {
        let text = match (old, &there, new) {
            (None, None, Some(new)) => return Fate::Becomes(Some(new.to_owned())),
            (None, Some(there), Some(new)) => {
                if there != new {
                    self.kept
                        .push(format!("{path}: rustop generates a file at this path, too"));
                }
                self.there.push(path.to_owned());
                return Fate::Stays;
            }
            // A file that the user has deleted is not created again.
            (Some(_), None, _) | (None, _, None) => return Fate::Stays,
            (Some(old), Some(there), Some(new)) => Some(self.merge(path, old, there, new)),
            (Some(old), Some(there), None) if there.replace("\r\n", "\n") == old => None,
            (Some(_), Some(_), None) => {
                self.useless.push(path.to_owned());
                return Fate::Stays;
            }
        };
        self.changes.insert(path.to_owned(), (there, text.clone()));
        Fate::Becomes(text)
    }

    /// Merges a file that exists in all three versions, and records its conflicts.
    fn merge(&mut self, path: &str, old: &str, there: &str, new: &str) -> String {
        let [before, after] = &self.names;
        let mut merged = if path == "Cargo.lock" && before != after {
            let renamed = |lock| renamed(lock, [before, after]);
            merge(path, &renamed(old), &renamed(there), new)
        } else {
            merge(path, old, there, new)
        };
        let has_conflicts = merged.conflicts || !merged.manual_edits.is_empty();
        if has_conflicts && self.extent == Extent::Possible && is_example(path) {
            merged.conflicts = false;
            merged.manual_edits.clear();
            there.clone_into(&mut merged.text);
            let kept = "the example has changed in lines that you have edited";
            merged.kept.push(kept.to_owned());
        }
        let kept = merged.kept.iter().map(|kept| format!("{path}: {kept}"));
        self.kept.extend(kept);
        if merged.conflicts {
            let lines = markers(&merged.text).into_iter();
            self.conflicts
                .extend(lines.map(|line| (path.to_owned(), line)));
        }
        let edits = merged.manual_edits.into_iter();
        self.manual_edits
            .extend(edits.map(|edit| (path.to_owned(), edit)));
        merged.text
    }

    /// Makes the merged files generated files for this one step, so that they can be written. They
    /// get their text on the disk in `before`, and their merged text in `after`.
    pub fn set_generated(&self, before: &mut Tree, after: &mut Tree) {
        for (path, (there, text)) in &self.changes {
            before.set_generated(path, there.clone().unwrap_or_default());
            if let Some(text) = text {
                after.set_generated(path, text.clone());
            }
        }
        // An empty user file in `before` keeps the planner from reporting the path as in the way.
        if self.extent == Extent::Possible {
            for path in &self.there {
                before.insert(path.clone(), Owner::User, String::new());
            }
        }
    }

    /// Returns the places where the user must resolve a conflict: `src/main.rs:12`.
    pub fn places(&self) -> Vec<String> {
        let conflicts = self.conflicts.iter();
        conflicts
            .map(|(path, line)| format!("{path}:{line}"))
            .collect()
    }

    /// Returns the fields that the user must change by hand, in files that are merged by field and
    /// not by line.
    pub fn manual_edits(&self) -> &[(String, ManualEdit)] {
        &self.manual_edits
    }

    /// Returns the files with conflicts between lines.
    pub fn in_conflict(&self) -> BTreeSet<&str> {
        self.conflicts
            .iter()
            .map(|(path, _)| path.as_str())
            .collect()
    }

    /// Returns the new text of a file. `None` if the file is not changed or if it is removed.
    pub fn text(&self, path: &str) -> Option<&str> {
        self.changes.get(path)?.1.as_deref()
    }

    /// Lists the files that were kept as the user has them, and those that the user can remove.
    pub fn list(&self, terminal: Terminal) {
        let list = |title, lines: &[String]| {
            let lines: Vec<_> = lines.iter().map(String::as_str).collect();
            terminal.list(title, &lines);
        };
        list("Kept as you have it", &self.kept);
        list("For you to remove", &self.useless);
    }
}

/// Renames the project's own packages in a lock file. The user's additions to them are kept.
fn renamed(lock: &str, [old, new]: [&ProjectName; 2]) -> String {
    lock.replace(&format!("\"{old}\""), &format!("\"{new}\""))
        .replace(&format!("\"{old}-api\""), &format!("\"{new}-api\""))
}

/// Returns the places in user files where an earlier merge is not finished.
///
/// # Errors
/// Returns an error if a file cannot be read.
pub fn unfinished_merges(root: &Path, tree: &Tree) -> Result<Vec<String>> {
    let mut places = Vec::new();
    for (path, _) in tree.iter().filter(|(_, file)| file.owner == Owner::User) {
        let text = disk::read(&root.join(path))?.unwrap_or_default();
        let lines = markers(&text).into_iter();
        places.extend(lines.map(|line| format!("{path}:{line}")));
    }
    Ok(places)
}

#[cfg(test)]
mod tests {
    use super::*;

    const OLD: &str = "a\nb\nc\nd\n";
    const MINE: &str = "a\nmine\nc\nd\n";
    const NEW: &str = "a\nnew\nc\nd\n";

    fn merges(extent: Extent) -> Merges {
        let name: ProjectName = "cows".parse().unwrap();
        Merges::new(extent, [&name, &name])
    }

    fn becomes(text: &str) -> Fate {
        Fate::Becomes(Some(text.to_owned()))
    }

    #[test]
    fn examples_stay_where_not_all_must_be_merged() {
        let path = "src/controllers/cow.rs";
        let merged = |extent| {
            let mut merges = merges(extent);
            let fate = merges.file(path, Some(OLD), Some(MINE.into()), Some(NEW));
            (fate, merges)
        };
        let (fate, possible) = merged(Extent::Possible);
        assert_eq!((fate, possible.kept.len()), (becomes(MINE), 1));
        assert!(possible.places().is_empty());
        let (_, whole) = merged(Extent::Whole);
        assert_eq!(whole.places(), ["src/controllers/cow.rs:2"]);
        assert_eq!(whole.in_conflict().len(), 1);
    }

    #[test]
    fn dos_line_breaks_and_the_order_of_keys_are_no_conflict_for_either() {
        let dos = |text: &str| text.replace('\n', "\r\n");
        for extent in [Extent::Possible, Extent::Whole] {
            let mut merges = merges(extent);
            let mine = dos(&OLD.replace("a\n", "mine\n"));
            let fate = merges.file("x", Some(OLD), Some(mine), Some("a\nb\nc\nD\n"));
            assert_eq!(fate, becomes(&dos("mine\nb\nc\nD\n")));
            let fate = merges.file("y", Some(OLD), Some(dos(OLD)), None);
            assert_eq!(fate, Fate::Becomes(None));
            let table = "[dependencies]\n";
            let both = [Some(table), Some("[dependencies]\nkube = \"5\"\n")];
            let mine = "[dependencies]\nanyhow = \"1\"\n";
            merges.file("Cargo.toml", both[0], Some(mine.into()), both[1]);
            let text = merges.text("Cargo.toml").unwrap();
            assert!(text.contains("anyhow") && text.contains("kube"), "{text}");
            assert!(merges.places().is_empty(), "{extent:?}");
        }
    }

    #[test]
    fn removed_files_stay_removed_and_changed_ones_are_kept() {
        let mut merges = merges(Extent::Possible);
        assert_eq!(merges.file("a", Some(OLD), None, Some(NEW)), Fate::Stays);
        assert_eq!(merges.file("b", None, None, Some(NEW)), becomes(NEW));
        assert_eq!(
            merges.file("c", Some(OLD), Some(MINE.into()), None),
            Fate::Stays
        );
        assert_eq!(
            merges.file("d", None, Some(MINE.into()), Some(NEW)),
            Fate::Stays
        );
        assert_eq!((merges.useless.len(), merges.kept.len()), (1, 1));
    }
}
