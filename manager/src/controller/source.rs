//! The kinds that a controller watches besides its own, and how a change of one of them leads to
//! the object to reconcile.

use std::sync::Arc;

use futures::{
    FutureExt, StreamExt,
    future::BoxFuture,
    stream::{self, BoxStream},
};
use kube::{Client, runtime::reflector::ObjectRef};

use crate::{
    cache::{
        Cache, Change,
        informer::{Informer, Informers},
        watch_health::WatchHealth,
        watch_target::WatchTarget,
    },
    controller::cause::Cause,
    object::{self, Object},
};

/// One more kind to watch, its type erased until the controller starts.
pub(crate) struct Source<K: Object> {
    owned: bool,
    kind: fn(&[String]) -> WatchTarget,
    announce: fn(&Informers),
    open: Open<K>,
}

type Open<K> = Box<dyn FnOnce(&Opening<'_>, &Arc<Cache<K>>) -> Opened<K> + Send>;

/// Where and how to open sources.
pub(crate) struct Opening<'a> {
    pub operator: &'a str,
    pub field_manager: &'a str,
    pub client: &'a Client,
    pub namespaces: &'a [String],
    pub informers: &'a Informers,
    pub watched: &'a WatchHealth,
}

impl Opening<'_> {
    /// Watches a kind, whatever leads from it to the objects to reconcile.
    pub fn open<T: Object>(&self) -> Informer<T> {
        let watches = || self.watched.watches(self.client, self.namespaces);
        (self.informers).open(self.operator, self.field_manager, watches)
    }
}

pub(crate) struct Opened<K: Object> {
    /// The objects to reconcile, and why.
    pub triggers: BoxStream<'static, (ObjectRef<K>, Cause)>,
    /// Done when the cache is complete.
    pub synced: BoxFuture<'static, ()>,
    /// Keeps the cache filled and never ends.
    pub drive: BoxFuture<'static, ()>,
}

impl<K: Object> Source<K> {
    /// Children: a change leads to the owner that controls the child.
    pub fn owned<T: Object>() -> Self {
        let owner = |child: &T, _: &Cache<K>| owner(child).into_iter().collect();
        Self {
            owned: true,
            ..Self::leading(owner, Cause::Child)
        }
    }

    /// Any kind: `mapper` says which objects a change concerns.
    pub fn mapped<T: Object>(
        mapper: impl Fn(&T, &Cache<K>) -> Vec<ObjectRef<K>> + Send + Sync + 'static,
    ) -> Self {
        Self::leading(mapper, Cause::Mapped)
    }

    fn leading<T: Object>(
        mapper: impl Fn(&T, &Cache<K>) -> Vec<ObjectRef<K>> + Send + Sync + 'static,
        cause: fn(String) -> Cause,
    ) -> Self {
        let open: Open<K> = Box::new(move |opening, main| {
            let opened = opening.open::<T>();
            let main = main.clone();
            let triggers = opened.changes.map(move |change| {
                let meta = change.object().meta();
                let name = meta.name.as_deref().unwrap_or_default();
                let cause = cause(format!("{}/{name}", T::kind(&())));
                let concerned = concerned(change, &|object| mapper(object, &main));
                concerned.into_iter().map(move |key| (key, cause.clone()))
            });
            Opened {
                triggers: triggers.flat_map(stream::iter).boxed(),
                synced: async move { opened.cache.synced().await }.boxed(),
                drive: opened.drive,
            }
        });
        Self {
            kind: WatchTarget::of::<T>,
            announce: Informers::announce::<T>,
            owned: false,
            open,
        }
    }

    pub fn kind(&self, namespaces: &[String]) -> WatchTarget {
        let mut kind = (self.kind)(namespaces);
        kind.owned = self.owned;
        kind
    }

    /// Says that it will be watched.
    pub fn announce(&self, informers: &Informers) {
        (self.announce)(informers);
    }

    /// Opens it for a controller; `main` has the objects of the controller's own kind.
    pub fn open(self, opening: &Opening<'_>, main: &Arc<Cache<K>>) -> Opened<K> {
        (self.open)(opening, main)
    }
}

/// Both what an object was and what it is matter: it may have changed hands.
fn concerned<K: Object, T: Object>(
    change: Change<T>,
    mapper: &impl Fn(&T) -> Vec<ObjectRef<K>>,
) -> Vec<ObjectRef<K>> {
    match change {
        Change::Applied { before, now } => {
            let mut refs = mapper(&now);
            for earlier in before.iter().flat_map(|before| mapper(before)) {
                if !refs.contains(&earlier) {
                    refs.push(earlier);
                }
            }
            refs
        }
        Change::Removed(last) => mapper(&last),
    }
}

/// The `K` that controls `child`, by kind and group; the version does not matter.
fn owner<K: Object, T: Object>(child: &T) -> Option<ObjectRef<K>> {
    let mut owners = child.meta().owner_references.iter().flatten();
    let owner = owners.find(|owner| {
        let group = owner
            .api_version
            .rsplit_once('/')
            .map_or("", |(group, _)| group);
        owner.controller == Some(true) && owner.kind == K::kind(&()) && group == K::group(&())
    })?;
    let key = ObjectRef::new(&owner.name);
    match child
        .meta()
        .namespace
        .as_deref()
        .filter(|_| object::namespaced::<K>())
    {
        Some(namespace) => Some(key.within(namespace)),
        None => Some(key),
    }
}

#[cfg(test)]
mod tests {
    use k8s_openapi::{
        api::{
            apps::v1::{Deployment, ReplicaSet},
            core::v1::{ConfigMap, Node},
        },
        apimachinery::pkg::apis::meta::v1::OwnerReference,
    };

    use super::*;

    fn child(owner: &str, api_version: &str, kind: &str, controller: bool) -> ConfigMap {
        let mut child = ConfigMap::default();
        child.metadata.namespace = Some("ns".into());
        child.metadata.owner_references = Some(vec![OwnerReference {
            name: owner.into(),
            api_version: api_version.into(),
            kind: kind.into(),
            controller: Some(controller),
            ..OwnerReference::default()
        }]);
        child
    }

    #[test]
    fn the_controlling_owner_of_the_kind_is_found() {
        let found = owner::<Deployment, _>(&child("web", "apps/v1", "Deployment", true));
        assert_eq!(found, Some(ObjectRef::new("web").within("ns")));
        assert!(
            owner::<Deployment, _>(&child("web", "apps/v1beta2", "Deployment", true)).is_some()
        );
        assert_eq!(
            owner::<Deployment, _>(&child("web", "apps/v1", "Deployment", false)),
            None
        );
        assert_eq!(
            owner::<Deployment, _>(&child("web", "other/v1", "Deployment", true)),
            None
        );
        assert_eq!(
            owner::<ReplicaSet, _>(&child("web", "apps/v1", "Deployment", true)),
            None
        );
    }

    #[test]
    fn a_cluster_scoped_owner_has_no_namespace() {
        assert_eq!(
            owner::<Node, _>(&child("n1", "v1", "Node", true)),
            Some(ObjectRef::new("n1"))
        );
    }

    #[test]
    fn a_child_that_changes_hands_concerns_both_owners() {
        let change = Change::Applied {
            before: Some(Arc::new(child("old", "apps/v1", "Deployment", true))),
            now: Arc::new(child("new", "apps/v1", "Deployment", true)),
        };
        let refs = concerned::<Deployment, _>(change, &|child: &ConfigMap| {
            owner(child).into_iter().collect()
        });
        assert_eq!(
            refs.iter().map(|r| r.name.as_str()).collect::<Vec<_>>(),
            ["new", "old"]
        );
    }
}
