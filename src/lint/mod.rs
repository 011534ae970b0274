//! `rustop lint`: the Kubernetes API conventions, as far as they can be seen on a CRD and on the Rust types
//! that it comes from. Each rule is a row of a table with one small function; which are on is in `PROJECT`.

mod derives;
mod endless;
mod losses;
mod place;
mod quantities;
mod rules;
mod unions;

use kube::core::GroupVersionKind;

use crate::crd::Crd;
use crate::crd::check::versions;
use crate::crd::finding::Finding;
use crate::crd::topology::is_kubernetes;
use crate::diagnostic::lints::conventions::LOST_FIELD;
use crate::diagnostic::{Diagnostic, Lint};
use crate::project::Looking;
use crate::sources::types::Types;
use place::Place;
use rules::Rule;

pub use derives::derived_twice;
pub use endless::endless;
pub use unions::culprits;

/// What is found in the CRDs: all that the API server would refuse, and the warnings of the rules.
pub fn run(crds: &[Crd], types: &Types, looking: &Looking) -> Vec<Diagnostic> {
    let found = crds.iter().flat_map(|crd| {
        let mut found = crd.refused();
        if !crd.imported {
            found.extend(conventions(crd, types, looking));
        }
        let found = found
            .into_iter()
            .filter(|finding| is_wanted(finding.lint, looking));
        found
            .map(|finding| diagnostic(crd, types, finding))
            .collect::<Vec<_>>()
    });
    let mut found: Vec<_> = found.collect();
    if is_wanted(Some(&LOST_FIELD), looking) {
        found.extend(losses::lost_fields(crds, types));
    }
    found
}

/// Findings on CRDs as the user sees them, each with the line of the Rust field where that is known.
pub fn located(types: &Types, found: Vec<(&Crd, Finding)>) -> Vec<Diagnostic> {
    let found = found.into_iter();
    found
        .map(|(crd, finding)| diagnostic(crd, types, finding))
        .collect()
}

/// Adds to the CRDs what the Rust types say and their schemas do not: what quantities look like, and how the lists
/// and maps of Kubernetes' own types are merged, wherever a field has one. Removes the nulls of empty `Option`s from
/// defaults.
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

/// The rules of the table that look, as the rules that comments can allow.
pub fn lints(looking: &Looking) -> impl Iterator<Item = &'static Lint> {
    looking.rules.iter().map(|rule| rule.lint)
}

fn is_wanted(lint: Option<&'static Lint>, looking: &Looking) -> bool {
    lint.is_none_or(|lint| looking.rules.iter().any(|rule| rule.lint == lint))
}

fn conventions(crd: &Crd, types: &Types, looking: &Looking) -> Vec<Finding> {
    let rules: Vec<_> = looking.rules.iter().filter_map(|of| Rule::of(of)).collect();
    let mut found = Vec::new();
    for version in versions(&crd.json) {
        let start = found.len();
        let kind = crd.gvk(version.name);
        let is_known = types.know(&kind);
        version.root().visit(&mut |node| {
            let origin = types.find(&kind, &node.fields());
            // What is inside of Kubernetes' own types, or another crate's, is not the user's to change.
            let is_own = match origin {
                Some(origin) => origin.is_own,
                None => !is_known && !node.ancestors().any(|node| is_kubernetes(node.schema)),
            };
            if is_own {
                let place = Place {
                    node,
                    origin,
                    has_status: version.has_status,
                    names: &looking.names,
                };
                found.extend(rules.iter().filter_map(|rule| rule.look(&place)));
            }
        });
        found[start..]
            .iter_mut()
            .for_each(|finding: &mut Finding| finding.version = Some(version.name.to_owned()));
    }
    found
}

/// A finding as the user sees it, with the line of the Rust field where that is known.
fn diagnostic(crd: &Crd, types: &Types, finding: Finding) -> Diagnostic {
    let version = finding.version.unwrap_or_default();
    let path = if finding.path == "." {
        ""
    } else {
        &finding.path
    };
    let place = format!("{} {version} {path}", crd.kind);
    let message = format!("{}: {}", place.trim_end(), finding.message);
    // What is about all versions is said of the first.
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
        Some(help) => diagnostic.help(help),
        None => diagnostic,
    }
}

#[cfg(test)]
mod tests;
