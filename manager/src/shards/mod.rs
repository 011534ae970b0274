//! Sharding: several replicas reconcile, each a part of the objects (`--shards`).
//!
//! Objects belong to shards (`cache/share.rs`), and each shard has a Lease. All replicas sign one additional Lease
//! (`leader/roster.rs`), and the roster decides which replica gets which shard (`assign.rs`). For each of its shards, a
//! replica is a candidate as in leader election (`election.rs`). The guarantees of leader election hold per shard: the
//! fence lets a write about an object pass only while this replica holds the Lease of its shard, and the object is
//! reconciled only once the caches contain all writes of the previous shard owner.
//!
//! When a replica joins, shards are handed over: no new reconcile of such a shard starts, running ones finish, and then
//! its Lease is released.

mod assign;
pub(crate) mod election;
pub(crate) mod metrics;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use kube::Client;
use tokio::sync::watch;
use tokio::time::Instant;

use crate::cache::share::Share;
use crate::client::wrap;
use crate::error::{Error, Result};
use crate::leader::fence::Leadership;
use crate::options::Options;

/// The shard whose owner also runs everything that only one replica may run.
pub(crate) const FIRST: u32 = 0;

/// The shards of one replica.
pub(crate) struct Shards {
    pub share: Share,
    state: watch::Sender<State>,
}

/// The shards that a replica has, and those that it should have.
#[derive(Default)]
pub(crate) struct State {
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
    /// Since this moment, no other replica has written about the shard's objects.
    pub quiet: Instant,
    leadership: Leadership,
    under_way: Arc<watch::Sender<usize>>,
}

/// A running reconcile of an object of a shard; it ends when this is dropped.
pub(crate) struct Working(Arc<watch::Sender<usize>>);

impl Drop for Working {
    fn drop(&mut self) {
        self.0.send_modify(|count| *count -= 1);
    }
}

impl Term {
    pub fn new(quiet: Instant, leadership: Leadership) -> Self {
        Self {
            quiet,
            leadership,
            under_way: Arc::default(),
        }
    }

    /// Returns a client that can write only during this term.
    pub fn client(&self, client: &Client) -> Client {
        let leadership = self.leadership.clone();
        wrap(client, move |request| {
            request.extensions_mut().insert(leadership.clone());
        })
    }

    /// Waits for running reconciles, for `grace` at most. Returns false if some are still running.
    pub async fn ends(&self, grace: Duration) -> bool {
        let mut under_way = self.under_way.subscribe();
        let ended = under_way.wait_for(|count| *count == 0);
        tokio::time::timeout(grace, ended).await.is_ok()
    }
}

impl Shards {
    /// Creates the shards of a replica. Returns `None` without sharding: then the leader reconciles every object.
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
        let share = Share::new(count, options.shard_by);
        Ok(Some(Arc::new(Self::new(share))))
    }

    pub fn new(share: Share) -> Self {
        Self {
            share,
            state: watch::Sender::default(),
        }
    }

    /// Returns the term of a shard, if this replica reconciles it.
    pub fn term(&self, shard: u32) -> Option<Term> {
        self.state.borrow().terms.get(&shard).cloned()
    }

    /// Returns the terms of all shards that this replica reconciles, by number.
    pub fn terms(&self) -> BTreeMap<u32, Term> {
        self.state.borrow().terms.clone()
    }

    /// Returns the shards whose Lease this replica holds.
    pub fn held(&self) -> BTreeSet<u32> {
        self.state.borrow().held()
    }

    /// Waits until this replica reconciles a shard.
    pub async fn works_on(&self, shard: u32) -> Term {
        let mut state = self.state.subscribe();
        loop {
            if let Some(term) = state.borrow_and_update().terms.get(&shard) {
                return term.clone();
            }
            // The sender is in `self`, so the channel stays open.
            let _ = state.changed().await;
        }
    }

    /// Notifies when shards are taken or given back.
    pub fn changes(&self) -> watch::Receiver<State> {
        self.state.subscribe()
    }

    /// Begins a reconcile of an object of a shard. Returns `None` if the term is over.
    pub fn begin(&self, shard: u32, quiet: Instant) -> Option<Working> {
        let state = self.state.borrow();
        let term = state.terms.get(&shard).filter(|it| it.quiet == quiet)?;
        term.under_way.send_modify(|count| *count += 1);
        Some(Working(term.under_way.clone()))
    }

    /// Waits until this replica should have a shard, or should not.
    async fn is_wanted(&self, shard: u32, wanted: bool) {
        let mut state = self.state.subscribe();
        let is_so = |state: &State| state.wanted.contains(&shard) == wanted;
        let _ = state.wait_for(is_so).await;
    }

    /// Changes the state, and caches the objects of all shards that this replica has or should have. The caches are
    /// changed before the new state is visible, so that every later list contains these objects.
    fn modify(&self, change: impl FnOnce(&mut State)) {
        self.state.send_modify(|state| {
            change(state);
            let kept = state.held().union(&state.wanted).copied().collect();
            self.share.keep(kept);
        });
    }

    fn want(&self, shards: BTreeSet<u32>) {
        self.modify(|state| state.wanted = shards);
    }

    fn take(&self, shard: u32, term: Term) {
        self.modify(|state| state.terms.extend([(shard, term)]));
    }

    /// Stops new reconciles of a shard. Returns its term, to wait for the running ones.
    fn end(&self, shard: u32) -> Option<Term> {
        let mut ended = None;
        self.modify(|state| {
            ended = state.terms.remove(&shard);
            state.ending.insert(shard);
        });
        ended
    }

    fn gave(&self, shard: u32) {
        self.modify(|state| state.ending.retain(|it| *it != shard));
    }
}

impl State {
    fn held(&self) -> BTreeSet<u32> {
        let terms = self.terms.keys().copied();
        terms.chain(self.ending.iter().copied()).collect()
    }
}

#[cfg(test)]
#[cfg(feature = "testing")]
#[path = "shards_tests.rs"]
mod tests;
