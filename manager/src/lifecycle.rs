//! Everything that runs while this process leads: it starts with the lease and ends with it.

use std::{
    future::Future,
    hash::{BuildHasher, RandomState},
    pin::pin,
    sync::Arc,
    time::Duration,
};

use futures::FutureExt;
use kube::{Config, api::Api};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::{
    cache::informer::Informers,
    client,
    controller::under_way,
    error::{Error, Result},
    events::Events,
    http::{health::Health, metrics::Metrics},
    leader::{Candidate, fence::Leadership},
    manager::{Environment, Runnable},
    options::Options,
    own_thread,
};

/// How long events waiting to be sent may take, after the last reconcile.
const FLUSH: Duration = Duration::from_millis(800);
/// What of the time to stop is not for reconciles: for events, for the release of the lease, for the last
/// answers of webhooks, and a second for a busy machine, since then the kubelet kills.
const ENDING: Duration = Duration::from_secs(3);

/// On `/readyz`: until the controllers speak for themselves.
pub(crate) const MANAGER: &str = "the manager";
pub(crate) const STARTING: &str = "is starting";

/// Everything that runs while this process leads.
pub(crate) struct Lifecycle {
    pub name: String,
    pub namespaces: Vec<String>,
    pub health: Health,
    pub metrics: Arc<Metrics>,
    pub informers: Arc<Informers>,
    pub runnables: Vec<Box<dyn Runnable>>,
    /// Reconciles under way may take this long to finish after the wish to stop.
    pub grace: Duration,
}

/// How long reconciles may take to finish.
pub(crate) fn grace(options: &Options) -> Duration {
    let seconds = |seconds: u32| Duration::from_secs(seconds.into());
    seconds(options.termination_grace_period_seconds)
        .saturating_sub(seconds(options.pre_stop_seconds))
        .saturating_sub(ENDING)
}

impl Lifecycle {
    /// Works as soon as this process leads, which is at once if nobody is to be elected.
    pub async fn lead(
        self,
        options: Options,
        config: Config,
        stopped: impl Future<Output = ()> + Send,
    ) -> Result<()> {
        let mut stopped = pin!(stopped);
        if !options.leader_elect {
            return self.work(config, Leadership::unlimited(), stopped).await;
        }

        let (health, metrics) = (self.health.clone(), self.metrics.clone());
        let lease = options.leader_election_id.unwrap_or(self.name.clone());
        let namespace = own_namespace(options.leader_election_namespace, &config);
        let leadership = Leadership::none();
        let leases = Api::namespaced(client::unfenced(config.clone())?, &namespace);
        let mut candidate = Candidate::new(leases, &lease, identity(), leadership.clone());
        health.note(" (standing by)");
        health.ready(MANAGER);
        metrics.leads(&lease, false);
        tokio::select! {
            () = candidate.acquire() => {}
            () = &mut stopped => {
                candidate.release().await;
                return Ok(());
            }
        }
        health.not_ready(MANAGER, STARTING);
        health.note(" (leading)");
        metrics.leads(&lease, true);
        let result = tokio::select! {
            result = self.work(config, leadership, stopped) => result,
            () = candidate.keep() => {
                return Err(Error::new("LeaseLost", "another replica may lead now"));
            }
        };
        candidate.release().await;
        result
    }

    /// Works on a thread of its own, so that neither the election nor the servers wait for a reconcile that
    /// computes or blocks; and because a single thread needs less CPU than several that wake one another.
    async fn work(
        self,
        config: Config,
        leadership: Leadership,
        stopped: impl Future<Output = ()> + Send,
    ) -> Result<()> {
        // a reconcile that blocks its thread keeps even events from ending in time
        let last = self.grace + FLUSH + Duration::from_millis(300);
        let stop = CancellationToken::new();
        let watch = under_way::watch(self.metrics.clone(), self.health.clone());
        let mut work = pin!(own_thread::run(
            "controllers",
            self.work_until(config, leadership, stop.clone()).boxed()
        ));
        tokio::select! {
            result = &mut work => return result,
            () = stopped => stop.cancel(),
            never = watch => match never {},
        }
        let Ok(result) = tokio::time::timeout(last, work).await else {
            tracing::warn!("a reconcile that blocks its thread was cut off");
            return Ok(());
        };
        result
    }

    /// Runs until `stop` is cancelled or one of the crew ends, then lets the others finish.
    async fn work_until(
        self,
        config: Config,
        leadership: Leadership,
        stop: CancellationToken,
    ) -> Result<()> {
        let grace = self.grace;
        let client = client::fenced(config, &leadership, &self.metrics.requests)?;
        let events = Arc::new(Events::start(client.clone(), &self.name, &hostname()));
        // All of them are called before the first one works: it may look for what another one watches.
        let runs = self.runnables.into_iter().map(|runnable| {
            let name = runnable.name().to_owned();
            let run = runnable.run(Environment {
                operator: self.name.clone(),
                client: client.clone(),
                namespaces: self.namespaces.clone(),
                informers: self.informers.clone(),
                events: events.clone(),
                metrics: self.metrics.clone(),
                health: self.health.clone(),
                stop: stop.clone(),
            });
            run.map(|()| name)
        });
        let mut running = JoinSet::new();
        for run in runs.collect::<Vec<_>>() {
            running.spawn(run);
        }
        self.health.ready(MANAGER);
        let result = tokio::select! {
            // first, because runnables end when it is
            biased;
            () = stop.cancelled() => Ok(()),
            Some(ended) = running.join_next() => Err(match ended {
                Ok(name) => Error::new("Ended", format!("`{name}` ended by itself")),
                Err(error) => Error::from(error),
            }),
        };
        stop.cancel();
        let finished = async { while running.join_next().await.is_some() {} };
        if tokio::time::timeout(grace, finished).await.is_err() {
            tracing::warn!("reconciles under way took longer than {grace:?} and were cut off");
            running.shutdown().await;
        }
        if tokio::time::timeout(FLUSH, events.flush()).await.is_err() {
            tracing::warn!("not all events could be published");
        }
        result
    }
}

/// The Pod's name, which is also its host name.
fn hostname() -> String {
    let named = std::env::var("POD_NAME")
        .ok()
        .filter(|name| !name.is_empty());
    let host = || std::fs::read_to_string("/proc/sys/kernel/hostname").ok();
    named
        .or_else(host)
        .map_or_else(|| "unknown".to_owned(), |name| name.trim().to_owned())
}

/// Unlike that of any other candidate, also of an earlier life of this Pod.
fn identity() -> String {
    let random = RandomState::new().hash_one(std::process::id());
    format!("{}_{random:016x}", hostname())
}

/// The option, the Pod's namespace, or in the last resort that of the kubeconfig. (In a Pod kube
/// has read the namespace of the `ServiceAccount` into its configuration.)
pub(crate) fn own_namespace(option: Option<String>, config: &Config) -> String {
    let pod = || std::env::var("POD_NAMESPACE").ok();
    let named = option.or_else(pod).filter(|name| !name.is_empty());
    named.unwrap_or_else(|| config.default_namespace.clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::leader;

    /// What is not for reconciles is for these, one after the other.
    #[test]
    fn all_of_it_fits_into_the_time_of_the_pod() {
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
        assert!(last < ENDING);
        #[cfg(feature = "webhook")]
        assert!(last + crate::webhook::GRACE < ENDING);
    }

    #[test]
    fn every_process_is_another_candidate() {
        assert_ne!(identity(), identity());
    }
}
