//! Decides whether an apply may change the existing object that has the child's name.
//!
//! Without this check, a user who may only create custom resources would get power over every
//! object whose name the custom resource determines: the operator would overwrite that object, own
//! it, and have it deleted with the custom resource. So only objects that this controller created
//! are changed. Each apply also carries a precondition, so that an object created between the
//! decision and the write is not changed either.

use kube::core::ObjectMeta;

use crate::apply::ownership::{INSTANCE, PART_OF};
use crate::cache::undecoded::Undecoded;
use crate::context::Context;
use crate::error::{Error, Result};
use crate::object::{self, AnyObject, KindOf};
use crate::rbac::Permission;

/// A `resourceVersion` that no object has: an apply with it creates the object or fails with a
/// conflict.
const NONE: &str = "1";

/// The relation to the child that an apply requires.
pub(super) enum Claim {
    /// Owns the child. An existing object must be its child already.
    Own,
    /// Owns the child, and takes over an existing object that has no controller.
    Adopt,
    /// Does not own the child: the caller decided what may be changed.
    Nothing(Precondition),
}

/// The existing object that an apply may change.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Precondition {
    /// No existing object: the apply creates, or fails.
    Absent,
    /// The object with this uid, in any version.
    Uid(String),
    /// The object in this version only.
    Version(String),
}

impl Claim {
    /// Returns true if the reconciled object is to own the child.
    pub fn is_for_owner(&self) -> bool {
        matches!(self, Self::Own | Self::Adopt)
    }

    /// Returns the precondition if no existing object is known.
    pub fn unseen(&self) -> Precondition {
        match self {
            Self::Own | Self::Adopt => Precondition::Absent,
            Self::Nothing(over) => over.clone(),
        }
    }
}

impl Precondition {
    /// Sets the precondition in the metadata of an object to apply. If no object may exist, a
    /// version that the caller has set stays.
    pub fn set_on(self, meta: &mut ObjectMeta) {
        match self {
            Self::Absent => drop(meta.resource_version.get_or_insert_with(|| NONE.to_owned())),
            Self::Uid(uid) => meta.uid = Some(uid),
            Self::Version(version) => meta.resource_version = Some(version),
        }
    }
}

impl<K: AnyObject> Context<K> {
    /// Returns the precondition of an apply to an existing object, whose metadata is `live`.
    /// `has_applied` returns true if this controller applied that object.
    ///
    /// # Errors
    /// Returns `OwnedByAnother` if the object belongs to another owner, and `NotOwned` if this
    /// controller did not create it.
    pub(super) fn claim<T: AnyObject>(
        &self,
        kind: &T::DynamicType,
        claim: &Claim,
        child: &T,
        live: &ObjectMeta,
        has_applied: impl FnOnce() -> bool,
    ) -> Result<Precondition> {
        self.refuse_controlled::<T>(kind, live)?;
        if let Claim::Nothing(over) = claim {
            return Ok(over.clone());
        }
        if self.is_owner_of(live) || is_for_same(child.meta(), live) && has_applied() {
            let uid = live.uid.clone();
            return Ok(uid.map_or(Precondition::Absent, Precondition::Uid));
        }
        if matches!(claim, Claim::Adopt) || self.may_adopt(live) {
            let version = live.resource_version.clone();
            return Ok(version.map_or(Precondition::Absent, Precondition::Version));
        }
        Err(self.not_owned::<T>(kind, live))
    }

    /// Like [`Context::claim`], for an object that was just read from the API server; `None` if it
    /// does not exist.
    pub(super) fn claim_stored<T: AnyObject>(
        &self,
        kind: &T::DynamicType,
        claim: &Claim,
        child: &T,
        stored: Option<&Undecoded<T>>,
    ) -> Result<Precondition> {
        let Some(stored) = stored else {
            return Ok(claim.unseen());
        };
        let manager = &self.shared.field_manager;
        let has_applied = || stored.is_applied_by(manager);
        self.claim(kind, claim, child, &stored.metadata(), has_applied)
    }

    /// Reads the object that has the child's name from the API server. Returns `None` if there is
    /// none.
    pub(super) async fn stored<T: AnyObject>(
        &self,
        kind: &T::DynamicType,
        child: &T,
    ) -> Result<Option<Undecoded<T>>> {
        let meta = child.meta();
        let api = kind.api::<Undecoded<T>>(self.client().clone(), meta.namespace.as_deref());
        let stored = api.get_opt(meta.name.as_deref().unwrap_or_default()).await;
        stored.map_err(|error| {
            let needed = ["get", "create", "patch"];
            let needed = Permission::new(&T::group(kind), T::plural(kind), &needed);
            Error::from(error).needs(&needed)
        })
    }

    /// Returns true if an owner reference names the reconciled object.
    fn is_owner_of(&self, live: &ObjectMeta) -> bool {
        let uid = self.object.meta().uid.as_ref();
        let mut owners = live.owner_references.iter().flatten();
        owners.any(|owner| Some(&owner.uid) == uid)
    }

    /// Returns true if an annotation of the existing object allows this owner to take it over.
    fn may_adopt(&self, live: &ObjectMeta) -> bool {
        let annotations = live.annotations.as_ref();
        let owner = annotations.and_then(|annotations| annotations.get(&self.adopt_annotation()));
        owner.is_some_and(|owner| *owner == self.owner())
    }

    /// Returns the name of the annotation with which a user allows an owner to take over an object:
    /// `<group of the owner>/adopt`.
    fn adopt_annotation(&self) -> String {
        object::annotation::<K>(self.kind(), "adopt")
    }

    /// Returns `Kind/name` of the reconciled object.
    fn owner(&self) -> String {
        let name = self.object.meta().name.as_deref().unwrap_or_default();
        format!("{}/{name}", K::kind(self.kind()))
    }

    fn not_owned<T: AnyObject>(&self, kind: &T::DynamicType, live: &ObjectMeta) -> Error {
        let text = format!(
            "{} {} already exists and was not created by this controller; help: to let {owner} adopt it, run \
             `kubectl annotate {} {}={owner}`",
            T::kind(kind),
            object::label(live),
            object::kubectl_arguments::<T>(kind, live),
            self.adopt_annotation(),
            owner = self.owner(),
        );
        Error::new("NotOwned", text)
    }
}

/// Returns false if the labels of an object show that it was applied for another owner than
/// `child`. Children without an owner reference differ in these labels only.
pub(super) fn is_for_same(child: &ObjectMeta, live: &ObjectMeta) -> bool {
    [INSTANCE, PART_OF].iter().all(|name| {
        let label = |meta: &ObjectMeta| meta.labels.as_ref()?.get(*name).cloned();
        let (wanted, live) = (label(child), label(live));
        wanted.is_none() || live.is_none() || wanted == live
    })
}

/// Returns true if an apply failed because the object is not the one in its precondition. The API
/// server answers 409 for another version, and for another uid 409 or an error about the field
/// `metadata.uid`.
pub(super) fn is_another_object(error: &Error) -> bool {
    let Some(kube::Error::Api(status)) = error.downcast_ref() else {
        return false;
    };
    let details = status.details.iter();
    let mut causes = details.flat_map(|details| &details.causes);
    status.code == 409 || causes.any(|cause| cause.field == "metadata.uid")
}
