//! `rustop lint`: the Kubernetes API conventions, as far as they can be seen on a CRD and on the Rust types
//! that it comes from. Each rule is a row of a table with one small function; which are on is in `PROJECT`.

mod config;
mod rules;
mod sources;

use std::path::PathBuf;

use crate::disk;
use crate::error::Result;
use crate::manifests::crd::Crd;
use crate::manifests::crd::check::versions;
use crate::manifests::crd::finding::Finding;
use crate::manifests::crd::node::Node;
use crate::manifests::crd::topology::is_kubernetes;
use crate::manifests::crdgen::ENDLESS;
use crate::manifests::diagnostic::Diagnostic;
use crate::manifests::lint::Lint;

pub use config::Config;
pub use rules::{LINTS, RULES, Rule};
use sources::{Origin, Sources};

/// Where the types are, relative to the project.
const TYPES: &str = "api/src";

/// A place in a schema, with all that a rule may look at.
pub struct Place<'a> {
    /// The schema.
    pub node: &'a Node<'a>,
    /// The Rust field behind it, if it is known.
    pub origin: Option<Origin<'a>>,
    /// Whether the status of the version is a subresource.
    pub has_status: bool,
}

/// What is found in the CRDs: all that the API server would refuse, and the warnings of `rules`.
///
/// # Errors
/// When the sources of the types cannot be read.
pub fn run(
    root: &std::path::Path,
    crds: &[Crd],
    rules: &[&'static Rule],
) -> Result<Vec<Diagnostic>> {
    let sources = Sources::of(rust_files(root)?);
    let found = crds.iter().flat_map(|crd| {
        let mut found = crd.refused();
        found.extend(conventions(crd, &sources, rules));
        let found = found
            .into_iter()
            .filter(|finding| is_wanted(finding.lint, rules));
        found
            .map(|finding| diagnostic(crd, &sources, finding))
            .collect::<Vec<_>>()
    });
    Ok(found.collect())
}

/// The fields by which a type contains itself, for which no schema can be written.
///
/// # Errors
/// When the sources of the types cannot be read.
pub fn endless(root: &std::path::Path) -> Result<Vec<Diagnostic>> {
    let sources = Sources::of(rust_files(root)?);
    let message = |name: &str| format!("`{name}` contains itself");
    let found = sources.endless().into_iter();
    Ok(found
        .map(|(name, field)| field.diagnostic(message(name)).help(ENDLESS))
        .collect())
}

/// The rules of the table that look, as the rules that comments can allow.
pub fn lints(rules: &[&'static Rule]) -> impl Iterator<Item = &'static Lint> {
    rules.iter().map(|rule| rule.lint)
}

fn is_wanted(lint: Option<&'static Lint>, rules: &[&'static Rule]) -> bool {
    lint.is_none_or(|lint| rules.iter().any(|rule| rule.lint == lint))
}

fn rust_files(root: &std::path::Path) -> Result<Vec<(PathBuf, String)>> {
    let files = walkdir::WalkDir::new(root.join(TYPES))
        .sort_by_file_name()
        .into_iter()
        .flatten();
    let files = files.filter(|entry| {
        entry
            .path()
            .extension()
            .is_some_and(|extension| extension == "rs")
    });
    let mut texts = Vec::new();
    for file in files {
        let path = file
            .path()
            .strip_prefix(root)
            .unwrap_or(file.path())
            .to_owned();
        texts.extend(disk::read(file.path())?.map(|text| (path, text)));
    }
    Ok(texts)
}

fn conventions(crd: &Crd, sources: &Sources, rules: &[&'static Rule]) -> Vec<Finding> {
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
    let origin = sources.find(&crd.kind, &version, &finding.fields);
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
