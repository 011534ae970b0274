//! OpenTelemetry traces: one per reconcile, with its triggers, its wait in the queue, and its
//! requests.
//!
//! The feature `otel` is enabled in a project by `rustop edit --manager-features otel`. Each
//! reconcile is then sent as a trace to an OpenTelemetry collector, if the environment specifies
//! one. (The next build, for example by `make manifests`, updates `Cargo.lock`. Run it before `make
//! docker-build`, which builds with `--locked`.)
//!
//! ```text
//! lolcow child                      starts with the first trigger; has the attributes `object` and `cause`
//! ├─ queue                          ends when the reconcile starts
//! └─ reconcile                      contains your own spans: `#[tracing::instrument]`
//!    ├─ PATCH configmaps            one span per request; `traceparent` passes the trace to the API server
//!    └─ PATCH lolcows/status
//! ```
//!
//! Log lines have the `trace_id`, and the span of a failed reconcile has its error. In the
//! `OpenMetrics` format, `/metrics` has a trace as exemplar for each bucket of
//! `controller_runtime_reconcile_time_seconds`. Spans that `--log-level` filters out are not sent.
//! These environment variables configure the export, which is off unless an endpoint is set:
//!
//! | variable | meaning |
//! |---|---|
//! | `OTEL_EXPORTER_OTLP_ENDPOINT` | the collector, for example `http://collector.tracing:4318` |
//! | `OTEL_EXPORTER_OTLP_TRACES_ENDPOINT` | the same for traces only, with the full path |
//! | `OTEL_EXPORTER_OTLP_PROTOCOL` | `http/protobuf`, the only supported protocol |
//! | `OTEL_EXPORTER_OTLP_HEADERS`, `.._TIMEOUT`, `.._CERTIFICATE` | as in the OpenTelemetry specification |
//! | `OTEL_SERVICE_NAME`, `OTEL_RESOURCE_ATTRIBUTES` | the sender; by default, the name of the operator |
//! | `OTEL_TRACES_SAMPLER`, `OTEL_TRACES_SAMPLER_ARG` | sampling, for example `parentbased_traceidratio` and `0.1` |
//! | `OTEL_BSP_SCHEDULE_DELAY` and similar | batching of spans |
//! | `OTEL_SDK_DISABLED=true`, `OTEL_TRACES_EXPORTER=none` | no spans are sent |
//!
//! If the collector is unavailable, this is logged once and the spans are lost. The operator never
//! waits for the collector. When the operator stops, it has half a second to send the last spans.

pub(crate) mod collector;
pub(crate) mod provider;
pub(crate) mod requests;
pub(crate) mod settings;
pub(crate) mod trace;
