//! `rustop create webhook`.

use std::process::ExitCode;

use clap::Args;

use super::kind::KindArgs;
use crate::cmd::Session;
use crate::error::{Error, Result};
use crate::project::Project;
use crate::project::builtin;
use crate::resource::{Admission, Resource, Webhooks};
use crate::scaffold;

/// Add webhooks to a kind: what completes, refuses or converts its objects
///
/// The operator serves them, and cares for their certificate by itself. A rule that CEL can express needs
/// no webhook: see the comments in the files that are created.
///
/// A conversion is for all versions of a kind. Defaulting and validation are written for one version, and
/// asked about objects of all of them, each converted to that one: one version needs them. To take them to
/// a newer version, add them there, move over what is to stay, and delete the old version.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  rustop create webhook --kind Lolcow --defaulting
  rustop create webhook --kind Lolcow --validation                  # later: adds to the first
  rustop create webhook --kind Lolcow --conversion                  # once it has two versions
  rustop create webhook --kind Lolcow --version v1 --validation     # in the types of v1
  rustop create webhook --group core --version v1 --kind Pod --defaulting --validation")]
pub struct CreateWebhook {
    #[command(flatten)]
    kind: KindArgs,
    /// Complete new and changed objects
    #[arg(long, required_unless_present_any = ["validation", "conversion"])]
    defaulting: bool,
    /// Refuse objects that break a rule
    #[arg(long)]
    validation: bool,
    /// Convert objects between the versions of the kind
    #[arg(long)]
    conversion: bool,
    /// Say what would be written and write nothing
    #[arg(long)]
    dry_run: bool,
}

impl CreateWebhook {
    pub fn run(self, session: &Session) -> Result<ExitCode> {
        let root = &session.dir;
        let (mut site, project) = scaffold::open(session, root, self.dry_run)?;
        let mut after = project.clone();
        let at = self.resource(&mut after)?;
        let resource = &after.resources[at];
        // What this run was to do, a killed run of the same command may have done.
        let finished =
            site.as_ref().is_some_and(|site| site.recovered) && self.is_in(&after, resource);
        if !finished {
            self.check(&project, resource)?;
            self.add(&mut after, at);
            after.check()?;
            let before = scaffold::render(&project);
            let mut tree = scaffold::render(&after.by_this_rustop());
            scaffold::convert(root, &before, &after, &mut tree)?;
            scaffold::apply(session, site.as_mut(), root, &before, &tree)?;
        }
        if !self.dry_run {
            self.note(session, &after, &after.resources[at]);
        }
        Ok(ExitCode::SUCCESS)
    }

    /// Where the kind is that is meant: one of the project, or one of Kubernetes, which is then added to it.
    fn resource(&self, project: &mut Project) -> Result<usize> {
        if let Some(at) = self.kind.position(project) {
            return Ok(at);
        }
        let Some(builtin) = self.kind.builtin(project) else {
            return Err(self.unknown(project));
        };
        project.resources.push(self.kind.of_kubernetes(builtin));
        Ok(project.resources.len() - 1)
    }

    fn unknown(&self, project: &Project) -> Error {
        let KindArgs { kind, group, .. } = &self.kind;
        let given = group.as_ref().map(|group| format!(" --group {group}"));
        let own = format!(
            "rustop create api{} --kind {kind}",
            given.unwrap_or_default()
        );
        let meant = project.meant(kind).map(|meant| {
            let (group, kind) = (meant.group_flag(), &meant.kind);
            format!("rustop create webhook {group}--kind {kind} --validation")
        });
        let built_in = builtin::all()
            .iter()
            .filter(|builtin| builtin.kind == kind.as_str())
            .map(|builtin| format!("rustop create webhook {} --validation", builtin.flags()));
        Error::ForeignKind {
            kind: kind.to_string(),
            group: group.as_ref().map(ToString::to_string),
            known: meant.into_iter().chain([own]).chain(built_in).collect(),
        }
    }

    /// The webhooks that are asked for, but for the conversion.
    fn admissions(&self) -> impl Iterator<Item = Admission> {
        let asked = [self.defaulting, self.validation];
        let all = Admission::ALL.into_iter().zip(asked);
        all.filter_map(|(one, is_asked)| is_asked.then_some(one))
    }

    /// Whether the kind has all that is asked for.
    fn is_in(&self, project: &Project, resource: &Resource) -> bool {
        let converted = || !project.converted(resource).is_empty();
        self.admissions().all(|one| resource.admits(one)) && (!self.conversion || converted())
    }

    /// Whether there is something to add, and something for it to do.
    fn check(&self, project: &Project, resource: &Resource) -> Result<()> {
        if self.is_in(project, resource) {
            return Err(Error::WebhookExists {
                resource: resource.to_string(),
                files: self.files(project, resource),
                other: self.other(project, resource),
            });
        }
        let of_kind = |there: &&Resource| there.same_kind(resource);
        if self.conversion && project.resources.iter().filter(of_kind).count() < 2 {
            return Err(Error::NothingToConvert {
                resource: resource.to_string(),
                add: resource.has_crd().then(|| {
                    let (group, kind) = (resource.group_flag(), &resource.kind);
                    format!("rustop create api {group}--version v1 --kind {kind}")
                }),
            });
        }
        Ok(())
    }

    /// The command that adds the same to a version that does not have it.
    fn other(&self, project: &Project, resource: &Resource) -> Option<String> {
        let lacks = |there: &&Resource| {
            there.same_kind(resource) && self.admissions().any(|one| !there.admits(one))
        };
        let all = project.resources.iter().filter(lacks);
        let newest = all.max_by_key(|there| there.version.age())?;
        let flags = self.admissions().map(|one| format!(" --{}", one.word()));
        let (group, kind, version) = (newest.group_flag(), &newest.kind, &newest.version);
        let flags: String = flags.collect();
        Some(format!(
            "rustop create webhook {group}--kind {kind} --version {version}{flags}"
        ))
    }

    /// Adds what is asked for to a resource. Where another version of the kind has the file, it gets one of its
    /// own.
    fn add(&self, project: &mut Project, at: usize) {
        let resource = project.resources[at].clone();
        let others = project.resources.iter();
        let others: Vec<_> = others
            .filter(|other| other.same_kind(&resource) && !other.same_type(&resource))
            .cloned()
            .collect();
        let is_taken = |one: &Admission| {
            let file = resource.webhook_file(*one);
            let mut others = others.iter();
            others.any(|other| other.admits(*one) && other.webhook_file(*one) == file)
        };
        let is_new = |one: &Admission| !resource.admits(*one);
        let versioned: Vec<_> = self.admissions().filter(is_new).filter(is_taken).collect();
        let converts = project.converted(&resource).is_empty() && self.conversion;
        let webhooks = &mut project.resources[at].webhooks;
        let webhooks = webhooks.get_or_insert_with(Webhooks::none);
        webhooks.defaulting |= self.defaulting;
        webhooks.validation |= self.validation;
        webhooks.conversion |= converts;
        webhooks.versioned.extend(versioned);
    }

    /// The files of what is asked for.
    fn files(&self, project: &Project, resource: &Resource) -> Vec<String> {
        let admission = self.admissions().map(|one| resource.webhook_file(one));
        let versions = project.converted(resource);
        let versions = versions.windows(2).filter(|_| self.conversion);
        let conversion = versions.map(|both| both[1].conversion_file(both[0]));
        admission.chain(conversion).collect()
    }

    fn note(&self, session: &Session, project: &Project, resource: &Resource) {
        let files = self.files(project, resource).join(" and ");
        session
            .terminal
            .note(format_args!("Next: edit {files}, then rustop manifests"));
        let others = project.resources.iter().filter(|other| {
            let both = |one| other.admits(one) && resource.admits(one);
            other.same_kind(resource) && !other.same_type(resource) && self.admissions().any(both)
        });
        for other in others {
            session.terminal.note(format_args!(
                "The API server asks that of {} as well, whichever version somebody writes; it goes with the version",
                other.version
            ));
        }
    }
}
