//! The operation of `rustop run`: runs the operator on this machine, with the permissions of the
//! current kubeconfig.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

use clap::Args;
use kube::Client;
use tokio::runtime::Runtime;

use super::page::{self, PageOptions, RunPage, WatchScope};
use super::subject::Subject;
use super::{Result, runtime, webhooks};
use crate::cargo::{self, BuildTarget, Concurrent};
use crate::client;
use crate::cluster::{self, Dirs, RunDir};
use crate::dev::{self, Host, LocalWebhooks, Operator, OperatorManifests, RedirectedCluster};
use crate::interrupt::Interrupt;
use crate::project::Project;
use crate::session::Session;

/// The polling interval.
const TICK: Duration = Duration::from_millis(50);
/// The time that the operator has to start serving its webhooks.
const SERVED_WITHIN: Duration = Duration::from_secs(30);

/// An operation that runs the operator until it exits or until Ctrl-C.
#[derive(Args, Debug)]
pub struct Run {
    /// Host name or address at which the API server can call webhooks on this machine; without it,
    /// they are called only if the API server runs on this machine
    #[arg(long, value_name = "HOST")]
    pub reached_at: Option<Host>,
    /// Take over the lease of the deployed operator, which becomes a standby while this one runs
    #[arg(long)]
    pub takeover: bool,
    #[command(flatten)]
    pub page: PageOptions,
    /// Arguments of the operator
    #[arg(last = true, value_name = "ARGS")]
    pub arguments: Vec<OsString>,
}

impl Run {
    /// Builds and runs the project's operator. While it serves its webhooks, the API server calls
    /// them on this machine. Returns the operator's exit code, or success after Ctrl-C.
    ///
    /// # Errors
    /// Returns an error if there is no project or no kubeconfig, if the operator does not build, if
    /// its webhooks cannot be redirected to this machine, or if a signal other than Ctrl-C ends the
    /// operator.
    pub fn run(&self, session: &Session) -> Result<ExitCode> {
        let project = Project::load(&session.dir)?;
        // Fail without a cluster before the build, which may take minutes.
        runtime()?.block_on(client::check_usual())?;
        let shown = RunPage::open(&self.page, session)?;
        let code = self.operate(session, &project, shown.as_ref());
        if let Some(shown) = &shown {
            shown.end();
        }
        code
    }

    /// Builds the operator and runs it. If the project has webhooks, redirects the API server's
    /// calls to this machine once the operator serves them, and removes that afterwards.
    fn operate(
        &self,
        session: &Session,
        project: &Project,
        shown: Option<&RunPage>,
    ) -> Result<ExitCode> {
        let binary = cargo::build(
            &session.dir,
            BuildTarget::Binary(project.project_name.as_str()),
            session.target(),
            // A signal to this process alone also ends cargo, which may wait for another one.
            Concurrent::With {
                interrupt: session.interrupt(),
                above: None,
            },
        )?;
        let mut command = Command::new(binary);
        if self.takeover {
            command.args(taking_over(&dev::operator_manifests(
                &session.dir,
                &kubectl()?,
            )?));
        }
        command.args(&self.arguments);
        let command = cluster::tethered(&command);
        let context = RunContext {
            session,
            subject: Subject::Scaffolded(project.clone().into()),
            shown,
        };
        if !project.has_webhooks() {
            return context.operate(command, None);
        }
        let secrets = RunDir::create(&Dirs::from_env()?)?;
        let runtime = runtime()?;
        let (client, config) = runtime.block_on(client::connect(None))?;
        let mut objects = dev::operator_manifests(&session.dir, &kubectl()?)?.objects;
        let mut webhooks = runtime.block_on(async {
            let host = webhooks::host(self.reached_at.as_ref(), &client, &config).await;
            let (to, command) = ((&client, &config), "make run REACHED_AT=");
            let (host, secrets) = ((host.as_ref(), None), secrets.path());
            let cluster = RedirectedCluster::default();
            webhooks::redirect_here(session, to, cluster, &mut objects, host, command, secrets)
                .await
        })?;
        let Some(webhooks) = &mut webhooks else {
            return context.operate(command, None);
        };
        let mut call = WebhookRedirect {
            session,
            runtime: &runtime,
            client: &client,
            webhooks,
        };
        let verdict = context.operate(command, Some(&mut call));
        let removed = runtime.block_on(webhooks.remove(&client));
        webhooks::after_removal(session.terminal, verdict, removed)
    }
}

/// Returns the arguments with which an operator takes over the Lease of the deployed one.
fn taking_over(deployed: &OperatorManifests) -> Vec<String> {
    let mut arguments = vec![
        "--leader-elect".to_owned(),
        "--leader-election-takeover".to_owned(),
        format!("--leader-election-namespace={}", deployed.namespace),
    ];
    arguments.extend(deployed.election.iter().cloned());
    arguments
}

/// The parameters for redirecting the API server's webhook calls to the operator.
struct WebhookRedirect<'a> {
    session: &'a Session,
    runtime: &'a Runtime,
    client: &'a Client,
    webhooks: &'a mut LocalWebhooks,
}

impl WebhookRedirect<'_> {
    /// Redirects the webhook calls as soon as the operator serves them. Does nothing if the
    /// operator exits before that, and warns if it takes longer than [`SERVED_WITHIN`].
    ///
    /// # Errors
    /// Returns an error if another run serves the webhooks by then, or if the API server refuses.
    fn redirect_when_served(
        &mut self,
        operator: &mut Operator,
        interrupt: &Interrupt,
    ) -> Result<()> {
        let deadline = Instant::now() + SERVED_WITHIN;
        while !self.webhooks.are_served() {
            if operator.ended().is_some() || interrupt.is_pending() {
                return Ok(());
            }
            if Instant::now() > deadline {
                self.session.terminal.warning(format_args!(
                    "the operator has not served its webhooks within {} s, so the API server does not call them",
                    SERVED_WITHIN.as_secs()
                ));
                return Ok(());
            }
            std::thread::sleep(TICK);
        }
        self.runtime.block_on(self.webhooks.redirect(self.client))?;
        self.session.terminal.status(
            "Serving",
            format_args!(
                "webhooks, called by the API server at {}",
                self.webhooks.address()
            ),
        );
        Ok(())
    }
}

/// The context in which the operator runs.
struct RunContext<'a> {
    session: &'a Session,
    subject: Subject,
    /// The web page; `None` if it is neither shown nor recorded.
    shown: Option<&'a RunPage>,
}

impl RunContext<'_> {
    /// Runs the operator until it exits or until Ctrl-C. Returns its exit code, or success after
    /// Ctrl-C. `call` is `None` if the API server does not call its webhooks on this machine.
    fn operate(
        &self,
        mut command: Command,
        call: Option<&mut WebhookRedirect<'_>>,
    ) -> Result<ExitCode> {
        let interrupt = self.session.interrupt();
        let webhooks = call.as_ref().map(|call| &*call.webhooks);
        command.envs(dev::webhook_environment(webhooks));
        let mut operator = self.start(command)?;
        if let Some(call) = call {
            call.redirect_when_served(&mut operator, interrupt)?;
        }
        loop {
            if let Some(status) = operator.ended() {
                return match status.code().map(u8::try_from) {
                    Some(Ok(code)) => Ok(code.into()),
                    _ => Err(dev::Error::OperatorEnded { status }.into()),
                };
            }
            if interrupt.take().is_some() {
                operator.stop();
                return Ok(ExitCode::SUCCESS);
            }
            std::thread::sleep(TICK);
        }
    }

    /// Starts the operator, with the page if there is one. For the page, the operator serves its
    /// metrics without TLS, unless the user has configured them.
    fn start(&self, mut command: Command) -> Result<Operator> {
        let Some(shown) = self.shown else {
            return page::start_without_page(command, true, self.session.terminal);
        };
        if !configures_metrics(&command) {
            command
                .env(
                    "METRICS_BIND_ADDRESS",
                    shown.metrics_address.address().to_string(),
                )
                .env("METRICS_SECURE", "false");
        }
        let namespaces = watched_namespaces(&command);
        let operator = shown.start(command, true)?;
        shown.process("running", "");
        shown.start_watching(self.subject.about(None, &[]), self.watch_scope(namespaces));
        Ok(operator)
    }

    /// Returns the part of the cluster that the page shows: the operator's kinds and those in its
    /// roles, in its namespace if it watches only one.
    fn watch_scope(&self, namespaces: String) -> WatchScope {
        let deployed =
            kubectl().and_then(|kubectl| Ok(dev::operator_manifests(&self.session.dir, &kubectl)?));
        let objects = deployed.map_or_else(|_| Vec::new(), |deployed| deployed.objects);
        let is_one = !namespaces.is_empty() && !namespaces.contains(',');
        WatchScope {
            kubeconfig: None,
            resources: page::resources_to_watch(self.subject.kinds(&objects), &objects),
            namespace: is_one.then_some(namespaces),
            audit: None,
        }
    }
}

/// Returns the namespaces that an operator watches, separated by commas; empty for all. Its
/// arguments have precedence over its environment.
fn watched_namespaces(command: &Command) -> String {
    let arguments = page::option_values(command, "--watch-namespace");
    if arguments.is_empty() {
        std::env::var("WATCH_NAMESPACE").unwrap_or_default()
    } else {
        arguments.join(",")
    }
}

/// Reports whether the user has configured the operator's metrics.
fn configures_metrics(command: &Command) -> bool {
    let mut arguments = command.get_args();
    arguments.any(|argument| argument.to_string_lossy().starts_with("--metrics-"))
        || std::env::vars_os().any(|(name, _)| name.to_string_lossy().starts_with("METRICS_"))
}

/// Returns the kubectl that is installed with the control plane, or that of the user.
fn kubectl() -> Result<PathBuf> {
    let assets = cluster::find(&Dirs::from_env()?, &cluster::AssetSources::default()).ok();
    let installed = assets.and_then(|assets| assets.get("kubectl"));
    Ok(installed.unwrap_or_else(|| "kubectl".into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn watched_namespaces_are_those_of_the_arguments() {
        for (arguments, expected) in [
            (&["--watch-namespace=x"] as &[_], "x"),
            (&["--watch-namespace", "x"], "x"),
            (&["--watch-namespace=x", "--watch-namespace=y,z"], "x,y,z"),
        ] {
            let mut command = Command::new("operator");
            command.args(arguments);
            assert_eq!(watched_namespaces(&command), expected, "{arguments:?}");
        }
    }
}
