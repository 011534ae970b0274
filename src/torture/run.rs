//! One run: a namespace, a proxy, an operator, and a scenario played to its end, with faults or without.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::actor::Actor;
use super::call::Verb;
use super::error::{Error, Result};
use super::fault::Fault;
use super::injector::Injector;
use super::journal::{self, Entry, Journal, What};
use super::played::{Expected, Played, Sign};
use super::ports::Ports;
use super::program::{Desk, Running, tail};
use super::proxy::Proxy;
use super::scenario::Scenario;
use super::stage::Stage;
use super::state::{Difference, State};

/// Without a change for so long, an operator is at rest.
const QUIET: Duration = Duration::from_millis(700);
/// On a machine that is busy, an operator may be about to go on for as long as this.
const MOST_LAG: Duration = Duration::from_secs(3);
/// When all is as expected, this much is enough.
const SHORT: Duration = Duration::from_millis(250);
/// How long an operator may take to come to rest: as long as somebody would wait who knows what it will be.
const PATIENCE: Duration = Duration::from_secs(15);
/// How long it may take to its first question.
const START: Duration = Duration::from_secs(30);
/// How often garbage is looked for.
const SWEEP: Duration = Duration::from_millis(120);
/// How often things are looked at.
const TICK: Duration = Duration::from_millis(30);

/// Plays a scenario; without an expectation, to learn what it leads to.
pub async fn play(
    stage: &Arc<Stage>,
    scenario: &Scenario,
    faults: &[Fault],
    expected: Option<&Expected>,
) -> Result<Played> {
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
    let (proxy, address) = Proxy::start(
        stage.upstream.clone(),
        scope,
        journal.clone(),
        injector,
        ports,
    )
    .await?;
    let actor = Actor::new(stage, &namespace, scenario, ports);
    actor.prepare(&stage.roles).await?;
    let desk = Desk::new(&stage.dir, &namespace, &stage.program, &address.to_string())?;
    let mut run = Run {
        stage: stage.clone(),
        scenario,
        expected,
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
        lag: Duration::ZERO,
    };
    let played = run.play().await;
    run.proxy.close();
    run.running = None;
    run.actor.clean().await;
    let log = run.desk.log();
    run.desk.clear();
    played?;
    let entries = run.journal.entries();
    run.read_signs(&entries, &log);
    Ok(Played {
        namespace,
        states: run.states,
        signs: run.signs,
        log,
        mismatch: run.mismatch,
        reached: run.proxy.faults(|faults| faults.all_done()),
        first: run.first,
        entries,
    })
}

struct Run<'a> {
    stage: Arc<Stage>,
    scenario: &'a Scenario,
    expected: Option<&'a Expected>,
    journal: Journal,
    proxy: Proxy,
    desk: Desk,
    running: Option<Running>,
    lives: usize,
    actor: Actor<'a>,
    states: Vec<State>,
    signs: Vec<(usize, Sign)>,
    first: Vec<Value>,
    mismatch: Option<(usize, Vec<Difference>)>,
    /// How long the machine takes for what should take no time.
    lag: Duration,
}

impl Run<'_> {
    async fn play(&mut self) -> Result<()> {
        self.start()?;
        self.until_it_watches().await?;
        for number in 0..self.scenario.steps.len() {
            if self.stage.interrupt.came() {
                return Err(Error::Interrupted);
            }
            let step = &self.scenario.steps[number];
            let asked = Instant::now();
            let past = self.actor.version().await;
            self.lag = asked.elapsed();
            self.journal.step(number, step.says.clone());
            self.proxy.begin(number, past);
            if let Err(message) = self.actor.act(&step.act).await? {
                self.journal.add(What::Step(format!("refused: {message}")));
                self.signs.push((number, Sign::Refused(message)));
            }
            if self.proxy.faults(|faults| faults.restarts(number)) {
                self.proxy.kill();
            }
            self.settle(number).await?;
            self.states.push(self.actor.state());
            if number == 0 {
                self.first = self.actor.objects();
            }
            if self.mismatch.is_some() {
                break;
            }
        }
        Ok(())
    }

    fn start(&mut self) -> Result<()> {
        let running = self
            .desk
            .start(&self.stage.program, &self.actor.namespace)?;
        self.proxy.runs(running.pid());
        self.running = Some(running);
        self.lives += 1;
        self.journal.add(What::Operator("started".into()));
        Ok(())
    }

    async fn until_it_watches(&mut self) -> Result<()> {
        let wanted = self.actor.subject();
        let since = Instant::now();
        let watches = |entries: &[Entry]| {
            let mut requests = journal::requests(entries).map(|(_, request)| request);
            requests.any(|request| {
                let call = &request.call;
                let same = (&call.resource.group, &call.resource.plural)
                    == (&wanted.group, &wanted.plural);
                call.verb == Verb::Watch && same && request.succeeded()
            })
        };
        while !self.journal.look(watches) {
            if let Some(status) = self.running.as_mut().and_then(Running::ended) {
                return Err(Error::EndedAtStart {
                    status,
                    log: tail(&self.desk.log()),
                });
            }
            if self.stage.interrupt.came() {
                return Err(Error::Interrupted);
            }
            if since.elapsed() > START {
                let (seconds, log) = (START.as_secs(), tail(&self.desk.log()));
                let silent = self
                    .journal
                    .look(|entries| journal::requests(entries).next().is_none());
                return Err(if silent {
                    Error::Silent { seconds, log }
                } else {
                    Error::NotWatching {
                        resource: wanted.to_string(),
                        seconds,
                        log,
                    }
                });
            }
            tokio::time::sleep(TICK).await;
        }
        Ok(())
    }

    /// Starts the operator again when it is gone, and notes it when nobody killed it.
    fn tend(&mut self, step: usize) -> Result<()> {
        use std::os::unix::process::ExitStatusExt as _;
        let Some(status) = self.running.as_mut().and_then(Running::ended) else {
            return Ok(());
        };
        if status.signal() != Some(9) {
            let status = status.to_string();
            self.journal
                .add(What::Operator(format!("ended by itself ({status})")));
            self.signs.push((step, Sign::Ended(status)));
        }
        self.running = None;
        if self.lives < 10 {
            self.start()
        } else {
            Ok(())
        }
    }

    /// Waits until the operator is at rest, and as expected if that is known.
    async fn settle(&mut self, step: usize) -> Result<()> {
        let began = Instant::now();
        let (mut swept, mut cleans) = (began, true);
        loop {
            let asleep = Instant::now();
            tokio::time::sleep(TICK).await;
            self.lag = self.lag.max(asleep.elapsed().saturating_sub(TICK));
            self.tend(step)?;
            if self.stage.interrupt.came() {
                return Err(Error::Interrupted);
            }
            if swept.elapsed() > SWEEP {
                cleans = self.actor.sweep().await;
                swept = Instant::now();
            }
            let waits = cleans
                || self.proxy.held() > 0
                || self.proxy.faults(|faults| faults.is_under_way());
            let is_over = began.elapsed() > PATIENCE;
            let last = self
                .actor
                .changed()
                .into_iter()
                .chain([self.proxy.active(), began])
                .max();
            let idle = last.map_or(Duration::ZERO, |last| last.elapsed());
            let restless = self
                .expected
                .is_some_and(|expected| expected.restless.contains(&step));
            let quiet = if self.expected.is_some() {
                SHORT
            } else {
                QUIET
            };
            let wanted = quiet + (self.lag * 12).min(MOST_LAG);
            if !is_over && (waits || (idle < wanted && !(restless && began.elapsed() > QUIET))) {
                continue;
            }
            let Some(expected) = self.expected else {
                if is_over {
                    self.note_restlessness(step);
                }
                return Ok(());
            };
            let found = self.actor.state();
            let differences = expected.states[step].differences(&found, &expected.mask);
            if differences.is_empty() {
                if is_over && !restless {
                    self.note_restlessness(step);
                }
                return Ok(());
            }
            if is_over {
                self.mismatch = Some((step, differences));
                return Ok(());
            }
        }
    }

    /// Says which object the operator wrote most in the last seconds.
    fn note_restlessness(&mut self, step: usize) {
        const LATELY: Duration = Duration::from_secs(4);
        const OFTEN: usize = 5;
        let since = self.journal.now().saturating_sub(LATELY);
        let mut writes: BTreeMap<String, usize> = BTreeMap::new();
        for entry in self.journal.entries() {
            if let What::Request(request) = &entry.what
                && entry.at > since
                && request.call.is_work()
            {
                let mut call = request.call.clone();
                call.name = Some(request.name());
                *writes.entry(call.to_string()).or_default() += 1;
            }
        }
        let most = writes.into_iter().max_by_key(|(_, count)| *count);
        if let Some((call, count)) = most.filter(|(_, count)| *count >= OFTEN) {
            self.signs.push((step, Sign::Restless(call, count)));
        }
    }

    /// What log and answers say.
    fn read_signs(&mut self, entries: &[Entry], log: &str) {
        let panic = log.lines().find(|line| {
            line.contains("panicked at")
                || line.starts_with("panic:")
                || line.contains("Observed a panic")
        });
        if let Some(line) = panic {
            let mut after = log.lines().skip_while(|other| *other != line).skip(1);
            let said = after
                .next()
                .filter(|_| line.ends_with(':'))
                .unwrap_or_default();
            self.signs.push((
                0,
                Sign::Panic(format!("{line} {said}").trim_end().to_owned()),
            ));
        }
        for (step, request) in journal::requests(entries) {
            let message = request.answer["message"].as_str().unwrap_or_default();
            let ends = message.contains("because it is being terminated");
            if request.status == 403 && !request.injected && !ends {
                let sign = Sign::Forbidden(request.call.to_string());
                if !self.signs.iter().any(|(_, known)| *known == sign) {
                    self.signs.push((step, sign));
                }
            }
        }
    }
}
