//! Snapshots: the objects of a run, normalized so that two runs can be compared, and the
//! differences between snapshots.

pub mod fields;
pub mod numbering;
pub mod root_causes;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::torture::snapshot::fields::{Fields, TIME, fields, kind};
use crate::torture::snapshot::numbering::renumbered;

/// The identity of an object in a snapshot.
#[derive(Clone, Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
pub struct ObjectId {
    /// `Deployment`, or `Lolcow.my.domain`.
    pub kind: String,
    /// The name; for a generated name, its prefix and a number.
    pub name: String,
}

impl fmt::Display for ObjectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = self.kind.split('.').next().unwrap_or_default();
        write!(f, "{}/{}", kind.to_lowercase(), self.name)
    }
}

/// The normalized objects of a run at one moment.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(transparent)]
pub struct Snapshot(#[serde(with = "as_list")] pub BTreeMap<ObjectId, Fields>);

/// A difference between an expected snapshot and another one.
#[derive(Clone, Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
pub struct Difference {
    pub id: ObjectId,
    /// The path of the field; empty if the whole object is missing or unexpected.
    pub field: String,
    /// The value in the expected snapshot; `None` if the field or the object does not exist in it.
    /// For a whole object, the text `there`.
    pub expected: Option<String>,
    /// The value in the other snapshot, in the same form.
    pub found: Option<String>,
}

impl Difference {
    /// Reports whether a snapshot differs from the expected one at the same place: in the value of
    /// this field, whatever it is, or in the existence of this object.
    pub fn is_in(&self, state: &Snapshot) -> bool {
        let fields = state.0.get(&self.id);
        if self.field.is_empty() {
            return fields.is_some() == self.expected.is_none();
        }
        fields.and_then(|fields| fields.get(&self.field)) != self.expected.as_ref()
    }

    /// Reports whether the difference is only the presence of a timestamp, which depends on the
    /// history of an object.
    pub fn is_timestamp_presence(&self) -> bool {
        let sides = [&self.expected, &self.found].map(Option::as_deref);
        !self.field.is_empty() && sides.contains(&None) && sides.contains(&Some(TIME))
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let none = || "nothing".to_owned();
        let expected = self.expected.clone().unwrap_or_else(none);
        let found = self.found.clone().unwrap_or_else(none);
        match (self.field.as_str(), &self.expected) {
            ("", Some(_)) => write!(f, "{} is missing", self.id),
            ("", None) => write!(f, "{} exists, but should not", self.id),
            (field, _) => write!(f, "{} {field}: {found} instead of {expected}", self.id),
        }
    }
}

/// The fields, by kind, that are ignored because they differ between runs without faults.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub struct Mask(BTreeSet<(String, String)>);

impl Mask {
    /// Returns a mask of the fields of differences. An object that only one state has is not
    /// hidden.
    pub fn of_fields(differences: &[Difference]) -> Self {
        let mut mask = Self::default();
        let fields = differences.iter().filter(|it| !it.field.is_empty());
        mask.hide(fields);
        mask
    }

    /// Adds the fields of differences. The difference of a whole object hides each missing or
    /// unexpected object of its kind.
    pub fn hide<'a>(&mut self, differences: impl IntoIterator<Item = &'a Difference>) {
        for difference in differences {
            let kind = difference.id.kind.clone();
            self.0.insert((kind, difference.field.clone()));
        }
    }

    fn hides(&self, kind: &str, field: &str) -> bool {
        self.0.contains(&(kind.to_owned(), field.to_owned()))
    }
}

impl Snapshot {
    /// Takes a snapshot of objects in `namespace`, which is empty for objects of a file. In names
    /// and values, `NAMESPACE` replaces the namespace, and `PREFIX*` a generated name. An object
    /// with a generated name gets the prefix and a number as its name.
    pub fn of<'a>(objects: impl IntoIterator<Item = &'a Value>, namespace: &str) -> Self {
        let mut generated: BTreeMap<String, Vec<&Value>> = BTreeMap::new();
        let mut named = Vec::new();
        for object in objects {
            match object["metadata"]["generateName"].as_str() {
                Some(prefix) => generated.entry(prefix.to_owned()).or_default().push(object),
                None => named.push(object),
            }
        }
        let mut replacements = Vec::new();
        if !namespace.is_empty() {
            replacements.push((namespace.to_owned(), "NAMESPACE".to_owned()));
        }
        for (prefix, objects) in &generated {
            let given = objects
                .iter()
                .filter_map(|o| o["metadata"]["name"].as_str());
            replacements.extend(given.map(|name| (name.to_owned(), format!("{prefix}*"))));
        }
        let mut state = BTreeMap::new();
        for object in named {
            let mut name = object["metadata"]["name"]
                .as_str()
                .unwrap_or_default()
                .to_owned();
            if !namespace.is_empty() {
                name = name.replace(namespace, "NAMESPACE");
            }
            let kind = kind(object);
            state.insert(ObjectId { kind, name }, fields(object, &replacements));
        }
        for (prefix, objects) in generated {
            let mut all: Vec<_> = objects
                .into_iter()
                .map(|object| (kind(object), fields(object, &replacements)))
                .collect();
            // Generated names are random, so the contents decide which object gets which number.
            all.sort();
            for (number, (kind, fields)) in all.into_iter().enumerate() {
                let name = format!("{prefix}{}", number + 1);
                state.insert(ObjectId { kind, name }, fields);
            }
        }
        Self(state)
    }

    /// Returns the differences of `found` from this snapshot, except for the fields that `mask`
    /// hides.
    pub fn differences(&self, found: &Self, mask: &Mask) -> Vec<Difference> {
        let found = &found.numbered_like(self);
        let ids: BTreeSet<_> = self.0.keys().chain(found.0.keys()).collect();
        let mut differences = Vec::new();
        for id in ids {
            let difference = |field: &str, expected: Option<&String>, found: Option<&String>| {
                (!mask.hides(&id.kind, field)).then(|| Difference {
                    id: id.clone(),
                    field: field.to_owned(),
                    expected: expected.cloned(),
                    found: found.cloned(),
                })
            };
            let there = "there".to_owned();
            match (self.0.get(id), found.0.get(id)) {
                (Some(expected), Some(found)) => {
                    let names: BTreeSet<_> = expected.keys().chain(found.keys()).collect();
                    let changed = names
                        .into_iter()
                        .filter(|n| expected.get(*n) != found.get(*n));
                    differences.extend(
                        changed.filter_map(|n| difference(n, expected.get(n), found.get(n))),
                    );
                }
                (Some(_), None) => differences.extend(difference("", Some(&there), None)),
                (None, Some(_)) => differences.extend(difference("", None, Some(&there))),
                (None, None) => {}
            }
        }
        differences
    }

    /// Renames numbered objects as in another snapshot, if both have the same number of them.
    fn numbered_like(&self, other: &Self) -> Self {
        fn ids(state: &Snapshot) -> impl Iterator<Item = (&str, &str)> {
            let ids = state.0.keys();
            ids.map(|id| (id.kind.as_str(), id.name.as_str()))
        }
        let names = renumbered(ids(other), ids(self));
        let by_name: BTreeMap<&str, &str> = names
            .iter()
            .map(|((_, name), other)| (*name, *other))
            .collect();
        let renamed = |name: &String| {
            let other = by_name.get(name.as_str());
            other.map_or_else(|| name.clone(), ToString::to_string)
        };
        let objects = self.0.iter().map(|(id, fields)| {
            let name = names.get(&(id.kind.as_str(), id.name.as_str()));
            let id = ObjectId {
                name: name.map_or_else(|| id.name.clone(), ToString::to_string),
                ..id.clone()
            };
            let fields = fields.iter();
            let fields = fields.map(|(field, value)| (field.clone(), renamed(value)));
            (id, fields.collect())
        });
        Self(objects.collect())
    }

    /// Removes the objects for which `is_out` returns true.
    pub fn without(mut self, is_out: impl Fn(&ObjectId) -> bool) -> Self {
        self.0.retain(|id, _| !is_out(id));
        self
    }
}

/// The form of a snapshot in JSON, a list of pairs, since JSON objects have only strings as keys.
mod as_list {
    use super::{BTreeMap, Fields, ObjectId};
    use serde::{Deserialize as _, Deserializer, Serialize as _, Serializer};

    pub fn serialize<S: Serializer>(
        map: &BTreeMap<ObjectId, Fields>,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        map.iter().collect::<Vec<_>>().serialize(to)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<BTreeMap<ObjectId, Fields>, D::Error> {
        Ok(Vec::<(ObjectId, Fields)>::deserialize(from)?
            .into_iter()
            .collect())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn pod(name: &str, image: &str) -> Value {
        json!({"apiVersion": "v1", "kind": "Pod", "metadata": {
            "name": name, "generateName": "cow-", "namespace": "t-1", "uid": name},
            "spec": {"containers": [{"name": "a", "image": image}]}, "status": {"phase": "Running"}})
    }

    #[test]
    fn random_names_are_not_differences() {
        let state = |names: [&str; 2], namespace: &str| {
            let pods = names.map(|name| pod(name, "i"));
            let list = json!({"apiVersion": "my.domain/v1", "kind": "Cow",
                "metadata": {"name": "cow", "generation": 4, "resourceVersion": "9"},
                "status": {"pods": names, "at": "2026-01-01T00:00:00Z", "observedGeneration": 4,
                "in": format!("x-{namespace}")}});
            Snapshot::of(pods.iter().chain([&list]), namespace)
        };
        let one = state(["cow-a", "cow-b"], "t-1");
        let two = state(["cow-x", "cow-c"], "t-2");
        assert_eq!(one.differences(&two, &Mask::default()), []);
        assert_eq!(one.0.len(), 3);
    }

    #[test]
    fn numbers_and_contents_are_differences() {
        let state = |pods: &[Value]| Snapshot::of(pods, "t");
        let one = state(&[pod("cow-a", "i"), pod("cow-b", "i")]);
        let less = one.differences(&state(&[pod("cow-a", "i")]), &Mask::default());
        assert_eq!(less[0].to_string(), "pod/cow-2 is missing");
        let other = one.differences(
            &state(&[pod("cow-a", "i"), pod("cow-b", "j")]),
            &Mask::default(),
        );
        assert_eq!(
            other[0].to_string(),
            "pod/cow-2 spec.containers[a].image: j instead of i"
        );
        let mut mask = Mask::default();
        mask.hide(&other);
        assert_eq!(
            one.differences(&state(&[pod("cow-a", "j"), pod("cow-b", "i")]), &mask),
            []
        );
    }

    #[test]
    fn a_difference_is_gone_when_the_state_is_as_expected() {
        let state = |pods: &[Value]| Snapshot::of(pods, "t");
        let named = |name: &str, image: &str| {
            let mut pod = pod(name, image);
            pod["metadata"]["generateName"] = Value::Null;
            pod
        };
        let (right, other) = (named("cow", "i"), named("cow", "j"));
        let expected = state(std::slice::from_ref(&right));
        for wrong in [vec![], vec![other], vec![right.clone(), named("calf", "i")]] {
            let wrong = state(&wrong);
            let differences = expected.differences(&wrong, &Mask::default());
            assert_eq!(differences.len(), 1);
            assert!(differences[0].is_in(&wrong), "{}", differences[0]);
            assert!(!differences[0].is_in(&expected), "{}", differences[0]);
        }
    }

    #[test]
    fn numbers_in_names_are_the_operators_business() {
        let state = |names: &[&str]| {
            let pod = |name: &&str| json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}});
            let cow = json!({"apiVersion": "my.domain/v1", "kind": "Cow",
                "metadata": {"name": "cow"}, "status": {"pods": names}});
            let objects: Vec<Value> = names.iter().map(pod).chain([cow]).collect();
            Snapshot::of(&objects, "t")
        };
        let differences = |found: &[&str]| {
            state(&["cow-0", "cow-1"]).differences(&state(found), &Mask::default())
        };
        assert_eq!(differences(&["cow-1", "cow-2"]), []);
        let less = differences(&["cow-1"]);
        let mut less = less.iter().map(ToString::to_string);
        assert!(less.any(|is| is == "pod/cow-0 is missing"));
    }

    #[test]
    fn an_object_of_a_file_has_its_name() {
        let secret = json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "grain"}, "type": "Opaque"});
        let state = Snapshot::of([&secret], "");
        let [(id, fields)] = &state.0.into_iter().collect::<Vec<_>>()[..] else {
            panic!("one object is one object")
        };
        assert_eq!((id.kind.as_str(), id.name.as_str()), ("Secret", "grain"));
        assert_eq!(fields["type"], "Opaque");
    }

    #[test]
    fn differences_between_secrets_do_not_tell_their_values() {
        let secret = |password: &str| {
            json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "grain",
                "annotations": {"kapp.k14s.io/original": password}},
                "data": {"password": password}, "type": "Opaque"})
        };
        let state = |password: &str| Snapshot::of([&secret(password)], "");
        let mask = Mask::default();
        assert_eq!(
            state("aHVudGVyMg==").differences(&state("aHVudGVyMg=="), &mask),
            []
        );
        let found = state("aHVudGVyMg==").differences(&state("Y2FsZg=="), &mask);
        let fields: Vec<_> = found.iter().map(|it| it.field.as_str()).collect();
        let expected = [
            "data.password",
            "metadata.annotations.kapp.k14s.io/original",
        ];
        assert_eq!(fields, expected);
        let text = format!("{found:?}");
        assert!(
            !text.contains("aHVudGVyMg") && !text.contains("Y2FsZg"),
            "{text}"
        );
    }

    #[test]
    fn a_status_about_an_older_generation_is_a_difference() {
        let cow = |seen: i64| {
            json!({"apiVersion": "my.domain/v1", "kind": "Cow",
            "metadata": {"name": "cow", "generation": 2}, "status": {"observedGeneration": seen}})
        };
        let (now, then) = (cow(2), cow(1));
        let found =
            Snapshot::of([&now], "t").differences(&Snapshot::of([&then], "t"), &Mask::default());
        assert_eq!(
            found[0].to_string(),
            "cow/cow status.observedGeneration: an older one instead of CURRENT"
        );
    }
}
