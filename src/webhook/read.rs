//! One marker: its arguments as what the API server is told.

pub mod arguments;

use super::check;
use super::marked::Webhook;
use crate::names::object_name;
use crate::sources::comments::Marker;
use crate::sources::marker::{Argument, Problem};
use arguments::{ARGUMENTS, Arguments};

/// The webhook of a marker, and what is wrong with it; none where it cannot be told.
pub fn webhook(marker: &Marker) -> (Option<Webhook>, Vec<Problem>) {
    let (mut arguments, mut problems) = Arguments::of(marker, &ARGUMENTS);
    // What is misspelt is not missing.
    if problems.is_empty() {
        arguments.required();
    }
    let mutating = arguments.boolean("mutating");
    let mut spec = arguments.spec();
    arguments.not_read();
    arguments.patch(&mut spec);
    problems.append(&mut arguments.problems);
    let is_sound = problems.is_empty();
    // Where it cannot be told, what only a mutating one may have is not blamed.
    let mutating = mutating.unwrap_or(spec.reinvocation_policy.is_some());
    for flaw in check::check(&spec, mutating) {
        let span = arguments.span(flaw.argument);
        // Of what is wrong already, or could not be read, nothing else is said.
        let is_known = problems.iter().any(|problem| problem.span == span);
        if is_sound || arguments.is_given(flaw.argument) && !is_known {
            problems.push(Problem::new(span, flaw.message).help(flaw.help));
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

/// What a configuration is called: whether it is that of the mutating webhooks, and its name.
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
