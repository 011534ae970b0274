//! Checks that compare runs without faults with each other.

use std::collections::BTreeMap;

use crate::torture::journal;
use crate::torture::oracle::baseline::Baseline;
use crate::torture::oracle::declined::is_declined;
use crate::torture::oracle::finding::{Class, Finding};
use crate::torture::oracle::finding_builder::FindingBuilder;
use crate::torture::oracle::single_run::objects_of_run;
use crate::torture::run::result::{RunResult, Symptom};
use crate::torture::scenario::{Action, CREATED, GONE, LIFE};
use crate::torture::snapshot::fields::Fields;
use crate::torture::snapshot::{Difference, Mask, Snapshot};

/// Finds steps whose state differs from that of an object created with the same spec: the state
/// depends on the history. `run` is the index of the run, 0 or 1, in each baseline.
pub fn path_dependent_states(baselines: &[Baseline], run: usize) -> Vec<Finding> {
    // The step that creates an object with each spec.
    let mut creations: BTreeMap<&str, (&Baseline, usize)> = BTreeMap::new();
    let usable = |baseline: &Baseline, step: usize| {
        let run_result = &baseline.runs[run];
        step < run_result.states.len()
            && !run_result.rejected_steps().contains(&step)
            && !has_refusals(run_result, step)
            && !is_forbidden(run_result, step)
            && !run_result.has_exited(step)
    };
    let steps = || {
        baselines.iter().flat_map(|baseline| {
            let steps = baseline.scenario.steps.iter().enumerate();
            steps.filter_map(move |(step, is)| {
                Some((baseline, step, is.state_key.as_deref()?, &is.action))
            })
        })
    };
    for (baseline, step, key, action) in steps().filter(|(_, _, key, _)| *key != GONE) {
        if usable(baseline, step) && matches!(action, Action::Create(_)) {
            creations.entry(key).or_insert((baseline, step));
        }
    }
    let mut findings = Vec::new();
    for (baseline, step, key, _) in steps() {
        let Some((other, at)) = creations.get(key) else {
            continue;
        };
        let same = std::ptr::eq(*other, baseline) && *at == step;
        let is_back = baseline.scenario.steps[step].action
            == Action::Set(baseline.scenario.subject["spec"].clone());
        if same
            || step >= baseline.runs[run].states.len()
            || !(usable(baseline, step) || (is_back && !baseline.runs[run].has_exited(step)))
        {
            continue;
        }
        let expected = &other.runs[run].states[*at];
        let found = &baseline.runs[run].states[step];
        if is_declined((baseline, step), (other, *at), run) {
            continue;
        }
        let mut mask = other.expected.mask.clone();
        mask.hide(&random_differences(baseline));
        let mut differences = expected.differences(found, &mask);
        differences.retain(|difference| !difference.is_timestamp_presence());
        let builder = FindingBuilder {
            scenario: &baseline.scenario,
            faults: &[],
            run_result: &baseline.runs[run],
        };
        findings.extend(builder.build_from_differences(step, differences));
    }
    findings
}

/// Returns the differences between the two runs of a baseline, except for missing objects.
fn random_differences(baseline: &Baseline) -> Vec<Difference> {
    let [one, other] = baseline.runs.each_ref().map(|run| &run.states);
    let pairs = one.iter().zip(other);
    pairs
        .flat_map(|(one, other)| one.differences(other, &Mask::default()))
        .filter(|d| !d.field.is_empty())
        .collect()
}

/// Reports whether the API server rejected a write of the operator in a step, so that it cannot
/// converge.
fn has_refusals(run_result: &RunResult, step: usize) -> bool {
    let mut requests = journal::requests(&run_result.entries);
    requests.any(|(at, request)| at == step && request.call.is_work() && request.is_refused())
}

/// Reports whether the operator lacks a permission in a step, which is the cause of other symptoms.
fn is_forbidden(run_result: &RunResult, step: usize) -> bool {
    let mut symptoms = run_result.symptoms.iter();
    symptoms.any(|(at, symptom)| *at == step && matches!(symptom, Symptom::Forbidden(_)))
}

/// Finds fields of the spec whose change has no effect. `run` is the index of the run, 0 or 1, in
/// each baseline. If `is_repeated` is false, returns nothing unless another field has an effect,
/// since the effects of such an operator are outside of the cluster. It is true when the scenarios
/// of one finding are checked again.
pub fn fields_without_effect(
    baselines: &[Baseline],
    run: usize,
    is_repeated: bool,
) -> Vec<Finding> {
    let mut effects: BTreeMap<&str, (bool, &Baseline, usize)> = BTreeMap::new();
    for baseline in baselines {
        let field = baseline.scenario.name.trim_end_matches(CREATED);
        let Some(base) = baselines.iter().find(|other| other.scenario.name == LIFE) else {
            return Vec::new();
        };
        if !field.starts_with("spec.")
            || baseline.scenario.is_at_limits()
            || base.scenario.subject != baseline.scenario.subject
        {
            continue;
        }
        let id = baseline.scenario.subject_id();
        let without_spec = |state: &Snapshot| {
            let mut state = state.clone();
            if let Some(fields) = state.0.get_mut(&id) {
                fields.retain(|name, _| !name.starts_with("spec"));
            }
            state
        };
        let spec_of = |state: &Snapshot| {
            let fields = state.0.get(&id).cloned().unwrap_or_default();
            let spec = fields
                .into_iter()
                .filter(|(name, _)| name.starts_with("spec"));
            spec.collect::<Fields>()
        };
        let Some(first) = base.runs[run].states.first() else {
            continue;
        };
        // An operator without visible children shows no effect of any field.
        if objects_of_run(&base.scenario, first)
            .0
            .keys()
            .all(|other| *other == id)
        {
            continue;
        }
        let run_result = &baseline.runs[run];
        // A value that was not tried in time may have an effect.
        if !baseline.is_whole() {
            let effect = effects.entry(field).or_insert((true, baseline, 0));
            effect.0 = true;
            continue;
        }
        let steps = baseline.scenario.steps.iter().enumerate();
        for (step, is) in
            steps.filter(|(_, step)| matches!(step.action, Action::Set(_) | Action::Create(_)))
        {
            let (Action::Set(spec) | Action::Create(spec)) = &is.action else {
                continue;
            };
            let Some(state) = run_result.states.get(step) else {
                continue;
            };
            // The API server may default a field to the value that it had before.
            let is_same =
                *spec == baseline.scenario.subject["spec"] || spec_of(state) == spec_of(first);
            if is_same || run_result.rejected_steps().contains(&step) {
                continue;
            }
            let differs = !without_spec(first)
                .differences(&without_spec(state), &base.expected.mask)
                .is_empty();
            let effect = effects.entry(field).or_insert((false, baseline, step));
            effect.0 |= differs || has_refusals(run_result, step);
        }
    }
    let any = is_repeated || effects.values().any(|(effect, ..)| *effect);
    let without = effects
        .into_iter()
        .filter(|(_, (effect, ..))| any && !effect);
    without
        .map(|(field, (_, baseline, step))| {
            let builder = FindingBuilder {
                scenario: &baseline.scenario,
                faults: &[],
                run_result: &baseline.runs[run],
            };
            let message = format!(
                "{field} has been changed, and neither a child nor the status is any different"
            );
            builder.build(Class::FieldWithoutEffect, field, step, message, Vec::new())
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::torture::scenario::{Scenario, SpecVariant};

    fn coop(spec: &Value) -> Value {
        json!({"kind": "Coop", "apiVersion": "my.domain/v1", "metadata": {"name": "moo"}, "spec": spec})
    }

    /// Returns a run of an operator that stores the grams in a `ConfigMap`. The API server defaults
    /// them to four.
    fn run_result(scenario: &Scenario, whole: bool, reads: bool) -> RunResult {
        let state = |act: &Action| {
            let (Action::Create(spec) | Action::Set(spec)) = act else {
                return Snapshot::default();
            };
            let mut spec: Value = spec.clone();
            if spec["grams"].is_null() {
                spec["grams"] = json!(4);
            }
            let grams = if reads {
                spec["grams"].clone()
            } else {
                json!(0)
            };
            let coop = coop(&spec);
            let map = json!({"kind": "ConfigMap", "metadata": {"name": "moo"}, "data": {"grams": grams.to_string()}});
            Snapshot::of([&coop, &map], "t")
        };
        let steps = &scenario.steps[..if whole { scenario.steps.len() } else { 2 }];
        RunResult {
            is_complete: whole,
            ..RunResult::of_states(steps.iter().map(|step| state(&step.action)).collect())
        }
    }

    #[test]
    fn a_field_is_without_effect_only_if_all_values_were_tried_and_stored() {
        let subject = coop(&json!({"grams": 4}));
        let variant = |spec: Value| SpecVariant {
            field: "spec.grams".into(),
            description: spec.to_string(),
            spec,
        };
        let variants = [variant(json!({})), variant(json!({"grams": 5}))];
        let life = Scenario::life(&subject, &[], &[]);
        let field = Scenario::field(&subject, &[], "spec.grams", &variants);
        let found = |whole: bool, reads: bool| {
            let baseline = |scenario: &Scenario, whole| {
                let runs = [(); 2].map(|()| run_result(scenario, whole, reads));
                Baseline::new(scenario.clone(), runs)
            };
            fields_without_effect(&[baseline(&life, true), baseline(&field, whole)], 0, true)
        };
        assert!(found(true, true).is_empty());
        assert!(found(false, true).is_empty(), "unset is four again");
        assert!(found(false, false).is_empty(), "there was no time for five");
        let none = found(true, false);
        assert_eq!(
            (none.len(), none[0].step),
            (1, 2),
            "after five, and not after what is filled in"
        );
    }

    /// Returns the number of findings if the grams are changed from four in one scenario, and set
    /// at creation in another. `leads_to` returns the state after an action in each of the two.
    fn path_dependent_findings(
        grams: i64,
        leads_to: [&mut dyn FnMut(&Action) -> Snapshot; 2],
    ) -> usize {
        let subject = coop(&json!({"grams": 4}));
        let variants = [SpecVariant {
            field: "spec.grams".into(),
            description: grams.to_string(),
            spec: json!({"grams": grams}),
        }];
        let [changed, made] = leads_to;
        let field = Scenario::field(&subject, &[], "spec.grams", &variants);
        let fresh = Scenario::created_with_each_value(&subject, &[], "spec.grams", &variants);
        let baselines = [(field, changed), (fresh, made)].map(|(scenario, leads_to)| {
            let states = scenario.steps.iter().map(|step| leads_to(&step.action));
            let run_result = RunResult::of_states(states.collect());
            Baseline::new(scenario, [run_result.clone(), run_result])
        });
        path_dependent_states(&baselines, 0).len()
    }

    /// In one scenario the status has changed before, in the other it has not.
    #[test]
    fn a_timestamp_in_one_state_only_is_not_a_finding() {
        let state = |act: &Action, status: &Value| {
            let (Action::Create(spec) | Action::Set(spec)) = act else {
                return Snapshot::default();
            };
            let mut coop = coop(spec);
            coop["status"] = status.clone();
            Snapshot::of([&coop], "t")
        };
        let found = |status: Value| {
            let (mut changed, mut made) = (
                |act: &Action| state(act, &status),
                |act: &Action| state(act, &json!({})),
            );
            path_dependent_findings(5, [&mut changed, &mut made])
        };
        assert_eq!(found(json!({"changed": "2026-11-25T05:00:00Z"})), 0);
        assert_eq!(found(json!({"changed": "5 times"})), 1);
    }
}
