//! Leader election: of several replicas, the one that holds a Lease reconciles.
//!
//! The rules are those of Kubernetes' own components, with some additions:
//! - A Lease is taken or renewed by replacing it with the `resourceVersion` that was read. If two
//!   candidates try at the same time, the API server rejects one.
//! - The lease of another holder has run out if its record has not changed for the lease duration,
//!   measured on the local clock. The clocks of other machines do not matter.
//! - The holder stops writing before the others may take over: 10 s after its last renewal if the
//!   lease lasts 15 s, and in proportion for other durations. `leader/fence.rs` stops its writes. A
//!   lease that has run out counts as lost, even if no other replica took it, because the caches of
//!   this process may be stale.
//! - Every request has a deadline, because a hanging request must not outlive the lease.
//! - A Lease that someone deletes is not free while its last known holder may still write. The
//!   holder creates it again at its next renewal. A replica that starts in between has not seen the
//!   holder, and creates the Lease at once; client-go does so in every case.
//! - With `--leader-election-takeover`, a candidate takes the lease at once, so that the holder
//!   gives up at its next renewal. The candidate itself does not write before the old lease would
//!   have run out.
//! - A standby updates its caches (`replica_state.rs`) as soon as the holder can no longer write,
//!   which is before the Lease runs out. It takes a free Lease when the caches are up to date, or
//!   after a short wait.
//! - On an orderly shutdown the lease is released, and another replica takes it within 2 s.

pub(crate) mod clock;
pub(crate) mod fence;
pub(crate) mod replica_state;
pub(crate) mod roster;

use std::sync::Arc;
use std::time::Duration;

use k8s_openapi::api::coordination::v1::{Lease, LeaseSpec};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{MicroTime, ObjectMeta};
use kube::{Api, ResourceExt, api::PostParams};
use tokio::time::Instant;

use crate::error::Error;
use crate::leader::roster::Roster;
use crate::leader::{clock::Moment, fence::Leadership, replica_state::ReplicaState};
use crate::planted::{Bug, is_planted};
use crate::random;

/// Interval between two attempts to take the lease, give or take a fifth.
const ATTEMPT_INTERVAL: Duration = Duration::from_secs(1);
/// Interval between two attempts while the Lease is free and the candidate waits for its own
/// caches.
const RETRY_INTERVAL: Duration = Duration::from_millis(50);
/// Maximum time for which the candidate of a free Lease waits for its own caches.
const CATCH_UP_LIMIT: Duration = Duration::from_secs(3);
/// Time limit for the release: the time for shutdown is short.
pub(crate) const RELEASE: Duration = Duration::from_millis(800);

/// The times of an election, derived from the lease duration.
#[derive(Clone, Copy)]
pub(crate) struct Times {
    /// Time that the other candidates wait for a holder that does not renew.
    pub lease: Duration,
    /// Time for which the holder continues to write without a successful renewal.
    renew_deadline: Duration,
    /// Interval between two renewals.
    renew: Duration,
    /// Time limit for one attempt.
    call: Duration,
}

/// A function that returns true if the caches of this replica may lack writes from before a moment.
pub(crate) type IsBehind = Arc<dyn Fn(Instant) -> bool + Send + Sync>;

impl Times {
    /// Derives the times. For 15 s they are those of Kubernetes' own components.
    pub fn of(lease: Duration) -> Self {
        Self {
            lease,
            renew_deadline: lease * 2 / 3,
            renew: lease * 2 / 15,
            call: lease / 5,
        }
    }
}

/// A candidate for one Lease.
pub(crate) struct Candidate {
    leases: Api<Lease>,
    name: String,
    /// Unique among candidates, including earlier processes of the same Pod.
    identity: String,
    leadership: Leadership,
    times: Times,
    /// Take the lease even if another candidate holds it.
    takes_over: bool,
    /// Until then, the holder from which the lease was taken may still write. `None` if it was not
    /// taken from a live holder.
    old_holder_until: Option<Instant>,
    /// The Lease as it was read last.
    seen: Option<SeenLease>,
    /// Receives the moment after which no other replica has written.
    replica_state: ReplicaState,
    is_behind: IsBehind,
    /// Since when the candidate could have taken the Lease.
    free_since: Option<Instant>,
    /// The error of the last attempt, to log each only once; `None` after a success.
    last_problem: Option<String>,
    /// The replicas that hold the Lease together; `None` for a Lease with one holder.
    together: Option<Arc<Roster>>,
    /// The replicas that may hold the Lease, if it is the Lease of a shard, else `None`.
    among: Option<Arc<Roster>>,
}

/// A version of the Lease that was read.
struct SeenLease {
    version: String,
    /// The time when this version was first read.
    since: Instant,
    /// The holder, if it is another candidate.
    holder: Option<String>,
    /// The time for which the holder may leave the Lease unchanged before it counts as free.
    term: Duration,
}

impl SeenLease {
    /// Returns the holder, if it is another candidate whose lease has not run out.
    fn live_holder(&self) -> Option<&String> {
        let is_live = self.since.elapsed() <= self.term;
        self.holder.as_ref().filter(|_| is_live)
    }
}

#[derive(Debug, PartialEq)]
enum Attempt {
    /// The Lease was written, and this candidate holds it.
    Leading,
    /// Another candidate, with this identity, holds the Lease.
    HeldBy(String),
    /// The Lease is free, and the caches of this candidate are not up to date yet.
    Free,
    /// Another replica wrote the Lease at the same time: the next attempt shows the holder.
    Contested,
}

impl Candidate {
    /// Creates a candidate that does not hold the Lease `name`. It grants and ends `leadership`,
    /// without which the client of the operator cannot write.
    pub fn new(
        leases: Api<Lease>,
        name: &str,
        identity: String,
        leadership: Leadership,
        times: Times,
        (replica_state, is_behind): (ReplicaState, IsBehind),
    ) -> Self {
        Self {
            leases,
            name: name.to_owned(),
            identity,
            leadership,
            times,
            takes_over: false,
            old_holder_until: None,
            seen: None,
            replica_state,
            is_behind,
            free_since: None,
            last_problem: None,
            together: None,
            among: None,
        }
    }

    /// Makes the candidate hold the Lease together with all replicas that have the same `common`
    /// flags and are on the roster.
    pub fn together(mut self, common: &str, roster: Arc<Roster>) -> Self {
        common.clone_into(&mut self.identity);
        self.together = Some(roster);
        self
    }

    /// Shortens the wait for a holder that is no longer on this roster.
    pub fn among(mut self, roster: Arc<Roster>) -> Self {
        self.among = Some(roster);
        self
    }

    /// Takes the lease once even if another candidate holds it.
    pub fn taking_over(mut self, takes_over: bool) -> Self {
        self.takes_over = takes_over;
        self
    }

    /// Makes attempts until this candidate leads, and then allows writes. Logs each holder that it
    /// has to wait for.
    pub async fn acquire(&mut self) {
        let mut logged = None;
        loop {
            let start = Moment::now();
            match self.try_once().await {
                // The candidate has taken over the Lease, and renews it without writing anything
                // else until the former holder can no longer write.
                Some(Attempt::Leading)
                    if self.old_holder_until.is_some_and(|it| it > Instant::now()) =>
                {
                    self.takes_over = false;
                }
                Some(Attempt::Leading) => {
                    self.takes_over = false;
                    // The term counts from before the request, so it never ends later than the
                    // record's.
                    self.leadership.extend(start, self.times.renew_deadline);
                    tracing::info!(lease = self.name, identity = self.identity, "leading");
                    self.replica_state.start_leading();
                    return;
                }
                Some(Attempt::Free) => {
                    tokio::time::sleep(RETRY_INTERVAL).await;
                    continue;
                }
                Some(Attempt::HeldBy(holder)) if logged.as_ref() != Some(&holder) => {
                    self.log_standby(&holder);
                    logged = Some(holder);
                }
                _ => {}
            }
            tokio::time::sleep(ATTEMPT_INTERVAL.mul_f64(0.8 + 0.4 * random::fraction())).await;
        }
    }

    fn log_standby(&self, holder: &str) {
        let lease = &self.name;
        if self.together.is_some() {
            let own = &self.identity;
            tracing::warn!(
                lease,
                holder,
                "standby: the active replicas run with flags other than {own}; help: give all replicas the \
                 same flags"
            );
            return;
        }
        tracing::info!(lease, holder, "standby: another replica is the leader");
    }

    /// Renews the lease until it is lost, then ends the leadership and returns.
    pub async fn keep(&mut self) {
        let mut wait = self.times.renew;
        loop {
            tokio::time::sleep(std::mem::replace(&mut wait, self.times.renew)).await;
            let start = Moment::now();
            let attempt = if self.leadership.holds() {
                self.try_once().await
            } else {
                None
            };
            // Checked before the response is used: a response that arrives too late renews nothing.
            if !self.leadership.holds() {
                tracing::error!(lease = self.name, "failed to renew the lease in time");
                break;
            }
            match attempt {
                Some(Attempt::Leading) => {
                    self.leadership.extend(start, self.times.renew_deadline);
                }
                Some(Attempt::HeldBy(holder)) => {
                    tracing::error!(
                        lease = self.name,
                        holder,
                        "another replica took over the lease"
                    );
                    break;
                }
                // Random, because two replicas that renew the Lease together and collided would
                // collide again.
                Some(Attempt::Contested) => {
                    wait = RETRY_INTERVAL.mul_f64(1.0 + 4.0 * random::fraction());
                }
                Some(Attempt::Free) | None => {}
            }
        }
        self.leadership.end();
    }

    /// Releases the lease, so that the next candidate need not wait until it runs out. Does nothing
    /// if this candidate does not hold it. No more writes are sent.
    pub async fn release(&mut self) {
        self.leadership.end();
        let released = tokio::time::timeout(RELEASE, async {
            loop {
                match self.give_back().await {
                    // Another replica wrote the Lease at the same time.
                    Err(kube::Error::Api(status)) if status.code == 409 => {}
                    done => return done,
                }
            }
        });
        match released.await {
            Ok(Ok(true)) => tracing::info!(lease = self.name, "lease released"),
            Ok(Ok(false)) => {}
            Ok(Err(error)) => {
                let error = Error::from(error).needs_deployed_role();
                tracing::warn!(%error, "failed to release the lease");
            }
            Err(_) => tracing::warn!("failed to release the lease in time"),
        }
    }

    /// Removes this candidate as the holder, or from the roster if other replicas still hold the
    /// Lease. Returns false if it does not hold the Lease.
    async fn give_back(&self) -> Result<bool, kube::Error> {
        let Some(mut lease) = self.leases.get_opt(&self.name).await? else {
            return Ok(false);
        };
        let spec = lease.spec.get_or_insert_default();
        if spec.holder_identity.as_deref() != Some(&self.identity) {
            return Ok(false);
        }
        if let Some(roster) = &self.together
            && roster.leave(&mut lease.metadata)
        {
            // The other replicas still hold the Lease.
            return self.replace(&lease).await.map(|_| true);
        }
        spec.holder_identity = None;
        spec.lease_duration_seconds = Some(1);
        spec.renew_time = Some(MicroTime(crate::clock::now()));
        self.replace(&lease).await.map(|_| true)
    }

    /// Replaces the Lease in the version that was read.
    async fn replace(&self, lease: &Lease) -> Result<Lease, kube::Error> {
        let params = PostParams::default();
        self.leases.replace(&self.name, &params, lease).await
    }

    /// Makes one attempt, with a deadline. An error is logged if it differs from the last one, and
    /// leads to `None`.
    async fn try_once(&mut self) -> Option<Attempt> {
        let call = self.times.call;
        let problem = match tokio::time::timeout(call, self.read_and_write()).await {
            Ok(Ok(attempt)) => {
                self.last_problem = None;
                return Some(attempt);
            }
            Ok(Err(error)) => Error::from(error).needs_deployed_role().to_string(),
            Err(_) => format!("no answer within {call:?}"),
        };
        if self.last_problem.as_ref() != Some(&problem) {
            tracing::warn!(lease = self.name, "leader election: {problem}");
            self.last_problem = Some(problem);
        }
        None
    }

    /// Reads the Lease, and writes it if this candidate holds it or may take it. Reports to
    /// `replica_state` the moment after which no other replica has written.
    async fn read_and_write(&mut self) -> Result<Attempt, kube::Error> {
        let (begun, now) = (Instant::now(), MicroTime(crate::clock::now()));
        let Some(mut lease) = self.leases.get_opt(&self.name).await? else {
            if self.takes_over {
                let lease = &self.name;
                tracing::warn!(
                    lease,
                    "nothing to take over: the Lease does not exist in this namespace"
                );
            }
            if let Some(holder) = self.seen.as_ref().and_then(SeenLease::live_holder) {
                return Ok(Attempt::HeldBy(holder.clone()));
            }
            let metadata = ObjectMeta {
                name: Some(self.name.clone()),
                ..ObjectMeta::default()
            };
            let mut lease = Lease {
                metadata,
                spec: Some(LeaseSpec::default()),
            };
            self.sign_roster(&mut lease, begun);
            self.set_holder(lease.spec.get_or_insert_default(), now);
            self.replica_state.quiet_since(begun);
            return Self::settle(self.leases.create(&PostParams::default(), &lease).await);
        };
        let version = lease.resource_version().unwrap_or_default();
        let known = self.seen.take().filter(|seen| seen.version == version);
        let since = known.map_or_else(Instant::now, |seen| seen.since);
        let spec = lease.spec.get_or_insert_default();
        let holder = spec.holder_identity.clone().unwrap_or_default();
        let seconds = spec
            .lease_duration_seconds
            .and_then(|seconds| u64::try_from(seconds).ok());
        let term = seconds.map_or(self.times.lease, |seconds| {
            Duration::from_secs(seconds.max(1))
        });
        let term = self.patience(&holder, since, term);
        let of_another = holder != self.identity && !holder.is_empty();
        self.seen = Some(SeenLease {
            version,
            since,
            holder: of_another.then(|| holder.clone()),
            term,
        });
        let has_live_holder = of_another && since.elapsed() <= term && !is_planted(Bug::StaleLease);
        // The moment after which no other holder has written. A holder writes for two thirds of the
        // term after it has sent a renewal (`Times::renew_deadline`), and this replica has read
        // that renewal later: four fifths leave a margin. A Lease that was released, or is this
        // replica's own, has no other writer since it was first read in this version. After a
        // takeover, the same margin counts from the takeover.
        let silent = term * 4 / 5;
        let quiet = match self.old_holder_until {
            _ if of_another => since + silent,
            Some(until) => until.checked_sub(term / 5).unwrap_or(until),
            None => since,
        };
        // Renewals of its own Lease demand nothing new: the caches contain this replica's writes.
        let had_another_writer = holder != self.identity || self.old_holder_until.is_some();
        if had_another_writer && quiet <= Instant::now() {
            self.replica_state.quiet_since(quiet);
        }
        if has_live_holder && self.takes_over {
            let lease = &self.name;
            tracing::info!(lease, holder, "taking over the lease in {term:?}");
            self.old_holder_until = Some(Instant::now() + term);
        }
        // A process that was frozen may wake up between the two requests of a renewal.
        if has_live_holder && !self.takes_over || self.leadership.has_run_out() {
            self.free_since = None;
            return Ok(Attempt::HeldBy(holder));
        }
        if holder != self.identity && !has_live_holder && (self.is_behind)(quiet) {
            let free_since = *self.free_since.get_or_insert(begun);
            if free_since.elapsed() < CATCH_UP_LIMIT {
                return Ok(Attempt::Free);
            }
        }
        self.set_holder(spec, now);
        self.sign_roster(&mut lease, begun);
        Self::settle(self.replace(&lease).await)
    }

    /// Returns how long a holder may leave the Lease unchanged, which it last did at `since`. That
    /// is `term` or, for a holder that is no longer on the roster and so has stopped, a third of
    /// it, to rule out a mistake.
    fn patience(&self, holder: &str, since: Instant, term: Duration) -> Duration {
        let others = self.among.as_ref();
        let is_dead = others.is_some_and(|others| others.lacks(holder, since));
        if is_dead { term / 3 } else { term }
    }

    /// Adds this replica to the roster of the Lease, which was requested at `begun`.
    fn sign_roster(&self, lease: &mut Lease, begun: Instant) {
        if let Some(roster) = &self.together {
            roster.sign(&mut lease.metadata, begun, Instant::now());
        }
    }

    /// Makes this candidate the holder of the Lease, as of `now`.
    fn set_holder(&self, spec: &mut LeaseSpec, now: MicroTime) {
        if spec.holder_identity.as_deref() != Some(&self.identity) {
            let first = spec.acquire_time.is_none();
            spec.lease_transitions = Some(spec.lease_transitions.unwrap_or(0) + i32::from(!first));
            spec.acquire_time = Some(now.clone());
            spec.holder_identity = Some(self.identity.clone());
        }
        spec.renew_time = Some(now);
        spec.lease_duration_seconds = i32::try_from(self.times.lease.as_secs()).ok();
    }

    /// Converts the result of a write. A conflict with another candidate is a result, not an error.
    fn settle(written: Result<Lease, kube::Error>) -> Result<Attempt, kube::Error> {
        match written {
            Ok(_) => Ok(Attempt::Leading),
            Err(kube::Error::Api(status)) if status.code == 409 => Ok(Attempt::Contested),
            Err(error) => Err(error),
        }
    }
}

#[cfg(test)]
#[path = "leader_tests.rs"]
mod tests;
