//! What the operator asks of the API server: each request counted as in Go, and told while a reconcile waits for it.

use std::{
    sync::Arc,
    task::{Context, Poll},
    time::Instant,
};

use futures::{FutureExt, future::BoxFuture};
use http::{Method, Request, Response, StatusCode, Uri};
use prometheus_client::{
    encoding::EncodeLabelSet,
    metrics::{counter::Counter, family::Family, histogram::Histogram},
    registry::Registry,
};
use tower::Service;

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct ByCode {
    code: String,
    host: String,
    method: String,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct ByVerb {
    host: String,
    verb: String,
}

const SECONDS: [f64; 12] = [
    0.005, 0.025, 0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 15.0, 30.0, 60.0,
];

pub(crate) struct Requests {
    all: Family<ByCode, Counter>,
    seconds: Family<ByVerb, Histogram>,
}

impl Requests {
    pub fn register(registry: &mut Registry) -> Self {
        let requests = Self {
            all: Family::default(),
            seconds: Family::new_with_constructor(|| Histogram::new(SECONDS)),
        };
        let figures = registry.sub_registry_with_prefix("rest_client");
        let all = "Requests to the API server, by its answer";
        figures.register("requests", all, requests.all.clone());
        let seconds = "How long it took until its answer began";
        figures.register(
            "request_duration_seconds",
            seconds,
            requests.seconds.clone(),
        );
        requests
    }

    /// A request of `method` is on its way to `host`.
    pub fn begin(self: &Arc<Self>, method: &Method, host: &str) -> End {
        let (requests, start) = (self.clone(), Instant::now());
        let (method, host) = (method.to_string(), host.to_owned());
        Box::new(move |status| {
            let by = ByVerb {
                host: host.clone(),
                verb: method.clone(),
            };
            let seconds = requests.seconds.get_or_create(&by);
            seconds.observe(start.elapsed().as_secs_f64());
            drop(seconds);
            let code = status.map_or("<error>".to_owned(), |status| status.as_str().to_owned());
            let by = ByCode { code, host, method };
            requests.all.get_or_create(&by).inc();
        })
    }
}

/// What is done when the answer to a request has begun, or there is none.
pub(crate) type End = Box<dyn FnOnce(Option<StatusCode>) + Send>;

/// Does something when a request begins, and when its answer does.
#[derive(Clone)]
pub(crate) struct Around<S, F> {
    pub inner: S,
    pub begin: F,
}

impl<S, F, B, C> Service<Request<B>> for Around<S, F>
where
    S: Service<Request<B>, Response = Response<C>, Future: Send + 'static>,
    F: Fn(&Method, &Uri) -> End,
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
