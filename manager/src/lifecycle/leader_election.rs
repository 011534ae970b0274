//! The election of the leader among the replicas of an operator, and of the owners of its shards.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use futures::future;
use kube::api::Api;

use super::{Lifecycle, MANAGER, ManagerMetrics, hostname};
use crate::client::connection::Connection;
use crate::error::Result;
use crate::http::health::Health;
use crate::leader::roster::Roster;
use crate::leader::{Candidate, IsBehind, Times, fence::Leadership};
use crate::options::Options;
use crate::random;
use crate::shards::election::Election;

/// The part of this process in the election, and where its outcome is reported.
pub(super) struct LeaderElection {
    candidate: Candidate,
    /// `None` if the objects are not divided into shards.
    shards: Option<Election>,
    /// The name of the lease.
    lease: String,
    health: Health,
    metrics: ManagerMetrics,
}

impl LeaderElection {
    /// Prepares the election of a process that runs `lifecycle`. While it leads, `leadership` allows
    /// its writes.
    ///
    /// # Errors
    /// Returns an error if the connection has no client for leases.
    pub fn new(
        lifecycle: &Lifecycle,
        options: &Options,
        connection: &Connection,
        leadership: &Leadership,
    ) -> Result<Self> {
        let lease = options.leader_election_id.clone();
        let lease = lease.unwrap_or_else(|| lifecycle.name.clone());
        let namespace = connection.namespace(options.leader_election_namespace.clone());
        let leases = Api::namespaced(connection.unfenced()?, &namespace);
        let seconds = options.leader_election_lease_seconds.into();
        let times = Times::of(Duration::from_secs(seconds));
        let informers = lifecycle.informers.clone();
        let is_behind: IsBehind = Arc::new(move |moment| informers.are_behind(moment));
        let identity = identity();
        let standing = lifecycle.informers.standing.clone();
        let shards = lifecycle.shards.clone().map(|shards| Election {
            shards,
            roster: Arc::new(Roster::new(&identity, times.lease)),
            leases: leases.clone(),
            lease: lease.clone(),
            identity: identity.clone(),
            times,
            standing: standing.clone(),
            is_behind: is_behind.clone(),
            grace: lifecycle.grace,
            health: lifecycle.health.clone(),
            metrics: lifecycle.metrics.shards.clone(),
        });
        let candidate = Candidate::new(
            leases,
            &lease,
            identity,
            leadership.clone(),
            times,
            (standing, is_behind),
        );
        let candidate = match &shards {
            Some(election) => candidate.together(&election.flags(), election.roster.clone()),
            None => candidate,
        };
        Ok(Self {
            candidate: candidate.taking_over(options.leader_election_takeover),
            shards,
            lease,
            health: lifecycle.health.clone(),
            metrics: lifecycle.metrics.clone(),
        })
    }

    /// Reports that this process is a standby, which is ready.
    pub fn stand_by(&self) {
        self.health.note(" (standing by)");
        self.health.ready(MANAGER);
        self.metrics.record_leadership(&self.lease, false);
    }

    /// Acquires the lease and keeps it. Returns when it is lost. After `stopped`, a process that does
    /// not lead stays a standby.
    pub async fn lead_until_lost(&mut self, stopped: impl Future<Output = ()> + Clone) {
        tokio::select! {
            biased;
            // A process that is stopping must not become leader.
            () = stopped.clone() => future::pending().await,
            () = self.candidate.acquire() => {}
        }
        self.health.note(" (leading)");
        self.metrics.record_leadership(&self.lease, true);
        let Some(shards) = &self.shards else {
            return self.candidate.keep().await;
        };
        tokio::select! {
            biased;
            () = self.candidate.keep() => {}
            () = shards.run(stopped) => {}
        }
    }

    /// Releases the lease and the shards, so that another replica need not wait until they expire.
    pub async fn release(&mut self) {
        match &self.shards {
            Some(shards) => drop(future::join(self.candidate.release(), shards.release()).await),
            None => self.candidate.release().await,
        }
    }
}

/// Returns an identity that no other candidate has, not even an earlier process of this Pod.
fn identity() -> String {
    let random = random::number();
    format!("{}_{random:016x}", hostname())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_process_gets_a_unique_identity() {
        assert_ne!(identity(), identity());
    }
}
