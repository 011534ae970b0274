//! The HTTP client for the collector. It uses kube's client, because that is already a dependency.

use std::fmt;
use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use http_body_util::BodyExt;
use kube::{Client, Config, client::Body};
use opentelemetry_http::{Bytes, HttpClient, HttpError, Request, Response};
use rustls::pki_types::{CertificateDer, pem::PemObject};
use tokio::runtime::Handle;

use crate::error;
use crate::otel::settings::Settings;

/// An HTTP client that sends spans to the collector, on the runtime on which it was created. If the
/// collector becomes unavailable or available again, this is logged once. Spans that could not be
/// sent are lost.
#[derive(Clone)]
pub(crate) struct Collector {
    client: Client,
    /// The runtime that sends the requests. The exporter calls this client on a thread of its own,
    /// without a runtime.
    home: Handle,
    /// The collector's URL, for log messages.
    address: String,
    /// Timeout of a whole request, with its response.
    timeout: Duration,
    /// True if the last request failed, so that only changes are logged.
    away: Arc<AtomicBool>,
}

impl fmt::Debug for Collector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Collector").field(&self.address).finish()
    }
}

impl Collector {
    /// Creates the client. Must be called on a tokio runtime.
    ///
    /// # Errors
    /// Returns an error if the certificates cannot be read, or if no client can be created with
    /// them.
    pub fn new(settings: &Settings) -> Result<Self, String> {
        let mut config = Config::new(settings.collector.clone());
        config.root_cert = settings
            .certificate
            .as_deref()
            .map(certificates)
            .transpose()?;
        config.connect_timeout = Some(settings.timeout);
        config.default_retry = false;
        let client = Client::try_from(config).map_err(|error| error.to_string())?;
        Ok(Self {
            client,
            home: Handle::current(),
            address: settings.collector.to_string(),
            timeout: settings.timeout,
            away: Arc::default(),
        })
    }

    async fn send(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let request = request.map(Body::from);
        let answer = async {
            let (head, body) = self.client.send(request).await?.into_parts();
            Ok(Response::from_parts(head, body.collect().await?.to_bytes()))
        };
        tokio::time::timeout(self.timeout, answer).await?
    }

    /// Logs if the collector became unavailable or available again.
    fn log_change(&self, answer: &Result<Response<Bytes>, HttpError>) {
        let trouble = match answer {
            Ok(answer) if answer.status().is_success() => None,
            Ok(answer) => Some(format!("the collector responded with {}", answer.status())),
            Err(error) => Some(error::describe(error.as_ref())),
        };
        let address = &self.address;
        let was_away = self.away.swap(trouble.is_some(), Ordering::Relaxed);
        match trouble {
            Some(trouble) if !was_away => {
                tracing::warn!("cannot send traces to {address}, dropping them: {trouble}");
            }
            None if was_away => tracing::info!("sending traces to {address} again"),
            _ => {}
        }
    }
}

#[async_trait::async_trait]
impl HttpClient for Collector {
    async fn send_bytes(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let this = self.clone();
        let sent = self.home.spawn(async move {
            let answer = this.send(request).await;
            this.log_change(&answer);
            answer
        });
        sent.await?
    }
}

fn certificates(file: &str) -> Result<Vec<Vec<u8>>, String> {
    let wrong =
        |error: &dyn std::fmt::Display| format!("OTEL_EXPORTER_OTLP_CERTIFICATE: {file}: {error}");
    let text = fs::read(file).map_err(|error| wrong(&error))?;
    let found: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&text).collect();
    let found = found.map_err(|error| wrong(&error))?;
    Ok(found.into_iter().map(|one| one.to_vec()).collect())
}
