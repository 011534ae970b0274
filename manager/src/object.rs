//! What a Kubernetes kind must be able to do so that a controller can watch, read or apply it.

use std::fmt::Debug;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;
use kube::core::{ClusterResourceScope, DynamicObject, NamespaceResourceScope, ObjectMeta};
use kube::runtime::reflector::ObjectRef;
use kube::{Api, Client, Resource};
use serde::de::DeserializeOwned;

/// A kind known at compile time: every kind of k8s-openapi, every derived custom resource, and
/// `kube::core::PartialObjectMeta` of either, for which only metadata is fetched and kept.
///
/// It is implemented for whatever satisfies it; there is nothing to implement by hand.
pub trait Object:
    Resource<DynamicType = (), Scope: Scope> + Clone + Debug + DeserializeOwned + Send + Sync + 'static
{
}

impl<K> Object for K where
    K: Resource<DynamicType = (), Scope: Scope>
        + Clone
        + Debug
        + DeserializeOwned
        + Send
        + Sync
        + 'static
{
}

/// An object, whatever its kind.
pub type AnyRef = ObjectRef<DynamicObject>;

/// Whether objects of a kind live in namespaces. Implemented by kube's two scopes.
pub trait Scope: private::Sealed + Sized + 'static {
    /// True for kinds whose objects have a namespace.
    const NAMESPACED: bool;

    /// An `Api` for one namespace, or for all of them when `namespace` is `None`. A cluster-scoped
    /// kind has no use for a namespace and ignores it.
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
    impl Sealed for super::NamespaceResourceScope {}
    impl Sealed for super::ClusterResourceScope {}
}

/// True when objects of `K` live in namespaces.
pub(crate) const fn namespaced<K: Object>() -> bool {
    <K::Scope as Scope>::NAMESPACED
}

/// Where objects of `K` are listed: in each of the namespaces, or once for the whole cluster.
pub(crate) fn places<K: Object>(namespaces: &[String]) -> Vec<Option<&str>> {
    if namespaces.is_empty() || !namespaced::<K>() {
        return vec![None];
    }
    namespaces.iter().map(|name| Some(name.as_str())).collect()
}

/// Where an object of `K` is found that is seen from `namespace`: there, or nowhere in particular.
pub(crate) fn key<K: Object>(name: &str, namespace: Option<&str>) -> ObjectRef<K> {
    match namespace.filter(|_| namespaced::<K>()) {
        Some(namespace) => ObjectRef::new(name).within(namespace),
        None => ObjectRef::new(name),
    }
}

/// `namespace/name`, or `name` for a cluster-scoped object: how objects are called in logs.
pub(crate) fn label(meta: &ObjectMeta) -> String {
    let name = meta.name.as_deref().unwrap_or_default();
    match meta.namespace.as_deref() {
        Some(namespace) => format!("{namespace}/{name}"),
        None => name.to_owned(),
    }
}

/// The resource version of an object as a number.
pub(crate) fn version(meta: &ObjectMeta) -> u64 {
    meta.resource_version.as_deref().map_or(0, number)
}

/// A resource version as a number. Kubernetes promises since 1.35 that it is one, and that a larger one is
/// newer; anything else counts as 0, older than all.
pub(crate) fn number(resource_version: &str) -> u64 {
    resource_version.parse().unwrap_or(0)
}

/// Whether two states of an object differ in more than its status. Kinds without a generation do not
/// tell their status apart from the rest, so for them every difference counts.
pub(crate) fn differ_besides_status(before: &ObjectMeta, now: &ObjectMeta) -> bool {
    let versions = now.generation.is_none() && before.resource_version != now.resource_version;
    versions
        || differ_vitally(before, now)
        || before.generation != now.generation
        || before.labels != now.labels
        || before.annotations != now.annotations
        || before.owner_references != now.owner_references
}

/// Deletion and finalizers: without them an object could be stuck. And an older state than before: it was
/// restored from a backup, and even what the operator itself wrote may be gone.
pub(crate) fn differ_vitally(before: &ObjectMeta, now: &ObjectMeta) -> bool {
    version(before) > version(now)
        || before.uid != now.uid
        || before.deletion_timestamp != now.deletion_timestamp
        || before.finalizers != now.finalizers
}

/// The owner that controls an object.
pub(crate) fn controller(meta: &ObjectMeta) -> Option<&OwnerReference> {
    let mut owners = meta.owner_references.iter().flatten();
    owners.find(|owner| owner.controller == Some(true))
}
