//! The traits of kinds that a controller can watch, read or apply.

use std::any::TypeId;
use std::borrow::Cow;
use std::fmt::Debug;
use std::hash::Hash;
use std::sync::Arc;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;
use kube::core::{ClusterResourceScope, DynamicObject, NamespaceResourceScope, ObjectMeta};
use kube::discovery::ApiResource;
use kube::runtime::reflector::ObjectRef;
use kube::{Api, Client, Resource};
use serde::de::DeserializeOwned;

use crate::error::Result;
use crate::kind::Kind;

/// A kind known at compile time: every kind of k8s-openapi, every derived custom resource, and
/// `kube::core::PartialObjectMeta` of either, for which only metadata is fetched and cached.
///
/// A blanket implementation covers every type that satisfies the bounds.
pub trait Object: AnyObject + Resource<DynamicType = (), Scope: Scope> {}

impl<K> Object for K where K: AnyObject + Resource<DynamicType = (), Scope: Scope> {}

/// A kind known at compile time (an [`Object`]) or, with the feature `dynamic`, at run time
/// (`DynamicObject`).
///
/// A blanket implementation covers every type that satisfies the bounds.
pub trait AnyObject:
    Resource<DynamicType: KindOf<Self>> + Clone + Debug + DeserializeOwned + Send + Sync + 'static
{
}

impl<K> AnyObject for K where
    K: Resource<DynamicType: KindOf<K>> + Clone + Debug + DeserializeOwned + Send + Sync + 'static
{
}

/// The `DynamicType` of a kind: `()` for a kind known at compile time, else `Kind`.
pub trait KindOf<K: Resource>:
    private::Sealed + Clone + Debug + Eq + Hash + Send + Sync + 'static
{
    /// Returns the kind if it is known only at run time, else `None`.
    fn at_run_time(&self) -> Option<&Kind>;

    /// Returns true if objects of the kind have a namespace, false if they are cluster-scoped.
    fn is_namespaced(&self) -> bool;

    /// Returns the call of the method `word` for this kind, such as `owns::<Secret>()`, for the
    /// hints in error messages.
    fn call(&self, word: &str) -> String;

    /// Returns the `Api` of the kind, like [`Scope::api`].
    fn api<R>(&self, client: Client, namespace: Option<&str>) -> Api<R>
    where
        R: Resource<DynamicType = Self, Scope = K::Scope>;

    /// Returns the kind of an object. A kind known only at run time is looked up in `known`.
    ///
    /// # Errors
    /// Returns `NotWatched` if `known` does not contain the kind.
    fn of_object<'a>(object: &K, known: impl Iterator<Item = &'a Kind>) -> Result<Self>;

    /// Returns the name and the group of an object's kind, such as `Deployment` and `apps`. The
    /// group is empty for the core group.
    fn name_and_group(object: &K) -> (Cow<'_, str>, Cow<'_, str>);

    /// Decodes an object from JSON. Returns it with the text to cache, which is `text` or, if that
    /// lacks the names of the kind, the text with them.
    ///
    /// # Errors
    /// Returns an error if the JSON does not fit the type.
    fn decode(&self, text: String) -> serde_json::Result<(Arc<K>, String)>;
}

impl<K: Resource<DynamicType = (), Scope: Scope> + DeserializeOwned> KindOf<K> for () {
    fn at_run_time(&self) -> Option<&Kind> {
        None
    }

    fn is_namespaced(&self) -> bool {
        K::Scope::NAMESPACED
    }

    fn call(&self, word: &str) -> String {
        format!("{word}::<{}>()", K::kind(self))
    }

    fn api<R>(&self, client: Client, namespace: Option<&str>) -> Api<R>
    where
        R: Resource<DynamicType = (), Scope = K::Scope>,
    {
        K::Scope::api(client, namespace)
    }

    fn of_object<'a>(_: &K, _: impl Iterator<Item = &'a Kind>) -> Result<Self> {
        Ok(())
    }

    fn name_and_group(_: &K) -> (Cow<'_, str>, Cow<'_, str>) {
        (K::kind(&()), K::group(&()))
    }

    fn decode(&self, text: String) -> serde_json::Result<(Arc<K>, String)> {
        Ok((Arc::new(serde_json::from_str(&text)?), text))
    }
}

/// The identity of a kind, known at compile time or at run time, for use as a key.
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
pub(crate) struct Identity(TypeId, Option<Kind>);

impl Identity {
    /// Returns the identity of a kind. Two Rust types are two kinds, even with the same API names.
    pub fn of<K: AnyObject>(kind: &K::DynamicType) -> Self {
        Self(TypeId::of::<K>(), kind.at_run_time().cloned())
    }
}

/// A reference to an object of any kind: its name, its namespace if it has one, and the names of
/// its kind. The `DynamicObject` in this type is that of kube, not the one of this crate.
pub type AnyRef = ObjectRef<DynamicObject>;

/// The scope of a kind: namespaced or cluster-scoped. Implemented by kube's two scope types.
pub trait Scope: private::Sealed + Sized + 'static {
    /// True if objects of the kind have a namespace.
    const NAMESPACED: bool;

    /// Returns an `Api` for one namespace, or for all namespaces if `namespace` is `None`. A
    /// cluster-scoped kind ignores `namespace`.
    fn api<K>(client: Client, namespace: Option<&str>) -> Api<K>
    where
        K: Resource<DynamicType = (), Scope = Self>;
}

impl Scope for NamespaceResourceScope {
    const NAMESPACED: bool = true;

    fn api<K>(client: Client, namespace: Option<&str>) -> Api<K>
    where
        K: Resource<DynamicType = (), Scope = Self>,
    {
        match namespace {
            Some(namespace) => Api::namespaced(client, namespace),
            None => Api::all(client),
        }
    }
}

impl Scope for ClusterResourceScope {
    const NAMESPACED: bool = false;

    fn api<K>(client: Client, _namespace: Option<&str>) -> Api<K>
    where
        K: Resource<DynamicType = (), Scope = Self>,
    {
        Api::all(client)
    }
}

mod private {
    pub trait Sealed {}
    impl Sealed for () {}
    impl Sealed for super::Kind {}
    impl Sealed for super::NamespaceResourceScope {}
    impl Sealed for super::ClusterResourceScope {}
}

/// Converts a kind known at compile time into a [`Kind`].
pub(crate) fn erase<K: AnyObject>(kind: &K::DynamicType) -> Kind {
    let resource = || ApiResource::erase::<K>(kind);
    let at_compile_time = || Kind::known(resource(), kind.is_namespaced());
    kind.at_run_time().cloned().unwrap_or_else(at_compile_time)
}

/// Returns the namespaces in which objects of a kind are listed. `None` stands for the whole
/// cluster.
pub(crate) fn places<'a, K: AnyObject>(
    kind: &K::DynamicType,
    namespaces: &'a [String],
) -> Vec<Option<&'a str>> {
    if namespaces.is_empty() || !kind.is_namespaced() {
        return vec![None];
    }
    namespaces.iter().map(|name| Some(name.as_str())).collect()
}

/// Returns the key of an object in `namespace`, which is ignored for a cluster-scoped kind.
pub(crate) fn key<K: AnyObject>(
    kind: &K::DynamicType,
    name: &str,
    namespace: Option<&str>,
) -> ObjectRef<K> {
    let key = ObjectRef::new_with(name, kind.clone());
    match namespace.filter(|_| kind.is_namespaced()) {
        Some(namespace) => key.within(namespace),
        None => key,
    }
}

/// Returns the key of the object with this metadata.
pub(crate) fn key_of<K: AnyObject>(kind: &K::DynamicType, meta: &ObjectMeta) -> ObjectRef<K> {
    let key = ObjectRef::new_with(meta.name.as_deref().unwrap_or_default(), kind.clone());
    match meta.namespace.as_deref() {
        Some(namespace) => key.within(namespace),
        None => key,
    }
}

/// Returns `namespace/name`, or `name` for a cluster-scoped object. Logs use this form.
pub(crate) fn label(meta: &ObjectMeta) -> String {
    let name = meta.name.as_deref().unwrap_or_default();
    match meta.namespace.as_deref() {
        Some(namespace) => format!("{namespace}/{name}"),
        None => name.to_owned(),
    }
}

/// Returns the arguments of kubectl that name an object: `deployments.apps web
/// --namespace=default`.
pub(crate) fn kubectl_arguments<T: AnyObject>(kind: &T::DynamicType, meta: &ObjectMeta) -> String {
    let group = T::group(kind);
    let dot = if group.is_empty() { "" } else { "." };
    let name = meta.name.as_deref().unwrap_or_default();
    let namespace = meta.namespace.as_deref();
    let namespace = namespace.map_or_else(String::new, |it| format!(" --namespace={it}"));
    format!("{}{dot}{group} {name}{namespace}", T::plural(kind))
}

/// Returns the name of an annotation by which users control the controller of a kind:
/// `<group>/<name>`.
pub(crate) fn annotation<K: AnyObject>(kind: &K::DynamicType, name: &str) -> String {
    match &*K::group(kind) {
        // A kind of the core group has no group name.
        "" => format!("core/{name}"),
        group => format!("{group}/{name}"),
    }
}

/// Returns the resource version of an object as a number; 0 if it has none. See [`number`].
pub(crate) fn version(meta: &ObjectMeta) -> u64 {
    meta.resource_version.as_deref().map_or(0, number)
}

/// Returns a resource version as a number. Since 1.35, Kubernetes guarantees that it is a number
/// and that a larger one is newer. Any other value counts as 0, older than all.
pub(crate) fn number(resource_version: &str) -> u64 {
    resource_version.parse().unwrap_or(0)
}

/// Returns true if two states of an object differ in more than the status, as their metadata shows:
/// the API server increases the generation when the spec changes. For a kind without a generation,
/// status changes look like others, so every difference counts.
pub(crate) fn differ_besides_status(before: &ObjectMeta, now: &ObjectMeta) -> bool {
    let versions = now.generation.is_none() && before.resource_version != now.resource_version;
    versions
        || differ_vitally(before, now)
        || before.generation != now.generation
        || before.labels != now.labels
        || before.annotations != now.annotations
        || before.owner_references != now.owner_references
}

/// Returns true if the deletion, the finalizers or the identity changed, or if the object is older
/// than before. Without the first two an object could be stuck. An older state was restored from a
/// backup, which may also have undone the operator's own writes.
pub(crate) fn differ_vitally(before: &ObjectMeta, now: &ObjectMeta) -> bool {
    version(before) > version(now)
        || before.uid != now.uid
        || before.deletion_timestamp != now.deletion_timestamp
        || before.finalizers != now.finalizers
}

/// Returns the owner reference with `controller: true`, of which an object has at most one. `None`
/// if nothing controls the object.
pub(crate) fn controller(meta: &ObjectMeta) -> Option<&OwnerReference> {
    let mut owners = meta.owner_references.iter().flatten();
    owners.find(|owner| owner.controller == Some(true))
}
