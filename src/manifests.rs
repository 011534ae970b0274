//! What the markers of the sources ask for: roles and webhook configurations. It is text to text; nothing
//! here reads a file or writes one.

use std::collections::BTreeMap;

use crate::diagnostic::{Diagnostic, judge, lints};
use crate::project::Project;
use crate::project::naming::Naming;
use crate::rbac::rule::{self, Scope};
use crate::rbac::{self, bindings, roles};
use crate::sources::allow;
use crate::sources::comments::Scan;
use crate::webhook;

/// What the markers of the sources ask for, and what should be looked at.
#[derive(Debug)]
pub struct FromMarkers {
    /// The text of [`roles::FILE`], and of [`webhook::FILE`] if there is any webhook.
    pub files: BTreeMap<&'static str, String>,
    /// Warnings, in the order of files and lines.
    pub warnings: Vec<Diagnostic>,
}

/// What the markers ask for, or all that is wrong in the sources, in the order of files and lines. Where
/// there are errors, the linters are not asked: they would guess.
///
/// # Errors
/// When there is anything wrong: then nothing should be written.
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
        allow::settle(found, &scan.allows, ran.copied())
    } else {
        allow::settle(found, &scan.allows, [])
    };
    let warnings = judge(found, deny_warnings)?;
    let granted: Vec<_> = grants.into_iter().map(|grant| grant.rule).collect();
    let roles = roles::roles(&granted, roles::OPERATOR, scope);
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
