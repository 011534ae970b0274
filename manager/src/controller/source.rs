//! The kinds that a controller watches besides its own, and how a change of one of them leads to
//! the object to reconcile.

use std::sync::Arc;

use futures::{
    FutureExt, Stream, StreamExt,
    future::BoxFuture,
    stream::{self, BoxStream},
};
use kube::runtime::reflector::ObjectRef;

use crate::apply::set;
use crate::cache::Cache;
use crate::cache::change::Change;
use crate::cache::freshness::Freshness;
use crate::cache::informer::{Informer, Informers};
use crate::cache::selection::Watch;
use crate::cache::watch_health::WatchHealth;
use crate::cache::watch_target::WatchTarget;
use crate::context::{Prune, cause::Cause};
use crate::controller::runnable::Environment;
use crate::object::{self, AnyObject};

/// One more kind to watch, its type erased until the controller starts.
pub(crate) struct Source<K: AnyObject> {
    owned: bool,
    wanted: Wanted,
    target: Target,
    announce: Box<dyn Fn(&Informers) + Send>,
    pub prune: Prune<K>,
    open: Open<K>,
}

/// What is watched of it in these namespaces.
type Target = Box<dyn Fn(&[String]) -> WatchTarget + Send>;

type Open<K> = Box<dyn FnOnce(&Opening<'_>, Wanted, &Arc<Cache<K>>) -> Opened<K> + Send>;

/// What a controller wants of a kind.
#[derive(Default)]
pub(crate) struct Wanted {
    pub watch: Watch,
    /// It can do without it.
    pub optional: bool,
}

/// Where and how to open sources.
pub(crate) struct Opening<'a> {
    pub environment: &'a Environment,
    pub field_manager: &'a str,
    pub health: &'a WatchHealth,
}

impl Opening<'_> {
    /// Watches a kind, whatever leads from it to the objects to reconcile.
    pub fn open<T: AnyObject>(&self, kind: &T::DynamicType, wanted: Wanted) -> Informer<T> {
        let (of, health) = (self.environment, self.health);
        let watch = wanted.watch.of_operator(&of.operator);
        let client = of.client.clone();
        #[cfg(feature = "shards")]
        let client = match &watch.share {
            Some(share) => share.client(&client),
            None => client,
        };
        let watches = || health.watches(&client, kind, &of.namespaces, of.page);
        let informers = &of.informers;
        let informer = informers.open(kind, &of.operator, self.field_manager, watch, watches);
        informer.cache.index(set::MEMBERS, set::sets());
        if !wanted.optional {
            informer.cache.served.require();
        }
        informer
    }
}

pub(crate) struct Opened<K: AnyObject> {
    /// The objects to reconcile, and why.
    pub triggers: BoxStream<'static, (ObjectRef<K>, Cause)>,
    /// Done when the cache is complete.
    pub synced: BoxFuture<'static, ()>,
    /// Keeps the cache filled and never ends.
    pub drive: BoxFuture<'static, ()>,
    pub freshness: Arc<Freshness>,
}

impl<K: AnyObject> Source<K> {
    /// Children: a change leads to the owner that controls the child.
    pub fn owned<T: AnyObject>(kind: T::DynamicType) -> Self {
        let owner = |child: &T, main: &Cache<K>| owner(&main.kind, child).into_iter().collect();
        Self {
            owned: true,
            ..Self::leading(kind, owner, Cause::Child)
        }
    }

    /// Any kind: `mapper` says which objects a change concerns.
    pub fn mapped<T: AnyObject, I>(
        kind: T::DynamicType,
        mapper: impl Fn(&T, &Cache<K>) -> I + Send + Sync + 'static,
    ) -> Self
    where
        I: IntoIterator<Item = ObjectRef<K>>,
    {
        let mapper = move |object: &T, main: &Cache<K>| mapper(object, main).into_iter().collect();
        Self::leading(kind, mapper, Cause::Mapped)
    }

    fn leading<T: AnyObject>(
        kind: T::DynamicType,
        mapper: impl Fn(&T, &Cache<K>) -> Vec<ObjectRef<K>> + Send + Sync + 'static,
        cause: fn(String) -> Cause,
    ) -> Self {
        let (of_target, of_announce) = (kind.clone(), kind.clone());
        let prune = set::prune::<K, T>(kind.clone());
        let open: Open<K> = Box::new(move |opening, wanted, main| {
            let optional = wanted.optional;
            let opened = opening.open::<T>(&kind, wanted);
            let turns = turns(&opened.cache, main);
            let main = main.clone();
            let triggers = opened.changes.map(move |change| {
                let meta = change.object().meta();
                let name = meta.name.as_deref().unwrap_or_default();
                let cause = cause(format!("{}/{name}", T::kind(&kind)));
                let concerned = concerned(change, &|object| mapper(object, &main));
                concerned.into_iter().map(move |key| (key, cause.clone()))
            });
            let triggers = triggers.flat_map(stream::iter);
            Opened {
                triggers: if optional {
                    stream::select(triggers, turns).boxed()
                } else {
                    triggers.boxed()
                },
                freshness: opened.cache.freshness.clone(),
                synced: async move { opened.cache.synced().await }.boxed(),
                drive: opened.drive,
            }
        });
        Self {
            wanted: Wanted::default(),
            target: Box::new(move |namespaces| WatchTarget::of::<T>(&of_target, namespaces)),
            announce: Box::new(move |informers| informers.announce::<T>(&of_announce)),
            prune,
            owned: false,
            open,
        }
    }

    /// What is wanted of the kind.
    #[cfg(feature = "dynamic")]
    pub fn wanting(mut self, wanted: Wanted) -> Self {
        self.wanted = wanted;
        self
    }

    /// Only what is selected.
    pub fn only(mut self, watch: Watch) -> Self {
        self.wanted.watch = watch;
        self
    }

    /// The controller can do without it.
    pub fn if_served(mut self) -> Self {
        self.wanted.optional = true;
        self
    }

    pub fn target(&self, operator: &str, namespaces: &[String]) -> WatchTarget {
        let mut target = (self.target)(namespaces);
        target.owned = self.owned;
        target.optional = self.wanted.optional;
        target.watch = self.wanted.watch.clone().of_operator(operator);
        target
    }

    /// Says that it will be watched.
    pub fn announce(&self, informers: &Informers) {
        (self.announce)(informers);
    }

    /// Opens it for a controller; `main` has the objects of the controller's own kind.
    pub fn open(self, opening: &Opening<'_>, main: &Arc<Cache<K>>) -> Opened<K> {
        (self.open)(opening, self.wanted, main)
    }
}

/// Every object of a controller, whenever a kind begins or ceases to be served: each may want to have one, or to do
/// without.
fn turns<K: AnyObject, T: AnyObject>(
    of: &Arc<Cache<T>>,
    main: &Arc<Cache<K>>,
) -> impl Stream<Item = (ObjectRef<K>, Cause)> + Send + use<K, T> {
    let (of, main) = (of.clone(), main.clone());
    let turns = of.served.turns();
    let all = move |()| {
        let cause = Cause::Mapped(T::plural(&of.kind).into_owned());
        let all = main.keys().into_iter();
        stream::iter(all.map(move |key| (key, cause.clone())))
    };
    turns.flat_map(all)
}

/// Both what an object was and what it is matter: it may have changed hands.
fn concerned<K: AnyObject, T: AnyObject>(
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
fn owner<K: AnyObject, T: AnyObject>(kind: &K::DynamicType, child: &T) -> Option<ObjectRef<K>> {
    let mut owners = child.meta().owner_references.iter().flatten();
    let owner = owners.find(|owner| {
        let group = owner
            .api_version
            .rsplit_once('/')
            .map_or("", |(group, _)| group);
        owner.controller == Some(true) && owner.kind == K::kind(kind) && group == K::group(kind)
    })?;
    Some(object::key(
        kind,
        &owner.name,
        child.meta().namespace.as_deref(),
    ))
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::{
        apps::v1::{Deployment, ReplicaSet},
        core::v1::{ConfigMap, Node},
    };
    use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;

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
        let found = owner::<Deployment, _>(&(), &child("web", "apps/v1", "Deployment", true));
        assert_eq!(found, Some(ObjectRef::new("web").within("ns")));
        assert!(
            owner::<Deployment, _>(&(), &child("web", "apps/v1beta2", "Deployment", true))
                .is_some()
        );
        assert_eq!(
            owner::<Deployment, _>(&(), &child("web", "apps/v1", "Deployment", false)),
            None
        );
        assert_eq!(
            owner::<Deployment, _>(&(), &child("web", "other/v1", "Deployment", true)),
            None
        );
        assert_eq!(
            owner::<ReplicaSet, _>(&(), &child("web", "apps/v1", "Deployment", true)),
            None
        );
    }

    #[test]
    fn a_cluster_scoped_owner_has_no_namespace() {
        assert_eq!(
            owner::<Node, _>(&(), &child("n1", "v1", "Node", true)),
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
            owner(&(), child).into_iter().collect()
        });
        assert_eq!(
            refs.iter().map(|r| r.name.as_str()).collect::<Vec<_>>(),
            ["new", "old"]
        );
    }
}
