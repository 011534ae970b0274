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
use crate::torture::env::Stage;
use crate::torture::env::namespace::Actor;
use crate::torture::env::node_ports::Ports;
use crate::torture::env::process::{Desk, Running};
use crate::torture::error::{Error, Result};
use crate::torture::fault::injector::Injector;
use crate::torture::fault::{Fault, RestartFault};
use crate::torture::journal::{Journal, JournalEvent};
use crate::torture::oracle::finding_builder::subject;
use crate::torture::proxy::Proxy;
use crate::torture::proxy::server::listen;
use crate::torture::run::result::{Aim, Later, Played, Sign};
use crate::torture::run::settings::Slot;
use crate::torture::scenario::{Act, Scenario};
use crate::torture::snapshot::{Difference, Snapshot};

/// How often things are looked at.
const TICK: Duration = Duration::from_millis(30);

/// Plays a scenario, with faults or to learn what it leads to without. What is cut is not whole.
pub async fn play(
    slot: &Slot,
    scenario: &Scenario,
    faults: &[Fault],
    aim: Aim<'_>,
) -> Result<Played> {
    let stage = &slot.stage;
    let turn = tokio::select! {
        turn = stage.turn() => Ok(turn),
        over = slot.over() => Err(over),
    };
    let _turn = match turn {
        Err(Error::OutOfTime) => return Ok(Played::unplayed()),
        other => other?,
    };
    let number = stage.runs.fetch_add(1, Ordering::SeqCst);
    let namespace = format!("torture-{number:05}");
    let journal = Journal::new();
    let ports = if stage.scoped {
        Ports::of(number)
    } else {
        Ports::of(0)
    };
    let injector = Injector::new(&namespace, faults);
    let scope = stage.scoped.then(|| namespace.clone());
    let proxy = Proxy::new(
        stage.upstream.clone(),
        scope,
        journal.clone(),
        injector,
        ports,
    );
    let address = listen(&proxy).await?;
    let actor = Arc::new(Actor::new(
        stage,
        &namespace,
        scenario,
        ports,
        journal.clone(),
    ));
    let desk = Desk::new(&stage.dir, &namespace, &stage.program, &address.to_string())?;
    let mut run = Run {
        stage: stage.clone(),
        scenario,
        aim,
        journal,
        proxy,
        desk,
        running: None,
        lives: 0,
        actor,
        states: Vec::new(),
        signs: Vec::new(),
        first: Vec::new(),
        mismatch: None,
        // What is to be there is waited for at any rate, where that is known.
        may_notice: aim.expected().is_none(),
        lag: Duration::ZERO,
        is_patient: slot.is_patient,
        cut_at: None,
        later: None,
    };
    let played = tokio::select! {
        played = run.play() => played,
        over = slot.over() => Err(over),
    };
    run.proxy.close();
    run.running = None;
    let log = run.desk.log();
    run.desk.clear();
    if !matches!(played, Err(Error::Interrupted)) {
        run.actor.clean().await;
    }
    let whole = match played {
        // All of the scenario was played.
        Err(Error::OutOfTime) if run.cut_at.is_some() => true,
        Err(Error::OutOfTime) => false,
        other => other.map(|()| true)?,
    };
    let mut entries = run.journal.entries();
    entries.truncate(run.cut_at.unwrap_or(entries.len()));
    run.read_signs(&entries, &log);
    Ok(Played {
        namespace,
        states: run.states,
        signs: run.signs,
        log,
        mismatch: run.mismatch,
        reached: run.proxy.faults(|faults| faults.all_done()),
        first: run.first,
        later: run.later,
        whole,
        entries,
    })
}

struct Run<'a> {
    stage: Arc<Stage>,
    scenario: &'a Scenario,
    aim: Aim<'a>,
    journal: Journal,
    proxy: Proxy,
    desk: Desk,
    running: Option<Running>,
    lives: usize,
    actor: Arc<Actor<'a>>,
    states: Vec<Snapshot>,
    signs: Vec<(usize, Sign)>,
    first: Vec<Value>,
    mismatch: Option<(usize, Vec<Difference>)>,
    /// Whether it may yet see what somebody did to its work.
    may_notice: bool,
    /// How long the machine takes for what should take no time.
    lag: Duration,
    /// Whether it is seen what becomes of the last state.
    is_patient: bool,
    /// The number of entries when the scenario was over.
    cut_at: Option<usize>,
    later: Option<Later>,
}

impl Run<'_> {
    async fn play(&mut self) -> Result<()> {
        self.actor.prepare(&self.stage.roles).await?;
        self.start()?;
        self.until_it_watches().await?;
        for number in 0..self.scenario.steps.len() {
            let step = &self.scenario.steps[number];
            let asked = Instant::now();
            let past = self.actor.version().await;
            self.lag = asked.elapsed();
            self.journal.begin_step(number, step.says.clone());
            let next = self.scenario.steps.get(number + 1);
            let next = next.and_then(|next| self.actor.at_once(&next.act));
            self.proxy.begin(number, past, next);
            self.restart(RestartFault::Down);
            if let Err(message) = self.act(number).await? {
                self.journal
                    .add(JournalEvent::Step(format!("refused: {message}")));
                if let Some(webhook) = rejection::failed_webhook(&message) {
                    let (webhook, message) = (webhook.to_owned(), message.clone());
                    self.signs
                        .push((number, Sign::Unjudged { webhook, message }));
                }
                self.signs.push((number, Sign::Refused(message)));
            }
            self.restart(RestartFault::Behind);
            self.settle(number).await?;
            if self.mismatch.is_none() && self.restart(RestartFault::BehindAtRest) {
                self.settle(number).await?;
            }
            if number == 0
                && self.does_nothing()
                && let Some(error) = self.asks_in_vain()
            {
                return Err(error);
            }
            self.states.push(self.actor.state());
            if let Some(claim) = self.actor.retained() {
                self.signs.push((number, Sign::Retained(claim)));
            }
            if number == 0 {
                self.first = self.actor.objects();
            }
            if self.mismatch.is_some() || self.is_stuck(number) {
                break;
            }
        }
        let is_learned = self.aim.expected().is_none();
        match self.states.len().checked_sub(1) {
            Some(last) if self.is_patient && (is_learned || self.mismatch.is_some()) => {
                self.look_later(last).await
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
    async fn act(&mut self, step: usize) -> Result<std::result::Result<(), String>> {
        let (actor, scenario) = (self.actor.clone(), self.scenario);
        let mut acting = std::pin::pin!(actor.act(&scenario.steps[step].act));
        loop {
            tokio::select! {
                done = &mut acting => return done,
                () = tokio::time::sleep(TICK) => self.tend(step)?,
            }
        }
    }

    /// Whether the object does not go: nothing can be told of what comes after.
    fn is_stuck(&self, step: usize) -> bool {
        let is_there = || {
            let subject = subject(self.scenario);
            let state = self.states.last();
            state.is_some_and(|state| state.0.contains_key(&subject))
        };
        let is_refused =
            |sign: &(usize, Sign)| matches!(sign, (at, Sign::Refused(_)) if *at == step);
        match self.scenario.steps[step].act {
            Act::Delete { .. } | Act::Release => is_there(),
            Act::Recreate(_) => self.signs.iter().any(is_refused),
            _ => false,
        }
    }

    fn start(&mut self) -> Result<()> {
        let running = self
            .desk
            .start(&self.stage.program, &self.actor.namespace)?;
        self.proxy.runs(running.pid());
        self.running = Some(running);
        self.lives += 1;
        self.journal.add(JournalEvent::Operator("started".into()));
        Ok(())
    }

    /// Starts the operator again when it is gone, and notes it when nobody killed it.
    fn tend(&mut self, step: usize) -> Result<()> {
        use std::os::unix::process::ExitStatusExt as _;
        if self.proxy.faults(|faults| faults.is_held_down()) {
            return Ok(());
        }
        let Some(status) = self.running.as_mut().and_then(Running::ended) else {
            return Ok(());
        };
        if status.signal() != Some(9) {
            let status = status.to_string();
            self.journal.add(JournalEvent::Operator(format!(
                "ended by itself ({status})"
            )));
            self.signs.push((step, Sign::Ended(status)));
        }
        self.running = None;
        if self.lives < 10 {
            self.start()
        } else {
            Ok(())
        }
    }
}
