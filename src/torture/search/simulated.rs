//! A finding of `rustop simulate` in the terms of `rustop torture`: the scenario and the faults
//! with which a run on the real control plane shows the same bug.

use std::collections::BTreeSet;

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;

use crate::torture::api::call::{Resource, Verb};
use crate::torture::fault::{Fault, RestartFault, WatchFault, WriteFault};
use crate::torture::oracle::finding::Class;
use crate::torture::scenario::generator::state_key;
use crate::torture::scenario::{Action, Child, GONE, Scenario};
use crate::torture::search::baseline_runner::{ScenarioSample, name};

/// The name of the scenario of a simulated finding.
const NAME: &str = "simulated";
/// A reason.
const ONE_NAMESPACE: &str = "`rustop torture` has one namespace for each run";

/// A finding of `rustop simulate`.
#[derive(Clone, Debug)]
pub struct SimulatedFinding {
    /// The name of the class of bug, such as `created-twice`.
    pub class: String,
    /// The object, such as `deployments.apps default/web`; the request of a missing permission.
    pub object: String,
    /// The description of the bug, in one line.
    pub message: String,
    /// The steps and the faults, as JSON of `rustop_manager::simulation::Schedule`.
    pub schedule: Value,
    /// The objects that the user of the simulation creates.
    pub samples: Vec<Value>,
    /// The edits that the steps of the schedule number: each the object, by kind and name, and a
    /// merge patch.
    pub edits: Vec<(Value, Value)>,
}

/// The part of a schedule that matters outside of the simulation: all but the seed.
#[derive(Debug, Deserialize)]
pub struct Schedule {
    steps: Vec<SimulatedStep>,
    #[serde(default)]
    pub faults: Vec<SimulatedFault>,
}

/// `rustop_manager::simulation::Step`.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq)]
#[serde(rename_all = "kebab-case")]
enum SimulatedStep {
    Create,
    CreateTwins,
    CreateNamesakes,
    CreateLookalikes,
    /// The index in [`SimulatedFinding::edits`].
    Edit(usize),
    Restart,
    Delete,
}

/// `rustop_manager::simulation::Injection`.
#[derive(Debug, Deserialize)]
pub struct SimulatedFault {
    at: Requests,
    fault: SimulatedFailure,
}

/// `rustop_manager::testing::Requests`.
#[derive(Debug, Deserialize)]
struct Requests {
    /// `apply`, `delete-collection`, `event`.
    operation: String,
    /// `deployments.apps/status`
    resource: String,
    /// The number of the request in the history, from 1. The operator may send others on the real
    /// API server, so it only says which requests to try first.
    #[serde(default)]
    nth: usize,
}

/// `rustop_manager::testing::Fault`.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum SimulatedFailure {
    Status(u16),
    TimedOut,
    LostRequest,
    LostResponse,
    DelayedResponse(IgnoredAny),
    CrashBefore,
    CrashAfter,
    Freeze(IgnoredAny),
    ForeignEdit,
    ForeignDelete,
    DelayedEvent(IgnoredAny),
    BrokenWatch,
    ExpiredWatch,
    BrokenList,
    Restore,
    ClockJump(IgnoredAny),
}

impl SimulatedFinding {
    /// Returns the steps and faults of the finding.
    ///
    /// # Errors
    /// Returns the reason why the real control plane cannot decide about the finding.
    pub fn schedule(&self) -> Result<Schedule, String> {
        if self.classes().is_none() {
            return Err(format!("only simulations check `{}`", self.class));
        }
        if self.object.starts_with("shard ") {
            return Err("`rustop torture` runs one replica without shards".to_owned());
        }
        let namespaces = self.samples.iter().map(|sample| {
            sample["metadata"]["namespace"]
                .as_str()
                .unwrap_or("default")
        });
        if namespaces.collect::<BTreeSet<_>>().len() > 1 {
            return Err(ONE_NAMESPACE.to_owned());
        }
        let schedule = Schedule::deserialize(&self.schedule).map_err(|error| {
            format!("this rustop does not know a step or a fault of it: {error}")
        })?;
        if schedule.steps.is_empty() {
            return Err("it has no step".to_owned());
        }
        Ok(schedule)
    }

    /// Returns the sample that the scenario is about: the first one that a step edits, or else the
    /// first one. `samples` are those of the operator's own kinds.
    pub fn subject<'a>(
        &self,
        schedule: &Schedule,
        samples: &'a [ScenarioSample],
    ) -> Option<&'a ScenarioSample> {
        let mut edited = schedule.steps.iter().filter_map(|step| self.edit(*step));
        edited
            .find_map(|(object, _)| samples.iter().find(|it| is_same(&it.object, object)))
            .or(samples.first())
    }

    /// Returns the scenario with the steps of the finding. `subject` is the sample that it is
    /// about, and `children` are the subject's.
    ///
    /// # Errors
    /// Returns the reason if `rustop torture` has no such step.
    pub fn scenario(
        &self,
        schedule: &Schedule,
        subject: &ScenarioSample,
        children: &[Child],
    ) -> Result<Scenario, String> {
        if let Some(same_names) = schedule.foreign_objects() {
            let (object, prerequisites) = (&subject.object, &subject.prerequisites);
            return Ok(Scenario::foreign_objects(
                object,
                prerequisites,
                children,
                same_names,
            ));
        }
        let mut translation = Translation::new(self, &subject.object);
        for step in &schedule.steps {
            translation.add(*step)?;
        }
        Ok(translation.scenario)
    }

    /// Returns the resource of the affected object, such as `deployments.apps`, or of the request
    /// that is not allowed. `None` if the class is not about a resource.
    pub fn resource(&self) -> Option<&str> {
        let mut words = self.object.split(' ');
        match self.class.as_str() {
            "hot-loop" | "panic" | "exit" => None,
            "forbidden" => words.nth(1),
            _ => words.next(),
        }
        .and_then(|resource| resource.split('/').next())
    }

    /// Returns the classes with which `rustop torture` reports the same bug. `None` for a check
    /// that only simulations have, so that a run without a finding decides nothing.
    pub fn classes(&self) -> Option<&'static [Class]> {
        use Class::{
            Adopted, CreatedTwice, Exit, Forbidden, HotLoop, Leftover, Missing, NotCorrected,
            NotRecovered, NotRemoved, NotRestored, NotUpdated, Panic, StuckDeletion, TooMany,
            WrongStatus,
        };
        Some(match self.class.as_str() {
            "missing" => &[Missing, NotRestored, NotRecovered],
            "too-many" => &[TooMany, NotRemoved, CreatedTwice],
            "created-twice" => &[CreatedTwice, TooMany],
            "not-updated" => &[NotUpdated, NotCorrected, NotRecovered],
            "wrong-status" | "observed-generation" => &[WrongStatus],
            // Torture reports an object that is deleted before the subject as `too-many`.
            "leftover" | "stuck-deletion" => &[Leftover, StuckDeletion, TooMany],
            "adopted" => &[Adopted],
            "hot-loop" => &[HotLoop],
            "forbidden" => &[Forbidden],
            "panic" | "exit" => &[Panic, Exit],
            _ => return None,
        })
    }

    /// Returns the edit of a step; `None` for another step, and if the test has no such edit.
    fn edit(&self, step: SimulatedStep) -> Option<&(Value, Value)> {
        match step {
            SimulatedStep::Edit(number) => self.edits.get(number),
            _ => None,
        }
    }
}

impl Schedule {
    /// Returns whether the foreign objects of the history have the names of children, and not only
    /// their labels. `None` for a history without foreign objects.
    pub fn foreign_objects(&self) -> Option<bool> {
        self.steps.iter().find_map(|step| match step {
            SimulatedStep::CreateNamesakes => Some(true),
            SimulatedStep::CreateLookalikes => Some(false),
            _ => None,
        })
    }

    /// Returns the sets of faults with which a run may show the finding, at most `most`, the most
    /// similar ones first. `possible` are all faults that the baseline of the scenario suggests, in
    /// the order in which they would occur.
    ///
    /// # Errors
    /// Returns the reason if there is no such set.
    pub fn faults(&self, possible: &[Fault], most: usize) -> Result<Vec<Vec<Fault>>, String> {
        // Each set with its distance from the simulated faults.
        let mut sets: Vec<(usize, Vec<Fault>)> = vec![(0, Vec::new())];
        for simulated in &self.faults {
            let similar = simulated.similar(possible, most);
            if similar.is_empty() {
                let Requests {
                    operation,
                    resource,
                    ..
                } = &simulated.at;
                return Err(format!(
                    "`rustop torture` has no such fault at `{operation} {resource}`"
                ));
            }
            let mut longer: Vec<(usize, Vec<Fault>)> = Vec::new();
            for (distance, set) in &sets {
                for (further, fault) in &similar {
                    if set.contains(fault) {
                        continue;
                    }
                    let mut set = [&set[..], std::slice::from_ref(*fault)].concat();
                    set.sort();
                    if !longer.iter().any(|(_, known)| *known == set) {
                        longer.push((distance + further, set));
                    }
                }
            }
            if longer.is_empty() {
                return Err("its faults are at one request".to_owned());
            }
            sets = longer;
            sets.sort_by_key(|(distance, _)| *distance);
            sets.truncate(most);
        }
        Ok(sets.into_iter().map(|(_, set)| set).collect())
    }
}

/// A translation of the steps of a history into those of a scenario.
struct Translation<'a> {
    finding: &'a SimulatedFinding,
    scenario: Scenario,
    /// The subject with the edits so far.
    subject: Value,
    /// True while the spec of the subject alone determines the state: there are no other samples,
    /// and nothing else was edited.
    is_determined: bool,
}

impl<'a> Translation<'a> {
    fn new(finding: &'a SimulatedFinding, subject: &Value) -> Self {
        Self {
            finding,
            scenario: Scenario::new(NAME, subject, &[]),
            subject: subject.clone(),
            is_determined: finding.samples.iter().all(|it| is_same(it, subject)),
        }
    }

    fn add(&mut self, step: SimulatedStep) -> Result<(), String> {
        match step {
            SimulatedStep::Create => self.create(),
            SimulatedStep::Edit(number) => {
                let Some((object, patch)) = self.finding.edit(step) else {
                    return Err(format!("the test has no edit {number}"));
                };
                self.edit(object, patch);
            }
            SimulatedStep::Restart => {
                self.scenario
                    .add_step("the operator restarts", Action::Restart, None);
            }
            SimulatedStep::Delete => self.delete(),
            SimulatedStep::CreateTwins => return Err(ONE_NAMESPACE.to_owned()),
            // They have a scenario of their own.
            SimulatedStep::CreateNamesakes | SimulatedStep::CreateLookalikes => {}
        }
        Ok(())
    }

    /// Adds the creation of the samples, in their order.
    fn create(&mut self) {
        for sample in &self.finding.samples {
            if is_same(sample, &self.subject) {
                let spec = self.subject["spec"].clone();
                let key = self.is_determined.then(|| state_key(&spec));
                self.scenario
                    .add_step("the user creates the object", Action::Create(spec), key);
            } else {
                let says = format!("the user creates {}", name(sample));
                self.scenario
                    .add_step(says, Action::CreateOther(sample.clone()), None);
            }
        }
    }

    fn edit(&mut self, object: &Value, patch: &Value) {
        let says = format!("the user edits {}: {patch}", name(object));
        let is_of_subject = is_same(object, &self.subject);
        if is_of_subject {
            json_patch::merge(&mut self.subject, patch);
        }
        if is_of_subject && is_of_spec(patch) {
            let spec = self.subject["spec"].clone();
            let key = self.is_determined.then(|| state_key(&spec));
            self.scenario.add_step(says, Action::Set(spec), key);
        } else {
            self.is_determined = false;
            let action = Action::EditOther(object.clone(), patch.clone());
            self.scenario.add_step(says, action, None);
        }
    }

    /// Adds the deletion of the samples. After that of the subject nothing may be left, so it comes
    /// last.
    fn delete(&mut self) {
        for sample in &self.finding.samples {
            if !is_same(sample, &self.subject) {
                let says = format!("the user deletes {}", name(sample));
                self.scenario
                    .add_step(says, Action::DeleteOther(sample.clone()), None);
            }
        }
        self.scenario.add_step(
            "the user deletes the object",
            Action::Delete { foreground: false },
            Some(GONE.into()),
        );
    }
}

impl SimulatedFault {
    /// Returns the faults with the same effect, at most `most`, each with its distance from the
    /// request that the simulation names.
    fn similar<'a>(&self, possible: &'a [Fault], most: usize) -> Vec<(usize, &'a Fault)> {
        let similar = possible.iter().filter(|it| self.is_like(it));
        let mut similar: Vec<_> = similar
            .enumerate()
            .map(|(index, fault)| ((index + 1).abs_diff(self.at.nth), fault))
            .collect();
        similar.sort_by_key(|(distance, _)| *distance);
        similar.truncate(most);
        similar
    }

    /// Reports whether a fault of `rustop torture` has the same effect on the operator.
    fn is_like(&self, fault: &Fault) -> bool {
        match fault {
            Fault::Write(kind, point) => {
                self.write_faults().contains(kind)
                    && (self.verb().is_none() || self.is_at(&point.resource, &point.subresource))
                    && self.verb().is_none_or(|verb| verb == point.verb)
            }
            Fault::Watch(kind, resource, _) => {
                let same = match self.fault {
                    SimulatedFailure::DelayedEvent(_) | SimulatedFailure::BrokenWatch => {
                        WatchFault::Late
                    }
                    SimulatedFailure::ExpiredWatch => WatchFault::Gap,
                    _ => return false,
                };
                same == *kind && self.is_at(resource, "")
            }
            Fault::Restart(kind, _) => {
                // A crash at a watch event: the new process reads again.
                let is_crash = matches!(self.fault, SimulatedFailure::CrashBefore);
                is_crash && self.at.operation == "event" && *kind == RestartFault::Behind
            }
            Fault::SecondPage(resource) => {
                matches!(self.fault, SimulatedFailure::BrokenList) && self.is_at(resource, "")
            }
        }
    }

    fn is_at(&self, resource: &Resource, subresource: &str) -> bool {
        let (of, part) = self
            .at
            .resource
            .split_once('/')
            .unwrap_or((&self.at.resource, ""));
        of == resource.to_string() && part == subresource
    }

    /// Returns the verb of the request; `None` for a read, an event or the call of a webhook, where
    /// only the death of the operator can be compared.
    fn verb(&self) -> Option<Verb> {
        Some(match self.at.operation.as_str() {
            "create" => Verb::Create,
            "update" => Verb::Update,
            "patch" | "apply" => Verb::Patch,
            "delete" => Verb::Delete,
            "delete-collection" => Verb::DeleteCollection,
            _ => return None,
        })
    }

    /// Returns the faults of writes that have the same effect.
    fn write_faults(&self) -> &'static [WriteFault] {
        // A read that gets no answer does not kill the operator.
        if self.verb().is_none() {
            return match self.fault {
                SimulatedFailure::CrashBefore => &[WriteFault::CrashBefore],
                _ => &[],
            };
        }
        match self.fault {
            SimulatedFailure::Status(409) => &[WriteFault::Conflict],
            SimulatedFailure::Status(429) => &[WriteFault::TooManyRequests],
            SimulatedFailure::Status(_) | SimulatedFailure::LostRequest => {
                &[WriteFault::ServerError]
            }
            SimulatedFailure::TimedOut
            | SimulatedFailure::LostResponse
            | SimulatedFailure::DelayedResponse(_) => &[WriteFault::Unanswered],
            SimulatedFailure::CrashBefore => &[WriteFault::CrashBefore],
            SimulatedFailure::CrashAfter => &[WriteFault::CrashAfter],
            SimulatedFailure::Freeze(_) => &[WriteFault::TakenOver],
            SimulatedFailure::ForeignEdit => &[WriteFault::Changed],
            SimulatedFailure::ForeignDelete => &[WriteFault::Removed],
            SimulatedFailure::DelayedEvent(_)
            | SimulatedFailure::BrokenWatch
            | SimulatedFailure::ExpiredWatch
            | SimulatedFailure::BrokenList
            | SimulatedFailure::Restore
            | SimulatedFailure::ClockJump(_) => &[],
        }
    }
}

/// Reports whether two objects have the same kind and name.
fn is_same(one: &Value, other: &Value) -> bool {
    ["/apiVersion", "/kind", "/metadata/name"]
        .iter()
        .all(|field| one.pointer(field) == other.pointer(field))
}

/// Reports whether a merge patch changes the spec alone.
fn is_of_spec(patch: &Value) -> bool {
    let keys = patch.as_object().map(|patch| patch.keys());
    keys.is_some_and(|mut keys| keys.all(|key| key == "spec"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::torture::fault::InjectionPoint;

    fn finding(schedule: Value) -> SimulatedFinding {
        let cow = json!({"apiVersion": "my.domain/v1", "kind": "Cow", "metadata": {"name": "moo"}});
        let patch = json!({"spec": {"size": null, "color": "red"}});
        let label = json!({"metadata": {"labels": {"a": "b"}}});
        SimulatedFinding {
            class: "missing".to_owned(),
            object: "pods default/moo".to_owned(),
            message: "pods default/moo does not exist".to_owned(),
            schedule,
            samples: vec![sample("milk").object, sample("moo").object],
            edits: vec![(cow.clone(), patch), (cow, label)],
        }
    }

    fn sample(name: &str) -> ScenarioSample {
        ScenarioSample {
            object: json!({
                "apiVersion": "my.domain/v1", "kind": "Cow",
                "metadata": {"name": name}, "spec": {"size": 1},
            }),
            schema: Value::Null,
            prerequisites: Vec::new(),
            custom_scenarios: Vec::new(),
        }
    }

    #[test]
    fn the_steps_of_a_history_become_those_of_a_scenario() {
        let steps = json!(["create", {"edit": 0}, {"edit": 1}, "restart", "delete"]);
        let finding = finding(json!({"seed": 7, "steps": steps}));
        let schedule = finding.schedule().unwrap();
        let samples = [sample("milk"), sample("moo")];
        let subject = finding.subject(&schedule, &samples).unwrap();
        assert_eq!(subject.object["metadata"]["name"], "moo", "it is edited");
        let scenario = finding.scenario(&schedule, subject, &[]).unwrap();
        let names: Vec<_> = scenario.steps.iter().map(|it| it.action.name()).collect();
        let expected = [
            "create-other",
            "create",
            "set",
            "edit-other",
            "restart",
            "delete-other",
            "delete",
        ];
        assert_eq!(names, expected);
        let Action::Set(spec) = &scenario.steps[2].action else {
            panic!("not a change of the spec")
        };
        assert_eq!(*spec, json!({"color": "red"}), "a merge patch");
        let keys = scenario.steps.iter().filter_map(|it| it.state_key.as_ref());
        assert_eq!(
            keys.collect::<Vec<_>>(),
            [GONE],
            "the other sample counts, too"
        );
    }

    #[test]
    fn the_spec_of_a_single_sample_determines_the_state() {
        let label = json!({"metadata": {"labels": {"a": "b"}}, "spec": {"color": "blue"}});
        let mut finding =
            finding(json!({"steps": ["create", {"edit": 0}, {"edit": 1}, {"edit": 0}]}));
        finding.samples.remove(0);
        finding.edits[1].1 = label;
        let schedule = finding.schedule().unwrap();
        let scenario = finding.scenario(&schedule, &sample("moo"), &[]).unwrap();
        let has_key = scenario.steps.iter().map(|it| it.state_key.is_some());
        assert_eq!(has_key.collect::<Vec<_>>(), [true, true, false, false]);
        let Action::Set(spec) = &scenario.steps[3].action else {
            panic!("not a change of the spec")
        };
        assert_eq!(*spec, json!({"color": "red"}), "with the edit before");
    }

    #[test]
    fn foreign_objects_have_their_own_scenario() {
        let finding = finding(json!({"steps": ["create-namesakes", "create", "delete"]}));
        let schedule = finding.schedule().unwrap();
        let scenario = finding.scenario(&schedule, &sample("moo"), &[]).unwrap();
        assert_eq!(scenario.name, crate::torture::scenario::NAMES_TAKEN);
    }

    #[test]
    fn a_history_that_cannot_be_repeated_has_a_reason() {
        let unknown = finding(json!({"steps": ["create", "migrate"]}));
        let reason = unknown.schedule().unwrap_err();
        assert!(reason.contains("`migrate`"), "{reason}");
        for (steps, reason) in [
            (json!(["create-twins"]), "one namespace"),
            (json!(["create", {"edit": 2}]), "no edit 2"),
        ] {
            let finding = finding(json!({ "steps": steps }));
            let schedule = finding.schedule().unwrap();
            let error = finding
                .scenario(&schedule, &sample("moo"), &[])
                .unwrap_err();
            assert!(error.contains(reason), "{error}");
        }
        let create = || finding(json!({"steps": ["create"]}));
        let mut elsewhere = create();
        elsewhere.samples[0]["metadata"]["namespace"] = "barn".into();
        let mut check = create();
        check.class = "always".to_owned();
        let mut shard = create();
        shard.object = "shard 2".to_owned();
        let empty = finding(json!({"steps": []}));
        for (finding, reason) in [
            (elsewhere, "one namespace"),
            (check, "only simulations check `always`"),
            (shard, "without shards"),
            (empty, "no step"),
        ] {
            let error = finding.schedule().unwrap_err();
            assert!(error.contains(reason), "{error}");
        }
    }

    #[test]
    fn a_fault_becomes_those_with_the_same_effect() {
        let of = |kind| Fault::Write(kind, InjectionPoint::of_moo(0, Verb::Patch, "pods"));
        let gap = Fault::Watch(WatchFault::Gap, Resource::core("pods"), 1);
        let possible = [
            of(WriteFault::CrashBefore),
            of(WriteFault::CrashAfter),
            of(WriteFault::Conflict),
            of(WriteFault::ServerError),
            of(WriteFault::Unanswered),
            gap.clone(),
            Fault::Restart(RestartFault::Behind, 0),
        ];
        for (operation, fault, expected) in [
            (
                "apply",
                json!({"status": 409}),
                Some(vec![possible[2].clone()]),
            ),
            (
                "apply",
                json!({"status": 500}),
                Some(vec![possible[3].clone()]),
            ),
            (
                "apply",
                json!("lost-response"),
                Some(vec![possible[4].clone()]),
            ),
            (
                "apply",
                json!("crash-after"),
                Some(vec![possible[1].clone()]),
            ),
            (
                "get",
                json!("crash-before"),
                Some(vec![possible[0].clone()]),
            ),
            ("event", json!("expired-watch"), Some(vec![gap])),
            (
                "event",
                json!("crash-before"),
                Some(vec![possible[0].clone(), possible[6].clone()]),
            ),
            ("create", json!("crash-after"), None),
            ("apply", json!("restore"), None),
            ("get", json!({"status": 500}), None),
        ] {
            let at = json!({"operation": operation, "resource": "pods", "nth": 2});
            let faults = json!([{"at": at, "fault": fault}]);
            let schedule = finding(json!({"steps": ["create"], "faults": faults}))
                .schedule()
                .unwrap();
            let sets = schedule.faults(&possible, 12);
            let found = sets.ok().map(|sets| BTreeSet::from_iter(sets.concat()));
            let expected = expected.map(BTreeSet::from_iter);
            assert_eq!(found, expected, "{operation} {fault}");
        }
    }

    /// Returns a crash after the creation of a Pod, which occurs so many times before.
    fn of(occurrence: usize) -> Fault {
        let mut point = InjectionPoint::of_moo(0, Verb::Create, "pods");
        point.occurrence = occurrence;
        Fault::Write(WriteFault::CrashAfter, point)
    }

    #[test]
    fn two_faults_are_tried_together() {
        let at = json!({"operation": "create", "resource": "pods", "nth": 1});
        let fault = json!({"at": at, "fault": "crash-after"});
        let faults = json!([fault, fault]);
        let schedule = finding(json!({"steps": ["create"], "faults": faults}))
            .schedule()
            .unwrap();
        let sets = schedule.faults(&[of(0), of(1), of(2)], 12).unwrap();
        assert_eq!(
            sets,
            [[of(0), of(1)], [of(0), of(2)], [of(1), of(2)]],
            "each pair once"
        );
        assert!(schedule.faults(&[of(0)], 12).is_err(), "one request");
    }

    #[test]
    fn the_request_of_the_simulation_is_tried_first() {
        let at = json!({"operation": "create", "resource": "pods", "nth": 3});
        let fault = json!({"at": at, "fault": "crash-after"});
        let schedule = finding(json!({"steps": ["create"], "faults": [fault]}))
            .schedule()
            .unwrap();
        let sets = schedule.faults(&[of(0), of(1), of(2), of(3)], 2).unwrap();
        assert_eq!(sets, [[of(2)], [of(1)]]);
    }
}
