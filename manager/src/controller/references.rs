//! References by name: which objects of a kind the objects of a controller name.
//!
//! The names of an object are computed when it is reconciled, from the state that the reconcile
//! gets. Objects that are named for the first time are read before the user's function is called,
//! so the function never sees an object as missing that was only not read yet. A standby, and a
//! replica that does not own an object's shard, reconcile nothing and so read nothing.

use std::sync::Arc;

use futures::{Stream, StreamExt, future};
use kube::core::ObjectMeta;
use kube::runtime::reflector::ObjectRef;
use parking_lot::Mutex;

use crate::cache::Cache;
use crate::cache::change::Change;
use crate::context::Context;
use crate::context::cause::Cause;
use crate::controller::object_name::ObjectName;
use crate::error::{Error, Result};
use crate::hash::{HashMap, HashSet};
use crate::object::{self, AnyObject, KindOf};
use crate::rbac::Permission;

/// A function that returns the names in an object, for
/// [`Controller::refers_to`](crate::Controller::refers_to). Every function from `&K` to a
/// collection of names implements it.
pub trait NamesOf<K>: Fn(&K) -> <Self as NamesOf<K>>::Names + Send + Sync + 'static {
    /// The collection of names.
    type Names: IntoIterator<Item: Into<ObjectName>>;
}

impl<K, F, I> NamesOf<K> for F
where
    F: Fn(&K) -> I + Send + Sync + 'static,
    I: IntoIterator<Item: Into<ObjectName>>,
{
    type Names = I;
}

/// A function that returns the names in an object.
type Names<K> = Box<dyn Fn(&K) -> Vec<ObjectName> + Send + Sync>;

/// The objects of kind `T` that the objects of a controller name.
pub(crate) struct References<K: AnyObject, T: AnyObject> {
    main: Arc<Cache<K>>,
    cache: Arc<Cache<T>>,
    names: Names<K>,
    named: Mutex<Named<K, T>>,
}

/// The recorded names, in both directions.
struct Named<K: AnyObject, T: AnyObject> {
    /// For each object of the controller, the objects that it names.
    by_owner: HashMap<ObjectRef<K>, HashSet<ObjectRef<T>>>,
    /// For each named object, the objects that name it.
    owners: HashMap<ObjectRef<T>, HashSet<ObjectRef<K>>>,
}

impl<K: AnyObject, T: AnyObject> References<K, T> {
    /// `main` is the cache of the controller's own kind, `cache` that of the named objects.
    pub fn new(main: Arc<Cache<K>>, cache: Arc<Cache<T>>, names: impl NamesOf<K>) -> Self {
        let names = move |owner: &K| names(owner).into_iter().map(Into::into).collect();
        Self {
            main,
            cache,
            names: Box::new(names),
            named: Mutex::new(Named {
                by_owner: HashMap::default(),
                owners: HashMap::default(),
            }),
        }
    }

    /// Returns the objects that name the object with the metadata `meta`.
    pub fn owners(&self, meta: &ObjectMeta) -> Vec<ObjectRef<K>> {
        let named = self.named.lock();
        let owners = named.owners.get(&self.cache.key_of(meta));
        owners.into_iter().flatten().cloned().collect()
    }

    /// Records the names in the reconciled object, and reads the objects that are named for the
    /// first time.
    ///
    /// # Errors
    /// Returns `NoNamespace` if a name needs a namespace and has none, and the API server's error
    /// if an object cannot be read.
    pub async fn read(&self, context: &Context<K>) -> Result<()> {
        let keys = self.keys(&context.object)?;
        let owner = context.object_ref();
        self.set(&owner, keys.clone());
        // If the object was deleted since the reconcile began, `deleted` has seen the removal
        // already and would not drop names that are recorded now.
        if !self.main.has(&owner) {
            self.set(&owner, HashSet::default());
            return Ok(());
        }
        let unread = keys.iter().filter(|key| !self.cache.has_read(key));
        let reads = unread.map(|key| self.cache.read(context.client(), key));
        future::try_join_all(reads).await.map_err(|error| {
            let kind = &self.cache.kind;
            let needed = ["get", "list", "watch"];
            let needed = Permission::new(&T::group(kind), T::plural(kind), &needed);
            Error::from(error).needs(&needed)
        })?;
        Ok(())
    }

    /// Returns a stream that drops the names in objects that are deleted, or that moved to another
    /// replica. It never yields an object: the caller merges it into the streams of the controller
    /// only so that it is polled. `field_manager` is that of the controller.
    pub fn deleted(
        self: Arc<Self>,
        field_manager: &str,
    ) -> impl Stream<Item = (ObjectRef<K>, Cause)> + Send + use<K, T> {
        let changes = self.main.listen(field_manager);
        changes.filter_map(move |change| {
            if let Change::Removed(last) = change {
                self.set(&self.main.key_of(last.meta()), HashSet::default());
            }
            future::ready(None)
        })
    }

    /// Returns the keys of the objects that an object names, in the namespaces that the operator
    /// watches. A name in another namespace is left out: no watch would report its changes.
    fn keys(&self, owner: &K) -> Result<HashSet<ObjectRef<T>>> {
        let kind = &self.cache.kind;
        let mut keys = HashSet::default();
        for ObjectName { namespace, name } in (self.names)(owner) {
            let namespace = namespace.or_else(|| owner.meta().namespace.clone());
            if kind.is_namespaced() && namespace.is_none() {
                let text = format!(
                    "cannot read {} `{name}`: the object that names it has no namespace; help: return `(namespace, name)` \
                     from the function in `{}`",
                    T::kind(kind),
                    kind.call("refers_to"),
                );
                return Err(Error::new("NoNamespace", text));
            }
            let key = object::key::<T>(kind, &name, namespace.as_deref());
            if self.cache.watches_namespace(key.namespace.as_deref()) {
                keys.insert(key);
            }
        }
        Ok(keys)
    }

    /// Replaces the recorded names of an object, and names or unnames the objects in the cache.
    fn set(&self, owner: &ObjectRef<K>, keys: HashSet<ObjectRef<T>>) {
        let Named { by_owner, owners } = &mut *self.named.lock();
        let before = by_owner.remove(owner).unwrap_or_default();
        for key in keys.difference(&before) {
            self.cache.name(key);
            owners.entry(key.clone()).or_default().insert(owner.clone());
        }
        for key in before.difference(&keys) {
            self.cache.unname(key);
            if let Some(of_key) = owners.get_mut(key) {
                of_key.remove(owner);
                if of_key.is_empty() {
                    owners.remove(key);
                }
            }
        }
        if !keys.is_empty() {
            by_owner.insert(owner.clone(), keys);
        }
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;
    use k8s_openapi::api::core::v1::{ConfigMap, Secret};
    use kube::Client;

    use super::*;
    use crate::cache::change::WatchScope;
    use crate::cache::selection::Watch;
    use crate::cache::tests::{known_to, map};
    use crate::context::{Draft, Run};
    use crate::controller::reconcile::tests::state;
    use crate::mock::{self, MockMetrics};

    type OfMaps = Arc<References<ConfigMap, Secret>>;

    /// Returns the references of `ConfigMap`s, each of which names the Secret `login`.
    fn references(main: &Arc<Cache<ConfigMap>>, scopes: &[WatchScope]) -> OfMaps {
        let scopes = scopes.iter().cloned();
        let secrets = Cache::<Secret>::new((), "op", Watch::by_name(), scopes);
        let names = |_: &ConfigMap| ["login"];
        Arc::new(References::new(main.clone(), secrets, names))
    }

    fn context(client: Client, main: Arc<Cache<ConfigMap>>) -> Context<ConfigMap> {
        let state = state(client.clone(), main, &MockMetrics::new());
        Context {
            object: Arc::new(map("a", 1)),
            client,
            shared: state.shared.clone(),
            draft: Draft::default(),
            run: Arc::new(Run::default()),
        }
    }

    fn is_named(references: &OfMaps) -> bool {
        let login = ObjectRef::new("login").within("ns");
        references.cache.record_named_event(&login)
    }

    #[tokio::test]
    async fn an_object_that_was_deleted_before_its_reconcile_names_nothing() {
        let (client, _server) = mock::client();
        let main = known_to(&[]);
        let references = references(&main, &[None]);
        let read = context(client, main);
        references.read(&read).now_or_never().unwrap().unwrap();
        assert!(!is_named(&references));
    }

    #[tokio::test]
    async fn a_secret_in_a_namespace_that_is_not_watched_is_not_read() {
        let (client, _server) = mock::client();
        let main = known_to(&[map("a", 1)]);
        let references = references(&main, &[Some("other".to_owned())]);
        let read = context(client, main);
        references.read(&read).now_or_never().unwrap().unwrap();
        assert!(!is_named(&references));
    }

    #[tokio::test]
    async fn an_object_that_moves_to_another_replica_drops_its_names() {
        use std::pin::pin;

        use crate::{ShardBy, cache::sharding::Sharding};

        let (client, _server) = mock::client();
        let main = known_to(&[map("a", 1)]);
        let references = references(&main, &[None]);
        let mut deleted = pin!(references.clone().deleted("op/me"));
        let read = context(client, main.clone());
        // The API server does not answer, so the Secret is named and not yet read.
        assert!(references.read(&read).now_or_never().is_none());
        assert!(is_named(&references));
        for change in main.forget_others(&Sharding::new(2, ShardBy::Uid)) {
            main.notify(&change);
        }
        assert!(deleted.next().now_or_never().is_none());
        assert!(!is_named(&references));
    }
}
