//! The controllers of a Go project, as steps of `IMPORT.md`.

use std::collections::{BTreeMap, BTreeSet};

use super::found::Found;
use super::rewritten::{builtin, rust};
use crate::gosource::{Call, Chain};
use crate::project::Project;
use crate::resource::Resource;

/// How much of a call is told; its place is told, too.
const WIDTH: usize = 160;

/// The controllers that are to be written, each with what its builder says in Go, and the finalizers that they leave.
pub fn steps(found: &Found, project: &Project) -> Vec<String> {
    let mut steps = Vec::new();
    let mut known = BTreeSet::new();
    for (path, chain) in &found.chains {
        let kind = chain.kind();
        let is_first = kind.is_none_or(|kind| known.insert(kind));
        let how = if is_first {
            let command = command(chain, project);
            command.map_or_else(String::new, |command| format!(": `{command}`"))
        } else {
            ": a kind has one controller, so its `reconcile` is to do this, too".to_owned()
        };
        let kind = kind.unwrap_or("a kind that the builder does not name");
        let line = chain.line;
        let mut step = format!("The controller of {kind}, `{path}:{line}`{how}");
        step.extend(chain.calls.iter().filter_map(|it| said(path, it, project)));
        steps.push(step);
    }
    steps.extend(unread(found, project));
    steps.extend(finalizers(found));
    steps
}

/// The finalizers that objects have, each with all its places.
fn finalizers(found: &Found) -> Vec<String> {
    let mut places: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for (path, finalizer) in &found.finalizers {
        let place = format!("`{path}:{}`", finalizer.line);
        places.entry(&finalizer.name).or_default().push(place);
    }
    let steps = places.into_iter().map(|(name, places)| {
        format!(
            "The finalizer `{name}`, {}: objects have it already, and are never deleted unless a controller takes it away: \
             give it this name in `.cleanup(\"..\", cleanup)`",
            places.join(", ")
        )
    });
    steps.collect()
}

/// The controllers of PROJECT that the sources do not show.
fn unread(found: &Found, project: &Project) -> Vec<String> {
    let controlled = found.project.resources.iter();
    let controlled = controlled.filter(|go| go.is_controlled());
    let unread = controlled.filter(|go| {
        let mut chains = found.chains.iter();
        !chains.any(|(_, chain)| chain.kind() == Some(go.kind.as_str()))
    });
    let unread = unread.filter_map(|go| {
        let there = found.kind_of(go, project)?;
        Some(format!(
            "The controller of {}, which has no builder in the Go sources that could be read: `{}`",
            go.kind,
            create(&there.group_flag(), there.version.as_str(), &go.kind)
        ))
    });
    unread.collect()
}

/// What is said to a builder, with its place, and how that is said in Rust.
fn said(path: &str, call: &Call, project: &Project) -> Option<String> {
    let Call {
        name,
        arguments,
        line,
    } = call;
    if name == "Complete" {
        return None;
    }
    // One line, and nothing that ends the code of the page.
    let words: Vec<_> = arguments.split_whitespace().collect();
    let one_line = words.join(" ").replace('`', "'");
    let mut told: String = one_line.chars().take(WIDTH).collect();
    if told.len() < one_line.len() {
        told.push_str(" …");
    }
    let rust = rust(call, project).map_or_else(String::new, |rust| format!(": `{rust}`"));
    Some(format!("\n   - `{path}:{line}`: `{name}({told})`{rust}"))
}

/// What adds the controller of a chain, if its kind is known.
fn command(chain: &Chain, project: &Project) -> Option<String> {
    let object = chain.object()?;
    let kind = object.kind;
    let own = project.resources.iter();
    let own = own.filter(|it| it.kind.as_str() == kind);
    // Of several versions, the one that the builder names.
    let is_named = |it: &&Resource| object.package.ends_with(it.version.as_str());
    if let Some(it) = own.clone().find(is_named).or_else(|| own.clone().next()) {
        return Some(create(&it.group_flag(), it.version.as_str(), kind));
    }
    let builtin = builtin(&object)?;
    let group = if builtin.group.is_empty() {
        "core"
    } else {
        builtin.group
    };
    Some(create(
        &format!("--group {group} "),
        builtin.version,
        builtin.kind,
    ))
}

fn create(group: &str, version: &str, kind: &str) -> String {
    format!("rustop create api {group}--version {version} --kind {kind} --no-resource")
}
