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
use crate::torture::upgrade::change::{Change, Effect, merge};
use crate::torture::upgrade::oracle;
use crate::torture::upgrade::state::OldState;

/// The time limit for a state, of which there are few.
const WITHIN: Duration = Duration::from_secs(120);

/// The third part of a rehearsal: the old version, whose manifests are installed again.
pub struct BackPass {
    pub stage: Arc<Environment>,
    pub terminal: Terminal,
}

impl BackPass {
    /// Lets the old version take over states of the new one. Returns the changes that do not lead back.
    ///
    /// # Errors
    /// Returns an error if a run fails for a reason outside of the operator.
    pub async fn run(&self, states: Vec<OldState>) -> Result<Vec<Change>> {
        self.terminal.status(
            "Returning",
            format_args!("to the old version in {}", count(states.len(), "state")),
        );
        let mut all = Vec::new();
        for state in states {
            let settings = RunSettings::new(self.stage.clone(), Instant::now() + WITHIN);
            let settings = settings.continuing(state.left.clone());
            let mut scenario = state.takeover(&self.stage, "the old version starts again")?;
            let delete = Action::Delete { foreground: false };
            scenario.step("it is deleted", delete, Some(GONE.into()));
            let run = run_scenario(&settings, &scenario, &[], Expectation::None).await;
            let changes = match run {
                Ok(run) if !run.is_complete => continue,
                Ok(run) => differences(&state, &run),
                Err(error @ (Error::EndedAtStart { .. } | Error::NotWatching { .. })) => {
                    vec![one_way(oracle::failed_start(
                        &error,
                        &state.scenario.subject_id(),
                    ))]
                }
                Err(error) => return Err(error),
            };
            all.push((state.name, changes));
        }
        Ok(merge(all))
    }
}

/// Returns the change as a reason for which the old version cannot take over again.
fn one_way(change: Change) -> Change {
    Change {
        effect: Effect::OneWay,
        ..change
    }
}

/// Returns the differences from the state that the old version had reached before the upgrade. Additions of the new version that
/// stay are harmless, values that do not return are not.
fn differences(state: &OldState, run: &RunResult) -> Vec<Change> {
    let subject = state.scenario.subject_id();
    let mut changes = Vec::new();
    if let Some(takeover) = &run.takeover {
        changes.extend(takeover.rejected.iter().map(|it| {
            let reason = format!(
                "the API server rejects an update in {}: {}",
                it.version, it.message
            );
            Change::new(Effect::OneWay, it.id.to_string(), "").because(reason)
        }));
    }
    for line in oracle::undecodable(&run.log, &state.log) {
        let reason = format!("the old version logs: {}", line.trim());
        changes.push(Change::new(Effect::OneWay, subject.to_string(), "").because(reason));
    }
    let symptoms = run.symptoms.iter().map(|(_, symptom)| symptom);
    let symptoms = symptoms.filter_map(|it| oracle::change_of(it, &subject));
    changes.extend(symptoms.map(one_way));
    let Some(back) = run.states.first() else {
        return changes;
    };
    changes.extend(oracle::way_back(
        &state.settled,
        back,
        &state.restart_mask(),
    ));
    let left = run.states.get(1);
    if let Some(reason) = left.and_then(|left| oracle::undeletable(&subject, left)) {
        changes.push(Change::new(Effect::OneWay, subject.to_string(), "").because(reason));
    }
    changes
}
