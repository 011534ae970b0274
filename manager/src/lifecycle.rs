//! The life of a manager: runs as a standby, acquires the lease, runs the controllers, and shuts
//! down in order.

use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures::{FutureExt as _, future};
use kube::{Client, api::Api};
use prometheus_client::metrics::{family::Family, gauge::Gauge};
use prometheus_client::registry::Registry;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::cache::{informer::Informers, interruption::Interruptions};
use crate::client::{connection::Connection, requests::RequestMetrics};
use crate::controller::{
    metrics::Metrics,
    runnable::{Environment, Runnable},
};
use crate::error::{Error, Result, message_of};
use crate::events::Events;
use crate::http::health::{Health, STARTING};
use crate::leader::roster::Roster;
use crate::leader::{Candidate, IsBehind, Times, fence::Leadership};
use crate::metrics::{Labels, register};
use crate::options::Options;
use crate::own_thread;
use crate::random;
use crate::shards::{Shards, election::Election, metrics::ShardMetrics};
use crate::shared_state::SharedState;
use crate::tasks::task_of_current;
use crate::workers::Workers;

/// Time limit for sending queued events after the last reconcile.
const FLUSH: Duration = Duration::from_millis(800);
/// The part of `termination_grace_period_seconds` that reconciles cannot use. It is reserved for
/// sending events, releasing the lease and answering webhooks, plus one second for a busy machine:
/// the kubelet kills the process when the period is over.
const RESERVED_FOR_SHUTDOWN: Duration = Duration::from_secs(3);

/// The name of the manager itself on `/readyz`. It is ready while it is a standby, and otherwise
/// once all controllers have been started.
pub(crate) const MANAGER: &str = "the manager";

/// The controllers and tasks of a manager, and everything that they share.
pub(crate) struct Lifecycle {
    /// The name of the operator.
    pub name: String,
    /// The namespaces to watch; empty for all.
    pub namespaces: Vec<String>,
    /// Number of objects per page of a list.
    pub page_size: u32,
    pub health: Health,
    pub metrics: ManagerMetrics,
    /// The caches of all controllers, and the leadership state.
    pub informers: Arc<Informers>,
    /// The values of [`Manager::with_state`](crate::Manager::with_state).
    pub state: Arc<SharedState>,
    /// The shards of this replica; `None` without sharding.
    pub shards: Option<Arc<Shards>>,
    /// The controllers and tasks.
    pub runnables: Vec<Box<dyn Runnable>>,
    /// Number of threads for reconciles; with 1, they run on the thread of the controllers.
    pub threads: usize,
    /// Time limit for running reconciles after a stop request.
    pub grace: Duration,
}

/// The metrics that the parts of the manager record. Clones share their state.
#[derive(Clone)]
pub(crate) struct ManagerMetrics {
    controllers: Arc<Metrics>,
    interruptions: Interruptions,
    /// 1 while this process holds the Lease of the label `name`, else 0.
    leader: Family<Labels<1>, Gauge>,
    requests: Arc<RequestMetrics>,
    shards: ShardMetrics,
}

impl ManagerMetrics {
    /// Creates the metrics and adds them to a registry.
    pub fn register(registry: &mut Registry) -> Self {
        let help = "1 while this replica holds the lease, else 0";
        Self {
            controllers: Arc::new(Metrics::register(registry)),
            interruptions: Interruptions::register(registry),
            leader: register(registry, "leader_election_master_status", help),
            requests: Arc::new(RequestMetrics::register(registry)),
            shards: ShardMetrics::register(registry),
        }
    }

    /// Records whether this process holds the lease called `name`.
    fn record_leadership(&self, name: &str, leads: bool) {
        let by = [("name", name.to_owned())];
        self.leader.get_or_create(&by).set(i64::from(leads));
    }
}

/// Returns how long running reconciles may take to finish after a stop request: the Pod's grace
/// period without the `preStop` hook and without [`RESERVED_FOR_SHUTDOWN`].
pub(crate) fn grace(options: &Options) -> Duration {
    let seconds = |seconds: u32| Duration::from_secs(seconds.into());
    seconds(options.termination_grace_period_seconds)
        .saturating_sub(seconds(options.pre_stop_seconds))
        .saturating_sub(RESERVED_FOR_SHUTDOWN)
}

impl Lifecycle {
    /// Runs the controllers until `stopped` completes, an error occurs or the lease is lost. With
    /// leader election, they reconcile only while this process leads; before that, they fill their
    /// caches, unless `leader_election_warm_up` is off, which delays their start.
    ///
    /// # Errors
    /// Returns `LeaseLost` if the lease is lost, `Ended` if a controller ends on its own, and
    /// `Panicked` if a controller panics outside of the functions whose panics it contains.
    pub async fn run(
        self,
        options: Options,
        connection: Connection,
        stopped: impl Future<Output = ()> + Send,
    ) -> Result<()> {
        let replica = self.informers.replica_state.clone();
        if !options.elects() {
            replica.start_leading();
            return self
                .run_on_thread(connection, Leadership::unlimited(), stopped)
                .await;
        }

        let leadership = Leadership::none();
        let mut election = LeaderElection::new(&self, &options, &connection, &leadership)?;
        election.stand_by();
        let stopped = stopped.shared();
        let health = self.health.clone();
        let work = async {
            if !options.leader_election_warm_up {
                tokio::select! {
                    biased;
                    () = stopped.clone() => return Ok(()),
                    _ = replica.wait_until_leading() => health.not_ready(MANAGER, STARTING),
                }
            }
            self.run_on_thread(connection, leadership, stopped.clone())
                .await
        };
        let result = tokio::select! {
            biased;
            result = work => result,
            () = election.lead_until_lost(stopped.clone()) => {
                return Err(Error::new("LeaseLost", "another replica may be the leader now"));
            }
        };
        election.release().await;
        result
    }

    /// Runs the controllers on their own thread if the connection allows that, so that a reconcile
    /// that blocks or computes does not delay the election or the servers. One thread needs less
    /// CPU than several that wake one another.
    async fn run_on_thread(
        self,
        connection: Connection,
        leadership: Leadership,
        stopped: impl Future<Output = ()> + Send,
    ) -> Result<()> {
        // A reconcile that blocks its thread also delays the flush of events beyond its time limit.
        let last = self.grace + FLUSH + Duration::from_millis(300);
        let stop = CancellationToken::new();
        let (metrics, health) = (self.metrics.controllers.clone(), self.health.clone());
        let has_threads = connection.has_threads();
        let work = self.run_fenced(connection, leadership, stop.clone());
        let mut work = if has_threads {
            own_thread::run("controllers", work.boxed()).boxed()
        } else {
            work.boxed()
        };
        tokio::select! {
            biased;
            result = &mut work => return result,
            () = stopped => stop.cancel(),
            never = metrics.watch_running(&health) => match never {},
        }
        let Ok(result) = tokio::time::timeout(last, work).await else {
            tracing::warn!("aborted a reconcile that blocked its thread during shutdown");
            return Ok(());
        };
        result
    }

    /// Runs the controllers with a client that can write only while `leadership` holds.
    async fn run_fenced(
        self,
        connection: Connection,
        leadership: Leadership,
        stop: CancellationToken,
    ) -> Result<()> {
        let client = connection.fenced(&leadership, &self.metrics.requests)?;
        self.run_controllers(client, stop).await
    }

    /// Runs the controllers with `client` until `stop` is cancelled. If one ends on its own, stops
    /// the others and returns `Ended`, or `Panicked` if it panicked. Running reconciles may take up
    /// to `self.grace` to finish.
    pub async fn run_controllers(self, client: Client, stop: CancellationToken) -> Result<()> {
        let grace = self.grace;
        let workers = Workers::start(self.threads)?;
        let events = Arc::new(Events::start(client.clone(), &self.name, &hostname()));
        // Calls all `run` functions before polling any of the futures: a controller may look for a
        // kind that another one watches.
        let runs = self.runnables.into_iter().map(|runnable| {
            let name = runnable.name().to_owned();
            let run = runnable.run(Environment {
                operator: self.name.clone(),
                client: client.clone(),
                workers: workers.handle(),
                namespaces: self.namespaces.clone(),
                page: self.page_size,
                informers: self.informers.clone(),
                state: self.state.clone(),
                events: events.clone(),
                metrics: self.metrics.controllers.clone(),
                interruptions: self.metrics.interruptions.clone(),
                health: self.health.clone(),
                shards: self.shards.clone(),
                stop: stop.clone(),
            });
            AssertUnwindSafe(run)
                .catch_unwind()
                .map(move |ended| match ended {
                    Ok(()) => Error::new("Ended", format!("`{name}` ended unexpectedly")),
                    Err(panic) => {
                        let message = message_of(&*panic);
                        Error::new("Panicked", format!("`{name}` panicked: {message}"))
                    }
                })
        });
        let mut running = JoinSet::new();
        for run in runs.collect::<Vec<_>>() {
            running.spawn(task_of_current(run));
        }
        self.health.ready(MANAGER);
        let result = tokio::select! {
            // Checked first, because the runnables end when it is cancelled.
            biased;
            () = stop.cancelled() => Ok(()),
            Some(ended) = running.join_next() => Err(ended.unwrap_or_else(Error::from)),
        };
        stop.cancel();
        let finished = async { while running.join_next().await.is_some() {} };
        if tokio::time::timeout(grace, finished).await.is_err() {
            tracing::warn!(
                "aborted reconciles that were still running after the shutdown time of {grace:?}"
            );
            running.shutdown().await;
        }
        if tokio::time::timeout(FLUSH, events.flush()).await.is_err() {
            tracing::warn!("some events were not published before shutdown");
        }
        result
    }
}

/// The part of this process in the election, and where its outcome is reported.
struct LeaderElection {
    /// With sharding, the candidate for the Lease that all replicas hold together.
    candidate: Candidate,
    /// `None` if the objects are not divided into shards.
    shards: Option<Election>,
    /// The name of the lease.
    lease: String,
    health: Health,
    metrics: ManagerMetrics,
}

impl LeaderElection {
    /// Prepares the election of a process that runs `lifecycle`. While it leads, `leadership`
    /// allows its writes.
    ///
    /// # Errors
    /// Returns an error if the connection has no client for leases.
    fn new(
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
        let replica_state = lifecycle.informers.replica_state.clone();
        let shards = lifecycle.shards.clone().map(|shards| Election {
            shards,
            roster: Arc::new(Roster::new(&identity, times.lease)),
            leases: leases.clone(),
            lease: lease.clone(),
            identity: identity.clone(),
            times,
            replica_state: replica_state.clone(),
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
            (replica_state, is_behind),
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
    fn stand_by(&self) {
        self.health.note(" (standby)");
        self.health.ready(MANAGER);
        self.metrics.record_leadership(&self.lease, false);
    }

    /// Acquires the lease and keeps it. Returns when it is lost. After `stopped`, a process that
    /// does not lead stays a standby.
    async fn lead_until_lost(&mut self, stopped: impl Future<Output = ()> + Clone) {
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
    async fn release(&mut self) {
        match &self.shards {
            Some(shards) => drop(future::join(self.candidate.release(), shards.release()).await),
            None => self.candidate.release().await,
        }
    }
}

/// Returns the name of the Pod, which is also its host name.
fn hostname() -> String {
    let named = std::env::var("POD_NAME")
        .ok()
        .filter(|name| !name.is_empty());
    let host = || std::fs::read_to_string("/proc/sys/kernel/hostname").ok();
    named
        .or_else(host)
        .map_or_else(|| "unknown".to_owned(), |name| name.trim().to_owned())
}

/// Returns an identity that no other candidate has, not even an earlier process of this Pod.
fn identity() -> String {
    let random = random::number();
    format!("{}_{random:016x}", hostname())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::leader;

    /// [`RESERVED_FOR_SHUTDOWN`] must cover these steps, which run one after the other.
    #[test]
    fn the_shutdown_steps_fit_into_the_reserved_time() {
        let options = |period, pre_stop| Options {
            termination_grace_period_seconds: period,
            pre_stop_seconds: pre_stop,
            ..Options::default()
        };
        assert_eq!(grace(&options(10, 0)), Duration::from_secs(7));
        assert_eq!(grace(&options(10, 3)), Duration::from_secs(4));
        assert_eq!(grace(&options(1, 0)), Duration::ZERO);
        let blocked = Duration::from_millis(300);
        let last = FLUSH + blocked + leader::RELEASE;
        #[cfg(feature = "otel")]
        let last = last + crate::otel::provider::FLUSH;
        assert!(last < RESERVED_FOR_SHUTDOWN);
        #[cfg(feature = "webhook")]
        assert!(last + crate::webhook::GRACE < RESERVED_FOR_SHUTDOWN);
    }

    #[test]
    fn each_process_gets_a_unique_identity() {
        assert_ne!(identity(), identity());
    }
}
