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
    ///
    /// # Panics
    /// Panics if the group, the kind or the plural of `Next` is that of another kind.
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
        let chain = &self.chain;
        let (kind, plural, group) = (Next::kind(&()), Next::plural(&()), Next::group(&()));
        assert!(
            chain.kind == kind && chain.plural == plural && chain.group == group,
            "`{kind}` ({plural}.{group}) is not a version of `{}` ({}.{}); help: give both types the same `kind`, \
             `plural` and `group` in `#[kube(…)]`",
            chain.kind,
            chain.plural,
            chain.group,
        );
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

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::super::cows::v1;
    use super::*;

    #[derive(kube::CustomResource, Deserialize, Serialize, Clone, Debug)]
    #[kube(
        group = "my.domain",
        version = "v2",
        kind = "Sheep",
        status = "SheepStatus",
        schema = "disabled"
    )]
    struct SheepSpec {}

    #[derive(Deserialize, Serialize, Clone, Debug)]
    struct SheepStatus {}

    impl From<v1::CowSpec> for SheepSpec {
        fn from(_: v1::CowSpec) -> Self {
            Self {}
        }
    }

    impl From<SheepSpec> for v1::CowSpec {
        fn from(_: SheepSpec) -> Self {
            Self {
                text: None,
                volume: 0,
                moods: None,
            }
        }
    }

    impl From<v1::CowStatus> for SheepStatus {
        fn from(_: v1::CowStatus) -> Self {
            Self {}
        }
    }

    impl From<SheepStatus> for v1::CowStatus {
        fn from(_: SheepStatus) -> Self {
            Self { seen: 0 }
        }
    }

    #[test]
    #[should_panic = "`Sheep` (sheeps.my.domain) is not a version of `Cow` (cows.my.domain)"]
    fn a_version_of_another_kind_is_rejected() {
        let _ = Versions::of::<v1::Cow>().then::<Sheep>();
    }
}
