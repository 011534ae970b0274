//! The controllers of a Go project, as steps of `IMPORT.md`.

use std::collections::BTreeMap;

use super::builder_calls::{one_line, rust};
use super::draft_controllers::{DraftController, resource};
use super::go_project::GoSources;
use crate::gosource::{BuilderCall, GoController};
use crate::project::Project;
use crate::text::code_span;

/// Returns the steps: the draft controllers first, then the controllers in Go that have no draft,
/// then the finalizers that objects already have.
pub fn steps(found: &GoSources, drafts: &[DraftController], project: &Project) -> Vec<String> {
    let mut steps: Vec<_> = drafts.iter().map(write).collect();
    let is_begun = |chain: &GoController| {
        let mut controllers = drafts.iter().filter_map(|it| it.chain);
        controllers.any(|(_, begun)| std::ptr::eq(begun, chain))
    };
    let has_draft = |chain: &GoController| {
        let reconciled = resource(chain, project);
        reconciled.is_some_and(|it| drafts.iter().any(|draft| draft.resource.same_kind(&it)))
    };
    for (path, chain) in found
        .controllers
        .iter()
        .filter(|(_, chain)| !is_begun(chain))
    {
        let (kind, how) = match chain.kind() {
            Some(kind) if has_draft(chain) => (
                kind,
                ": a kind has one controller, so its `reconcile` is to do this, too",
            ),
            kind => (kind.unwrap_or("a kind that the builder does not name"), ""),
        };
        let line = chain.line;
        let mut step = format!("The controller of {kind}, `{path}:{line}`{how}");
        step.extend(
            chain
                .calls
                .iter()
                .filter_map(|it| describe_call(path, it, project)),
        );
        steps.push(step);
    }
    steps.extend(finalizers(found));
    steps
}

/// Returns the step that completes a draft controller.
fn write(drafts: &DraftController) -> String {
    let (kind, file) = (&drafts.resource.kind, drafts.resource.controller_file());
    let go = match drafts.chain {
        Some((path, chain)) => format!("the controller in Go begins at `{path}:{}`", chain.line),
        None => "no builder could be read in the Go sources".to_owned(),
    };
    let command = drafts.resource.register_command();
    format!(
        "The controller of {kind}: write `reconcile` in `{file}`; {go}. Then `{command}` registers it"
    )
}

/// Returns a step for each finalizer, with all its places in the Go sources.
fn finalizers(found: &GoSources) -> Vec<String> {
    let mut places: BTreeMap<(&str, bool), Vec<String>> = BTreeMap::new();
    for (path, finalizer) in &found.finalizers {
        let place = format!("`{path}:{}`", finalizer.line);
        let key = (finalizer.name.as_str(), finalizer.is_expression);
        places.entry(key).or_default().push(place);
    }
    let steps = places.into_iter().map(|((written, is_expression), places)| {
        let (which, name) = if is_expression {
            (" that Go computes as", "the computed name")
        } else {
            ("", "this name")
        };
        format!(
            "The finalizer{which} {}, {}: existing objects have it, and are never deleted unless a controller removes it: \
             pass {name} to `.cleanup(\"..\", cleanup)`",
            code_span(written),
            places.join(", ")
        )
    });
    steps.collect()
}

/// Describes a call on a builder: its place, its Go code, and the equivalent Rust if there is one.
/// Returns `None` for the last call, which configures nothing.
fn describe_call(path: &str, call: &BuilderCall, project: &Project) -> Option<String> {
    if ["Complete", "Build"].contains(&call.name.as_str()) {
        return None;
    }
    let rust =
        rust(call, project).map_or_else(String::new, |rust| format!(": {}", code_span(&rust)));
    let go = code_span(&one_line(call));
    Some(format!("\n   - `{path}:{}`: {go}{rust}", call.line))
}
