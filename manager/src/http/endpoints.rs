//! The two HTTP servers of every operator: one for the kubelet, one for Prometheus.

use std::sync::Arc;

use http::{Request, StatusCode};
use hyper::body::Incoming;
use kube::Config;
use prometheus_client::registry::Registry;
use tokio::{net::TcpStream, task::JoinSet};
use tokio_util::sync::CancellationToken;

use crate::client;
use crate::error::Result;
use crate::http::authorization::MetricsAuthorizer;
use crate::http::exposition;
use crate::http::health::Health;
use crate::http::server::{self, FOR_PROBES, listen, serve};
use crate::http::tls::{self, Expirations, Files};
use crate::options::Options;

/// Serves `/healthz` and `/readyz` over plain HTTP, without authorization, as a task in `servers`.
/// Does nothing if the address is `0`.
///
/// # Errors
/// Returns an error if the server cannot listen.
pub(crate) async fn health(
    options: &Options,
    health: &Health,
    servers: &mut JoinSet<()>,
) -> Result<()> {
    let address = options.health_probe_bind_address;
    let Some(listener) = listen(address, "--health-probe-bind-address").await? else {
        return Ok(());
    };
    let health = health.clone();
    let answer = move |request: Request<Incoming>| {
        let refused = server::refuse_method(&request, server::READING);
        let answer = refused.unwrap_or_else(|| {
            let (status, body) = health.answer(request.uri().path());
            server::text(status, body)
        });
        async { answer }
    };
    servers.spawn(serve(listener, FOR_PROBES, never(), in_the_clear, answer));
    Ok(())
}

/// Serves `/metrics` over HTTPS with authorization, or over plain HTTP without it if
/// `metrics_secure` is false, as tasks in `servers`. The certificate is read from
/// `metrics_cert_path`, or self-signed if this is `None`; its expiration is added to
/// `certificates`. Does nothing if the address is `0`.
///
/// # Errors
/// Returns an error if the server cannot listen, or if its certificate cannot be used.
pub(crate) async fn metrics(
    operator: &str,
    options: &Options,
    config: &Config,
    (figures, certificates): (&Arc<Registry>, &Expirations),
    servers: &mut JoinSet<()>,
) -> Result<()> {
    let address = options.metrics_bind_address;
    let Some(listener) = listen(address, "--metrics-bind-address").await? else {
        return Ok(());
    };
    let figures = figures.clone();
    if !options.metrics_secure {
        let answer = move |request: Request<Incoming>| {
            let answer = exposition::answer(&figures, &request);
            async { answer }
        };
        servers.spawn(serve(listener, FOR_PROBES, never(), in_the_clear, answer));
        return Ok(());
    }
    let certificate = certificates.of("metrics");
    let handshake = tls::handshake(&certificate)?;
    if let Some(dir) = &options.metrics_cert_path {
        let (chain, key) = (&options.metrics_cert_name, &options.metrics_cert_key);
        let mut files = Files::new("--metrics-cert-path", dir, chain, key);
        certificate.replace(files.read()?);
        servers.spawn(files.follow(certificate));
    } else {
        certificate.replace(tls::self_signed(operator)?);
    }
    let gate = Arc::new(MetricsAuthorizer::new(client::unfenced(config.clone())?));
    let answer = move |request: Request<Incoming>| {
        let (gate, figures) = (gate.clone(), figures.clone());
        async move {
            // Rejects other methods first, so that they cause no request to the API server.
            if let Some(refused) = server::refuse_method(&request, server::READING) {
                return refused;
            }
            match gate.authorize(request.headers()).await {
                StatusCode::OK => exposition::answer(&figures, &request),
                refused => server::text(refused, format!("{refused}\n")),
            }
        }
    };
    servers.spawn(serve(listener, FOR_PROBES, never(), handshake, answer));
    Ok(())
}

/// Returns a token that is never cancelled: these servers run until the process ends.
fn never() -> CancellationToken {
    CancellationToken::new()
}

/// Returns the connection itself, in place of a TLS handshake.
async fn in_the_clear(connection: TcpStream) -> Option<TcpStream> {
    Some(connection)
}
