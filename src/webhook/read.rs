//! Parses a single marker into the objects of the API.

pub mod arguments;

use super::check;
use super::marked::Webhook;
use crate::names::object_name;
use crate::sources::comments::Marker;
use crate::sources::marker::{Argument, Problem};
use arguments::{ARGUMENTS, Arguments};

/// Parses a webhook marker. Returns the webhook and all problems; `None` if there are any.
pub fn webhook(marker: &Marker) -> (Option<Webhook>, Vec<Problem>) {
    let (mut arguments, mut problems) = Arguments::of(marker, &ARGUMENTS);
    // Do not report a misspelled argument as missing.
    if problems.is_empty() {
        arguments.check_required();
    }
    let mutating = arguments.boolean("mutating");
    let mut spec = arguments.webhook();
    arguments.check_ignored();
    arguments.patch(&mut spec);
    problems.append(&mut arguments.problems);
    let is_sound = problems.is_empty();
    // If `mutating` is invalid, do not reject fields that only mutating webhooks have.
    let mutating = mutating.unwrap_or(spec.reinvocation_policy.is_some());
    for invalid in check::check(&spec, mutating) {
        let span = arguments.span(invalid.argument);
        // If there are problems already, report only those of arguments that are given and have no
        // other problem.
        let is_known = problems.iter().any(|problem| problem.span == span);
        if is_sound || arguments.is_given(invalid.argument) && !is_known {
            problems.push(Problem::new(span, invalid.message).help(invalid.help));
        }
    }
    let webhook = problems.is_empty().then(|| Webhook {
        marker: marker.clone(),
        mutating,
        rules: vec![(marker.clone(), spec.rules.clone().unwrap_or_default())],
        spec,
    });
    (webhook, problems)
}

/// Parses the marker of a configuration. Returns true if the configuration holds mutating webhooks,
/// and its name. The error is the first problem.
pub fn configuration(marker: &Marker) -> Result<(bool, String), Problem> {
    let known = [Argument::one("mutating"), Argument::one("name")];
    let (mut arguments, problems) = Arguments::of(marker, &known);
    if let Some(problem) = problems.into_iter().next() {
        return Err(problem);
    }
    for (name, example) in [("mutating", "true"), ("name", "my-webhooks")] {
        arguments.require(name, example);
    }
    let mutating = arguments.boolean("mutating");
    let name = arguments.text("name").unwrap_or_default();
    if let (Err(rule), true) = (object_name(&name), arguments.problems.is_empty()) {
        let message = format!("the name of the configuration {rule}");
        return Err(Problem::new(arguments.span("name"), message).help("choose another name"));
    }
    match arguments.problems.into_iter().next() {
        Some(problem) => Err(problem),
        None => Ok((mutating.unwrap_or_default(), name)),
    }
}
