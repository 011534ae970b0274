//! A finding of `rustop simulate` in the terms of `rustop torture`: the scenario and the faults
//! with which a run on the real control plane shows the same bug.

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

/// A finding of `rustop simulate`.
#[derive(Clone, Debug)]
pub struct SimulatedFinding {
    /// The name of the class of bug, such as `created-twice`.
    pub class: String,
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
    fault: Failure,
}

/// `rustop_manager::testing::Requests`, without the number of the request: the operator may send
/// others on the real API server.
#[derive(Debug, Deserialize)]
struct Requests {
    /// `apply`, `delete-collection`, `event`.
    operation: String,
    /// `deployments.apps/status`
    resource: String,
}

/// `rustop_manager::testing::Fault`.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Failure {
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
    /// Returns the reason if a newer manager has written the schedule.
    pub fn schedule(&self) -> Result<Schedule, String> {
        Schedule::deserialize(&self.schedule)
            .map_err(|error| format!("this rustop does not know a step or a fault of it: {error}"))
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
    /// about, `samples` are all samples of the operator's own kinds, and `children` those of the
    /// subject.
    ///
    /// # Errors
    /// Returns the reason if `rustop torture` has no such step.
    pub fn scenario(
        &self,
        schedule: &Schedule,
        subject: &ScenarioSample,
        samples: &[ScenarioSample],
        children: &[Child],
    ) -> Result<Scenario, String> {
        let (object, prerequisites) = (&subject.object, &subject.prerequisites);
        if let Some(same_names) = schedule.foreign_objects() {
            return Ok(Scenario::foreign_objects(
                object,
                prerequisites,
                children,
                same_names,
            ));
        }
        let others = samples.iter().map(|it| &it.object);
        let others: Vec<_> = others.filter(|other| !is_same(other, object)).collect();
        let mut scenario = Scenario::new(NAME, object, prerequisites);
        let mut current = object.clone();
        for step in &schedule.steps {
            match step {
                SimulatedStep::Create => {
                    for other in &others {
                        let says = format!("the user creates {}", name(other));
                        scenario.add_step(says, Action::CreateOther((*other).clone()), None);
                    }
                    let spec = current["spec"].clone();
                    let key = Some(state_key(&spec));
                    scenario.add_step("the user creates the object", Action::Create(spec), key);
                }
                SimulatedStep::Edit(number) => {
                    let Some((edited, patch)) = self.edit(*step) else {
                        return Err(format!("the test has no edit {number}"));
                    };
                    let says = format!("the user edits {}: {patch}", name(edited));
                    if is_same(edited, object) && is_of_spec(patch) {
                        json_patch::merge(&mut current, patch);
                        let spec = current["spec"].clone();
                        let key = Some(state_key(&spec));
                        scenario.add_step(says, Action::Set(spec), key);
                    } else {
                        let action = Action::EditOther(edited.clone(), patch.clone());
                        scenario.add_step(says, action, None);
                    }
                }
                SimulatedStep::Restart => {
                    scenario.add_step("the operator restarts", Action::Restart, None);
                }
                SimulatedStep::Delete => {
                    scenario.add_step(
                        "the user deletes the object",
                        Action::Delete { foreground: false },
                        Some(GONE.into()),
                    );
                    for other in &others {
                        let says = format!("the user deletes {}", name(other));
                        scenario.add_step(says, Action::DeleteOther((*other).clone()), None);
                    }
                }
                SimulatedStep::CreateTwins => {
                    return Err("`rustop torture` has one namespace for each run".to_owned());
                }
                // Handled above.
                SimulatedStep::CreateNamesakes | SimulatedStep::CreateLookalikes => {}
            }
        }
        Ok(scenario)
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
            "leftover" | "stuck-deletion" => &[Leftover, StuckDeletion],
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

    /// Returns the sets of faults with which a run may show the finding, at most `most`. `possible`
    /// are all faults that the baseline of the scenario suggests.
    ///
    /// # Errors
    /// Returns the reason if there is no such set.
    pub fn faults(&self, possible: &[Fault], most: usize) -> Result<Vec<Vec<Fault>>, String> {
        let mut sets: Vec<Vec<Fault>> = vec![Vec::new()];
        for simulated in &self.faults {
            let similar: Vec<_> = possible.iter().filter(|it| simulated.is_like(it)).collect();
            if similar.is_empty() {
                let Requests {
                    operation,
                    resource,
                } = &simulated.at;
                return Err(format!(
                    "`rustop torture` has no such fault at `{operation} {resource}`"
                ));
            }
            sets = sets
                .into_iter()
                .flat_map(|set| {
                    let with = move |fault: &&Fault| {
                        let mut set = set.clone();
                        set.push((*fault).clone());
                        set
                    };
                    similar.iter().map(with).collect::<Vec<_>>()
                })
                .take(most)
                .collect();
        }
        Ok(sets)
    }
}

impl SimulatedFault {
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
                    Failure::DelayedEvent(_) | Failure::BrokenWatch => WatchFault::Late,
                    Failure::ExpiredWatch => WatchFault::Gap,
                    _ => return false,
                };
                same == *kind && self.is_at(resource, "")
            }
            Fault::Restart(kind, _) => {
                // A crash at a watch event: the new process reads again.
                let is_crash = matches!(self.fault, Failure::CrashBefore);
                is_crash && self.at.operation == "event" && *kind == RestartFault::Behind
            }
            Fault::SecondPage(resource) => {
                matches!(self.fault, Failure::BrokenList) && self.is_at(resource, "")
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
                Failure::CrashBefore => &[WriteFault::CrashBefore],
                _ => &[],
            };
        }
        match self.fault {
            Failure::Status(409) => &[WriteFault::Conflict],
            Failure::Status(429) => &[WriteFault::TooManyRequests],
            Failure::Status(_) | Failure::LostRequest => &[WriteFault::ServerError],
            Failure::TimedOut | Failure::LostResponse | Failure::DelayedResponse(_) => {
                &[WriteFault::Unanswered]
            }
            Failure::CrashBefore => &[WriteFault::CrashBefore],
            Failure::CrashAfter => &[WriteFault::CrashAfter],
            Failure::Freeze(_) => &[WriteFault::TakenOver],
            Failure::ForeignEdit => &[WriteFault::Changed],
            Failure::ForeignDelete => &[WriteFault::Removed],
            Failure::DelayedEvent(_)
            | Failure::BrokenWatch
            | Failure::ExpiredWatch
            | Failure::BrokenList
            | Failure::Restore
            | Failure::ClockJump(_) => &[],
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
            message: "pods default/moo does not exist".to_owned(),
            schedule,
            samples: Vec::new(),
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
        let scenario = finding.scenario(&schedule, subject, &samples, &[]).unwrap();
        let names: Vec<_> = scenario.steps.iter().map(|it| it.action.name()).collect();
        let expected = [
            "create-other",
            "create",
            "set",
            "edit-other",
            "restart",
            "delete",
            "delete-other",
        ];
        assert_eq!(names, expected);
        let Action::Set(spec) = &scenario.steps[2].action else {
            panic!("not a change of the spec")
        };
        assert_eq!(*spec, json!({"color": "red"}), "a merge patch");
    }

    #[test]
    fn foreign_objects_have_their_own_scenario() {
        let finding = finding(json!({"steps": ["create-namesakes", "create", "delete"]}));
        let schedule = finding.schedule().unwrap();
        let samples = [sample("moo")];
        let scenario = finding
            .scenario(&schedule, &samples[0], &samples, &[])
            .unwrap();
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
            let samples = [sample("moo")];
            let error = finding
                .scenario(&schedule, &samples[0], &samples, &[])
                .unwrap_err();
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
            let found = sets.ok().map(|sets| sets.concat());
            assert_eq!(
                format!("{found:?}"),
                format!("{expected:?}"),
                "{operation} {fault}"
            );
        }
    }

    #[test]
    fn two_faults_are_tried_together() {
        let of = |occurrence| {
            let point = InjectionPoint::of_moo(0, Verb::Create, "pods");
            Fault::Write(
                WriteFault::CrashAfter,
                InjectionPoint {
                    occurrence,
                    ..point
                },
            )
        };
        let at = json!({"operation": "create", "resource": "pods", "nth": 1});
        let fault = json!({"at": at, "fault": "crash-after"});
        let faults = json!([fault, fault]);
        let schedule = finding(json!({"steps": ["create"], "faults": faults}))
            .schedule()
            .unwrap();
        let sets = schedule.faults(&[of(0), of(1)], 3).unwrap();
        assert_eq!(sets.len(), 3, "at most so many");
        assert!(sets.iter().all(|set| set.len() == 2), "{sets:?}");
    }
}
