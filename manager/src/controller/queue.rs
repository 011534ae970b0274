//! The queue of objects to reconcile. It contains each object at most once, with the causes of its
//! next reconcile: ready, delayed, or held until its running reconcile ends.
//!
//! A cause that arrives for a delayed object makes it ready at once. The cause of the delay (a
//! retry, or a requeue that the last reconcile requested) is dropped, because the earlier reconcile
//! replaces the delayed one, and requests another if it still needs one.
//!
//! Objects that changed come first, then objects affected by another change, and last routine
//! reconciles. Every fourth reconcile takes the object that has waited longest, so that no object
//! starves.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use kube::runtime::reflector::ObjectRef;
use tokio::time::Instant;

use crate::context::cause::{Cause, Causes, Priority};
use crate::controller::workqueue::QueueMetrics;
use crate::hash::{HashMap, HashSet};
use crate::object::AnyObject;
use crate::planted::{Bug, is_planted};

/// One of this many reconciles takes the oldest object.
const FAIR: u64 = 4;

/// The queue of one controller. It starts no reconciles itself: `run.rs` takes objects from it
/// while permits are free.
pub(crate) struct Queue<K: AnyObject> {
    /// All objects in the queue.
    waiting: HashMap<Arc<ObjectRef<K>>, Waiting>,
    /// Objects that can be reconciled now, ordered by arrival.
    ready: [BTreeMap<u64, Arc<ObjectRef<K>>>; Priority::ALL.len()],
    /// Delayed objects, ordered by the time at which they become ready.
    later: BTreeMap<(Instant, u64), Arc<ObjectRef<K>>>,
    /// Objects that are being reconciled.
    running: HashSet<Arc<ObjectRef<K>>>,
    /// The last arrival number.
    added: u64,
    /// The number of calls of [`Self::take`], of which every [`FAIR`]th takes the oldest object.
    taken: u64,
    metrics: QueueMetrics,
}

struct Waiting {
    causes: Causes,
    place: Place,
    /// Since when the object could have been reconciled.
    since: Instant,
}

/// The place of an object in the queue. The numbers are arrival numbers.
#[derive(Clone, Copy)]
enum Place {
    /// Can be reconciled now.
    Ready(Priority, u64),
    /// Becomes ready at this time.
    Later(Instant, u64),
    /// Waits until the running reconcile of the object has ended.
    Held(Priority),
}

/// An object taken from the queue.
#[derive(Debug)]
pub(crate) struct QueueItem<K: AnyObject> {
    pub key: Arc<ObjectRef<K>>,
    /// The causes that were added since the last reconcile of the object began.
    pub causes: Causes,
    /// Time for which the object has been ready.
    #[cfg(feature = "otel")]
    pub waited: Duration,
}

impl<K: AnyObject> Queue<K> {
    pub fn new(metrics: QueueMetrics) -> Self {
        Self {
            waiting: HashMap::default(),
            ready: Default::default(),
            later: BTreeMap::new(),
            running: HashSet::default(),
            added: 0,
            taken: 0,
            metrics,
        }
    }

    /// Adds an object. If the queue has the object already, adds the cause, and raises the priority
    /// to that of the cause. A delayed object becomes ready instead, with this cause only.
    pub fn add(&mut self, key: ObjectRef<K>, cause: Cause, now: Instant) {
        let priority = cause.priority();
        let Some(known) = self.waiting.get_mut(&key) else {
            let key = Arc::new(key);
            self.wait(key, cause.into(), priority, now);
            return;
        };
        match known.place {
            Place::Ready(before, number) => {
                known.causes.add(cause);
                if priority < before {
                    known.place = Place::Ready(priority, number);
                    self.hop(before, priority, number);
                }
            }
            Place::Held(before) => {
                known.causes.add(cause);
                known.place = Place::Held(priority.min(before));
            }
            Place::Later(due, number) => {
                if let Some(key) = self.later.remove(&(due, number)) {
                    self.wait(key, cause.into(), priority, now);
                }
            }
        }
    }

    /// Ends the reconcile of `key`. `again` is the delay and the cause of the next one; `None`
    /// waits for a change. A cause that was added during the reconcile takes precedence. Each delay
    /// counts as a retry in the metrics, also one that the reconcile requested, as in client-go.
    pub fn done(
        &mut self,
        key: &Arc<ObjectRef<K>>,
        again: Option<(Duration, Cause)>,
        now: Instant,
    ) {
        self.running.remove(key);
        if again.as_ref().is_some_and(|(after, _)| !after.is_zero()) {
            self.metrics.retries.inc();
        }
        if let Some(held) = self.waiting.remove(key) {
            let (Place::Held(priority) | Place::Ready(priority, _)) = held.place else {
                return;
            };
            self.wait(key.clone(), held.causes, priority, now);
            return;
        }
        // `is_planted` is false except in tests, which plant this bug to prove that a simulation
        // finds it.
        let again =
            again.filter(|(_, cause)| *cause != Cause::Retry || !is_planted(Bug::LostRequeue));
        let Some((after, cause)) = again else { return };
        // A delay of more than a year counts as a year, so that the addition cannot overflow.
        let due = now + after.min(Duration::from_secs(365 * 24 * 3600));
        if due <= now {
            let priority = cause.priority();
            self.wait(key.clone(), cause.into(), priority, now);
            return;
        }
        let number = self.number();
        self.later.insert((due, number), key.clone());
        let waiting = Waiting {
            causes: cause.into(),
            place: Place::Later(due, number),
            since: due,
        };
        self.waiting.insert(key.clone(), waiting);
    }

    /// Returns the time at which the next delayed object becomes ready; `None` if none is delayed.
    pub fn next_due(&self) -> Option<Instant> {
        self.later.keys().next().map(|(due, _)| *due)
    }

    /// Moves delayed objects that are due to the ready ones. Returns true if there is a ready
    /// object.
    pub fn is_ready(&mut self, now: Instant) -> bool {
        while let Some(first) = self.later.first_entry()
            && first.key().0 <= now
        {
            let key = first.remove();
            if let Some(ripe) = self.waiting.remove(&key) {
                self.wait(key, ripe.causes, Priority::Routine, ripe.since);
            }
        }
        self.ready.iter().any(|ready| !ready.is_empty())
    }

    /// Takes the next ready object; `None` if there is none. The object counts as being reconciled
    /// until [`Self::done`] is called, and is not taken again before.
    pub fn take(&mut self, now: Instant) -> Option<QueueItem<K>> {
        self.taken += 1;
        let firsts = Priority::ALL.into_iter().filter_map(|priority| {
            let (number, _) = self.ready[priority as usize].first_key_value()?;
            Some((priority, *number))
        });
        let next = if self.taken.is_multiple_of(FAIR) {
            firsts.min_by_key(|(_, number)| *number)
        } else {
            firsts.min_by_key(|(priority, _)| *priority)
        };
        let (priority, number) = next?;
        let key = self.ready[priority as usize].remove(&number)?;
        self.metrics.depth[priority as usize].dec();
        let waited = self.waiting.remove(&key)?;
        self.running.insert(key.clone());
        let time = now.saturating_duration_since(waited.since);
        self.metrics.seconds.observe(time.as_secs_f64());
        Some(QueueItem {
            key,
            causes: waited.causes,
            #[cfg(feature = "otel")]
            waited: time,
        })
    }

    /// Adds an object that is not in the queue. It is ready since `since`, or held while it is
    /// being reconciled.
    fn wait(&mut self, key: Arc<ObjectRef<K>>, causes: Causes, priority: Priority, since: Instant) {
        let place = if self.running.contains(&key) {
            Place::Held(priority)
        } else {
            let number = self.number();
            self.ready[priority as usize].insert(number, key.clone());
            self.metrics.adds.inc();
            self.metrics.depth[priority as usize].inc();
            Place::Ready(priority, number)
        };
        let waiting = Waiting {
            causes,
            place,
            since,
        };
        self.waiting.insert(key, waiting);
    }

    /// Raises the priority of a ready object from `before` to `now`. It keeps its arrival `number`.
    fn hop(&mut self, before: Priority, now: Priority, number: u64) {
        if let Some(key) = self.ready[before as usize].remove(&number) {
            self.ready[now as usize].insert(number, key);
            self.metrics.depth[before as usize].dec();
            self.metrics.depth[now as usize].inc();
        }
    }

    /// Returns the next arrival number.
    fn number(&mut self) -> u64 {
        self.added += 1;
        self.added
    }
}

#[cfg(test)]
#[path = "queue_tests.rs"]
mod tests;
