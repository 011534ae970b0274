//! The third part of a rehearsal: the old version takes over again, as after a rollback.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::terminal::Terminal;
use crate::text::count;
use crate::torture::env::Environment;
use crate::torture::error::{Error, Result};
use crate::torture::run::result::{Expectation, RunResult};
use crate::torture::run::run_scenario;
use crate::torture::run::settings::RunSettings;
use crate::torture::scenario::{Action, GONE};
use crate::torture::upgrade::change::{Effect, ObjectDifference, merge};
use crate::torture::upgrade::oracle;
use crate::torture::upgrade::result::UpgradeResult;
use crate::torture::upgrade::state::OldState;

/// The time limit for one rollback. It is not part of the rehearsal's budget: only the state of the
/// unchanged sample is rolled back, not the many states derived from it.
const WITHIN: Duration = Duration::from_secs(120);

/// The third part of a rehearsal: the old version, whose manifests are installed again.
pub struct RollbackPass {
    /// The environment of the old version, after its manifests were installed again.
    pub environment: Arc<Environment>,
    pub terminal: Terminal,
}

impl RollbackPass {
    /// Starts the old version on objects that the new one has upgraded. Adds to the result what
    /// differs from the state before the upgrade. A rollback that fails for a reason outside of the
    /// operator becomes a note, and does not count.
    pub async fn run(&self, states: Vec<OldState>, result: &mut UpgradeResult) {
        self.terminal.status(
            "Returning",
            format_args!("to the old version in {}", count(states.len(), "state")),
        );
        let mut all = Vec::new();
        for state in states {
            let done = self.roll_back(&state).await;
            let done = differences_of(&state, done, result);
            all.extend(done.map(|changes| (state.name, changes)));
            if result.interrupted {
                break;
            }
        }
        result.add(merge(all));
    }

    async fn roll_back(&self, state: &OldState) -> Result<RunResult> {
        let settings = RunSettings::new(self.environment.clone(), Instant::now() + WITHIN);
        let settings = settings.continuing(state.left.clone());
        let mut scenario = state.takeover(&self.environment, "the old version starts again")?;
        let delete = Action::Delete { foreground: false };
        scenario.add_step("the user deletes the object", delete, Some(GONE.into()));
        run_scenario(&settings, &scenario, &[], Expectation::None).await
    }
}

/// Returns the changes that a rollback shows, and counts it. Returns `None` if the rollback was not
/// completed: the result gets a note, or is marked as interrupted.
fn differences_of(
    state: &OldState,
    done: Result<RunResult>,
    result: &mut UpgradeResult,
) -> Option<Vec<ObjectDifference>> {
    let changes = match done {
        Ok(run) if run.is_complete => differences(state, &run),
        Err(error) if error.is_failed_start() => {
            let failed = oracle::start_failure_change(&error, &state.scenario.subject_id());
            vec![one_way(failed)]
        }
        other => {
            let error = other.err().unwrap_or(Error::OutOfTime);
            result.note_failure(&format!("the rollback of {}", state.name), Some(error));
            return None;
        }
    };
    result.rollbacks += 1;
    Some(changes)
}

/// Returns the change as a reason for which the old version cannot take over again.
fn one_way(change: ObjectDifference) -> ObjectDifference {
    ObjectDifference {
        effect: Effect::OneWay,
        ..change
    }
}

/// Returns the differences from the state that the old version had reached before the upgrade.
/// Additions of the new version that stay are harmless, values that do not return are not.
fn differences(state: &OldState, run: &RunResult) -> Vec<ObjectDifference> {
    let subject = state.scenario.subject_id();
    let mut changes = Vec::new();
    if let Some(takeover) = &run.takeover {
        changes.extend(takeover.rejected.iter().map(|it| {
            ObjectDifference::new(Effect::OneWay, it.id.to_string(), "").because(it.reason())
        }));
    }
    for line in oracle::undecodable(&run.log, &state.log) {
        let reason = format!("the old version logs: {}", line.trim());
        changes
            .push(ObjectDifference::new(Effect::OneWay, subject.to_string(), "").because(reason));
    }
    let symptoms = oracle::symptoms(&run.symptoms_only(), &state.symptoms, &subject);
    changes.extend(symptoms.into_iter().map(one_way));
    // The state after the takeover; the next one is that after the deletion.
    let Some(back) = run.states.first() else {
        return changes;
    };
    changes.extend(oracle::rollback_changes(
        &state.settled,
        back,
        &state.restart_mask(),
    ));
    let left = run.states.get(1);
    if let Some(reason) =
        left.and_then(|left| oracle::undeletable_after_rollback(&subject, &state.settled, left))
    {
        changes
            .push(ObjectDifference::new(Effect::OneWay, subject.to_string(), "").because(reason));
    }
    changes
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::json;

    use super::*;
    use crate::torture::env::namespace::handed_over::LeftNamespace;
    use crate::torture::journal::WrittenObjects;
    use crate::torture::scenario::Scenario;
    use crate::torture::snapshot::Snapshot;
    use crate::torture::upgrade::state::RehearsalKind;

    fn state() -> OldState {
        let subject =
            json!({"apiVersion": "my.domain/v1", "kind": "Lolcow", "metadata": {"name": "moo"}});
        OldState {
            name: "lolcow/moo".into(),
            kind: RehearsalKind::Rollback,
            scenario: Scenario::new("upgrade", &subject, &[]),
            settled: Snapshot::default(),
            restart: Vec::new(),
            restart_writes: 0,
            entries: Vec::new(),
            log: String::new(),
            symptoms: Vec::new(),
            left: LeftNamespace {
                number: 1,
                before: BTreeSet::new(),
                written: WrittenObjects::default(),
                roles: Vec::new(),
                stored: Vec::new(),
            },
        }
    }

    #[test]
    fn a_failed_rollback_keeps_the_result() {
        let failed = RunResult::not_started;
        for (done, note, is_interrupted) in [
            (Err(Error::Interrupted), "", true),
            (
                Ok(failed()),
                "the rollback of lolcow/moo was not rehearsed: ",
                false,
            ),
            (
                Err(Error::OutOfTime),
                "the rollback of lolcow/moo was not rehearsed: ",
                false,
            ),
        ] {
            let mut result = UpgradeResult {
                changes: vec![ObjectDifference::new(Effect::Removes, "configmap/a", "")],
                states: 1,
                planned: 1,
                planned_rollbacks: 1,
                ..UpgradeResult::default()
            };
            assert_eq!(differences_of(&state(), done, &mut result), None);
            assert_eq!(result.changes.len(), 1);
            assert_eq!(result.interrupted, is_interrupted);
            assert_eq!(result.rollbacks, 0);
            let notes = result.notes.join("\n");
            assert!(notes.starts_with(note), "{notes}");
            assert_eq!(notes.is_empty(), note.is_empty());
        }
    }

    #[test]
    fn a_complete_rollback_counts() {
        let mut result = UpgradeResult {
            planned_rollbacks: 1,
            ..UpgradeResult::default()
        };
        let run = RunResult {
            is_complete: true,
            ..RunResult::not_started()
        };
        assert_eq!(
            differences_of(&state(), Ok(run), &mut result),
            Some(Vec::new())
        );
        assert_eq!(result.rollbacks, 1);
    }
}
