//! What `init` decided, merged into the user's files when it is decided anew.

use std::collections::BTreeMap;
use std::path::Path;

use super::Result;
use crate::disk;
use crate::names::ProjectName;
use crate::tree::{Owner, Tree, unified};
use crate::upgrade::{markers, merge};

/// What has become of the user's files.
#[derive(Default)]
pub struct Merges {
    /// Where the user has to choose: `src/main.rs:12`.
    pub conflicts: Vec<String>,
    /// What stays as the user has it, though rustop would have it otherwise.
    pub kept: Vec<String>,
    /// The user's files that nothing uses any more.
    pub useless: Vec<String>,
    /// The files that were merged, as they are then.
    pub texts: BTreeMap<String, String>,
}

impl Merges {
    /// Hands the user's files that the two trees have different over to the tool, for this one step: in `before` as
    /// they are on the disk, in `after` as they are to be. A file that the user deleted stays deleted. `names` are those
    /// of the project, before and after.
    ///
    /// # Errors
    /// When a file cannot be read.
    pub fn of(
        root: &Path,
        names: [&ProjectName; 2],
        before: &mut Tree,
        after: &mut Tree,
    ) -> Result<Self> {
        let mut merges = Self::default();
        let users = |tree: &Tree| -> Vec<_> {
            let files = tree.iter().filter(|(_, file)| file.owner == Owner::User);
            files
                .map(|(path, file)| (path.to_owned(), file.text.clone()))
                .collect()
        };
        for (path, old) in users(before) {
            let new = after.get(&path).map(|file| file.text.clone());
            if new.as_ref() == Some(&old) {
                continue;
            }
            let Some(there) = disk::read(&root.join(&path))? else {
                continue;
            };
            match new {
                Some(new) => {
                    let text = merges.merge(&path, names, &old, &there, &new);
                    before.hand_over(&path, there);
                    after.hand_over(&path, text);
                }
                None if there.replace("\r\n", "\n") == old => before.hand_over(&path, there),
                None => merges.useless.push(path),
            }
        }
        for (path, new) in users(after) {
            let there = disk::read(&root.join(&path))?;
            if before.get(&path).is_none() && there.is_some_and(|there| there != new) {
                merges
                    .kept
                    .push(format!("{path}: rustop would make such a file as well"));
                before.insert(path, Owner::User, new);
            }
        }
        Ok(merges)
    }

    fn merge(
        &mut self,
        path: &str,
        names: [&ProjectName; 2],
        old: &str,
        there: &str,
        new: &str,
    ) -> String {
        let merged = if path == "Cargo.lock" {
            merge(path, &renamed(old, names), &renamed(there, names), new)
        } else {
            merge(path, old, there, new)
        };
        let kept = merged.kept.iter().map(|kept| format!("{path}: {kept}"));
        self.kept.extend(kept);
        if merged.conflicts {
            let lines = markers(&merged.text).into_iter();
            self.conflicts
                .extend(lines.map(|line| format!("{path}:{line}")));
        }
        self.texts.insert(path.to_owned(), merged.text.clone());
        merged.text
    }
}

/// Hands over what can be merged, as [`Merges::of`] does, if all of it can. Else the trees stay as they are; returned is
/// what is to change where the user changed the same lines, as unified diffs.
///
/// # Errors
/// When a file cannot be read.
pub fn all_or_none(root: &Path, before: &mut Tree, after: &mut Tree) -> Result<Vec<String>> {
    let mut merged = Vec::new();
    let mut conflicts = Vec::new();
    for (path, old) in before.iter().filter(|(_, old)| old.owner == Owner::User) {
        let Some(new) = after.get(path).filter(|new| new.text != old.text) else {
            continue;
        };
        let Some(there) = disk::read(&root.join(path))? else {
            continue;
        };
        match diffy::merge(&old.text, &there, &new.text) {
            Ok(text) => merged.push((path.to_owned(), there, text)),
            Err(_) => conflicts.push(unified(path, Some(&old.text), Some(&new.text))),
        }
    }
    if conflicts.is_empty() {
        for (path, there, text) in merged {
            before.hand_over(&path, there);
            after.hand_over(&path, text);
        }
    }
    Ok(conflicts)
}

/// A lock file in which the project's own packages have their new names: what the user added to them stays.
fn renamed(lock: &str, [old, new]: [&ProjectName; 2]) -> String {
    lock.replace(&format!("\"{old}\""), &format!("\"{new}\""))
        .replace(&format!("\"{old}-api\""), &format!("\"{new}-api\""))
}

/// Where a merge in the user's files is not finished.
///
/// # Errors
/// When a file cannot be read.
pub fn unsettled(root: &Path, tree: &Tree) -> Result<Vec<String>> {
    let mut places = Vec::new();
    for (path, _) in tree.iter().filter(|(_, file)| file.owner == Owner::User) {
        let text = disk::read(&root.join(path))?.unwrap_or_default();
        let lines = markers(&text).into_iter();
        places.extend(lines.map(|line| format!("{path}:{line}")));
    }
    Ok(places)
}
