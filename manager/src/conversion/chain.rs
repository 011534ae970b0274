//! The versions of a kind as a chain, and the way of an object along it.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{
    CustomResourceDefinition, JSONSchemaProps as Schema,
};
use serde_json::{Map, Value};

use super::difference::{Difference, Items, differences};
use super::filler::Filler;
use super::lossy_fields::Kept;
use super::shape::{PARTS, below, carry, common, has_empty, remove_keyless, remove_nulls};

/// What one of [`PARTS`] becomes in a neighbouring version.
type Part = fn(&Value) -> Result<Value, String>;

/// How [`PARTS`] get from one version to another.
type Way = fn(&Chain, &Value, usize, usize) -> Result<Value, String>;

/// The versions of a kind whose types do not matter any more.
pub(crate) struct Chain {
    pub group: String,
    pub kind: String,
    pub plural: String,
    pub versions: Vec<String>,
    /// Of versions, where they are known.
    pub schemas: BTreeMap<String, Schema>,
    /// The version that objects are stored in, where it is known.
    pub storage: Option<String>,
    /// From each version to itself: what its types make of it.
    pub own: Vec<[Part; 2]>,
    /// From each version to the one behind it.
    pub up: Vec<[Part; 2]>,
    /// To each version from the one behind it.
    pub down: Vec<[Part; 2]>,
}

impl Chain {
    /// The name of the `CustomResourceDefinition`.
    pub fn crd(&self) -> String {
        format!("{}.{}", self.plural, self.group)
    }

    /// Learns the schemas of the versions, if the kind is among these.
    pub fn learn(&mut self, crds: &[CustomResourceDefinition]) {
        let name = self.crd();
        let of_kind = |crd: &&CustomResourceDefinition| crd.metadata.name.as_ref() == Some(&name);
        for version in crds
            .iter()
            .filter(of_kind)
            .flat_map(|crd| &crd.spec.versions)
        {
            if version.storage {
                self.storage = Some(version.name.clone());
            }
            let schema = version.schema.as_ref();
            if let Some(schema) = schema.and_then(|schema| schema.open_api_v3_schema.as_ref()) {
                self.schemas.insert(version.name.clone(), schema.clone());
            }
        }
    }

    /// An object as it is in the version `to`. What is wrong with it, and can be ignored, is told to `warn`.
    ///
    /// # Errors
    /// When one of the versions is none of these, or the object does not fit them.
    pub fn convert(
        &self,
        mut object: Map<String, Value>,
        to: &str,
        mut warn: impl FnMut(String),
    ) -> Result<Value, String> {
        let from = object.get("apiVersion").and_then(Value::as_str);
        let from = from.unwrap_or_default();
        let own = from.strip_prefix(&format!("{}/", self.group));
        let from = own.unwrap_or(from).to_owned();
        let (start, end) = (self.position(&from)?, self.position(to)?);
        if start == end {
            return Ok(Value::Object(object));
        }
        let is_stored = is_stored(&object);
        let mut kept = Kept::take(&mut object, &mut warn);
        let mut after = parts(&object);
        if !is_stored {
            remove_nulls(self.schema(start), &mut after);
        }
        // Of each version between, too, is kept what the next one cannot hold: who asks for it has it.
        let mut here = start;
        while here != end {
            let next = if here < end { here + 1 } else { here - 1 };
            after = self.step(&after, (here, next), is_stored, &mut kept, &mut warn)?;
            here = next;
        }
        for part in PARTS {
            object.remove(part);
        }
        if let Value::Object(after) = after {
            object.extend(after);
        }
        let version = format!("{}/{to}", self.group);
        object.insert("apiVersion".to_owned(), version.into());
        let left_out = kept.put(&mut object);
        if left_out.is_empty() {
            return Ok(Value::Object(object));
        }
        let left_out = left_out.join(" and ");
        let why = format!("{to} has no place for {left_out}, and annotations have none left");
        if self.storage.as_deref() == Some(to) {
            // it would be lost for good
            return Err(why);
        }
        warn(why);
        Ok(Value::Object(object))
    }

    /// Takes [`PARTS`] to a neighbouring version, with what is kept of that one, and keeps what it cannot hold.
    fn step(
        &self,
        before: &Value,
        (start, end): (usize, usize),
        is_stored: bool,
        kept: &mut Kept,
        warn: impl FnMut(String),
    ) -> Result<Value, String> {
        let (from, to) = (&self.versions[start], &self.versions[end]);
        let (way, items): (Way, _) = if is_stored {
            (Self::way, Items::Keyed)
        } else {
            (Self::way_in_flight, Items::InFlight)
        };
        let after = way(self, before, start, end)?;
        let back = |after: &Value| {
            way(self, after, end, start).map_err(|error| {
                format!("what {to} makes of it does not come back as {from}: {error}")
            })
        };
        let (after, back) = kept.restore(to, (after, is_stored), back, warn)?;
        let normal = way(self, before, start, start)?;
        let lost = differences(before, &normal, &back, self.schema(start), items);
        kept.remember(from, lost);
        Ok(after)
    }

    /// What of a version is lost when that came back of it.
    pub(super) fn lost(
        &self,
        was: &Value,
        became: &Value,
        version: usize,
        items: Items,
    ) -> Result<Vec<Difference>, String> {
        let normal = self.walk(was, version, version)?;
        Ok(differences(
            was,
            &normal,
            became,
            self.schema(version),
            items,
        ))
    }

    fn schema(&self, version: usize) -> Option<&Schema> {
        self.schemas.get(&self.versions[version])
    }

    /// Converts [`PARTS`] along the chain, and nothing else: what a version cannot hold is lost. Where the
    /// way ends before it begins, its types make of them what they would write.
    pub fn walk(&self, parts: &Value, start: usize, end: usize) -> Result<Value, String> {
        let steps: Vec<_> = match start.cmp(&end) {
            Ordering::Less => self.up[start..end].iter().collect(),
            Ordering::Equal => vec![&self.own[start]],
            Ordering::Greater => self.down[end..start].iter().rev().collect(),
        };
        let parts = parts.clone();
        steps
            .into_iter()
            .try_fold(parts, |parts, step| convert(&parts, step))
    }

    /// Like [`Self::walk`]. An empty list, for instance, that a type leaves out when it is written, stays
    /// where it is.
    fn way(&self, parts: &Value, start: usize, end: usize) -> Result<Value, String> {
        let mut became = self.walk(parts, start, end)?;
        if start != end && has_empty(parts) {
            let normal = self.walk(parts, start, start)?;
            carry(parts, &normal, self.schema(end), &mut became);
        }
        Ok(became)
    }

    /// Like [`Self::way`], for [`PARTS`] that may lack what their schema requires: it is filled in in
    /// several ways, and what these have an influence on is taken out of the result.
    fn way_in_flight(&self, parts: &Value, start: usize, end: usize) -> Result<Value, String> {
        let results = Filler::all().map_while(|filler| {
            let mut whole = parts.clone();
            let lacks = self.complete(filler, &mut whole, start);
            lacks.then_some(whole)
        });
        // what a filler makes up may be what no conversion was made for
        let became = |whole| {
            let became = catch_unwind(AssertUnwindSafe(|| self.way(&whole, start, end)));
            became.unwrap_or_else(|_| Err("it panicked".to_owned()))
        };
        let (results, errors): (Vec<_>, Vec<_>) = results.map(became).partition(Result::is_ok);
        let results: Vec<_> = results.into_iter().flatten().collect();
        let [first, second, others @ ..] = &results[..] else {
            let one = errors.into_iter().find_map(Result::err);
            return self.way(parts, start, end).map_err(|error| match one {
                Some(one) if one != error => format!("{error}, and what stands for it does not convert: {one}; an enum or a `pattern` in the schema says what may stand there"),
                _ => error,
            });
        };
        let mut others = [second].into_iter().chain(others);
        let both = others.try_fold(first.clone(), common);
        let mut both = both.unwrap_or_else(|| Map::new().into());
        remove_keyless(self.schema(end), &mut both);
        Ok(both)
    }

    /// Gives [`PARTS`] what they lack; returns whether that was anything.
    fn complete(&self, filler: Filler, parts: &mut Value, version: usize) -> bool {
        let complete = |is_filled, part| {
            let value = parts.get_mut(part);
            let schema = below(self.schema(version), part);
            value.is_some_and(|value| filler.complete(schema, value)) || is_filled
        };
        PARTS.into_iter().fold(false, complete)
    }

    pub fn position(&self, version: &str) -> Result<usize, String> {
        let found = self.versions.iter().position(|known| known == version);
        found.ok_or_else(|| {
            let known = self.versions.join(", ");
            format!("`{version}` is none of the versions {known}")
        })
    }
}

/// Whether an object comes from etcd, or goes there: then it is whole. There it has an identity, and no
/// resource version. Objects in flight, between versions of server-side apply for instance, may lack parts.
fn is_stored(object: &Map<String, Value>) -> bool {
    let Some(metadata) = object.get("metadata") else {
        return false;
    };
    let text = |field: &str| {
        metadata
            .get(field)
            .and_then(Value::as_str)
            .unwrap_or_default()
    };
    !text("uid").is_empty() && text("resourceVersion").is_empty()
}

/// An error with the part of the object that it is about: `: ..` and `.field: ..` are about that part. What a `TryFrom`
/// returns may begin with the path of the field itself.
fn at(part: &str, error: &str) -> String {
    let own = error.strip_prefix(": ").unwrap_or(error);
    let rest = own.strip_prefix(part);
    if rest.is_some_and(|rest| rest.starts_with(['.', ':', '['])) {
        return own.to_owned();
    }
    format!("{part}{error}")
}

/// Takes [`PARTS`] one step further.
fn convert(parts: &Value, step: &[Part; 2]) -> Result<Value, String> {
    let mut converted = Map::new();
    for (name, convert) in PARTS.into_iter().zip(step) {
        if let Some(part) = parts.get(name) {
            let part = convert(part).map_err(|error| at(name, &error))?;
            converted.insert(name.to_owned(), part);
        }
    }
    Ok(Value::Object(converted))
}

/// What is there of [`PARTS`].
pub(super) fn parts(object: &Map<String, Value>) -> Value {
    let there = PARTS.iter().filter_map(|part| {
        let value = object.get(*part).filter(|value| !value.is_null())?;
        Some(((*part).to_owned(), value.clone()))
    });
    Value::Object(there.collect())
}

#[cfg(test)]
#[path = "in_flight_tests.rs"]
mod in_flight_tests;
#[cfg(test)]
#[path = "chain_tests.rs"]
mod tests;
