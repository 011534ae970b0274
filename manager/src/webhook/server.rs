//! The HTTP handler of the webhooks. Neither an invalid request nor a webhook that panics or never
//! ends affects other requests.

use std::collections::{BTreeMap, BTreeSet};
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use http::header::{ALLOW, CONTENT_TYPE};
use http::{HeaderMap, HeaderValue, Method, Request as HttpRequest, Response, StatusCode};
use http_body_util::Full;
use hyper::body::{Body, Bytes};
use kube::Client;
#[cfg(feature = "testing")]
use serde_json::Value;
use tokio::time::{Instant, timeout_at};

use super::admission::Admission;
use super::body::Reader;
use super::certificate::ca_bundle::Configuration;
use super::handlers::Handlers;
use super::metrics::{WebhookFigures, WebhookMetrics};
use super::names::Names;
use super::request::Request;
use super::review::{self, AdmissionRequest, refusal};
use crate::conversion::Converters;
use crate::error::{Error, Result};
use crate::http::{connections::Connection, server};

/// The default timeout of a webhook. The API server sends the actual one in the query.
const DEFAULT_TIMEOUT: Duration = Duration::from_secs(10);
const MAX_TIMEOUT: Duration = Duration::from_secs(30);
/// The response is sent this much before the API server's timeout, so that it arrives in time.
const LEEWAY: Duration = Duration::from_millis(200);

/// The path of the conversion webhook for all kinds, as in controller-runtime.
const CONVERT: &str = "/convert";

/// All webhooks of the operator, by path.
pub(crate) struct WebhookServer {
    /// By URL path, for example `/validate-my-domain-v1-lolcow`.
    hooks: BTreeMap<String, Hook>,
    reader: Reader,
    /// The client that defaulters and validators get.
    client: Client,
}

struct Hook {
    handler: Handler,
    metrics: WebhookFigures,
}

enum Handler {
    Admission(Box<dyn Admission>),
    Conversion(Converters),
}

impl WebhookServer {
    /// Creates the server of these webhooks and registers their metrics. Generates the CRDs, if
    /// the operator provides them, because defaulters and conversions use the schemas.
    ///
    /// # Errors
    /// Returns an error if two webhooks have the same path, if two converters have the same kind,
    /// or if the CRDs are invalid.
    pub fn new(handlers: Handlers, client: Client, metrics: &WebhookMetrics) -> Result<Self> {
        let Handlers {
            mut admissions,
            mut chains,
            crds,
        } = handlers;
        if let Some(crds) = crds {
            let crds = crds().map_err(|why| Error::new("InvalidTypes", why))?;
            for admission in &mut admissions {
                admission.learn(&crds);
            }
            for chain in &mut chains {
                chain.learn(&crds);
            }
        }
        let mut hooks = BTreeMap::new();
        let admissions = admissions.into_iter();
        let mut all: Vec<_> = admissions
            .map(|admission| (admission.path(), Handler::Admission(admission)))
            .collect();
        if !chains.is_empty() {
            let conversion = Handler::Conversion(Converters::new(chains)?);
            all.push((CONVERT.to_owned(), conversion));
        }
        for (path, handler) in all {
            let metrics = metrics.of(&path);
            if hooks
                .insert(path.clone(), Hook { handler, metrics })
                .is_some()
            {
                let message =
                    format!("two webhooks are registered at {path}; help: register only one");
                return Err(Error::new("SamePath", message));
            }
        }
        Ok(Self {
            hooks,
            reader: Reader::default(),
            client,
        })
    }

    /// Returns the webhook configurations and CRDs that refer to these webhooks and therefore need
    /// their CA certificate. `operator` is the operator's name, from which the names of the
    /// configurations are derived.
    pub fn configurations(&self, operator: &str) -> Vec<Configuration> {
        let mut kinds = BTreeSet::new();
        let mut configurations = Vec::new();
        for hook in self.hooks.values() {
            match &hook.handler {
                Handler::Admission(admission) => drop(kinds.insert(admission.configuration())),
                Handler::Conversion(converters) => {
                    configurations.extend(converters.crds().map(Configuration::of_crd));
                }
            }
        }
        let names = Names::of(operator);
        let of_webhooks = kinds.into_iter();
        let of_webhooks =
            of_webhooks.map(|kind| Configuration::of_webhooks(kind, names.configuration(kind)));
        configurations.extend(of_webhooks);
        configurations
    }

    /// Returns the names of the CRDs whose objects are converted, in the form `plural.group`.
    #[cfg(feature = "testing")]
    pub fn converted(&self) -> Vec<String> {
        let converters = self.converters();
        converters.map_or_else(Vec::new, |converters| converters.crds().collect())
    }

    /// Converts an object to another version, given as `my.domain/v1`, like the conversion webhook.
    ///
    /// # Errors
    /// Returns the reason if it cannot be converted.
    #[cfg(feature = "testing")]
    pub fn convert(&self, object: &Value, version: &str) -> std::result::Result<Value, String> {
        let Some(converters) = self.converters() else {
            return Err("the operator has no converter".to_owned());
        };
        converters.convert(object, version, || {})
    }

    #[cfg(feature = "testing")]
    fn converters(&self) -> Option<&Converters> {
        match &self.hooks.get(CONVERT)?.handler {
            Handler::Conversion(converters) => Some(converters),
            Handler::Admission(_) => None,
        }
    }

    /// Responds to a request, whatever its path and method are, and counts it in the metrics.
    pub async fn answer<B>(&self, request: HttpRequest<B>) -> Response<Full<Bytes>>
    where
        B: Body<Data = Bytes>,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        let Some(hook) = self.hooks.get(request.uri().path()) else {
            let paths: Vec<_> = self.hooks.keys().map(String::as_str).collect();
            let body = format!("not found; this server serves {}\n", paths.join(", "));
            return server::text(StatusCode::NOT_FOUND, body);
        };
        let running = hook.metrics.start();
        let response = self.handle(hook, request).await;
        running.answered(response.status());
        response
    }

    async fn handle<B>(&self, hook: &Hook, request: HttpRequest<B>) -> Response<Full<Bytes>>
    where
        B: Body<Data = Bytes>,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        if request.method() != Method::POST {
            let mut response = refuse(StatusCode::METHOD_NOT_ALLOWED, "send the review with POST");
            let post = HeaderValue::from_static("POST");
            response.headers_mut().insert(ALLOW, post);
            return response;
        }
        if !is_json(request.headers()) {
            let wrong = "the `Content-Type` must be `application/json`";
            return refuse(StatusCode::UNSUPPORTED_MEDIA_TYPE, wrong);
        }
        let timeout = ReviewTimeout::of(request.uri().query());
        let deadline = timeout.ends;
        let connection = request.extensions().get::<Arc<Connection>>().cloned();
        let review = match self.reader.read(request.into_body(), timeout.lasts).await {
            Ok(review) => review,
            Err((status, why)) => return refuse(status, &why),
        };
        // Until its body has been read, the connection counts as idle and may be closed to make
        // room for another one, so that a client that sends slowly cannot occupy it.
        if let Some(connection) = connection {
            connection.mark_busy();
        }
        let answer = match &hook.handler {
            Handler::Admission(admission) => {
                let admission = admission.as_ref();
                let answer = self.admit(admission, &review.bytes, timeout, &hook.metrics);
                answer.await
            }
            Handler::Conversion(converters) => {
                let answer = converters.answer(&review.bytes, || hook.metrics.panicked());
                match timeout_at(deadline, answer).await {
                    Ok(answer) => answer,
                    Err(_) => {
                        return refuse(
                            StatusCode::GATEWAY_TIMEOUT,
                            "conversion timed out: too many objects",
                        );
                    }
                }
            }
        };
        match answer {
            Ok(body) => json(body),
            Err(wrong) => refuse(StatusCode::BAD_REQUEST, &wrong),
        }
    }

    /// Returns the response to an `AdmissionReview`, serialized. A webhook that panics or does not
    /// respond in time rejects the request. The error describes what is wrong with the review.
    async fn admit(
        &self,
        admission: &dyn Admission,
        body: &[u8],
        timeout: ReviewTimeout,
        metrics: &WebhookFigures,
    ) -> Result<Vec<u8>, String> {
        let admission_request = AdmissionRequest::parse(body)?;
        let request = Request::of(&admission_request, self.client.clone());
        let decision = admission.decide(&admission_request, &request);
        let decision = AssertUnwindSafe(decision).catch_unwind();
        let decision = match timeout_at(timeout.ends, decision).await {
            Ok(Ok(decision)) => decision,
            // the panic hook has already logged the message and the location
            Ok(Err(_)) => {
                metrics.panicked();
                let message = "the webhook panicked; see the operator's log for the location";
                Err(refusal(500, "InternalError", message))
            }
            Err(_) => Err(refusal(
                504,
                "Timeout",
                format!("the webhook did not respond within {:?}", timeout.lasts),
            )),
        };
        if decision.is_err() {
            metrics.refused();
        }
        review::answer(&admission_request.uid, decision, request.warnings())
            .map_err(|error| error.to_string())
    }
}

/// The timeout of a webhook, as a duration and as a point in time.
#[derive(Clone, Copy)]
struct ReviewTimeout {
    lasts: Duration,
    ends: Instant,
}

impl ReviewTimeout {
    /// Starts the timeout that the API server sends in the query, for example `?timeout=10s`.
    fn of(query: Option<&str>) -> Self {
        let pairs = query.unwrap_or_default().split('&');
        let seconds = pairs
            .filter_map(|pair| pair.strip_prefix("timeout=")?.strip_suffix('s'))
            .find_map(|seconds| seconds.parse().ok());
        let lasts = seconds.map_or(DEFAULT_TIMEOUT, Duration::from_secs);
        let lasts = lasts.clamp(Duration::from_secs(1), MAX_TIMEOUT);
        let lasts = lasts.saturating_sub(LEEWAY);
        let ends = Instant::now() + lasts;
        Self { lasts, ends }
    }
}

fn is_json(headers: &HeaderMap) -> bool {
    let value = headers
        .get(CONTENT_TYPE)
        .and_then(|value| value.to_str().ok());
    let media = value.and_then(|value| value.split(';').next());
    media.is_some_and(|media| media.trim().eq_ignore_ascii_case("application/json"))
}

fn refuse(status: StatusCode, why: &str) -> Response<Full<Bytes>> {
    tracing::debug!(status = status.as_u16(), "rejected a review: {why}");
    server::text(status, format!("{why}\n"))
}

fn json(body: Vec<u8>) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(Bytes::from(body)));
    let json = HeaderValue::from_static("application/json");
    response.headers_mut().insert(CONTENT_TYPE, json);
    response
}

#[cfg(test)]
#[path = "server_tests.rs"]
mod tests;
