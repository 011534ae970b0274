//! Generation of roles and webhook configurations from the markers in the sources. The functions
//! work on texts and do not access the file system.

use std::collections::BTreeMap;

use crate::diagnostic::{Diagnostic, lints, sort_and_check};
use crate::project::Project;
use crate::project::naming::Naming;
use crate::rbac::rule::{self, Scope};
use crate::rbac::{self, bindings, roles};
use crate::sources::allow;
use crate::sources::comments::Scan;
use crate::webhook;

/// The manifests that the markers declare, and the warnings about them.
#[derive(Debug)]
pub struct FromMarkers {
    /// The text of [`roles::FILE`], and that of [`webhook::FILE`] if there is any webhook.
    pub files: BTreeMap<&'static str, String>,
    /// Warnings, sorted by file and line.
    pub warnings: Vec<Diagnostic>,
}

/// Generates the manifests that the markers declare. The linters run only if no error was found
/// before: if a marker cannot be read, they do not know all rules and webhooks.
///
/// # Errors
/// Returns every problem in the sources, sorted by file and line, if there is an error, or a
/// warning with `deny_warnings`. No file should be written then.
pub fn from_markers(
    scan: &Scan,
    project: &Project,
    naming: &Naming,
    deny_warnings: bool,
) -> Result<FromMarkers, Vec<Diagnostic>> {
    let scope = if project.namespaced {
        Scope::Namespace
    } else {
        Scope::Cluster
    };
    let mut found = scan.diagnostics.clone();
    let (grants, problems) = rule::grants(&scan.markers, scope);
    found.extend(problems);
    found.extend(bindings::check_names(&grants, scope));
    let (webhooks, problems) = webhook::read(&scan.markers);
    if problems.is_empty() {
        found.extend(webhook::check_paths(&webhooks.webhooks, project, scan));
    }
    found.extend(problems);
    let found = if found.is_empty() {
        let mut found = rbac::lint::check(&grants, &scan.uses, project);
        let namespace = &naming.namespace;
        found.extend(webhook::check_lockout(&webhooks.webhooks, namespace));
        found.extend(webhook::check_deployed(&webhooks.webhooks, project));
        found.extend(bindings::check_moved(&grants, naming));
        let ran = lints::rbac::LINTS.iter().chain(lints::webhook::LINTS);
        allow::apply_suppressions(found, &scan.allows, ran.copied())
    } else {
        allow::apply_suppressions(found, &scan.allows, [])
    };
    let warnings = sort_and_check(found, deny_warnings)?;
    let granted: Vec<_> = grants.into_iter().map(|grant| grant.rule).collect();
    let roles = roles::with_operators(roles::roles(&granted, roles::OPERATOR, scope), scope);
    let roles = bindings::text(roles, naming);
    let files = [(roles::FILE, Some(roles)), (webhook::FILE, webhooks.file())];
    let files = files
        .into_iter()
        .filter_map(|(path, text)| Some((path, text?)));
    Ok(FromMarkers {
        files: files.collect(),
        warnings,
    })
}

#[cfg(test)]
mod tests;
