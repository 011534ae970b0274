//! One run: a namespace, a proxy, an operator, and a scenario played to its end, with faults or without.

mod hot_loop;
mod recovery;
pub mod result;
pub mod settings;
mod settle;
mod startup;
mod symptoms;

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::torture::api::rejection;
use crate::torture::env::Environment;
use crate::torture::env::namespace::RunNamespace;
use crate::torture::env::node_ports::NodePorts;
use crate::torture::env::process::{OperatorProcess, RunFiles};
use crate::torture::error::{Error, Result};
use crate::torture::fault::injector::Injector;
use crate::torture::fault::{Fault, RestartFault};
use crate::torture::journal::{Journal, JournalEvent};
use crate::torture::proxy::Proxy;
use crate::torture::proxy::server::listen;
use crate::torture::run::result::{Expectation, Recovery, RunResult, Symptom};
use crate::torture::run::settings::RunSettings;
use crate::torture::scenario::{Action, Scenario};
use crate::torture::snapshot::{Difference, Snapshot};

/// How often things are looked at.
const TICK: Duration = Duration::from_millis(30);

/// Plays a scenario, with faults or to learn what it leads to without. What is cut is not whole.
pub async fn run_scenario(
    settings: &RunSettings,
    scenario: &Scenario,
    faults: &[Fault],
    expectation: Expectation<'_>,
) -> Result<RunResult> {
    let stage = &settings.stage;
    let turn = tokio::select! {
        turn = stage.turn() => Ok(turn),
        over = settings.over() => Err(over),
    };
    let _turn = match turn {
        Err(Error::OutOfTime) => return Ok(RunResult::not_started()),
        other => other?,
    };
    let number = stage.runs.fetch_add(1, Ordering::SeqCst);
    let name = format!("torture-{number:05}");
    let journal = Journal::new();
    let ports = if stage.scoped {
        NodePorts::of(number)
    } else {
        NodePorts::of(0)
    };
    let injector = Injector::new(&name, faults);
    let scope = stage.scoped.then(|| name.clone());
    let proxy = Proxy::new(
        stage.upstream.clone(),
        scope,
        journal.clone(),
        injector,
        ports,
    );
    let address = listen(&proxy).await?;
    let namespace = Arc::new(RunNamespace::new(
        stage,
        &name,
        scenario,
        ports,
        journal.clone(),
    ));
    let files = RunFiles::new(&stage.dir, &name, &stage.program, &address.to_string())?;
    let mut run = Run {
        stage: stage.clone(),
        scenario,
        expectation,
        journal,
        proxy,
        files,
        process: None,
        start_count: 0,
        namespace,
        states: Vec::new(),
        symptoms: Vec::new(),
        first_objects: Vec::new(),
        mismatch: None,
        // What is to be there is waited for at any rate, where that is known.
        may_see_drift: expectation.expected().is_none(),
        lag: Duration::ZERO,
        observes_recovery: settings.observes_recovery,
        scenario_end: None,
        recovery: None,
    };
    let played = tokio::select! {
        played = run.execute() => played,
        over = settings.over() => Err(over),
    };
    run.proxy.close();
    run.process = None;
    let log = run.files.log();
    run.files.clear();
    if !matches!(played, Err(Error::Interrupted)) {
        run.namespace.clean().await;
    }
    let is_complete = match played {
        // All of the scenario was played.
        Err(Error::OutOfTime) if run.scenario_end.is_some() => true,
        Err(Error::OutOfTime) => false,
        other => other.map(|()| true)?,
    };
    let mut entries = run.journal.entries();
    entries.truncate(run.scenario_end.unwrap_or(entries.len()));
    run.collect_symptoms(&entries, &log);
    Ok(RunResult {
        namespace: name,
        states: run.states,
        symptoms: run.symptoms,
        log,
        mismatch: run.mismatch,
        faults_reached: run.proxy.faults(|faults| faults.all_done()),
        first_objects: run.first_objects,
        recovery: run.recovery,
        is_complete,
        entries,
    })
}

struct Run<'a> {
    stage: Arc<Environment>,
    scenario: &'a Scenario,
    expectation: Expectation<'a>,
    journal: Journal,
    proxy: Arc<Proxy>,
    files: RunFiles,
    process: Option<OperatorProcess>,
    start_count: usize,
    namespace: Arc<RunNamespace<'a>>,
    states: Vec<Snapshot>,
    symptoms: Vec<(usize, Symptom)>,
    first_objects: Vec<Value>,
    mismatch: Option<(usize, Vec<Difference>)>,
    /// Whether it may yet see what somebody did to its work.
    may_see_drift: bool,
    /// How long the machine takes for what should take no time.
    lag: Duration,
    /// Whether it is seen what becomes of the last state.
    observes_recovery: bool,
    /// The number of entries when the scenario was over.
    scenario_end: Option<usize>,
    recovery: Option<Recovery>,
}

impl Run<'_> {
    async fn execute(&mut self) -> Result<()> {
        self.namespace.prepare(&self.stage.roles).await?;
        self.start()?;
        self.wait_until_watching().await?;
        for number in 0..self.scenario.steps.len() {
            let step = &self.scenario.steps[number];
            let asked = Instant::now();
            let past = self.namespace.version().await;
            self.lag = asked.elapsed();
            self.journal.begin_step(number, step.says.clone());
            let next = self.scenario.steps.get(number + 1);
            let next = next.and_then(|next| self.namespace.at_once(&next.action));
            self.proxy.begin_step(number, past, next);
            self.restart(RestartFault::Down);
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
            if number == 0
                && self.has_written_nothing()
                && let Some(error) = self.missing_kind()
            {
                return Err(error);
            }
            self.states.push(self.namespace.state());
            if let Some(claim) = self.namespace.retained() {
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

    /// Kills the operator if a fault says so; it is started again when it may be there.
    fn restart(&mut self, restart: RestartFault) -> bool {
        let is_due = self.proxy.faults(|faults| faults.take_restart(restart));
        if is_due {
            self.proxy.kill();
        }
        is_due
    }

    /// Does what a step says; an operator that is killed over it is started again meanwhile.
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

    /// Whether the object does not go: nothing can be told of what comes after.
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
        let process = self
            .files
            .start(&self.stage.program, &self.namespace.namespace)?;
        self.proxy.runs(process.pid());
        self.process = Some(process);
        self.start_count += 1;
        self.journal.add(JournalEvent::Operator("started".into()));
        Ok(())
    }

    /// Starts the operator again when it is gone, and notes it when nobody killed it.
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
            self.journal.add(JournalEvent::Operator(format!(
                "ended by itself ({status})"
            )));
            self.symptoms.push((step, Symptom::Exited(status)));
        }
        self.process = None;
        if self.start_count < 10 {
            self.start()
        } else {
            Ok(())
        }
    }
}
