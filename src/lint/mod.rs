//! `rustop lint`: checks the Kubernetes API conventions on CRDs and the Rust types from which they
//! are generated, and whether controllers and webhooks can be tested. Each rule is a row in a table
//! with a small function; `PROJECT` selects the enabled rules.

mod advice;
mod derives;
mod endless;
mod hidden_inputs;
mod losses;
mod quantities;
mod rule_input;
mod rules;
mod unions;

use kube::core::GroupVersionKind;

use crate::crd::Crd;
use crate::crd::check::versions;
use crate::crd::finding::CrdProblem;
use crate::crd::topology::is_kubernetes;
use crate::diagnostic::lints::conventions::LOST_FIELD;
use crate::diagnostic::{Diagnostic, Lint};
use crate::project::LintRules;
use crate::sources::Sources;
use crate::sources::types::Types;
use rule_input::RuleInput;
use rules::Rule;

pub use derives::derived_twice;
pub use endless::endless;
pub use unions::culprits;

/// Checks CRDs and the code of controllers and webhooks. Returns the errors for which the API
/// server would reject a CRD, and the warnings of the enabled rules, unsorted and without regard to
/// suppressions in comments.
pub fn run(crds: &[Crd], sources: &Sources, lint_rules: &LintRules) -> Vec<Diagnostic> {
    let types = &sources.types;
    let found = crds.iter().flat_map(|crd| {
        let mut found = crd.findings();
        if !crd.imported {
            found.extend(conventions(crd, types, lint_rules));
        }
        let found = found
            .into_iter()
            .filter(|finding| is_wanted(finding.lint, lint_rules));
        found
            .map(|finding| diagnostic(crd, types, finding))
            .collect::<Vec<_>>()
    });
    let mut found: Vec<_> = found.collect();
    if is_wanted(Some(&LOST_FIELD), lint_rules) {
        found.extend(losses::lost_fields(crds, types));
    }
    let inputs = sources.scan.hidden_inputs.iter();
    let inputs = inputs.map(hidden_inputs::warning);
    found.extend(inputs.filter(|warning| is_wanted(warning.rule, lint_rules)));
    found
}

/// Converts findings into diagnostics, at the line of the Rust field if it is known, or else about
/// the whole file of the CRD.
pub fn located(types: &Types, found: Vec<(&Crd, CrdProblem)>) -> Vec<Diagnostic> {
    let found = found.into_iter();
    found
        .map(|(crd, finding)| diagnostic(crd, types, finding))
        .collect()
}

/// Completes the CRDs with what the schemas of the Rust types lack: the pattern of quantities, and
/// the merge strategies of lists and maps in Kubernetes' own types. Removes the nulls of empty
/// `Option`s from defaults.
pub fn complete(crds: &mut [Crd], types: &Types) {
    for crd in crds.iter_mut().filter(|crd| !crd.imported) {
        crd.each_schema(|kind, schema| quantities::mark(schema, kind, types));
        crd.drop_nulls_of_defaults();
        let kind = crd.gvk("");
        crd.restore_topology(&|version, fields| {
            let version = version.to_owned();
            types.is_foreign(
                &GroupVersionKind {
                    version,
                    ..kind.clone()
                },
                fields,
            )
        });
    }
}

/// Returns the enabled rules, for the check of suppressions.
pub fn lints(lint_rules: &LintRules) -> impl Iterator<Item = &'static Lint> {
    lint_rules.rules.iter().map(|rule| rule.lint)
}

/// Reports whether a finding is an error, which has no rule, or a warning of an enabled rule.
fn is_wanted(lint: Option<&'static Lint>, lint_rules: &LintRules) -> bool {
    lint.is_none_or(|lint| lint_rules.rules.iter().any(|rule| rule.lint == lint))
}

/// Returns the warnings of the rules that check schema nodes, for the nodes of the user's types.
fn conventions(crd: &Crd, types: &Types, lint_rules: &LintRules) -> Vec<CrdProblem> {
    let rules: Vec<_> = lint_rules
        .rules
        .iter()
        .filter_map(|of| Rule::of(of))
        .collect();
    let mut found = Vec::new();
    for version in versions(&crd.json) {
        let start = found.len();
        let kind = crd.gvk(version.name);
        let is_known = types.has_kind(&kind);
        version.root().visit(&mut |node| {
            let origin = types.find(&kind, &node.fields());
            // The user cannot change what is inside of types of Kubernetes or another crate.
            let is_own = match origin {
                Some(origin) => origin.is_own,
                None => !is_known && !node.ancestors().any(|node| is_kubernetes(node.schema)),
            };
            if is_own {
                let input = RuleInput {
                    node,
                    origin,
                    has_status: version.has_status,
                    names: &lint_rules.names,
                };
                found.extend(rules.iter().filter_map(|rule| rule.check(&input)));
            }
        });
        found[start..]
            .iter_mut()
            .for_each(|finding: &mut CrdProblem| finding.version = Some(version.name.to_owned()));
    }
    found
}

/// Converts a finding into a diagnostic, at the line of the Rust field if it is known.
fn diagnostic(crd: &Crd, types: &Types, finding: CrdProblem) -> Diagnostic {
    let version = finding.version.unwrap_or_default();
    let path = if finding.path == "." {
        ""
    } else {
        &finding.path
    };
    let place = format!("{} {version} {path}", crd.kind);
    let message = format!("{}: {}", place.trim_end(), finding.message);
    // A finding about all versions is reported for the first one.
    let mut all = versions(&crd.json).map(|version| version.name);
    let of = all.find(|name| version.is_empty() || *name == version);
    let origin = of.and_then(|of| types.find(&crd.gvk(of), &finding.fields));
    let mut diagnostic = match origin {
        Some(origin) => origin.field.diagnostic(message),
        None => Diagnostic::file(crd.path.as_ref(), message),
    };
    if let Some(lint) = finding.lint {
        diagnostic = diagnostic.warning(lint);
    }
    match finding.help {
        Some(help) => diagnostic.help(advice::suited(crd.attributes, &help)),
        None => diagnostic,
    }
}

#[cfg(test)]
mod tests;
