//! The server of the webhooks as a part of the process: started before the election, since every
//! replica answers, and stopped last.

use std::{sync::Arc, time::Duration};

use http::Request;
use hyper::body::Incoming;
use kube::Config;
use tokio::task::{JoinHandle, JoinSet};
use tokio_util::sync::CancellationToken;

use super::certificate::rotate::{CHECK, Rotation};
use super::handlers::Handlers;
use super::metrics::WebhookMetrics;
use super::server::Server;
use crate::client;
use crate::error::Result;
use crate::http::{
    health::Health,
    server::{Limits, listen, serve},
    tls::{self, Expirations, Files},
};
use crate::options::{BindAddress, Options};

/// Reviews under way may take this long to be answered after everything else has stopped. (A Pod has
/// got no new ones for a while by then: see `preStop` in config/webhook.)
pub(crate) const GRACE: Duration = Duration::from_millis(300);

/// For API servers. They keep connections for 90 s, and a request on one that is just being closed
/// would fail: so they must be the first to close.
const FOR_API_SERVERS: Limits = Limits {
    connections: 512,
    first: Duration::from_secs(5),
    silence: Duration::from_secs(120),
};

/// What the endpoint needs of the process.
pub(crate) struct EndpointContext<'a> {
    pub operator: &'a str,
    /// The namespace of the operator.
    pub namespace: &'a str,
    pub options: &'a Options,
    pub config: &'a Config,
    pub metrics: &'a WebhookMetrics,
    pub certificates: &'a Expirations,
    pub health: &'a Health,
}

/// The running server, if there is anything to serve, and whoever cares for its certificate.
#[derive(Default)]
pub(crate) struct Endpoint {
    server: Option<JoinHandle<()>>,
    stop: CancellationToken,
    _helpers: JoinSet<()>,
}

impl Endpoint {
    /// # Errors
    /// When the server cannot listen, two webhooks have one path or one kind, the CRDs are none, or the
    /// certificate's files are not usable.
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
        let client = client::unfenced(config.clone())?;
        let server = Server::new(handlers, client.clone(), metrics)?;
        let Some(listener) = listen(address, "--webhook-port").await? else {
            return Ok(Self::default());
        };
        // Only a Pod that is ready is asked: whatever its controllers wait for, its webhooks can answer.
        health.rests_on(CHECK);
        let certificate = certificates.of("webhooks");
        let mut helpers = JoinSet::new();
        if let Some(dir) = &options.webhook_cert_path {
            let (chain, key) = (&options.webhook_cert_name, &options.webhook_cert_key);
            let files = Files::new("--webhook-cert-path", dir, chain, key);
            certificate.show(files.read()?);
            helpers.spawn(files.follow(certificate.clone()));
        } else {
            health.not_ready(CHECK, "there is no certificate yet");
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

    /// Serves while `work` lasts, then answers what is under way and returns what the work returned.
    pub async fn outlive<T>(self, work: impl Future<Output = T>) -> T {
        let result = work.await;
        self.finish().await;
        result
    }

    async fn finish(self) {
        self.stop.cancel();
        if let Some(mut server) = self.server
            && tokio::time::timeout(GRACE, &mut server).await.is_err()
        {
            tracing::warn!("reviews under way took longer than {GRACE:?} and were cut off");
            server.abort();
        }
    }
}
