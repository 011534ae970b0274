//! Scenarios: actions of users and other clients on the objects of an operator, step by step.

pub mod custom;
pub mod generator;
mod pattern;
pub mod schema_values;
pub mod spec_variants;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::torture::api::call::Verb;
use crate::torture::fault::{Fault, WriteFault};
use crate::torture::snapshot::ObjectId;
use crate::torture::snapshot::fields::kind;

/// A child that the operator created for the object of a scenario.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Child {
    /// The identity in snapshots.
    pub id: ObjectId,
    /// `apps/v1`
    pub api_version: String,
    /// The kind without its group.
    pub kind: String,
    /// The prefix of a generated name; `None` if the operator has chosen the name.
    pub generate_name: Option<String>,
    /// The object after the operator had settled, without the data of a Secret.
    pub object: Value,
}

/// An action of a user or another client.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Action {
    /// Creates the object with this spec.
    Create(Value),
    /// Replaces the spec of the object with this one.
    Set(Value),
    DeleteChild(Child),
    /// Changes a child by a merge patch.
    EditChild(Child, Value),
    /// Deletes the object and waits until it is gone.
    Delete {
        /// If true, the children are deleted first.
        foreground: bool,
    },
    /// Deletes the object, and creates it with this spec as soon as it is gone.
    Recreate(Value),
    /// Creates objects of another owner that look like the operator's.
    #[serde(rename = "strangers")]
    ForeignObjects {
        /// If true, they have the names that the operator uses.
        same_names: bool,
        /// The children that they are copies of.
        like: Vec<Child>,
    },
    /// Creates this object of the user in addition to that of the scenario.
    CreateOther(Value),
    /// Changes such an object, the first value, by a merge patch, the second one.
    EditOther(Value, Value),
    /// Deletes such an object and waits until it is gone.
    DeleteOther(Value),
    /// Deletes the object, which stays, since the scenario has created it with another client's
    /// finalizer, [`HOLD`].
    Hold,
    /// Removes that finalizer and waits until the object is gone.
    Release,
    /// Kills the operator, which starts again.
    Restart,
    /// Does nothing: the run begins with the objects of an earlier run and another version of the
    /// operator, and this step lets it settle.
    Upgrade,
    /// Terminates the old version in a rolling update, in which the new version has started
    /// already.
    HandOver,
}

impl Action {
    /// Returns the name of the kind of action: `edit-child`.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Create(_) => "create",
            Self::Set(_) => "set",
            Self::DeleteChild(_) => "delete-child",
            Self::EditChild(..) => "edit-child",
            Self::Delete { .. } => "delete",
            Self::Recreate(_) => "recreate",
            Self::ForeignObjects { .. } => "strangers",
            Self::CreateOther(_) => "create-other",
            Self::EditOther(..) => "edit-other",
            Self::DeleteOther(_) => "delete-other",
            Self::Hold => "hold",
            Self::Release => "release",
            Self::Restart => "restart",
            Self::Upgrade => "upgrade",
            Self::HandOver => "hand-over",
        }
    }
}

/// A step of a scenario.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct Step {
    #[serde(rename = "act")]
    pub action: Action,
    /// A description for reports.
    #[serde(rename = "says")]
    pub description: String,
    /// A text that stands for the state after the step, such as the spec as JSON, or [`GONE`].
    /// Steps with the same key must lead to the same state, whatever came before. `None` if the
    /// state is not compared with that of other steps.
    #[serde(rename = "road")]
    pub state_key: Option<String>,
}

/// A sequence of actions on one object.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct Scenario {
    /// One of the constants of this module, the field that it changes, such as `spec.replicas`,
    /// with or without a suffix, or the name of a custom scenario.
    pub name: String,
    /// The object without its namespace. Its spec is that of the sample; a step that creates or
    /// changes the object has its own spec.
    pub subject: Value,
    /// Objects that must exist before the first step.
    #[serde(default, rename = "beside")]
    pub prerequisites: Vec<Value>,
    pub steps: Vec<Step>,
}

/// A spec that differs from the sample's in one field.
#[derive(Clone, Debug, PartialEq)]
pub struct SpecVariant {
    /// `spec.ports[0].name`
    pub field: String,
    /// A description for reports.
    pub description: String,
    /// The whole spec, with the other value.
    pub spec: Value,
}

impl Scenario {
    /// Returns the id that the object of the scenario has in snapshots.
    pub fn subject_id(&self) -> ObjectId {
        ObjectId {
            kind: kind(&self.subject),
            name: self.subject["metadata"]["name"]
                .as_str()
                .unwrap_or_default()
                .to_owned(),
        }
    }

    /// Returns the scenario reduced to the steps with these indices, in their order.
    #[must_use]
    pub fn with_steps(&self, kept: &[usize]) -> Self {
        let steps = kept.iter().map(|step| self.steps[*step].clone());
        Self {
            steps: steps.collect(),
            ..self.clone()
        }
    }

    /// Returns the ascending indices of the steps that faults in the steps `faulty` need: from the
    /// creation of the object to its deletion, without steps that lead back to the state before
    /// them.
    pub fn steps_around(&self, faulty: &[usize]) -> Vec<usize> {
        let first = faulty.iter().copied().min().unwrap_or(0);
        let last = faulty.iter().copied().max().unwrap_or(0);
        let makes = |step: &usize| matches!(self.steps[*step].action, Action::Create(_));
        let origin = (0..=first).rev().find(makes).unwrap_or(0);
        let leads_back = |step: usize| {
            step > origin
                && self.steps[step].state_key.is_some()
                && self.steps[step].state_key == self.steps[step - 1].state_key
        };
        let until = (origin..=last).filter(|step| faulty.contains(step) || !leads_back(*step));
        let end = (last + 1..self.steps.len()).find(|step| self.ends_without_object(*step));
        until
            .chain(end.filter(|_| !self.ends_without_object(last)))
            .collect()
    }

    /// Returns the priority of a fault, lowest first. Creation, deletion, and steps in which the
    /// operator `removes` an object find the most bugs.
    pub fn rank(&self, fault: &Fault, removes: bool) -> usize {
        let writes = matches!(fault, Fault::Write(..));
        // A repeated write does most harm if it creates or deletes an object.
        let harmless = matches!(fault, Fault::Write(WriteFault::TakenOver, point)
            if !matches!(point.verb, Verb::Create | Verb::Delete));
        // Operators miss a change of the spec more easily than a deletion.
        if let Some(step) = fault.overtaken_step() {
            let next = self.steps.get(step + 1);
            let sets = next.is_some_and(|next| matches!(next.action, Action::Set(_)));
            return usize::from(!sets);
        }
        let action = &self.steps[fault.step()].action;
        let rank = match (self.name == LIFE, action) {
            // They are few, and no later step repairs their effects.
            (true, Action::Delete { .. }) if writes => 0,
            (true, Action::Create(_) | Action::Delete { .. }) => 1,
            (true, Action::Recreate(_)) => usize::from(writes),
            (false, Action::Create(_) | Action::Delete { .. }) => 4,
            (false, _) if removes => 0,
            (false, _) => 2,
            (true, _) => 3,
        };
        rank + usize::from(harmless)
    }

    /// Reports whether the next step may begin before the operator has settled in this one: this
    /// one creates or changes the object, and the next one is a single request to change or delete
    /// it.
    pub fn can_be_overtaken(&self, step: usize) -> bool {
        let makes = |action: &Action| matches!(action, Action::Create(_) | Action::Set(_));
        let goes_on = |action: &Action| matches!(action, Action::Set(_) | Action::Delete { .. });
        // A run that was cut short may have more steps than its scenario.
        let [now, next] = [step, step + 1].map(|step| self.steps.get(step));
        now.is_some_and(|now| makes(&now.action)) && next.is_some_and(|next| goes_on(&next.action))
    }

    /// Reports whether a step deletes the object, including a recreation.
    pub fn deletes(&self, step: usize) -> bool {
        self.ends_without_object(step) || matches!(self.steps[step].action, Action::Recreate(_))
    }

    /// Reports whether the scenario tests that the operator respects other clients' objects or
    /// finalizers. No fault is injected into it.
    pub fn is_about_foreign_objects(&self) -> bool {
        [LOOKALIKES, NAMES_TAKEN, HELD].contains(&self.name.as_str())
    }

    /// Reports whether the scenario tests the minimum and maximum of a field.
    pub fn is_at_limits(&self) -> bool {
        self.name.ends_with(LIMITS)
    }

    /// Reports whether the object must be gone after a step.
    pub fn ends_without_object(&self, step: usize) -> bool {
        matches!(
            self.steps[step].action,
            Action::Delete { .. } | Action::Release
        )
    }
}

/// The name of the scenario that creates, disturbs, deletes and recreates the object.
pub const LIFE: &str = "life";
/// The state key after a deletion.
pub const GONE: &str = "gone";
/// The name of the scenario in which another owner has objects with the operator's labels.
pub const LOOKALIKES: &str = "lookalikes";
/// The name of the scenario in which another owner has objects with the operator's names.
pub const NAMES_TAKEN: &str = "names taken";
/// The name of the scenario in which another client's finalizer delays the deletion.
pub const HELD: &str = "held deletion";
/// The name of the scenario with two objects of one kind.
pub const TWO_OBJECTS: &str = "two objects";
/// The suffix of the names of scenarios that create the object with each value of a field.
pub const CREATED: &str = ", made anew";
/// The suffix of the names of scenarios that test the minimum and maximum of a field.
pub const LIMITS: &str = " at its limits";
/// The finalizer of another client.
pub const HOLD: &str = "torture.rustop/hold";

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::torture::fault::RestartFault;

    #[test]
    fn steps_that_remove_something_get_faults_first() {
        let subject = json!({"kind": "Cow", "metadata": {"name": "moo"}, "spec": {"x": 3}});
        let less = SpecVariant {
            field: "spec.x".into(),
            description: "spec.x is 2".into(),
            spec: json!({ "x": 2 }),
        };
        let scenario = Scenario::field(&subject, &[], "spec.x", &[less]);
        // The steps: create, set, set back, delete.
        let overtaken = (0..5).map(|step| scenario.can_be_overtaken(step));
        assert_eq!(
            overtaken.collect::<Vec<_>>(),
            [true, true, true, false, false]
        );
        let down = Fault::Restart(RestartFault::Down, 1);
        assert!(scenario.rank(&down, true) < scenario.rank(&down, false));
    }
}
