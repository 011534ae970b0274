//! The states of a rehearsal, and what happens to each of them.

use std::time::Duration;

use crate::torture::env::Environment;
use crate::torture::env::namespace::handed_over::LeftNamespace;
use crate::torture::error::{Error, Result};
use crate::torture::fault::Fault;
use crate::torture::journal::JournalEntry;
use crate::torture::run::result::Symptom;
use crate::torture::scenario::{Action, Scenario};
use crate::torture::snapshot::{Difference, Mask, Snapshot};

/// The limits of a rehearsal.
#[derive(Clone, Copy, Debug)]
pub struct RehearsalLimits {
    /// The time for the states. The sample itself, rolling updates and rollbacks have their own
    /// limits.
    pub budget: Duration,
    /// The number of parallel runs.
    pub lanes: usize,
    /// Determines the order of the states, the last of which may not fit into the budget.
    pub seed: u64,
}

/// The course of a rehearsal after the old version has reached a state.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum RehearsalKind {
    /// The new version takes over, then the object is deleted.
    Upgrade,
    /// The new version takes over, and is killed in the middle of that.
    Crash,
    /// Both versions run at the same time, then the old one ends.
    RollingUpdate,
    /// The new version takes over, then the old one again.
    Rollback,
}

/// A state that the old version has reached.
#[derive(Debug)]
pub struct OldState {
    /// `lolcow/sample: spec.size is 3`
    pub name: String,
    pub kind: RehearsalKind,
    /// The steps that lead to the state.
    pub scenario: Scenario,
    /// The state under the old version.
    pub settled: Snapshot,
    /// The changes that a restart of the old version made, which are not changes of the upgrade.
    pub restart: Vec<Difference>,
    /// The number of writes after that restart.
    pub restart_writes: usize,
    /// The journal of the old version.
    pub entries: Vec<JournalEntry>,
    /// The log of the old version.
    pub log: String,
    /// The symptoms of the old version, which are not effects of the upgrade.
    pub symptoms: Vec<Symptom>,
    /// The namespace with the objects.
    pub left: LeftNamespace,
}

impl OldState {
    /// Returns the scenario in which another version of the operator, that of the environment,
    /// takes over. `step` describes its only step in reports. The object has the API version that
    /// the API server prefers now.
    ///
    /// # Errors
    /// Returns an error if the API server no longer serves the kind.
    pub fn takeover(&self, environment: &Environment, step: &str) -> Result<Scenario> {
        let mut subject = self.scenario.subject.clone();
        let Some(kind) = environment.upstream.kinds.of_object(&subject) else {
            let text = |key: &str| subject[key].as_str().unwrap_or_default();
            let resource = format!("{} in {}", text("kind"), text("apiVersion"));
            return Err(Error::NotServed { resource });
        };
        // The API version in which the user has written the object may be gone.
        subject["apiVersion"] = kind.resource.api_version.clone().into();
        let mut scenario = Scenario::new("upgrade", &subject, &[]);
        scenario.add_step(step, Action::Upgrade, None);
        Ok(scenario)
    }

    /// Returns a mask of the fields that a restart changes.
    pub fn restart_mask(&self) -> Mask {
        Mask::of_fields(&self.restart)
    }
}

/// An upgrade without a crash, with which others are compared.
#[derive(Clone)]
pub struct Reference {
    /// The state under the old version.
    pub before: Snapshot,
    /// The state after the new version has settled.
    pub after: Snapshot,
    /// The fields that differ between runs of the new version.
    pub mask: Mask,
    /// The crashes at the writes of the new version.
    pub crashes: Vec<Fault>,
}

impl Reference {
    /// Returns the mask for a comparison with another namespace, in which the old version has
    /// reached `settled`, the same state. It also hides the fields in which the two namespaces
    /// differed before the upgrade, such as a generated password.
    pub fn mask_for(&self, settled: &Snapshot) -> Mask {
        let mut mask = self.mask.clone();
        let differences = self.before.differences(settled, &mask);
        mask.hide(differences.iter().filter(|it| !it.field.is_empty()));
        mask
    }
}

/// The states that the old version has reached, each in a namespace of its own.
#[derive(Debug, Default)]
pub struct OldStates {
    pub(super) states: Vec<OldState>,
    /// The namespaces in which a state was to be reached, each with the name of the state.
    pub(super) planned: Vec<(String, RehearsalKind)>,
    /// Remarks for the user.
    pub(super) notes: Vec<String>,
    /// True if the user interrupted the pass.
    pub(super) interrupted: bool,
    /// The part of the budget that was used.
    pub(super) took: Duration,
}

impl OldStates {
    /// Returns the states that the old version has reached, for all kinds of rehearsal.
    pub fn all(&self) -> &[OldState] {
        &self.states
    }

    /// Reports whether the user interrupted the pass.
    pub fn is_interrupted(&self) -> bool {
        self.interrupted
    }

    /// Returns the number of namespaces that were planned for a kind of rehearsal.
    pub(super) fn planned_for(&self, kind: RehearsalKind) -> usize {
        let planned = self.planned.iter();
        planned.filter(|(_, it)| *it == kind).count()
    }

    /// Removes a namespace with this state and kind from the plan, because nothing can be rehearsed
    /// in it.
    pub(super) fn give_up(&mut self, name: &str, kind: RehearsalKind) {
        let mut planned = self.planned.iter();
        if let Some(index) = planned.position(|it| *it == (name.to_owned(), kind)) {
            self.planned.swap_remove(index);
        }
    }
}
