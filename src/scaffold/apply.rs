//! From a rendered tree to the disk, with a word on each file.

use std::path::Path;

use crate::cmd::Session;
use crate::disk::{self, Site};
use crate::error::{Error, Result};
use crate::project::Project;
use crate::scaffold::table::MANAGER;
use crate::tree::{Change, Owner, Plan, Tree};

/// Makes the files in `root` those of `after`; `before` is what the project's files were rendered to
/// before the command. Without a `site` it only says what it would do.
///
/// # Errors
/// When files that rustop did not write are in the way, or the disk refuses. Then nothing is changed.
pub fn apply(
    session: &Session,
    site: Option<&mut Site>,
    root: &Path,
    before: &Tree,
    after: &Tree,
) -> Result<Plan> {
    let plan = after.plan(before, |path| disk::read(&root.join(path)))?;
    if !plan.conflicts.is_empty() {
        return Err(Error::WouldOverwrite {
            paths: plan.conflicts,
        });
    }
    for change in plan.changes.iter().filter(|change| change.edited) {
        session.terminal.warning(format_args!(
            "`{}` is rustop's and is rendered anew; this takes back what else was changed in it:\n{}",
            change.path,
            change.diff()
        ));
    }
    let wrote = site.is_some();
    if let Some(site) = site {
        site.write(&plan)?;
    }
    tell(session, &plan, wrote);
    Ok(plan)
}

/// A line for each file, and one for those of the manager, which nobody reads one by one.
fn tell(session: &Session, plan: &Plan, wrote: bool) {
    let verb = |change: &Change| {
        if wrote {
            change.verb()
        } else {
            change.conditional()
        }
    };
    let is_managers = |change: &&Change| change.path.starts_with(MANAGER);
    for change in &plan.changes {
        if !is_managers(&change) {
            session.terminal.status(verb(change), &change.path);
        }
        if !change.edited {
            session.terminal.detail(change.diff());
        }
    }
    let mut of_manager: Vec<_> = plan.changes.iter().filter(is_managers).map(verb).collect();
    of_manager.sort_unstable();
    for same in of_manager.chunk_by(PartialEq::eq) {
        let files = if same.len() == 1 { "file" } else { "files" };
        let line = format!("{MANAGER} ({} {files})", same.len());
        session.terminal.status(same[0], line);
    }
}

/// The user's files that `before` has and `after` has no use for, as far as they are there.
///
/// # Errors
/// When one cannot be read.
pub fn useless<'a>(root: &Path, before: &'a Tree, after: &Tree) -> Result<Vec<&'a str>> {
    let mut useless = Vec::new();
    for (path, file) in before.iter() {
        let is_left = file.owner == Owner::User && after.get(path).is_none();
        if is_left && disk::read(&root.join(path))?.is_some() {
            useless.push(path);
        }
    }
    Ok(useless)
}

/// Reads the project in `root` and takes hold of its directory, unless nothing is to be written.
///
/// # Errors
/// When there is no project, in which case the directory is not touched, or it cannot be read or claimed.
pub fn open(session: &Session, root: &Path, dry_run: bool) -> Result<(Option<Site>, Project)> {
    let project = Project::load(root)?;
    if dry_run {
        return Ok((None, project));
    }
    let site = claim(session, root)?;
    // Whoever held it before may have changed it.
    Ok((Some(site), Project::load(root)?))
}

/// Takes hold of a project's directory, saying so when that means waiting.
pub fn claim(session: &Session, root: &Path) -> Result<Site> {
    Site::claim(root, &|| {
        session.terminal.status(
            "Blocking",
            format_args!("waiting for another rustop in `{}`", root.display()),
        );
    })
}
