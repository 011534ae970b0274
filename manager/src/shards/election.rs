//! The part of one replica in sharding: which shards it takes, and when it gives them back.

use std::collections::BTreeSet;
use std::convert::Infallible;
use std::future;
use std::sync::Arc;
use std::time::Duration;

use futures::{StreamExt, future::join_all, stream::FuturesUnordered};
use k8s_openapi::api::coordination::v1::Lease;
use kube::Api;
use tokio::time::Instant;

use crate::http::health::Health;
use crate::leader::replica_state::ReplicaState;
use crate::leader::roster::Roster;
use crate::leader::{Candidate, IsBehind, Times, fence::Leadership};
use crate::shards::assign::assign;
use crate::shards::metrics::{Handover, ShardMetrics};
use crate::shards::{FIRST, Shards, Term};

/// One replica's part in the election of shard owners.
pub(crate) struct Election {
    /// The shards that this replica wants and holds. Controllers read them.
    pub shards: Arc<Shards>,
    /// The live replicas, from which the assignment of shards is computed.
    pub roster: Arc<Roster>,
    /// The API of Leases in the operator's namespace, with a client that may write before this
    /// replica leads.
    pub leases: Api<Lease>,
    /// The name of the Lease that all replicas renew. The Leases of the shards have the same name
    /// with a suffix.
    pub lease: String,
    /// The holder identity of this replica in Leases.
    pub identity: String,
    /// The duration and the renewal interval of Leases.
    pub times: Times,
    /// Receives the moment up to which the caches must contain all writes before this replica
    /// reconciles the objects of a shard.
    pub replica_state: ReplicaState,
    /// Reports whether the caches of this replica are behind, in which case it waits before it
    /// takes a free Lease.
    pub is_behind: IsBehind,
    /// Time limit for running reconciles when a shard is given back.
    pub grace: Duration,
    /// Shows the number of held shards on `/readyz`.
    pub health: Health,
    pub metrics: ShardMetrics,
}

impl Election {
    /// Returns the flags that all replicas must have in common. They are the holder identity of the
    /// Lease that all renew.
    pub fn flags(&self) -> String {
        let sharding = &self.shards.sharding;
        format!("--shards={} --shard-by={}", sharding.count(), sharding.by())
    }

    /// Takes the shards that are assigned to this replica, and gives back the others, until
    /// `stopped` completes; then it keeps its shards. Returns when the Lease of a shard is lost.
    pub async fn run(&self, stopped: impl Future<Output = ()>) {
        let shards = 0..self.shards.sharding.count();
        let mut holding: FuturesUnordered<_> = shards.map(|shard| self.hold(shard)).collect();
        tokio::select! {
            biased;
            _ = holding.next() => {}
            never = self.choose(stopped) => match never {},
        }
    }

    /// Releases all shards, after all reconciles have ended.
    pub async fn release(&self) {
        let held = self.shards.held();
        let release = async |shard: &u32| {
            let mut candidate = self.candidate(*shard, Leadership::none());
            candidate.release().await;
        };
        join_all(held.iter().map(release)).await;
    }

    /// Computes the shards of this replica whenever a replica joins or leaves.
    async fn choose(&self, stopped: impl Future<Output = ()>) -> Infallible {
        let mut replicas = self.roster.replicas();
        let following = async {
            loop {
                let wanted = {
                    let replicas = replicas.borrow_and_update();
                    let assigned = assign(self.shards.sharding.count(), &replicas);
                    let mine = assigned.iter().filter(|(_, who)| **who == self.identity);
                    mine.map(|(shard, _)| *shard).collect::<BTreeSet<_>>()
                };
                // The owner of the first shard runs the tasks, which cannot move.
                let first = self.shards.term(FIRST).map(|_| FIRST);
                self.shards.want(wanted.into_iter().chain(first).collect());
                // The sender is in the roster, so the channel stays open.
                let _ = replicas.changed().await;
            }
        };
        tokio::select! {
            biased;
            () = stopped => {}
            never = following => never,
        }
        self.shards.want(self.shards.terms().into_keys().collect());
        future::pending().await
    }

    /// Takes a shard and gives it back, repeatedly. Returns when its Lease is lost.
    async fn hold(&self, shard: u32) {
        loop {
            self.shards.wait_until_wanted(shard, true).await;
            let wanted = Instant::now();
            let leadership = Leadership::none();
            let mut candidate = self.candidate(shard, leadership.clone());
            tokio::select! {
                biased;
                () = self.shards.wait_until_wanted(shard, false) => {
                    candidate.release().await;
                    continue;
                }
                () = candidate.acquire() => {}
            }
            // If the Lease already had this replica's identity, the caches have not received this
            // moment yet.
            self.replica_state.quiet_since(wanted);
            let quiet = self.replica_state.required_moment().unwrap_or(wanted);
            self.shards
                .take(Term::new(shard, quiet, leadership.clone()));
            self.report(Handover::Taken);
            let given = tokio::select! {
                biased;
                () = candidate.keep() => return,
                given = self.finish(shard) => given,
            };
            leadership.end();
            // A write that was cut off may still arrive, so then the Lease has to run out.
            if given {
                candidate.release().await;
            }
            self.shards.release(shard);
            self.report(if given {
                Handover::Given
            } else {
                Handover::GivenUp
            });
        }
    }

    /// Waits until another replica should have the shard, and for its running reconciles. Returns
    /// false if some are still running after the time limit.
    async fn finish(&self, shard: u32) -> bool {
        self.shards.wait_until_wanted(shard, false).await;
        match self.shards.end(shard) {
            Some(term) => term.wait_for_reconciles(self.grace).await,
            None => true,
        }
    }

    /// Reports the held shards in the log, on `/readyz`, in the metrics and on the roster.
    fn report(&self, handover: Handover) {
        let held = self.shards.held();
        let of = self.shards.sharding.count();
        tracing::info!(shards = ?held, of, "shards of this replica changed");
        self.health
            .note(format!(" ({} of {of} shards)", held.len()));
        self.metrics
            .held
            .set(i64::try_from(held.len()).unwrap_or(i64::MAX));
        self.metrics.count(handover);
        self.roster.holds(held);
    }

    /// Returns a candidate for the Lease of a shard, which grants and ends `leadership`.
    fn candidate(&self, shard: u32, leadership: Leadership) -> Candidate {
        let candidate = Candidate::new(
            self.leases.clone(),
            &self.name(shard),
            self.identity.clone(),
            leadership,
            self.times,
            (self.replica_state.clone(), self.is_behind.clone()),
        );
        candidate.among(self.roster.clone())
    }

    /// Returns the name of the Lease of a shard.
    fn name(&self, shard: u32) -> String {
        format!("{}-shard-{shard}", self.lease)
    }
}
