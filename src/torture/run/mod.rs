//! A run: executes one scenario in a namespace of its own, with an operator behind a proxy, with or
//! without faults.

mod hot_loop;
mod predecessor;
mod recovery;
pub mod result;
pub mod retries;
mod rollout;
pub mod settings;
mod settle;
mod startup;
mod symptoms;

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::error::Io;
use crate::torture::api::rejection;
use crate::torture::env::Environment;
use crate::torture::env::namespace::RunNamespace;
use crate::torture::env::namespace::handed_over::LeftNamespace;
use crate::torture::env::network::NetworkNamespace;
use crate::torture::env::node_ports::NodePorts;
use crate::torture::env::process::{OperatorProcess, Program, RunFiles};
use crate::torture::error::{Error, Result};
use crate::torture::fault::injector::Injector;
use crate::torture::fault::{Fault, RestartFault};
use crate::torture::journal::{Journal, JournalEntry, JournalEvent};
use crate::torture::proxy::Proxy;
use crate::torture::proxy::server::{listen, listen_on};
use crate::torture::run::predecessor::Predecessor;
use crate::torture::run::result::{Expectation, Recovery, RunResult, Symptom, Takeover};
use crate::torture::run::settings::{NamespaceHandover, RunSettings};
use crate::torture::scenario::{Action, Scenario};
use crate::torture::snapshot::{Difference, Snapshot};

/// The interval at which a run checks its conditions.
const TICK: Duration = Duration::from_millis(30);

/// The number of times that a run starts its operator, including restarts after it exited.
const MAX_STARTS: usize = 10;

/// The time in which an operator may release its Lease.
const LEASE_RELEASE_TIMEOUT: Duration = Duration::from_secs(2);

/// Executes a scenario with an operator in a namespace. `faults` is empty for a baseline run.
/// `expectation` contains the states that the run must reach, if they are known. If the time of
/// `settings` ends before the scenario does, the result is marked as incomplete.
///
/// # Errors
/// Returns an error if the user interrupts the run, if the operator cannot be started, or if the
/// API server does not accept the objects that the scenario needs.
pub async fn run_scenario(
    settings: &RunSettings,
    scenario: &Scenario,
    faults: &[Fault],
    expectation: Expectation<'_>,
) -> Result<RunResult> {
    let environment = &settings.environment;
    let permit = tokio::select! {
        permit = environment.operator_permit() => Ok(permit),
        over = settings.over() => Err(over),
    };
    let _permit = match permit {
        Err(Error::OutOfTime) => return Ok(RunResult::not_started()),
        other => other?,
    };
    let handover = &settings.handover;
    let (number, journal) = match &handover.continues {
        Some(left) => (left.number, Journal::after(left.written.clone())),
        None => (
            environment.runs.fetch_add(1, Ordering::SeqCst),
            Journal::new(),
        ),
    };
    let name = format!("torture-{number:05}");
    let ports = if environment.scoped {
        NodePorts::of(number)
    } else {
        NodePorts::of(0)
    };
    let proxy = new_proxy(environment, &name, faults, journal.clone(), ports);
    let (network, address) = open_network(environment, &proxy).await?;
    let namespace = Arc::new(RunNamespace::new(
        environment,
        &name,
        scenario,
        ports,
        journal.clone(),
        handover.continues.as_ref(),
    ));
    let election = handover.rollout.iter().flat_map(|it| it.election.clone());
    let program = environment.program.with_arguments(election);
    let files = RunFiles::new(&environment.dir, &name, &program, &address.to_string())?;
    let mut run = ScenarioRun {
        environment: environment.clone(),
        scenario,
        expectation,
        journal,
        proxy,
        ports,
        program,
        files,
        network,
        process: None,
        start_count: 0,
        predecessor: None,
        old_entries: Vec::new(),
        namespace,
        states: Vec::new(),
        log_marks: Vec::new(),
        symptoms: Vec::new(),
        first_objects: Vec::new(),
        mismatch: None,
        // A run waits for an expected state in any case.
        may_see_drift: expectation.expected().is_none(),
        lag: Duration::ZERO,
        observes_recovery: settings.observes_recovery,
        until: settings.until,
        scenario_end: None,
        recovery: None,
        handover,
        takeover: None,
        waiting_since: None,
    };
    let outcome = tokio::select! {
        outcome = run.execute() => outcome,
        over = settings.over() => Err(over),
    };
    let outcome = match outcome {
        Err(Error::OutOfTime) => Err(run.out_of_time()),
        other => other,
    };
    run.into_result(number, outcome).await
}

/// Creates the proxy between an operator of the run `name` and the API server. It injects `faults`.
fn new_proxy(
    environment: &Environment,
    name: &str,
    faults: &[Fault],
    journal: Journal,
    ports: NodePorts,
) -> Arc<Proxy> {
    let scope = environment.scoped.then(|| name.to_owned());
    let injector = Injector::new(name, faults);
    Proxy::new(
        environment.upstream.clone(),
        scope,
        journal,
        injector,
        ports,
    )
}

/// Lets the proxy listen on an address for the operator, in a network namespace of the operator if
/// it gets one.
async fn open_network(
    environment: &Environment,
    proxy: &Arc<Proxy>,
) -> Result<(Option<NetworkNamespace>, SocketAddr)> {
    match &environment.isolates_network {
        Some(rustop) => {
            let opened = NetworkNamespace::open(rustop);
            let (network, socket) =
                opened.map_err(Io::on("create a network namespace with", rustop))?;
            Ok((Some(network), listen_on(proxy, socket)?))
        }
        None => Ok((None, listen(proxy).await?)),
    }
}

/// A run in progress, with all that it has observed. Numbers of steps are indices, from 0.
struct ScenarioRun<'a> {
    environment: Arc<Environment>,
    scenario: &'a Scenario,
    expectation: Expectation<'a>,
    journal: Journal,
    proxy: Arc<Proxy>,
    ports: NodePorts,
    /// The operator with its arguments.
    program: Program,
    files: RunFiles,
    /// The network of the operator; `None` for that of the machine.
    network: Option<NetworkNamespace>,
    /// The running operator; `None` before its start and after it exited.
    process: Option<OperatorProcess>,
    /// The number of times that the operator was started, at most [`MAX_STARTS`].
    start_count: usize,
    /// The old version during a rolling update.
    predecessor: Option<Predecessor>,
    /// The requests of the old version in a rolling update.
    old_entries: Vec<JournalEntry>,
    namespace: Arc<RunNamespace<'a>>,
    /// The state after each step.
    states: Vec<Snapshot>,
    /// The length of the operator's log at the beginning of each step.
    log_marks: Vec<usize>,
    /// Each symptom, with the number of its step.
    symptoms: Vec<(usize, Symptom)>,
    /// The objects after the first step.
    first_objects: Vec<Value>,
    /// The step that ended in another state than expected, and the differences.
    mismatch: Option<(usize, Vec<Difference>)>,
    /// True while a step waits for the operator to notice changes of its children; cleared once it
    /// has missed one.
    may_see_drift: bool,
    /// The longest delay that the load of the machine has caused in the current step.
    lag: Duration,
    /// If true, the run observes how the last state changes after more time and after a restart.
    observes_recovery: bool,
    /// The time at which the run is cut short.
    until: Instant,
    /// The number of journal entries at the end of the scenario.
    scenario_end: Option<usize>,
    recovery: Option<Recovery>,
    handover: &'a NamespaceHandover,
    takeover: Option<Takeover>,
    /// The time since which the run waits for the operator to watch the scenario's object.
    waiting_since: Option<Instant>,
}

impl ScenarioRun<'_> {
    async fn execute(&mut self) -> Result<()> {
        match &self.handover.continues {
            None => self.namespace.prepare(&self.environment.roles).await?,
            Some(left) => self.take_over(left).await?,
        }
        if let Some(rollout) = &self.handover.rollout {
            self.start_predecessor(rollout).await?;
        }
        self.start()?;
        // A standby may watch nothing.
        if self.predecessor.is_none() {
            self.wait_until_watching().await?;
        }
        for number in 0..self.scenario.steps.len() {
            let step = &self.scenario.steps[number];
            let requested = Instant::now();
            let past = self.namespace.version().await;
            self.lag = requested.elapsed();
            self.journal.begin_step(number, step.description.clone());
            self.log_marks.push(self.files.log().len());
            let next = self.scenario.steps.get(number + 1);
            let next = next.and_then(|next| self.namespace.single_request(&next.action));
            self.proxy.begin_step(number, past, next);
            self.restart(RestartFault::Down);
            if matches!(step.action, Action::Restart) {
                self.restart_operator(number).await?;
            }
            if matches!(step.action, Action::HandOver) {
                self.hand_over(number).await?;
            }
            if let Err(message) = self.perform_step(number).await? {
                self.journal
                    .add(JournalEvent::Step(format!("refused: {message}")));
                if let Some(webhook) = rejection::failed_webhook(&message) {
                    let (webhook, message) = (webhook.to_owned(), message.clone());
                    self.symptoms
                        .push((number, Symptom::WebhookFailed { webhook, message }));
                }
                self.symptoms.push((number, Symptom::StepRejected(message)));
            }
            self.restart(RestartFault::Behind);
            self.settle(number).await?;
            if self.mismatch.is_none() && self.restart(RestartFault::BehindAtRest) {
                self.settle(number).await?;
            }
            // A new version need not write anything.
            if number == 0
                && self.takeover.is_none()
                && self.has_written_nothing()
                && let Some(error) = self.missing_kind()
            {
                return Err(error);
            }
            self.states.push(self.namespace.state());
            if let Some(claim) = self.namespace.retained_claim() {
                self.symptoms.push((number, Symptom::RetainedClaim(claim)));
            }
            if number == 0 {
                self.first_objects = self.namespace.objects();
            }
            if self.mismatch.is_some() || self.is_stuck(number) {
                break;
            }
        }
        let is_learned = self.expectation.expected().is_none();
        match self.states.len().checked_sub(1) {
            Some(last) if self.observes_recovery && (is_learned || self.mismatch.is_some()) => {
                self.observe_recovery(last).await
            }
            _ => Ok(()),
        }
    }

    /// Ends the operator, and returns the result of a run of which `execute` has returned
    /// `outcome`.
    async fn into_result(mut self, number: usize, outcome: Result<()>) -> Result<RunResult> {
        self.end_operator();
        self.proxy.close();
        let log = self.files.log();
        self.files.clear();
        let left = if self.handover.leaves_objects && outcome.is_ok() {
            let namespace = &self.namespace;
            let left = namespace.leave(number, &self.environment.roles, &self.environment.own);
            left.await.map(Some)
        } else {
            Ok(None)
        };
        if !matches!(left, Ok(Some(_))) && !matches!(outcome, Err(Error::Interrupted)) {
            self.namespace.clean().await;
        }
        let left = left?;
        let is_complete = match outcome {
            // The scenario was complete.
            Err(Error::OutOfTime) if self.scenario_end.is_some() => true,
            Err(Error::OutOfTime) => false,
            other => other.map(|()| true)?,
        };
        let mut entries = self.journal.entries();
        entries.truncate(self.scenario_end.unwrap_or(entries.len()));
        self.collect_symptoms(&entries, &log);
        Ok(RunResult {
            namespace: self.namespace.namespace.clone(),
            states: self.states,
            symptoms: self.symptoms,
            log,
            log_marks: self.log_marks,
            mismatch: self.mismatch,
            faults_reached: self.proxy.faults(|faults| faults.all_done()),
            first_objects: self.first_objects,
            recovery: self.recovery,
            takeover: self.takeover,
            left,
            is_complete,
            entries,
            old_entries: self.old_entries,
        })
    }

    /// Continues in the namespace of an earlier run, and observes its objects before the operator
    /// starts.
    async fn take_over(&mut self, left: &LeftNamespace) -> Result<()> {
        self.namespace
            .take_over(left, &self.environment.roles)
            .await?;
        let own = &self.environment.own;
        let (rejected, lost) = self.namespace.inspect_objects(own, &left.stored).await?;
        self.takeover = Some(Takeover {
            snapshot: self.namespace.state(),
            rejected,
            lost,
        });
        Ok(())
    }

    /// Kills the operator if this restart fault is due in the current step, and reports whether it
    /// was. [`Self::supervise`] starts the operator again.
    fn restart(&mut self, restart: RestartFault) -> bool {
        let is_due = self.proxy.faults(|faults| faults.take_restart(restart));
        if is_due {
            self.proxy.kill();
        }
        is_due
    }

    /// Performs the action of a step, and supervises the operator meanwhile. The inner `Err` is the
    /// message of the API server if it rejected the action.
    async fn perform_step(&mut self, step: usize) -> Result<std::result::Result<(), String>> {
        let (namespace, scenario) = (self.namespace.clone(), self.scenario);
        let mut acting = std::pin::pin!(namespace.perform(&scenario.steps[step].action));
        loop {
            tokio::select! {
                done = &mut acting => return done,
                () = tokio::time::sleep(TICK) => self.supervise(step)?,
            }
        }
    }

    /// Reports whether the step should have deleted the object and did not, so that later steps are
    /// meaningless.
    fn is_stuck(&self, step: usize) -> bool {
        let is_there = || {
            let subject = self.scenario.subject_id();
            let state = self.states.last();
            state.is_some_and(|state| state.0.contains_key(&subject))
        };
        let is_refused = |symptom: &(usize, Symptom)| matches!(symptom, (at, Symptom::StepRejected(_)) if *at == step);
        match self.scenario.steps[step].action {
            Action::Delete { .. } | Action::Release => is_there(),
            Action::Recreate(_) => self.symptoms.iter().any(is_refused),
            _ => false,
        }
    }

    fn start(&mut self) -> Result<()> {
        let process = self.files.start(
            &self.program,
            &self.namespace.namespace,
            self.network.as_ref(),
        )?;
        self.proxy.runs(process.pid());
        self.process = Some(process);
        self.start_count += 1;
        self.journal.add(JournalEvent::Operator("started".into()));
        Ok(())
    }

    /// Ends the operator. After a rolling update, it has time to release its Lease, so that the
    /// next run does not wait for it.
    fn end_operator(&mut self) {
        self.predecessor = None;
        if let Some(mut process) = self.process.take()
            && self.handover.rollout.is_some()
        {
            process.terminate();
            process.wait(LEASE_RELEASE_TIMEOUT);
        }
    }

    /// Starts the operator again if it has exited, unless it was started too often already. Records
    /// a symptom if it was not killed.
    fn supervise(&mut self, step: usize) -> Result<()> {
        use std::os::unix::process::ExitStatusExt as _;
        if self.proxy.faults(|faults| faults.is_held_down()) {
            return Ok(());
        }
        let Some(status) = self.process.as_mut().and_then(OperatorProcess::ended) else {
            return Ok(());
        };
        if status.signal() != Some(9) {
            let status = status.to_string();
            self.journal
                .add(JournalEvent::Operator(format!("exited ({status})")));
            self.symptoms.push((step, Symptom::Exited(status)));
        }
        self.process = None;
        if self.start_count < MAX_STARTS {
            self.start()
        } else {
            Ok(())
        }
    }
}
