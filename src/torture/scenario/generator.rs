//! The stories that are made of a sample, its children and its schema.

use serde_json::{Value, json};

use crate::torture::scenario::{
    Act, Child, GONE, HELD, HOLD, LIFE, LIMITS, LOOKALIKES, Scenario, Step, TAKEN, Variant,
};

impl Scenario {
    pub fn new(name: &str, subject: &Value, beside: &[Value]) -> Self {
        Self {
            name: name.to_owned(),
            subject: subject.clone(),
            beside: beside.to_vec(),
            steps: Vec::new(),
        }
    }

    pub fn step(&mut self, says: impl Into<String>, act: Act, road: Option<String>) {
        self.steps.push(Step {
            act,
            says: says.into(),
            road,
        });
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
            if goes(child) {
                story.step(
                    format!("somebody deletes {id}"),
                    Act::DeleteChild(child.clone()),
                    same(),
                );
            }
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

    /// One field at the least and the greatest that it may be, from the sample and made anew.
    pub fn limits(subject: &Value, beside: &[Value], field: &str, variants: &[Variant]) -> Self {
        let mut story = Self::field(subject, beside, field, variants);
        let anew = Self::fresh(subject, beside, field, variants);
        story.name = format!("{field}{LIMITS}");
        story.steps.extend(anew.steps);
        story
    }

    /// Others' objects that look like the operator's are none of its business.
    pub fn strangers(
        subject: &Value,
        beside: &[Value],
        children: &[Child],
        same_names: bool,
    ) -> Self {
        let name = if same_names { TAKEN } else { LOOKALIKES };
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

    /// On its way out it gets nothing new, and who else holds it decides when it goes.
    pub fn held(subject: &Value, beside: &[Value], children: &[Child]) -> Self {
        let mut held = subject.clone();
        match held["metadata"]["finalizers"].as_array_mut() {
            Some(others) => others.push(json!(HOLD)),
            None => held["metadata"]["finalizers"] = json!([HOLD]),
        }
        let mut story = Self::new(HELD, &held, beside);
        let spec = subject["spec"].clone();
        story.step(
            "it is made, with a finalizer of somebody's",
            Act::Create(spec),
            None,
        );
        story.step(
            "it is deleted, but that finalizer keeps it",
            Act::Hold,
            None,
        );
        for child in of_each_kind(children).filter(|child| goes(child)) {
            let says = format!("somebody deletes {}", child.id);
            story.step(says, Act::DeleteChild(child.clone()), None);
        }
        story.step("the finalizer goes", Act::Release, Some(GONE.into()));
        story
    }
}

/// The state that a spec asks for.
pub fn road(spec: &Value) -> String {
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

/// Whether a child goes when somebody deletes it: one with a finalizer stays as long as somebody holds it, who may mean to.
fn goes(child: &Child) -> bool {
    let finalizers = child.object["metadata"]["finalizers"].as_array();
    finalizers.is_none_or(Vec::is_empty)
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
    use crate::torture::snapshot::ObjectId;

    #[test]
    fn a_fault_needs_few_steps() {
        let subject = json!({"kind": "Cow", "metadata": {"name": "moo"}, "spec": {"x": 0}});
        let object = json!({"kind": "ConfigMap", "data": {"a": "b"}});
        let id = ObjectId {
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
        let mut held = child.clone();
        held.object["metadata"] = json!({ "finalizers": ["my.domain/machine"] });
        let without = Scenario::life(&subject, &[], &[held]).steps;
        assert!(
            !without
                .iter()
                .any(|step| matches!(step.act, Act::DeleteChild(_)))
        );
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
