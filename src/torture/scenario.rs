//! What is done to an operator's objects, step by step.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::state::Id;

/// An object that the operator made of another one.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Child {
    /// As in a state.
    pub id: Id,
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
pub enum Act {
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
    Strangers {
        /// By the very names that the operator would use.
        same_names: bool,
        /// What they look like.
        like: Vec<Child>,
    },
    /// The object is deleted, but somebody keeps it from going.
    Hold,
    /// Nobody does any more.
    Release,
}

/// An act and what it is to lead to.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct Step {
    /// What is done.
    pub act: Act,
    /// In words.
    pub says: String,
    /// All steps of one name lead to one state, whatever was before.
    pub road: Option<String>,
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
pub struct Variant {
    /// The field that is different.
    pub field: String,
    /// In words.
    pub says: String,
    /// All of it.
    pub spec: Value,
}

impl Scenario {
    fn new(name: &str, subject: &Value, beside: &[Value]) -> Self {
        Self {
            name: name.to_owned(),
            subject: subject.clone(),
            beside: beside.to_vec(),
            steps: Vec::new(),
        }
    }

    fn step(&mut self, says: impl Into<String>, act: Act, road: Option<String>) {
        self.steps.push(Step {
            act,
            says: says.into(),
            road,
        });
    }

    /// Only the object as it is, made once: what an operator does about it.
    pub fn probe(subject: &Value, beside: &[Value]) -> Self {
        let mut story = Self::new("probe", subject, beside);
        let spec = subject["spec"].clone();
        story.step("it is made", Act::Create(spec.clone()), Some(road(&spec)));
        story
    }

    /// Made, disturbed behind the operator's back, deleted and made again.
    pub fn life(subject: &Value, beside: &[Value], children: &[Child]) -> Self {
        let mut story = Self::new(LIFE, subject, beside);
        let spec = &subject["spec"];
        let same = || Some(road(spec));
        story.step("it is made", Act::Create(spec.clone()), same());
        for child in of_each_kind(children) {
            let id = &child.id;
            story.step(
                format!("somebody deletes {id}"),
                Act::DeleteChild(child.clone()),
                same(),
            );
            if let Some(edit) = edit(&child.object) {
                let says = format!("somebody edits {id}: {edit}");
                story.step(says, Act::EditChild(child.clone(), edit), same());
            }
        }
        story.step(
            "it is deleted and made again at once",
            Act::Recreate(spec.clone()),
            same(),
        );
        story.step(
            "it is deleted",
            Act::Delete { foreground: false },
            Some(GONE.into()),
        );
        story.step("it is made again", Act::Create(spec.clone()), same());
        story.step(
            "it is deleted, children first",
            Act::Delete { foreground: true },
            Some(GONE.into()),
        );
        story
    }

    /// One field goes through its values, and back.
    pub fn field(subject: &Value, beside: &[Value], field: &str, variants: &[Variant]) -> Self {
        let mut story = Self::new(field, subject, beside);
        let spec = &subject["spec"];
        story.step("it is made", Act::Create(spec.clone()), Some(road(spec)));
        for variant in variants {
            story.step(
                &variant.says,
                Act::Set(variant.spec.clone()),
                Some(road(&variant.spec)),
            );
        }
        story.step(
            "the spec is as it was again",
            Act::Set(spec.clone()),
            Some(road(spec)),
        );
        story.step(
            "it is deleted",
            Act::Delete { foreground: false },
            Some(GONE.into()),
        );
        story
    }

    /// The same states by another road: each is made anew.
    pub fn fresh(subject: &Value, beside: &[Value], field: &str, variants: &[Variant]) -> Self {
        let mut story = Self::new(&format!("{field}, made anew"), subject, beside);
        for variant in variants {
            let says = format!("it is made with another spec: {}", variant.says);
            story.step(
                says,
                Act::Create(variant.spec.clone()),
                Some(road(&variant.spec)),
            );
            story.step(
                "it is deleted",
                Act::Delete { foreground: false },
                Some(GONE.into()),
            );
        }
        story
    }

    /// Others' objects that look like the operator's are none of its business.
    pub fn strangers(
        subject: &Value,
        beside: &[Value],
        children: &[Child],
        same_names: bool,
    ) -> Self {
        let name = if same_names {
            "names taken"
        } else {
            "lookalikes"
        };
        let mut story = Self::new(name, subject, beside);
        let like: Vec<_> = of_each_kind(children).cloned().collect();
        let says = if same_names {
            "somebody else has objects of the same names"
        } else {
            "somebody else has objects with the same labels"
        };
        story.step(says, Act::Strangers { same_names, like }, None);
        story.step("it is made", Act::Create(subject["spec"].clone()), None);
        story.step("it is deleted", Act::Delete { foreground: false }, None);
        story
    }

    /// On its way out it gets nothing new.
    pub fn held(subject: &Value, beside: &[Value], children: &[Child]) -> Self {
        let mut story = Self::new("held deletion", subject, beside);
        story.step("it is made", Act::Create(subject["spec"].clone()), None);
        story.step(
            "it is deleted, but somebody's finalizer keeps it",
            Act::Hold,
            None,
        );
        for child in of_each_kind(children) {
            let says = format!("somebody deletes {}", child.id);
            story.step(says, Act::DeleteChild(child.clone()), None);
        }
        story.step("the finalizer goes", Act::Release, Some(GONE.into()));
        story
    }

    /// The same with some of its steps only.
    #[must_use]
    pub fn only(&self, kept: &[usize]) -> Self {
        let steps = kept.iter().map(|step| self.steps[*step].clone());
        Self {
            steps: steps.collect(),
            ..self.clone()
        }
    }

    /// The steps that faults in some of them need: from where the object was made, to where it is gone again.
    /// What only disturbed it is left out, since it led back to where it began.
    pub fn around(&self, faulty: &[usize]) -> Vec<usize> {
        let first = faulty.iter().copied().min().unwrap_or(0);
        let last = faulty.iter().copied().max().unwrap_or(0);
        let makes = |step: &usize| matches!(self.steps[*step].act, Act::Create(_));
        let origin = (0..=first).rev().find(makes).unwrap_or(0);
        let leads_back = |step: usize| {
            step > origin
                && self.steps[step].road.is_some()
                && self.steps[step].road == self.steps[step - 1].road
        };
        let until = (origin..=last).filter(|step| faulty.contains(step) || !leads_back(*step));
        let end = (last + 1..self.steps.len()).find(|step| self.ends_it(*step));
        until.chain(end.filter(|_| !self.ends_it(last))).collect()
    }

    /// The straight roads that a state is compared with: what the spec of a step leads to when there was
    /// nothing before, and what the sample does.
    pub fn straight(&self, step: usize) -> [Self; 2] {
        let spec = self.steps[..=step]
            .iter()
            .rev()
            .find_map(|step| match &step.act {
                Act::Create(spec) | Act::Set(spec) | Act::Recreate(spec) => Some(spec),
                _ => None,
            });
        let of = |name: &str, spec: &Value| {
            let mut story = Self::new(name, &self.subject, &self.beside);
            story.step("it is made", Act::Create(spec.clone()), Some(road(spec)));
            story
        };
        let own = &self.subject["spec"];
        [of("straight", spec.unwrap_or(own)), of(LIFE, own)]
    }

    /// How soon faults in a step are worth a try: when objects come and go, most can go wrong.
    pub fn rank(&self, step: usize) -> usize {
        let comes_or_goes = matches!(
            self.steps[step].act,
            Act::Create(_) | Act::Delete { .. } | Act::Recreate(_)
        );
        match (self.name == LIFE, comes_or_goes) {
            (true, true) => 0,
            (false, false) => 1,
            (true, false) => 2,
            (false, true) => 3,
        }
    }

    /// Whether a step leaves no object behind.
    pub fn ends_it(&self, step: usize) -> bool {
        matches!(self.steps[step].act, Act::Delete { .. } | Act::Release)
    }
}

/// The scenario of what comes and goes.
pub const LIFE: &str = "life";
/// The road to nothing.
pub const GONE: &str = "gone";

/// The state that a spec asks for.
fn road(spec: &Value) -> String {
    spec.to_string()
}

/// One child of each kind: the others are treated alike.
fn of_each_kind(children: &[Child]) -> impl Iterator<Item = &Child> {
    children.iter().enumerate().filter_map(|(index, child)| {
        let is_first = !children[..index]
            .iter()
            .any(|other| other.kind == child.kind);
        is_first.then_some(child)
    })
}

/// A change of a child that its operator has to undo: of something that it surely means.
fn edit(object: &Value) -> Option<Value> {
    if let Some(replicas) = object["spec"]["replicas"].as_i64() {
        return Some(json!({ "spec": { "replicas": replicas + 1 } }));
    }
    if object["immutable"] == true {
        return None;
    }
    let (key, value) = object["data"].as_object()?.iter().next()?;
    // The data of a Secret is base64.
    let changed = if object["kind"] == "Secret" {
        "dG9ydHVyZQ==".to_owned()
    } else {
        "torture".to_owned()
    };
    (value != changed.as_str()).then(|| json!({ "data": { key: changed } }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_needs_few_steps() {
        let subject = json!({"kind": "Cow", "metadata": {"name": "moo"}, "spec": {"x": 0}});
        let object = json!({"kind": "ConfigMap", "data": {"a": "b"}});
        let id = Id {
            kind: "ConfigMap".into(),
            name: "moo".into(),
        };
        let child = Child {
            id,
            api_version: "v1".into(),
            kind: "ConfigMap".into(),
            generate_name: None,
            object,
        };
        let life = Scenario::life(&subject, &[], &[child]);
        // made, deleted child, edited child, made again at once, deleted, made, deleted
        assert_eq!(life.steps.len(), 7);
        assert_eq!(life.around(&[2]), [0, 2, 4]);
        assert_eq!(life.around(&[4]), [0, 4]);
        assert_eq!(life.around(&[5]), [5, 6]);
        let variant = |x: i64| Variant {
            field: "spec.x".into(),
            says: String::new(),
            spec: json!({ "x": x }),
        };
        let field = Scenario::field(&subject, &[], "spec.x", &[variant(1), variant(2)]);
        assert_eq!(
            field.around(&[2]),
            [0, 1, 2, 4],
            "one value leads to the next"
        );
    }
}
