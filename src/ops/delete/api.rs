//! The operation of `rustop delete api` and `rustop delete version`.

use clap::Args;

use super::kind::DeletedKind;
use crate::disk;
use crate::names::Version;
use crate::ops::leftovers;
use crate::ops::refusal::Refusal;
use crate::ops::suggestion::Suggestion;
use crate::ops::{Result, Transition};
use crate::project::Project;
use crate::resource::{Admission, Resource, Webhooks};
use crate::scaffold;
use crate::session::Session;

/// An operation that removes a kind, or one of its versions, from the project. If other versions
/// remain, the newest one gets the controller and the webhooks of the removed version.
#[derive(Args, Debug)]
pub struct DeleteApi {
    #[command(flatten)]
    pub target: DeletedKind,
    /// Version to remove [default: all versions]
    #[arg(long)]
    pub version: Option<Version>,
    /// Remove only the controller, and keep the types and the CRD
    #[arg(long)]
    pub no_resource: bool,
}

/// An operation that removes one version of a kind, like [`DeleteApi`].
#[derive(Args, Debug)]
pub struct DeleteVersion {
    #[command(flatten)]
    pub target: DeletedKind,
    /// Version to remove
    #[arg(long)]
    pub version: Version,
}

impl DeleteVersion {
    /// Removes the version from the project.
    ///
    /// # Errors
    /// Returns an error if the project has no such version, or if files are in the way.
    pub fn run(self, session: &Session) -> Result<()> {
        let operation = DeleteApi {
            target: self.target,
            version: Some(self.version),
            no_resource: false,
        };
        operation.run(session)
    }
}

impl DeleteApi {
    /// Removes a kind, one version of it, or only its controller from the project.
    ///
    /// # Errors
    /// Returns an error if the project has no such version, or if files are in the way.
    pub fn run(&self, session: &Session) -> Result<()> {
        let (mut transition, project) = Transition::open(session, self.target.dry_run)?;
        let goes =
            |it: &&Resource| self.matches(it) && (!self.no_resource || it.has_controller_file());
        let gone: Vec<_> = project.resources.iter().filter(goes).cloned().collect();
        if gone.is_empty() {
            // An interrupted run of the same command has made the change.
            return if transition.recovered() {
                Ok(())
            } else {
                Err(self.unknown(&project).into())
            };
        }
        let mut after = project.clone();
        for gone in &gone {
            self.remove(gone, &mut after);
        }
        let step = transition.remove(&project, &after)?;
        // The names of removed items, which the user's code may still contain.
        let mut names = Vec::new();
        for gone in &gone {
            let is_left = after.resources.iter().any(|it| it.same_type(gone));
            if !is_left {
                warn(session, gone, &after)?;
                names.extend(gone.api.is_some().then(|| gone.api_path()));
            }
            names.extend(orphans(gone, &after));
        }
        names.sort();
        names.dedup();
        if let Some(heir) = unstored(session, &after, &gone[0])? {
            let file = heir.api_file();
            let what = "For you to change, because no version is the storage version: remove `storage = false`";
            session.terminal.list(what, &[&file]);
        }
        leftovers::list(session, &step, &names, &gone)
    }

    /// Returns true if the arguments name this resource. Without a version, all versions match.
    fn matches(&self, there: &Resource) -> bool {
        there.kind == self.target.kind
            && self
                .version
                .as_ref()
                .is_none_or(|version| *version == there.version)
            && there.is_of(self.target.group.as_ref())
    }

    /// Removes a resource, or only its controller. A kind of Kubernetes that has webhooks only
    /// loses its controller.
    fn remove(&self, gone: &Resource, project: &mut Project) {
        let Some(at) = project.resources.iter().position(|it| it.same_type(gone)) else {
            return;
        };
        let there = &mut project.resources[at];
        if self.no_resource || (gone.core && gone.webhooks.is_some()) {
            (there.controller, there.draft) = (false, false);
            return;
        }
        project.resources.remove(at);
        bequeath(gone, project);
    }

    /// Returns the error for arguments that select nothing that can be deleted.
    fn unknown(&self, project: &Project) -> Refusal {
        let version = self.version.as_ref().map(ToString::to_string);
        let is_known = project.resources.iter().any(|it| self.matches(it));
        if is_known && self.no_resource {
            return Refusal::NoController {
                kind: self.target.kind.to_string(),
                version,
            };
        }
        let command = if self.version.is_some() && !self.no_resource {
            "delete version"
        } else {
            "delete api"
        };
        let suggestion = Suggestion::new(command, self.version.as_ref())
            .flag("no-resource", self.no_resource)
            .flag("dry-run", self.target.dry_run);
        Refusal::NoSuchVersion {
            kind: self.target.kind.to_string(),
            version,
            known: suggestion.of_kinds(project.meant(&self.target.kind), project),
        }
    }
}

/// Returns the names of the parts that a kind has lost, by which user files may refer to them: the
/// module of its controller (`controllers::NAME`) and its CRD.
fn orphans(gone: &Resource, after: &Project) -> Vec<String> {
    let left = || after.resources.iter().filter(|it| it.same_kind(gone));
    let controller = !left().any(Resource::has_controller_file);
    let crd = gone.has_crd() && left().next().is_none();
    let controller = controller.then(|| format!("controllers::{}", gone.name()));
    let crd = crd.then(|| gone.crd_name());
    controller.into_iter().chain(crd).collect()
}

/// Gives the controller and the webhooks of a removed version to the newest remaining version of
/// its kind.
fn bequeath(gone: &Resource, project: &mut Project) {
    let versions = project.resources.iter_mut();
    let mut left: Vec<_> = versions.filter(|there| there.same_kind(gone)).collect();
    let is_alone = left.len() < 2;
    left.sort_by_key(|there| there.version.order());
    // A webhook that another version has, too, is removed together with its version.
    let is_left = |one: &Admission| left.iter().any(|version| version.admits(*one));
    let [defaulting, validation] = Admission::ALL.map(|one| gone.admits(one) && !is_left(&one));
    let conversion = gone.has(|webhooks| webhooks.conversion);
    let Some(heir) = left.last_mut() else { return };
    heir.controller |= gone.controller;
    heir.draft |= gone.draft;
    let webhooks = heir.webhooks.get_or_insert_with(Webhooks::none);
    webhooks.defaulting |= defaulting;
    webhooks.validation |= validation;
    webhooks.conversion = (webhooks.conversion || conversion) && !is_alone;
    heir.webhooks = heir.webhooks.take().filter(|has| *has != Webhooks::none());
}

/// Warns if deleting a version loses fields of stored objects, or if objects may be stored in it.
/// Neither happens for the oldest version if another one is the storage version.
fn warn(session: &Session, gone: &Resource, after: &Project) -> Result<()> {
    let left = || after.resources.iter().filter(|it| it.same_kind(gone));
    let order = |it: &&Resource| it.version.order();
    let (Some(oldest), Some(heir)) = (left().min_by_key(order), left().max_by_key(order)) else {
        return Ok(());
    };
    let (old, new, file) = (&gone.version, &heir.version, gone.api_file());
    let terminal = session.terminal;
    if gone.version.order() > heir.version.order() {
        terminal.warning(format_args!(
            "{old} is the newest version of {}: fields that only {old} has are lost in {new}",
            gone.kind
        ));
    }
    if (oldest.version.order()..heir.version.order()).contains(&gone.version.order()) {
        terminal.warning(format_args!(
            "{old} is between {} and {new}: fields that {new} does not have are stored for {old}, and are \
             lost in {} when {old} is deleted; delete the oldest version first",
            oldest.version, oldest.version
        ));
    }
    let text = disk::read(&session.dir.join(&file))?.unwrap_or_default();
    if scaffold::is_stored(&text, gone.kind.as_str(), old.as_str()) == Some(true) {
        terminal.warning(format_args!(
            "objects may be stored as {old}, and an API server rejects a CRD that lacks a stored version; to migrate \
             them first, remove `storage = false` from `{}` and add it to `{file}`, then make deploy and rustop migrate",
            heir.api_file()
        ));
    }
    Ok(())
}

/// Returns the newest remaining version of a kind if none of them is the storage version, because
/// that was removed.
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
    Ok(left.into_iter().max_by_key(|it| it.version.order()))
}
