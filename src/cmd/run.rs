//! `rustop run`.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

use clap::Args;
use kube::{Client, Config};
use tokio::runtime::Runtime;

use super::{Session, client};
use crate::cargo;
use crate::cluster::{self, Dirs, Interrupt};
use crate::dev::{self, Host, Operator, Webhooks};
use crate::error::{Error, Result};
use crate::project::Project;

/// How often things are looked at.
const TICK: Duration = Duration::from_millis(50);
/// How long the operator may take until it listens.
const SERVED_WITHIN: Duration = Duration::from_secs(30);

/// Run the operator on this machine with the current kubeconfig
///
/// Builds the operator and runs it with the rights of your kubeconfig; it installs nothing. As long as it
/// runs the API server calls its webhooks here, if it runs on this machine or --reached-at says how it
/// reaches this machine. Ctrl-C stops the operator and takes the webhooks away.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  rustop run
  rustop run -- --log-level=debug
  rustop run --reached-at host.docker.internal    # kind on Docker Desktop
  rustop run --reached-at 172.18.0.1              # kind on Linux: the gateway of the network `kind`
  rustop run --reached-at host.minikube.internal")]
pub struct Run {
    /// Name or address at which the API server reaches this machine, for webhooks; needed unless it runs
    /// on this machine itself
    #[arg(long, value_name = "HOST")]
    reached_at: Option<Host>,
    /// Options of the operator
    #[arg(last = true, value_name = "ARGS")]
    arguments: Vec<OsString>,
}

impl Run {
    pub fn run(self, session: &Session) -> Result<ExitCode> {
        let project = Project::load(&session.dir)?;
        let interrupt = Interrupt::install();
        let binary = cargo::build(&session.dir, project.project_name.as_str())?;
        let mut command = Command::new(binary);
        command.args(&self.arguments);
        if !project.has_webhooks() {
            return operate(command, None, &interrupt);
        }
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(Error::io("start", "tokio"))?;
        let (client, config) = runtime.block_on(client::connect(None))?;
        let mut objects = dev::deployed(&session.dir, &kubectl()?)?.objects;
        let host = runtime.block_on(host(self.reached_at.as_ref(), &client, &config));
        let mut webhooks = match &host {
            Some(host) => Webhooks::lead_here(&mut objects, host)?,
            None => None,
        };
        let Some(webhooks) = &mut webhooks else {
            if Webhooks::leave_out(&mut objects) {
                note_not_called(session, &config, "make run REACHED_AT=");
            }
            return operate(command, None, &interrupt);
        };
        runtime.block_on(webhooks.check(&client))?;
        let call = Call {
            session,
            runtime: &runtime,
            client: &client,
            webhooks,
        };
        let verdict = operate(command, Some(&call), &interrupt);
        runtime.block_on(webhooks.remove(&client)).and(verdict)
    }
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

/// Runs the operator until it ends or Ctrl-C; its exit code is that of the command.
fn operate(
    mut command: Command,
    call: Option<&Call<'_>>,
    interrupt: &Interrupt,
) -> Result<ExitCode> {
    command.envs(dev::served(call.map(|call| call.webhooks)));
    let mut operator = Operator::start(command)?;
    if let Some(call) = call {
        call.begin(&mut operator, interrupt)?;
    }
    loop {
        if let Some(status) = operator.ended() {
            return match status.code().map(u8::try_from) {
                Some(Ok(code)) => Ok(code.into()),
                _ => Err(Error::OperatorEnded { status }),
            };
        }
        if interrupt.take().is_some() {
            operator.stop();
            return Ok(ExitCode::SUCCESS);
        }
        std::thread::sleep(TICK);
    }
}

/// At which name or address webhooks are called, if they can be.
pub async fn host(given: Option<&Host>, client: &Client, config: &Config) -> Option<Host> {
    match given {
        Some(host) => Some(host.clone()),
        None => dev::is_here(client, config).await.then(Host::loopback),
    }
}

/// Says that webhooks are not called; `mend` followed by a host is the command that changes that.
pub fn note_not_called(session: &Session, config: &Config, mend: &str) {
    session.terminal.warning(format_args!(
        "webhooks are not called, since the API server at {} does not run on this machine: \
         where it reaches this machine, {mend}HOST has them called",
        config.cluster_url
    ));
}

/// The one that was installed with the control plane, or the user's own.
fn kubectl() -> Result<PathBuf> {
    let assets = cluster::find(&Dirs::from_env()?, &cluster::Sources::default()).ok();
    let installed = assets.and_then(|assets| assets.get("kubectl"));
    Ok(installed.unwrap_or_else(|| "kubectl".into()))
}
