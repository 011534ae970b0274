//! What is known of a run when it is over.

use std::collections::BTreeSet;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::torture::api::permission::Permission;
use crate::torture::error::{Error, Result};
use crate::torture::journal::JournalEntry;
use crate::torture::snapshot::{Difference, Mask, Snapshot};

/// How long an operator may take to come to the state that it should, on a machine that is not busy.
pub const PATIENCE: Duration = Duration::from_secs(20);

/// What becomes of the last state of a run.
#[derive(Clone, Debug)]
pub struct Recovery {
    /// The state when the operator had its time.
    pub after_wait: Snapshot,
    /// The state after the operator was started again, and so reconciled all that there is.
    pub after_restart: Snapshot,
}

/// What a run is compared with.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub struct ExpectedStates {
    /// After each step.
    pub states: Vec<Snapshot>,
    /// The steps after which there was no rest.
    pub hot_loops: BTreeSet<usize>,
    /// What is different each time.
    pub mask: Mask,
}

/// What is known beforehand of the states of a run.
#[derive(Clone, Copy, Debug)]
pub enum Expectation<'a> {
    /// Nothing: this is how it is learned.
    None,
    /// What was there the first time, which may be chance.
    FirstRun(&'a [Snapshot]),
    /// What has to be there.
    Baseline(&'a ExpectedStates),
}

impl<'a> Expectation<'a> {
    /// What has to be there, if that is known.
    pub fn expected(self) -> Option<&'a ExpectedStates> {
        match self {
            Self::Baseline(expected) => Some(expected),
            _ => None,
        }
    }
}

/// Something that no state shows.
#[derive(Clone, Debug, PartialEq)]
pub enum Symptom {
    /// A panic, and what it said.
    Panic(String),
    /// It ended without being asked to.
    Exited(String),
    /// Its role does not grant a right that it takes.
    Forbidden(Permission),
    /// It writes the same again and again.
    HotLoop(String, usize),
    /// A claim that Kubernetes keeps of a `StatefulSet` that is gone.
    RetainedClaim(String),
    /// A step could not be done.
    StepRejected(String),
    /// A webhook failed, so that a step could not be done.
    WebhookFailed {
        /// Which.
        webhook: String,
        /// What the API server says of it.
        message: String,
    },
}

/// A run that was played.
#[derive(Clone, Debug)]
pub struct RunResult {
    /// Where.
    pub namespace: String,
    /// After each step.
    pub states: Vec<Snapshot>,
    /// All that happened.
    pub entries: Vec<JournalEntry>,
    /// With the step of each.
    pub symptoms: Vec<(usize, Symptom)>,
    /// What the operator said.
    pub log: String,
    /// The step after which the state was not the expected one, and how.
    pub mismatch: Option<(usize, Vec<Difference>)>,
    /// Whether all faults were done.
    pub faults_reached: bool,
    /// Whether it was played to its end; there may have been no time.
    pub is_complete: bool,
    /// The objects themselves, after the first step.
    pub first_objects: Vec<Value>,
    /// What became of the last state, if that was looked for.
    pub recovery: Option<Recovery>,
}

impl RunResult {
    /// A run that there was no time to begin.
    pub fn not_started() -> Self {
        Self {
            namespace: String::new(),
            states: Vec::new(),
            entries: Vec::new(),
            symptoms: Vec::new(),
            log: String::new(),
            mismatch: None,
            faults_reached: false,
            is_complete: false,
            first_objects: Vec::new(),
            recovery: None,
        }
    }

    /// Itself, if it was played to its end.
    pub fn into_complete(self) -> Result<Self> {
        if self.is_complete {
            Ok(self)
        } else {
            Err(Error::OutOfTime)
        }
    }

    /// Whether the operator had ended by itself by then: all else that is wrong may follow from that.
    pub fn has_exited(&self, step: usize) -> bool {
        let mut symptoms = self.symptoms.iter();
        symptoms.any(|(at, symptom)| {
            *at <= step && matches!(symptom, Symptom::Exited(_) | Symptom::Panic(_))
        })
    }

    /// The steps of which the API server did not accept what they wanted.
    pub fn rejected_steps(&self) -> BTreeSet<usize> {
        let refused = self
            .symptoms
            .iter()
            .filter(|(_, symptom)| matches!(symptom, Symptom::StepRejected(_)));
        refused.map(|(step, _)| *step).collect()
    }

    /// The steps after which there was no rest.
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
    /// One that came to these states in the namespace `t`, of which nothing else is known.
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
