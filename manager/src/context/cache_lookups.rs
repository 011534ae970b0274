//! Cache lookups of a reconcile, for kinds known at compile time or at run time. Each `.._of` does
//! the same as the function of [`Context`] that has its name without `_of`, for a kind that is
//! passed: `get_of` as [`Context::get`], `get_in_of` as [`Context::get_in`], `by_of` as
//! [`Context::by_index`].

use std::sync::Arc;

use kube::Api;
use kube::api::ListParams;
use kube::runtime::reflector::{ObjectRef, Store};

use crate::cache::{Cache, caches::Caches, index, informer::not_watched, undecoded::Undecoded};
use crate::context::Context;
use crate::error::{Error, Result};
use crate::hash::HashSet;
use crate::object::{self, AnyObject, KindOf};

/// Number of objects per page of a live list.
const PAGE: u32 = 500;

impl<K: AnyObject> Context<K> {
    /// Returns the kind of the reconciled object.
    pub(crate) fn kind(&self) -> &K::DynamicType {
        &self.shared.main.kind
    }

    /// Returns the kind of a child: from its type or, if it is known only at run time, from the
    /// kinds that the controller watches.
    ///
    /// # Errors
    /// Returns `NotWatched` if the kind is known only at run time and the controller does not watch
    /// it.
    pub(crate) fn kind_of<T: AnyObject>(&self, child: &T) -> Result<T::DynamicType> {
        let known = self.shared.watched.iter();
        T::DynamicType::of_object(child, known.map(|watched| &watched.kind))
    }

    pub(crate) fn api_of<T: AnyObject>(&self, kind: &T::DynamicType) -> Api<T> {
        let namespace = self.object.meta().namespace.as_deref();
        kind.api(self.client().clone(), namespace)
    }

    pub(crate) fn get_of<T: AnyObject>(
        &self,
        kind: &T::DynamicType,
        name: &str,
    ) -> Result<Option<Arc<T>>> {
        self.require_namespace::<T>(kind, name)?;
        let namespace = self.object.meta().namespace.as_deref();
        self.get_in_of(kind, namespace, name)
    }

    /// Rejects the name of a namespaced object if the reconciled object has no namespace in which
    /// to look it up, with the reason `NoNamespace`.
    pub(crate) fn require_namespace<T: AnyObject>(
        &self,
        kind: &T::DynamicType,
        name: &str,
    ) -> Result<()> {
        if !kind.is_namespaced() || self.object.meta().namespace.is_some() {
            return Ok(());
        }
        let owner = K::kind(self.kind());
        let (kind_name, get_in) = (T::kind(kind), kind.call("get_in"));
        let get_in = get_in.trim_end_matches("()");
        let text = format!(
            "cannot look up {kind_name} `{name}`: it is namespaced, and {owner} is cluster-scoped; help: pass its namespace \
             with `ctx.{get_in}(namespace, {name:?})`, and delete it with `ctx.delete_object(&object)`"
        );
        Err(Error::new("NoNamespace", text))
    }

    pub(crate) fn get_in_of<T: AnyObject>(
        &self,
        kind: &T::DynamicType,
        namespace: Option<&str>,
        name: &str,
    ) -> Result<Option<Arc<T>>> {
        let caches = self.shared.complete::<T>(kind)?;
        let key = object::key(kind, name, namespace);
        match caches.get(&key) {
            Some((_, object)) => Ok(Some(object)),
            None if caches.cover(&key) => Ok(None),
            None if caches.are_by_name() => Err(not_named::<T>(kind, &key, &caches)),
            None => {
                let why = format!("it does not contain {name:?}");
                Err(not_selected::<T>(kind, &why))
            }
        }
    }

    pub(crate) fn store_of<T: AnyObject>(&self, kind: &T::DynamicType) -> Result<Store<T>> {
        let caches = self.shared.complete::<T>(kind)?;
        let watched = self.shared.watched::<T>(kind);
        let mut parts = watched.map(|watched| &watched.watch);
        // A store of kube is one cache: that of the only selector of this controller or, if it has
        // none or several, the cache of the whole kind.
        let first = parts.next();
        let only = first.filter(|first| parts.all(|part| part == *first));
        let cache = only.and_then(|only| caches.of(only));
        match cache.or_else(|| caches.whole()) {
            Some(cache) => Ok(cache.reader().clone()),
            None => Err(not_selected::<T>(
                kind,
                "no single watch of this controller covers it",
            )),
        }
    }

    pub(crate) fn children_of<T: AnyObject>(&self, kind: &T::DynamicType) -> Result<Vec<Arc<T>>> {
        let caches = self.shared.complete::<T>(kind)?;
        if caches.are_by_name() {
            return Err(not_watched::<T>(kind));
        }
        let uid = self.object.meta().uid.as_deref().unwrap_or_default();
        // The index costs memory and time, so only caches of which children are requested have it.
        let owned = |cache: &Arc<Cache<T>>| {
            cache.under(index::OWNER, uid).unwrap_or_else(|| {
                cache.index(index::OWNER, index::owners());
                cache.under(index::OWNER, uid).unwrap_or_default()
            })
        };
        let keys: HashSet<_> = caches.seen().flat_map(owned).collect();
        // The newest version of an object, which may be in another cache, may have another owner.
        let is_child =
            |object: &Arc<T>| object::controller(object.meta()).is_some_and(|it| it.uid == uid);
        let mut children: Vec<_> = keys
            .iter()
            .filter_map(|key| Some(caches.get(key)?.1))
            .filter(is_child)
            .collect();
        children.sort_by(|one, other| {
            let [one, other] = [one, other].map(|it| (&it.meta().namespace, &it.meta().name));
            one.cmp(&other)
        });
        Ok(children)
    }

    pub(crate) async fn live_children_of<T: AnyObject>(
        &self,
        kind: &T::DynamicType,
    ) -> Result<Vec<Arc<T>>> {
        let namespace = self.object.meta().namespace.as_deref();
        let api = kind.api::<Undecoded<T>>(self.client().clone(), namespace);
        let uid = self.object.meta().uid.as_deref().unwrap_or_default();
        let is_child = |object: &Undecoded<T>| {
            object::controller(&object.metadata()).is_some_and(|owner| owner.uid == uid)
        };
        let mut children = Vec::new();
        let mut params = ListParams::default().limit(PAGE);
        loop {
            let page = api.list(&params).await?;
            for child in page.items.into_iter().filter(is_child) {
                children.push(child.fits(kind)?.object);
            }
            params.continue_token = page.metadata.continue_.filter(|token| !token.is_empty());
            if params.continue_token.is_none() {
                return Ok(children);
            }
        }
    }

    pub(crate) fn by_of<T: AnyObject>(
        &self,
        kind: &T::DynamicType,
        index: &str,
        value: &str,
    ) -> Result<Vec<Arc<T>>> {
        let caches = self.shared.complete::<T>(kind)?;
        let name = index::name(&self.shared.field_manager, index);
        let found = caches.seen();
        let found = found.filter_map(|cache| cache.under(&name, value));
        let found: Vec<Vec<ObjectRef<T>>> = found.collect();
        if found.is_empty() {
            let kind = T::kind(kind);
            let text = format!(
                "this controller has no index {index:?} of {kind}; help: add `.indexed_by({index:?}, |it: &{kind}| ..)`"
            );
            return Err(Error::new("NotIndexed", text));
        }
        let keys: HashSet<_> = found.into_iter().flatten().collect();
        let objects = keys.iter().filter_map(|key| Some(caches.get(key)?.1));
        Ok(objects.collect())
    }
}

/// Returns the error for an object of a kind of which only named objects are cached: no object
/// names it, or the operator does not watch its namespace.
fn not_named<T: AnyObject>(kind: &T::DynamicType, key: &ObjectRef<T>, caches: &Caches<T>) -> Error {
    let (kind_name, name) = (T::kind(kind), &key.name);
    let namespace = key.namespace.as_deref();
    let mut all = caches.all.iter();
    if !all.any(|cache| cache.watches_namespace(namespace)) {
        let text = format!(
            "the operator does not watch the namespace `{}` of {kind_name} `{name}`; help: add it to `--watch-namespace`",
            namespace.unwrap_or_default()
        );
        return Error::new("NotSelected", text);
    }
    let (refers_to, api) = (kind.call("refers_to"), kind.call("api"));
    let text = format!(
        "cannot read {kind_name} `{name}` from the cache, which contains only named objects: no object names it; help: return \
         `{name}` from the function in `{refers_to}`, or read it from the API server with `ctx.{api}`"
    );
    Error::new("NotNamed", text)
}

/// Returns the error for an object that is not cached, but may exist. `why` continues the sentence
/// that the cache contains only selected objects.
fn not_selected<T: AnyObject>(kind: &T::DynamicType, why: &str) -> Error {
    let (name, api) = (T::kind(kind), kind.call("api"));
    let text = format!(
        "the cache contains only selected {name} objects, and {why}; help: read from the API server with \
         `ctx.{api}`, or widen the watch"
    );
    Error::new("NotSelected", text)
}
