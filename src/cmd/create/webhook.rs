//! `rustop create webhook`.

use std::process::ExitCode;

use clap::Args;

use super::kind::KindArgs;
use crate::cmd::Session;
use crate::error::{Error, Result};
use crate::project::Project;
use crate::resource::{Resource, Webhooks};
use crate::scaffold;

/// Add webhooks to a kind: what completes or refuses its objects before they are stored
///
/// The operator serves them, and cares for their certificate by itself. A rule that CEL can express needs
/// no webhook: see the comments in the files that are created.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  rustop create webhook --kind Lolcow --defaulting
  rustop create webhook --kind Lolcow --validation                  # later: adds to the first
  rustop create webhook --group core --version v1 --kind Pod --defaulting --validation")]
pub struct CreateWebhook {
    #[command(flatten)]
    kind: KindArgs,
    /// Complete new and changed objects
    #[arg(long, required_unless_present = "validation")]
    defaulting: bool,
    /// Refuse objects that break a rule
    #[arg(long)]
    validation: bool,
    /// Say what would be written and write nothing
    #[arg(long)]
    dry_run: bool,
}

impl CreateWebhook {
    pub fn run(self, session: &Session) -> Result<ExitCode> {
        let root = &session.dir;
        let (mut site, project) = scaffold::open(session, root, self.dry_run)?;
        let mut after = project.clone();
        let resource = self.resource(&mut after)?;
        // What this run was to do, a killed run of the same command may have done.
        let finished = site.as_ref().is_some_and(|site| site.recovered) && self.is_in(resource);
        if !finished {
            self.add(resource)?;
        }
        let done = resource.clone();
        if !finished {
            after.check()?;
            let before = scaffold::render(&project);
            let tree = scaffold::render(&after.by_this_rustop());
            scaffold::apply(session, site.as_mut(), root, &before, &tree)?;
        }
        if !self.dry_run {
            self.note(session, &done);
        }
        Ok(ExitCode::SUCCESS)
    }

    /// The kind that is meant: one of the project, or one of Kubernetes, which is then added to it.
    fn resource<'a>(&self, project: &'a mut Project) -> Result<&'a mut Resource> {
        if let Some(at) = self.kind.position(project) {
            return Ok(&mut project.resources[at]);
        }
        let Some(builtin) = self.kind.builtin(project) else {
            return Err(self.unknown());
        };
        project.resources.push(self.kind.of_kubernetes(builtin));
        Ok(project.resources.last_mut().expect("the one just added"))
    }

    fn unknown(&self) -> Error {
        let KindArgs { kind, group, .. } = &self.kind;
        let given = group.as_ref().map(|group| format!(" --group {group}"));
        let own = format!(
            "rustop create api{} --kind {kind}",
            given.unwrap_or_default()
        );
        let built_in = scaffold::builtins()
            .iter()
            .filter(|builtin| builtin.kind == kind.as_str())
            .map(|builtin| format!("rustop create webhook {} --validation", builtin.flags()));
        Error::ForeignKind {
            kind: kind.to_string(),
            group: group.as_ref().map(ToString::to_string),
            known: [own].into_iter().chain(built_in).collect(),
        }
    }

    /// Whether the kind has all that is asked for.
    fn is_in(&self, resource: &Resource) -> bool {
        resource.has(|there| {
            (there.defaulting || !self.defaulting) && (there.validation || !self.validation)
        })
    }

    fn add(&self, resource: &mut Resource) -> Result<()> {
        if self.is_in(resource) {
            return Err(Error::WebhookExists {
                resource: resource.to_string(),
                files: self.files(resource),
            });
        }
        let webhooks = resource.webhooks.get_or_insert_with(|| Webhooks {
            webhook_version: "v1".parse().expect("a version"),
            defaulting: false,
            validation: false,
            conversion: false,
        });
        webhooks.defaulting |= self.defaulting;
        webhooks.validation |= self.validation;
        Ok(())
    }

    /// The files of what is asked for.
    fn files(&self, resource: &Resource) -> Vec<String> {
        let all = [
            (self.defaulting, "defaulting"),
            (self.validation, "validation"),
        ];
        let asked = all.iter().filter(|(asked, _)| *asked);
        asked
            .map(|(_, file)| format!("src/webhooks/{}/{file}.rs", resource.name()))
            .collect()
    }

    fn note(&self, session: &Session, resource: &Resource) {
        let files = self.files(resource).join(" and ");
        session
            .terminal
            .note(format_args!("Next: edit {files}, then rustop manifests"));
    }
}
