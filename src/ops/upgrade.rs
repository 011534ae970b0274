//! The operation of `rustop upgrade`: brings a project from an earlier release to this one.

use std::path::Path;

use walkdir::WalkDir;

use super::user_file_merge::{Extent, Fate, Merges, unsettled};
use super::{Refusal, Result, Transition, imported};
use crate::disk;
use crate::project::{Project, VERSION};
use crate::scaffold::{self, Release, Vendored};
use crate::session::Session;
use crate::tree::{Change, File, Owner, Plan, Tree, is_generated};
use crate::upgrade::{markers, rename, since};

/// An operation that renders the generated files with this release, merges the changes into the
/// user files, and reports what has changed.
pub struct Upgrade {
    /// If true, writes nothing, and fails if there is anything to do.
    pub check: bool,
    /// If true, writes nothing.
    pub dry_run: bool,
}

/// The changes of an upgrade.
struct Steps {
    changes: Vec<Change>,
    merges: Merges,
    /// The user's files at the paths of generated files.
    in_the_way: Vec<String>,
    /// The files of a vendored crate that the user has edited.
    edited: Vec<String>,
}

impl Upgrade {
    /// # Errors
    /// Returns an error if the project's release is not known, if an earlier merge is not finished,
    /// if files are in the way, or if a file cannot be written; then nothing is changed. Also
    /// returns an error if conflicts are left for the user to resolve, or if `check` finds
    /// something to do.
    pub fn run(&self, session: &Session) -> Result<()> {
        self.run_from(session, Release::of)
    }

    /// Runs the upgrade with the release that `find` returns for a version.
    fn run_from(&self, session: &Session, find: impl Fn(&str) -> Option<Release>) -> Result<()> {
        let root = &session.dir;
        let (mut transition, project) = Transition::open_any(session, self.check || self.dry_run)?;
        session.report("from", project.cli_version.as_str());
        session.report("to", VERSION);
        let release = find(&project.cli_version);
        let mut after = project.by_this_rustop();
        if let Some(release) = &release {
            let exists = |path: &str| root.join(path).exists();
            after.parts.extend(release.parts_made_optional(exists));
        }
        let mut theirs = scaffold::render(&after);
        imported::fill(root, &after, &mut theirs)?;
        let unsettled = unsettled(root, &theirs)?;
        if project.cli_version == VERSION {
            if unsettled.is_empty() {
                session.terminal.status(
                    "Unchanged",
                    format_args!("the project is of rustop {VERSION}"),
                );
                return Ok(());
            }
            return Err(Refusal::Conflicts { places: unsettled }.into());
        }
        let release = release.ok_or_else(|| Refusal::NoRelease {
            version: project.cli_version.clone(),
            known: Release::versions().join(", "),
        })?;
        if !unsettled.is_empty() {
            return Err(Refusal::Unmerged { places: unsettled }.into());
        }
        let steps = Steps::of(root, &release, &project, &theirs)?;
        if !steps.in_the_way.is_empty() {
            let paths = steps.in_the_way;
            return Err(Refusal::WouldOverwrite { paths }.into());
        }
        if !steps.edited.is_empty() {
            let paths = steps.edited;
            return Err(Refusal::EditedCrate { paths }.into());
        }
        transition.carry_out(&Plan {
            changes: steps.changes,
            conflicts: Vec::new(),
        })?;
        print_notes(session, &project, &steps.merges);
        if self.check {
            return Err(Refusal::Outdated {
                version: project.cli_version,
            }
            .into());
        }
        let places = steps.merges.places();
        if places.is_empty() || self.dry_run {
            let places: Vec<_> = places.iter().map(String::as_str).collect();
            session
                .terminal
                .list("Conflicts that you would have to resolve", &places);
            return Ok(());
        }
        Err(Refusal::Conflicts { places }.into())
    }
}

/// Prints the notes of each new release and the steps that remain for the user.
fn print_notes(session: &Session, project: &Project, merges: &Merges) {
    let terminal = session.terminal;
    for (version, notes) in since(&project.cli_version) {
        let notes: Vec<_> = notes.lines().collect();
        terminal.list(&format!("New in {version}"), &notes);
    }
    merges.list(terminal);
    terminal.note("Then: rustop manifests, and make test");
}

impl Steps {
    fn of(root: &Path, release: &Release, project: &Project, theirs: &Tree) -> Result<Self> {
        let mut base = release.render(project);
        // The files of imported kinds are generated from their CRDs and not from templates.
        imported::fill(root, project, &mut base)?;
        let name = &project.project_name;
        let mut steps = Self {
            changes: Vec::new(),
            merges: Merges::new(Extent::Possible, [name, name]),
            in_the_way: Vec::new(),
            edited: Vec::new(),
        };
        for (path, file) in theirs.iter() {
            let there = disk::read(&root.join(path))?;
            let state = there.as_ref().and_then(|it| release.state(path, it));
            match file.owner {
                Owner::Tool if state.is_some() => {
                    steps.vendored(path, state, there, Some(file.text.clone()));
                }
                Owner::Tool => steps.tools(path, base.get(path), there, file),
                Owner::User => steps.users(path, base.get(path), there, Some(&file.text)),
            }
        }
        for (path, old) in base.iter().filter(|(path, _)| theirs.get(path).is_none()) {
            if let Some(there) = disk::read(&root.join(path))? {
                steps.gone(path, old, there);
            }
        }
        let directories = release.directories().iter();
        let vendored = release.vendored().map(str::to_owned);
        for path in vendored.chain(directories.flat_map(|dir| generated(root, dir))) {
            if theirs.get(&path).is_none() {
                let there = disk::read(&root.join(&path))?;
                let state = there.as_ref().and_then(|it| release.state(&path, it));
                steps.vendored(&path, state, there, None);
            }
        }
        steps.rename(root)?;
        Ok(steps)
    }

    /// Replaces deprecated names of the runtime in the user's sources, after the merges.
    fn rename(&mut self, root: &Path) -> Result<()> {
        for path in sources(root) {
            let merged = self.changes.iter_mut().find(|change| change.path == path);
            let there = disk::read(&root.join(&path))?;
            let text = match &merged {
                Some(change) => change.after.as_ref(),
                None => there.as_ref(),
            };
            let is_whole = |text: &&String| !is_generated(text) && markers(text).is_empty();
            let Some(renamed) = text.filter(is_whole).and_then(|text| rename(text)) else {
                continue;
            };
            match merged {
                Some(change) => change.after = Some(renamed),
                None => self.change(&path, there, Some(renamed)),
            }
        }
        Ok(())
    }

    fn change(&mut self, path: &str, before: Option<String>, after: Option<String>) {
        if before != after {
            self.changes.push(Change {
                path: path.to_owned(),
                before,
                after,
                // The text of the earlier release does not matter for a generated file, so edits of
                // it are not reported.
                edited: false,
            });
        }
    }

    /// Replaces or removes a file of a vendored crate, unless the user has edited it.
    fn vendored(
        &mut self,
        path: &str,
        state: Option<Vendored>,
        there: Option<String>,
        new: Option<String>,
    ) {
        if state == Some(Vendored::Edited) && there != new {
            return self.edited.push(path.to_owned());
        }
        self.change(path, there, new);
    }

    fn tools(&mut self, path: &str, old: Option<&File>, there: Option<String>, new: &File) {
        let text = &new.text;
        let is_users = |there: &String| match old {
            None => there != text,
            Some(old) => {
                let was_users = old.owner == Owner::User && *there != old.text;
                was_users || (*there != old.text && new.is_foreign(path, there))
            }
        };
        if there.as_ref().is_some_and(is_users) {
            return self.in_the_way.push(path.to_owned());
        }
        self.change(path, there, Some(text.clone()));
    }

    fn users(&mut self, path: &str, old: Option<&File>, there: Option<String>, new: Option<&str>) {
        let old = old.map(|old| old.text.as_str());
        if let Fate::Becomes(text) = self.merges.file(path, old, there.clone(), new) {
            self.change(path, there, text);
        }
    }

    /// Removes a file that this release does not render. A file that the user has written at its
    /// path is kept.
    fn gone(&mut self, path: &str, old: &File, there: String) {
        match old.owner {
            Owner::Tool if old.is_foreign(path, &there) => {}
            Owner::Tool => self.change(path, Some(there), None),
            Owner::User => self.users(path, Some(old), Some(there), None),
        }
    }
}

/// Returns the Rust files of a project, without those that cargo builds or that belong to other
/// crates.
fn sources(root: &Path) -> Vec<String> {
    let is_users = |entry: &walkdir::DirEntry| {
        let name = entry.file_name().to_string_lossy();
        let is_left_out = name.starts_with('.') || ["target", "vendor"].contains(&&*name);
        entry.depth() == 0 || !is_left_out
    };
    WalkDir::new(root)
        .sort_by_file_name()
        .into_iter()
        .filter_entry(is_users)
        .flatten()
        .filter(|entry| entry.file_type().is_file())
        .filter(|entry| entry.path().extension().is_some_and(|it| it == "rs"))
        .filter_map(|entry| {
            let path = entry.path().strip_prefix(root).ok()?;
            Some(path.to_string_lossy().replace('\\', "/"))
        })
        .collect()
}

/// Returns the generated files below a directory of an earlier release.
fn generated(root: &Path, dir: &str) -> Vec<String> {
    let files = WalkDir::new(root.join(dir))
        .sort_by_file_name()
        .into_iter()
        .flatten();
    let files = files.filter(|file| file.file_type().is_file());
    let path = |file: walkdir::DirEntry| {
        let text = disk::read(file.path()).ok().flatten()?;
        let path = file.path().strip_prefix(root).ok()?;
        is_generated(&text).then(|| path.to_string_lossy().replace('\\', "/"))
    };
    files.filter_map(path).collect()
}

#[cfg(test)]
mod next_release;
#[cfg(test)]
mod tests;
