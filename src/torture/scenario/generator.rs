//! Generates scenarios from a sample, its children and the variants of its spec.

use serde_json::{Value, json};

use crate::torture::scenario::{
    Action, CREATED, Child, GONE, HELD, HOLD, LIFE, LIMITS, LOOKALIKES, NAMES_TAKEN, Scenario,
    SpecVariant, Step, TWO_OBJECTS,
};

impl Scenario {
    /// Creates a scenario without steps for the object `subject`. `prerequisites` are the objects
    /// that must exist before its first step.
    pub fn new(name: &str, subject: &Value, prerequisites: &[Value]) -> Self {
        Self {
            name: name.to_owned(),
            subject: subject.clone(),
            prerequisites: prerequisites.to_vec(),
            steps: Vec::new(),
        }
    }

    /// Adds a step at the end. `description` describes it in reports; for `state_key`, see
    /// [`Step::state_key`].
    pub fn add_step(
        &mut self,
        description: impl Into<String>,
        action: Action,
        state_key: Option<String>,
    ) {
        self.steps.push(Step {
            action,
            description: description.into(),
            state_key,
        });
    }

    /// Returns the scenarios that create the object directly with its spec after the step with this
    /// index, and with the sample's spec. The state after the step is compared with theirs.
    pub fn direct_scenarios(&self, step: usize) -> [Self; 2] {
        let spec = self.steps[..=step]
            .iter()
            .rev()
            .find_map(|step| match &step.action {
                Action::Create(spec) | Action::Set(spec) | Action::Recreate(spec) => Some(spec),
                _ => None,
            });
        let of = |name: &str, spec: &Value| {
            let mut scenario = Self::new(name, &self.subject, &self.prerequisites);
            scenario.add_step(
                "the user creates the object",
                Action::Create(spec.clone()),
                Some(state_key(spec)),
            );
            scenario
        };
        let own = &self.subject["spec"];
        [of("straight", spec.unwrap_or(own)), of(LIFE, own)]
    }

    /// Returns the scenario that only creates the sample, to discover its children.
    pub fn probe(subject: &Value, prerequisites: &[Value]) -> Self {
        let mut scenario = Self::new("probe", subject, prerequisites);
        let spec = subject["spec"].clone();
        scenario.add_step(
            "the user creates the object",
            Action::Create(spec.clone()),
            Some(state_key(&spec)),
        );
        scenario
    }

    /// Returns the scenario that creates the sample, deletes and edits its children, deletes it and
    /// creates it again.
    pub fn life(subject: &Value, prerequisites: &[Value], children: &[Child]) -> Self {
        let mut scenario = Self::new(LIFE, subject, prerequisites);
        let spec = &subject["spec"];
        let same = || Some(state_key(spec));
        scenario.add_step(
            "the user creates the object",
            Action::Create(spec.clone()),
            same(),
        );
        for child in one_of_each_kind(children) {
            let id = &child.id;
            if is_deletable(child) {
                scenario.add_step(
                    format!("another client deletes {id}"),
                    Action::DeleteChild(child.clone()),
                    same(),
                );
            }
            if let Some(drift) = drift(&child.object) {
                let description = format!("another client edits {id}: {drift}");
                scenario.add_step(description, Action::EditChild(child.clone(), drift), same());
            }
        }
        scenario.add_step(
            "the user deletes the object and creates it again at once",
            Action::Recreate(spec.clone()),
            same(),
        );
        scenario.add_step(
            "the user deletes the object",
            Action::Delete { foreground: false },
            Some(GONE.into()),
        );
        scenario.add_step(
            "the user creates the object again",
            Action::Create(spec.clone()),
            same(),
        );
        scenario.add_step(
            "the user deletes the object, children first",
            Action::Delete { foreground: true },
            Some(GONE.into()),
        );
        scenario
    }

    /// Returns the scenario that sets a field to the values of `variants`, one after the other, and
    /// back. Its name is that of the field.
    pub fn field(
        subject: &Value,
        prerequisites: &[Value],
        field: &str,
        variants: &[SpecVariant],
    ) -> Self {
        let mut scenario = Self::new(field, subject, prerequisites);
        let spec = &subject["spec"];
        scenario.add_step(
            "the user creates the object",
            Action::Create(spec.clone()),
            Some(state_key(spec)),
        );
        for variant in variants {
            scenario.add_step(
                &variant.description,
                Action::Set(variant.spec.clone()),
                Some(state_key(&variant.spec)),
            );
        }
        scenario.add_step(
            "the user resets the spec",
            Action::Set(spec.clone()),
            Some(state_key(spec)),
        );
        scenario.add_step(
            "the user deletes the object",
            Action::Delete { foreground: false },
            Some(GONE.into()),
        );
        scenario
    }

    /// Returns the scenario that creates the object with each value of a field, and deletes it
    /// before the next one.
    pub fn created_with_each_value(
        subject: &Value,
        prerequisites: &[Value],
        field: &str,
        variants: &[SpecVariant],
    ) -> Self {
        let mut scenario = Self::new(&format!("{field}{CREATED}"), subject, prerequisites);
        for variant in variants {
            let description = format!(
                "the user creates the object with another spec: {}",
                variant.description
            );
            scenario.add_step(
                description,
                Action::Create(variant.spec.clone()),
                Some(state_key(&variant.spec)),
            );
            scenario.add_step(
                "the user deletes the object",
                Action::Delete { foreground: false },
                Some(GONE.into()),
            );
        }
        scenario
    }

    /// Returns the scenario that sets a field to its minimum and maximum, by update and by
    /// creation.
    pub fn limits(
        subject: &Value,
        prerequisites: &[Value],
        field: &str,
        variants: &[SpecVariant],
    ) -> Self {
        let mut scenario = Self::field(subject, prerequisites, field, variants);
        let created = Self::created_with_each_value(subject, prerequisites, field, variants);
        scenario.name = format!("{field}{LIMITS}");
        scenario.steps.extend(created.steps);
        scenario
    }

    /// Returns the scenario in which another owner has objects that look like the operator's, which
    /// it must ignore: with the names of `children` if `same_names` is true, and if not, with their
    /// labels and other names.
    pub fn foreign_objects(
        subject: &Value,
        prerequisites: &[Value],
        children: &[Child],
        same_names: bool,
    ) -> Self {
        let name = if same_names { NAMES_TAKEN } else { LOOKALIKES };
        let mut scenario = Self::new(name, subject, prerequisites);
        let like: Vec<_> = one_of_each_kind(children).cloned().collect();
        let description = if same_names {
            "another owner has objects of the same names"
        } else {
            "another owner has objects with the same labels"
        };
        scenario.add_step(
            description,
            Action::ForeignObjects { same_names, like },
            None,
        );
        scenario.add_step(
            "the user creates the object",
            Action::Create(subject["spec"].clone()),
            None,
        );
        scenario.add_step(
            "the user deletes the object",
            Action::Delete { foreground: false },
            None,
        );
        scenario
    }

    /// Returns the scenario with two objects of one kind. The operator must neither confuse their
    /// children, nor treat those of one as its own when it deletes the other. The first object is
    /// the sample, so that the names of its children may be prefixes of those of the second one.
    pub fn two_objects(subject: &Value, prerequisites: &[Value]) -> Self {
        let mut second = subject.clone();
        let name = |object: &Value| {
            let name = &object["metadata"]["name"];
            name.as_str().unwrap_or_default().to_owned()
        };
        second["metadata"]["name"] = json!(format!("{}-other", name(subject)));
        let mut scenario = Self::new(TWO_OBJECTS, &second, prerequisites);
        let first = name(subject);
        let steps = [
            (
                format!("another user creates {first}"),
                Action::CreateOther(subject.clone()),
            ),
            (
                "the user creates the object".to_owned(),
                Action::Create(subject["spec"].clone()),
            ),
            (
                format!("another user deletes {first}"),
                Action::DeleteOther(subject.clone()),
            ),
            (
                format!("another user creates {first} again"),
                Action::CreateOther(subject.clone()),
            ),
            (
                format!("another user deletes {first} again"),
                Action::DeleteOther(subject.clone()),
            ),
        ];
        for (description, action) in steps {
            scenario.add_step(description, action, None);
        }
        scenario.add_step(
            "the user deletes the object",
            Action::Delete { foreground: false },
            Some(GONE.into()),
        );
        scenario
    }

    /// Returns the scenarios in which the user changes, deletes and recreates a Secret or a
    /// `ConfigMap` that the sample names, one for each.
    pub fn references(subject: &Value, prerequisites: &[Value]) -> Vec<Self> {
        let referenced = prerequisites.iter().filter(|object| {
            let is_data = object["kind"] == "Secret" || object["kind"] == "ConfigMap";
            is_data && mentions(&subject["spec"], &object["metadata"]["name"])
        });
        referenced
            .map(|object| Self::reference(subject, prerequisites, object))
            .collect()
    }

    fn reference(subject: &Value, prerequisites: &[Value], object: &Value) -> Self {
        let [kind, name] = [&object["kind"], &object["metadata"]["name"]]
            .map(|text| text.as_str().unwrap_or_default());
        let id = format!("{}/{name}", kind.to_lowercase());
        let spec = &subject["spec"];
        let create = || Action::Create(spec.clone());
        let same = || Some(state_key(spec));
        let delete = || {
            let action = Action::Delete { foreground: false };
            (
                "the user deletes the object".to_owned(),
                action,
                Some(GONE.into()),
            )
        };
        let mut steps = vec![("the user creates the object".to_owned(), create(), same())];
        if let Some([edit, undo]) = data_edits(object) {
            let edited = || Some(format!("{} with an edited {id}", state_key(spec)));
            let edit_object = |edit| Action::EditOther(object.clone(), edit);
            // The edited object has the same effect on a new object as on one that exists.
            steps.extend([
                (format!("the user edits {id}"), edit_object(edit), edited()),
                delete(),
                (
                    "the user creates the object again".to_owned(),
                    create(),
                    edited(),
                ),
                (
                    format!("the user undoes the edit of {id}"),
                    edit_object(undo),
                    same(),
                ),
            ]);
        }
        let [delete_it, create_it] = [Action::DeleteOther, Action::CreateOther];
        steps.extend([
            (
                format!("the user deletes {id}"),
                delete_it(object.clone()),
                None,
            ),
            (
                format!("the user creates {id} again"),
                create_it(object.clone()),
                same(),
            ),
            delete(),
        ]);
        let mut scenario = Self::new(&id, subject, prerequisites);
        for (description, action, state_key) in steps {
            scenario.add_step(description, action, state_key);
        }
        scenario
    }

    /// Returns the scenario in which another client's finalizer delays the deletion: the operator
    /// must neither create children nor remove that finalizer.
    pub fn held_deletion(subject: &Value, prerequisites: &[Value], children: &[Child]) -> Self {
        let mut held = subject.clone();
        match held["metadata"]["finalizers"].as_array_mut() {
            Some(others) => others.push(json!(HOLD)),
            None => held["metadata"]["finalizers"] = json!([HOLD]),
        }
        let mut scenario = Self::new(HELD, &held, prerequisites);
        let spec = subject["spec"].clone();
        scenario.add_step(
            "the user creates the object, with another client's finalizer",
            Action::Create(spec),
            None,
        );
        scenario.add_step(
            "the user deletes the object, and that finalizer blocks the deletion",
            Action::Hold,
            None,
        );
        for child in one_of_each_kind(children).filter(|child| is_deletable(child)) {
            let description = format!("another client deletes {}", child.id);
            scenario.add_step(description, Action::DeleteChild(child.clone()), None);
        }
        scenario.add_step(
            "the other client removes its finalizer",
            Action::Release,
            Some(GONE.into()),
        );
        scenario
    }
}

/// Returns the key of the state that a spec leads to, for [`Step::state_key`].
pub fn state_key(spec: &Value) -> String {
    spec.to_string()
}

/// Returns one child of each kind: operators treat children of one kind alike.
fn one_of_each_kind(children: &[Child]) -> impl Iterator<Item = &Child> {
    children.iter().enumerate().filter_map(|(index, child)| {
        let is_first = !children[..index]
            .iter()
            .any(|other| other.kind == child.kind);
        is_first.then_some(child)
    })
}

/// Reports whether a deleted child is gone at once: another controller may hold one with a
/// finalizer on purpose.
fn is_deletable(child: &Child) -> bool {
    let finalizers = child.object["metadata"]["finalizers"].as_array();
    finalizers.is_none_or(Vec::is_empty)
}

/// The base64 form of `{"torture":true}`: a Secret has base64 data, and that of a registry is JSON.
const EDITED_SECRET: &str = "eyJ0b3J0dXJlIjp0cnVlfQ==";

/// Reports whether a spec contains a name as one of its values.
fn mentions(spec: &Value, name: &Value) -> bool {
    match spec {
        Value::Object(fields) => fields.values().any(|value| mentions(value, name)),
        Value::Array(items) => items.iter().any(|item| mentions(item, name)),
        value => value == name,
    }
}

/// Returns merge patches that change the data of a Secret or a `ConfigMap`, and undo the change.
/// `None` if its data cannot change.
fn data_edits(object: &Value) -> Option<[Value; 2]> {
    let is_text = object["kind"] != "Secret" || object["stringData"].is_object();
    let section = if object["stringData"].is_object() {
        "stringData"
    } else {
        "data"
    };
    let first = object[section]
        .as_object()
        .and_then(|data| data.iter().next());
    let (key, old) = first.map_or(("torture", &Value::Null), |(key, old)| (key, old));
    let new = json!(if is_text { "torture" } else { EDITED_SECRET });
    let patch = |value: &Value| json!({ section: { key: value } });
    (object["immutable"] != true && *old != new).then(|| [patch(&new), patch(old)])
}

/// Returns a merge patch that the operator must undo, since it changes a value that the operator
/// sets.
fn drift(object: &Value) -> Option<Value> {
    if let Some(replicas) = object["spec"]["replicas"].as_i64() {
        return Some(json!({ "spec": { "replicas": replicas + 1 } }));
    }
    if object["immutable"] == true {
        return None;
    }
    let (key, value) = object["data"].as_object()?.iter().next()?;
    let changed = if object["kind"] == "Secret" {
        EDITED_SECRET
    } else {
        "torture"
    };
    (value != changed).then(|| json!({ "data": { key: changed } }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::torture::snapshot::ObjectId;

    #[test]
    fn a_referenced_object_is_edited_deleted_and_created_again() {
        let secret =
            json!({"kind": "Secret", "metadata": {"name": "grain"}, "data": {"a": "Yg=="}});
        let unnamed = json!({"kind": "ConfigMap", "metadata": {"name": "straw"}});
        let spec = json!({"feed": [{"secretName": "grain"}]});
        let subject = json!({"kind": "Cow", "metadata": {"name": "moo"}, "spec": spec});
        let scenarios = |prerequisites: &[Value]| Scenario::references(&subject, prerequisites);
        let [scenario] = &scenarios(&[secret.clone(), unnamed])[..] else {
            panic!("one of two is referenced");
        };
        assert_eq!(scenario.name, "secret/grain");
        let edits = scenario.steps.iter().filter_map(|step| match &step.action {
            Action::EditOther(_, edit) => Some(edit["data"]["a"].clone()),
            _ => None,
        });
        assert_eq!(edits.collect::<Vec<_>>(), [EDITED_SECRET, "Yg=="]);
        let keys: Vec<_> = scenario.steps.iter().map(|step| &step.state_key).collect();
        let [
            created,
            edited,
            _,
            created_edited,
            undone,
            deleted,
            again,
            _,
        ] = keys[..]
        else {
            panic!("{keys:?}");
        };
        assert_eq!((edited, undone, again), (created_edited, created, created));
        assert!(edited != created && deleted.is_none());
        let mut immutable = secret;
        immutable["immutable"] = json!(true);
        let steps = &scenarios(&[immutable])[0].steps;
        let mut actions = steps.iter().map(|step| &step.action);
        assert!(!actions.any(|action| matches!(action, Action::EditOther(..))));
    }

    #[test]
    fn data_is_edited_where_the_user_has_written_it() {
        for (object, edit, undo) in [
            (
                json!({"kind": "ConfigMap", "data": {"a": "b"}}),
                json!({"data": {"a": "torture"}}),
                json!({"data": {"a": "b"}}),
            ),
            (
                json!({"kind": "Secret", "stringData": {"a": "b"}}),
                json!({"stringData": {"a": "torture"}}),
                json!({"stringData": {"a": "b"}}),
            ),
            (
                json!({"kind": "Secret"}),
                json!({"data": {"torture": EDITED_SECRET}}),
                json!({"data": {"torture": null}}),
            ),
        ] {
            assert_eq!(data_edits(&object), Some([edit, undo]), "{object}");
        }
    }

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
                .any(|step| matches!(step.action, Action::DeleteChild(_)))
        );
        let life = Scenario::life(&subject, &[], &[child]);
        // The steps: create, delete a child, edit a child, recreate, delete, create, delete.
        assert_eq!(life.steps.len(), 7);
        assert_eq!(life.steps_around(&[2]), [0, 2, 4]);
        assert_eq!(life.steps_around(&[4]), [0, 4]);
        assert_eq!(life.steps_around(&[5]), [5, 6]);
        let variant = |x: i64| SpecVariant {
            field: "spec.x".into(),
            description: String::new(),
            spec: json!({ "x": x }),
        };
        let field = Scenario::field(&subject, &[], "spec.x", &[variant(1), variant(2)]);
        assert_eq!(
            field.steps_around(&[2]),
            [0, 1, 2, 4],
            "one value leads to the next"
        );
    }
}
