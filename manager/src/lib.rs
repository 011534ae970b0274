//! The runtime of a Kubernetes operator, on top of [kube]: the parts of Go's controller-runtime
//! that kube-rs does not provide. kube's own types (`Api`, `ObjectRef`, `Store`) and k8s-openapi's
//! structs are used as they are. For everything that this crate does not cover, `ctx.client()`
//! returns kube's client.
//!
//! # A minimal operator
//!
//! A [`Manager`] runs [`Controller`]s. A controller calls your `reconcile` function whenever one of
//! its objects may need attention:
//!
//! ```no_run
//! use k8s_openapi::api::{apps::v1::Deployment, core::v1::ConfigMap};
//! use rustop_manager::prelude::*;
//!
//! /// Brings the cluster to the desired state. Must be idempotent, because it is called repeatedly.
//! async fn reconcile(deployment: Arc<Deployment>, ctx: Context<Deployment>) -> Result<Action> {
//!     ctx.apply(notes(&deployment)).await?;
//!     Ok(Action::await_change())
//! }
//!
//! fn notes(deployment: &Deployment) -> ConfigMap {
//!     let mut notes = ConfigMap::default();
//!     notes.metadata.name = deployment.metadata.name.clone();
//!     notes.data = Some([("seen".to_owned(), "yes".to_owned())].into());
//!     notes
//! }
//!
//! #[tokio::main]
//! async fn main() -> Result<()> {
//!     Manager::from_args(env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION"))
//!         .controller(Controller::new(reconcile).owns::<ConfigMap>())
//!         .run()
//!         .await
//! }
//! ```
//!
//! The directory `examples` of this crate has five small operators with tests: a Deployment for
//! each object (`deployment.rs`), a finalizer for an external API (`finalizer.rs`), webhooks
//! (`webhook.rs`), two kinds with an index (`index.rs`), and a lifetime that is tested with virtual
//! time (`virtual_time.rs`).
//!
//! # When `reconcile` is called
//!
//! Once for every object at startup, after the caches are filled. After that:
//!
//! - when the object changes (filtered by [`Controller::predicate`]);
//! - when an owned object changes ([`Controller::owns`]), an object that it names
//!   ([`Controller::refers_to`]), or another object that concerns it ([`Controller::watches`],
//!   [`Controller::triggered_by`]);
//! - when a requeue delay has passed ([`Action::requeue`]);
//! - after a failure, with a delay ([`Backoff`]).
//!
//! Several causes may be merged into one call, and pending causes are lost when the operator
//! restarts. So decide by the state of the cluster, not by the event. The log and
//! [`Context::causes`] name the causes of each call.
//!
//! The queue has three priorities: first objects that changed, then objects affected by another
//! change (an owned object, a watched kind), and last routine reconciles (the initial reconcile of
//! each object, requeues, retries). Every fourth reconcile takes the object that has waited
//! longest, so that no object starves. An object that is reconciled more than ten times in ten
//! seconds, repeatedly with the same results and without an external cause, is reported as a
//! reconcile loop: in the log, as an event and in a metric. The report shows the two states that
//! alternate.
//!
//! # What `reconcile` can use
//!
//! - [`Context::apply`] brings a child to the desired state by server-side apply. It sends nothing
//!   if the child already has that state.
//! - [`Context::apply_in_order`] applies several children, each when the ones before it are
//!   [`ready`], and reports the progress.
//! - [`Context::get`] and [`Context::store`] read from caches, which contain the operator's own
//!   writes at once. A cache can be limited to a part of the kind ([`KindWatch`]). [`Context::api`]
//!   reads from the API server.
//! - [`Context::set_status`] sets the status, which is written if it changed; [`condition`] has
//!   helpers for conditions. A changed condition is published as an event; [`Context::event`]
//!   publishes other events.
//! - [`Context::children`] returns the children of a kind, from the cache;
//!   [`Context::live_children`] lists them.
//! - [`Context::state`] returns a value of your own, such as a client of another system:
//!   [`Manager::with_state`].
//! - [`Context::delete`] deletes a child that is no longer wanted. Children are deleted with their
//!   owner; use [`Controller::cleanup`] for everything else.
//!
//! # Errors
//!
//! Return an error: `?` converts any error into an [`Error`]. It is reported to the user in the
//! object's `Ready` condition and in an event, and to the operator's administrator in the log and
//! in metrics. The object is retried with [`Backoff`]; other objects are not affected. A panic
//! counts as a failure, and so does a call that has not returned after five minutes
//! ([`Controller::timeout`]). An object that cannot be decoded into its type is logged and skipped.
//! If a `CustomResourceDefinition` or a permission is missing, the operator waits for it and logs
//! the command or the RBAC marker that fixes this.
//!
//! # Threads
//!
//! All controllers share one thread: reconciles mostly wait for the API server, and while one
//! waits, others run. A reconcile that computes for long, or calls a blocking function, delays the
//! other reconciles, but not the lease renewal, the probes, the metrics and the webhooks. Move such
//! work to `tokio::task::spawn_blocking`, or use more threads: [`Manager::worker_threads`]. On two
//! busy cores, 300 reconciles that compute for 20 ms each took 24 to 27 s on one thread and 14 to
//! 19 s on two; 300 reconciles that wait for the API server took equally long on one and two
//! threads, and used a fifth more CPU on two.
//!
//! A reconcile that has not returned after 30 s is reported in the log, with what it waits for, and
//! in the text of `/readyz`, whose status stays 200. The age of the oldest reconcile is a metric.
//!
//! # Kinds known only at run time
//!
//! The kinds that a controller reconciles, owns or watches may be known only at run time: they come
//! from a configuration file, say, or are found by discovery. With the feature `dynamic`, a `Kind`
//! holds the API names of such a kind and its scope. `Controller::of_kind` and `Watch::of_kind`
//! take a `Kind`; the objects are `DynamicObject`s: JSON with metadata and a status. Each kind has
//! its own cache and its own controller. Functions that take an object, such as [`Context::apply`],
//! accept a `DynamicObject`. Functions that select the kind by a type parameter, such as
//! [`Context::get`], are called on `ctx.of_kind(&kind)`.
//!
//! ```text
//! for kind in kinds {
//!     manager = manager.controller(Controller::of_kind(kind, reconcile).owns::<ConfigMap>());
//! }
//! ```
//!
//! # Webhooks
//!
//! With the feature `webhook`, the module `webhook` has defaulting and validating admission
//! webhooks, and `conversion` converts objects between the versions of a kind. rustop enables the
//! feature when it creates the first webhook of a project.
//!
//! # Deployment
//!
//! [`Options`] holds the flags. `/healthz` and `/readyz` are for the kubelet. The operator is ready
//! while its webhooks have a certificate to serve with or, if it has no webhooks, while at least
//! one controller works. The text of `/readyz` lists what each controller waits for. After SIGTERM
//! no new reconcile starts. Running reconciles may finish within the Pod's
//! `terminationGracePeriodSeconds` minus 3 s, and are cancelled after that;
//! [`Options::termination_grace_period_seconds`] must have the same value as the Pod. A second
//! SIGTERM or Ctrl-C ends the process at once.
//!
//! ## Leader election
//!
//! With `--leader-elect`, only one of several replicas reconciles: the one that holds a Lease of
//! `coordination.k8s.io`. A replica that has lost the Lease can no longer write, not even through
//! `ctx.client()`: its write requests fail with [`NotLeader`]. On SIGTERM the Lease is released,
//! and the next replica starts to reconcile within 3 s; after a crash this takes up to 17 s. The
//! operator needs `get`, `create` and `update` on Leases in its own namespace.
//!
//! A standby fills its caches, and is ready once they are filled. So it needs as much memory as the
//! leader, and opens as many watches. Before its first reconcile, the new leader makes sure that
//! its caches contain everything that the previous leader wrote. As soon as the previous leader can
//! no longer write, a kind that fits into one list page is listed again; for a larger kind, the
//! watch has to reach the current resource version, which takes up to 2 s and is usually done
//! before the Lease is free. With `--leader-election-warm-up=false`, a standby leaves its caches
//! empty.
//!
//! ```
//! let mut options = rustop_manager::Options::default();
//! options.leader_elect = true;
//! options.leader_election_id = Some("lolcow".to_owned()); // the name of the Lease
//! ```
//!
//! ## Settings
//!
//! | setting | at deployment | in code |
//! |---|---|---|
//! | shutdown time | `--termination-grace-period-seconds`, `--pre-stop-seconds` | |
//! | lease duration; the holder renews after 2/15 of it, and gives up after 2/3 without a renewal | `--leader-election-lease-seconds` | |
//! | whether a standby fills its caches | `--leader-election-warm-up` | |
//! | shards that the replicas divide among themselves | `--shards`, `--shard-by` | |
//! | objects per page of a list | `--list-page-size` | |
//! | namespaces, logs, addresses, certificates | other fields of [`Options`] | |
//! | concurrency and rate of reconciles | | [`Controller::concurrency`], [`Controller::rate_limit`] |
//! | timeout of a reconcile, delay after a failure | | [`Controller::timeout`], [`Controller::backoff`] |
//! | threads | | [`Manager::worker_threads`] |
//! | `User-Agent`; default: the operator's name and version | | [`Manager::cluster`], in the `headers` of the configuration |
//! | proxy | `HTTPS_PROXY` and `NO_PROXY`, or the `proxy-url` of a kubeconfig | [`Manager::cluster`] |
//! | certificate authority | that of the kubeconfig or the Pod, else `SSL_CERT_FILE` | [`Manager::cluster`] |
//!
//! Each flag can also be set by an environment variable, such as `LIST_PAGE_SIZE`. Watches always
//! request bookmarks; if the API server sends none, a new leader lists everything again. The client
//! does not limit its request rate: the API server's priority and fairness does.
//!
//! ## Metrics
//!
//! `/metrics` serves the `OpenMetrics` format or the older Prometheus format, as the client
//! requests, to clients that may `get` it. Metrics that controller-runtime also has carry the same
//! name:
//!
//! | metric | labels |
//! |---|---|
//! | `controller_runtime_reconcile_total` | `controller`, `result`: `success`, `requeue_after`, `error`, or `requeue` if the reconcile is repeated without counting as a failure |
//! | `controller_runtime_reconcile_errors_total` | `controller`, `reason`: the reason of the [`Error`] |
//! | `controller_runtime_reconcile_panics_total`, `.._timeouts_total` | `controller` |
//! | `controller_runtime_reconcile_time_seconds` | `controller`; a histogram |
//! | `controller_runtime_active_workers`, `.._max_concurrent_reconciles` | `controller` |
//! | `workqueue_depth` | `controller`, `name`, `priority`: 100, 0 or -100 |
//! | `workqueue_adds_total`, `.._retries_total`, `.._queue_duration_seconds`, `.._work_duration_seconds`, `.._unfinished_work_seconds`, `.._longest_running_processor_seconds` | `controller`, `name` |
//! | `certificate_expiration_timestamp_seconds` | `server`: metrics, webhooks; only for servers with TLS |
//! | `rest_client_requests_total` | `code`, `method`, `host` |
//! | `rest_client_request_duration_seconds` | `verb`, `host`; a histogram |
//! | `resource_conditions` | `controller`, `type`, `status`: number of objects by condition; counted at each scrape |
//! | `webhook_refusals_total` | `webhook`: its path; requests that it rejected or could not decide |
//! | `reconcile_causes_total` | `controller`, `cause`: `start`, `changed`, `status`, `child`, `mapped`, `trigger`, `time` or `retry` |
//! | `reconcile_loops_total` | `controller` |
//! | `leader_election_master_status` | `name`: the Lease |
//! | `shards_held`; `shard_handovers_total` | none; `result`: `taken`, `given`, `given_up`; 0 without `--shards` |
//! | `operator_build_info` | `operator`, `version` |
//! | `process_cpu_seconds_total`, `process_resident_memory_bytes`, `process_open_fds`, ... | |
//!
//! [`Manager::metrics`] adds your own metrics; [`Manager::readyz_check`] and
//! [`Manager::healthz_check`] add checks.
//!
//! To read the metrics on your own machine, without a certificate or a token:
//!
//! ```sh
//! cargo run -- --metrics-bind-address=127.0.0.1:8080 --metrics-secure=false
//! curl http://127.0.0.1:8080/metrics
//! ```
//!
//! ## Logs
//!
//! Log lines go to standard error: text on a terminal, JSON elsewhere. Each line written during a
//! reconcile, including your own `tracing::info!(..)`, carries the `controller`, the `object` as
//! `namespace/name`, the `cause`, and a `reconcile_id` shared by all lines of this reconcile.
//!
//! If a global `tracing` subscriber is already set, the manager keeps it.
//!
//! With the feature `otel`, each reconcile is a trace that is sent to an OpenTelemetry collector;
//! see the module `otel`. With the feature `console`, tokio-console shows the operator's tasks.
//!
//! # Differences from controller-runtime
//!
//! | controller-runtime | this crate |
//! |---|---|
//! | a reconcile may run forever, unless `ReconciliationTimeout` is set | five minutes, unless [`Controller::timeout`] is set |
//! | the timeout cancels a context, which the code has to check | the future of the reconcile is dropped at its current `await` |
//! | two priorities; objects listed at startup come last and may starve | three priorities, and every fourth reconcile takes the oldest object |
//! | the cause of a reconcile is not known | `cause` in the log, [`Context::causes`], `reconcile_causes_total` |
//! | conflicting writers are not noticed | a warning, an event and `reconcile_loops_total` |
//! | `MaxConcurrentReconciles` reconciles use all cores | they use one thread, unless [`Manager::worker_threads`] sets more |
//! | `LeaseDuration`, `RenewDeadline` and `RetryPeriod` must be consistent | `--leader-election-lease-seconds`; the other times follow from it |
//! | `EnableWarmup` for each controller; the new leader may briefly miss writes of the previous one | always on, and no write is missed |
//! | one replica works; no built-in sharding | sharding with `--shards`: see `ShardBy` |
//! | `RateLimiter` limits retries | [`Controller::backoff`] does; [`Controller::rate_limit`] limits all reconciles |
//! | `QPS` and `Burst` of the client | none |
//! | a failed reconcile is retried after 5 ms to 1000 s | after 200 ms to 5 min ([`Backoff`]), for each object separately |
//! | own writes come back as events, and a cache may be stale after a write | own writes are in the cache at once, and trigger no event |
//! | `Owns` and `For` with predicates | [`Controller::predicate`]; the controller's own writes never count as a change |
//! | `cache.ByObject` selects for all controllers; an object outside reads as `NotFound` | [`Controller::owns_matching`] selects for one; reading an object outside is an error ([`KindWatch`]) |
//! | a Secret that a spec names: all Secrets are cached, or it is read from the API server each time (`DisableFor`) and its changes are missed | [`Controller::refers_to`] |
//! | `cache.ByObject` with `Transform` trims for all controllers; trimmed fields look unset | [`KindWatch::project`] projects for one; `apply` does not compare the missing fields |
//! | if a kind is not installed, the manager exits after `CacheSyncTimeout` | the operator waits and reports it, or treats the kind as optional: [`KindWatch::optional`], [`Context::is_available`] |
//! | no built-in way to pause an object | the annotation `<group>/paused`, and the condition `Paused` ([`Controller::conditions`]) |
//! | `IndexField`, and `List` with `MatchingFields` | [`Controller::indexed_by`], [`Context::by_index`] |
//! | `unstructured.Unstructured`, and a `RESTMapper` that looks up its kind for each request | the feature `dynamic`: `DynamicObject`, and its `Kind`, which is looked up once |
//! | no built-in ordering or readiness of children | [`Context::apply_in_order`], [`Context::delete_in_reverse`], [`ready`] |
//! | `SetControllerReference` sets `blockOwnerDeletion`, which on some clusters needs a permission on finalizers | set only if the child's own `owner_references` contain it |
//! | no built-in pruning | [`Context::apply_all`] and [`prune`](ApplyAll::prune) |
//! | fields of the reconciler struct: clients, configuration, a clock | [`Manager::with_state`], [`Context::state`]; missing state is an error at start |
//! | `Client.List` with `MatchingFields` of a handwritten owner index | [`Context::children`] |
//! | `client.PropagationPolicy` | [`Context::delete_with_propagation`] |
//! | `AddHealthzCheck`, `AddReadyzCheck`, `metrics.Registry` | [`Manager::healthz_check`], [`Manager::readyz_check`], [`Manager::metrics`] |
//! | no built-in traces | the feature `otel`, with the trace id in logs and metrics |
//! | native histograms in addition to classic ones | histograms have the classic buckets only |

#![cfg_attr(docsrs, feature(doc_cfg))]

mod admission;
mod apply;
mod backoff;
mod cache;
mod client;
mod clock;
pub mod condition;
mod condition_events;
#[cfg(feature = "console")]
pub mod console;
mod context;
mod controller;
#[cfg(feature = "webhook")]
pub mod conversion;
#[cfg(feature = "webhook")]
mod decode;
#[cfg(feature = "dynamic")]
mod dynamic;
mod error;
mod events;
mod hash;
mod http;
mod kind;
mod leader;
mod lifecycle;
mod managed_fields;
mod manager;
pub mod metric;
mod metrics;
#[cfg(test)]
mod mock;
mod object;
mod options;
#[cfg(feature = "otel")]
pub mod otel;
mod own_thread;
mod planted;
pub mod prelude;
mod random;
mod rate_limits;
mod rbac;
mod readiness;
mod reason;
#[cfg(feature = "testing")]
mod recorder;
mod shards;
mod shared_state;
mod shutdown;
#[cfg(feature = "testing")]
pub mod simulation;
mod status;
mod tasks;
mod telemetry;
#[cfg(feature = "testing")]
pub mod testing;
mod watched;
#[cfg(feature = "webhook")]
pub mod webhook;
mod workers;

pub use apply::sequence::Sequence;
pub use apply::set::{Applied, ApplyAll, Children};
pub use backoff::Backoff;
#[cfg(feature = "inspect")]
pub use cache::inspect::Inspector;
pub use cache::selection::Watch;
pub use cache::trimmed::Trimmed;
pub use condition::Conditions;
pub use context::Context;
pub use controller::Controller;
pub use controller::action::Action;
pub use controller::kind_watch::KindWatch;
pub use controller::object_name::ObjectName;
pub use controller::references::NamesOf;
#[cfg(feature = "dynamic")]
pub use dynamic::context::KindContext;
#[cfg(feature = "dynamic")]
pub use dynamic::kind::WatchedKind;
#[cfg(feature = "dynamic")]
pub use dynamic::object::DynamicObject;
pub use error::{Error, NotLeader, Result};
#[cfg(feature = "dynamic")]
pub use kind::Kind;
pub use kube::runtime::events::EventType;
pub use manager::Manager;
pub use object::{AnyObject, AnyRef, Object, Scope};
pub use options::ShardBy;
pub use options::{BindAddress, LogFormat, Options};
pub use readiness::ready;
pub use reason::Reason;

/// The former path of the types in [`metric`].
#[deprecated(note = "use `rustop_manager::metric`, or add prometheus-client to your dependencies")]
#[doc(hidden)]
pub mod prometheus_client {
    pub use ::prometheus_client::{encoding, metrics, registry};
}
