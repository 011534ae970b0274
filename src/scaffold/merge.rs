//! The user's files when something changes that `init` decided: what rustop would write now is merged into what
//! the user has made of what it wrote then, as git would do it.

use std::path::Path;

use crate::disk;
use crate::error::Io;
use crate::tree::{Owner, Tree, unified};

/// Hands the user's files that the two trees have different over to the tool, for this one step: in `before` as
/// they are on the disk, in `after` as they are to be. A file that the user deleted stays deleted. Returns what is to
/// change where the user changed the same lines, as unified diffs; then the trees are as they were.
///
/// # Errors
/// When a file cannot be read.
pub fn merge(root: &Path, before: &mut Tree, after: &mut Tree) -> Result<Vec<String>, Io> {
    let mut merged = Vec::new();
    let mut conflicts = Vec::new();
    for (path, old) in before.iter().filter(|(_, old)| old.owner == Owner::User) {
        let Some(new) = after.get(path).filter(|new| new.text != old.text) else {
            continue;
        };
        let Some(current) = disk::read(&root.join(path))? else {
            continue;
        };
        match diffy::merge(&old.text, &current, &new.text) {
            Ok(text) => merged.push((path.to_owned(), current, text)),
            Err(_) => conflicts.push(unified(path, Some(&old.text), Some(&new.text))),
        }
    }
    if !conflicts.is_empty() {
        return Ok(conflicts);
    }
    for (path, current, text) in merged {
        before.hand_over(&path, current);
        after.hand_over(&path, text);
    }
    Ok(conflicts)
}
