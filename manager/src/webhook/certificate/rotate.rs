//! Rotation of the webhooks' certificate. All replicas serve the certificate in one Secret, any of
//! them renews it, and each writes its CA certificates to `caBundle` of the webhook configurations
//! and CRDs, from which API servers read them.
//!
//! The Secret is written with its `resourceVersion`. If several replicas renew it at the same time,
//! one write succeeds and the others use its result.

use std::sync::Arc;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use k8s_openapi::api::core::v1::Secret;
use kube::{Api, Client, api::PostParams};

use super::{
    ca_bundle::{Configuration, Service},
    secret::{CertificateSecret, Pair},
};
use crate::error::{Error, Result};
use crate::http::{
    health::Health,
    tls::{self, Certificate},
};
use crate::webhook::names::Names;

/// Interval between checks of the Secret and the configurations.
const CHECK_INTERVAL: Duration = Duration::from_secs(10);
/// Delay before the next check after an error.
const RETRY_DELAY: Duration = Duration::from_secs(1);

/// The name of the webhooks' check on `/readyz`.
pub(crate) const CHECK: &str = "webhooks";

/// The task of one replica that keeps the webhooks' certificate up to date.
pub(crate) struct Rotation {
    client: Client,
    secrets: Api<Secret>,
    /// The name of the Secret. The Secret exists already: the operator may not create Secrets.
    secret: String,
    service: Service,
    /// The DNS names of the Service, for which the certificate is issued.
    names: Vec<String>,
    configurations: Vec<Configuration>,
    /// The certificate that the server of this replica uses.
    certificate: Arc<Certificate>,
    /// The key pair in `certificate`. `None` before the first one.
    served: Option<Pair>,
    /// The CA certificates that all configurations trust, and since when.
    trusted: Option<(String, Instant)>,
    health: Health,
    /// The problem of the last check, which has been logged. `None` if it succeeded.
    problem: Option<String>,
}

impl Rotation {
    /// Returns the rotation for the webhooks of `operator` in `namespace`. `configurations` refer
    /// to these webhooks. The certificate is set in `certificate`, and [`CHECK`] becomes ready in
    /// `health` with the first one.
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
            served: None,
            trusted: None,
            health,
            problem: None,
        }
    }

    /// Keeps the certificate up to date while it is polled. Never returns.
    pub async fn run(mut self) {
        loop {
            let result = self.check().await;
            let wait = if result.is_ok() {
                CHECK_INTERVAL
            } else {
                RETRY_DELAY
            };
            self.report(result.err());
            tokio::time::sleep(wait).await;
        }
    }

    /// Serves the current certificate of the Secret, and adds its CA certificates to the webhook
    /// configurations.
    async fn check(&mut self) -> Result<(), String> {
        let content = self.load_and_rotate().await.map_err(|error| {
            format!(
                "cannot load the certificate from secrets/{}: {}",
                self.secret,
                error.without_help()
            )
        })?;
        if self.served.as_ref() != Some(&content.current) {
            self.certificate
                .replace(tls::pair(&content.current.chain, &content.current.key)?);
            self.served = Some(content.current);
            self.health.ready(CHECK);
            tracing::info!("webhooks use the certificate from secrets/{}", self.secret);
        }
        let mut problems = Vec::new();
        for configuration in &self.configurations {
            let trusted = configuration.trust(&self.client, &self.service, &content.authorities);
            problems.extend(trusted.await.err());
        }
        if !problems.is_empty() {
            self.trusted = None;
            return Err(problems.join("; "));
        }
        if !self.is_trusted(&content.authorities) {
            self.trusted = Some((content.authorities, Instant::now()));
        }
        Ok(())
    }

    /// Returns true if all configurations trust these CA certificates.
    fn is_trusted(&self, authorities: &str) -> bool {
        self.trusted
            .as_ref()
            .is_some_and(|(trusted, _)| trusted == authorities)
    }

    /// Returns the content of the Secret, after performing the next step of the rotation if it is
    /// due.
    async fn load_and_rotate(&self) -> Result<CertificateSecret> {
        loop {
            let mut secret = self.secrets.get(&self.secret).await?;
            let now = Timestamp::now();
            let found = CertificateSecret::read(&secret, now);
            let next = match &found {
                Some(content) => {
                    let since = self
                        .trusted
                        .as_ref()
                        .filter(|_| self.is_trusted(&content.authorities));
                    let trusted_for = since.map_or(Duration::ZERO, |(_, since)| since.elapsed());
                    content.step(&self.names, now, trusted_for)?
                }
                None => Some(CertificateSecret::first(&self.names, now)?),
            };
            let Some(content) = next.clone().or(found) else {
                return Err(Error::new("NoCertificate", "the Secret has no certificate"));
            };
            if next.is_none() {
                return Ok(content);
            }
            content.write(&mut secret);
            let params = PostParams::default();
            match self.secrets.replace(&self.secret, &params, &secret).await {
                Ok(_) => return Ok(content),
                Err(kube::Error::Api(status)) if status.is_conflict() => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Logs a problem when it starts, changes or ends.
    fn report(&mut self, problem: Option<String>) {
        match (&problem, &self.problem) {
            (Some(new), old) if old.as_ref() != Some(new) => {
                tracing::warn!(
                    "webhooks: {new}; help: run `make deploy` to create missing objects and permissions"
                );
            }
            (None, Some(_)) => tracing::info!("webhooks: the problem is resolved"),
            _ => {}
        }
        self.problem = problem;
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use http::{Method, Response, StatusCode};
    use http_body_util::BodyExt;
    use kube::client::Body;
    use serde_json::json;

    use super::*;
    use crate::mock;

    /// Starts an API server that stores the Secret and rejects changes of CRDs until the test
    /// allows them.
    fn server(secret: Secret) -> (Client, Arc<Mutex<(Secret, bool)>>) {
        let (client, mut calls) = mock::client();
        let state = Arc::new(Mutex::new((secret, false)));
        let shared = state.clone();
        tokio::spawn(async move {
            while let Some((request, answer)) = calls.recv().await {
                let (head, body) = request.into_parts();
                let body = body.collect().await.unwrap().to_bytes();
                let mut state = shared.lock().unwrap();
                let of_secret = head.uri.path().contains("/secrets/");
                if of_secret && head.method == Method::PUT {
                    state.0 = serde_json::from_slice(&body).unwrap();
                }
                let (status, body) = match (of_secret, state.1) {
                    (true, _) => (StatusCode::OK, serde_json::to_value(&state.0).unwrap()),
                    (false, true) => (StatusCode::OK, json!({"metadata": {"name": "cows"}})),
                    (false, false) => {
                        (StatusCode::FORBIDDEN, json!({"code": 403, "message": "no"}))
                    }
                };
                let mut response = Response::new(Body::from(body.to_string().into_bytes()));
                *response.status_mut() = status;
                let _ = answer.send(response);
            }
        });
        (client, state)
    }

    /// One of the configurations that must trust the new certificate cannot be updated.
    #[tokio::test]
    async fn the_old_certificate_is_served_until_all_trust_the_new_one() {
        let names = ["hooks.ns.svc".to_owned()];
        let long_ago = Timestamp::now() - Duration::from_secs(61 * 24 * 3600);
        let old = CertificateSecret::first(&names, long_ago).unwrap();
        let both = old.step(&names, Timestamp::now(), Duration::ZERO);
        let mut secret = Secret::default();
        both.unwrap().unwrap().write(&mut secret);
        let due = ("webhook-certificate/due".to_owned(), "now".to_owned());
        secret
            .metadata
            .annotations
            .get_or_insert_default()
            .extend([due]);
        let (client, state) = server(secret);
        let serves_the_old = || {
            let content = CertificateSecret::read(&state.lock().unwrap().0, Timestamp::now());
            content.unwrap().current == old.current
        };

        let crd = Configuration::of_crd("cows".to_owned());
        let certificate = Arc::new(Certificate::default());
        let operator = ("hooks", "ns");
        let mut rotation =
            Rotation::new(client, operator, vec![crd], certificate, Health::default());
        for _ in 0..3 {
            rotation.check().await.unwrap_err();
            assert!(serves_the_old());
        }
        state.lock().unwrap().1 = true;
        for _ in 0..3 {
            rotation.check().await.unwrap();
            assert!(serves_the_old(), "API servers have had no time to notice");
        }
        let (_, since) = rotation.trusted.as_mut().unwrap();
        *since = since.checked_sub(Duration::from_secs(60)).unwrap();
        rotation.check().await.unwrap();
        assert!(!serves_the_old());
    }

    /// A marker would grant `get` on the Secrets of all namespaces.
    #[tokio::test]
    async fn a_missing_role_leads_to_no_marker() {
        let (client, mut calls) = mock::client();
        tokio::spawn(async move {
            while let Some((_, answer)) = calls.recv().await {
                let message = "secrets \"webhook-certificate\" is forbidden: User \"u\" cannot get resource \
                               \"secrets\" in API group \"\" in the namespace \"ns\"";
                let body = json!({"kind": "Status", "status": "Failure", "reason": "Forbidden", "code": 403, "message": message});
                let mut response = Response::new(Body::from(body.to_string().into_bytes()));
                *response.status_mut() = StatusCode::FORBIDDEN;
                let _ = answer.send(response);
            }
        });
        let (operator, health) = (("hooks", "ns"), Health::default());
        let mut rotation = Rotation::new(client, operator, Vec::new(), Arc::default(), health);
        let problem = rotation.check().await.unwrap_err();
        assert!(problem.contains("cannot get resource"), "{problem}");
        assert!(!problem.contains("help: "), "{problem}");
    }
}
