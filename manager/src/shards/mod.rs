//! Several replicas at work, each on its part of the objects: `--shards`.
//!
//! The objects are in shards (`cache/share.rs`), and each shard has a Lease. All replicas sign in on one Lease more
//! (`leader/roster.rs`); who is on it decides who is to have which shard (`assign.rs`), and for each shard that it is to
//! have a replica is a candidate, as for the one Lease of a leader (`election.rs`). Of that everything stays as it is:
//! writes about an object pass the fence only while the Lease of its shard holds, and it is worked on only once the
//! caches have all that the replica before wrote.
//!
//! A shard is handed over when somebody joins: no reconcile of it starts any more, those under way finish, and then the
//! Lease is given back.

mod assign;
pub(crate) mod election;
pub(crate) mod metrics;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use kube::Client;
use tokio::sync::watch;

use crate::cache::share::Share;
use crate::client::wrap;
use crate::error::{Error, Result};
use crate::leader::fence::Leadership;
use crate::options::Options;

/// The shard whose replica runs what only one is to run.
pub(crate) const FIRST: u32 = 0;

/// The shards of one replica.
pub(crate) struct Shards {
    pub share: Share,
    state: watch::Sender<State>,
}

/// What a replica has, and what it is to have.
#[derive(Default)]
pub(crate) struct State {
    /// Those that it is to have.
    wanted: BTreeSet<u32>,
    /// Those that it works on.
    terms: BTreeMap<u32, Term>,
    /// Those that it works on no more, and whose Lease it has still.
    ending: BTreeSet<u32>,
}

/// One shard, from when it was taken until it is given back. Cheap to clone; all clones are one.
#[derive(Clone)]
pub(crate) struct Term {
    /// Nobody else has written about its objects since then.
    pub quiet: Instant,
    leadership: Leadership,
    under_way: Arc<watch::Sender<usize>>,
}

/// A reconcile of an object of a shard, under way until this is dropped.
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

    /// A client that writes only while this term lasts.
    pub fn client(&self, client: &Client) -> Client {
        let leadership = self.leadership.clone();
        wrap(client, move |request| {
            request.extensions_mut().insert(leadership.clone());
        })
    }

    /// Waits until nothing is under way any more, but no longer than that. False when something is.
    pub async fn ends(&self, grace: Duration) -> bool {
        let mut under_way = self.under_way.subscribe();
        let ended = under_way.wait_for(|count| *count == 0);
        tokio::time::timeout(grace, ended).await.is_ok()
    }
}

impl Shards {
    /// `None` if every object is for whoever leads.
    ///
    /// # Errors
    /// When this replica is to take everything over.
    pub fn of(options: &Options) -> Result<Option<Arc<Self>>> {
        let Some(count) = options.shards else {
            return Ok(None);
        };
        if options.leader_election_takeover {
            let text = "`--leader-election-takeover` takes all objects, so leave out `--shards`";
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

    /// The term of a shard that this replica works on.
    pub fn term(&self, shard: u32) -> Option<Term> {
        self.state.borrow().terms.get(&shard).cloned()
    }

    /// What it works on, by number.
    pub fn terms(&self) -> BTreeMap<u32, Term> {
        self.state.borrow().terms.clone()
    }

    /// Whose Lease it has.
    pub fn held(&self) -> BTreeSet<u32> {
        self.state.borrow().held()
    }

    /// Waits until this replica works on a shard.
    pub async fn works_on(&self, shard: u32) -> Term {
        let mut state = self.state.subscribe();
        loop {
            if let Some(term) = state.borrow_and_update().terms.get(&shard) {
                return term.clone();
            }
            // the sender is in `self`, so it does not end
            let _ = state.changed().await;
        }
    }

    /// Tells when shards were taken or given.
    pub fn changes(&self) -> watch::Receiver<State> {
        self.state.subscribe()
    }

    /// A reconcile of an object of a shard begins. `None` when its term is over.
    pub fn begin(&self, shard: u32, quiet: Instant) -> Option<Working> {
        let state = self.state.borrow();
        let term = state.terms.get(&shard).filter(|it| it.quiet == quiet)?;
        term.under_way.send_modify(|count| *count += 1);
        Some(Working(term.under_way.clone()))
    }

    /// Whether it is to have a shard.
    async fn is_wanted(&self, shard: u32, wanted: bool) {
        let mut state = self.state.subscribe();
        let is_so = |state: &State| state.wanted.contains(&shard) == wanted;
        let _ = state.wait_for(is_so).await;
    }

    /// Changes the state, and keeps the objects of all that this replica has or is to have. Those are kept before
    /// anybody hears that they are wanted, so that what is listed from then on has them.
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

    /// From now on nothing of a shard begins. Returns what is under way.
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
