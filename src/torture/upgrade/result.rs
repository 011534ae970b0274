//! The result of a rehearsal.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::error::causes;
use crate::text::count;
use crate::torture::error::Error;
use crate::torture::upgrade::allowance::Allowances;
use crate::torture::upgrade::change::{Effect, ObjectDifference};
use crate::torture::upgrade::state::{OldStates, RehearsalKind};

/// The number of objects for which the report projects the writes.
const MANY: usize = 1_000;

/// The share of the states, in percent, that must be rehearsed for a verdict.
const LEAST_STATES: usize = 10;

/// The writes that one object costs, over all rehearsed states.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cost {
    /// The number of writes of the new version in the state with the fewest.
    pub fewest: usize,
    /// The number of writes of the new version in the state with the most.
    pub most: usize,
    /// The most writes after a restart of the old version, which the upgrade does not add.
    pub of_restart: usize,
}

impl Cost {
    /// Returns the cost of one state: the number of writes of the new version that takes it over,
    /// and of the old version after a restart.
    pub fn of(writes: usize, of_restart: usize) -> Self {
        Self {
            fewest: writes,
            most: writes,
            of_restart,
        }
    }

    fn and(self, other: Self) -> Self {
        Self {
            fewest: self.fewest.min(other.fewest),
            most: self.most.max(other.most),
            of_restart: self.of_restart.max(other.of_restart),
        }
    }

    /// Returns the most writes that 1,000 objects cost.
    pub fn of_many(self) -> usize {
        self.most * MANY
    }
}

/// The result of a rehearsal.
#[derive(Debug, Default)]
pub struct UpgradeResult {
    /// The changes, by effect, the most harmful first.
    pub changes: Vec<ObjectDifference>,
    /// Remarks for the user.
    pub notes: Vec<String>,
    /// The number of rehearsed states.
    pub states: usize,
    /// The number of states to rehearse. More than [`Self::states`] if there was not enough time,
    /// as for the other `planned` fields.
    pub planned: usize,
    /// The number of crashes of the new version in the middle of the upgrade.
    pub crashes: usize,
    /// The number of crashes to rehearse.
    pub planned_crashes: usize,
    /// The number of rolling updates.
    pub rolling_updates: usize,
    /// The number of rolling updates to rehearse.
    pub planned_rolling_updates: usize,
    /// The number of rollbacks to the old version.
    pub rollbacks: usize,
    /// The number of rollbacks to rehearse.
    pub planned_rollbacks: usize,
    /// The writes by kind: `lolcow`.
    pub costs: BTreeMap<String, Cost>,
    /// True if the user interrupted the rehearsal, so that the result is incomplete.
    pub interrupted: bool,
    /// True if a change stopped the rehearsal before the new version started.
    pub is_stopped: bool,
    /// The duration of the rehearsal.
    pub took: Duration,
    /// The seed that determined the order of the states.
    pub seed: u64,
}

impl UpgradeResult {
    /// Returns the result of a rehearsal that `changes` stopped before the new version started. The
    /// old version has reached the states `old`.
    pub fn stopped(
        changes: Vec<ObjectDifference>,
        old: OldStates,
        seed: u64,
        took: Duration,
    ) -> Self {
        Self {
            changes,
            planned: old.planned_for(RehearsalKind::Upgrade),
            planned_rollbacks: old.planned_for(RehearsalKind::Rollback),
            planned_rolling_updates: old.planned_for(RehearsalKind::RollingUpdate),
            notes: old.notes,
            is_stopped: true,
            seed,
            took,
            ..Self::default()
        }
    }

    /// Reports whether there is no verdict, because nothing harmful was found, but too little was
    /// rehearsed.
    pub fn is_verdict_missing(&self) -> bool {
        self.failures().next().is_none() && self.is_inconclusive()
    }

    /// Reports whether too few states were rehearsed for a verdict, or a crash, a rolling update or
    /// a rollback was not. More time does not help after a change that stops every rehearsal.
    fn is_inconclusive(&self) -> bool {
        if self.is_stopped {
            return false;
        }
        self.states * 100 < self.planned * LEAST_STATES
            || self.crashes < self.planned_crashes
            || self.rolling_updates < self.planned_rolling_updates
            || self.rollbacks < self.planned_rollbacks
    }

    /// Adds the cost of one state of a kind.
    pub fn add_cost(&mut self, kind: &str, cost: Cost) {
        let known = self.costs.entry(kind.to_owned()).or_insert(cost);
        *known = known.and(cost);
    }

    /// Adds a note about the error that ended a part of the rehearsal, such as `a crash`; the
    /// results of the other parts remain. Does nothing for `None`.
    pub fn note_failure(&mut self, part: &str, error: Option<Error>) {
        match error {
            None => {}
            Some(Error::Interrupted) => self.interrupted = true,
            Some(error) => {
                let reason = causes(&error).join(": ");
                self.notes
                    .push(format!("{part} was not rehearsed: {reason}"));
            }
        }
    }

    /// Adds changes that another pass has found, in the order of [`Self::changes`].
    pub fn add(&mut self, changes: Vec<ObjectDifference>) {
        self.changes.extend(changes);
        self.changes.sort_by(|one, other| {
            (one.effect, &one.object, &one.field).cmp(&(other.effect, &other.object, &other.field))
        });
    }

    /// Applies the user's allowances. An allowance that matches no change becomes a change itself,
    /// if everything that could show its effect was rehearsed.
    pub fn allow(&mut self, allowances: &Allowances) {
        let stale = allowances.apply(&mut self.changes);
        let stale = stale.into_iter().filter(|(effect, _)| self.covers(*effect));
        let stale: Vec<_> = stale.map(|(_, change)| change).collect();
        self.changes.extend(stale);
    }

    /// Reports whether everything that can show an effect was rehearsed.
    fn covers(&self, effect: Effect) -> bool {
        let is_complete = match effect {
            Effect::NotResumed => {
                self.crashes == self.planned_crashes
                    && self.rolling_updates == self.planned_rolling_updates
            }
            Effect::ConflictingWrites => self.rolling_updates == self.planned_rolling_updates,
            Effect::OneWay => self.rollbacks == self.planned_rollbacks,
            _ => true,
        };
        !self.interrupted && !self.is_stopped && self.states == self.planned && is_complete
    }

    /// Returns the changes that fail the rehearsal.
    pub fn failures(&self) -> impl Iterator<Item = &ObjectDifference> {
        self.changes.iter().filter(|change| change.fails())
    }

    /// Describes the result in one line.
    pub fn summary(&self) -> String {
        let harmful = self.failures().count();
        let allowed = self.changes.iter().filter(|it| it.allowed.is_some());
        let allowed = match allowed.count() {
            0 => String::new(),
            allowed => format!(", {allowed} allowed"),
        };
        let mut parts = vec![format!(
            "{}, {harmful} harmful{allowed}: {} of {}, {} of {}, {} of {} and {} of {} in {:.0} s, seed {}",
            count(self.changes.len(), "change"),
            self.states,
            count(self.planned, "state"),
            self.crashes,
            count(self.planned_crashes, "crash"),
            self.rolling_updates,
            count(self.planned_rolling_updates, "rolling update"),
            self.rollbacks,
            count(self.planned_rollbacks, "rollback"),
            self.took.as_secs_f32(),
            self.seed
        )];
        for (kind, cost) in &self.costs {
            let Cost {
                fewest,
                most,
                of_restart,
            } = *cost;
            let writes = if fewest == most {
                count(most, "write")
            } else {
                format!("{fewest} to {}", count(most, "write"))
            };
            parts.push(format!(
                "{writes} for each {kind}, {} for {MANY} objects ({of_restart} after a restart of the old version)",
                cost.of_many()
            ));
        }
        parts.join("; ")
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn the_summary_projects_the_writes() {
        let mut result = UpgradeResult {
            changes: vec![
                ObjectDifference::new(Effect::RestartsPods, "deployment/moo", "spec.template.x"),
                ObjectDifference::new(Effect::Harmless, "deployment/moo", "metadata.labels.x"),
            ],
            states: 3,
            planned: 4,
            crashes: 3,
            planned_crashes: 4,
            rolling_updates: 1,
            planned_rolling_updates: 1,
            rollbacks: 1,
            planned_rollbacks: 1,
            seed: 7,
            ..UpgradeResult::default()
        };
        for (writes, of_restart) in [(2, 0), (4, 1), (3, 0)] {
            result.add_cost("lolcow", Cost::of(writes, of_restart));
        }
        assert_eq!(
            result.summary(),
            "2 changes, 1 harmful: 3 of 4 states, 3 of 4 crashes, 1 of 1 rolling update and 1 of 1 rollback in 0 s, seed 7; 2 to 4 writes for each lolcow, 4000 for 1000 objects \
             (1 after a restart of the old version)"
        );
    }

    #[test]
    fn a_stale_allowance_fails_only_a_complete_rehearsal() {
        let dir = tempfile::tempdir().unwrap();
        let text = "- {allow: orphaned, object: configmap/moo, reason: it is tiny}";
        std::fs::write(dir.path().join("upgrade.yaml"), text).unwrap();
        let allowances = Allowances::read(dir.path(), Path::new("")).unwrap();
        for (states, failures) in [(1, 0), (2, 1)] {
            let mut result = UpgradeResult {
                states,
                planned: 2,
                ..UpgradeResult::default()
            };
            result.allow(&allowances);
            assert_eq!(result.failures().count(), failures, "{states} states");
        }
    }

    #[test]
    fn a_skipped_crash_or_rollback_is_inconclusive() {
        for (crashes, rollbacks, is_inconclusive) in [(4, 1, false), (3, 1, true), (4, 0, true)] {
            let result = UpgradeResult {
                states: 1,
                planned: 1,
                crashes,
                planned_crashes: 4,
                rollbacks,
                planned_rollbacks: 1,
                ..UpgradeResult::default()
            };
            assert_eq!(
                result.is_inconclusive(),
                is_inconclusive,
                "{crashes} crashes and {rollbacks} rollbacks"
            );
        }
    }

    #[test]
    fn an_allowed_change_that_stops_the_rehearsal_passes() {
        let dir = tempfile::tempdir().unwrap();
        let text = "- {allow: unreadable, object: crd, reason: x}\n\
                    - {allow: orphaned, object: a, reason: x}";
        std::fs::write(dir.path().join("upgrade.yaml"), text).unwrap();
        let old = OldStates {
            planned: vec![("lolcow/moo".into(), RehearsalKind::Upgrade)],
            notes: vec!["a note of the old version".into()],
            ..OldStates::default()
        };
        let change = ObjectDifference::new(Effect::Unreadable, "crd/x", "");
        let mut result = UpgradeResult::stopped(vec![change], old, 7, Duration::ZERO);
        assert_eq!(result.failures().count(), 1);
        result.allow(&Allowances::read(dir.path(), Path::new("")).unwrap());
        assert_eq!(result.failures().count(), 0);
        assert!(!result.is_verdict_missing());
        assert_eq!(result.notes, ["a note of the old version"]);
    }

    #[test]
    fn a_stale_allowance_needs_what_shows_its_effect() {
        let dir = tempfile::tempdir().unwrap();
        let text = "- {allow: one-way, object: a, reason: x}\n\
                    - {allow: not-resumed, object: b, reason: x}\n\
                    - {allow: orphaned, object: c, reason: x}";
        std::fs::write(dir.path().join("upgrade.yaml"), text).unwrap();
        let allowances = Allowances::read(dir.path(), Path::new("")).unwrap();
        for (crashes, rollbacks, stale) in [
            (1, 1, vec!["one-way a", "not-resumed b", "orphaned c"]),
            (0, 1, vec!["one-way a", "orphaned c"]),
            (1, 0, vec!["not-resumed b", "orphaned c"]),
        ] {
            let mut result = UpgradeResult {
                states: 1,
                planned: 1,
                crashes,
                planned_crashes: 1,
                rollbacks,
                planned_rollbacks: 1,
                ..UpgradeResult::default()
            };
            result.allow(&allowances);
            let reasons: Vec<_> = result.changes.iter().map(|it| it.reason.clone()).collect();
            let expected: Vec<_> = stale
                .iter()
                .map(|it| format!("remove the allowance `{it}`"))
                .collect();
            assert_eq!(reasons, expected);
        }
    }
}
