//! The operator on this machine, with the rights of a kubeconfig.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

use kube::Client;
use tokio::runtime::Runtime;

use super::{Result, runtime, webhooks};
use crate::cluster::{self, Dirs};
use crate::dev::{self, Deployed, Host, Operator, Webhooks};
use crate::interrupt::Interrupt;
use crate::project::Project;
use crate::session::Session;
use crate::{cargo, client};

/// How often things are looked at.
const TICK: Duration = Duration::from_millis(50);
/// How long the operator may take until it listens.
const SERVED_WITHIN: Duration = Duration::from_secs(30);

/// Builds the operator and runs it until it ends or Ctrl-C, instead of the one that is deployed if it is to take over. As
/// long as it runs the API server calls its webhooks here.
///
/// # Errors
/// When it does not build, its webhooks cannot be led here, or a signal ends it.
pub fn run(
    session: &Session,
    reached_at: Option<&Host>,
    takeover: bool,
    arguments: &[OsString],
) -> Result<ExitCode> {
    let project = Project::load(&session.dir)?;
    let interrupt = session.interrupt();
    let binary = cargo::build(&session.dir, project.project_name.as_str())?;
    let mut command = Command::new(binary);
    if takeover {
        command.args(taking_over(&dev::deployed(&session.dir, &kubectl()?)?));
    }
    command.args(arguments);
    if !project.has_webhooks() {
        return operate(command, None, interrupt);
    }
    let runtime = runtime()?;
    let (client, config) = runtime.block_on(client::connect(None))?;
    let mut objects = dev::deployed(&session.dir, &kubectl()?)?.objects;
    let webhooks = runtime.block_on(async {
        let host = webhooks::host(reached_at, &client, &config).await;
        let (to, mend) = ((&client, &config), "make run REACHED_AT=");
        webhooks::lead_here(session, to, &mut objects, host.as_ref(), mend).await
    })?;
    let Some(webhooks) = &webhooks else {
        return operate(command, None, interrupt);
    };
    let call = Call {
        session,
        runtime: &runtime,
        client: &client,
        webhooks,
    };
    let verdict = operate(command, Some(&call), interrupt);
    runtime.block_on(webhooks.remove(&client))?;
    verdict
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

/// The one that was installed with the control plane, or the user's own.
fn kubectl() -> Result<PathBuf> {
    let assets = cluster::find(&Dirs::from_env()?, &cluster::Sources::default()).ok();
    let installed = assets.and_then(|assets| assets.get("kubectl"));
    Ok(installed.unwrap_or_else(|| "kubectl".into()))
}
