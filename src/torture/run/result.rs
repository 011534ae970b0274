//! The result of a run: its snapshots, symptoms and journal.

use std::collections::BTreeSet;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::torture::api::permission::Permission;
use crate::torture::env::namespace::handed_over::{LeftNamespace, LostValue, RejectedObject};
use crate::torture::error::{Error, Result};
use crate::torture::journal::JournalEntry;
use crate::torture::snapshot::{Difference, Mask, Snapshot};

/// The time in which an operator must converge, on an idle machine.
pub const CONVERGENCE_TIMEOUT: Duration = Duration::from_secs(20);

/// The snapshots that show whether an operator recovers from a wrong state.
#[derive(Clone, Debug)]
pub struct Recovery {
    /// The snapshot after more time.
    pub after_wait: Snapshot,
    /// A retry after that time; `None` if the operator did not try again before the restart.
    pub retry: Option<ObservedRetry>,
    /// The snapshot after a restart, which makes the operator reconcile every object.
    pub after_restart: Snapshot,
}

/// A retry of a failed request.
#[derive(Clone, Debug)]
pub struct ObservedRetry {
    /// The time between the failure and the retry.
    pub interval: Duration,
    /// The snapshot after the retry.
    pub state: Snapshot,
}

/// The objects of an earlier run, before the operator of this one started.
#[derive(Clone, Debug)]
pub struct Takeover {
    pub snapshot: Snapshot,
    /// The custom resources that the API server no longer accepts.
    pub rejected: Vec<RejectedObject>,
    /// The values of custom resources that the API server loses.
    pub lost: Vec<LostValue>,
}

/// The states that a run is compared with, from baseline runs.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub struct ExpectedStates {
    /// One snapshot for each step.
    pub states: Vec<Snapshot>,
    /// The indices of the steps in which the operator has a hot loop even without faults.
    pub hot_loops: BTreeSet<usize>,
    /// The fields that differ between baseline runs.
    pub mask: Mask,
}

/// The knowledge about the states of a run before it is executed.
#[derive(Clone, Copy, Debug)]
pub enum Expectation<'a> {
    /// None: a first baseline run.
    None,
    /// The snapshots of the first baseline run, which may not be reproducible.
    FirstRun(&'a [Snapshot]),
    /// The states of two baseline runs.
    Baseline(&'a ExpectedStates),
}

impl<'a> Expectation<'a> {
    /// Returns the states that the run must reach; `None` unless they are from two baseline runs.
    pub fn expected(self) -> Option<&'a ExpectedStates> {
        match self {
            Self::Baseline(expected) => Some(expected),
            _ => None,
        }
    }
}

/// A sign of a bug that snapshots do not show.
#[derive(Clone, Debug, PartialEq)]
pub enum Symptom {
    /// The operator panicked with this message.
    Panic(String),
    /// The operator exited with this status.
    Exited(String),
    /// The operator's role lacks this permission.
    Forbidden(Permission),
    /// The operator made this call, such as `patch configmaps moo`, so many times in 4 s.
    HotLoop(String, usize),
    /// Kubernetes retains the claim with this name of a deleted `StatefulSet`; not a bug.
    RetainedClaim(String),
    /// The API server rejected the action of a step with this message.
    StepRejected(String),
    /// The action of a step failed because a webhook failed.
    WebhookFailed {
        /// The name of the webhook, or the API version of the object for a conversion webhook.
        webhook: String,
        /// The message of the API server.
        message: String,
    },
}

/// The result of one run.
#[derive(Clone, Debug)]
pub struct RunResult {
    /// The name of the run's namespace; empty if the run was not started.
    pub namespace: String,
    /// One snapshot for each completed step.
    pub states: Vec<Snapshot>,
    /// The journal until the end of the scenario, without the observation of recovery.
    pub entries: Vec<JournalEntry>,
    /// The entries of the old version in a rolling update, with times like those of `entries`.
    pub old_entries: Vec<JournalEntry>,
    /// The symptoms, each with the index of its step.
    pub symptoms: Vec<(usize, Symptom)>,
    /// The whole log of the operator.
    pub log: String,
    /// The length of the log in bytes at the beginning of each step.
    pub log_marks: Vec<usize>,
    /// The index of the step after which the state differs from the expected one, and the
    /// differences; `None` if each state is as expected, or if no state is expected.
    pub mismatch: Option<(usize, Vec<Difference>)>,
    /// True if all faults were injected.
    pub faults_reached: bool,
    /// True if the run reached the end of its scenario in time.
    pub is_complete: bool,
    /// The objects after the first step, as the API server returns them.
    pub first_objects: Vec<Value>,
    /// `None` if the run did not observe recovery.
    pub recovery: Option<Recovery>,
    /// `None` if the run began in a new namespace.
    pub takeover: Option<Takeover>,
    /// The namespace with its objects; `None` if the run has deleted them.
    pub left: Option<LeftNamespace>,
}

impl RunResult {
    /// Returns the result of a run that was not started in time.
    pub fn not_started() -> Self {
        Self {
            namespace: String::new(),
            states: Vec::new(),
            entries: Vec::new(),
            old_entries: Vec::new(),
            symptoms: Vec::new(),
            log: String::new(),
            log_marks: Vec::new(),
            mismatch: None,
            faults_reached: false,
            is_complete: false,
            first_objects: Vec::new(),
            recovery: None,
            takeover: None,
            left: None,
        }
    }

    /// Returns the result, or an error if the run is incomplete.
    pub fn into_complete(self) -> Result<Self> {
        if self.is_complete {
            Ok(self)
        } else {
            Err(Error::OutOfTime)
        }
    }

    /// Returns the symptoms of all steps.
    pub fn symptoms_only(&self) -> Vec<Symptom> {
        let symptoms = self.symptoms.iter();
        symptoms.map(|(_, symptom)| symptom.clone()).collect()
    }

    /// Returns the entries of one step.
    pub fn entries_of(&self, step: usize) -> Vec<JournalEntry> {
        let entries = self.entries.iter().filter(|entry| entry.step == step);
        entries.cloned().collect()
    }

    /// Returns the part of the log from one step; empty if the step did not begin.
    pub fn log_of(&self, step: usize) -> &str {
        let Some(&start) = self.log_marks.get(step) else {
            return "";
        };
        let end = self.log_marks.get(step + 1).copied();
        self.log
            .get(start..end.unwrap_or(self.log.len()))
            .unwrap_or_default()
    }

    /// Reports whether the operator exited or panicked in this step or an earlier one, which can
    /// cause other symptoms.
    pub fn has_exited(&self, step: usize) -> bool {
        let mut symptoms = self.symptoms.iter();
        symptoms.any(|(at, symptom)| {
            *at <= step && matches!(symptom, Symptom::Exited(_) | Symptom::Panic(_))
        })
    }

    /// Returns the message with which the API server rejected the first such step; `None` if it
    /// rejected none.
    pub fn first_rejection(&self) -> Option<&str> {
        self.symptoms.iter().find_map(|(_, symptom)| match symptom {
            Symptom::StepRejected(message) => Some(message.as_str()),
            _ => None,
        })
    }

    /// Returns the indices of the steps whose actions the API server rejected.
    pub fn rejected_steps(&self) -> BTreeSet<usize> {
        let refused = self
            .symptoms
            .iter()
            .filter(|(_, symptom)| matches!(symptom, Symptom::StepRejected(_)));
        refused.map(|(step, _)| *step).collect()
    }

    /// Returns the indices of the steps with a hot loop.
    pub fn hot_loop_steps(&self) -> BTreeSet<usize> {
        let restless = self
            .symptoms
            .iter()
            .filter(|(_, symptom)| matches!(symptom, Symptom::HotLoop(..)));
        restless.map(|(step, _)| *step).collect()
    }
}

#[cfg(test)]
impl RunResult {
    /// Returns a complete result with these snapshots, in the namespace `t`.
    pub fn of_states(states: Vec<Snapshot>) -> Self {
        Self {
            namespace: "t".into(),
            states,
            faults_reached: true,
            is_complete: true,
            ..Self::not_started()
        }
    }
}
