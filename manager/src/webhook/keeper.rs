//! Keeps the certificate of the webhooks: all replicas show what one Secret holds, any of them
//! renews it, and every API server is told whom to trust.
//!
//! The Secret is written with its `resourceVersion`: of several replicas that want to change it one
//! does, and the others find what it wrote.

use std::{sync::Arc, time::Duration};

use jiff::Timestamp;
use k8s_openapi::api::core::v1::Secret;
use kube::{Api, Client, api::PostParams};

use super::{
    held::{Held, Pair},
    names::Names,
    trust::{Configuration, Service},
};
use crate::{
    error::{Error, Result},
    health::Health,
    tls::{self, Certificate},
};

/// How often the Secret and the configurations are looked at.
const LOOK: Duration = Duration::from_secs(10);
/// How soon again after something went wrong.
const AGAIN: Duration = Duration::from_secs(1);

/// How the webhooks' troubles are called on `/readyz`.
pub(super) const CHECK: &str = "webhooks";

pub(super) struct Keeper {
    client: Client,
    secrets: Api<Secret>,
    secret: String,
    service: Service,
    names: Vec<String>,
    configurations: Vec<Configuration>,
    certificate: Arc<Certificate>,
    shown: Option<Pair>,
    health: Health,
    trouble: Option<String>,
}

impl Keeper {
    /// For the webhooks of `operator` in `namespace`, which `configurations` make API servers ask.
    pub fn new(
        client: Client,
        (operator, namespace): (&str, &str),
        configurations: Vec<Configuration>,
        certificate: Arc<Certificate>,
        health: Health,
    ) -> Self {
        let names = Names::of(operator);
        let host = format!("{}.{namespace}.svc", names.service);
        let service = Service {
            name: names.service,
            namespace: namespace.to_owned(),
        };
        Self {
            secrets: Api::namespaced(client.clone(), namespace),
            secret: names.secret,
            service,
            names: vec![host.clone(), format!("{host}.cluster.local")],
            configurations,
            client,
            certificate,
            shown: None,
            health,
            trouble: None,
        }
    }

    /// Does so for as long as it is polled.
    pub async fn run(mut self) {
        loop {
            let result = self.look().await;
            let wait = if result.is_ok() { LOOK } else { AGAIN };
            self.report(result.err());
            tokio::time::sleep(wait).await;
        }
    }

    async fn look(&mut self) -> Result<(), String> {
        let held = self
            .held()
            .await
            .map_err(|error| format!("the certificate in secrets/{}: {error}", self.secret))?;
        if self.shown.as_ref() != Some(&held.current) {
            self.certificate
                .show(tls::pair(&held.current.chain, &held.current.key)?);
            self.shown = Some(held.current);
            self.health.ready(CHECK);
            tracing::info!("webhooks show the certificate in secrets/{}", self.secret);
        }
        let mut troubles = Vec::new();
        for configuration in &self.configurations {
            let trusted = configuration.trust(&self.client, &self.service, &held.authorities);
            troubles.extend(trusted.await.err());
        }
        if troubles.is_empty() {
            Ok(())
        } else {
            Err(troubles.join("; "))
        }
    }

    /// What the Secret holds, after the step that is due.
    async fn held(&self) -> Result<Held> {
        loop {
            let mut secret = self.secrets.get(&self.secret).await?;
            let now = Timestamp::now();
            let found = Held::read(&secret, now);
            let next = match &found {
                Some(held) => held.step(&self.names, now)?,
                None => Some(Held::first(&self.names, now)?),
            };
            let Some(held) = next.clone().or(found) else {
                return Err(Error::new("NoCertificate", "there is none"));
            };
            if next.is_none() {
                return Ok(held);
            }
            held.write(&mut secret);
            let params = PostParams::default();
            match self.secrets.replace(&self.secret, &params, &secret).await {
                Ok(_) => return Ok(held),
                Err(kube::Error::Api(status)) if status.is_conflict() => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Says what troubles the keeper: when it begins, when it becomes another, when it is over.
    fn report(&mut self, trouble: Option<String>) {
        match (&trouble, &self.trouble) {
            (Some(new), old) if old.as_ref() != Some(new) => {
                tracing::warn!("webhooks: {new} (`make deploy` makes what is missing)");
            }
            (None, Some(_)) => tracing::info!("webhooks: what was missing is there now"),
            _ => {}
        }
        self.trouble = trouble;
    }
}
