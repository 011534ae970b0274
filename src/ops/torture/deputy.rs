//! A second replica of the operator, which never becomes the leader: it answers for the webhooks of all runs, also
//! while faults kill the replicas that work. So whoever is refused anything is refused by a webhook that decided so.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use kube::Client;
use serde_json::json;

use crate::dev::{self, Deployed, Launch, Operator, Webhooks};
use crate::interrupt::Interrupt;
use crate::ops::Result;
use crate::torture::{self, load::LoadMeter};

/// The Lease that it waits for in vain.
const LEASE: &str = "rustop-torture";
/// Longer than anything is tortured.
const HELD_FOR: u32 = 7 * 24 * 3600;
/// How long it may take until it listens on an idle machine.
const SERVED_WITHIN: Duration = Duration::from_secs(30);
const OFTEN: Duration = Duration::from_millis(50);

/// One that stands by. It ends when this is dropped.
#[derive(Debug)]
pub struct Deputy {
    operator: Operator,
    log: Arc<Mutex<String>>,
    /// Its certificate goes with it.
    webhooks: Webhooks,
}

impl Deputy {
    /// Starts it as `launch` says, to serve `webhooks`, and waits until it does.
    ///
    /// # Errors
    /// When it ends, or does not listen.
    pub async fn start(
        binary: &Path,
        launch: Launch<'_>,
        webhooks: Webhooks,
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
        let mut deputy = Self {
            operator,
            log,
            webhooks,
        };
        deputy.until_served(interrupt).await?;
        Ok(deputy)
    }

    async fn until_served(&mut self, interrupt: &Interrupt) -> Result<()> {
        let (since, mut load) = (Instant::now(), LoadMeter::default());
        while !self.webhooks.are_served() {
            interrupt.check()?;
            if let Some(status) = self.operator.ended() {
                let log = self.last_words();
                return Err(torture::Error::EndedAtStart { status, log }.into());
            }
            load.sample();
            let limit = load.stretch(SERVED_WITHIN);
            if since.elapsed() > limit {
                let (seconds, log) = (limit.as_secs(), self.last_words());
                let busy = load.is_busy();
                return Err(torture::Error::NoWebhooks { seconds, log, busy }.into());
            }
            tokio::time::sleep(OFTEN).await;
        }
        Ok(())
    }

    fn last_words(&self) -> String {
        torture::last_words(&self.log.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Makes the Lease, which somebody holds who is not there.
///
/// # Errors
/// When the API server refuses.
pub async fn keep_from_leading(client: &Client, deployed: &Deployed) -> Result<()> {
    let lease = json!({"apiVersion": "coordination.k8s.io/v1", "kind": "Lease",
        "metadata": {"name": LEASE, "namespace": deployed.namespace},
        "spec": {"holderIdentity": "nobody", "leaseDurationSeconds": HELD_FOR}});
    let lease = serde_json::from_value(lease).expect("an object");
    Ok(dev::apply(client, vec![lease]).await?)
}
