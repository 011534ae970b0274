//! A tree of files as a value, the only output of every generator, and what it takes to turn what is
//! on disk into it. Nothing here touches the disk: see [`crate::disk`].

use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter};

use diffy::DiffOptions;
use serde::Deserialize;

/// Whose a file is.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq)]
#[serde(rename_all = "camelCase")]
pub enum Owner {
    /// Written once, then the user's: never changed again.
    User,
    /// Rendered whole by every command; its first line says so.
    Tool,
}

/// A file of a [`Tree`].
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct File {
    /// Whose it is.
    pub owner: Owner,
    /// All of it, ending in a line feed.
    pub text: String,
}

/// Paths relative to the project's root, with `/`, and what is to be there.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Tree {
    files: BTreeMap<String, File>,
    /// The version of the rustop that wrote it, or would.
    writer: String,
}

impl Tree {
    /// An empty tree.
    pub fn new(writer: &str) -> Self {
        Self {
            files: BTreeMap::new(),
            writer: writer.to_owned(),
        }
    }

    /// Puts a file into the tree.
    ///
    /// # Panics
    /// When the path is taken: two generators for one file are a bug.
    pub fn insert(&mut self, path: String, owner: Owner, text: String) {
        assert!(
            !self.files.contains_key(&path),
            "two generators write {path}"
        );
        self.files.insert(path, File { owner, text });
    }

    /// Gives a file of the tree another text.
    pub fn replace(&mut self, path: &str, text: String) {
        if let Some(file) = self.files.get_mut(path) {
            file.text = text;
        }
    }

    /// Makes a file the tool's, with this text.
    pub fn hand_over(&mut self, path: &str, text: String) {
        let owner = Owner::Tool;
        self.files.insert(path.to_owned(), File { owner, text });
    }

    /// Takes a file out of the tree.
    pub fn remove(&mut self, path: &str) {
        self.files.remove(path);
    }

    /// The file at a path.
    pub fn get(&self, path: &str) -> Option<&File> {
        self.files.get(path)
    }

    /// All files, sorted by path.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &File)> {
        self.files.iter().map(|(path, file)| (path.as_str(), file))
    }

    /// What must change on disk so that it holds this tree.
    ///
    /// `before` is what the same generators made of the project as it stands, before the command;
    /// `on_disk` reads a file. A user's file that `before` has too is left alone, even where the user
    /// deleted it. What another version of rustop wrote is replaced without much ado: how that would
    /// have rendered the project is not known here.
    pub fn plan<E>(
        &self,
        before: &Self,
        on_disk: impl Fn(&str) -> Result<Option<String>, E>,
    ) -> Result<Plan, E> {
        let mut plan = Plan::default();
        let same_writer = self.writer == before.writer;
        for (path, file) in &self.files {
            let old = before.get(path);
            if file.owner == Owner::User && old.is_some() {
                continue;
            }
            let found = on_disk(path)?;
            match found {
                Some(text) if text == file.text => {}
                // Whoever wrote it, it was not the tool.
                Some(_) if old.is_none() => plan.conflicts.push(path.clone()),
                found => {
                    let differs = |text: &String| old.is_some_and(|old| old.text != *text);
                    let edited = same_writer && found.as_ref().is_some_and(differs);
                    plan.changes.push(Change {
                        path: path.clone(),
                        before: found,
                        after: Some(file.text.clone()),
                        edited,
                    });
                }
            }
        }
        for (path, old) in before
            .iter()
            .filter(|(path, old)| old.owner == Owner::Tool && self.get(path).is_none())
        {
            if let Some(text) = on_disk(path)? {
                let edited = same_writer && text != old.text;
                plan.changes.push(Change {
                    path: path.to_owned(),
                    before: Some(text),
                    after: None,
                    edited,
                });
            }
        }
        Ok(plan)
    }
}

/// What must change on disk.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Plan {
    /// Files to create, replace or remove.
    pub changes: Vec<Change>,
    /// Paths at which the user has a file already, other than the one to be written there.
    pub conflicts: Vec<String>,
}

/// One file that changes.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Change {
    /// Relative to the root.
    pub path: String,
    /// What is there; `None` where there is nothing.
    pub before: Option<String>,
    /// What is to be there; `None` to remove it.
    pub after: Option<String>,
    /// Whether somebody else changed the tool's file since the tool wrote it.
    pub edited: bool,
}

impl Change {
    /// `Created`, `Updated` or `Removed`.
    pub fn verb(&self) -> &'static str {
        match (&self.before, &self.after) {
            (None, _) => "Created",
            (Some(_), Some(_)) => "Updated",
            (Some(_), None) => "Removed",
        }
    }

    /// The same for a change that is not made.
    pub fn conditional(&self) -> &'static str {
        match (&self.before, &self.after) {
            (None, _) => "Would create",
            (Some(_), Some(_)) => "Would update",
            (Some(_), None) => "Would remove",
        }
    }

    /// From what is there to what is to be there, as a unified diff.
    pub fn diff(&self) -> Diff<'_> {
        Diff(self)
    }
}

/// A unified diff, made when somebody wants to see it.
#[derive(Debug)]
pub struct Diff<'a>(&'a Change);

impl Display for Diff<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let change = self.0;
        f.write_str(&unified(
            &change.path,
            change.before.as_deref(),
            change.after.as_deref(),
        ))
    }
}

/// A unified diff with `a/` and `b/` before the path, `/dev/null` where a side does not exist.
pub fn unified(path: &str, before: Option<&str>, after: Option<&str>) -> String {
    let header = |side: &str, text: Option<&str>| {
        text.map_or("/dev/null".to_owned(), |_| format!("{side}/{path}"))
    };
    let (old, new) = (header("a", before), header("b", after));
    let mut options = DiffOptions::new();
    options
        .set_original_filename(old)
        .set_modified_filename(new);
    let diff = options.create_patch(before.unwrap_or_default(), after.unwrap_or_default());
    diff.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(files: &[(&str, Owner, &str)]) -> Tree {
        let mut tree = Tree::default();
        for (path, owner, text) in files {
            tree.insert((*path).to_owned(), *owner, (*text).to_owned());
        }
        tree
    }

    fn plan(new: &Tree, before: &Tree, disk: &[(&str, &str)]) -> Plan {
        let read = |path: &str| -> Result<_, ()> {
            Ok(disk
                .iter()
                .find(|(p, _)| *p == path)
                .map(|(_, t)| (*t).to_owned()))
        };
        new.plan(before, read).unwrap()
    }

    #[test]
    fn a_tree_that_is_there_changes_nothing() {
        let new = tree(&[("a", Owner::Tool, "1\n"), ("b", Owner::User, "2\n")]);
        assert_eq!(
            plan(&new, &Tree::default(), &[("a", "1\n"), ("b", "2\n")]),
            Plan::default()
        );
    }

    #[test]
    fn the_users_file_is_never_replaced() {
        let new = tree(&[("b", Owner::User, "2\n")]);
        assert_eq!(
            plan(&new, &Tree::default(), &[("b", "mine\n")]).conflicts,
            ["b"]
        );
        assert_eq!(plan(&new, &new, &[("b", "mine\n")]), Plan::default());
        assert_eq!(
            plan(&new, &new, &[]),
            Plan::default(),
            "what the user deleted stays deleted"
        );
    }

    #[test]
    fn an_edited_tool_file_is_known_from_an_outdated_one() {
        let (old, new) = (
            tree(&[("a", Owner::Tool, "1\n")]),
            tree(&[("a", Owner::Tool, "2\n")]),
        );
        let outdated = &plan(&new, &old, &[("a", "1\n")]).changes[0];
        assert!(!outdated.edited && outdated.verb() == "Updated");
        assert!(plan(&new, &old, &[("a", "mine\n")]).changes[0].edited);
    }

    #[test]
    fn a_tool_file_that_nothing_makes_any_more_goes() {
        let old = tree(&[("a", Owner::Tool, "1\n"), ("b", Owner::User, "2\n")]);
        let changes = plan(&Tree::default(), &old, &[("a", "1\n"), ("b", "2\n")]).changes;
        assert_eq!(
            changes
                .iter()
                .map(|c| (c.verb(), c.path.as_str()))
                .collect::<Vec<_>>(),
            [("Removed", "a")]
        );
    }

    #[test]
    fn a_diff_names_both_sides() {
        let diff = unified("x", None, Some("1\n"));
        assert!(
            diff.starts_with("--- /dev/null\n+++ b/x\n") && diff.ends_with("+1\n"),
            "{diff}"
        );
    }
}
