//! Traces for an OpenTelemetry collector: one for each reconcile, from what led to it over its wait in the queue to
//! the requests that it makes.
//!
//! With the feature `otel`, which a project has after `rustop edit --manager-features otel`, each reconcile is a trace
//! for an OpenTelemetry collector, if the environment names one. (The next build, as by `make manifests`, completes
//! `Cargo.lock`. It has to come before `make docker-build`, which builds with `--locked`.)
//!
//! ```text
//! lolcow child                      since the first of its causes came; `object`, `cause`
//! ├─ queue                          until its turn
//! └─ reconcile                      and in it spans of your own: `#[tracing::instrument]`
//!    ├─ PATCH configmaps            each request; the API server is told the trace in `traceparent`
//!    └─ PATCH lolcows/status
//! ```
//!
//! The lines of the log have the `trace_id`, a reconcile that failed has its error, and `/metrics` in the `OpenMetrics`
//! format names a trace for each bucket of `controller_runtime_reconcile_time_seconds`. Spans that `--log-level` leaves
//! out are not sent. Nothing is, unless there is an endpoint:
//!
//! | variable | |
//! |---|---|
//! | `OTEL_EXPORTER_OTLP_ENDPOINT` | the collector, such as `http://collector.tracing:4318`; `.._TRACES_ENDPOINT` with the whole path |
//! | `OTEL_EXPORTER_OTLP_PROTOCOL` | `http/protobuf`, which is all that is spoken |
//! | `OTEL_EXPORTER_OTLP_HEADERS`, `.._TIMEOUT`, `.._CERTIFICATE` | as the specification has them |
//! | `OTEL_SERVICE_NAME`, `OTEL_RESOURCE_ATTRIBUTES` | who sends; the name of the operator otherwise |
//! | `OTEL_TRACES_SAMPLER`, `OTEL_TRACES_SAMPLER_ARG` | which traces are sent: `parentbased_traceidratio`, `0.1` |
//! | `OTEL_BSP_SCHEDULE_DELAY` and its like | how they are batched |
//! | `OTEL_SDK_DISABLED=true`, `OTEL_TRACES_EXPORTER=none` | nothing is sent |
//!
//! A collector that is away is named once in the log; what it misses is lost, and nobody waits for it. At the end of
//! the operator the last spans have half a second.

pub(crate) mod collector;
pub(crate) mod provider;
pub(crate) mod requests;
pub(crate) mod settings;
pub(crate) mod trace;
