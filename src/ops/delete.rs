//! A version of a kind less.

use super::transition::Step;
use super::{Error, Result, Transition};
use crate::disk;
use crate::names::{Group, Kind, Version};
use crate::project::Project;
use crate::resource::{Admission, Resource, Webhooks};
use crate::scaffold;
use crate::session::Session;
use crate::tree::Owner;

/// Takes a version of a kind out of the project. The newest one that is left gets its controller and its webhooks; the
/// user's own files stay.
pub struct DeleteApi {
    /// The kind.
    pub kind: Kind,
    /// Its group, as it was given when it was created.
    pub group: Option<Group>,
    /// The version that goes.
    pub version: Version,
    /// Whether nothing is to be written.
    pub dry_run: bool,
}

impl DeleteApi {
    /// # Errors
    /// When the project has no such version, or something is in the way.
    pub fn run(&self, session: &Session) -> Result<()> {
        let (mut transition, project) = Transition::open(session, self.dry_run)?;
        let is_meant = |there: &Resource| {
            there.kind == self.kind
                && there.version == self.version
                && (there.group == self.group
                    || self.group.as_ref().map(Group::as_str) == Some(&there.api_group()))
        };
        let Some(at) = project.resources.iter().position(is_meant) else {
            // A killed run of the same command has done it.
            if transition.recovered() {
                return Ok(());
            }
            return Err(self.unknown(&project));
        };
        let mut after = project.clone();
        let gone = after.resources.remove(at);
        bequeath(&gone, &mut after);
        let step = transition.step(Some(&project), &after)?;
        warn(session, &gone, &after)?;
        note(session, &gone, &after, &step)
    }

    fn unknown(&self, project: &Project) -> Error {
        let meant = project.meant(&self.kind).map(|meant| &meant.kind);
        let of_kind = project.resources.iter();
        let of_kind = of_kind.filter(|there| Some(&there.kind) == meant);
        let commands = of_kind.map(|there| {
            let (group, kind, version) = (there.group_flag(), &there.kind, &there.version);
            format!("rustop delete api {group}--kind {kind} --version {version}")
        });
        Error::NoSuchVersion {
            kind: self.kind.to_string(),
            version: self.version.to_string(),
            known: commands.collect(),
        }
    }
}

/// Gives the controller and the webhooks of a version to the newest one that is left of its kind.
fn bequeath(gone: &Resource, project: &mut Project) {
    let versions = project.resources.iter_mut();
    let mut left: Vec<_> = versions.filter(|there| there.same_kind(gone)).collect();
    let is_alone = left.len() < 2;
    left.sort_by_key(|there| there.version.age());
    // What another version has as well goes with its own.
    let is_left = |one: &Admission| left.iter().any(|version| version.admits(*one));
    let [defaulting, validation] = Admission::ALL.map(|one| gone.admits(one) && !is_left(&one));
    let conversion = gone.has(|webhooks| webhooks.conversion);
    let Some(heir) = left.last_mut() else { return };
    heir.controller |= gone.controller;
    let webhooks = heir.webhooks.get_or_insert_with(Webhooks::none);
    webhooks.defaulting |= defaulting;
    webhooks.validation |= validation;
    webhooks.conversion = (webhooks.conversion || conversion) && !is_alone;
    heir.webhooks = heir.webhooks.take().filter(|has| *has != Webhooks::none());
}

/// Says what a cluster with objects makes of it, where that is not what one would expect of an old version.
fn warn(session: &Session, gone: &Resource, after: &Project) -> Result<()> {
    let left = || after.resources.iter().filter(|it| it.same_kind(gone));
    let age = |it: &&Resource| it.version.age();
    let (Some(oldest), Some(heir)) = (left().min_by_key(age), left().max_by_key(age)) else {
        return Ok(());
    };
    let (old, new, file) = (&gone.version, &heir.version, gone.api_file());
    let terminal = session.terminal;
    if gone.version.age() > heir.version.age() {
        terminal.warning(format_args!(
            "{old} is the newest version of {}: what only {old} can say of an object is lost to {new}",
            gone.kind
        ));
    }
    if (oldest.version.age()..heir.version.age()).contains(&gone.version.age()) {
        terminal.warning(format_args!(
            "{old} is between {} and {new}: what {new} cannot hold of objects is kept for {old}, and is lost to {} \
             with it; let the oldest version go first",
            oldest.version, oldest.version
        ));
    }
    let text = disk::read(&session.dir.join(&file))?.unwrap_or_default();
    if scaffold::is_stored(&text, gone.kind.as_str(), old.as_str()) == Some(true) {
        terminal.warning(format_args!(
            "objects are stored as {old}, and no API server that has any takes a CRD without it; to move them \
             first, take `storage = false` out of `{}` and write it into `{file}`, then make deploy and rustop migrate",
            heir.api_file()
        ));
    }
    Ok(())
}

/// The newest version that is left of a kind, where none of them is stored: what was stored is gone.
fn unstored<'a>(
    session: &Session,
    project: &'a Project,
    gone: &Resource,
) -> Result<Option<&'a Resource>> {
    let all = project.resources.iter();
    let left: Vec<_> = all
        .filter(|it| it.same_kind(gone) && it.has_crd())
        .collect();
    for version in &left {
        let text = disk::read(&session.dir.join(version.api_file()))?.unwrap_or_default();
        let (kind, name) = (version.kind.as_str(), version.version.as_str());
        if scaffold::is_stored(&text, kind, name) != Some(false) {
            return Ok(None);
        }
    }
    Ok(left.into_iter().max_by_key(|it| it.version.age()))
}

/// Says what is left to the user.
fn note(session: &Session, gone: &Resource, project: &Project, step: &Step) -> Result<()> {
    let useless = step.useless(&session.dir)?;
    let path = gone.api_path();
    let mut behind = Vec::new();
    let kept = step
        .after
        .iter()
        .filter(|(_, file)| file.owner == Owner::User);
    for (file, _) in kept {
        let text = disk::read(&session.dir.join(file))?;
        if text.is_some_and(|text| text.contains(&path)) {
            behind.push(file);
        }
    }
    let terminal = session.terminal;
    terminal.list("Yours to remove", &useless);
    terminal.list(&format!("Yours to change, `{path}` is gone"), &behind);
    if let Some(heir) = unstored(session, project, gone)? {
        let file = heir.api_file();
        let what = "Yours to change, no version is stored: take out `storage = false`";
        terminal.list(what, &[&file]);
    }
    terminal.note("Then: rustop manifests");
    Ok(())
}
