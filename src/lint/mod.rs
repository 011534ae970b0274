//! `rustop lint`: the Kubernetes API conventions, as far as they can be seen on a CRD and on the Rust types
//! that it comes from. Each rule is a row of a table with one small function; which are on is in `PROJECT`.

mod derives;
mod quantities;
mod rules;
mod sources;

use std::path::Path;

use regex::Regex;
use serde_json::Value;

use crate::crd::Crd;
use crate::crd::check::versions;
use crate::crd::crdgen::ENDLESS;
use crate::crd::finding::Finding;
use crate::crd::node::Node;
use crate::crd::topology::is_kubernetes;
use crate::diagnostic::Diagnostic;
use crate::diagnostic::Lint;
use crate::diagnostic::lints::conventions::LOST_FIELD;
use crate::project::Looking;
use crate::sources::files;
use rules::Rule;

use sources::{Origin, Sources};

/// Where the types are, relative to the project.
const TYPES: &str = "api/src";

/// What mends names that differ.
const ONE_NAME: &str = "give it one name, which is read, written and in the schema; for an older one that users know \
    write an `Option` field";

/// A place in a schema, with all that a rule may look at.
pub struct Place<'a> {
    /// The schema.
    pub node: &'a Node<'a>,
    /// The Rust field behind it, if it is known.
    pub origin: Option<Origin<'a>>,
    /// Whether the status of the version is a subresource.
    pub has_status: bool,
    /// What fields may not be called, and what to write instead.
    pub names: &'a [(Regex, String)],
}

/// What is found in the CRDs: all that the API server would refuse, and the warnings of the rules.
pub fn run(root: &Path, crds: &[Crd], looking: &Looking) -> Vec<Diagnostic> {
    let sources = Sources::of(files::texts(root, TYPES));
    let found = crds.iter().flat_map(|crd| {
        let mut found = crd.refused();
        found.extend(conventions(crd, &sources, looking));
        let found = found
            .into_iter()
            .filter(|finding| is_wanted(finding.lint, looking));
        found
            .map(|finding| diagnostic(crd, &sources, finding))
            .collect::<Vec<_>>()
    });
    let mut found: Vec<_> = found.collect();
    if is_wanted(Some(&LOST_FIELD), looking) {
        found.extend(lost_fields(crds, &sources));
    }
    found
}

/// Findings on CRDs as the user sees them, each with the line of the Rust field where that is known.
pub fn located(root: &Path, found: Vec<(&Crd, Finding)>) -> Vec<Diagnostic> {
    let sources = Sources::of(files::texts(root, TYPES));
    let found = found.into_iter();
    found
        .map(|(crd, finding)| diagnostic(crd, &sources, finding))
        .collect()
}

/// What serde knows of the types and the schemas do not. A type of several kinds is looked at once.
fn lost_fields(crds: &[Crd], sources: &Sources) -> Vec<Diagnostic> {
    let mut found: Vec<Diagnostic> = Vec::new();
    for crd in crds {
        for version in versions(&crd.json) {
            for (field, loss) in sources.losses(&crd.kind, version.name) {
                let message = format!("`{}` {loss}", field.ident());
                let lost = field
                    .diagnostic(message)
                    .warning(&LOST_FIELD)
                    .help(ONE_NAME);
                if !found.contains(&lost) {
                    found.push(lost);
                }
            }
        }
    }
    found
}

/// Puts back how the lists and maps of Kubernetes' own types are merged, wherever a field has one.
pub fn restore_topology(root: &Path, crds: &mut [Crd]) {
    let sources = Sources::of(files::texts(root, TYPES));
    for crd in crds {
        let kind = crd.kind.clone();
        crd.restore_topology(&|version, fields| sources.is_foreign(&kind, version, fields));
    }
}

/// The fields by which a type contains itself, for which no schema can be written.
pub fn endless(root: &Path) -> Vec<Diagnostic> {
    let sources = Sources::of(files::texts(root, TYPES));
    let message = |name: &str| format!("`{name}` contains itself");
    let found = sources.endless().into_iter();
    found
        .map(|(name, field)| field.diagnostic(message(name)).help(ENDLESS))
        .collect()
}

/// The enums that kube has panicked at, by what it has said.
pub fn unions(root: &Path, output: &str) -> Vec<Diagnostic> {
    sources::culprits(files::texts(root, TYPES), output)
}

/// The types that derive their schema twice.
pub fn derived_twice(root: &Path) -> Vec<Diagnostic> {
    let texts = files::texts(root, TYPES).into_iter();
    let found = texts.flat_map(|(path, text)| derives::derived_twice(&path, &text));
    found.collect()
}

/// Says of each quantity in the CRDs what it looks like.
pub fn mark_quantities(root: &Path, crds: &mut [Crd]) {
    let sources = Sources::of(files::texts(root, TYPES));
    for crd in crds {
        let versions = crd.json.pointer_mut("/spec/versions");
        for version in versions.and_then(Value::as_array_mut).into_iter().flatten() {
            let name = version["name"].as_str().unwrap_or_default().to_owned();
            if let Some(schema) = version.pointer_mut("/schema/openAPIV3Schema") {
                quantities::mark(schema, &crd.kind, &name, &sources);
            }
        }
    }
}

/// The rules of the table that look, as the rules that comments can allow.
pub fn lints(looking: &Looking) -> impl Iterator<Item = &'static Lint> {
    looking.rules.iter().map(|rule| rule.lint)
}

fn is_wanted(lint: Option<&'static Lint>, looking: &Looking) -> bool {
    lint.is_none_or(|lint| looking.rules.iter().any(|rule| rule.lint == lint))
}

fn conventions(crd: &Crd, sources: &Sources, looking: &Looking) -> Vec<Finding> {
    let rules: Vec<_> = looking.rules.iter().filter_map(|of| Rule::of(of)).collect();
    let mut found = Vec::new();
    for version in versions(&crd.json) {
        let start = found.len();
        let is_known = sources.know(&crd.kind, version.name);
        version.root().visit(&mut |node| {
            let origin = sources.find(&crd.kind, version.name, &node.fields());
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
fn diagnostic(crd: &Crd, sources: &Sources, finding: Finding) -> Diagnostic {
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
    let origin = of.and_then(|of| sources.find(&crd.kind, of, &finding.fields));
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
