//! The two servers that every operator has: one for the kubelet, one for Prometheus.

use std::sync::Arc;

use http::{Request, StatusCode};
use hyper::body::Incoming;
use kube::Config;
use tokio::{net::TcpStream, task::JoinSet};
use tokio_util::sync::CancellationToken;

use crate::{
    client,
    error::Result,
    http::{
        authorization::Gate,
        exposition,
        health::Health,
        metrics::Metrics,
        server::{self, FOR_PROBES, listen, serve},
        tls::{self, Certificate, Files},
    },
    options::Options,
};

/// `/healthz` and `/readyz`, in the clear and for everyone.
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
    servers.spawn(serve(
        listener,
        FOR_PROBES,
        CancellationToken::new(),
        in_the_clear,
        move |request: Request<Incoming>| {
            let (status, body) = health.answer(request.uri().path());
            async move { server::text(status, body) }
        },
    ));
    Ok(())
}

/// `/metrics`: over TLS and for those who may see it, unless the options say otherwise.
pub(crate) async fn metrics(
    operator: &str,
    options: &Options,
    config: &Config,
    metrics: &Arc<Metrics>,
    servers: &mut JoinSet<()>,
) -> Result<()> {
    let address = options.metrics_bind_address;
    let Some(listener) = listen(address, "--metrics-bind-address").await? else {
        return Ok(());
    };
    let metrics = metrics.clone();
    if !options.metrics_secure {
        servers.spawn(serve(
            listener,
            FOR_PROBES,
            CancellationToken::new(),
            in_the_clear,
            move |request: Request<Incoming>| {
                let answer = exposition::answer(&metrics, &request);
                async { answer }
            },
        ));
        return Ok(());
    }
    let certificate = Arc::new(Certificate::default());
    let handshake = tls::handshake(&certificate)?;
    if let Some(dir) = &options.metrics_cert_path {
        let (chain, key) = (&options.metrics_cert_name, &options.metrics_cert_key);
        let files = Files::new("--metrics-cert-path", dir, chain, key);
        certificate.show(files.read()?);
        servers.spawn(files.follow(certificate));
    } else {
        certificate.show(tls::self_signed(operator)?);
    }
    let gate = Arc::new(Gate::new(client::unfenced(config.clone())?));
    servers.spawn(serve(
        listener,
        FOR_PROBES,
        CancellationToken::new(),
        handshake,
        move |request: Request<Incoming>| {
            let (gate, metrics) = (gate.clone(), metrics.clone());
            async move {
                match gate.admits(request.headers()).await {
                    StatusCode::OK => exposition::answer(&metrics, &request),
                    refused => server::text(refused, format!("{refused}\n")),
                }
            }
        },
    ));
    Ok(())
}

async fn in_the_clear(connection: TcpStream) -> Option<TcpStream> {
    Some(connection)
}
