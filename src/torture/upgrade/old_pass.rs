//! The first part of a rehearsal: the old version converges on many states, and leaves them.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::terminal::Terminal;
use crate::text::count;
use crate::torture::env::Environment;
use crate::torture::error::{Error, Result};
use crate::torture::random::Random;
use crate::torture::run::result::{Expectation, RunResult};
use crate::torture::run::run_scenario;
use crate::torture::run::settings::RunSettings;
use crate::torture::scenario::generator::state_key;
use crate::torture::scenario::{Action, Child, Scenario};
use crate::torture::search::baseline_runner::{BaselineRunner, ScenarioSample, name};
use crate::torture::search::owned_objects::children;
use crate::torture::search::result::CampaignResult;
use crate::torture::search::worker_pool::run_jobs;
use crate::torture::snapshot::Mask;
use crate::torture::upgrade::oracle;
use crate::torture::upgrade::state::{OldState, OldStates, RehearsalKind, RehearsalLimits};

/// The part of the budget for the old version, in percent.
const OLD_SHARE: u32 = 40;

/// The time limit for the state of a sample itself, on which all others depend. It is not part of
/// the budget, and a run that is not stuck ends earlier.
pub(super) const SAMPLE_WITHIN: Duration = Duration::from_secs(600);

/// The number of namespaces per sample in which the new version is killed.
const CRASHES: usize = 4;

/// A state that the old version has not reached yet.
struct Waiting {
    name: String,
    kind: RehearsalKind,
    scenario: Scenario,
}

impl Waiting {
    fn upgrade(name: String, scenario: Scenario) -> Self {
        Self {
            name,
            kind: RehearsalKind::Upgrade,
            scenario,
        }
    }
}

/// Returns further namespaces with the sample itself, for other kinds of rehearsal.
fn spares(sample: &ScenarioSample) -> Vec<Waiting> {
    let kinds = [RehearsalKind::Rollback, RehearsalKind::RollingUpdate].into_iter();
    let kinds = kinds.chain([RehearsalKind::Crash; CRASHES]);
    kinds
        .map(|kind| Waiting {
            name: name(&sample.object),
            kind,
            scenario: Scenario::probe(&sample.object, &sample.prerequisites),
        })
        .collect()
}

/// The first part of a rehearsal: the old version.
pub struct OldPass {
    /// The environment of the old version.
    pub environment: Arc<Environment>,
    pub limits: RehearsalLimits,
    pub terminal: Terminal,
}

impl OldPass {
    /// Lets the old version converge on the states of the samples, and stops it. If the user
    /// interrupts the pass, returns the states so far.
    ///
    /// # Errors
    /// Returns an error if the old version does not start, if the API server rejects a sample, or
    /// if no state was reached.
    pub async fn run(&self, samples: &[ScenarioSample]) -> Result<OldStates> {
        let mut old = OldStates::default();
        let mut waiting = Vec::new();
        for sample in samples {
            let first = Scenario::probe(&sample.object, &sample.prerequisites);
            let label = name(&sample.object);
            old.planned.push((label.clone(), RehearsalKind::Upgrade));
            let until = Instant::now() + SAMPLE_WITHIN;
            let settings = RunSettings::new(self.environment.clone(), until).leaving();
            let (state, children) = match self.first(&settings, label.clone(), first).await {
                Ok(reached) => reached,
                Err(Error::Interrupted) => {
                    old.interrupted = true;
                    return Ok(old);
                }
                Err(error) => return Err(error),
            };
            self.terminal.status(
                "Converged",
                format_args!(
                    "the old version on {label} with {}",
                    count(children.len(), "child")
                ),
            );
            old.states.push(state);
            if self.environment.scoped {
                waiting.extend(spares(sample));
                waiting.extend(self.states(sample, &children, &mut old.notes).await?);
            } else {
                // Without namespaces to separate them, the operator would see all states at once.
                old.notes.push(format!(
                    "only the sample {label} is rehearsed: its kind is cluster-scoped"
                ));
                break;
            }
        }
        let planned = waiting.iter().map(|it| (it.name.clone(), it.kind));
        old.planned.extend(planned);
        let began = Instant::now();
        let until = began + self.limits.budget * OLD_SHARE / 100;
        let settings = RunSettings::new(self.environment.clone(), until).leaving();
        self.reach(&settings, waiting, &mut old).await?;
        old.took = began.elapsed();
        Ok(old)
    }

    /// Reaches the state of a sample itself, and discovers its children.
    async fn first(
        &self,
        settings: &RunSettings,
        label: String,
        scenario: Scenario,
    ) -> Result<(OldState, Vec<Child>)> {
        let subject = scenario.subject.clone();
        let waiting = Waiting::upgrade(label.clone(), scenario);
        let (run, state) = reach(settings, waiting).await?;
        let children = children(&run, &subject);
        match state {
            Ok(state) => Ok((state, children)),
            Err(message) => Err(Error::SampleRefused {
                object: label,
                message,
            }),
        }
    }

    /// Returns the further states of a sample: those of custom scenarios, and one for each value of
    /// a field.
    async fn states(
        &self,
        sample: &ScenarioSample,
        children: &[Child],
        notes: &mut Vec<String>,
    ) -> Result<Vec<Waiting>> {
        let (subject, prerequisites) = (&sample.object, &sample.prerequisites);
        let label = name(subject);
        let mut known = BTreeSet::from([state_key(&subject["spec"])]);
        let mut states = Vec::new();
        for custom in &sample.custom_scenarios {
            let scenario = custom.scenario_for(subject, prerequisites, children)?;
            let last = |scenario: &Scenario| scenario.steps.len().saturating_sub(1);
            if let Some(scenario) = scenario.filter(|it| !it.ends_without_object(last(it))) {
                let name = format!("{label}: {}", scenario.name);
                states.push(Waiting::upgrade(name, scenario));
            }
        }
        let runner = BaselineRunner {
            environment: &self.environment,
            lanes: self.limits.lanes,
            tests_ownership_and_limits: false,
            terminal: self.terminal,
        };
        let mut outcome = CampaignResult::default();
        let random = Random::new(self.limits.seed);
        let fields = runner.accepted(sample, random, &mut outcome).await;
        notes.append(&mut outcome.notes);
        for variant in fields.into_iter().flat_map(|(_, variants)| variants) {
            if !known.insert(state_key(&variant.spec)) {
                continue;
            }
            let mut scenario = Scenario::new(&variant.description, subject, prerequisites);
            scenario.add_step(
                "the user creates the object",
                Action::Create(variant.spec.clone()),
                Some(state_key(&variant.spec)),
            );
            let name = format!("{label}: {}", variant.description);
            states.push(Waiting::upgrade(name, scenario));
        }
        Ok(states)
    }

    /// Reaches states in parallel, as many as there is time for.
    async fn reach(
        &self,
        settings: &RunSettings,
        waiting: Vec<Waiting>,
        old: &mut OldStates,
    ) -> Result<()> {
        let work = |state: Waiting| {
            let settings = settings.clone();
            async move {
                let (name, kind) = (state.name.clone(), state.kind);
                let reached = reach(&settings, state).await;
                (name, kind, reached.map(|(_, state)| state))
            }
        };
        let (mut failed, mut lost) = (None, CampaignResult::default());
        run_jobs(
            &mut waiting.into_iter(),
            self.limits.lanes,
            || settings.is_over(),
            work,
            |(name, kind, reached): (String, RehearsalKind, Result<_>)| match reached {
                Ok(Ok(state)) => old.states.push(state),
                Ok(Err(message)) => {
                    old.give_up(&name, kind);
                    old.notes
                        .push(format!("{name}: the API server rejects a step: {message}"));
                }
                Err(Error::OutOfTime) => {}
                Err(error) => failed = failed.take().or(lost.count_lost(error)),
            },
        )
        .await;
        match failed {
            Some(Error::Interrupted) => old.interrupted = true,
            Some(error) => return Err(error),
            None => {}
        }
        Ok(())
    }
}

/// Reaches a state with the old version, restarts it there, and leaves the objects. The inner error
/// is the message with which the API server rejects a step.
async fn reach(
    settings: &RunSettings,
    waiting: Waiting,
) -> Result<(RunResult, std::result::Result<OldState, String>)> {
    let Waiting {
        name,
        kind,
        scenario,
    } = waiting;
    let mut restarted = scenario.clone();
    restarted.add_step("the old version is restarted", Action::Restart, None);
    let run = run_scenario(settings, &restarted, &[], Expectation::None).await?;
    let run = run.into_complete()?;
    if let Some(message) = run.first_rejection().map(str::to_owned) {
        return Ok((run, Err(message)));
    }
    let [.., settled, again] = &run.states[..] else {
        return Err(Error::OutOfTime);
    };
    let restart = settled.differences(again, &Mask::default());
    let last = scenario.steps.len();
    let restart_writes = oracle::count_writes(&run.entries_of(last));
    let left = run.left.clone().ok_or(Error::OutOfTime)?;
    let state = OldState {
        name,
        kind,
        settled: settled.clone(),
        scenario,
        restart,
        restart_writes,
        entries: run.entries.clone(),
        log: run.log.clone(),
        symptoms: run.symptoms_only(),
        left,
    };
    Ok((run, Ok(state)))
}
