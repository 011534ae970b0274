//! A span for each request of a reconcile. Its trace context is sent to the API server, so that its
//! own spans can be joined.

use std::task::{Context as Task, Poll};

use futures::{FutureExt, future::BoxFuture};
use http::{Method, Request, Response, StatusCode, Uri};
use opentelemetry::propagation::TextMapPropagator;
use opentelemetry::trace::{SpanKind, Status, TraceContextExt, Tracer};
use opentelemetry::{Context, KeyValue};
use opentelemetry_http::HeaderInjector;
use opentelemetry_sdk::propagation::TraceContextPropagator;
use tower::Service;
use tracing::Span;
use tracing_opentelemetry::OpenTelemetrySpanExt;

use crate::otel::provider;

/// A service that creates spans for the requests that it passes to `inner`, and adds a
/// `traceparent` header to them.
#[derive(Clone)]
pub(crate) struct Traced<S> {
    pub inner: S,
    /// The API server's `host:port`, for the attribute `server.address`.
    pub host: String,
}

impl<S, B, C> Service<Request<B>> for Traced<S>
where
    S: Service<Request<B>, Response = Response<C>, Future: Send + 'static>,
{
    type Response = S::Response;
    type Error = S::Error;
    type Future = BoxFuture<'static, Result<S::Response, S::Error>>;

    fn poll_ready(&mut self, cx: &mut Task<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, mut request: Request<B>) -> Self::Future {
        let span = begin(request.method(), request.uri(), &self.host);
        if let Some(span) = &span {
            let mut headers = HeaderInjector(request.headers_mut());
            TraceContextPropagator::new().inject_context(span, &mut headers);
        }
        let sent = self.inner.call(request);
        async move {
            let answer = sent.await;
            if let Some(span) = span {
                end(&span, answer.as_ref().ok().map(Response::status));
            }
            answer
        }
        .boxed()
    }
}

/// Starts a span for a request of a reconcile, or of another span. `None` for other requests:
/// watches and leases.
fn begin(method: &Method, uri: &Uri, host: &str) -> Option<Context> {
    let tracer = provider::tracer()?;
    let parent = Span::current().context();
    if !parent.has_active_span() {
        return None;
    }
    let resource = resource(uri.path()).unwrap_or_default();
    let span = tracer
        .span_builder(format!("{method} {resource}").trim_end().to_owned())
        .with_kind(SpanKind::Client)
        .with_attributes([
            KeyValue::new("http.request.method", method.to_string()),
            KeyValue::new("url.path", uri.path().to_owned()),
            KeyValue::new("server.address", host.to_owned()),
        ]);
    let span = span.start_with_context(&tracer, &parent);
    Some(parent.with_span(span))
}

/// Ends the span of a request. `status` is `None` if there was no response.
fn end(span: &Context, status: Option<StatusCode>) {
    let span = span.span();
    if let Some(status) = status {
        let code = i64::from(status.as_u16());
        span.set_attribute(KeyValue::new("http.response.status_code", code));
    }
    if status.is_none_or(|status| status.as_u16() >= 400) {
        let kind = status.map_or("unanswered".to_owned(), |status| status.as_str().to_owned());
        span.set_attribute(KeyValue::new("error.type", kind));
        span.set_status(Status::error(""));
    }
    span.end();
}

/// Returns the resource of a path, without names: `configmaps`, `deployments/status`. `None` if the
/// path is not that of a resource.
fn resource(path: &str) -> Option<String> {
    let mut parts = path.trim_matches('/').split('/');
    // api/v1 and apis/group/v1
    match parts.next()? {
        "api" => parts.next()?,
        "apis" => parts.nth(1)?,
        _ => return None,
    };
    let mut rest: Vec<&str> = parts.collect();
    if rest.len() > 2 && rest[0] == "namespaces" && !["status", "finalize"].contains(&rest[2]) {
        rest.drain(..2);
    }
    let (plural, below) = rest.split_first()?;
    Some(match below.get(1) {
        Some(below) => format!("{plural}/{below}"),
        None => (*plural).to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::resource;

    #[test]
    fn spans_are_named_after_the_resource() {
        for (path, name) in [
            ("/api/v1/namespaces/ns/configmaps/a", Some("configmaps")),
            ("/api/v1/configmaps", Some("configmaps")),
            ("/api/v1/namespaces/ns", Some("namespaces")),
            ("/api/v1/namespaces/ns/status", Some("namespaces/status")),
            ("/api/v1/nodes/a", Some("nodes")),
            (
                "/apis/my.domain/v1/namespaces/ns/cows/a/status",
                Some("cows/status"),
            ),
            ("/version", None),
            ("/api", None),
        ] {
            assert_eq!(resource(path).as_deref(), name, "{path}");
        }
    }
}
