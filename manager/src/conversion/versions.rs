//! The versions of a kind as a chain, and the way of an object along it.

use std::{fmt::Display, marker::PhantomData};

use kube::core::object::{HasSpec, HasStatus};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Map, Value};

use super::kept::{self, Difference, Kept};
use crate::object::Object;

/// What is converted of an object. All else is the same in every version.
pub(super) const PARTS: [&str; 2] = ["spec", "status"];

/// A version of a kind that has a spec and a status, as everything has that derives `CustomResource`
/// with a `status`. There is nothing to implement by hand.
pub trait Versioned:
    Object
    + HasSpec<Spec: Serialize + DeserializeOwned>
    + HasStatus<Status: Serialize + DeserializeOwned>
{
}

impl<K> Versioned for K where
    K: Object
        + HasSpec<Spec: Serialize + DeserializeOwned>
        + HasStatus<Status: Serialize + DeserializeOwned>
{
}

/// The versions of a kind, from the oldest to the newest; `Last` is the one named last.
///
/// See the [module](super) for an example.
pub struct Versions<Last = ()> {
    pub(crate) chain: Chain,
    last: PhantomData<fn() -> Last>,
}

impl Versions {
    /// Begins with the oldest.
    #[must_use]
    pub fn of<K: Versioned>() -> Versions<K> {
        Versions {
            chain: Chain {
                group: K::group(&()).into_owned(),
                kind: K::kind(&()).into_owned(),
                plural: K::plural(&()).into_owned(),
                versions: vec![K::version(&()).into_owned()],
                own: vec![[part::<K::Spec, K::Spec>, part::<K::Status, K::Status>]],
                up: Vec::new(),
                down: Vec::new(),
            },
            last: PhantomData,
        }
    }
}

impl<Last: Versioned> Versions<Last> {
    /// Goes on with the next one. What `From` or `TryFrom` is missing, the compiler says.
    #[must_use]
    pub fn then<Next>(mut self) -> Versions<Next>
    where
        Next: Versioned<
                Spec: TryFrom<Last::Spec, Error: Display>,
                Status: TryFrom<Last::Status, Error: Display>,
            >,
        Last: Versioned<
                Spec: TryFrom<Next::Spec, Error: Display>,
                Status: TryFrom<Next::Status, Error: Display>,
            >,
    {
        self.chain.versions.push(Next::version(&()).into_owned());
        self.chain.own.push([
            part::<Next::Spec, Next::Spec>,
            part::<Next::Status, Next::Status>,
        ]);
        self.chain.up.push([
            part::<Last::Spec, Next::Spec>,
            part::<Last::Status, Next::Status>,
        ]);
        self.chain.down.push([
            part::<Next::Spec, Last::Spec>,
            part::<Next::Status, Last::Status>,
        ]);
        Versions {
            chain: self.chain,
            last: PhantomData,
        }
    }
}

/// What one of [`PARTS`] becomes in a neighbouring version.
type Part = fn(&Value) -> Result<Value, String>;

/// The error begins with the path of the field, where the value does not fit its type.
fn part<A, B>(value: &Value) -> Result<Value, String>
where
    A: DeserializeOwned,
    B: TryFrom<A, Error: Display> + Serialize,
{
    let typed: A = serde_path_to_error::deserialize(value).map_err(|error| {
        let path = match error.path().to_string() {
            path if path == "." => String::new(),
            path => format!(".{path}"),
        };
        format!("{path}: {}", error.inner())
    })?;
    let converted = B::try_from(typed).map_err(|error| format!(": {error}"))?;
    serde_json::to_value(converted).map_err(|error| format!(": {error}"))
}

/// The versions of a kind whose types do not matter any more.
pub(crate) struct Chain {
    pub group: String,
    pub kind: String,
    plural: String,
    pub versions: Vec<String>,
    /// From each version to itself: what its types make of it.
    own: Vec<[Part; 2]>,
    /// From each version to the one behind it.
    up: Vec<[Part; 2]>,
    /// To each version from the one behind it.
    down: Vec<[Part; 2]>,
}

impl Chain {
    /// The name of the `CustomResourceDefinition`.
    pub fn crd(&self) -> String {
        format!("{}.{}", self.plural, self.group)
    }

    /// An object as it is in the version `to`.
    ///
    /// # Errors
    /// When one of the versions is none of these, or the object does not fit them.
    pub fn convert(&self, mut object: Map<String, Value>, to: &str) -> Result<Value, String> {
        let from = object.get("apiVersion").and_then(Value::as_str);
        let from = from.unwrap_or_default();
        let own = from.strip_prefix(&format!("{}/", self.group));
        let from = own.unwrap_or(from).to_owned();
        let (start, end) = (self.position(&from)?, self.position(to)?);
        if start == end {
            return Ok(Value::Object(object));
        }
        let mut kept = Kept::take(&mut object);
        let before = parts(&object);
        let mut after = self.walk(&before, start, end)?;
        kept.restore(to, &mut after);
        let back = self.walk(&after, end, start).map_err(|error| {
            format!("what {to} makes of it does not come back as {from}: {error}")
        })?;
        kept.remember(&from, self.lost(&before, &back, start)?);
        if let Value::Object(after) = after {
            object.extend(after);
        }
        object.insert(
            "apiVersion".to_owned(),
            format!("{}/{to}", self.group).into(),
        );
        kept.put(&mut object)?;
        Ok(Value::Object(object))
    }

    /// What of a version is lost when that came back of it.
    pub(super) fn lost(
        &self,
        was: &Value,
        became: &Value,
        version: usize,
    ) -> Result<Vec<Difference>, String> {
        let normal = convert(was, &self.own[version])?;
        Ok(kept::differences(was, &normal, became))
    }

    /// Converts [`PARTS`] along the chain and nothing else: what a version cannot hold is lost.
    fn walk(&self, parts: &Value, start: usize, end: usize) -> Result<Value, String> {
        let steps: Vec<_> = if start < end {
            self.up[start..end].iter().collect()
        } else {
            self.down[end..start].iter().rev().collect()
        };
        let parts = parts.clone();
        steps
            .into_iter()
            .try_fold(parts, |parts, step| convert(&parts, step))
    }

    pub(super) fn position(&self, version: &str) -> Result<usize, String> {
        let found = self.versions.iter().position(|known| known == version);
        found.ok_or_else(|| {
            let known = self.versions.join(", ");
            format!("`{version}` is none of the versions {known}")
        })
    }
}

/// Takes [`PARTS`] one step further.
fn convert(parts: &Value, step: &[Part; 2]) -> Result<Value, String> {
    let mut converted = Map::new();
    for (name, convert) in PARTS.into_iter().zip(step) {
        if let Some(part) = parts.get(name) {
            let part = convert(part).map_err(|error| format!("{name}{error}"))?;
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
#[path = "versions_tests.rs"]
mod tests;
