//! The `rest_client_*` metrics of client-go for requests to the API server, and a tower service
//! that calls a hook around each request.

use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Instant;

use futures::{FutureExt, future::BoxFuture};
use http::{Method, Request, Response, StatusCode, Uri};
use prometheus_client::metrics::{counter::Counter, family::Family, histogram::Histogram};
use prometheus_client::registry::Registry;
use tower::Service;

use crate::metrics::{Labels, histograms, register};

/// The upper bounds in seconds, which Kubernetes components use for this metric.
const BUCKETS: [f64; 12] = [
    0.005, 0.025, 0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 15.0, 30.0, 60.0,
];

/// The metrics of requests to the API server. Names and labels are those of client-go, so its
/// dashboards work.
pub(crate) struct RequestMetrics {
    /// By status code, host and method.
    all: Family<Labels<3>, Counter>,
    /// By host and method.
    seconds: Family<Labels<2>, Histogram>,
}

impl RequestMetrics {
    pub fn register(registry: &mut Registry) -> Self {
        let registry = registry.sub_registry_with_prefix("rest_client");
        let help = "Time in seconds until the response of the API server began";
        let seconds = || Histogram::new(BUCKETS);
        Self {
            all: register(
                registry,
                "requests",
                "Number of requests to the API server, by status code",
            ),
            seconds: histograms(registry, "request_duration_seconds", help, seconds),
        }
    }

    /// Starts the timer of a request to `host`, given as `host:port`. Call the returned function
    /// with the status when the response head arrives, or with `None` if the request fails.
    pub fn begin(self: &Arc<Self>, method: &Method, host: &str) -> OnResponse {
        let (requests, start) = (self.clone(), Instant::now());
        let (method, host) = (method.to_string(), host.to_owned());
        Box::new(move |status| {
            let by = [("host", host.clone()), ("verb", method.clone())];
            let seconds = requests.seconds.get_or_create_owned(&by);
            seconds.observe(start.elapsed().as_secs_f64());
            let code = status.map_or("<error>".to_owned(), |status| status.as_str().to_owned());
            let by = [("code", code), ("host", host), ("method", method)];
            requests.all.get_or_create(&by).inc();
        })
    }
}

/// A hook that runs once: with the status when the response head arrives, or with `None` if the
/// request failed.
pub(crate) type OnResponse = Box<dyn FnOnce(Option<StatusCode>) + Send>;

/// A tower service that calls `begin` before it passes a request to `inner`, and calls the
/// [`OnResponse`] that `begin` returned when the response head arrives or the request fails.
#[derive(Clone)]
pub(crate) struct RequestHook<S, F> {
    pub inner: S,
    pub begin: F,
}

impl<S, F, B, C> Service<Request<B>> for RequestHook<S, F>
where
    S: Service<Request<B>, Response = Response<C>, Future: Send + 'static>,
    F: Fn(&Method, &Uri) -> OnResponse,
{
    type Response = S::Response;
    type Error = S::Error;
    type Future = BoxFuture<'static, Result<S::Response, S::Error>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let end = (self.begin)(request.method(), request.uri());
        let sent = self.inner.call(request);
        async move {
            let answer = sent.await;
            end(answer.as_ref().ok().map(Response::status));
            answer
        }
        .boxed()
    }
}
