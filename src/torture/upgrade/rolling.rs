//! Rolling updates: both versions run at the same time, then the old one ends.

use crate::torture::error::{Error, Result};
use crate::torture::run::result::Expectation;
use crate::torture::run::run_scenario;
use crate::torture::run::settings::{Rollout, RunSettings};
use crate::torture::scenario::Action;
use crate::torture::upgrade::change::{Effect, ObjectDifference};
use crate::torture::upgrade::conflict::Overlap;
use crate::torture::upgrade::oracle;
use crate::torture::upgrade::state::{OldState, Reference};

/// A rolling update of one state.
pub struct RollingUpdate {
    /// The state that the new version takes over.
    pub state: OldState,
    /// The program of the old version, and the arguments that turn leader election on in the new
    /// one.
    pub rollout: Rollout,
    /// The upgrade of the same state in which the old version ended first.
    pub reference: Reference,
}

impl RollingUpdate {
    /// Starts the new version next to the old one, ends the old one, and compares the result with
    /// the reference. Returns the name of the state and the changes. The inner error is the reason
    /// for which nothing was rehearsed: the old version does not run with the new manifests.
    pub async fn rehearse(
        self,
        settings: &RunSettings,
    ) -> Result<std::result::Result<(String, Vec<ObjectDifference>), String>> {
        let Self {
            state,
            rollout,
            reference,
        } = self;
        let mut scenario = state.takeover(&settings.environment, "the new version starts")?;
        scenario.add_step("the old version is terminated", Action::HandOver, None);
        let settings = settings.continuing(state.left.clone()).rolling(rollout);
        let run = match run_scenario(&settings, &scenario, &[], Expectation::None).await {
            Err(error @ Error::OldVersionFails { .. }) => return Ok(Err(error.to_string())),
            Err(error) if error.is_failed_start() || is_without_lease(&error) => {
                let subject = state.scenario.subject_id().to_string();
                let change = ObjectDifference::new(Effect::NotResumed, subject, "")
                    .because(format!("in a rolling update: {error}"));
                return Ok(Ok((state.name, vec![change])));
            }
            run => run?.into_complete()?,
        };
        let mask = reference.mask_for(&state.settled);
        let mut changes = Vec::new();
        if let Some(takeover) = &run.takeover {
            let overlap = Overlap {
                namespace: &run.namespace,
                before: &takeover.snapshot,
                old: &run.old_entries,
                new: &run.entries_of(0),
                mask: &mask,
            };
            changes = overlap.changes();
        }
        if let Some(after) = run.states.last() {
            let when = "after a rolling update";
            changes.extend(oracle::changes_after(&reference.after, after, &mask, when));
        }
        Ok(Ok((state.name, changes)))
    }
}

fn is_without_lease(error: &Error) -> bool {
    matches!(error, Error::LeaseNotAcquired { .. })
}
