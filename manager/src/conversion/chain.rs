//! Conversion of an object along the chain of a kind's versions.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{
    CustomResourceDefinition, JSONSchemaProps as Schema,
};
use serde_json::{Map, Value};

use super::difference::{Difference, Items, differences};
use super::filler::Filler;
use super::lossy_fields::PreservedFields;
use super::shape::{PARTS, below, carry, common, has_empty, remove_keyless, remove_nulls};

/// Converts the spec or the status, one of [`PARTS`], to a neighboring version.
type Part = fn(&Value) -> Result<Value, String>;

/// Converts [`PARTS`] from one version to another, which are given as indexes in `versions`.
type ConvertParts = fn(&Chain, &Value, usize, usize) -> Result<Value, String>;

/// The versions of a kind and their conversions, on JSON values instead of Rust types. Each
/// `[Part; 2]` has the conversion of the spec and of the status, in the order of [`PARTS`].
pub(crate) struct Chain {
    pub group: String,
    pub kind: String,
    pub plural: String,
    /// The names of the versions, such as `v1`, from the oldest to the newest.
    pub versions: Vec<String>,
    /// The schemas of the versions, by version. Empty if the CRD is not known.
    pub schemas: BTreeMap<String, Schema>,
    /// The storage version. `None` if the CRD is not known.
    pub storage: Option<String>,
    /// For each version, the conversion to itself: deserializes a part to its type and serializes
    /// it again.
    pub own: Vec<[Part; 2]>,
    /// For each version but the last, the conversions to the next one.
    pub up: Vec<[Part; 2]>,
    /// For each version but the last, the conversions from the next one.
    pub down: Vec<[Part; 2]>,
}

impl Chain {
    /// Returns the name of the `CustomResourceDefinition`, in the form `plural.group`.
    pub fn crd(&self) -> String {
        format!("{}.{}", self.plural, self.group)
    }

    /// Stores the schemas of the versions and the storage version if the CRD of the kind is in
    /// `crds`.
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

    /// Converts an object to the version `to`, such as `v1`, and returns it with the annotations of
    /// the fields that `to` cannot hold. Problems that do not prevent the conversion are passed to
    /// `warn`.
    ///
    /// # Errors
    /// Returns an error if one of the versions is unknown, if the object does not fit its type or
    /// that of a version in between, or if the storage version cannot preserve all fields.
    pub fn convert(
        &self,
        mut object: Map<String, Value>,
        to: &str,
        mut warn: impl FnMut(String),
    ) -> Result<Value, String> {
        let from = object.get("apiVersion").and_then(Value::as_str);
        let from = from.unwrap_or_default();
        // a foreign group stays part of the version, which is then unknown
        let own = from.strip_prefix(&format!("{}/", self.group));
        let from = own.unwrap_or(from).to_owned();
        let (start, end) = (self.position(&from)?, self.position(to)?);
        if start == end {
            return Ok(Value::Object(object));
        }
        let is_stored = is_stored(&object);
        let mut preserved = PreservedFields::read_annotations(&mut object, &mut warn);
        let mut after = parts(&object);
        if !is_stored {
            remove_nulls(self.schema(start), &mut after);
        }
        // Each version in between also preserves the fields that the next one cannot hold, so a
        // request for it returns them.
        let mut here = start;
        while here != end {
            let next = if here < end { here + 1 } else { here - 1 };
            after = self.convert_to_neighbor(
                &after,
                (here, next),
                is_stored,
                &mut preserved,
                &mut warn,
            )?;
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
        let left_out = preserved.write_annotations(&mut object);
        if left_out.is_empty() {
            return Ok(Value::Object(object));
        }
        let left_out = left_out.join(" and ");
        let why =
            format!("{to} has no field for {left_out}, and the annotations have no space left");
        if self.storage.as_deref() == Some(to) {
            // in the storage version, the value would be lost permanently
            return Err(why);
        }
        warn(why);
        Ok(Value::Object(object))
    }

    /// Converts [`PARTS`] from the version at index `start` to the neighboring one at `end`.
    /// Restores the fields in `preserved` that belong to that version, and adds to `preserved` the
    /// fields that it cannot hold, which a conversion back shows.
    fn convert_to_neighbor(
        &self,
        before: &Value,
        (start, end): (usize, usize),
        is_stored: bool,
        preserved: &mut PreservedFields,
        warn: impl FnMut(String),
    ) -> Result<Value, String> {
        let (from, to) = (&self.versions[start], &self.versions[end]);
        let (convert_parts, items): (ConvertParts, _) = if is_stored {
            (Self::convert_parts, Items::Keyed)
        } else {
            (Self::convert_incomplete, Items::InFlight)
        };
        let after = convert_parts(self, before, start, end)?;
        let back = |after: &Value| {
            convert_parts(self, after, end, start).map_err(|error| {
                format!("cannot convert the result in {to} back to {from}: {error}")
            })
        };
        let (after, back) = preserved.restore(to, (after, is_stored), back, warn)?;
        let normal = convert_parts(self, before, start, start)?;
        let lost = differences(before, &normal, &back, self.schema(start), items);
        preserved.preserve(from, lost);
        Ok(after)
    }

    /// Returns the fields that differ between `was` and `became`, the result of its round trip.
    /// Both are [`PARTS`] in the version at index `version`.
    pub(super) fn lost(
        &self,
        was: &Value,
        became: &Value,
        version: usize,
        items: Items,
    ) -> Result<Vec<Difference>, String> {
        let normal = self.convert_types(was, version, version)?;
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

    /// Converts [`PARTS`] along the chain without preserving fields. If `start` is equal to `end`,
    /// the parts are only deserialized and serialized again.
    pub fn convert_types(&self, parts: &Value, start: usize, end: usize) -> Result<Value, String> {
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

    /// Converts like [`Self::convert_types`], but keeps empty values, such as an empty list, that
    /// the type omits when it is serialized.
    fn convert_parts(&self, parts: &Value, start: usize, end: usize) -> Result<Value, String> {
        let mut became = self.convert_types(parts, start, end)?;
        if start != end && has_empty(parts) {
            let normal = self.convert_types(parts, start, start)?;
            carry(parts, &normal, self.schema(end), &mut became);
        }
        Ok(became)
    }

    /// Converts like [`Self::convert_parts`], for [`PARTS`] that may lack required fields of their
    /// schema. Fills these in with several different values, and removes all fields of the result
    /// that depend on them.
    fn convert_incomplete(&self, parts: &Value, start: usize, end: usize) -> Result<Value, String> {
        let results = Filler::all().map_while(|filler| {
            let mut whole = parts.clone();
            let lacks = self.complete(filler, &mut whole, start);
            lacks.then_some(whole)
        });
        // A conversion may fail or panic for a filled-in value. Two results are enough to find the
        // fields that depend on one; a single result shows nothing about them.
        let became = |whole| {
            let became = catch_unwind(AssertUnwindSafe(|| self.convert_parts(&whole, start, end)));
            became.unwrap_or_else(|_| Err("the conversion panicked".to_owned()))
        };
        let (results, errors): (Vec<_>, Vec<_>) = results.map(became).partition(Result::is_ok);
        let results: Vec<_> = results.into_iter().flatten().collect();
        let [first, second, others @ ..] = &results[..] else {
            let one = errors.into_iter().find_map(Result::err);
            return self.convert_parts(parts, start, end).map_err(|error| match one {
                Some(one) if one != error => format!(
                    "{error}; values generated for missing fields do not convert either: {one}; help: add \
                     an enum or a `pattern` to the schema"
                ),
                _ => error,
            });
        };
        let mut others = [second].into_iter().chain(others);
        let both = others.try_fold(first.clone(), common);
        let mut both = both.unwrap_or_else(|| Map::new().into());
        remove_keyless(self.schema(end), &mut both);
        Ok(both)
    }

    /// Fills in the missing fields of [`PARTS`] in the version at index `version`. Returns true if
    /// there were any.
    fn complete(&self, filler: Filler, parts: &mut Value, version: usize) -> bool {
        let complete = |is_filled, part| {
            let value = parts.get_mut(part);
            let schema = below(self.schema(version), part);
            value.is_some_and(|value| filler.complete(schema, value)) || is_filled
        };
        PARTS.into_iter().fold(false, complete)
    }

    /// Returns the index of `version`, such as `v1`, in `versions`.
    ///
    /// # Errors
    /// Returns an error that lists the known versions if it is not one of them.
    pub fn position(&self, version: &str) -> Result<usize, String> {
        let found = self.versions.iter().position(|known| known == version);
        found.ok_or_else(|| {
            let known = self.versions.join(", ");
            format!("unknown version `{version}`; known versions: {known}")
        })
    }
}

/// Returns true if an object is read from etcd or written to it, so that it is complete. Such an
/// object has a UID but no resource version, which etcd does not store with the object. Objects in
/// flight, for example between versions of server-side apply, may be incomplete.
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

/// Prepends the name of the part to an error. `: ..` and `.field: ..` are relative to the part. The
/// error of a `TryFrom` may already start with the path of the field.
fn at(part: &str, error: &str) -> String {
    let own = error.strip_prefix(": ").unwrap_or(error);
    let rest = own.strip_prefix(part);
    if rest.is_some_and(|rest| rest.starts_with(['.', ':', '['])) {
        return own.to_owned();
    }
    format!("{part}{error}")
}

/// Converts [`PARTS`] to a neighboring version, with one element of `up`, `down` or `own`.
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

/// Returns a JSON object with the non-null [`PARTS`] of an object.
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
