//! The redirection of the API server's webhook calls to this machine.

use std::path::Path;

use k8s_openapi::api::core::v1::Namespace;
use kube::api::{Api, DynamicObject};
use kube::{Client, Config};

use super::Result;
use crate::client;
use crate::cluster::{self, Dirs};
use crate::dev::{self, Host, LocalWebhooks, RedirectedCluster, is_api_server_local};
use crate::error::causes;
use crate::session::Session;
use crate::terminal::Terminal;

/// Returns the name or address at which the API server reaches this machine: the given one, or the
/// loopback address if the API server runs here. `None` if neither is known.
pub async fn host(given: Option<&Host>, client: &Client, config: &Config) -> Option<Host> {
    match given {
        Some(host) => Some(host.clone()),
        None => is_api_server_local(client, config)
            .await
            .then(Host::loopback),
    }
}

/// Redirects the webhooks in `objects` to `host`. Returns `None` if there are none, or without a
/// host: then it removes the webhook configurations and shows a warning with the command that
/// enables them: `command`, followed by a host. `port` is the operator's webhook port; `None` for a
/// free one. Writes their key into `secrets`. `cluster` is the one of `client`.
///
/// # Errors
/// Returns an error if an operator in the cluster or another rustop serves the webhooks, or if the
/// API server does not respond.
pub async fn redirect_here(
    session: &Session,
    (client, config): (&Client, &Config),
    cluster: RedirectedCluster,
    objects: &mut Vec<DynamicObject>,
    (host, port): (Option<&Host>, Option<u16>),
    command: &str,
    secrets: &Path,
) -> Result<Option<LocalWebhooks>> {
    let redirected = host.map(|host| LocalWebhooks::redirect_here(objects, host, port, secrets));
    let mut webhooks = redirected.transpose()?.flatten();
    if let Some(webhooks) = &mut webhooks {
        let dirs = Dirs::from_env()?;
        // A lock for each redirected object keeps another rustop on this machine from redirecting
        // it, too.
        let take = |key: &str| Ok::<_, super::Error>(cluster::try_exclusive(&dirs, key)?);
        webhooks.hold(&identity(client, config).await, take)?;
        webhooks.cluster = cluster;
        webhooks.check(client).await?;
    } else if LocalWebhooks::leave_out(objects) {
        session.terminal.warning(format_args!(
            "webhooks are not called, since the API server at {} does not run on this machine; \
             if it can reach this machine, pass its address: {command}HOST",
            client::address(config)
        ));
    }
    Ok(webhooks)
}

/// Returns the verdict of a run after its webhooks were removed. An error of the removal does not
/// hide that of the run: then it is a warning.
///
/// # Errors
/// Returns the error of the run or, if there is none, that of the removal.
pub fn after_removal<T>(
    terminal: Terminal,
    verdict: Result<T>,
    removed: std::result::Result<(), dev::Error>,
) -> Result<T> {
    match (verdict, removed) {
        (Err(verdict), Err(error)) => {
            let text = [vec![error.to_string()], causes(&error)]
                .concat()
                .join(": ");
            terminal.warning(format_args!("the webhooks are not removed: {text}"));
            Err(verdict)
        }
        (verdict, removed) => {
            let verdict = verdict?;
            removed?;
            Ok(verdict)
        }
    }
}

/// Returns an identity of the cluster that does not depend on its address: the UID of a namespace
/// that every cluster has. Returns the URL if that cannot be read.
async fn identity(client: &Client, config: &Config) -> String {
    let namespaces: Api<Namespace> = Api::all(client.clone());
    let found = namespaces.get("kube-system").await.ok();
    let uid = found.and_then(|found| found.metadata.uid);
    uid.unwrap_or_else(|| config.cluster_url.to_string())
}
