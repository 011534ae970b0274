//! A standby replica of the operator that never becomes the leader. It serves the webhooks of all
//! runs, even while faults kill the replicas that reconcile. A rejected request was therefore
//! rejected by a decision of the webhook, and not because the webhook was unavailable.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use kube::Client;
use serde_json::json;

use crate::dev::{self, Launch, LocalWebhooks, Operator, OperatorManifests};
use crate::interrupt::Interrupt;
use crate::ops::Result;
use crate::torture::{self, load::LoadMeter};

/// The Lease that the standby never acquires.
const LEASE: &str = "rustop-torture";
/// The duration of the Lease in seconds, which is longer than any campaign.
const HELD_FOR: u32 = 7 * 24 * 3600;
/// The time that the standby has to start listening on an idle machine.
const SERVED_WITHIN: Duration = Duration::from_secs(30);
/// The polling interval.
const OFTEN: Duration = Duration::from_millis(50);

/// A running standby replica. Dropping it stops the process.
#[derive(Debug)]
pub struct WebhookStandby {
    operator: Operator,
    /// The operator's log so far, for errors during startup.
    log: Arc<Mutex<String>>,
    /// The settings and the certificate of its webhook server.
    webhooks: LocalWebhooks,
}

impl WebhookStandby {
    /// Starts a standby with the settings of `launch`, and waits until it serves `webhooks`.
    ///
    /// # Errors
    /// Returns an error if the operator exits during startup, or if it does not listen in time.
    pub async fn start(
        binary: &Path,
        launch: Launch<'_>,
        webhooks: LocalWebhooks,
        interrupt: &Interrupt,
    ) -> Result<Self> {
        let launch = Launch {
            webhooks: Some(&webhooks),
            ..launch
        };
        let mut command = launch.command(binary);
        command.args([
            "--leader-elect".to_owned(),
            format!("--leader-election-id={LEASE}"),
            format!("--leader-election-namespace={}", launch.namespace),
        ]);
        let log = Arc::<Mutex<String>>::default();
        let heard = log.clone();
        let operator = Operator::start_heard(command, move |line| {
            let mut log = heard.lock().unwrap_or_else(PoisonError::into_inner);
            log.push_str(line);
            log.push('\n');
        })?;
        let mut standby = Self {
            operator,
            log,
            webhooks,
        };
        standby.until_served(interrupt).await?;
        Ok(standby)
    }

    /// Waits until the standby listens. The limit grows with the load of the machine.
    async fn until_served(&mut self, interrupt: &Interrupt) -> Result<()> {
        let (since, mut load) = (Instant::now(), LoadMeter::default());
        while !self.webhooks.are_served() {
            interrupt.check()?;
            if let Some(status) = self.operator.ended() {
                let log = self.exit_reason();
                return Err(torture::Error::EndedAtStart { status, log }.into());
            }
            load.sample();
            let limit = load.stretch(SERVED_WITHIN);
            if since.elapsed() > limit {
                let (seconds, log) = (limit.as_secs(), self.exit_reason());
                let busy = load.is_busy();
                return Err(torture::Error::NoWebhooks { seconds, log, busy }.into());
            }
            tokio::time::sleep(OFTEN).await;
        }
        Ok(())
    }

    fn exit_reason(&self) -> String {
        torture::exit_reason(&self.log.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Creates the Lease with a holder that does not exist, so that the standby cannot acquire it.
///
/// # Errors
/// Returns an error if the API server rejects it.
pub async fn keep_from_leading(client: &Client, deployed: &OperatorManifests) -> Result<()> {
    let lease = json!({"apiVersion": "coordination.k8s.io/v1", "kind": "Lease",
        "metadata": {"name": LEASE, "namespace": deployed.namespace},
        "spec": {"holderIdentity": "no-replica", "leaseDurationSeconds": HELD_FOR}});
    let lease = serde_json::from_value(lease).expect("an object");
    Ok(dev::apply(client, vec![lease]).await?)
}
