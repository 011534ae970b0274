//! The operation of `rustop delete webhook`.

use clap::Args;

use super::kind::DeletedKind;
use crate::names::Version;
use crate::ops::create::position;
use crate::ops::leftovers;
use crate::ops::refusal::Refusal;
use crate::ops::requested_webhooks::RequestedWebhooks;
use crate::ops::suggestion::Suggestion;
use crate::ops::{Result, Transition};
use crate::project::Project;
use crate::resource::{Admission, Resource, Webhooks};
use crate::session::Session;

/// An operation that removes webhooks of a kind from the project.
#[derive(Args, Debug)]
pub struct DeleteWebhook {
    #[command(flatten)]
    pub target: DeletedKind,
    /// Version that has the webhooks [default: the only one]
    #[arg(long)]
    pub version: Option<Version>,
    #[command(flatten)]
    pub webhooks: RequestedWebhooks,
}

impl DeleteWebhook {
    /// Removes webhooks or a conversion from a kind.
    ///
    /// # Errors
    /// Returns an error if the project has no such webhook, or if several versions have it.
    pub fn run(&self, session: &Session) -> Result<()> {
        let (mut transition, project) = Transition::open(session, self.target.dry_run)?;
        let kind = &self.target.kind;
        let group = self.target.group.as_ref();
        let Some(first) = position(&project, kind, group, self.version.as_ref()) else {
            return Err(self.none(&project).into());
        };
        let kind = project.resources[first].clone();
        let mut after = project.clone();
        let mut names = Vec::new();
        let mut is_there = true;
        for one in self.webhooks.admissions() {
            let all = (0..).zip(&project.resources);
            let has: Vec<_> = all
                .filter(|(_, it)| self.matches(it, &kind) && it.admits(one))
                .map(|(at, _)| at)
                .collect();
            match has[..] {
                [] => is_there = false,
                [at] => {
                    let module = after.resources[at].webhook_module(one);
                    names.push(format!("{}::{module}", kind.name()));
                    remove(&mut after.resources[at], one);
                }
                _ => return Err(self.several(&project, &has).into()),
            }
        }
        if self.webhooks.conversion {
            is_there &= !project.converted(&kind).is_empty();
            let versions = after.resources.iter_mut().filter(|it| it.same_kind(&kind));
            for webhooks in versions.filter_map(|it| it.webhooks.as_mut()) {
                webhooks.conversion = false;
            }
        }
        if !is_there {
            // An interrupted run of the same command has made the change.
            return if transition.recovered() {
                Ok(())
            } else {
                Err(self.none(&project).into())
            };
        }
        // A kind of Kubernetes that only had webhooks leaves the project.
        after.resources.iter_mut().for_each(tidy);
        after
            .resources
            .retain(|it| it.api.is_some() || it.has_controller_file() || it.webhooks.is_some());
        let step = transition.remove(&project, &after)?;
        if self.webhooks.conversion {
            session.terminal.warning(format_args!(
                "no webhook converts {} between its versions now: the API server changes only the `apiVersion`, and drops \
                 fields that the requested version does not have",
                kind.kind
            ));
        }
        leftovers::list(session, &step, &names, &[])
    }

    /// Returns true if a resource is of `kind` and of the given version. Without a version, all
    /// versions match.
    fn matches(&self, there: &Resource, kind: &Resource) -> bool {
        let version = self.version.as_ref();
        there.same_kind(kind) && version.is_none_or(|version| *version == there.version)
    }

    /// Returns the error if no version has the requested webhooks, with the commands that delete
    /// those which exist.
    fn none(&self, project: &Project) -> Refusal {
        let meant = project.meant(&self.target.kind).map(|meant| &meant.kind);
        let of_kind = project.resources.iter();
        let of_kind = of_kind.filter(|it| Some(&it.kind) == meant);
        let matching: Vec<_> = of_kind.filter_map(|it| self.command(it, true)).collect();
        let others = || project.resources.iter();
        let others = || others().filter_map(|it| self.command(it, false)).collect();
        Refusal::NoSuchWebhook {
            kind: self.target.kind.to_string(),
            known: if matching.is_empty() {
                others()
            } else {
                matching
            },
        }
    }

    /// Returns the error if several versions have a requested webhook. `has` contains their
    /// indices.
    fn several(&self, project: &Project, has: &[usize]) -> Refusal {
        let all = has.iter().map(|at| &project.resources[*at]);
        Refusal::SeveralWebhooks {
            kind: self.target.kind.to_string(),
            known: all.filter_map(|it| self.command(it, true)).collect(),
        }
    }

    /// Returns the command that deletes the webhooks that a resource has, or only the requested
    /// ones of them. `None` if there are none.
    fn command(&self, resource: &Resource, only_requested: bool) -> Option<String> {
        let admissions: Vec<_> = Admission::ALL
            .into_iter()
            .filter(|one| resource.admits(*one))
            .filter(|one| !only_requested || self.webhooks.admissions().any(|it| it == *one))
            .collect();
        let converts = resource.has(|webhooks| webhooks.conversion)
            && (!only_requested || self.webhooks.conversion);
        if admissions.is_empty() && !converts {
            return None;
        }
        let suggestion = Suggestion::new("delete webhook", None);
        let suggestion = admissions.iter().fold(suggestion, |suggestion, one| {
            suggestion.flag(one.word(), true)
        });
        let suggestion = suggestion
            .flag("conversion", converts)
            .flag("dry-run", self.target.dry_run);
        Some(suggestion.of_version(resource))
    }
}

fn remove(resource: &mut Resource, admission: Admission) {
    let Some(webhooks) = &mut resource.webhooks else {
        return;
    };
    match admission {
        Admission::Defaulting => webhooks.defaulting = false,
        Admission::Validation => webhooks.validation = false,
    }
    webhooks.versioned.retain(|one| *one != admission);
}

/// Replaces an empty set of webhooks with `None`.
fn tidy(resource: &mut Resource) {
    resource.webhooks = resource
        .webhooks
        .take()
        .filter(|has| *has != Webhooks::none());
}
