//! Start and stop of the webhook server in the operator's process. It starts before leader
//! election, because every replica serves webhooks, and stops last.

use std::{sync::Arc, time::Duration};

use http::Request;
use hyper::body::Incoming;
use kube::Config;
use tokio::task::{JoinHandle, JoinSet};
use tokio_util::sync::CancellationToken;

use super::certificate::rotate::{CHECK, Rotation};
use super::handlers::Handlers;
use super::metrics::WebhookMetrics;
use super::server::WebhookServer;
use crate::client;
use crate::error::Result;
use crate::http::{
    health::Health,
    server::{Limits, listen, serve},
    tls::{self, Expirations, Files},
};
use crate::options::{BindAddress, Options};

/// Time to finish running reviews after everything else has stopped. (The Pod has not received new
/// reviews for a while by then: see `preStop` in config/webhook.)
pub(crate) const GRACE: Duration = Duration::from_millis(300);

/// Limits for API servers. An API server keeps idle connections for 90 s, and a request on a
/// connection that is just being closed would fail. So this server must keep them longer.
const FOR_API_SERVERS: Limits = Limits {
    connections: 512,
    first: Duration::from_secs(5),
    silence: Duration::from_secs(120),
};

/// The parts of the process that the webhook server uses.
pub(crate) struct EndpointContext<'a> {
    /// The operator's name, from which the names of the Service, the Secret and the webhook
    /// configurations are derived.
    pub operator: &'a str,
    /// The namespace in which the operator runs.
    pub namespace: &'a str,
    pub options: &'a Options,
    /// The connection to the API server.
    pub config: &'a Config,
    pub metrics: &'a WebhookMetrics,
    /// The metric with the expiration of certificates, to which the webhooks' one is added.
    pub certificates: &'a Expirations,
    /// Receives the check `webhooks`, on which alone readiness then depends.
    pub health: &'a Health,
}

/// The running webhook server, if there are webhooks, and the tasks that renew its certificate.
#[derive(Default)]
pub(crate) struct Endpoint {
    server: Option<JoinHandle<()>>,
    stop: CancellationToken,
    /// The tasks that renew or reload the certificate. They are aborted when this is dropped.
    _helpers: JoinSet<()>,
}

impl Endpoint {
    /// Starts the server. Does nothing if there are no webhooks, and only validates them if the
    /// port is 0.
    ///
    /// # Errors
    /// Returns an error if the server cannot listen, if two webhooks have the same path or kind, if
    /// the CRDs are invalid, or if the certificate files cannot be used.
    pub async fn start(handlers: Handlers, around: EndpointContext<'_>) -> Result<Self> {
        let EndpointContext {
            operator,
            namespace,
            options,
            config,
            metrics,
            certificates,
            health,
        } = around;
        let address = match (options.webhook_port, options.webhook_host) {
            (0, _) => BindAddress::Off,
            (port, None) => BindAddress::Everywhere(port),
            (port, Some(host)) => BindAddress::At((host, port).into()),
        };
        if handlers.admissions.is_empty() && handlers.chains.is_empty() {
            return Ok(Self::default());
        }
        // Standby replicas serve webhooks, too, so the client's writes do not need the leadership.
        let client = client::unfenced(config.clone())?;
        let server = WebhookServer::new(handlers, client.clone(), metrics)?;
        let Some(listener) = listen(address, "--webhook-port").await? else {
            return Ok(Self::default());
        };
        // The API server calls only ready Pods, and the webhooks do not need the controllers. So a
        // controller that waits does not make the Pod unready.
        health.depend_only_on(CHECK);
        let certificate = certificates.of("webhooks");
        let mut helpers = JoinSet::new();
        if let Some(dir) = &options.webhook_cert_path {
            let (chain, key) = (&options.webhook_cert_name, &options.webhook_cert_key);
            let mut files = Files::new("--webhook-cert-path", dir, chain, key);
            certificate.replace(files.read()?);
            helpers.spawn(files.follow(certificate.clone()));
        } else {
            health.not_ready(CHECK, "no certificate yet");
            let (place, asking) = ((operator, namespace), server.configurations(operator));
            let rotation =
                Rotation::new(client, place, asking, certificate.clone(), health.clone());
            helpers.spawn(rotation.run());
        }
        let handshake = tls::handshake(&certificate)?;
        let server = Arc::new(server);
        let stop = CancellationToken::new();
        let server = tokio::spawn(serve(
            listener,
            FOR_API_SERVERS,
            stop.clone(),
            handshake,
            move |request: Request<Incoming>| {
                let server = server.clone();
                async move { server.answer(request).await }
            },
        ));
        Ok(Self {
            server: Some(server),
            stop,
            _helpers: helpers,
        })
    }

    /// Serves until `work` has ended. Then stops accepting reviews, waits up to [`GRACE`] for
    /// running ones, and returns the result of `work`.
    pub async fn serve_during<T>(self, work: impl Future<Output = T>) -> T {
        let result = work.await;
        self.finish().await;
        result
    }

    async fn finish(self) {
        self.stop.cancel();
        if let Some(mut server) = self.server
            && tokio::time::timeout(GRACE, &mut server).await.is_err()
        {
            tracing::warn!("aborted reviews that were still running after {GRACE:?}");
            server.abort();
        }
    }
}
