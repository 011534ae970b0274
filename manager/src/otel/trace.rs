//! The trace of one reconcile.

use std::fmt::Display;
use std::time::{Duration, SystemTime};

use opentelemetry::trace::{SpanKind, Status, TraceContextExt, Tracer};
use opentelemetry::{Context, KeyValue};
use tracing::Span;
use tracing_opentelemetry::OpenTelemetrySpanExt;

use crate::otel::provider;

/// The trace of one reconcile. Its root span starts with the first trigger of the reconcile and
/// ends when this value is dropped, after the reconcile. Its children are the wait in the queue,
/// and the reconcile with all its requests. Empty (`None`) if no spans are sent.
pub(crate) struct Trace(Option<Context>);

impl Trace {
    /// Starts the trace of a reconcile of `object`, given as `namespace/name`. The root span is
    /// called `name`, `causes` describes the triggers, and `waited` is the time spent in the queue.
    pub fn begin(name: String, object: &str, causes: &impl Display, waited: Duration) -> Self {
        let Some(tracer) = provider::tracer() else {
            return Self(None);
        };
        let now = SystemTime::now();
        let came = now.checked_sub(waited).unwrap_or(now);
        let root = tracer
            .span_builder(name)
            .with_kind(SpanKind::Consumer)
            .with_start_time(came)
            .with_attributes([
                KeyValue::new("object", object.to_owned()),
                KeyValue::new("cause", causes.to_string()),
            ]);
        let root = root.start_with_context(&tracer, &Context::new());
        let root = Context::new().with_span(root);
        let queue = tracer.span_builder("queue").with_start_time(came);
        let queue = queue.start_with_context(&tracer, &root);
        Context::new()
            .with_span(queue)
            .span()
            .end_with_timestamp(now);
        Self(Some(root))
    }

    /// Makes `span`, the `tracing` span of the reconcile, a child of the root span. Its log lines
    /// then contain the trace ID.
    pub fn attach_to(&self, span: &Span) {
        let Some(root) = &self.0 else { return };
        if span.set_parent(root.clone()).is_ok()
            && let Some(id) = id_of(root)
        {
            span.record("trace_id", id);
        }
    }
}

impl Drop for Trace {
    fn drop(&mut self) {
        if let Some(root) = &self.0 {
            root.span().end();
        }
    }
}

/// Returns the ID of the current trace, as 32 hexadecimal digits. `None` if it is not sent.
pub(crate) fn id() -> Option<String> {
    provider::tracer().and_then(|_| id_of(&Span::current().context()))
}

fn id_of(context: &Context) -> Option<String> {
    let span = context.span();
    let span = span.span_context();
    span.is_sampled().then(|| span.trace_id().to_string())
}

/// Records an error in the current span, that of a reconcile: `reason` becomes `error.type`, and
/// `text` the description.
pub(crate) fn failed(reason: &'static str, text: &impl Display) {
    if provider::tracer().is_some() {
        let span = Span::current();
        span.set_attribute("error.type", reason);
        span.set_status(Status::error(text.to_string()));
    }
}
