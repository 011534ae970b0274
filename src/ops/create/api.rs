//! The operation of `rustop create api`.

use std::path::Path;

use super::kind::{builtin, of_kubernetes};
use super::next_steps;
use crate::diagnostic::did_you_mean;
use crate::disk;
use crate::names::{Group, Kind, Plural, Version};
use crate::ops::suggestion::Suggestion;
use crate::ops::{Refusal, Result, Transition};
use crate::project::builtin::{self, Builtin};
use crate::project::{self, Project, Spellings};
use crate::resource::{Api, CrdOptions, Resource, Workload};
use crate::scaffold;
use crate::session::Session;

/// The default version of a kind.
const FIRST_VERSION: &str = "v1alpha1";

/// An operation that adds a kind to the project: its type, its CRD, a controller, a sample, roles
/// and a test.
pub struct CreateApi {
    /// The name of the kind, in `PascalCase`.
    pub kind: Kind,
    /// The part of the API group before the domain; `None` if the group is the domain alone. For a
    /// kind of another project, the complete group.
    pub group: Option<Group>,
    /// The API version. `None` for any version of a kind that the project has, for the preferred
    /// version of a kind of Kubernetes, and otherwise for [`FIRST_VERSION`].
    pub version: Option<Version>,
    /// The plural; `None` for the English plural of the kind.
    pub plural: Option<Plural>,
    /// True if the objects are cluster-scoped, false if they are namespaced.
    pub cluster_scoped: bool,
    /// True if the kind gets a controller. Ignored if `resource` is false: then it always does.
    pub controller: bool,
    /// The container that the operator runs for each object; `None` for the usual example.
    pub workload: Option<Workload>,
    /// True if the project defines the CRD. If false, the kind belongs to Kubernetes or to another
    /// project, or the project already has it.
    pub resource: bool,
    /// If true, nothing is written.
    pub dry_run: bool,
}

impl CreateApi {
    /// Adds a kind, a version of a kind, or a controller to the project.
    ///
    /// # Errors
    /// Returns an error if the kind cannot be added, or if files are in the way.
    pub fn run(&self, session: &Session) -> Result<()> {
        let (mut transition, project) = Transition::open(session, self.dry_run)?;
        let wanted = self.wanted(&project)?;
        let is_wanted = |there: &&Resource| there.same_type(&wanted);
        let there = project.resources.iter().find(is_wanted);
        // An interrupted run of the same command may already have made the change.
        let finished =
            transition.recovered() && there.is_some_and(|there| there.controller || self.resource);
        let mut after = project.clone();
        if !finished {
            if self.resource {
                self.add_type(&mut after, wanted.clone())?;
            } else {
                refuse_unfinished_draft(&project, &wanted, &session.dir)?;
                add_controller(&mut after, &wanted)?;
            }
            let step = transition.step(&project, &after)?;
            self.print_guessed_plural(session, &project, &wanted);
            let useless = step.useless(&session.dir)?;
            session.terminal.list("For you to remove", &useless);
        }
        if !self.dry_run {
            let done = after.resources.iter().find(is_wanted);
            self.print_next_steps(session, done.unwrap_or(&wanted), &after);
        }
        Ok(())
    }

    /// Returns the resource that the command adds, or the project's resource with a controller.
    ///
    /// # Errors
    /// Returns an error if the kind exists with another plural or scope, or if neither the project
    /// nor Kubernetes has it and the group is not complete.
    fn wanted(&self, project: &Project) -> Result<Resource> {
        if self.resource {
            return self.own(project);
        }
        if let Some(there) = project.resources.iter().find(|there| self.names(there)) {
            if self.contradicts(there) {
                return Err(project::Error::fixed(there).into());
            }
            return Ok(Resource {
                controller: true,
                ..there.clone()
            });
        }
        let group = self.group.as_ref();
        let version = self.version.as_ref();
        match group.and_then(|group| builtin(project, &self.kind, group, version)) {
            Some(builtin) => self.of_kubernetes(builtin, project),
            None => self.of_other_project(project),
        }
    }

    /// Reports whether a resource of the project is the one that the command names.
    fn names(&self, there: &Resource) -> bool {
        let version = self
            .version
            .as_ref()
            .is_none_or(|version| *version == there.version);
        there.kind == self.kind && version && there.is_of(self.group.as_ref())
    }

    /// Reports whether the command gives an existing kind another plural or scope.
    fn contradicts(&self, there: &Resource) -> bool {
        self.plural
            .as_ref()
            .is_some_and(|plural| *plural != there.plural)
            || (self.cluster_scoped && builtin::is_namespaced(there))
    }

    /// Returns the resource for a kind that the project defines.
    fn own(&self, project: &Project) -> Result<Resource> {
        Ok(Resource {
            api: Some(self.api()),
            controller: self.controller,
            core: false,
            crd: CrdOptions::default(),
            draft: false,
            domain: Some(project.domain.clone()),
            external: false,
            group: self.group.clone(),
            kind: self.kind.clone(),
            plural: self.plural_or_guess()?,
            version: self.version_or_first(),
            imported: None,
            webhooks: None,
            workload: self.workload.clone(),
        })
    }

    /// Returns the resource for a built-in kind, whose plural and scope cannot be chosen.
    fn of_kubernetes(&self, builtin: &Builtin, project: &Project) -> Result<Resource> {
        let resource = Resource {
            controller: true,
            ..of_kubernetes(builtin, &self.kind, project)
        };
        if self.plural.is_some() || self.cluster_scoped {
            return Err(Refusal::BuiltinIsFixed {
                api_version: resource.api_version(),
                kind: resource.kind.to_string(),
            }
            .into());
        }
        Ok(resource)
    }

    /// Returns the resource for a kind of another project, whose group must be complete.
    fn of_other_project(&self, project: &Project) -> Result<Resource> {
        let Some(given) = self
            .group
            .as_ref()
            .filter(|group| group.as_str().contains('.'))
        else {
            // The plural and the scope are those of the kind.
            let suggestion = Suggestion::new("create api", self.version.as_ref())
                .flag("no-resource", true)
                .flag("dry-run", self.dry_run);
            let meant = suggestion.of_kinds(project.meant(&self.kind), project);
            let kinds: Vec<_> = builtin::all().iter().map(|it| it.kind).collect();
            let spelt = did_you_mean(self.kind.as_str(), &kinds);
            let known = builtin::all().iter();
            let known = known.filter(|builtin| Some(builtin.kind) == spelt);
            let known = known.map(|builtin| suggestion.with(&builtin.flags()));
            let known = meant.into_iter().chain(known).collect();
            let group = self.group.as_ref().map(Group::as_str);
            let kind = self.kind.as_str();
            return Err(Refusal::foreign_kind(kind, group, Some(project), known).into());
        };
        let (group, domain) = Group::split(given.as_str());
        Ok(Spellings::of(project).take(Resource {
            api: Some(self.api()),
            controller: true,
            core: false,
            crd: CrdOptions::default(),
            draft: false,
            domain,
            external: true,
            group,
            kind: self.kind.clone(),
            plural: self.plural_or_guess()?,
            version: self.version_or_first(),
            imported: None,
            webhooks: None,
            workload: None,
        }))
    }

    fn api(&self) -> Api {
        Api {
            crd_version: "v1".parse().expect("a version"),
            namespaced: !self.cluster_scoped,
        }
    }

    fn plural_or_guess(&self) -> Result<Plural> {
        let guess = || Plural::of(&self.kind).map_err(|source| Refusal::NoPlural { source });
        Ok(self.plural.clone().map_or_else(guess, Ok)?)
    }

    fn version_or_first(&self) -> Version {
        self.version
            .clone()
            .unwrap_or_else(|| FIRST_VERSION.parse().expect("a version"))
    }

    /// Adds a type, and a controller for its kind unless another version of the kind has one.
    fn add_type(&self, project: &mut Project, mut resource: Resource) -> Result<()> {
        let kinds = || project.resources.iter();
        if let Some(there) = kinds().find(|there| there.same_type(&resource)) {
            return Err(exists(there).into());
        }
        if let Some(sibling) = kinds().find(|there| there.same_kind(&resource)) {
            if self.contradicts(sibling) {
                return Err(project::Error::fixed(sibling).into());
            }
            if self.workload.is_some() {
                return Err(Refusal::ImageOfVersion {
                    resource: sibling.to_string(),
                }
                .into());
            }
            resource.plural.clone_from(&sibling.plural);
            resource.api.clone_from(&sibling.api);
            resource.workload.clone_from(&sibling.workload);
            resource.crd = sibling.crd;
        }
        resource.controller &=
            !kinds().any(|there| there.same_kind(&resource) && there.has_controller_file());
        project.resources.push(resource);
        Ok(())
    }

    /// Shows the guessed plural. It is part of the kind's API paths and cannot be changed later.
    fn print_guessed_plural(&self, session: &Session, before: &Project, wanted: &Resource) {
        let is_known = before.resources.iter().any(|there| there.same_kind(wanted));
        if self.plural.is_none() && !wanted.core && !is_known {
            let guess = format_args!("the plural `{}`; `--plural` names another", wanted.plural);
            session.terminal.status("Guessed", guess);
        }
    }

    /// Prints the steps of a new version of a kind, or the files to edit.
    fn print_next_steps(&self, session: &Session, resource: &Resource, project: &Project) {
        if let Some(model) = scaffold::model(resource, project).filter(|_| self.resource) {
            let steps = next_steps::steps(resource, model, project);
            return session.terminal.list("Next", &steps);
        }
        let is_new = resource.api.is_some() && self.resource;
        let conversion = project
            .older(resource)
            .map(|older| resource.conversion_file(older));
        let controller = (!is_new || resource.controller).then(|| resource.controller_file());
        let files = [
            is_new.then(|| resource.api_file()),
            conversion.filter(|_| is_new),
            controller,
        ];
        let files: Vec<_> = files.into_iter().flatten().collect();
        session.terminal.note(format_args!(
            "Next: edit {}, then rustop manifests",
            files.join(" and ")
        ));
    }
}

/// Adds a controller for a kind that the project already has, or that it does not define.
fn add_controller(project: &mut Project, resource: &Resource) -> Result<()> {
    let mut kinds = project.resources.iter_mut();
    if let Some(there) = kinds.find(|there| there.same_kind(resource) && there.controller) {
        return Err(exists(there).into());
    }
    // The versions of a kind share one controller file, so none of them has a draft any longer.
    let kinds = project.resources.iter_mut();
    for there in kinds.filter(|there| there.same_kind(resource)) {
        there.draft = false;
    }
    let mut kinds = project.resources.iter_mut();
    match kinds.find(|there| there.same_type(resource)) {
        Some(there) => there.controller = true,
        None => project.resources.push(resource.clone()),
    }
    Ok(())
}

/// Returns an error if the controller is a draft of `rustop import` that still contains a `todo!`.
/// If it were registered, it would look like a working controller.
fn refuse_unfinished_draft(project: &Project, resource: &Resource, dir: &Path) -> Result<()> {
    let mut drafts = project.resources.iter().filter(|it| it.draft);
    if !drafts.any(|draft| draft.same_kind(resource)) {
        return Ok(());
    }
    let path = resource.controller_file();
    let text = disk::read(&dir.join(&path))?.unwrap_or_default();
    let mut lines = (1..).zip(text.lines());
    match lines.find(|(_, line)| line.trim_start().starts_with("todo!(")) {
        Some((line, _)) => Err(Refusal::ControllerUnwritten { path, line }.into()),
        None => Ok(()),
    }
}

/// Returns the error for a resource that the project already has.
fn exists(there: &Resource) -> Refusal {
    let add = format!("{} adds its controller", there.register_command());
    Refusal::KindExists {
        resource: there.to_string(),
        add_controller: (!there.controller).then_some(add),
    }
}
