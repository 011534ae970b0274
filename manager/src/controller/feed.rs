//! What the watches of a controller give it: the objects to look at, and when its caches can be relied upon.

use std::{iter, sync::Arc};

use futures::{
    FutureExt, Stream, StreamExt,
    future::{self, BoxFuture},
    stream::{self, BoxStream, SelectAll},
};
use kube::runtime::reflector::ObjectRef;

use crate::cache::{Cache, change::Change, freshness::Freshness, informer::Informer};
use crate::context::cause::Cause;
use crate::controller::{reconcile::differ_vitally, source::Opened, state::State};
use crate::leader::standing::Standing;
use crate::object::{self, AnyObject};

/// Of all kinds that a controller watches, its own first.
pub(crate) struct Feed<K: AnyObject> {
    /// The objects to reconcile, and why.
    pub triggers: SelectAll<BoxStream<'static, (ObjectRef<K>, Cause)>>,
    /// Each done when a cache is complete.
    pub lists: Vec<BoxFuture<'static, ()>>,
    /// Each keeps a cache filled and never ends.
    pub drive: Vec<BoxFuture<'static, ()>>,
    /// Each says how new a cache is.
    pub freshness: Vec<Arc<Freshness>>,
}

impl<K: AnyObject> Feed<K> {
    pub fn new(
        state: &Arc<State<K>>,
        standing: &Standing,
        own: Informer<K>,
        others: Vec<Opened<K>>,
        streams: Vec<BoxStream<'static, ObjectRef<K>>>,
    ) -> Self {
        let main = own.cache;
        let mut feed = Self {
            triggers: SelectAll::from_iter([all(main.clone(), standing.clone()).boxed()]),
            lists: Vec::new(),
            drive: Vec::new(),
            freshness: Vec::new(),
        };
        let own = Opened {
            triggers: worth_reconciling(own.changes, state.clone()).boxed(),
            freshness: main.freshness.clone(),
            synced: async move { main.synced().await }.boxed(),
            drive: own.drive,
        };
        for opened in iter::once(own).chain(others) {
            feed.triggers.push(opened.triggers);
            feed.lists.push(opened.synced);
            feed.drive.push(opened.drive);
            feed.freshness.push(opened.freshness);
        }
        for stream in streams {
            let standing = standing.clone();
            let leads = async move { standing.lead().await };
            let stream = stream.map(|key| (key, Cause::Trigger));
            let stream = leads.map(|_| stream).flatten_stream();
            feed.triggers.push(stream.boxed());
        }
        #[cfg(feature = "shards")]
        if let Some(sharing) = state.sharing.clone() {
            let starts = sharing.starts(feed.freshness.clone());
            feed.triggers.push(starts.boxed());
        }
        feed
    }
}

/// Every object that there is when the work begins.
fn all<K: AnyObject>(
    main: Arc<Cache<K>>,
    standing: Standing,
) -> impl Stream<Item = (ObjectRef<K>, Cause)> + Send + 'static {
    let listed = async move {
        main.synced().await;
        standing.lead().await;
        stream::iter(main.keys().into_iter().map(|key| (key, Cause::Start)))
    };
    listed.flatten_stream()
}

/// The objects whose change matters. An object that is gone has no failures any more.
fn worth_reconciling<K: AnyObject>(
    changes: impl Stream<Item = Change<K>> + Send + 'static,
    state: Arc<State<K>>,
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
                (vital || (state.matters)(&before, &now)).then_some((key, cause))
            }
            Change::Removed(_) => {
                state.failures.reset(&key);
                state.loops.end(&key);
                None
            }
        })
    })
}
