//! The operator's webhooks, called on this machine.

use std::path::Path;

use kube::api::DynamicObject;
use kube::{Client, Config};

use super::Result;
use crate::dev::{Host, Webhooks, is_here};
use crate::session::Session;

/// At which name or address the API server reaches this machine, if it does: the one that is given, or its own.
pub async fn host(given: Option<&Host>, client: &Client, config: &Config) -> Option<Host> {
    match given {
        Some(host) => Some(host.clone()),
        None => is_here(client, config).await.then(Host::loopback),
    }
}

/// Leads the webhooks of what is deployed to `host`. Where there is none they are left out, which is said with `mend`:
/// followed by a host, it is the command that has them called. Their key is written into `secrets`.
///
/// # Errors
/// When an operator inside of the cluster serves them, or the API server does not answer.
pub async fn lead_here(
    session: &Session,
    (client, config): (&Client, &Config),
    objects: &mut Vec<DynamicObject>,
    host: Option<&Host>,
    mend: &str,
    secrets: &Path,
) -> Result<Option<Webhooks>> {
    let led = host.map(|host| Webhooks::lead_here(objects, host, secrets));
    let mut webhooks = led.transpose()?.flatten();
    if let Some(webhooks) = &mut webhooks {
        webhooks.check(client).await?;
    } else if Webhooks::leave_out(objects) {
        session.terminal.warning(format_args!(
            "webhooks are not called, since the API server at {} does not run on this machine: \
             where it reaches this machine, {mend}HOST has them called",
            config.cluster_url
        ));
    }
    Ok(webhooks)
}
