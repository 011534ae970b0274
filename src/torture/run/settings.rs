//! Settings of runs: the environment, the deadline, whether recovery is observed, and the origin of
//! the namespace.

use std::ffi::OsString;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::torture::env::Environment;
use crate::torture::env::namespace::handed_over::LeftNamespace;
use crate::torture::env::process::Program;
use crate::torture::error::Error;

/// The settings of a run.
#[derive(Clone)]
pub struct RunSettings {
    /// The cluster and the operator's program.
    pub environment: Arc<Environment>,
    /// The deadline; a run in progress is cut short.
    pub until: Instant,
    /// If true, a run whose operator has settled in a wrong state observes whether it recovers.
    pub observes_recovery: bool,
    /// The origin of the run's namespace, and its use after the run.
    pub handover: NamespaceHandover,
}

/// The handover of a run's namespace between runs or versions. By default, the namespace is new,
/// and deleted at the end of the run.
#[derive(Clone, Debug, Default)]
pub struct NamespaceHandover {
    /// The namespace of an earlier run, in which this one continues; `None` for a new namespace.
    pub continues: Option<LeftNamespace>,
    /// If true, the objects stay for another run, and the result of the run has the namespace.
    pub leaves_objects: bool,
    /// The old version that runs next to the one under test until [`Action::HandOver`]; `None` if
    /// the run has a single version.
    ///
    /// [`Action::HandOver`]: crate::torture::scenario::Action::HandOver
    pub rollout: Option<Rollout>,
}

/// A rolling update from another version to the one under test.
#[derive(Clone, Debug)]
pub struct Rollout {
    /// The old version, with its arguments for leader election.
    pub old: Program,
    /// The arguments that turn leader election on in the new version.
    pub election: Vec<OsString>,
}

impl RunSettings {
    /// Creates the settings of runs in new namespaces that do not observe recovery.
    pub fn new(environment: Arc<Environment>, until: Instant) -> Self {
        Self {
            environment,
            until,
            observes_recovery: false,
            handover: NamespaceHandover::default(),
        }
    }

    /// Returns the settings for runs that observe recovery.
    #[must_use]
    pub fn patient(&self) -> Self {
        Self {
            observes_recovery: true,
            ..self.clone()
        }
    }

    /// Returns the settings for runs that leave their objects to another run.
    #[must_use]
    pub fn leaving(&self) -> Self {
        let mut settings = self.clone();
        settings.handover.leaves_objects = true;
        settings
    }

    /// Returns the settings for a run that continues with the objects of an earlier one.
    #[must_use]
    pub fn continuing(&self, left: LeftNamespace) -> Self {
        let mut settings = self.clone();
        settings.handover.continues = Some(left);
        settings
    }

    /// Returns the settings for a run that begins next to the old version.
    #[must_use]
    pub fn rolling(&self, rollout: Rollout) -> Self {
        let mut settings = self.clone();
        settings.handover.rollout = Some(rollout);
        settings
    }

    /// Waits until runs must end, and returns the reason: [`Error::Interrupted`] if the user
    /// interrupts rustop, [`Error::OutOfTime`] at the deadline.
    pub async fn over(&self) -> Error {
        const OFTEN: Duration = Duration::from_millis(50);
        loop {
            if self.environment.interrupt.is_pending() {
                return Error::Interrupted;
            }
            let left = self.until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Error::OutOfTime;
            }
            tokio::time::sleep(OFTEN.min(left)).await;
        }
    }

    /// Reports whether no further run may begin, since [`Self::over`] would return at once.
    pub fn is_over(&self) -> bool {
        self.environment.interrupt.is_pending() || Instant::now() >= self.until
    }
}
