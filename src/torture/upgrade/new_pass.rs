//! The second part of a rehearsal: the new version takes over the states of the old one.

use std::collections::BTreeMap;
use std::future::Future;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::terminal::Terminal;
use crate::text::count;
use crate::torture::env::Environment;
use crate::torture::error::{Error, Result};
use crate::torture::fault::injection_points::injection_points;
use crate::torture::fault::{Fault, WriteFault};
use crate::torture::run::result::{Expectation, RunResult, Symptom, Takeover};
use crate::torture::run::run_scenario;
use crate::torture::run::settings::{Rollout, RunSettings};
use crate::torture::scenario::{Action, GONE, Scenario};
use crate::torture::search::result::CampaignResult;
use crate::torture::search::worker_pool::run_jobs;
use crate::torture::snapshot::{Mask, Snapshot};
use crate::torture::upgrade::change::{Effect, ObjectDifference, merge};
use crate::torture::upgrade::old_pass::SAMPLE_WITHIN;
use crate::torture::upgrade::oracle::{self, Evidence};
use crate::torture::upgrade::result::{Cost, UpgradeResult};
use crate::torture::upgrade::rolling::RollingUpdate;
use crate::torture::upgrade::state::{
    OldState, OldStates, Reference, RehearsalKind, RehearsalLimits,
};

/// The time limit for one rolling update. It is not part of the budget: there is one for each
/// sample.
const ROLLED_WITHIN: Duration = Duration::from_secs(150);

/// The second part of a rehearsal: the new version, whose manifests are installed.
pub struct NewPass {
    /// The environment of the new version.
    pub environment: Arc<Environment>,
    /// The rolling update from the old version.
    pub rollout: Rollout,
    pub limits: RehearsalLimits,
    pub terminal: Terminal,
}

/// The rehearsal of one state.
struct Rehearsed {
    name: String,
    /// The kind of the object: `lolcow`.
    kind: String,
    changes: Vec<ObjectDifference>,
    cost: Cost,
    /// `None` if the new version did not take the state over.
    reference: Option<Reference>,
}

/// The result of the pass, and the states for the rollback.
pub struct Upgraded {
    /// The result without rollbacks.
    pub result: UpgradeResult,
    /// The states that the new version has taken over and left for the old version.
    pub to_roll_back: Vec<OldState>,
}

impl NewPass {
    /// Lets the new version take over the states of the old one. `began` is the start of the whole
    /// rehearsal, from which the duration in the result counts.
    ///
    /// # Errors
    /// Returns an error if the new version does not work on new objects either, or if no state was
    /// rehearsed.
    pub async fn run(&self, old: OldStates, began: Instant) -> Result<Upgraded> {
        let mut result = UpgradeResult {
            planned: old.planned_for(RehearsalKind::Upgrade),
            planned_rollbacks: old.planned_for(RehearsalKind::Rollback),
            planned_rolling_updates: old.planned_for(RehearsalKind::RollingUpdate),
            notes: old.notes,
            interrupted: old.interrupted,
            seed: self.limits.seed,
            ..UpgradeResult::default()
        };
        let of = |kind: RehearsalKind| move |it: &OldState| it.kind == kind;
        let (upgrades, others): (Vec<_>, Vec<_>) =
            old.states.into_iter().partition(of(RehearsalKind::Upgrade));
        let (to_crash, others): (Vec<_>, Vec<_>) =
            others.into_iter().partition(of(RehearsalKind::Crash));
        let (to_roll, backs): (Vec<_>, Vec<_>) = others
            .into_iter()
            .partition(of(RehearsalKind::RollingUpdate));
        let total = upgrades.len();
        // The crashes need the references of these states, and must not wait until the budget is
        // used up.
        let is_reserved = |it: &OldState| {
            !self.environment.scoped
                || old
                    .planned
                    .contains(&(it.name.clone(), RehearsalKind::Crash))
        };
        let (first, further): (Vec<_>, Vec<_>) = upgrades.into_iter().partition(is_reserved);
        self.terminal.status(
            "Upgrading",
            format_args!("{} of the old version", count(total, "state")),
        );
        let upgrade = |settings, state| async move { rehearse(&settings, state).await };
        let settings = RunSettings::new(self.environment.clone(), Instant::now() + SAMPLE_WITHIN);
        let (mut rehearsed, failed) = self.all(&settings, first, &mut result, upgrade).await;
        if let Some(error) = failed {
            return Err(error);
        }
        let budget = self.limits.budget;
        let left = budget.saturating_sub(old.took).max(budget / 4);
        let mut settings = RunSettings::new(self.environment.clone(), Instant::now() + left);
        let mut planned_crashes = planned_crashes(&old.planned, &rehearsed);
        let jobs = assign(to_crash, &rehearsed);
        let work = |settings, job| async move { crash(&settings, job).await };
        let (crashed, failed) = self.all(&settings, jobs, &mut result, work).await;
        result.note_failure("a crash", failed);
        let rolling = Instant::now();
        let rolled = self.roll(to_roll, &rehearsed, &mut result).await;
        settings.until += rolling.elapsed();
        let work = |settings, state| async move { upgrade_and_leave(&settings, state).await };
        let (to_roll_back, failed) = self.all(&settings, backs, &mut result, work).await;
        result.note_failure("an upgrade before a rollback", failed);
        let (others, failed) = self.all(&settings, further, &mut result, upgrade).await;
        if let Some(error) = failed {
            return Err(error);
        }
        rehearsed.extend(others);
        if rehearsed.is_empty() {
            return Err(if result.interrupted {
                Error::Interrupted
            } else {
                Error::OutOfTime
            });
        }
        // The sample's own state has the shortest name, and is the best example.
        rehearsed.sort_by(|one, other| {
            (one.name.len(), &one.name).cmp(&(other.name.len(), &other.name))
        });
        result.states = rehearsed.len();
        for done in &rehearsed {
            result.add_cost(&done.kind, done.cost);
        }
        // A crash at a write that the new version does not send, and a rollback from a version that
        // does not start, were not skipped.
        planned_crashes -= crashed.iter().filter(|it| it.is_none()).count();
        result.planned_rollbacks -= to_roll_back.iter().filter(|it| it.is_none()).count();
        let crashed: Vec<_> = crashed.into_iter().flatten().collect();
        (result.crashes, result.planned_crashes) = (crashed.len(), planned_crashes);
        let changes = rehearsed.into_iter().map(|it| (it.name, it.changes));
        result.changes = merge(changes.chain(crashed).chain(rolled));
        result.took = began.elapsed();
        Ok(Upgraded {
            result,
            to_roll_back: to_roll_back.into_iter().flatten().collect(),
        })
    }

    /// Rehearses rolling updates, one after the other: the versions compete for one Lease.
    async fn roll(
        &self,
        states: Vec<OldState>,
        rehearsed: &[Rehearsed],
        result: &mut UpgradeResult,
    ) -> Vec<(String, Vec<ObjectDifference>)> {
        let mut rolled = Vec::new();
        for state in states {
            let name = state.name.clone();
            let Some(reference) = reference_for(&state, rehearsed) else {
                // The rehearsal of the same state reports why the new version does not take it
                // over.
                result.planned_rolling_updates -= 1;
                continue;
            };
            let update = RollingUpdate {
                state,
                rollout: self.rollout.clone(),
                reference,
            };
            let part = format!("the rolling update of {name}");
            let settings =
                RunSettings::new(self.environment.clone(), Instant::now() + ROLLED_WITHIN);
            match update.rehearse(&settings).await {
                Ok(Ok(changes)) => rolled.push(changes),
                Ok(Err(reason)) => {
                    result.planned_rolling_updates -= 1;
                    result
                        .notes
                        .push(format!("{part} was not rehearsed: {reason}"));
                }
                Err(error) => result.note_failure(&part, Some(error)),
            }
            if result.interrupted {
                break;
            }
        }
        result.rolling_updates = rolled.len();
        rolled
    }

    /// Works on jobs in parallel, as many as there is time for. Returns the results, and the error
    /// that ended the work.
    async fn all<J, T, F>(
        &self,
        settings: &RunSettings,
        jobs: Vec<J>,
        result: &mut UpgradeResult,
        work: impl Fn(RunSettings, J) -> F,
    ) -> (Vec<T>, Option<Error>)
    where
        T: Send + 'static,
        F: Future<Output = Result<T>> + Send + 'static,
    {
        let total = jobs.len();
        let (mut all, mut failed) = (Vec::new(), None);
        let mut lost = CampaignResult::default();
        run_jobs(
            &mut jobs.into_iter(),
            self.limits.lanes,
            || settings.is_over(),
            |job| work(settings.clone(), job),
            |done: Result<T>| match done {
                Ok(done) => {
                    all.push(done);
                    if all.len().is_multiple_of(10) {
                        let so_far = format!("{} of {total} states", all.len());
                        self.terminal.status("Upgraded", so_far);
                    }
                }
                Err(Error::OutOfTime) => {}
                Err(error) => failed = failed.take().or(lost.count_lost(error)),
            },
        )
        .await;
        if matches!(failed, Some(Error::Interrupted)) {
            result.interrupted = true;
            failed = None;
        }
        (all, failed)
    }
}

/// A crash in the middle of an upgrade.
struct CrashJob {
    state: OldState,
    fault: Fault,
    reference: Reference,
}

/// Returns the number of crashes to rehearse: those in the reserved namespaces, but no more than
/// the upgrade of the same state has points for them. A new version that does not take a state over
/// cannot be killed in it.
fn planned_crashes(planned: &[(String, RehearsalKind)], rehearsed: &[Rehearsed]) -> usize {
    let mut reserved: BTreeMap<&str, usize> = BTreeMap::new();
    for (name, _) in planned.iter().filter(|it| it.1 == RehearsalKind::Crash) {
        *reserved.entry(name).or_default() += 1;
    }
    let of_state = |(name, reserved): (&str, usize)| {
        let Some(state) = rehearsed.iter().find(|it| it.name == name) else {
            return reserved;
        };
        let reference = state.reference.as_ref();
        reserved.min(reference.map_or(0, |it| it.crashes.len()))
    };
    reserved.into_iter().map(of_state).sum()
}

/// Returns the upgrade of the same state; `None` if the new version did not take it over.
fn reference_for(state: &OldState, rehearsed: &[Rehearsed]) -> Option<Reference> {
    let of_state = rehearsed.iter().find(|it| it.name == state.name);
    of_state.and_then(|it| it.reference.clone())
}

/// Assigns crashes at different writes to the namespaces that are reserved for them.
fn assign(states: Vec<OldState>, rehearsed: &[Rehearsed]) -> Vec<CrashJob> {
    let mut jobs: Vec<CrashJob> = Vec::new();
    for state in states {
        let number = jobs.iter().filter(|it| it.state.name == state.name).count();
        let Some(reference) = reference_for(&state, rehearsed) else {
            continue;
        };
        if let Some(fault) = reference.crashes.get(number).cloned() {
            jobs.push(CrashJob {
                state,
                fault,
                reference,
            });
        }
    }
    jobs
}

/// Kills the new version at a write of the upgrade, and compares the result with an upgrade without
/// a crash. Returns `None` if the new version did not send that write.
async fn crash(
    settings: &RunSettings,
    job: CrashJob,
) -> Result<Option<(String, Vec<ObjectDifference>)>> {
    let CrashJob {
        state,
        fault,
        reference,
    } = job;
    let upgrade = state.takeover(&settings.environment, "the new version starts")?;
    let settings = settings.continuing(state.left.clone());
    let faults = [fault];
    let run = match run_scenario(&settings, &upgrade, &faults, Expectation::None).await {
        // The fault came before the operator watched its objects, so it shows nothing.
        Err(Error::EndedAtStart { .. }) => return Ok(None),
        run => run?.into_complete()?,
    };
    let Some(after) = run.states.first().filter(|_| run.faults_reached) else {
        return Ok(None);
    };
    let [fault] = &faults;
    let when = format!("after a crash in the middle of the upgrade ({fault})");
    let mask = reference.mask_for(&state.settled);
    let changes = oracle::changes_after(&reference.after, after, &mask, &when);
    Ok(Some((state.name, changes)))
}

/// Lets the new version take over a state, and leaves it to the old version. Returns `None` if the
/// new version does not start.
async fn upgrade_and_leave(settings: &RunSettings, state: OldState) -> Result<Option<OldState>> {
    let upgrade = state.takeover(&settings.environment, "the new version starts")?;
    let settings = settings.continuing(state.left.clone()).leaving();
    match run_scenario(&settings, &upgrade, &[], Expectation::None).await {
        Ok(run) => {
            let run = run.into_complete()?;
            let left = run.left.ok_or(Error::OutOfTime)?;
            Ok(Some(OldState { left, ..state }))
        }
        // The rehearsal of the same state reports it.
        Err(error) if error.is_failed_start() => Ok(None),
        Err(error) => Err(error),
    }
}

/// Lets the new version take over one state, and deletes the object. Also creates the same object
/// in a new namespace with the new version, and compares both.
async fn rehearse(settings: &RunSettings, old: OldState) -> Result<Rehearsed> {
    let subject = old.scenario.subject_id();
    let mut upgrade = old.takeover(&settings.environment, "the new version starts")?;
    let deleted = Action::Delete { foreground: false };
    upgrade.add_step(
        "the user deletes the object",
        deleted.clone(),
        Some(GONE.into()),
    );
    let taken = settings.continuing(old.left.clone());
    let upgraded = run_scenario(&taken, &upgrade, &[], Expectation::None).await;

    let mut fresh = old.scenario.clone();
    fresh.add_step("the user deletes the object", deleted, Some(GONE.into()));
    let fresh = Fresh::of(settings, &fresh).await?;

    let mut changes = Vec::new();
    let (mut cost, mut reference) = (Cost::of(0, old.restart_writes), None);
    match upgraded {
        Ok(run) => {
            let run = run.into_complete()?;
            cost = Cost::of(oracle::count_writes(&run.entries_of(0)), old.restart_writes);
            reference = reference_of(&old, &run, &fresh);
            changes.extend(evidence(&old, &run, &fresh));
        }
        Err(error) if error.is_failed_start() => {
            changes.push(oracle::start_failure_change(&error, &subject));
        }
        Err(error) => return Err(error),
    }
    if let Some(message) = &fresh.rejection {
        let reason = format!("the API server rejects a new object with the old spec: {message}");
        changes
            .push(ObjectDifference::new(Effect::Refused, subject.to_string(), "").because(reason));
    }
    Ok(Rehearsed {
        kind: kind_of(&old.scenario.subject),
        name: old.name,
        changes,
        cost,
        reference,
    })
}

/// Returns the reference for crashes: the state without one, and the writes at which the operator
/// can be killed.
fn reference_of(old: &OldState, run: &RunResult, fresh: &Fresh) -> Option<Reference> {
    let mut mask = old.restart_mask();
    if let Some([one, other]) = &fresh.settled {
        mask.hide(&one.differences(other, &Mask::default()));
    }
    let points = injection_points(&run.entries_of(0), &run.namespace);
    let crashes = points.into_keys().flat_map(|point| {
        [WriteFault::CrashAfter, WriteFault::CrashBefore]
            .map(|crash| Fault::Write(crash, point.clone()))
    });
    Some(Reference {
        before: old.settled.clone(),
        after: run.states.first()?.clone(),
        mask,
        crashes: crashes.collect(),
    })
}

/// The states that the new version creates from nothing, in two runs.
struct Fresh {
    /// The states after the last step before the deletion.
    settled: Option<[Snapshot; 2]>,
    /// The state after the deletion.
    deleted: Option<Snapshot>,
    /// The message with which the API server rejects the old spec.
    rejection: Option<String>,
    /// The hot loops of the new version, which it has on new objects, too.
    hot_loops: Vec<Symptom>,
}

impl Fresh {
    async fn of(settings: &RunSettings, scenario: &Scenario) -> Result<Self> {
        let first = run_scenario(settings, scenario, &[], Expectation::None).await?;
        let first = first.into_complete()?;
        let aim = Expectation::FirstRun(&first.states);
        let second = run_scenario(settings, scenario, &[], aim).await?;
        let second = second.into_complete()?;
        if let Some(message) = first.first_rejection() {
            return Ok(Self {
                settled: None,
                deleted: None,
                rejection: Some(message.to_owned()),
                hot_loops: Vec::new(),
            });
        }
        let mut hot_loops = first.symptoms_only();
        hot_loops.extend(second.symptoms_only());
        hot_loops.retain(|it| matches!(it, Symptom::HotLoop(..)));
        let last = scenario.steps.len().saturating_sub(2);
        let settled = |run: &RunResult| run.states.get(last).cloned();
        Ok(Self {
            settled: settled(&first)
                .zip(settled(&second))
                .map(|(one, other)| [one, other]),
            deleted: first.states.get(last + 1).cloned(),
            rejection: None,
            hot_loops,
        })
    }
}

/// Returns the changes that a run of the new version on old objects shows.
fn evidence(old: &OldState, run: &RunResult, fresh: &Fresh) -> Vec<ObjectDifference> {
    let subject = old.scenario.subject_id();
    let (Some(takeover), Some(after)) = (&run.takeover, run.states.first()) else {
        return Vec::new();
    };
    let Takeover {
        snapshot,
        rejected,
        lost,
    } = takeover;
    let of_upgrade = run.entries_of(0);
    let settled = match &fresh.settled {
        Some([one, other]) => [one, other],
        // Without a reference, no old object counts as different.
        None => [after, after],
    };
    let evidence = Evidence {
        subject: &subject,
        namespace: &run.namespace,
        before: snapshot,
        after,
        fresh: settled,
        restart: &old.restart,
        entries: &of_upgrade,
        old_entries: &old.entries,
    };
    let mut changes = evidence.changes();
    if let (Some(upgraded), Some(fresh)) = (run.states.get(1), &fresh.deleted) {
        let message = run.first_rejection();
        oracle::add_deletion(&mut changes, &subject, upgraded, fresh, message);
    }
    changes.extend(rejected.iter().map(|it| {
        ObjectDifference::new(Effect::Unreadable, it.id.to_string(), "").because(it.reason())
    }));
    changes.extend(oracle::lost_values(lost));
    for line in oracle::undecodable(&run.log, &old.log) {
        let reason = format!("the new version logs: {}", line.trim());
        changes.push(
            ObjectDifference::new(Effect::Unreadable, subject.to_string(), "").because(reason),
        );
    }
    let known: Vec<_> = old
        .symptoms
        .iter()
        .chain(&fresh.hot_loops)
        .cloned()
        .collect();
    changes.extend(oracle::symptoms(&run.symptoms_only(), &known, &subject));
    changes
}

fn kind_of(object: &Value) -> String {
    object["kind"].as_str().unwrap_or_default().to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::torture::api::call::ApiCall;
    use crate::torture::journal::{JournalEntry, JournalEvent, RecordedRequest};

    #[test]
    fn crashes_are_planned_for_the_points_of_a_state() {
        let call =
            ApiCall::parse("PUT", "/api/v1/namespaces/torture-00001/configmaps/moo").unwrap();
        let request = RecordedRequest {
            status: 200,
            ..RecordedRequest::new(call, Value::Null)
        };
        let entry = JournalEntry {
            at: Duration::ZERO,
            step: 0,
            event: JournalEvent::Request(Box::new(request)),
        };
        let points = injection_points(&[entry], "torture-00001");
        let crashes: Vec<_> = points
            .into_keys()
            .map(|point| Fault::Write(WriteFault::CrashAfter, point))
            .collect();
        assert_eq!(crashes.len(), 1);
        let rehearsed = |name: &str, reference: Option<Vec<Fault>>| Rehearsed {
            name: name.into(),
            kind: "lolcow".into(),
            changes: Vec::new(),
            cost: Cost::of(0, 0),
            reference: reference.map(|crashes| Reference {
                before: Snapshot::default(),
                after: Snapshot::default(),
                mask: Mask::default(),
                crashes,
            }),
        };
        let planned: Vec<_> = [
            "one-point",
            "one-point",
            "no-takeover",
            "skipped",
            "skipped",
        ]
        .map(|name| (name.to_owned(), RehearsalKind::Crash))
        .into_iter()
        .chain([("skipped".to_owned(), RehearsalKind::Upgrade)])
        .collect();
        let done = [
            rehearsed("one-point", Some(crashes)),
            rehearsed("no-takeover", None),
        ];
        assert_eq!(planned_crashes(&planned, &done), 3);
    }
}
