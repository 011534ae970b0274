//! The operation of `rustop create webhook`.

use std::path::Path;

use clap::Args;

use super::kind::{builtin, of_kubernetes, position};
use crate::disk;
use crate::names::{Group, Kind, Version};
use crate::ops::requested_webhooks::RequestedWebhooks;
use crate::ops::suggestion::Suggestion;
use crate::ops::{Refusal, Result, Transition};
use crate::project::{Project, builtin};
use crate::resource::{Admission, Resource, Webhooks};
use crate::scaffold;
use crate::session::Session;

/// An operation that adds webhooks to a kind.
#[derive(Args, Debug)]
pub struct CreateWebhook {
    /// Kind, in `PascalCase`
    #[arg(long)]
    pub kind: Kind,
    /// Group of the kind, as passed to `rustop create api`, or a group of Kubernetes
    #[arg(long)]
    pub group: Option<Group>,
    /// Version of the kind [default: the first one created, or the version of a built-in kind]
    #[arg(long)]
    pub version: Option<Version>,
    #[command(flatten)]
    pub webhooks: RequestedWebhooks,
    /// Print the changes without writing any file
    #[arg(long)]
    pub dry_run: bool,
}

impl CreateWebhook {
    /// Adds webhooks or a conversion to a kind.
    ///
    /// # Errors
    /// Returns an error if the kind does not exist, if there is nothing to add, or if files are in
    /// the way.
    pub fn run(&self, session: &Session) -> Result<()> {
        let (mut transition, project) = Transition::open(session, self.dry_run)?;
        let mut after = project.clone();
        let at = self.resource(&mut after)?;
        let resource = &after.resources[at];
        // An interrupted run of the same command may already have made the change.
        let finished = transition.recovered() && self.is_in(&after, resource);
        if !finished {
            self.check(&project, resource)?;
            if self.webhooks.conversion {
                check_status(&session.dir, &project, resource)?;
            }
            self.add(&mut after, at);
            transition.step(&project, &after)?;
        }
        if !self.dry_run {
            self.print_next_steps(session, &after, &after.resources[at]);
        }
        Ok(())
    }

    /// Returns the index of the kind in the project. If it is a kind of Kubernetes that the project
    /// does not have yet, adds it.
    fn resource(&self, project: &mut Project) -> Result<usize> {
        let (kind, group, version) = (&self.kind, self.group.as_ref(), self.version.as_ref());
        if let Some(at) = position(project, kind, group, version) {
            return Ok(at);
        }
        let Some(builtin) = group.and_then(|group| builtin(project, kind, group, version)) else {
            return Err(self.unknown(project).into());
        };
        let resource = of_kubernetes(builtin, kind, project);
        project.resources.push(resource);
        Ok(project.resources.len() - 1)
    }

    /// Returns the error for a kind that neither the project nor Kubernetes has, with commands for
    /// similar names.
    fn unknown(&self, project: &Project) -> Refusal {
        let Self {
            kind,
            group,
            version,
            ..
        } = self;
        let spelt = kind.type_name();
        let given = group.as_ref().map(|group| format!("--group {group} "));
        let own = Suggestion::new("create api", None)
            .value("version", version.as_ref())
            .flag("dry-run", self.dry_run)
            .with(&format!("{}--kind {spelt}", given.unwrap_or_default()));
        let meant = self
            .suggestion(self.webhooks.conversion)
            .of_kinds(project.meant(kind), project);
        // Only admission webhooks are possible: the API server converts the kinds of Kubernetes
        // itself.
        let admits = self.webhooks.admissions().next().is_some();
        let built_in = builtin::all()
            .iter()
            .filter(|builtin| builtin.kind == spelt && admits)
            .map(|builtin| self.suggestion(false).with(&builtin.flags()));
        let known = meant.into_iter().chain([own]).chain(built_in).collect();
        let group = group.as_ref().map(Group::as_str);
        Refusal::foreign_kind(kind.as_str(), group, Some(project), known)
    }

    /// Returns this command for other kinds and versions. `conversion` is true if it may ask for a
    /// conversion.
    fn suggestion(&self, conversion: bool) -> Suggestion<'_> {
        self.webhooks
            .admissions()
            .fold(
                Suggestion::new("create webhook", self.version.as_ref()),
                |suggestion, one| suggestion.flag(one.word(), true),
            )
            .flag("conversion", conversion)
            .flag("dry-run", self.dry_run)
    }

    /// Reports whether the kind already has all requested webhooks.
    fn is_in(&self, project: &Project, resource: &Resource) -> bool {
        let converted = || !project.converted(resource).is_empty();
        self.webhooks.admissions().all(|one| resource.admits(one))
            && (!self.webhooks.conversion || converted())
    }

    /// Returns an error if there is no webhook to add, or no other version to convert to.
    fn check(&self, project: &Project, resource: &Resource) -> Result<()> {
        if self.is_in(project, resource) {
            return Err(Refusal::WebhookExists {
                resource: resource.to_string(),
                files: self.files(project, resource),
                other: self.other(project, resource),
            }
            .into());
        }
        let of_kind = |there: &&Resource| there.same_kind(resource);
        if self.webhooks.conversion && project.resources.iter().filter(of_kind).count() < 2 {
            return Err(Refusal::NothingToConvert {
                resource: resource.to_string(),
                add: resource.has_crd().then(|| {
                    let (group, kind) = (resource.group_flag(), &resource.kind);
                    let is_v1 = resource.version.as_str() == "v1";
                    let version = if is_v1 { "v2" } else { "v1" };
                    format!("rustop create api {group}--version {version} --kind {kind}")
                }),
            }
            .into());
        }
        Ok(())
    }

    /// Returns the command that adds the same webhooks to the newest version that lacks one of
    /// them.
    fn other(&self, project: &Project, resource: &Resource) -> Option<String> {
        let lacks = |there: &&Resource| {
            there.same_kind(resource) && self.webhooks.admissions().any(|one| !there.admits(one))
        };
        let all = project.resources.iter().filter(lacks);
        let newest = all.max_by_key(|there| there.version.order())?;
        Some(self.suggestion(false).of_version(newest))
    }

    /// Adds the requested webhooks to the resource with the index `at`. The conversion is requested
    /// once for all versions of a kind.
    fn add(&self, project: &mut Project, at: usize) {
        let converts =
            project.converted(&project.resources[at]).is_empty() && self.webhooks.conversion;
        let admissions: Vec<_> = self.webhooks.admissions().collect();
        add_webhooks(project, at, &admissions);
        let webhooks = &mut project.resources[at].webhooks;
        webhooks.get_or_insert_with(Webhooks::none).conversion |= converts;
    }

    /// Returns the files of the requested webhooks.
    fn files(&self, project: &Project, resource: &Resource) -> Vec<String> {
        let admission = self
            .webhooks
            .admissions()
            .map(|one| resource.webhook_file(one));
        let versions = project.converted(resource);
        let versions = versions.windows(2).filter(|_| self.webhooks.conversion);
        let conversion = versions.map(|both| both[1].conversion_file(both[0]));
        admission.chain(conversion).collect()
    }

    /// Prints the files to edit, and warns if webhooks of other versions of the kind are also
    /// called.
    fn print_next_steps(&self, session: &Session, project: &Project, resource: &Resource) {
        let files = self.files(project, resource).join(" and ");
        session
            .terminal
            .note(format_args!("Next: edit {files}, then rustop manifests"));
        let others = project.resources.iter().filter(|other| {
            let both = |one| other.admits(one) && resource.admits(one);
            other.same_kind(resource)
                && !other.same_type(resource)
                && self.webhooks.admissions().any(both)
        });
        for other in others {
            session.terminal.note(format_args!(
                "The API server also calls the webhook of {}, for objects of any version; deleting that version deletes the webhook",
                other.version
            ));
        }
    }
}

/// Adds admission webhooks to the resource with the index `at` in `project.resources`. If another
/// version of the kind already uses the file of a webhook, this one gets a file of its own.
pub fn add_webhooks(project: &mut Project, at: usize, admissions: &[Admission]) {
    let resource = &project.resources[at];
    let others = project.resources.iter();
    let others: Vec<_> = others
        .filter(|other| other.same_kind(resource) && !other.same_type(resource))
        .collect();
    let is_taken = |one: &Admission| {
        let file = resource.webhook_file(*one);
        let mut others = others.iter();
        others.any(|other| other.admits(*one) && other.webhook_file(*one) == file)
    };
    let new = admissions.iter().copied();
    let new = new.filter(|one| !resource.admits(*one));
    let versioned: Vec<_> = new.filter(is_taken).collect();
    let webhooks = &mut project.resources[at].webhooks;
    let webhooks = webhooks.get_or_insert_with(Webhooks::none);
    webhooks.defaulting |= admissions.contains(&Admission::Defaulting);
    webhooks.validation |= admissions.contains(&Admission::Validation);
    webhooks.versioned.extend(versioned);
}

/// Returns an error if a version of the kind has no status. The runtime converts a spec and a
/// status, so the project would not compile.
fn check_status(root: &Path, project: &Project, resource: &Resource) -> Result<()> {
    for version in project.resources.iter().filter(|it| it.same_kind(resource)) {
        let file = version.api_file();
        let text = disk::read(&root.join(&file))?.unwrap_or_default();
        let (kind, name) = (version.kind.as_str(), version.version.as_str());
        // The compiler reports types that are missing or not valid.
        if scaffold::has_status(&text, kind, name) == Some(false) {
            return Err(Refusal::NoStatusToConvert {
                resource: version.to_string(),
                file,
            }
            .into());
        }
    }
    Ok(())
}
