//! What a Kubernetes kind must be able to do so that a controller can watch, read or apply it.

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
/// `kube::core::PartialObjectMeta` of either, for which only metadata is fetched and kept.
///
/// It is implemented for whatever satisfies it; there is nothing to implement by hand.
pub trait Object: AnyObject + Resource<DynamicType = (), Scope: Scope> {}

impl<K> Object for K where K: AnyObject + Resource<DynamicType = (), Scope: Scope> {}

/// A kind known at compile time, which is an [`Object`], or, with the feature `dynamic`, at run time: `DynamicObject`.
///
/// It is implemented for whatever satisfies it; there is nothing to implement by hand.
pub trait AnyObject:
    Resource<DynamicType: KindOf<Self>> + Clone + Debug + DeserializeOwned + Send + Sync + 'static
{
}

impl<K> AnyObject for K where
    K: Resource<DynamicType: KindOf<K>> + Clone + Debug + DeserializeOwned + Send + Sync + 'static
{
}

/// What is known of a kind at run time: nothing where the type says it all.
pub trait KindOf<K: Resource>:
    private::Sealed + Clone + Debug + Eq + Hash + Send + Sync + 'static
{
    /// The kind, if it is not known at compile time.
    fn at_run_time(&self) -> Option<&Kind>;

    /// True when its objects have a namespace.
    fn is_namespaced(&self) -> bool;

    /// How a method is called for it, for texts that say what mends something.
    fn call(&self, word: &str) -> String;

    /// As [`Scope::api`].
    fn api<R>(&self, client: Client, namespace: Option<&str>) -> Api<R>
    where
        R: Resource<DynamicType = Self, Scope = K::Scope>;

    /// The kind of an object, which is one of `known` unless its type says it.
    ///
    /// # Errors
    /// When it is not among them (`NotWatched`).
    fn of_object<'a>(object: &K, known: impl Iterator<Item = &'a Kind>) -> Result<Self>;

    /// The name of the kind of an object, and its group.
    fn name_and_group(object: &K) -> (Cow<'_, str>, Cow<'_, str>);

    /// An object from its JSON, and that JSON.
    ///
    /// # Errors
    /// When it does not fit its type.
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

/// Which kind it is of all that are known at compile or at run time.
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
pub(crate) struct Identity(TypeId, Option<Kind>);

impl Identity {
    pub fn of<K: AnyObject>(kind: &K::DynamicType) -> Self {
        Self(TypeId::of::<K>(), kind.at_run_time().cloned())
    }
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
    impl Sealed for () {}
    impl Sealed for super::Kind {}
    impl Sealed for super::NamespaceResourceScope {}
    impl Sealed for super::ClusterResourceScope {}
}

/// A kind that is known at compile or at run time.
pub(crate) fn erase<K: AnyObject>(kind: &K::DynamicType) -> Kind {
    let resource = || ApiResource::erase::<K>(kind);
    let at_compile_time = || Kind::known(resource(), kind.is_namespaced());
    kind.at_run_time().cloned().unwrap_or_else(at_compile_time)
}

/// Where objects of a kind are listed: in each of the namespaces, or once for the whole cluster.
pub(crate) fn places<'a, K: AnyObject>(
    kind: &K::DynamicType,
    namespaces: &'a [String],
) -> Vec<Option<&'a str>> {
    if namespaces.is_empty() || !kind.is_namespaced() {
        return vec![None];
    }
    namespaces.iter().map(|name| Some(name.as_str())).collect()
}

/// Where an object of a kind is found that is seen from `namespace`: there, or nowhere in particular.
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

pub(crate) fn key_of<K: AnyObject>(kind: &K::DynamicType, meta: &ObjectMeta) -> ObjectRef<K> {
    let key = ObjectRef::new_with(meta.name.as_deref().unwrap_or_default(), kind.clone());
    match meta.namespace.as_deref() {
        Some(namespace) => key.within(namespace),
        None => key,
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

/// The annotation by which users say something to the controller of a kind: `<group>/<name>`.
pub(crate) fn annotation<K: AnyObject>(kind: &K::DynamicType, name: &str) -> String {
    match &*K::group(kind) {
        // A kind of Kubernetes' core has no group.
        "" => format!("core/{name}"),
        group => format!("{group}/{name}"),
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
