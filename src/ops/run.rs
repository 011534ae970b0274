//! The operator on this machine, with the rights of a kubeconfig.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

use kube::Client;
use tokio::runtime::Runtime;

use super::page::{self, Showing, Shown, Sight};
use super::{Result, runtime, webhooks};
use crate::cluster::{self, Dirs, RunDir};
use crate::dev::{self, Deployed, Host, Operator, Webhooks};
use crate::interrupt::Interrupt;
use crate::project::Project;
use crate::session::Session;
use crate::{cargo, client};

/// How often things are looked at.
const TICK: Duration = Duration::from_millis(50);
/// How long the operator may take until it listens.
const SERVED_WITHIN: Duration = Duration::from_secs(30);

/// Runs the operator until it ends or Ctrl-C.
pub struct Run {
    /// Where the API server reaches this machine.
    pub reached_at: Option<Host>,
    /// Whether it works instead of the one that is deployed.
    pub takeover: bool,
    /// The operator's own arguments.
    pub arguments: Vec<OsString>,
    /// The page on which it is shown.
    pub page: Showing,
}

impl Run {
    /// As long as it runs the API server calls its webhooks here.
    ///
    /// # Errors
    /// When it does not build, its webhooks cannot be led here, or a signal ends it.
    pub fn run(&self, session: &Session) -> Result<ExitCode> {
        let project = Project::load(&session.dir)?;
        let shown = Shown::open(&self.page, session)?;
        let code = self.operate(session, &project, shown.as_ref());
        if let Some(shown) = &shown {
            shown.end();
        }
        code
    }

    fn operate(
        &self,
        session: &Session,
        project: &Project,
        shown: Option<&Shown>,
    ) -> Result<ExitCode> {
        let binary = cargo::build(&session.dir, project.project_name.as_str())?;
        let mut command = Command::new(binary);
        if self.takeover {
            command.args(taking_over(&dev::deployed(&session.dir, &kubectl()?)?));
        }
        command.args(&self.arguments);
        let place = Place {
            session,
            project,
            shown,
        };
        if !project.has_webhooks() {
            return place.operate(command, None);
        }
        let secrets = RunDir::create(&Dirs::from_env()?)?;
        let runtime = runtime()?;
        let (client, config) = runtime.block_on(client::connect(None))?;
        let mut objects = dev::deployed(&session.dir, &kubectl()?)?.objects;
        let webhooks = runtime.block_on(async {
            let host = webhooks::host(self.reached_at.as_ref(), &client, &config).await;
            let (to, mend) = ((&client, &config), "make run REACHED_AT=");
            let (host, secrets) = (host.as_ref(), secrets.path());
            webhooks::lead_here(session, to, &mut objects, host, mend, secrets).await
        })?;
        let Some(webhooks) = &webhooks else {
            return place.operate(command, None);
        };
        let call = Call {
            session,
            runtime: &runtime,
            client: &client,
            webhooks,
        };
        let verdict = place.operate(command, Some(&call));
        runtime.block_on(webhooks.remove(&client))?;
        verdict
    }
}

/// How an operator is told to work instead of the one that is deployed: it holds the same Lease.
fn taking_over(deployed: &Deployed) -> Vec<String> {
    let mut arguments = vec![
        "--leader-elect".to_owned(),
        "--leader-election-takeover".to_owned(),
        format!("--leader-election-namespace={}", deployed.namespace),
    ];
    arguments.extend(deployed.election.iter().cloned());
    arguments
}

/// What it takes to have webhooks called.
struct Call<'a> {
    session: &'a Session,
    runtime: &'a Runtime,
    client: &'a Client,
    webhooks: &'a Webhooks,
}

impl Call<'_> {
    /// Has them called as soon as the operator listens, which may be never.
    fn begin(&self, operator: &mut Operator, interrupt: &Interrupt) -> Result<()> {
        let deadline = Instant::now() + SERVED_WITHIN;
        while !self.webhooks.are_served() {
            if operator.ended().is_some() || interrupt.came() || Instant::now() > deadline {
                return Ok(());
            }
            std::thread::sleep(TICK);
        }
        self.runtime.block_on(self.webhooks.call(self.client))?;
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

/// Where the operator runs, and who looks.
struct Place<'a> {
    session: &'a Session,
    project: &'a Project,
    shown: Option<&'a Shown>,
}

impl Place<'_> {
    /// Runs the operator until it ends or Ctrl-C; its exit code is that of the command.
    fn operate(&self, mut command: Command, call: Option<&Call<'_>>) -> Result<ExitCode> {
        let interrupt = self.session.interrupt();
        command.envs(dev::served(call.map(|call| call.webhooks)));
        let mut operator = self.start(command)?;
        if let Some(call) = call {
            call.begin(&mut operator, interrupt)?;
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

    fn start(&self, mut command: Command) -> Result<Operator> {
        let Some(shown) = self.shown else {
            return page::start_alone(command, self.session.terminal);
        };
        if !shows_figures(&command) {
            command
                .env("METRICS_BIND_ADDRESS", shown.figures.address().to_string())
                .env("METRICS_SECURE", "false");
        }
        let operator = shown.start(command)?;
        shown.process("running", "");
        shown.follow(self.project, self.sight());
        Ok(operator)
    }

    /// What the current kubeconfig lets one see.
    fn sight(&self) -> Sight {
        let deployed =
            kubectl().and_then(|kubectl| Ok(dev::deployed(&self.session.dir, &kubectl)?));
        let objects = deployed.map_or_else(|_| Vec::new(), |deployed| deployed.objects);
        let watched = std::env::var("WATCH_NAMESPACE").unwrap_or_default();
        let is_one = !watched.is_empty() && !watched.contains(',');
        Sight {
            kubeconfig: None,
            resources: page::watched(self.project, &objects),
            namespace: is_one.then_some(watched),
            audit: None,
        }
    }
}

/// Whether the user has said where the operator's figures are.
fn shows_figures(command: &Command) -> bool {
    let mut arguments = command.get_args();
    arguments.any(|argument| argument.to_string_lossy().starts_with("--metrics-"))
        || std::env::vars_os().any(|(name, _)| name.to_string_lossy().starts_with("METRICS_"))
}

/// The one that was installed with the control plane, or the user's own.
fn kubectl() -> Result<PathBuf> {
    let assets = cluster::find(&Dirs::from_env()?, &cluster::Sources::default()).ok();
    let installed = assets.and_then(|assets| assets.get("kubectl"));
    Ok(installed.unwrap_or_else(|| "kubectl".into()))
}
