//! The webhooks of a project, as `src/webhooks/mod.rs` declares and registers them.

use serde::Serialize;

use super::resource::ResourceContext;
use crate::project::{Project, Versions};
use crate::resource::{Admission, Resource};

/// The webhooks of a kind, over all its versions.
#[derive(Debug, Serialize)]
pub struct KindWebhooks {
    /// The first version of the kind, for comments: `my.domain/v1alpha1 Lolcow`.
    title: String,
    name: String,
    /// The modules of the kind's webhooks. Those of a version that was added later are in a module
    /// of that version.
    modules: Vec<&'static str>,
    of_versions: Vec<VersionWebhooks>,
    handlers: Vec<RegisteredHandler>,
    /// The CRD's name, and the versions that are converted into each other, the oldest first; none
    /// if there is no conversion.
    crd: String,
    versions: Vec<ResourceContext>,
}

/// The webhooks of a version that has handlers separate from those of the first version.
#[derive(Debug, Serialize)]
struct VersionWebhooks {
    version: String,
    modules: Vec<&'static str>,
}

/// A handler to register with the manager.
#[derive(Debug, Serialize)]
struct RegisteredHandler {
    /// The method that registers it: `defaulter`, `validator`.
    call: &'static str,
    /// The path of the handler type: `validation::Rules`.
    path: String,
}

/// Returns the webhooks of each kind that has any.
pub fn all(project: &Project, versions: &Versions) -> Vec<KindWebhooks> {
    let all = project.resources.iter();
    let kinds = all.filter(|resource| versions.is_first(resource));
    let kinds = kinds.map(|first| KindWebhooks::new(first, project, versions));
    kinds
        .filter(|kind| !kind.handlers.is_empty() || !kind.versions.is_empty())
        .collect()
}

impl KindWebhooks {
    /// Reports whether objects are converted between versions of the kind.
    pub fn is_converted(&self) -> bool {
        !self.versions.is_empty()
    }

    fn new<'a>(first: &'a Resource, project: &Project, of_kinds: &Versions<'a>) -> Self {
        let versions = of_kinds.all(first);
        let modules = |of: &Resource, versioned: bool| {
            let is_there = |one: &Admission| {
                of.admits(*one) && (of.webhook_module(*one) != one.word()) == versioned
            };
            let there = Admission::ALL.into_iter().filter(is_there);
            there.map(Admission::word).collect::<Vec<_>>()
        };
        let shared = Admission::ALL.iter().map(|one| one.word());
        let shared = shared.filter(|word| {
            let mut versions = versions.iter();
            versions.any(|version| modules(version, false).contains(word))
        });
        let of_version = |version: &&Resource| VersionWebhooks {
            version: version.version_module(),
            modules: modules(version, true),
        };
        let of_versions = versions.iter().map(of_version);
        let handlers = Admission::ALL.into_iter().flat_map(|one| {
            let (call, name) = match one {
                Admission::Defaulting => ("defaulter", "Defaults"),
                Admission::Validation => ("validator", "Rules"),
            };
            let versions = versions.iter().filter(move |version| version.admits(one));
            versions.map(move |version| RegisteredHandler {
                call,
                path: format!("{}::{name}", version.webhook_module(one)),
            })
        });
        let view = |version: &&Resource| ResourceContext::new(version, project, of_kinds);
        Self {
            title: first.to_string(),
            name: first.name(),
            modules: shared.collect(),
            of_versions: of_versions.filter(|it| !it.modules.is_empty()).collect(),
            handlers: handlers.collect(),
            crd: first.crd_name(),
            versions: of_kinds.converted(first).iter().map(view).collect(),
        }
    }
}
