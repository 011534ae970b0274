//! The project's types: their CRDs, and the diagnostics of the linter for them.

use std::path::Path;

use super::baseline::Baseline;
use super::{Refusal, Result, imported};
use crate::crd::crdgen;
use crate::crd::{self, Crd};
use crate::diagnostic::{Diagnostic, Problems, sort_and_check};
use crate::lint;
use crate::project::naming::Naming;
use crate::project::{LintRules, Project};
use crate::resource::Resource;
use crate::session::Session;
use crate::sources::types::Types;
use crate::sources::{self, Sources, allow, workspace_members};

/// Reads the sources of the operator.
pub fn sources(root: &Path, project: &Project) -> Result<Sources> {
    let places = workspace_members::places(root, project.project_name.as_str())?;
    Ok(sources::read(root, &places))
}

/// Generates the CRDs of the types. A project without kinds has no types, so no toolchain is needed
/// for it.
pub fn crds(session: &Session, project: &Project, types: &Types) -> Result<Vec<Crd>> {
    let root = &session.dir;
    let own = || {
        let all = project.resources.iter();
        all.filter(|resource| resource.has_crd())
    };
    if own().next().is_none() {
        return Ok(Vec::new());
    }
    let converts = |resource: &&Resource| !project.converted(resource).is_empty();
    let converted = own().filter(converts).map(Resource::crd_file).collect();
    let mut crds = crd::read(
        &json(session, types)?,
        &converted,
        &Naming::of(root, project),
    )?;
    for crd in &mut crds {
        crd.kubernetes = project.kubernetes_version;
        let file = |it: &&Resource| crd.path == format!("{}/{}", crd::DIRECTORY, it.crd_file());
        let mut all = own().filter(|it| it.imported.is_some());
        if let Some(resource) = all.find(file) {
            crd.imported = true;
            if let Some(upstream) = imported::upstream(root, resource)? {
                crd.inherit_from_import(upstream.json);
            }
        }
    }
    lint::complete(&mut crds, types);
    for crd in &mut crds {
        let file = |it: &&Resource| crd.path == format!("{}/{}", crd::DIRECTORY, it.crd_file());
        let limits = own().filter(file).filter_map(|it| {
            let limit = project.max_description_length(it)?;
            Some((it.version.to_string(), limit))
        });
        crd.max_descriptions = limits.collect();
    }
    for resource in own() {
        let path = format!("{}/{}", crd::DIRECTORY, resource.crd_file());
        if !crds.iter().any(|crd| crd.path == path) {
            return Err(Refusal::NoCrd {
                resource: resource.to_string(),
                name: resource.crd_name(),
            }
            .into());
        }
    }
    Ok(crds)
}

/// Runs `crdgen` and returns its output. Reports some errors in place of the compiler or of
/// `crdgen`, whose messages do not help to find the type. A type that contains itself overflows the
/// stack of `crdgen`, and an enum that kube cannot convert to a schema makes it panic.
fn json(session: &Session, types: &Types) -> Result<String> {
    let found = lint::derived_twice(types);
    if !found.is_empty() {
        return Err(Problems(found).into());
    }
    crdgen::run(&session.dir, session.concurrent()).map_err(|error| {
        let found = match &error {
            crd::Error::Crdgen { output, .. } if crdgen::is_endless(output) => lint::endless(types),
            crd::Error::Crdgen { output, .. } => lint::culprits(types, output),
            _ => Vec::new(),
        };
        if found.is_empty() {
            error.into()
        } else {
            Problems(found).into()
        }
    })
}

/// Checks rules on CRDs and shows the warnings. Returns the warnings, without those that the
/// sources suppress and those of the baseline.
///
/// # Errors
/// Returns an error if the API server would reject a CRD, or if there is a warning and
/// `deny_warnings` is set.
pub fn lint(
    session: &Session,
    crds: &[Crd],
    sources: &Sources,
    lint_rules: &LintRules,
    baseline: &Baseline,
    deny_warnings: bool,
) -> Result<Vec<Diagnostic>> {
    let found = lint::run(crds, sources, lint_rules);
    let mut found = allow::apply_suppressions(found, &sources.scan.allows, lint::lints(lint_rules));
    baseline.remove_from(&mut found);
    let warnings = sort_and_check(found, deny_warnings).map_err(Problems)?;
    for warning in &warnings {
        session.terminal.diagnostic(warning);
    }
    Ok(warnings)
}
