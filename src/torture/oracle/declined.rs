//! Specs that the operator declines: it reports a problem, and leaves the children as they are.

use std::collections::BTreeSet;

use crate::torture::journal;
use crate::torture::oracle::baseline::Baseline;
use crate::torture::run::result::RunResult;
use crate::torture::snapshot::{ObjectId, Snapshot};

/// Reports whether the operator declines the spec that a step of `changed` sets and a step of
/// `created` creates an object with. Each is a baseline with the index of the step, and `run` is
/// the index of the run, 0 or 1. If it declines the spec, the children of the first object are
/// those of the spec before, and the second object has none: neither is a bug.
///
/// The operator says so in both, by a condition that is `False`, by a Warning event, or, where
/// there is neither, by an error in its log while the new object gets no children. It also declines
/// the spec if the new object gets no status either, although the sample has one.
pub fn is_declined(changed: (&Baseline, usize), created: (&Baseline, usize), run: usize) -> bool {
    let (run_result, step) = (&changed.0.runs[run], changed.1);
    let (straight, at) = (&created.0.runs[run], created.1);
    let id = changed.0.scenario.subject_id();
    let children = |state: &Snapshot| state.clone().without(|it| *it == id);
    let before = step.checked_sub(1).map(|before| &run_result.states[before]);
    if before.is_none_or(|before| children(before) != children(&run_result.states[step])) {
        return false;
    }
    let usual = reports(run_result, 0, &id);
    let now = reports(run_result, step, &id);
    let is_reported = reports(straight, at, &id)
        .iter()
        .any(|report| now.contains(report) && !usual.contains(report));
    let has_children = |state: &Snapshot| !children(state).0.is_empty();
    let is_stalled = has_children(&run_result.states[step]) && !has_children(&straight.states[at]);
    let is_without_progress =
        || has_status(&run_result.states[0], &id) && !has_status(&straight.states[at], &id);
    let has_logged_error = || straight.log.to_lowercase().contains("error");
    is_reported || (is_stalled && (has_logged_error() || is_without_progress()))
}

fn has_status(state: &Snapshot, id: &ObjectId) -> bool {
    let mut fields = state.0.get(id).into_iter().flatten();
    fields.any(|(name, _)| name.starts_with("status"))
}

/// Returns what the operator reports of an object in a step: the false conditions with their
/// reasons, and the reasons of Warning events.
fn reports(run_result: &RunResult, step: usize, id: &ObjectId) -> BTreeSet<(String, String)> {
    let fields = run_result.states[step].0.get(id);
    let conditions = fields.into_iter().flatten().filter_map(|(name, value)| {
        let condition = name.strip_suffix(".status").filter(|_| value == "False")?;
        let reason = fields?.get(&format!("{condition}.reason"))?;
        condition
            .starts_with("status.conditions[")
            .then(|| (condition.to_owned(), reason.clone()))
    });
    let events = journal::requests(&run_result.entries).filter_map(|(at, request)| {
        let is_warning =
            request.call.resource.plural == "events" && request.body["type"] == "Warning";
        let reason = request.body["reason"].as_str()?;
        (at == step && is_warning).then(|| ("event".to_owned(), reason.to_owned()))
    });
    conditions.chain(events).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::torture::api::call::ApiCall;
    use crate::torture::journal::{JournalEntry, JournalEvent, RecordedRequest};
    use crate::torture::scenario::{Action, Scenario, SpecVariant};

    /// The channel on which an operator reports that it declines a spec.
    #[derive(Clone, Copy, PartialEq)]
    enum Says {
        Nothing,
        Condition,
        Event,
        Log,
        /// It sets a status, but not for an object whose spec it declines.
        NoProgress,
    }

    /// An operator that creates a `ConfigMap` if there are grams, and declines a spec without.
    /// `keeps` is false if it changes the `ConfigMap` of an object whose spec it declines.
    fn baseline(scenario: &Scenario, says: Says, keeps: bool) -> Baseline {
        let mut map: Option<Value> = None;
        let mut run = RunResult::of_states(Vec::new());
        for (step, is) in scenario.steps.iter().enumerate() {
            let (Action::Create(spec) | Action::Set(spec)) = &is.action else {
                map = None;
                run.states.push(Snapshot::default());
                continue;
            };
            let mut coop = json!({"kind": "Coop", "apiVersion": "my.domain/v1", "metadata": {"name": "moo"}, "spec": spec});
            let is_declined = spec["grams"] == 0;
            if !is_declined {
                map = Some(
                    json!({"kind": "ConfigMap", "metadata": {"name": "moo"}, "data": {"grams": "4"}}),
                );
            } else if !keeps && let Some(map) = &mut map {
                map["data"]["grams"] = "5".into();
            }
            match says {
                Says::Condition if is_declined => {
                    coop["status"] = json!({"conditions": [{"type": "Ready", "status": "False", "reason": "NoGrams"}]});
                }
                Says::Event if is_declined => run.entries.push(event(step)),
                Says::Log if is_declined => {
                    run.log = "ERROR reconciling moo failed: no grams".into();
                }
                Says::NoProgress if map.is_some() => {
                    coop["status"] = json!({"hens": 3});
                }
                _ => {}
            }
            run.states
                .push(Snapshot::of([&coop].into_iter().chain(&map), "t"));
        }
        Baseline::new(scenario.clone(), [run.clone(), run])
    }

    fn event(step: usize) -> JournalEntry {
        let call = ApiCall::parse("POST", "/apis/events.k8s.io/v1/namespaces/t/events").unwrap();
        let body = json!({"type": "Warning", "reason": "NoGrams"});
        let request = RecordedRequest::new(call, body);
        JournalEntry {
            at: std::time::Duration::ZERO,
            step,
            event: JournalEvent::Request(Box::new(request)),
        }
    }

    #[test]
    fn a_spec_is_declined_if_the_operator_says_so_and_changes_nothing() {
        let subject = json!({"kind": "Coop", "apiVersion": "my.domain/v1", "metadata": {"name": "moo"}, "spec": {"grams": 4}});
        let variants = [SpecVariant {
            field: "spec.grams".into(),
            description: "0".into(),
            spec: json!({"grams": 0}),
        }];
        let field = Scenario::field(&subject, &[], "spec.grams", &variants);
        let fresh = Scenario::created_with_each_value(&subject, &[], "spec.grams", &variants);
        let step_of = |scenario: &Scenario| {
            let spec = json!({"grams": 0});
            let mut steps = scenario.steps.iter();
            let sets = |action: &Action| matches!(action, Action::Create(it) | Action::Set(it) if *it == spec);
            steps.position(|step| sets(&step.action)).unwrap()
        };
        let declined = |says: Says, keeps: bool| {
            let [changed, created] =
                [&field, &fresh].map(|scenario| baseline(scenario, says, keeps));
            is_declined((&changed, step_of(&field)), (&created, step_of(&fresh)), 0)
        };
        for says in [Says::Condition, Says::Event, Says::Log, Says::NoProgress] {
            assert!(declined(says, true));
            assert!(!declined(says, false), "it changes a child");
        }
        assert!(!declined(Says::Nothing, true), "it does not say so");
    }
}
