//! Interruptions of watches.

use std::time::Duration;

use prometheus_client::{
    metrics::{counter::Counter, family::Family},
    registry::Registry,
};

use crate::cache::watch_target::WatchTarget;
use crate::metrics::{Labels, register};

/// The number of interruptions of each watch. Clones share the same counters.
#[derive(Clone)]
pub(crate) struct Interruptions(Family<Labels<3>, Counter>);

impl Interruptions {
    /// Creates the metric and adds it to a registry.
    pub fn register(registry: &mut Registry) -> Self {
        let help = "Number of interrupted watches, by reason";
        Self(register(registry, "watch_interruptions", help))
    }

    /// Counts an interruption of a watch. `resource` is the plural name of the kind.
    pub fn count(&self, controller: &str, resource: &str, interruption: &Interruption) {
        let by = [
            ("controller", controller.to_owned()),
            ("resource", resource.to_owned()),
            ("reason", interruption.reason().to_owned()),
        ];
        self.0.get_or_create(&by).inc();
    }
}

/// The reason why a watch was interrupted.
#[derive(Debug)]
pub(crate) enum Interruption {
    Failed(kube::Error),
    /// The API server does not serve the kind.
    Unserved(kube::Error),
    /// The API server no longer has the history after the last known resource version (410 Gone).
    Expired,
    /// Neither an event nor the end of the watch arrived within this time.
    Silent(Duration),
    /// The watch ended before its timeout.
    Cut,
    /// The API server returned a list without a resource version.
    NoVersion,
}

impl From<kube::Error> for Interruption {
    fn from(error: kube::Error) -> Self {
        match error {
            kube::Error::Api(status) if status.code == 410 => Self::Expired,
            kube::Error::Api(status) if status.code == 404 => {
                Self::Unserved(kube::Error::Api(status))
            }
            error => Self::Failed(error),
        }
    }
}

impl Interruption {
    /// Returns the value of the metric's `reason` label.
    fn reason(&self) -> &'static str {
        match self {
            Self::Failed(_) | Self::Unserved(_) | Self::NoVersion => "failed",
            Self::Expired => "expired",
            Self::Silent(_) => "silent",
            Self::Cut => "cut",
        }
    }

    /// Describes the problem in one sentence, with its help. `None` for interruptions that are part
    /// of normal operation.
    pub fn diagnose(&self, target: &WatchTarget) -> Option<String> {
        let plural = &target.kind.plural;
        match self {
            Self::Failed(error) | Self::Unserved(error) => target.diagnose(error),
            Self::Expired | Self::Cut => None,
            Self::Silent(time) => Some(format!(
                "{plural}: the API server sent no watch event for {} s and did not end the watch",
                time.as_secs()
            )),
            Self::NoVersion => Some(format!(
                "{plural}: the API server sent a list without a resourceVersion"
            )),
        }
    }
}
