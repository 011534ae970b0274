//! What a run shows by itself, whatever others were like.

use std::collections::BTreeMap;

use super::call::{Resource, Verb};
use super::finding::{Class, Finding};
use super::journal;
use super::maker::{Maker, subject};
use super::refused::denied_by;
use super::scenario::{Act, Scenario};
use super::state::{Id, Mask, State};

/// What the operator made and is there though the object is gone.
pub fn leftovers(maker: &Maker) -> Option<Finding> {
    for (step, state) in maker.played.states.iter().enumerate() {
        let strange = maker
            .scenario
            .steps
            .iter()
            .any(|step| matches!(step.act, Act::Strangers { .. }));
        if !maker.scenario.ends_it(step) || strange || maker.played.has_ended(step) {
            continue;
        }
        let left = made(maker.scenario, state);
        let differences = State::default().differences(&left, &Mask::default());
        if let Some(finding) = maker.of_differences(step, differences) {
            return Some(finding);
        }
    }
    None
}

/// What there is of the object and of what was made for it.
pub fn made(scenario: &Scenario, state: &State) -> State {
    let beside = State::of(&scenario.beside, "").0;
    state
        .clone()
        .without(|id| beside.contains_key(id) || is_of_namespace(id))
}

/// What a namespace has from the start.
fn is_of_namespace(id: &Id) -> bool {
    ["Role", "RoleBinding", "Namespace"].contains(&id.kind.as_str())
}

/// What the operator made, deleted and made again in one step: it took the new object for one that had to go.
pub fn remade(maker: &Maker) -> Option<Finding> {
    /// What was done to an object last.
    #[derive(Clone, Copy, PartialEq)]
    enum Last {
        Made,
        MadeAndDeleted,
    }
    let mut last: BTreeMap<(usize, Resource, String), Last> = BTreeMap::new();
    let work = journal::requests(&maker.played.entries).filter(|(_, request)| {
        request.call.is_work() && request.succeeded() && request.call.subresource.is_empty()
    });
    for (step, request) in work {
        let (resource, name) = (&request.call.resource, request.name());
        let key = (step, resource.clone(), name.clone());
        let deletes = request.call.verb == Verb::Delete;
        match last.get(&key) {
            Some(Last::Made) if deletes => drop(last.insert(key, Last::MadeAndDeleted)),
            Some(Last::MadeAndDeleted) if request.status == 201 => {
                let says = format!(
                    "{}/{name} was made, deleted and made again",
                    resource.plural
                );
                let object = resource.to_string();
                return Some(maker.make(Class::DeletedTwice, &object, step, says, Vec::new()));
            }
            _ if request.status == 201 => drop(last.insert(key, Last::Made)),
            _ => {}
        }
    }
    None
}

/// Whether the status says that something was refused.
pub fn silent_refusals(maker: &Maker) -> Vec<Finding> {
    let mut findings = Vec::new();
    let (id, played) = (subject(maker.scenario), maker.played);
    let status = |step: usize| -> BTreeMap<&String, &String> {
        let object = played.states.get(step).and_then(|state| state.0.get(&id));
        let fields = object.into_iter().flatten();
        fields
            .filter(|(name, _)| {
                name.starts_with("status")
                    && !name.contains("bservedGeneration")
                    && !name.ends_with("lastTransitionTime")
            })
            .collect()
    };
    for step in 0..played.states.len() {
        let mut last: BTreeMap<String, (u16, String)> = BTreeMap::new();
        for (_, request) in
            journal::requests(&played.entries).filter(|(at, r)| *at == step && r.call.is_work())
        {
            let object = format!("{}/{}", request.call.resource.plural, request.name());
            let message = request.answer["message"]
                .as_str()
                .unwrap_or_default()
                .to_owned();
            last.insert(object, (request.status, message));
        }
        let refused = last.into_iter().find(|(_, (status, message))| {
            [400, 422].contains(status) || denied_by(message).is_some()
        });
        let Some((object, (_, message))) = refused else {
            continue;
        };
        let normal = (0..played.states.len())
            .find(|other| played.states[*other].0.contains_key(&id) && *other != step);
        let says_so = status(step).keys().any(|name| name.contains("conditions["))
            && normal.is_none_or(|normal| status(normal) != status(step));
        if !says_so {
            let says = format!("{object} was refused ({message}), and the status does not say so");
            findings.push(maker.make(Class::SilentRefusal, &object, step, says, Vec::new()));
        }
    }
    findings.truncate(1);
    findings
}
