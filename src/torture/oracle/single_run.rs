//! Checks of a single run, without a comparison with others.

use std::collections::BTreeMap;

use crate::torture::api::call::{Resource, Verb};
use crate::torture::api::rejection::denying_webhook;
use crate::torture::journal;
use crate::torture::oracle::finding::{Class, Finding};
use crate::torture::oracle::finding_builder::FindingBuilder;
use crate::torture::scenario::{Action, Scenario};
use crate::torture::snapshot::{Mask, ObjectId, Snapshot};

/// Finds objects that still exist after a step that must delete the object: its children, or the
/// object itself. Returns the finding of the first such step, and `None` for a scenario with
/// objects of another owner.
pub fn leftovers(builder: &FindingBuilder) -> Option<Finding> {
    for (step, state) in builder.run_result.states.iter().enumerate() {
        let strange = builder
            .scenario
            .steps
            .iter()
            .any(|step| matches!(step.action, Action::ForeignObjects { .. }));
        if !builder.scenario.ends_without_object(step)
            || strange
            || builder.run_result.has_exited(step)
        {
            continue;
        }
        let left = objects_of_run(builder.scenario, state);
        let differences = Snapshot::default().differences(&left, &Mask::default());
        if let Some(finding) = builder.build_from_differences(step, differences) {
            return Some(finding);
        }
    }
    None
}

/// Returns the part of a snapshot that belongs to the object and its children.
pub fn objects_of_run(scenario: &Scenario, state: &Snapshot) -> Snapshot {
    let accompanying = Snapshot::of(&scenario.prerequisites, "").0;
    state
        .clone()
        .without(|id| accompanying.contains_key(id) || is_of_namespace(id))
}

/// Reports whether an object belongs to the namespace itself.
fn is_of_namespace(id: &ObjectId) -> bool {
    ["Role", "RoleBinding", "Namespace"].contains(&id.kind.as_str())
}

/// Finds an object that the operator created, deleted and created again in one step: it mistook the
/// new object for an obsolete one.
pub fn created_twice_in_a_step(builder: &FindingBuilder) -> Option<Finding> {
    /// The last write to an object.
    #[derive(Clone, Copy, PartialEq)]
    enum Last {
        Made,
        MadeAndDeleted,
    }
    // If the next step overtakes this one, its spec may need another object.
    let is_overtaken = |at: usize| {
        let mut faults = builder.faults.iter();
        faults.any(|fault| fault.overtaken_step() == Some(at))
    };
    let mut last: BTreeMap<(usize, Resource, String), Last> = BTreeMap::new();
    let work = journal::requests(&builder.run_result.entries).filter(|(step, request)| {
        let call = &request.call;
        let is_done = call.is_work() && request.succeeded() && call.subresource.is_empty();
        is_done && !is_overtaken(*step)
    });
    for (step, request) in work {
        let (resource, name) = (&request.call.resource, request.name());
        let key = (step, resource.clone(), name.clone());
        let deletes = request.call.verb == Verb::Delete;
        match last.get(&key) {
            Some(Last::Made) if deletes => drop(last.insert(key, Last::MadeAndDeleted)),
            Some(Last::MadeAndDeleted) if request.status == 201 => {
                let message = format!(
                    "{}/{name} was created, deleted and created again",
                    resource.plural
                );
                let object = resource.to_string();
                return Some(builder.build(
                    Class::DeletedTwice,
                    &object,
                    step,
                    message,
                    Vec::new(),
                ));
            }
            _ if request.status == 201 => drop(last.insert(key, Last::Made)),
            _ => {}
        }
    }
    None
}

/// Finds a write that the API server rejected and the status does not report. Returns at most one
/// finding.
pub fn silent_rejections(builder: &FindingBuilder) -> Vec<Finding> {
    let mut findings = Vec::new();
    let (id, run_result) = (builder.scenario.subject_id(), builder.run_result);
    let status = |step: usize| -> BTreeMap<&String, &String> {
        let object = run_result
            .states
            .get(step)
            .and_then(|state| state.0.get(&id));
        let fields = object.into_iter().flatten();
        fields
            .filter(|(name, _)| {
                name.starts_with("status")
                    && !name.contains("bservedGeneration")
                    && !name.ends_with("lastTransitionTime")
            })
            .collect()
    };
    for step in 0..run_result.states.len() {
        let mut last: BTreeMap<String, (bool, String)> = BTreeMap::new();
        for (_, request) in
            journal::requests(&run_result.entries).filter(|(at, r)| *at == step && r.call.is_work())
        {
            let object = format!("{}/{}", request.call.resource.plural, request.name());
            let message = request.answer["message"]
                .as_str()
                .unwrap_or_default()
                .to_owned();
            last.insert(object, (request.is_refused(), message));
        }
        let refused = last
            .into_iter()
            .find(|(_, (is_refused, message))| *is_refused || denying_webhook(message).is_some());
        let Some((object, (_, message))) = refused else {
            continue;
        };
        let normal = (0..run_result.states.len())
            .find(|other| run_result.states[*other].0.contains_key(&id) && *other != step);
        let says_so = status(step).keys().any(|name| name.contains("conditions["))
            && normal.is_none_or(|normal| status(normal) != status(step));
        if !says_so {
            let message =
                format!("{object} was refused ({message}), and the status does not say so");
            findings.push(builder.build(Class::SilentRefusal, &object, step, message, Vec::new()));
        }
    }
    findings.truncate(1);
    findings
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use serde_json::json;

    use super::*;
    use crate::torture::api::call::ApiCall;
    use crate::torture::fault::{Fault, InjectionPoint, WriteFault};
    use crate::torture::journal::{JournalEntry, JournalEvent, RecordedRequest};
    use crate::torture::run::result::RunResult;

    #[test]
    fn what_is_made_deleted_and_made_again_is_so_but_for_whoever_is_overtaken() {
        let subject = json!({"kind": "Coop", "metadata": {"name": "moo"}, "spec": {}});
        let scenario = Scenario::life(&subject, &[], &[]);
        let path = "/api/v1/namespaces/t/configmaps";
        let entry = |method: &str, target: &str, status: u16| JournalEntry {
            at: Duration::ZERO,
            step: 0,
            event: JournalEvent::Request(Box::new(RecordedRequest {
                status,
                ..RecordedRequest::new(
                    ApiCall::parse(method, target).unwrap(),
                    json!({"metadata": {"name": "moo-feed"}}),
                )
            })),
        };
        let run_result = RunResult {
            entries: vec![
                entry("POST", path, 201),
                entry("DELETE", &format!("{path}/moo-feed"), 200),
                entry("POST", path, 201),
            ],
            ..RunResult::of_states(Vec::new())
        };
        let overtaken = |step: usize| {
            let point = InjectionPoint {
                name: "moo-tags".into(),
                ..InjectionPoint::of_moo(step, Verb::Create, "configmaps")
            };
            [Fault::Write(WriteFault::Overtaken, point)]
        };
        let is_told = |faults: &[Fault]| {
            let (scenario, run_result) = (&scenario, &run_result);
            let builder = FindingBuilder {
                scenario,
                faults,
                run_result,
            };
            created_twice_in_a_step(&builder).is_some()
        };
        assert!(is_told(&[]));
        assert!(is_told(&overtaken(1)));
        assert!(!is_told(&overtaken(0)));
    }
}
