//! The kinds that a controller watches in addition to its own, and how a change of one leads to the
//! object to reconcile.

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
use crate::context::{Prune, ReadReferences, cause::Cause};
use crate::controller::metrics::ControllerMetrics;
use crate::controller::panics;
use crate::controller::references::{NamesOf, References};
use crate::controller::runnable::Environment;
use crate::object::{self, AnyObject};

/// An additional kind to watch, with its type erased until the controller starts.
pub(crate) struct Source<K: AnyObject> {
    owned: bool,
    settings: WatchSettings,
    target: Target,
    announce: Announce,
    /// Deletes the children of this kind that are no longer in an object's set.
    pub prune: Prune<K>,
    open: Open<K>,
}

/// Announces that the kind will be watched.
type Announce = Box<dyn Fn(&Informers, &Watch) + Send>;

/// Returns the watch target of the kind in these namespaces.
type Target = Box<dyn Fn(&[String]) -> WatchTarget + Send>;

type Open<K> = Box<dyn FnOnce(&Opening<'_>, WatchSettings, &Arc<Cache<K>>) -> Opened<K> + Send>;

/// A controller's settings for a watched kind.
#[derive(Clone, Debug, Default)]
pub(crate) struct WatchSettings {
    pub watch: Watch,
    /// True if the CRD of the kind may be missing.
    pub optional: bool,
}

/// The environment in which sources are opened.
pub(crate) struct Opening<'a> {
    pub environment: &'a Environment,
    pub field_manager: &'a str,
    pub metrics: &'a Arc<ControllerMetrics>,
    pub health: &'a WatchHealth,
}

impl Opening<'_> {
    /// Opens the informer of a kind.
    pub fn open<T: AnyObject>(
        &self,
        kind: &T::DynamicType,
        settings: WatchSettings,
    ) -> Informer<T> {
        let (of, health) = (self.environment, self.health);
        let watch = settings.watch.of_operator(&of.operator);
        let client = of.client.clone();
        let client = match &watch.sharding {
            Some(sharding) => sharding.client(&client),
            None => client,
        };
        let watches = || health.watches::<T>(&client, kind, &of.namespaces, of.page);
        let informers = &of.informers;
        let informer = informers.open(kind, &of.operator, self.field_manager, watch, watches);
        informer.cache.index(set::MEMBERS, set::sets());
        if !settings.optional {
            informer.cache.availability.require();
        }
        informer
    }
}

pub(crate) struct Opened<K: AnyObject> {
    /// The objects to reconcile, with the cause.
    pub triggers: BoxStream<'static, (ObjectRef<K>, Cause)>,
    /// Completes when the cache is filled.
    pub synced: BoxFuture<'static, ()>,
    /// Keeps the cache filled; never completes.
    pub drive: BoxFuture<'static, ()>,
    /// The moment up to which the cache contains every write.
    pub freshness: Arc<Freshness>,
    /// Reads the objects that an object names. `None` unless [`Source::named`] created the source.
    pub read: Option<ReadReferences<K>>,
}

impl<K: AnyObject> Source<K> {
    /// Creates a source for children: a change leads to the owner that controls the child.
    pub fn owned<T: AnyObject>(kind: T::DynamicType) -> Self {
        let owner = |child: &T, main: &Cache<K>| owner(&main.kind, child).into_iter().collect();
        Self {
            owned: true,
            ..Self::leading(kind, owner, Cause::Child)
        }
    }

    /// Creates a source for any kind: `mapper` returns the objects that a change concerns.
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

    /// Creates a source for the objects that the controller's objects name.
    pub fn named<T: AnyObject>(kind: T::DynamicType, names: impl NamesOf<K>) -> Self {
        let of_open = kind.clone();
        let open: Open<K> = Box::new(move |opening, settings, main| {
            let opened = opening.open::<T>(&of_open, settings);
            let references = References::new(main.clone(), opened.cache.clone(), names);
            let references = Arc::new(references);
            // Yields nothing: drops the names in removed objects while it is polled.
            let deleted = references.clone().deleted(opening.field_manager);
            let owners = references.clone();
            let mapper = move |object: &T| Some(owners.owners(object.meta()));
            let triggers = triggers(&of_open, opened.changes, mapper, main, Cause::Mapped);
            Opened {
                triggers: stream::select(triggers, deleted).boxed(),
                freshness: opened.cache.freshness.clone(),
                synced: async move { opened.cache.synced().await }.boxed(),
                drive: opened.drive,
                read: Some(Arc::new(move |context| {
                    let references = references.clone();
                    async move { references.read(&context).await }.boxed()
                })),
            }
        });
        Self::opened_by::<T>(kind, open).only(Watch::by_name())
    }

    fn leading<T: AnyObject>(
        kind: T::DynamicType,
        mapper: impl Fn(&T, &Cache<K>) -> Vec<ObjectRef<K>> + Send + Sync + 'static,
        cause: fn(String) -> Cause,
    ) -> Self {
        let of_open = kind.clone();
        let open: Open<K> = Box::new(move |opening, settings, main| {
            let optional = settings.optional;
            let opened = opening.open::<T>(&of_open, settings);
            let availability = availability_changes(&opened.cache, main);
            let (metrics, of_mapper) = (opening.metrics.clone(), main.clone());
            let name = format!("the mapper of {}", T::kind(&of_open));
            let mapper = move |object: &T| {
                let call = || mapper(object, &of_mapper);
                panics::contain(&metrics, &name, object.meta(), call)
            };
            let triggers = triggers(&of_open, opened.changes, mapper, main, cause);
            Opened {
                read: None,
                triggers: if optional {
                    stream::select(triggers, availability).boxed()
                } else {
                    triggers.boxed()
                },
                freshness: opened.cache.freshness.clone(),
                synced: async move { opened.cache.synced().await }.boxed(),
                drive: opened.drive,
            }
        });
        Self::opened_by::<T>(kind, open)
    }

    fn opened_by<T: AnyObject>(kind: T::DynamicType, open: Open<K>) -> Self {
        let (of_target, of_announce) = (kind.clone(), kind.clone());
        Self {
            settings: WatchSettings::default(),
            target: Box::new(move |namespaces| WatchTarget::of::<T>(&of_target, namespaces)),
            announce: Box::new(move |informers, watch| {
                informers.announce::<T>(&of_announce, watch);
            }),
            prune: set::prune::<K, T>(kind),
            owned: false,
            open,
        }
    }

    /// Sets all settings of the source.
    pub fn with_settings(mut self, settings: WatchSettings) -> Self {
        self.settings = settings;
        self
    }

    /// Limits the source to the objects that `watch` selects.
    pub fn only(mut self, watch: Watch) -> Self {
        self.settings.watch = watch;
        self
    }

    /// Makes the kind optional.
    pub fn if_served(mut self) -> Self {
        self.settings.optional = true;
        self
    }

    /// Returns the watch target of the source, from which the preflight checks are derived and by
    /// which contexts know what the controller watches.
    pub fn target(&self, operator: &str, namespaces: &[String]) -> WatchTarget {
        let mut target = (self.target)(namespaces);
        target.owned = self.owned;
        target.optional = self.settings.optional;
        target.watch = self.settings.watch.clone().of_operator(operator);
        target
    }

    /// Returns the call with a selector that cannot be parsed, as code.
    pub fn invalid_selector(&self) -> Option<&str> {
        self.settings.watch.invalid_call()
    }

    /// Announces that the kind will be watched. Until then, a read from the cache by another
    /// controller fails with `NotSynced` and not with `NotWatched`.
    pub fn announce(&self, informers: &Informers) {
        (self.announce)(informers, &self.settings.watch);
    }

    /// Opens the source for a controller. `main` is the cache of the controller's own kind.
    pub fn open(self, opening: &Opening<'_>, main: &Arc<Cache<K>>) -> Opened<K> {
        (self.open)(opening, self.settings, main)
    }
}

/// Returns the objects that each change concerns according to `mapper`, with the cause. If `mapper`
/// returns `None`, because it panicked, these are all objects in `main`: each may be concerned.
fn triggers<K: AnyObject, T: AnyObject>(
    kind: &T::DynamicType,
    changes: BoxStream<'static, Change<T>>,
    mapper: impl Fn(&T) -> Option<Vec<ObjectRef<K>>> + Send + 'static,
    main: &Arc<Cache<K>>,
    cause: fn(String) -> Cause,
) -> impl Stream<Item = (ObjectRef<K>, Cause)> + Send + 'static {
    let (kind, main) = (kind.clone(), main.clone());
    let triggers = changes.map(move |change| {
        let meta = change.object().meta();
        let name = meta.name.as_deref().unwrap_or_default();
        let cause = cause(format!("{}/{name}", T::kind(&kind)));
        let concerned = concerned(change, &mapper).unwrap_or_else(|| main.keys());
        concerned.into_iter().map(move |key| (key, cause.clone()))
    });
    triggers.flat_map(stream::iter)
}

/// Returns all objects of a controller whenever a kind starts or stops being served: each may need
/// a child of that kind, or must do without.
fn availability_changes<K: AnyObject, T: AnyObject>(
    of: &Arc<Cache<T>>,
    main: &Arc<Cache<K>>,
) -> impl Stream<Item = (ObjectRef<K>, Cause)> + Send + use<K, T> {
    let (of, main) = (of.clone(), main.clone());
    let changes = of.availability.changes();
    let all = move |()| {
        let cause = Cause::Mapped(T::plural(&of.kind).into_owned());
        let all = main.keys().into_iter();
        stream::iter(all.map(move |key| (key, cause.clone())))
    };
    changes.flat_map(all)
}

/// Returns the objects that a change concerns, mapped from both the old and the new state: the
/// owner may have changed. `None` if `mapper` returns `None` for one of them.
fn concerned<K: AnyObject, T: AnyObject>(
    change: Change<T>,
    mapper: &impl Fn(&T) -> Option<Vec<ObjectRef<K>>>,
) -> Option<Vec<ObjectRef<K>>> {
    match change {
        Change::Applied { before, now } => {
            let mut refs = mapper(&now)?;
            let Some(before) = before else {
                return Some(refs);
            };
            for earlier in mapper(&before)? {
                if !refs.contains(&earlier) {
                    refs.push(earlier);
                }
            }
            Some(refs)
        }
        Change::Removed(last) => mapper(&last),
    }
}

/// Returns the `K` that controls `child`, matched by kind and group; the version is ignored.
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
            Some(owner(&(), child).into_iter().collect())
        });
        let refs = refs.unwrap();
        assert_eq!(
            refs.iter().map(|r| r.name.as_str()).collect::<Vec<_>>(),
            ["new", "old"]
        );
    }
}
