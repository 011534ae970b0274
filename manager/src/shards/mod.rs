//! Sharding: several replicas reconcile, each a part of the objects (`--shards`).
//!
//! Objects belong to shards (`cache/sharding.rs`), and each shard has a Lease. All replicas sign
//! one additional Lease (`leader/roster.rs`), and the roster decides which replica gets which shard
//! (`assign.rs`). For each of its shards, a replica is a candidate as in leader election
//! (`election.rs`). The guarantees of leader election hold per shard: the fence lets a write about
//! an object pass only while this replica holds the Lease of its shard, and the object is
//! reconciled only once the caches contain all writes of the previous shard owner.
//!
//! When a replica joins, shards are handed over: no new reconcile of such a shard starts, running
//! ones finish, and then its Lease is released.

mod assign;
pub(crate) mod election;
pub(crate) mod metrics;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use kube::Client;
use tokio::time::Instant;

use crate::cache::sharding::Sharding;
use crate::client::wrap;
use crate::error::{Error, Result};
use crate::leader::fence::Leadership;
use crate::options::Options;
use crate::watched::Watched;

/// The shard whose owner also runs everything that only one replica may run.
pub(crate) const FIRST: u32 = 0;

/// The shards of one replica.
pub(crate) struct Shards {
    /// The division of objects among shards, and the shards whose objects are cached.
    pub sharding: Sharding,
    state: Watched<ShardState>,
}

/// The shards that a replica has, and those that it should have.
#[derive(Default)]
pub(crate) struct ShardState {
    /// Shards that this replica should have.
    wanted: BTreeSet<u32>,
    /// Shards that this replica reconciles.
    terms: BTreeMap<u32, Term>,
    /// Shards that this replica no longer reconciles, but whose Lease it still holds.
    ending: BTreeSet<u32>,
}

/// The ownership of one shard, from taking it until giving it back. Clones share their state.
#[derive(Clone)]
pub(crate) struct Term {
    pub shard: u32,
    /// Since this moment, no other replica has written about the shard's objects. The moment also
    /// identifies the term: a later term of the same shard has a later one.
    pub quiet: Instant,
    /// Allows the writes of this term.
    leadership: Leadership,
    /// Number of running reconciles of the shard's objects.
    under_way: Arc<Watched<usize>>,
}

/// The shard of the object that a request is about, as an extension of the request. The in-memory
/// API server records it.
#[cfg(feature = "testing")]
#[derive(Clone, Copy, Debug)]
pub(crate) struct ShardOfRequest(pub u32);

/// A guard of a running reconcile of an object of a shard. The shard is not given back before the
/// guard is dropped, except after a time limit.
pub(crate) struct Working(Arc<Watched<usize>>);

impl Drop for Working {
    fn drop(&mut self) {
        self.0.modify(|count| {
            *count -= 1;
            true
        });
    }
}

impl Term {
    /// Creates the term of a shard whose Lease was just taken.
    pub fn new(shard: u32, quiet: Instant, leadership: Leadership) -> Self {
        Self {
            shard,
            quiet,
            leadership,
            under_way: Arc::default(),
        }
    }

    /// Returns a client that can write only during this term.
    pub fn client(&self, client: &Client) -> Client {
        let leadership = self.leadership.clone();
        #[cfg(feature = "testing")]
        let shard = ShardOfRequest(self.shard);
        wrap(client, move |request| {
            #[cfg(feature = "testing")]
            request.extensions_mut().insert(shard);
            request.extensions_mut().insert(leadership.clone());
        })
    }

    /// Waits for running reconciles, for `grace` at most. Returns false if some are still running.
    pub async fn wait_for_reconciles(&self, grace: Duration) -> bool {
        let ended = self.under_way.until(|count| (*count == 0).then_some(()));
        tokio::time::timeout(grace, ended).await.is_ok()
    }
}

impl Shards {
    /// Creates the shards of a replica. Returns `None` without sharding: then the leader reconciles
    /// every object.
    ///
    /// # Errors
    /// Returns `Contradiction` if the options also contain `--leader-election-takeover`.
    pub fn of(options: &Options) -> Result<Option<Arc<Self>>> {
        let Some(count) = options.shards else {
            return Ok(None);
        };
        if options.leader_election_takeover {
            let text = "`--leader-election-takeover` cannot be combined with `--shards`, because it takes over \
                all objects; help: remove `--shards`";
            return Err(Error::new("Contradiction", text));
        }
        let sharding = Sharding::new(count, options.shard_by);
        Ok(Some(Arc::new(Self::new(sharding))))
    }

    pub fn new(sharding: Sharding) -> Self {
        Self {
            sharding,
            state: Watched::default(),
        }
    }

    /// Returns the term of a shard, if this replica reconciles it.
    pub fn term(&self, shard: u32) -> Option<Term> {
        self.state.read(|state| state.terms.get(&shard).cloned())
    }

    /// Returns the terms of all shards that this replica reconciles, by number.
    pub fn terms(&self) -> BTreeMap<u32, Term> {
        self.state.read(|state| state.terms.clone())
    }

    /// Returns the shards whose Lease this replica holds.
    pub fn held(&self) -> BTreeSet<u32> {
        self.state.read(ShardState::held)
    }

    /// Waits until this replica reconciles a shard, and returns its term.
    pub async fn wait_for_term(&self, shard: u32) -> Term {
        self.state
            .until(|state| state.terms.get(&shard).cloned())
            .await
    }

    /// Waits until shards were taken or given back more often than `seen`, and returns how often.
    /// Returns at once if `seen` is `None`.
    pub async fn changed_after(&self, seen: Option<u64>) -> u64 {
        self.state.changed_after(seen).await
    }

    /// Counts a reconcile of an object of a shard as running, until the returned value is dropped.
    /// Returns `None` if the term that began at `quiet` is over.
    pub fn begin(&self, shard: u32, quiet: Instant) -> Option<Working> {
        self.state.read(|state| {
            let term = state.terms.get(&shard).filter(|it| it.quiet == quiet)?;
            term.under_way.modify(|count| {
                *count += 1;
                true
            });
            Some(Working(term.under_way.clone()))
        })
    }

    /// Waits until this replica should have a shard, or, if `wanted` is false, should not.
    async fn wait_until_wanted(&self, shard: u32, wanted: bool) {
        let is_so = |state: &ShardState| state.wanted.contains(&shard) == wanted;
        self.state.until(|state| is_so(state).then_some(())).await;
    }

    /// Changes the state, and caches the objects of all shards that this replica has or should
    /// have. The caches are changed before the new state is visible, so that every later list
    /// contains these objects.
    fn modify(&self, change: impl FnOnce(&mut ShardState)) {
        self.state.modify(|state| {
            change(state);
            let kept = state.held().union(&state.wanted).copied().collect();
            self.sharding.keep(kept);
            true
        });
    }

    /// Sets the shards that this replica should have.
    fn want(&self, shards: BTreeSet<u32>) {
        self.modify(|state| state.wanted = shards);
    }

    /// Starts the term of a shard whose Lease was taken.
    fn take(&self, term: Term) {
        self.modify(|state| state.terms.extend([(term.shard, term)]));
    }

    /// Stops new reconciles of a shard. Returns its term, to wait for the running ones; `None` if
    /// this replica does not reconcile the shard.
    fn end(&self, shard: u32) -> Option<Term> {
        let mut ended = None;
        self.modify(|state| {
            ended = state.terms.remove(&shard);
            state.ending.insert(shard);
        });
        ended
    }

    /// Records that the Lease of an ended shard was given back.
    fn release(&self, shard: u32) {
        self.modify(|state| state.ending.retain(|it| *it != shard));
    }
}

impl ShardState {
    /// Returns the shards whose Lease this replica holds.
    fn held(&self) -> BTreeSet<u32> {
        let terms = self.terms.keys().copied();
        terms.chain(self.ending.iter().copied()).collect()
    }
}

#[cfg(test)]
#[cfg(feature = "testing")]
#[path = "shards_tests.rs"]
mod tests;
