//! Whether what is called is served, and what is served is called.
//!
//! The operator's server answers at a path for each webhook of PROJECT and for each `impl Defaulter<T>` and
//! `impl Validator<T>` in the sources. Who serves a path in another way has it as a string in the sources.

use std::collections::BTreeSet;
use std::path::Path;

use super::{FILE, Webhook, answers};
use crate::diagnostic::{Diagnostic, did_you_mean};
use crate::project::kinds::{self, Kind};
use crate::project::{self, Project};
use crate::sources::comments::Scan;
use crate::sources::uses::Role;

/// Something that answers at a path.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub struct Handler {
    /// The path.
    pub path: String,
    /// Whether it changes objects; else it only accepts or refuses them.
    pub mutating: bool,
    /// The type of object that it reads.
    pub kind: Kind,
    /// Whether the kind's CRD is the project's.
    pub is_own: bool,
    /// The kind that it is for, if PROJECT says that it must be called.
    pub of_project: Option<String>,
}

impl Handler {
    fn new(mutating: bool, kind: &Kind, project: &Project) -> Self {
        let mut own = project.resources.iter().filter(|there| there.has_crd());
        Self {
            path: path(mutating, &kind.group, &kind.version, &kind.kind),
            mutating,
            kind: kind.clone(),
            is_own: own.any(|there| Kind::of(there) == *kind),
            of_project: None,
        }
    }
}

/// Where a webhook for a kind is served, as in controller-runtime: `/validate-<group>-<version>-<kind>`.
pub fn path(mutating: bool, group: &str, version: &str, kind: &str) -> String {
    let action = if mutating { "mutate" } else { "validate" };
    let group = group.replace('.', "-");
    format!("/{action}-{group}-{version}-{}", kind.to_lowercase())
}

/// What a project serves.
fn handlers(project: &Project, scan: &Scan) -> BTreeSet<Handler> {
    let types = kinds::by_type(project);
    let written = scan.uses.iter().filter_map(|used| {
        let mutating = match used.found.role {
            Role::Defaulter => true,
            Role::Validator => false,
            Role::Watched | Role::Api => return None,
        };
        Some(Handler::new(
            mutating,
            types.get(&used.found.path)?,
            project,
        ))
    });
    let mut handlers: BTreeSet<_> = written.collect();
    for resource in &project.resources {
        let Some(webhooks) = &resource.webhooks else {
            continue;
        };
        let kind = Kind::of(resource);
        let both = [(true, webhooks.defaulting), (false, webhooks.validation)];
        for (mutating, _) in both.into_iter().filter(|(_, is_there)| *is_there) {
            let handler = Handler::new(mutating, &kind, project);
            handlers.remove(&handler);
            handlers.insert(Handler {
                of_project: Some(resource.to_string()),
                ..handler
            });
        }
    }
    handlers
}

/// Webhooks that nothing answers, or not all of it, and handlers of PROJECT that nothing calls. `scan` has the
/// paths that the sources name as strings.
pub fn check(webhooks: &[Webhook], project: &Project, scan: &Scan) -> Vec<Diagnostic> {
    let handlers = &handlers(project, scan);
    let known: Vec<_> = kinds::by_type(project).into_values().collect();
    let own: Vec<_> = webhooks
        .iter()
        .filter_map(|webhook| Some((webhook, webhook.own_path()?)))
        .collect();
    let mut found = Vec::new();
    for (webhook, path) in &own {
        match handlers.iter().find(|handler| handler.path == *path) {
            Some(handler) if handler.mutating == webhook.mutating => {
                found.extend(answers::check(webhook, handler, &known));
            }
            Some(handler) => {
                let message = if handler.mutating {
                    format!("what serves `{path}` changes objects, and this webhook is validating")
                } else {
                    format!("what serves `{path}` changes no object, and this webhook is mutating")
                };
                let help = format!("write `mutating={}`, or another path", handler.mutating);
                found.push(webhook.at("mutating", message, help));
            }
            None if scan.routes.contains(*path) => {}
            None => found.push(webhook.at(
                "path",
                format!("nothing serves the path `{path}`"),
                meant(path, handlers),
            )),
        }
    }
    let is_called = |handler: &&Handler| own.iter().any(|(_, path)| handler.path == *path);
    for handler in handlers.iter().filter(|handler| !is_called(handler)) {
        if let Some(kind) = &handler.of_project {
            found.push(not_called(handler, kind));
        }
    }
    found
}

fn meant(path: &str, handlers: &BTreeSet<Handler>) -> String {
    let paths: Vec<_> = handlers
        .iter()
        .map(|handler| handler.path.as_str())
        .collect();
    did_you_mean(path, &paths).map_or_else(
        || "`rustop create webhook` adds a handler; one of your own has its path as a string in the sources".to_owned(),
        |meant| format!("did you mean `{meant}`?"),
    )
}

fn not_called(handler: &Handler, kind: &str) -> Diagnostic {
    let what = if handler.mutating {
        "defaulting"
    } else {
        "validation"
    };
    let message = format!("{kind} has `{what}`, and no marker for `{FILE}` has its path");
    let help = format!(
        "add `// +kubebuilder:webhook:path={},mutating={},…`, or remove `{what}`",
        handler.path, handler.mutating
    );
    Diagnostic::file(Path::new(project::FILE), message).help(help)
}
