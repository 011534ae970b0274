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
pub struct Later {
    /// The state when the operator had its time.
    pub waited: Snapshot,
    /// The state after the operator was started again, and so reconciled all that there is.
    pub restarted: Snapshot,
}

/// What a run is compared with.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub struct Expected {
    /// After each step.
    pub states: Vec<Snapshot>,
    /// The steps after which there was no rest.
    pub restless: BTreeSet<usize>,
    /// What is different each time.
    pub mask: Mask,
}

/// What is known beforehand of the states of a run.
#[derive(Clone, Copy, Debug)]
pub enum Aim<'a> {
    /// Nothing: this is how it is learned.
    Unknown,
    /// What was there the first time, which may be chance.
    AsBefore(&'a [Snapshot]),
    /// What has to be there.
    Expected(&'a Expected),
}

impl<'a> Aim<'a> {
    /// What has to be there, if that is known.
    pub fn expected(self) -> Option<&'a Expected> {
        match self {
            Self::Expected(expected) => Some(expected),
            _ => None,
        }
    }
}

/// Something that no state shows.
#[derive(Clone, Debug, PartialEq)]
pub enum Sign {
    /// A panic, and what it said.
    Panic(String),
    /// It ended without being asked to.
    Ended(String),
    /// Its role does not grant a right that it takes.
    Forbidden(Permission),
    /// It writes the same again and again.
    Restless(String, usize),
    /// A claim that Kubernetes keeps of a `StatefulSet` that is gone.
    Retained(String),
    /// A step could not be done.
    Refused(String),
    /// A webhook failed, so that a step could not be done.
    Unjudged {
        /// Which.
        webhook: String,
        /// What the API server says of it.
        message: String,
    },
}

/// A run that was played.
#[derive(Clone, Debug)]
pub struct Played {
    /// Where.
    pub namespace: String,
    /// After each step.
    pub states: Vec<Snapshot>,
    /// All that happened.
    pub entries: Vec<JournalEntry>,
    /// With the step of each.
    pub signs: Vec<(usize, Sign)>,
    /// What the operator said.
    pub log: String,
    /// The step after which the state was not the expected one, and how.
    pub mismatch: Option<(usize, Vec<Difference>)>,
    /// Whether all faults were done.
    pub reached: bool,
    /// Whether it was played to its end; there may have been no time.
    pub whole: bool,
    /// The objects themselves, after the first step.
    pub first: Vec<Value>,
    /// What became of the last state, if that was looked for.
    pub later: Option<Later>,
}

impl Played {
    /// A run that there was no time to begin.
    pub fn unplayed() -> Self {
        Self {
            namespace: String::new(),
            states: Vec::new(),
            entries: Vec::new(),
            signs: Vec::new(),
            log: String::new(),
            mismatch: None,
            reached: false,
            whole: false,
            first: Vec::new(),
            later: None,
        }
    }

    /// Itself, if it was played to its end.
    pub fn into_whole(self) -> Result<Self> {
        if self.whole {
            Ok(self)
        } else {
            Err(Error::OutOfTime)
        }
    }

    /// Whether the operator had ended by itself by then: all else that is wrong may follow from that.
    pub fn has_ended(&self, step: usize) -> bool {
        let mut signs = self.signs.iter();
        signs.any(|(at, sign)| *at <= step && matches!(sign, Sign::Ended(_) | Sign::Panic(_)))
    }

    /// The steps of which the API server did not accept what they wanted.
    pub fn refused(&self) -> BTreeSet<usize> {
        let refused = self
            .signs
            .iter()
            .filter(|(_, sign)| matches!(sign, Sign::Refused(_)));
        refused.map(|(step, _)| *step).collect()
    }

    /// The steps after which there was no rest.
    pub fn restless(&self) -> BTreeSet<usize> {
        let restless = self
            .signs
            .iter()
            .filter(|(_, sign)| matches!(sign, Sign::Restless(..)));
        restless.map(|(step, _)| *step).collect()
    }
}

#[cfg(test)]
impl Played {
    /// One that came to these states in the namespace `t`, of which nothing else is known.
    pub fn through(states: Vec<Snapshot>) -> Self {
        Self {
            namespace: "t".into(),
            states,
            reached: true,
            whole: true,
            ..Self::unplayed()
        }
    }
}
