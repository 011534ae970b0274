//! What is done to an operator's objects, step by step.

pub mod custom;
pub mod generator;
pub mod schema_values;
pub mod spec_variants;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::torture::api::call::Verb;
use crate::torture::fault::{Fault, WriteFault};
use crate::torture::snapshot::ObjectId;
use crate::torture::snapshot::fields::kind;

/// An object that the operator made of another one.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Child {
    /// As in a state.
    pub id: ObjectId,
    /// Its API version.
    pub api_version: String,
    /// Its kind.
    pub kind: String,
    /// What the API server made its name of.
    pub generate_name: Option<String>,
    /// What it held when it was at rest.
    pub object: Value,
}

/// Something that a user or somebody else does.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Action {
    /// The object is made with this spec.
    Create(Value),
    /// The object gets this spec.
    Set(Value),
    /// A child is deleted.
    DeleteChild(Child),
    /// A child is changed by a merge patch.
    EditChild(Child, Value),
    /// The object is deleted, and what follows from it waited for.
    Delete {
        /// Its children go first.
        foreground: bool,
    },
    /// The object is deleted, and made with this spec as soon as it is gone.
    Recreate(Value),
    /// Somebody else has objects that look like the operator's.
    #[serde(rename = "strangers")]
    ForeignObjects {
        /// By the very names that the operator would use.
        same_names: bool,
        /// What they look like.
        like: Vec<Child>,
    },
    /// The object is deleted, but somebody's finalizer, which it has from the start, keeps it from going.
    Hold,
    /// Nobody does any more.
    Release,
}

impl Action {
    /// What all acts of its like are called.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Create(_) => "create",
            Self::Set(_) => "set",
            Self::DeleteChild(_) => "delete-child",
            Self::EditChild(..) => "edit-child",
            Self::Delete { .. } => "delete",
            Self::Recreate(_) => "recreate",
            Self::ForeignObjects { .. } => "strangers",
            Self::Hold => "hold",
            Self::Release => "release",
        }
    }
}

/// An act and what it is to lead to.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct Step {
    /// What is done.
    #[serde(rename = "act")]
    pub action: Action,
    /// In words.
    pub says: String,
    /// All steps of one name lead to one state, whatever was before.
    #[serde(rename = "road")]
    pub state_key: Option<String>,
}

/// A story of one object.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct Scenario {
    /// What it is about: `life`, `spec.replicas`.
    pub name: String,
    /// The object; its spec is that of the steps.
    pub subject: Value,
    /// What has to be there beside it.
    #[serde(default)]
    pub beside: Vec<Value>,
    /// What happens.
    pub steps: Vec<Step>,
}

/// A spec that the schema allows.
#[derive(Clone, Debug, PartialEq)]
pub struct SpecVariant {
    /// The field that is different.
    pub field: String,
    /// In words.
    pub says: String,
    /// All of it.
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

    #[must_use]
    pub fn with_steps(&self, kept: &[usize]) -> Self {
        let steps = kept.iter().map(|step| self.steps[*step].clone());
        Self {
            steps: steps.collect(),
            ..self.clone()
        }
    }

    /// The steps that faults in some of them need: from where the object was made, to where it is gone again.
    /// What only disturbed it is left out, since it led back to where it began.
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

    /// How soon faults in a step are worth a try: when objects come and go, most can go wrong, and where the operator
    /// `removes` something. What is told late is worst when an object is another one by then.
    pub fn rank(&self, fault: &Fault, removes: bool) -> usize {
        let writes = matches!(fault, Fault::Write(..));
        // What comes twice does most harm where it makes or deletes something.
        let harmless = matches!(fault, Fault::Write(WriteFault::TakenOver, point)
            if !matches!(point.verb, Verb::Create | Verb::Delete));
        // That the spec is another one is missed more easily than that the object goes.
        if let Some(step) = fault.overtaken_step() {
            let next = self.steps.get(step + 1);
            let sets = next.is_some_and(|next| matches!(next.action, Action::Set(_)));
            return usize::from(!sets);
        }
        let action = &self.steps[fault.step()].action;
        let rank = match (self.name == LIFE, action) {
            // They are few, and nothing comes after them that would make them good.
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

    /// Whether a user may go on from a step to the next one before the operator has come to rest.
    pub fn can_be_overtaken(&self, step: usize) -> bool {
        let makes = |action: &Action| matches!(action, Action::Create(_) | Action::Set(_));
        let goes_on = |action: &Action| matches!(action, Action::Set(_) | Action::Delete { .. });
        // Of a run that was cut there is more than of its scenario.
        let [now, next] = [step, step + 1].map(|step| self.steps.get(step));
        now.is_some_and(|now| makes(&now.action)) && next.is_some_and(|next| goes_on(&next.action))
    }

    /// Whether the object that was there before a step is deleted in it.
    pub fn deletes(&self, step: usize) -> bool {
        self.ends_without_object(step) || matches!(self.steps[step].action, Action::Recreate(_))
    }

    /// Whether what it shows is about others, so that no fault belongs into it.
    pub fn is_about_foreign_objects(&self) -> bool {
        [LOOKALIKES, NAMES_TAKEN, HELD].contains(&self.name.as_str())
    }

    /// Whether it tries the limits of a field.
    pub fn is_at_limits(&self) -> bool {
        self.name.ends_with(LIMITS)
    }

    /// Whether a step leaves no object behind.
    pub fn ends_without_object(&self, step: usize) -> bool {
        matches!(
            self.steps[step].action,
            Action::Delete { .. } | Action::Release
        )
    }
}

/// The scenario of what comes and goes.
pub const LIFE: &str = "life";
/// The road to nothing.
pub const GONE: &str = "gone";
/// The scenario in which others have what looks like the operator's.
pub const LOOKALIKES: &str = "lookalikes";
/// The one in which they have its names.
pub const NAMES_TAKEN: &str = "names taken";
/// The one in which somebody keeps the object from going.
pub const HELD: &str = "held deletion";
/// What a scenario is called that tries the least and the greatest of a field.
pub const LIMITS: &str = " at its limits";
/// Keeps an object from going.
pub const HOLD: &str = "torture.rustop/hold";

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::torture::fault::RestartFault;

    #[test]
    fn where_something_is_removed_faults_come_before_those_elsewhere() {
        let subject = json!({"kind": "Cow", "metadata": {"name": "moo"}, "spec": {"x": 3}});
        let less = SpecVariant {
            field: "spec.x".into(),
            says: "spec.x is 2".into(),
            spec: json!({ "x": 2 }),
        };
        let scenario = Scenario::field(&subject, &[], "spec.x", &[less]);
        // made, set, set back, deleted
        let overtaken = (0..5).map(|step| scenario.can_be_overtaken(step));
        assert_eq!(
            overtaken.collect::<Vec<_>>(),
            [true, true, true, false, false]
        );
        let down = Fault::Restart(RestartFault::Down, 1);
        assert!(scenario.rank(&down, true) < scenario.rank(&down, false));
    }
}
