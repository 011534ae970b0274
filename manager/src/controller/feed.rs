//! The watch streams of a controller, merged into one stream of objects to reconcile, and the
//! futures that must complete before the first reconcile.

use std::{iter, sync::Arc};

use futures::{
    FutureExt, Stream, StreamExt,
    future::{self, BoxFuture},
    stream::{self, BoxStream, SelectAll},
};
use kube::runtime::reflector::ObjectRef;

use crate::cache::{Cache, change::Change, freshness::Freshness, informer::Informer};
use crate::context::cause::Cause;
use crate::controller::{
    panics, reconcile::differ_vitally, source::Opened, state::ControllerState,
};
use crate::leader::replica_state::ReplicaState;
use crate::object::{self, AnyObject};

/// The streams and futures of all kinds that a controller watches, its own kind first.
pub(crate) struct Feed<K: AnyObject> {
    /// The objects to reconcile, each with its cause.
    pub triggers: SelectAll<BoxStream<'static, (ObjectRef<K>, Cause)>>,
    /// One future for each kind, which completes when the cache of the kind has been filled.
    pub synced: Vec<BoxFuture<'static, ()>>,
    /// One future for each kind, which keeps its cache up to date and never completes.
    pub drive: Vec<BoxFuture<'static, ()>>,
    /// For each kind, the moment up to which its cache contains every write.
    pub freshness: Vec<Arc<Freshness>>,
}

impl<K: AnyObject> Feed<K> {
    /// Merges the streams of a controller's own kind and of the other kinds that it watches.
    /// `replica_state` shows when this replica begins to lead.
    pub fn new(
        state: &Arc<ControllerState<K>>,
        replica_state: &ReplicaState,
        own: Informer<K>,
        others: Vec<Opened<K>>,
    ) -> Self {
        let main = own.cache;
        let mut feed = Self {
            triggers: SelectAll::from_iter([all(main.clone(), replica_state.clone()).boxed()]),
            synced: Vec::new(),
            drive: Vec::new(),
            freshness: Vec::new(),
        };
        let own = Opened {
            triggers: worth_reconciling(own.changes, state.clone()).boxed(),
            freshness: main.freshness.clone(),
            synced: async move { main.synced().await }.boxed(),
            drive: own.drive,
            read: None,
        };
        for opened in iter::once(own).chain(others) {
            feed.triggers.push(opened.triggers);
            feed.synced.push(opened.synced);
            feed.drive.push(opened.drive);
            feed.freshness.push(opened.freshness);
        }
        // The objects of the shards that this replica takes over.
        if let Some(owned_shards) = state.owned_shards.clone() {
            let starts = owned_shards.starts(feed.freshness.clone());
            feed.triggers.push(starts.boxed());
        }
        feed
    }

    /// Adds a stream of objects to reconcile, which is polled from the moment at which this replica
    /// leads.
    pub fn add(&mut self, replica_state: &ReplicaState, trigger: BoxStream<'static, ObjectRef<K>>) {
        let replica_state = replica_state.clone();
        let leads = async move { replica_state.wait_until_leading().await };
        let trigger = trigger.map(|key| (key, Cause::Trigger));
        self.triggers
            .push(leads.map(|_| trigger).flatten_stream().boxed());
    }
}

/// Returns every object that the cache holds when this replica begins to lead.
fn all<K: AnyObject>(
    main: Arc<Cache<K>>,
    replica_state: ReplicaState,
) -> impl Stream<Item = (ObjectRef<K>, Cause)> + Send + 'static {
    let listed = async move {
        main.synced().await;
        replica_state.wait_until_leading().await;
        stream::iter(main.keys().into_iter().map(|key| (key, Cause::Start)))
    };
    listed.flatten_stream()
}

/// Returns the objects that are new, and those with a change that is vital or satisfies the
/// controller's predicate. A predicate that panics filters out nothing. Forgets the failures and
/// the reconcile loops recorded for removed ones.
fn worth_reconciling<K: AnyObject>(
    changes: impl Stream<Item = Change<K>> + Send + 'static,
    state: Arc<ControllerState<K>>,
) -> impl Stream<Item = (ObjectRef<K>, Cause)> + Send + 'static {
    changes.filter_map(move |change| {
        let kind = &state.shared.main.kind;
        let key = object::key_of(kind, change.object().meta());
        future::ready(match change {
            Change::Applied { before: None, .. } => Some((key, Cause::Changed)),
            Change::Applied {
                before: Some(before),
                now,
            } => {
                let (before_meta, meta) = (before.meta(), now.meta());
                let vital = differ_vitally(kind, before.as_ref(), now.as_ref());
                let cause = if object::differ_besides_status(before_meta, meta) {
                    Cause::Changed
                } else {
                    Cause::Status
                };
                let satisfies = || {
                    let predicate = || (state.predicate)(&before, &now);
                    panics::contain(&state.metrics, "the predicate", meta, predicate)
                        .unwrap_or(true)
                };
                (vital || satisfies()).then_some((key, cause))
            }
            Change::Removed(_) => {
                state.failures.reset(&key);
                state.loops.forget(&key);
                None
            }
        })
    })
}
