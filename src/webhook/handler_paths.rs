//! Checks that every called path has a handler, and that every handler is called.
//!
//! The operator's server has a handler for each webhook in PROJECT and for each `impl Defaulter<T>`
//! and `impl Validator<T>` in the sources. A path that is served in another way occurs as a string
//! in the sources.

use std::collections::BTreeSet;
use std::path::Path;

use super::handler::Handler;
use super::handler_support;
use super::marked::Webhook;
use crate::diagnostic::{Diagnostic, did_you_mean};
use crate::project::kinds::{self, Kind};
use crate::project::{self, Project};
use crate::sources::comments::Scan;
use crate::sources::kind_usage::Role;

/// Returns the handlers of a project: those that the sources implement, and those that PROJECT
/// requires.
fn handlers(project: &Project, scan: &Scan) -> BTreeSet<Handler> {
    let types = kinds::by_type(project);
    let written = scan.uses.iter().filter_map(|used| {
        let mutating = match used.found.role {
            Role::Defaulter => true,
            Role::Validator => false,
            _ => return None,
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
            // the same handler, found in the sources
            handlers.remove(&handler);
            handlers.insert(Handler {
                of_project: Some(resource.to_string()),
                ..handler
            });
        }
    }
    handlers
}

/// Reports webhooks without a handler, webhooks whose handler does not support all requests, and
/// handlers required by PROJECT that no webhook calls. `scan` contains the strings in the sources
/// that look like paths.
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
                found.extend(handler_support::check(webhook, handler, &known));
            }
            Some(handler) => {
                let message = if handler.mutating {
                    format!(
                        "the handler of `{path}` changes objects, but this webhook is validating"
                    )
                } else {
                    format!(
                        "the handler of `{path}` does not change objects, but this webhook is mutating"
                    )
                };
                let help = format!("write `mutating={}`, or use another path", handler.mutating);
                found.push(webhook.at("mutating", message, help));
            }
            // the author's own server code serves it
            None if scan.routes.contains(*path) => {}
            None => found.push(webhook.at(
                "path",
                format!("no handler serves the path `{path}`"),
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

/// Returns the help for a path that no handler serves.
fn meant(path: &str, handlers: &BTreeSet<Handler>) -> String {
    let paths: Vec<_> = handlers
        .iter()
        .map(|handler| handler.path.as_str())
        .collect();
    did_you_mean(path, &paths).map_or_else(
        || "run `rustop create webhook` to add a handler; the path of your own handler must be a string in the sources".to_owned(),
        |meant| format!("did you mean `{meant}`?"),
    )
}

fn not_called(handler: &Handler, kind: &str) -> Diagnostic {
    let what = if handler.mutating {
        "defaulting"
    } else {
        "validation"
    };
    let message = format!("{kind} has `{what}`, but no marker has the path of its handler");
    let help = format!(
        "add `// +kubebuilder:webhook:path={},mutating={},…`, or remove `{what}`",
        handler.path, handler.mutating
    );
    Diagnostic::file(Path::new(project::FILE), message).help(help)
}
