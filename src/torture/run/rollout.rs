//! A rolling update: the old version of an operator keeps running until the new one has started, as
//! in a Deployment.

use std::time::{Duration, Instant};

use super::startup::is_watched;
use super::{ScenarioRun, TICK, new_proxy, open_network};
use crate::torture::env::network::NetworkNamespace;
use crate::torture::env::process::{RunFiles, exit_reason};
use crate::torture::error::{Error, Result};
use crate::torture::journal::{self, JournalEntry, JournalEvent};
use crate::torture::proxy::server::listen_on;
use crate::torture::run::predecessor::Predecessor;
use crate::torture::run::settings::Rollout;

/// The time within which the old version must watch its objects, and within which the new version
/// must acquire the Lease.
const WITHIN: Duration = Duration::from_secs(30);

/// The time without requests after which the old version is idle.
const IDLE_AFTER: Duration = Duration::from_millis(700);

/// The time for which both versions run.
pub(super) const OVERLAP: Duration = Duration::from_secs(5);

/// The default of `terminationGracePeriodSeconds`.
const GRACE: Duration = Duration::from_secs(30);

impl ScenarioRun<'_> {
    /// Starts the old version, and waits until it watches its objects, is idle and, if rustop
    /// turned leader election on, leads.
    ///
    /// # Errors
    /// Returns an error if the old version does not run under the manifests of the new one.
    pub(super) async fn start_predecessor(&mut self, rollout: &Rollout) -> Result<()> {
        let (name, old) = (&self.namespace.namespace, &rollout.old);
        let journal = self.journal.parallel();
        let proxy = new_proxy(&self.environment, name, &[], journal.clone(), self.ports);
        let rustop = std::env::current_exe().unwrap_or_default();
        let (network, address) = match NetworkNamespace::open(&rustop) {
            Ok((network, socket)) => (Some(network), listen_on(&proxy, socket)?),
            Err(_) => open_network(&self.environment, &proxy).await?,
        };
        let files = RunFiles::new(
            &self.environment.dir,
            &format!("{name}-old"),
            old,
            &address.to_string(),
        )?;
        let process = files.start(old, name, network.as_ref())?;
        let old = self.predecessor.insert(Predecessor {
            proxy,
            journal,
            files,
            process,
            network,
        });
        let (since, wanted) = (Instant::now(), self.namespace.subject());
        let elects = !rollout.election.is_empty();
        let is_ready = |old: &Predecessor| {
            old.journal.with_entries(|entries| {
                is_watched(entries, &wanted) && (!elects || has_written_lease(entries))
            })
        };
        loop {
            let (is_ready, is_late) = (is_ready(old), since.elapsed() > WITHIN);
            if is_ready && old.proxy.active().elapsed() >= IDLE_AFTER {
                return Ok(());
            }
            if old.process.ended().is_some() || (is_late && !is_ready) {
                let log = exit_reason(&old.files.log());
                return Err(Error::OldVersionFails { log });
            }
            // It is ready, but keeps sending requests.
            if is_late {
                return Ok(());
            }
            tokio::time::sleep(TICK).await;
        }
    }

    /// Terminates the old version as the kubelet does, and waits until the new version works alone:
    /// until it watches its objects and, if the old version held a Lease, has acquired one.
    ///
    /// # Errors
    /// Returns an error if the new version does not take over in time.
    pub(super) async fn hand_over(&mut self, step: usize) -> Result<()> {
        let Some(mut old) = self.predecessor.take() else {
            return Ok(());
        };
        let limit = Instant::now() + GRACE;
        old.process.terminate();
        while old.process.ended().is_none() && Instant::now() < limit {
            tokio::time::sleep(TICK).await;
            self.supervise(step)?;
        }
        old.proxy.close();
        self.journal
            .add(JournalEvent::Operator("the old version ended".into()));
        self.old_entries = old.journal.entries();
        old.files.clear();
        // Drops the process, so that no part of it survives.
        drop(old);
        self.wait_until_watching().await?;
        if !has_written_lease(&self.old_entries) {
            return Ok(());
        }
        let leads = |run: &Self| run.journal.with_entries(has_written_lease);
        self.supervise_for(step, WITHIN, leads).await?;
        if leads(self) {
            Ok(())
        } else {
            let seconds = WITHIN.as_secs();
            Err(Error::LeaseNotAcquired { seconds })
        }
    }
}

/// Reports whether a version has acquired or renewed a Lease.
fn has_written_lease(entries: &[JournalEntry]) -> bool {
    journal::requests(entries).any(|(_, request)| request.is_lease_write())
}
