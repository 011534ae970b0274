//! The versions of a kind, by their types.

use std::{collections::BTreeMap, fmt::Display, marker::PhantomData};

use kube::core::object::{HasSpec, HasStatus};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

use super::Chain;
use crate::{decode::decode, object::Object};

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

/// The error begins with the path of the field, where the value does not fit its type.
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
