//! The schedule of a history: everything that determines it. It can be stored as JSON and replayed.
//! `plan.rs` generates schedules, `history.rs` executes them.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::testing::{Fault, Requests};

/// Everything that determines a history besides the operator: the seed, the steps, and the faults.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Schedule {
    /// Determines latencies, the order of events, and all random numbers.
    pub seed: u64,
    /// The steps in their order. The cluster settles after each.
    pub steps: Vec<Step>,
    /// The faults, each of which occurs once, at the request or watch event that it names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub faults: Vec<Injection>,
}

impl Schedule {
    /// Returns a schedule with the same steps and this seed, without faults.
    pub(super) fn without_faults(&self, seed: u64) -> Self {
        Self {
            seed,
            steps: self.steps.clone(),
            faults: Vec::new(),
        }
    }
}

/// A step from outside of the operator: by the user, by another client, or a restart.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Step {
    /// Creates the samples.
    Create,
    /// Creates the samples, and the same objects (twins) in a second namespace.
    CreateTwins,
    /// Creates objects of another owner with the names of the operator's children.
    CreateNamesakes,
    /// Creates objects of another owner with the labels of the operator's children.
    CreateLookalikes,
    /// Makes an edit: the index, from 0, in the order of the calls of
    /// [`Simulation::edit`](super::Simulation::edit).
    Edit(usize),
    /// Stops the operator and starts it again.
    Restart,
    /// Deletes all samples, and their twins.
    Delete,
}

/// A fault and the request or watch event at which it occurs.
#[derive(Clone, Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Injection {
    /// One request or watch event: the n-th that matches.
    pub at: Requests,
    /// The failure that occurs there.
    pub fault: Fault,
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Create => f.write_str("create the samples"),
            Self::CreateTwins => f.write_str("create the samples in two namespaces"),
            Self::CreateNamesakes => {
                f.write_str("create objects of another owner with the names of the children")
            }
            Self::CreateLookalikes => {
                f.write_str("create objects of another owner with the labels of the children")
            }
            Self::Edit(edit) => write!(f, "make edit {edit}"),
            Self::Restart => f.write_str("restart the operator"),
            Self::Delete => f.write_str("delete the samples"),
        }
    }
}

impl fmt::Display for Injection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.at, self.fault)
    }
}
