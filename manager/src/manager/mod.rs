//! The manager: options, servers and controllers of the operator process.

#[cfg(feature = "webhook")]
mod webhooks;

use std::{collections::HashSet, future::Future, sync::Arc};

use clap::{Args, FromArgMatches};
use futures::{FutureExt, future::BoxFuture};
use kube::{Client, Config};
use prometheus_client::registry::Registry;
use serde::Serialize;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::cache::informer::Informers;
use crate::client::{self, connection::Connection};
use crate::controller::{
    Controller,
    runnable::{Environment, Runnable},
};
use crate::error::{Error, Result};
use crate::http::{
    endpoints, exposition,
    health::{Health, STARTING},
    tls::Expirations,
};
use crate::lifecycle::{Lifecycle, MANAGER, ManagerMetrics, grace};
use crate::object::AnyObject;
use crate::options::Options;
#[cfg(feature = "otel")]
use crate::otel::provider;
use crate::shards::Shards;
use crate::shared_state::SharedState;
use crate::shutdown;
use crate::telemetry;
#[cfg(feature = "webhook")]
use crate::webhook::{Endpoint, EndpointContext, Handlers, WebhookMetrics};

/// A function of the operator's author that registers metrics.
type Register = Box<dyn FnOnce(&mut Registry) + Send>;

/// The operator: its name, its options and its controllers.
///
/// ```no_run
/// # use std::sync::Arc;
/// # use k8s_openapi::api::core::v1::{ConfigMap, Secret};
/// # use rustop_manager::{Action, Context, Controller, Manager, Result};
/// # async fn sort(_: Arc<ConfigMap>, _: Context<ConfigMap>) -> Result<Action> { todo!() }
/// # async fn rotate(_: Arc<Secret>, _: Context<Secret>) -> Result<Action> { todo!() }
/// # async fn example() -> Result<()> {
/// Manager::from_args(env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION"))
///     .controller(Controller::new(sort))
///     .controller(Controller::new(rotate).concurrency(4))
///     .runnable("clock", |_client, stopped| async move {
///         // whatever else should run while the operator leads
///         stopped.cancelled().await;
///     })
///     .run()
///     .await
/// # }
/// ```
pub struct Manager {
    pub(crate) name: String,
    version: String,
    pub(crate) options: Options,
    /// The cluster to connect to. `None` for that of the environment.
    config: Option<Config>,
    /// The caches, which all controllers share.
    pub(crate) informers: Arc<Informers>,
    /// The controllers and tasks, in the order in which they were added.
    pub(crate) runnables: Vec<Box<dyn Runnable>>,
    /// Number of threads that all reconciles share.
    pub(crate) threads: usize,
    #[cfg(feature = "webhook")]
    pub(crate) webhooks: Handlers,
    pub(crate) health: Health,
    /// The author's functions that register metrics.
    registrations: Vec<Register>,
    /// The values that reconciles share, one per type.
    pub(crate) state: SharedState,
}

impl Manager {
    /// Creates a manager with the given options. `name` is the operator's name: it is used in the
    /// field manager and in events, and is the default name of the Lease. `version` is the
    /// operator's version: it is logged, and is in the `User-Agent` and in a metric.
    ///
    /// ```
    /// # use rustop_manager::prelude::*;
    /// let manager = Manager::new("web-operator", "0.1.0", Options::default());
    /// # drop(manager);
    /// ```
    #[must_use]
    pub fn new(name: impl Into<String>, version: impl Into<String>, options: Options) -> Self {
        Self {
            name: name.into(),
            version: version.into(),
            options,
            config: None,
            informers: Arc::default(),
            runnables: Vec::new(),
            threads: 1,
            #[cfg(feature = "webhook")]
            webhooks: Handlers::default(),
            health: Health::default(),
            registrations: Vec::new(),
            state: SharedState::default(),
        }
    }

    /// Creates a manager with options from the command line and the environment; `name` and
    /// `version` are those of [`Manager::new`]. Prints the help or the version and exits if a flag
    /// requests that; exits with status 2 on a wrong flag.
    ///
    /// ```no_run
    /// # use rustop_manager::prelude::*;
    /// let manager = Manager::from_args(env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION"));
    /// # drop(manager);
    /// ```
    #[must_use]
    pub fn from_args(name: &'static str, version: &'static str) -> Self {
        // Like Go's flag package, the last occurrence of a flag counts.
        let command = clap::Command::new(name)
            .version(version)
            .args_override_self(true);
        let command = Options::augment_args(command)
            .about(format!("Runs {name} until SIGTERM or Ctrl-C"))
            .long_about(None);
        let options =
            Options::from_arg_matches(&command.get_matches()).unwrap_or_else(|error| error.exit());
        Self::new(name, version, options)
    }

    /// Sets the cluster to connect to. Default: the one in `KUBECONFIG` or `~/.kube/config`, else
    /// the one that the process runs in.
    ///
    /// ```no_run
    /// # use rustop_manager::prelude::*;
    /// # async fn example(manager: Manager) -> Result<Manager> {
    /// let mut config = kube::Config::infer().await?;
    /// config.proxy_url = Some("http://proxy.example.com:3128".parse()?);
    /// Ok(manager.cluster(config))
    /// # }
    /// ```
    #[must_use]
    pub fn cluster(mut self, config: Config) -> Self {
        self.config = Some(config);
        self
    }

    /// Returns an inspector of the caches. It may be created before the manager runs.
    ///
    /// ```no_run
    /// # async fn example(manager: rustop_manager::Manager) {
    /// let inspector = manager.inspector();
    /// tokio::spawn(manager.run());
    /// // later, when the operator is idle
    /// for cache in inspector.dump().as_array().into_iter().flatten() {
    ///     println!("{}: synced {}", cache["kind"], cache["synced"]);
    /// }
    /// # }
    /// ```
    #[cfg(feature = "inspect")]
    #[must_use]
    pub fn inspector(&self) -> crate::Inspector {
        crate::Inspector(self.informers.clone())
    }

    /// Adds your own metrics to `/metrics`. `register` is called once, when the manager starts,
    /// with the registry of all metrics.
    ///
    /// ```no_run
    /// use rustop_manager::{Manager, metric::Counter};
    /// # fn example(manager: Manager) -> Manager {
    /// let mooed = Counter::<u64>::default();
    /// let counted = mooed.clone(); // the same figure
    /// manager.metrics(|registry| registry.register("cow_moos", "Number of moos", counted))
    /// # }
    /// ```
    #[must_use]
    pub fn metrics(mut self, register: impl FnOnce(&mut Registry) + Send + 'static) -> Self {
        self.registrations.push(Box::new(register));
        self
    }

    /// Adds a check to `/healthz`. While `check` returns an error, the kubelet considers the
    /// operator broken and restarts it. The response has the line `name: error`. The check is
    /// called for each request and must not block.
    ///
    /// ```no_run
    /// # use rustop_manager::prelude::*;
    /// # fn is_stuck() -> bool { false }
    /// # fn example(manager: Manager) -> Manager {
    /// manager.healthz_check("worker", || if is_stuck() { Err("no progress".to_owned()) } else { Ok(()) })
    /// # }
    /// ```
    #[must_use]
    pub fn healthz_check<F>(self, name: impl Into<String>, check: F) -> Self
    where
        F: Fn() -> std::result::Result<(), String> + Send + Sync + 'static,
    {
        (self.health).add_check("/healthz", name.into(), Arc::new(check));
        self
    }

    /// Adds a check to `/readyz`, like [`Manager::healthz_check`]. While it returns an error, the
    /// operator is not ready.
    ///
    /// ```no_run
    /// # use rustop_manager::Manager;
    /// # fn is_there() -> bool { true }
    /// # fn example(manager: Manager) -> Manager {
    /// manager.readyz_check("registrar", || is_there().then_some(()).ok_or("no answer".to_owned()))
    /// # }
    /// ```
    #[must_use]
    pub fn readyz_check<F>(self, name: impl Into<String>, check: F) -> Self
    where
        F: Fn() -> std::result::Result<(), String> + Send + Sync + 'static,
    {
        (self.health).add_check("/readyz", name.into(), Arc::new(check));
        self
    }

    /// Sets the number of threads that all reconciles share. Default: 1, which is best for
    /// reconciles that mostly wait for the API server. For reconciles that compute, use as many
    /// threads as the operator may use cores, and give the controller as much
    /// [`concurrency`](Controller::concurrency).
    ///
    /// ```no_run
    /// # use rustop_manager::Manager;
    /// # fn example(manager: Manager) -> Manager {
    /// manager.worker_threads(std::thread::available_parallelism().map_or(1, usize::from))
    /// # }
    /// ```
    #[must_use]
    pub fn worker_threads(mut self, threads: usize) -> Self {
        self.threads = threads;
        self
    }

    /// Adds a value that reconciles share, such as a configuration, a clock, or a client of another
    /// system. A controller that declares its type with [`Controller::requires_state`] reads it
    /// with [`Context::state`](crate::Context::state). The manager has one value per type: a second
    /// one replaces the first.
    ///
    /// A test passes another value of the same type. If it has to be of another type, use a trait
    /// object, such as `Box<dyn Clock>`, as the type.
    ///
    /// ```
    /// # use rustop_manager::{Manager, Options};
    /// trait Clock: Send + Sync {
    ///     fn hour(&self) -> u8;
    /// }
    ///
    /// struct Noon;
    ///
    /// impl Clock for Noon {
    ///     fn hour(&self) -> u8 {
    ///         12
    ///     }
    /// }
    ///
    /// let clock: Box<dyn Clock> = Box::new(Noon);
    /// Manager::new("test", "0", Options::default()).with_state(clock);
    /// ```
    #[must_use]
    pub fn with_state<S: Send + Sync + 'static>(mut self, state: S) -> Self {
        self.state.insert(state);
        self
    }

    /// Adds a controller. Names must be unique: a second controller of the same kind needs
    /// [`Controller::with_name`].
    ///
    /// ```
    /// # use rustop_manager::prelude::*;
    /// # use k8s_openapi::api::apps::v1::Deployment;
    /// # async fn reconcile(_: Arc<Deployment>, _: Context<Deployment>) -> Result<Action> { todo!() }
    /// Manager::new("web-operator", "0.1.0", Options::default())
    ///     .controller(Controller::new(reconcile));
    /// ```
    #[must_use]
    pub fn controller<K: AnyObject + Serialize>(mut self, controller: Controller<K>) -> Self {
        self.runnables.push(Box::new(controller));
        self
    }

    /// Adds a task that runs while the operator leads, as `mgr.Add` of controller-runtime does: a
    /// `kube::runtime::Controller`, for example. `run` gets a client, whose writes are sent only
    /// while the operator leads, and a token that is cancelled when the operator stops. It must end
    /// soon after that. If it ends before, the manager fails. `name` must differ from the names of
    /// other runnables and controllers.
    ///
    /// ```no_run
    /// # use rustop_manager::prelude::*;
    /// # use std::time::Duration;
    /// # async fn renew_licence() {}
    /// # fn example(manager: Manager) -> Manager {
    /// manager.runnable("licence", |_client, stopped| async move {
    ///     while stopped.run_until_cancelled(renew_licence()).await.is_some() {
    ///         tokio::time::sleep(Duration::from_secs(3600)).await;
    ///     }
    /// })
    /// # }
    /// ```
    #[must_use]
    pub fn runnable<F, R>(mut self, name: impl Into<String>, run: F) -> Self
    where
        F: FnOnce(Client, CancellationToken) -> R + Send + 'static,
        R: Future<Output = ()> + Send + 'static,
    {
        self.runnables.push(Box::new(Task(name.into(), run)));
        self
    }

    /// Does the same as [`Manager::runnable`].
    #[must_use]
    #[deprecated(note = "use `runnable`")]
    pub fn task<F, R>(self, name: impl Into<String>, task: F) -> Self
    where
        F: FnOnce(Client, CancellationToken) -> R + Send + 'static,
        R: Future<Output = ()> + Send + 'static,
    {
        self.runnable(name, task)
    }

    /// Runs until SIGTERM or Ctrl-C. Then no new reconcile starts, running ones may finish (within
    /// [`Options::termination_grace_period_seconds`] minus 3 s), the lease is released, and `run`
    /// returns. A second signal ends the process at once.
    ///
    /// `run` logs a failure and returns it; `main` decides about the process. A `main` that returns
    /// the error makes Rust print it a second time, as plain text, which is not a line of a JSON
    /// log. A `main` that returns an exit code does not:
    ///
    /// ```no_run
    /// # use std::process::ExitCode;
    /// # use rustop_manager::prelude::*;
    /// #[tokio::main]
    /// async fn main() -> ExitCode {
    ///     let manager = Manager::from_args(env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION"));
    ///     match manager.run().await {
    ///         Ok(()) => ExitCode::SUCCESS,
    ///         Err(_) => ExitCode::FAILURE, // `run` has logged it
    ///     }
    /// }
    /// ```
    ///
    /// # Errors
    /// Returns the errors of [`Manager::run_until`], and an error if logging or the signal handlers
    /// cannot be set up.
    pub async fn run(self) -> Result<()> {
        telemetry::init(&self.name, &self.version, &self.options)?;
        telemetry::log_panics();
        let result = self.run_until(shutdown::requested()?).await;
        if let Err(error) = &result {
            tracing::error!(reason = error.reason(), "{error}");
        }
        #[cfg(feature = "otel")]
        provider::end().await;
        result
    }

    /// Runs like [`Manager::run`] until `stopped` completes, and returns a failure. For tests.
    ///
    /// ```no_run
    /// # use rustop_manager::prelude::*;
    /// # async fn example(manager: Manager) -> Result<()> {
    /// manager.run_until(async { drop(tokio::signal::ctrl_c().await) }).await
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns an error if a server cannot listen, the options contradict each other, no cluster is
    /// configured, two controllers have the same name, a controller requires state that the manager
    /// does not have, the selector of a watch cannot be parsed, a controller ends by itself
    /// or panics, or the lease is lost.
    pub async fn run_until(self, stopped: impl Future<Output = ()> + Send) -> Result<()> {
        self.boxed_run(stopped.boxed()).await
    }

    /// Returns the future of [`Manager::run_until`] without generic parameters and without its
    /// type. Otherwise the compiler would generate its code, with the servers and the election,
    /// again in each program and each test that awaits it, and not once in this crate.
    fn boxed_run(self, stopped: BoxFuture<'_, ()>) -> BoxFuture<'_, Result<()>> {
        self.serve_and_reconcile(stopped).boxed()
    }

    async fn serve_and_reconcile(self, stopped: BoxFuture<'_, ()>) -> Result<()> {
        telemetry::init(&self.name, &self.version, &self.options)?;
        check(&self.runnables, &self.state)?;
        let Self {
            name,
            version,
            options,
            config,
            informers,
            runnables,
            threads,
            #[cfg(feature = "webhook")]
            webhooks,
            health,
            registrations,
            state,
        } = self;
        tracing::info!(operator = name, version, "starting");
        let mut config = match config {
            Some(config) => config,
            None => client::config().await?,
        };
        client::introduce(&mut config, &name, &version);
        health.not_ready(MANAGER, STARTING);
        let mut registry = exposition::registry(&name, &version);
        let metrics = ManagerMetrics::register(&mut registry);
        let certificates = Expirations::register(&mut registry);
        #[cfg(feature = "webhook")]
        let of_webhooks = WebhookMetrics::register(&mut registry);
        for register in registrations {
            register(&mut registry);
        }
        let registry = Arc::new(registry);
        let mut servers = JoinSet::new();
        endpoints::health(&options, &health, &mut servers).await?;
        let shared = (&registry, &certificates);
        endpoints::metrics(&name, &options, &config, shared, &mut servers).await?;
        #[cfg(feature = "webhook")]
        let around = EndpointContext {
            operator: &name,
            namespace: &client::connection::own_namespace(None, &config),
            options: &options,
            config: &config,
            metrics: &of_webhooks,
            certificates: &certificates,
            health: &health,
        };
        #[cfg(feature = "webhook")]
        let webhooks = Endpoint::start(webhooks, around).await?;

        let lifecycle = Lifecycle {
            name,
            namespaces: options.namespaces(),
            page_size: options.list_page_size,
            health,
            metrics,
            informers,
            state: Arc::new(state),
            shards: Shards::of(&options)?,
            runnables,
            threads,
            grace: grace(&options),
        };
        let work = lifecycle
            .run(options, Connection::Remote(Box::new(config)), stopped)
            .boxed();
        #[cfg(feature = "webhook")]
        let work = webhooks.serve_during(work);
        work.await
    }
}

/// Checks the controllers of a manager before anything is watched.
pub(crate) fn check(runnables: &[Box<dyn Runnable>], state: &SharedState) -> Result<()> {
    check_names(runnables)?;
    for runnable in runnables {
        state.check(runnable.name(), runnable.required())?;
        check_selectors(runnable.as_ref())?;
    }
    Ok(())
}

/// Rejects duplicate names. They are used as field managers: two controllers with one name would
/// be conflicting writers.
fn check_names(runnables: &[Box<dyn Runnable>]) -> Result<()> {
    let mut names = HashSet::new();
    let twice = runnables
        .iter()
        .find(|runnable| !names.insert(runnable.name()));
    twice.map_or(Ok(()), |twice| {
        let help = "rename one with `.with_name(\"...\")`";
        let name = twice.name();
        Err(Error::new(
            "SameName",
            format!("two controllers have the name `{name}`; help: {help}"),
        ))
    })
}

/// Rejects selectors that the API server would reject again and again.
fn check_selectors(runnable: &dyn Runnable) -> Result<()> {
    runnable.invalid_selector().map_or(Ok(()), |call| {
        let name = runnable.name();
        Err(Error::new(
            "InvalidSelector",
            format!(
                "the controller `{name}` watches with `{call}`, which cannot be parsed; help: write it as for kubectl, such as \
                 `.labels(\"tier in (front, back), !ignore\")` or `.fields(\"type=Opaque\")`"
            ),
        ))
    })
}

/// A task of the operator's author, with its name.
struct Task<F>(String, F);

impl<F, R> Runnable for Task<F>
where
    F: FnOnce(Client, CancellationToken) -> R + Send + 'static,
    R: Future<Output = ()> + Send + 'static,
{
    fn name(&self) -> &str {
        &self.0
    }

    fn run(self: Box<Self>, environment: Environment) -> BoxFuture<'static, ()> {
        let task = self.1;
        async move {
            // waits until the operator leads
            let client = tokio::select! {
                biased;
                () = environment.stop.cancelled() => return,
                client = environment.lead() => client,
            };
            task(client, environment.stop).await;
        }
        .boxed()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_controllers_with_one_name_are_refused() {
        let manager = |second: &str| {
            Manager::new("op", "0", Options::default())
                .runnable("a", |_, _| async {})
                .runnable(second, |_, _| async {})
        };
        assert!(check_names(&manager("b").runnables).is_ok());
        let error = check_names(&manager("a").runnables).unwrap_err();
        assert!(error.to_string().contains("`a`"), "{error}");
    }
}
