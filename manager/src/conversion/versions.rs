//! The versions of a kind, with their types.

use std::{collections::BTreeMap, fmt::Display, marker::PhantomData};

use kube::core::object::{HasSpec, HasStatus};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

use super::Chain;
use crate::{decode::decode, object::Object};

/// A version of a kind with a spec and a status. Implemented for every type that derives
/// `CustomResource` with a `status`.
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

/// The versions of a kind, from the oldest to the newest. `Last` is the type of the newest one so
/// far.
///
/// Pass it to [`Manager::converter`](crate::Manager::converter). See the [module](super) for an
/// example.
pub struct Versions<Last = ()> {
    pub(crate) chain: Chain,
    last: PhantomData<fn() -> Last>,
}

impl Versions {
    /// Starts with the oldest version, `K`.
    #[must_use]
    pub fn of<K: Versioned>() -> Versions<K> {
        Versions {
            chain: Chain {
                group: K::group(&()).into_owned(),
                kind: K::kind(&()).into_owned(),
                plural: K::plural(&()).into_owned(),
                versions: vec![K::version(&()).into_owned()],
                schemas: BTreeMap::new(),
                storage: None,
                own: vec![[part::<K::Spec, K::Spec>, part::<K::Status, K::Status>]],
                up: Vec::new(),
                down: Vec::new(),
            },
            last: PhantomData,
        }
    }
}

impl<Last: Versioned> Versions<Last> {
    /// Adds `Next`, the next newer version of the same kind. Its spec and its status must implement
    /// `From` or `TryFrom` from and to those of the previous version.
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

/// Converts a spec or status from the type `A` to the type `B`. The error starts with `: ` or
/// `.field: `, so that the caller can put the name of the part in front of it.
fn part<A, B>(value: &Value) -> Result<Value, String>
where
    A: DeserializeOwned,
    B: TryFrom<A, Error: Display> + Serialize,
{
    let typed: A = decode(value).map_err(|error| match error.path.as_str() {
        "" => format!(": {error}"),
        _ => format!(".{error}"),
    })?;
    let converted = B::try_from(typed).map_err(|error| format!(": {error}"))?;
    serde_json::to_value(converted).map_err(|error| format!(": {error}"))
}
