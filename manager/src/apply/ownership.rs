//! Owner references and labels of children, and checks that a child may be written: the controller
//! must see its changes, and it must not belong to another owner.

use kube::core::ObjectMeta;

use crate::cache::selection::MANAGED_BY;
use crate::context::Context;
use crate::error::{Error, Result};
use crate::object::{self, AnyObject, KindOf};

/// The label with the name of the reconciled object to which a child belongs.
pub(super) const INSTANCE: &str = "app.kubernetes.io/instance";
/// The label with the ID of the set in which [`Context::apply_all`] applied a child.
pub(super) const PART_OF: &str = "applyset.kubernetes.io/part-of";
/// Maximum length of a label's value in Kubernetes.
const LONGEST_LABEL: usize = 63;

impl<K: AnyObject> Context<K> {
    /// Makes the reconciled object the owner of `child`: sets the namespace, the owner reference
    /// and the labels.
    ///
    /// # Errors
    /// Returns `NotOwnable` if an owner reference would cross namespaces, and `NoUid` if the object
    /// has no UID.
    pub(super) fn own<T: AnyObject>(&self, kind: &T::DynamicType, child: &mut T) -> Result<()> {
        let parent = self.object.meta();
        if kind.is_namespaced() {
            if child.meta().namespace.is_none() {
                child.meta_mut().namespace.clone_from(&parent.namespace);
            }
        } else {
            child.meta_mut().namespace = None;
        }
        if parent.namespace.is_some() && child.meta().namespace != parent.namespace {
            return Err(Error::new(
                "NotOwnable",
                format!(
                    "{} {} cannot be owned by an object in namespace {}: owner references must not cross \
                     namespaces; help: use `ctx.apply_unowned()` and delete the child in a cleanup",
                    T::kind(kind),
                    object::label(child.meta()),
                    parent.namespace.as_deref().unwrap_or_default()
                ),
            ));
        }
        let owner = self
            .object
            .controller_owner_ref(self.kind())
            .ok_or_else(|| {
                let kind = K::kind(self.kind());
                Error::new(
                    "NoUid",
                    format!("{kind} {} has no UID yet", object::label(parent)),
                )
            })?;
        let owners = child.meta_mut().owner_references.get_or_insert_default();
        match owners.iter_mut().find(|known| known.uid == owner.uid) {
            // kube's `owner_ref` makes references without it, by which changes are not mapped.
            Some(known) => known.controller = Some(true),
            None => owners.push(owner),
        }
        self.label(child);
        Ok(())
    }

    /// Sets the labels with the names of the operator and of the reconciled object, unless the
    /// child has them. The name of the object is omitted if it is too long for a label.
    pub(super) fn label<T: AnyObject>(&self, child: &mut T) {
        let labels = child.meta_mut().labels.get_or_insert_default();
        labels
            .entry(MANAGED_BY.to_owned())
            .or_insert_with(|| self.shared.operator.clone());
        let name = self.object.meta().name.as_deref().unwrap_or_default();
        if name.len() <= LONGEST_LABEL {
            labels
                .entry(INSTANCE.to_owned())
                .or_insert_with(|| name.to_owned());
        }
    }

    /// Rejects a child whose kind the controller owns, but which the selector of that watch does
    /// not match: the controller would not notice its changes or its deletion. The reason is
    /// `NotSelected`.
    pub(super) fn refuse_unseen<T: AnyObject>(
        &self,
        kind: &T::DynamicType,
        child: &T,
    ) -> Result<()> {
        let watched = self.shared.watched::<T>(kind);
        let mut owned = watched.filter(|watched| watched.owned).peekable();
        if owned.peek().is_none() || owned.any(|owned| owned.watch.may_select(child.meta())) {
            return Ok(());
        }
        let (kind, label) = (T::kind(kind), object::label(child.meta()));
        let text = format!(
            "{kind} {label} does not match the selector of this controller's watch, so its changes would be \
             missed; help: set the selected labels, or widen the selector in `.owns_matching(Watch::<{kind}>::new()..)`"
        );
        Err(Error::new("NotSelected", text))
    }

    /// Rejects a live object if another object than the reconciled one controls it, by an owner
    /// reference with `controller: true`. An object that nothing controls passes.
    ///
    /// # Errors
    /// Returns `OwnedByAnother`.
    pub(super) fn refuse_foreign<T: AnyObject>(
        &self,
        kind: &T::DynamicType,
        live: &T,
    ) -> Result<()> {
        self.refuse_controlled::<T>(kind, live.meta())
    }

    /// Like [`Context::refuse_foreign`], with only the metadata of the object.
    pub(super) fn refuse_controlled<T: AnyObject>(
        &self,
        kind: &T::DynamicType,
        live: &ObjectMeta,
    ) -> Result<()> {
        let Some(owner) = object::controller(live) else {
            return Ok(());
        };
        let this = self.object.meta();
        if this.uid.as_deref() == Some(&owner.uid) {
            return Ok(());
        }
        let child = format!("{} {}", T::kind(kind), object::label(live));
        let (owner_kind, name) = (&owner.kind, &owner.name);
        // Two objects of one kind, namespace and name cannot exist at the same time: an owner with
        // this object's name and another UID has been deleted.
        let is_predecessor = owner.kind == K::kind(self.kind())
            && owner.api_version.split('/').next() == K::api_version(self.kind()).split('/').next()
            && Some(name) == this.name.as_ref();
        let text = if is_predecessor {
            format!(
                "{child} belongs to the deleted {owner_kind} {name}, which this object replaces; it is created \
                 again once the garbage collector has deleted it"
            )
        } else {
            format!(
                "{child} belongs to {owner_kind} {name}; help: use another name, or remove that owner with `kubectl \
                 edit {}`",
                object::kubectl_arguments::<T>(kind, live)
            )
        };
        Err(Error::new("OwnedByAnother", text))
    }
}
