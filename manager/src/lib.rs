//! What an operator needs around [kube]: the parts of Go's controller-runtime that kube-rs leaves
//! to its users. kube's own types (`Api`, `ObjectRef`, `Store`) and k8s-openapi's structs
//! appear as they are, and whatever this crate has no words for is one `ctx.client()` away.
//!
//! # An operator
//!
//! A [`Manager`] runs [`Controller`]s. A controller calls your function whenever one of its objects
//! may need attention:
//!
//! ```no_run
//! use std::sync::Arc;
//!
//! use k8s_openapi::api::{apps::v1::Deployment, core::v1::ConfigMap};
//! use manager::{Action, Context, Controller, Manager, Result};
//!
//! /// Moves the cluster towards what the object asks for. Safe to repeat, because it is repeated.
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
//! # What calls `reconcile`
//!
//! Every object once at start, after the caches are filled. Then: a change of the object
//! ([`Controller::when`] narrows it), a change of a child ([`Controller::owns`]) or of anything
//! else ([`Controller::watches`], [`Controller::triggered_by`]), a time that it asked for
//! ([`Action::requeue`]), and a failure. Several reasons may lead to one call, and get lost when the operator
//! restarts: look at the state, not at the event. The log says why each call happened, and so does
//! [`Context::causes`].
//!
//! What somebody changed goes first, then what concerns an object (a child, a watched kind), and last what is only
//! to be looked at again: all objects at start, times, retries. Every fourth turn goes to whoever has waited
//! longest, so that nothing starves. An object that is reconciled more than ten times in ten seconds, each time
//! to the same effect and without a cause from outside, is told of as a loop, with the two states between which it
//! swings: in the log, as an event, in a metric.
//!
//! # What `reconcile` works with
//!
//! - [`Context::apply`] makes a child what you say: created, repaired, trimmed, or, when it is that
//!   already, not touched at all.
//! - [`Context::apply_in_order`] makes several, each when those before it are [`ready`], and says how far it is.
//! - [`Context::get`] and [`Context::store`] read from caches. What the operator itself wrote is in
//!   them at once. [`Context::api`] reads the API server. What is kept in them can be less: [`Watch`].
//! - [`Context::set_status`] says what the status is to be, and it is written when it changed; [`condition`] has what
//!   belongs into it. Changed conditions become events by themselves, [`Context::event`] is for others.
//! - [`Context::delete`] removes a child that is no longer wanted. Children go with their owner;
//!   for everything that does not, there is [`Controller::cleanup`].
//!
//! # When it fails
//!
//! Return an error: `?` turns any into an [`Error`]. The object's `Ready` condition and an event
//! then tell its owner, the log and the metrics tell you, and the object is retried with
//! [`Backoff`], while the others go on. A panic is such a failure too, and so is a call that has not returned after
//! five minutes ([`Controller::timeout`]). An object that does not fit
//! its type is named in the log and left alone. A missing `CustomResourceDefinition` or permission is
//! named together with the command or the marker that mends it, and the operator waits for it.
//!
//! # Where it runs
//!
//! All controllers share one thread: reconciles spend their time waiting for the API server, and while
//! one waits, others go on. One that computes for long, or calls something that blocks, keeps the others
//! waiting, though not the lease, the probes, the metrics and the webhooks. Such work belongs into
//! `tokio::task::spawn_blocking`, or the operator gets more threads: [`Manager::worker_threads`]. On two busy cores 300
//! reconciles that compute for 20 ms each took 24 to 27 s on one thread and 14 to 19 s on two; 300 that wait for the API
//! server took as long on both, and a fifth more CPU on two.
//!
//! A reconcile that has not returned after 30 s is named in the log, with what it waits for, and on `/readyz`, which
//! stays 200; how long the oldest one takes is a figure.
//!
//! # Kinds without a type
//!
//! Which kinds a controller works on, owns or watches may be known only at run time: named by a configuration, say, or
//! found in the cluster. With the feature `dynamic`, a `Kind` says what one is called and whether its objects have a
//! namespace. `Controller::of_kind`, `owns_kind` and `watches_kind` take it, and the objects are `DynamicObject`s: JSON
//! with metadata and a status. Each kind has a cache and a controller of its own. What takes an object, such as
//! [`Context::apply`], takes those, too; where a type says which kind is meant, as in [`Context::get`], there is
//! `get_kind` beside it.
//!
//! ```text
//! for kind in kinds {
//!     manager = manager.controller(Controller::of_kind(kind, reconcile).owns::<ConfigMap>());
//! }
//! ```
//!
//! # Before objects are stored
//!
//! With the feature `webhook`, which a project has from its first webhook on, `webhook` has what completes and
//! refuses objects on their way to the API server, and `conversion` what makes objects of one version of a kind
//! to objects of another.
//!
//! # In a cluster
//!
//! The flags are in [`Options`]. `/healthz` and `/readyz` tell the kubelet how the operator is: ready while its
//! webhooks can answer, or, without webhooks, while at least one controller works; what a controller waits for is
//! told in the text either way. On
//! SIGTERM no new reconcile starts, and those under way finish or are cut off: the Pod's
//! `terminationGracePeriodSeconds` less 3 s is theirs, as long as
//! [`Options::termination_grace_period_seconds`] says the same. A second SIGTERM or Ctrl-C ends the process
//! at once.
//!
//! ## Leader election
//!
//! With `--leader-elect` one replica of several works, the one that holds a Lease of
//! `coordination.k8s.io`. One that has lost it cannot write any more, not even through
//! `ctx.client()`: such a request ends as [`NotLeader`]. On SIGTERM the lease is handed back, and the
//! next replica works within 3 s; after a crash it takes up to 17 s. Needs `get`, `create` and
//! `update` on Leases in the operator's own namespace.
//!
//! A replica that stands by fills its caches, and is ready when they are filled. So it needs as much memory as the one that
//! leads, and the API server has as many watches more. Before its first reconcile it makes sure that everything is in
//! them that the leader before it wrote: from when that one can write no more, what fits into one page is listed anew,
//! and of what does not, each watch has to get to the newest version that there is, which takes up to 2 s and most often
//! is done before the Lease is free. `--leader-election-warm-up=false` leaves the caches empty until then.
//!
//! ```
//! let options = manager::Options {
//!     leader_elect: true,
//!     leader_election_id: Some("lolcow".to_owned()), // the name of the Lease
//!     ..manager::Options::default()
//! };
//! ```
//!
//! ## What can be set
//!
//! | what | by whoever deploys it | by its author |
//! |---|---|---|
//! | time to stop | `--termination-grace-period-seconds`, `--pre-stop-seconds` | |
//! | how long a Lease holds; the holder renews it in 2/15 of that, and gives up after 2/3 | `--leader-election-lease-seconds` | |
//! | whether a replica that stands by fills its caches | `--leader-election-warm-up` | |
//! | parts of the objects, which replicas share, with the feature `shards` | `--shards`, `--shard-by` | |
//! | objects in one answer of a list | `--list-page-size` | |
//! | namespaces, logs, addresses, certificates | [`Options`] has the rest | |
//! | reconciles at the same time, and in a time | | [`Controller::concurrency`], [`Controller::rate_limit`] |
//! | time of a reconcile, time after a failure | | [`Controller::timeout`], [`Controller::backoff`] |
//! | threads | | [`Manager::worker_threads`] |
//! | `User-Agent`: the operator's name and version | | [`Manager::cluster`], by the `headers` of the configuration |
//! | proxy | `HTTPS_PROXY` and `NO_PROXY`, or the `proxy-url` of a kubeconfig | [`Manager::cluster`] |
//! | certificate authority | that of the kubeconfig or the Pod, else `SSL_CERT_FILE` | [`Manager::cluster`] |
//!
//! Each flag is a variable, too: `LIST_PAGE_SIZE`. Bookmarks of watches are always asked for; without them a replica that
//! begins to lead lists everything anew. Requests are not limited: what one operator may ask at a time is said by the API server's priority and
//! fairness.
//!
//! ## Metrics
//!
//! `/metrics` tells Prometheus, in the `OpenMetrics` format or the older one, whichever is asked for, to those
//! who may `get` it. Where controller-runtime has a figure, this one has its name:
//!
//! | figure | labels |
//! |---|---|
//! | `controller_runtime_reconcile_total` | `controller`, `result`: `success`, `requeue_after`, `error`, or `requeue` where it was put off |
//! | `controller_runtime_reconcile_errors_total` | `controller`, `reason`: that of the [`Error`] |
//! | `controller_runtime_reconcile_panics_total`, `.._timeouts_total` | `controller` |
//! | `controller_runtime_reconcile_time_seconds` | `controller`; a histogram |
//! | `controller_runtime_active_workers`, `.._max_concurrent_reconciles` | `controller` |
//! | `workqueue_depth` | `controller`, `name`, `priority`: 100, 0 or -100 |
//! | `workqueue_adds_total`, `.._retries_total`, `.._queue_duration_seconds`, `.._work_duration_seconds`, `.._unfinished_work_seconds`, `.._longest_running_processor_seconds` | `controller`, `name` |
//! | `certificate_expiration_timestamp_seconds` | `server`: metrics, webhooks; where it speaks TLS |
//! | `rest_client_requests_total` | `code`, `method`, `host` |
//! | `rest_client_request_duration_seconds` | `verb`, `host`; a histogram |
//! | `resource_conditions` | `controller`, `type`, `status`: objects by what their conditions say; counted when it is asked for |
//! | `webhook_refusals_total` | `webhook`: its path; what it refused, or could not decide |
//! | `reconcile_causes_total` | `controller`, `cause`: `start`, `changed`, `status`, `child`, `mapped`, `trigger`, `time` or `retry` |
//! | `reconcile_loops_total` | `controller` |
//! | `leader_election_master_status` | `name`: the Lease |
//! | `shards_held`; `shard_handovers_total` | none; `result`: `taken`, `given`, `given_up`. With the feature `shards` |
//! | `operator_build_info` | `operator`, `version` |
//! | `process_cpu_seconds_total`, `process_resident_memory_bytes`, `process_open_fds`, ... | |
//!
//! Your own are added by [`Manager::metrics`], and checks by [`Manager::readyz_check`] and
//! [`Manager::healthz_check`].
//!
//! To see them on your own machine, without a certificate and without a token:
//!
//! ```sh
//! cargo run -- --metrics-bind-address=127.0.0.1:8080 --metrics-secure=false
//! curl http://127.0.0.1:8080/metrics
//! ```
//!
//! ## Logs
//!
//! Lines on standard error: text on a terminal, JSON elsewhere. Each line that is written during a
//! reconcile, also by your own `tracing::info!(..)`, carries the `controller`, the `object` as
//! `namespace/name`, the `cause`, and a `reconcile_id` that all lines of this one call share.
//!
//! The manager leaves a `tracing` subscriber alone that is there before it.
//!
//! With the feature `otel` each reconcile is a trace for an OpenTelemetry collector, which `otel` tells of; with the
//! feature `console`, tokio-console shows the tasks of the operator.
//!
//! # Coming from Go
//!
//! | controller-runtime | here |
//! |---|---|
//! | a reconcile may take forever, unless `ReconciliationTimeout` is set | five minutes, unless [`Controller::timeout`] is set |
//! | the time limit cancels a context, which has to be heeded | the reconcile is dropped where it waits |
//! | two priorities; what is listed at start goes last, and may wait forever | three, and every fourth turn goes to the oldest |
//! | why a reconcile runs is not known | `cause` in the log, [`Context::causes`], `reconcile_causes_total` |
//! | two controllers that undo each other's work do so silently | a warning, an event and `reconcile_loops_total` |
//! | `MaxConcurrentReconciles` are spread over all cores | over one thread, unless [`Manager::worker_threads`] says more |
//! | `LeaseDuration`, `RenewDeadline`, `RetryPeriod` have to fit to one another | `--leader-election-lease-seconds`; the others follow |
//! | `EnableWarmup` for each controller; what the leader before wrote may be missing for a moment | always, and nothing is missing |
//! | one replica works; sharding is everybody's own | all do, with the feature `shards` and `--shards`: see `ShardBy` |
//! | `RateLimiter` limits retries | [`Controller::backoff`]; and [`Controller::rate_limit`] all reconciles |
//! | `QPS` and `Burst` of the client | none |
//! | a failed reconcile waits from 5 ms to 1000 s | from 200 ms to 5 min ([`Backoff`]), for each object on its own |
//! | own writes come back as events, and caches may be behind them | own writes are in the caches at once, and are no events |
//! | `Owns` and `For` with predicates | [`Controller::when`]; what this controller wrote itself is never a change |
//! | `cache.ByObject` selects for all controllers; what it leaves out reads as `NotFound` | [`Controller::owns_with`] selects for one; what it leaves out is an error ([`Watch`]) |
//! | `cache.ByObject` with `Transform` trims for all controllers, and what was cut off looks as if it were not set | [`Watch::trimmed`] trims for one; `apply` knows what is not there to be compared |
//! | a kind that is not installed: the manager ends after `CacheSyncTimeout` | it waits and says so, or does without: [`Controller::owns_if_served`], [`Context::served`] |
//! | `paused` is everybody's own | the annotation `<group>/paused`, and the condition `Paused` ([`Controller::conditions`]) |
//! | `IndexField`, and `List` with `MatchingFields` | [`Controller::indexed_by`], [`Context::by`] |
//! | `unstructured.Unstructured`, and a `RESTMapper` that looks up its kind with each request | the feature `dynamic`: `DynamicObject`, and its `Kind`, which is looked up once |
//! | children in an order are everybody's own, and so is when one is ready | [`Context::apply_in_order`], [`Context::delete_in_reverse`], [`ready`] |
//! | `SetControllerReference` sets `blockOwnerDeletion`, and on some clusters needs a right to finalizers | a child has it if its own `owner_references` say so |
//! | pruning is everybody's own | [`Context::apply_all`] and [`prune`](ApplyAll::prune) |
//! | `AddHealthzCheck`, `AddReadyzCheck`, `metrics.Registry` | [`Manager::healthz_check`], [`Manager::readyz_check`], [`Manager::metrics`] |
//! | traces are everybody's own | the feature `otel`, and the trace in logs and metrics |
//! | histograms are also native | histograms have the classic buckets |

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
mod http;
mod kind;
mod leader;
mod lifecycle;
mod limits;
mod managed_fields;
mod manager;
mod metrics;
#[cfg(test)]
mod mock;
mod object;
mod options;
#[cfg(feature = "otel")]
pub mod otel;
mod own_thread;
mod rbac;
mod readiness;
#[cfg(feature = "shards")]
mod shards;
mod shutdown;
mod status;
mod telemetry;
#[cfg(feature = "testing")]
pub mod testing;
#[cfg(feature = "source")]
pub mod vendored;
#[cfg(feature = "webhook")]
pub mod webhook;
mod workers;

pub use kube::runtime::events::EventType;
pub use prometheus_client;

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
#[cfg(feature = "dynamic")]
pub use dynamic::kind::WatchedKind;
#[cfg(feature = "dynamic")]
pub use dynamic::object::DynamicObject;
pub use error::{Error, NotLeader, Result};
#[cfg(feature = "dynamic")]
pub use kind::Kind;
pub use manager::Manager;
pub use object::{AnyObject, AnyRef, Object, Scope};
#[cfg(feature = "shards")]
pub use options::ShardBy;
pub use options::{BindAddress, LogFormat, Options};
pub use readiness::ready;
