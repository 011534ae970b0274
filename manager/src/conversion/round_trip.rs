//! A test of conversions with random objects.

use std::collections::{BTreeMap, BTreeSet};

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{
    CustomResourceDefinition, JSONSchemaProps,
};
use serde_json::{Map, Value, json};

use super::chain::parts;
use super::difference::{Difference, Items, differences};
use super::random::{Random, VARIABLE};
use super::schema::Generator;
use super::shape::{PARTS, below, each};
use super::{Chain, Versions};

/// Number of objects per pair of versions.
const ROUNDS: usize = 500;

/// A test that converts random objects of each version to each other version and back. It panics if
/// a field is lost. The message contains the seed, which repeats the run if it is set as
/// `CONVERSION_SEED`.
///
/// With the annotations of the [module](super), no field may be lost. Without them, the conversions
/// must preserve every field except those named with [`RoundTrip::kept`]. So the test finds fields
/// that are not converted by mistake, and documents which fields need an annotation.
pub struct RoundTrip {
    chain: Chain,
    /// By version.
    schemas: BTreeMap<String, JSONSchemaProps>,
    /// By version and path.
    samples: BTreeMap<String, BTreeMap<String, Vec<Value>>>,
    /// Version and path of the fields that need an annotation.
    kept: BTreeSet<(String, String)>,
}

impl RoundTrip {
    /// Returns a test of the kind of `versions`. Random objects are generated from the schemas in
    /// `crds`.
    ///
    /// # Panics
    /// If the CRD of the kind is not in `crds`.
    #[must_use]
    pub fn new<Last>(versions: Versions<Last>, crds: Vec<CustomResourceDefinition>) -> Self {
        let mut chain = versions.chain;
        chain.learn(&crds);
        let name = chain.crd();
        let mut crds = crds.into_iter();
        let crd = crds.find(|crd| crd.metadata.name.as_ref() == Some(&name));
        let crd = crd.unwrap_or_else(|| panic!("the CRD `{name}` is not in the list"));
        let schemas = crd
            .spec
            .versions
            .into_iter()
            .filter_map(|version| Some((version.name, version.schema?.open_api_v3_schema?)));
        Self {
            chain,
            schemas: schemas.collect(),
            samples: BTreeMap::new(),
            kept: BTreeSet::new(),
        }
    }

    /// Uses one of `values` for the field at `path` of `version`, for example
    /// `.samples("v1", "spec.email", ["moo@my.domain"])`. In a path, `[]` stands for the items of a
    /// list and `.*` for the values of a map. Required for fields with a `pattern`.
    #[must_use]
    pub fn samples<V: Into<Value>>(
        mut self,
        version: &str,
        path: &str,
        values: impl IntoIterator<Item = V>,
    ) -> Self {
        let values = values.into_iter().map(Into::into).collect();
        let of_version = self.samples.entry(version.to_owned()).or_default();
        of_version.insert(path.to_owned(), values);
        self
    }

    /// Declares that another version cannot hold the field at `path` of `version` and everything
    /// inside it, so that it is preserved in an annotation. For example `.kept("v1",
    /// "spec.volume")`; for one field of list items `.kept("v1", "spec.users[].role")`; for one
    /// field of map values `spec.users.*.role`. Other fields are tested as usual.
    #[must_use]
    pub fn kept(mut self, version: &str, path: &str) -> Self {
        self.kept.insert((version.to_owned(), path.to_owned()));
        self
    }

    /// Runs the test with 500 objects for each pair of versions.
    ///
    /// # Panics
    /// If a field is lost, if an object cannot be converted, or if a field has a `pattern` but no
    /// samples.
    pub fn check(self) {
        let mut random = Random::seeded();
        let seed = random.seed;
        println!("{VARIABLE}={seed}");
        for from in &self.chain.versions {
            for to in self.chain.versions.iter().filter(|to| *to != from) {
                for _ in 0..ROUNDS {
                    let object = self.object(from, &mut random);
                    if let Err(wrong) = self.there_and_back(&object, from, to) {
                        let object = Value::Object(object);
                        panic!(
                            "{wrong}\nhelp: to reproduce, set {VARIABLE}={seed}\nobject:\n{object:#}"
                        );
                    }
                }
            }
        }
    }

    /// Returns a random object. It has a UID and no resource version, like a stored object, so that
    /// the conversion does not fill in missing fields.
    fn object(&self, version: &str, random: &mut Random) -> Map<String, Value> {
        let schema = &self.schemas[version];
        let none = BTreeMap::new();
        let samples = self.samples.get(version).unwrap_or(&none);
        let mut generator = Generator { random, samples };
        let mut object = Map::new();
        object.insert(
            "apiVersion".into(),
            format!("{}/{version}", self.chain.group).into(),
        );
        object.insert("kind".into(), self.chain.kind.clone().into());
        object.insert(
            "metadata".into(),
            json!({"name": "random", "uid": "random", "annotations": {"mine": "x"}}),
        );
        for part in PARTS {
            let properties = schema.properties.as_ref();
            let Some(schema) = properties.and_then(|properties| properties.get(part)) else {
                continue;
            };
            let value = generator.value(schema, part).unwrap_or_else(|path| {
                panic!("cannot generate `{path}` of {version}: it has a `pattern`; help: list valid values with \
                    `.samples(\"{version}\", \"{path}\", [..])`")
            });
            object.insert(part.to_owned(), value);
        }
        object
    }

    /// Converts the object to `to` and back. The error describes a lost field.
    fn there_and_back(
        &self,
        object: &Map<String, Value>,
        from: &str,
        to: &str,
    ) -> Result<(), String> {
        let convert = |object: Map<String, Value>, from: &str, to: &str| {
            let converted = self.chain.convert(object, to, drop);
            let failed = |error| {
                format!(
                    "cannot convert {} from {from} to {to}: {error}",
                    self.chain.kind
                )
            };
            match converted.map_err(failed)? {
                Value::Object(converted) => Ok(converted),
                other => Err(format!("{other} is not an object")),
            }
        };
        let there = convert(object.clone(), from, to)?;
        for lost in self.lost_alone(object, from, to)? {
            let path = written(&self.schemas[from], &lost);
            if !self.is_kept(from, &path) {
                let text = |value: &Option<Value>| match value {
                    Some(value) => value.to_string(),
                    None => "nothing".to_owned(),
                };
                let (was, became) = (text(&lost.was), text(&lost.became));
                return Err(format!(
                    "`{path}` of {from} was {was}, but {became} after conversion to {to} and back; help: \
                     convert the field, or, if {to} cannot hold it, declare it with `.kept(\"{from}\", \"{path}\")`"
                ));
            }
        }
        let back = convert(there, to, from)?;
        let version = self.chain.position(from)?;
        let lost = self
            .chain
            .lost(&parts(object), &parts(&back), version, Items::Keyed)?;
        match lost.first() {
            Some(lost) => Err(format!("the annotations did not restore {lost:?}")),
            None if back["metadata"] != object["metadata"] => Err("metadata changed".to_owned()),
            None => Ok(()),
        }
    }

    /// Returns the fields that are lost without annotations, including single fields of list items.
    fn lost_alone(
        &self,
        object: &Map<String, Value>,
        from: &str,
        to: &str,
    ) -> Result<Vec<Difference>, String> {
        let (start, end) = (self.chain.position(from)?, self.chain.position(to)?);
        // as its own type serializes it: empty lists may be omitted, and quantities are text
        let normal = self.chain.convert_types(&parts(object), start, start)?;
        let there = self.chain.convert_types(&normal, start, end)?;
        let back = self.chain.convert_types(&there, end, start)?;
        Ok(differences(&normal, &normal, &back, None, Items::Indexed))
    }

    fn is_kept(&self, version: &str, path: &str) -> bool {
        let mut kept = self.kept.iter();
        kept.any(|(of, kept)| of == version && holds(kept, path))
    }
}

/// Returns true if the field at `path` is the one at `kept` or inside it.
fn holds(kept: &str, path: &str) -> bool {
    let rest = path.strip_prefix(kept);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
}

/// Returns the path of a field in the syntax of `kept`: `[]` for list items, `*` for map values.
fn written(schema: &JSONSchemaProps, lost: &Difference) -> String {
    let (mut written, mut schema) = (String::new(), Some(schema));
    for part in lost.parts() {
        let is_named = schema
            .and_then(|schema| schema.properties.as_ref())
            .is_some_and(|properties| properties.contains_key(&part));
        let field = below(schema, &part);
        if is_named || (field.is_none() && !part.starts_with("i:")) {
            written = format!("{written}.{part}");
        } else if field.is_some() {
            written += ".*";
        } else {
            written += "[]";
        }
        schema = field.or_else(|| each(schema));
    }
    written.trim_start_matches('.').to_owned()
}

#[cfg(test)]
#[path = "round_trip_tests.rs"]
mod tests;
