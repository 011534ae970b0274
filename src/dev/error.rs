//! What can go wrong with an operator on this machine.

use std::process::ExitStatus;
use std::time::Duration;

use crate::client;
use crate::error::{Failure, Io};
use crate::text::indented;

/// Result of everything in this room.
pub type Result<T> = std::result::Result<T, Error>;

/// An error of the operator, its manifests or its samples.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The API server, or the way to it.
    #[error(transparent)]
    Client(#[from] client::Error),
    /// An operator inside of the cluster serves what was to be served on this machine.
    #[error("{object} leads to an operator inside of the cluster")]
    DeployedThere {
        /// `validatingwebhookconfiguration/lolcow-operator-validating-webhook-configuration`.
        object: String,
    },
    /// A file, a program or a port.
    #[error(transparent)]
    Io(#[from] Io),
    /// A directory of `config/` does not render.
    #[error("`{dir}` does not render: {output}")]
    Kustomize {
        /// The directory, relative to the project.
        dir: String,
        /// What kustomize said.
        output: String,
    },
    /// Samples that were not Ready in time.
    #[error("after {} s not every sample is Ready:\n{}", timeout.as_secs(), indented(missing))]
    NotReady {
        /// Each of them, and what it says.
        missing: Vec<String>,
        /// How long was waited.
        timeout: Duration,
    },
    /// The API server refused a sample.
    #[error("the sample at {place} is not as it has to be")]
    Sample {
        /// `config/samples/v1_lolcow.yaml:2`.
        place: String,
        /// What the API server says.
        source: client::Error,
    },
    /// The operator ended by itself.
    #[error("the operator ended: {status}")]
    OperatorEnded {
        /// How.
        status: ExitStatus,
    },
}

impl Failure for Error {
    fn help(&self) -> Option<String> {
        match self {
            Self::Client(error) => error.help(),
            Self::DeployedThere { .. } => {
                Some("`make undeploy` takes that operator away; or use another cluster".into())
            }
            Self::Kustomize { dir, .. } => Some(format!("kubectl kustomize {dir}")),
            Self::NotReady { .. } => Some("the operator's log above may say why".into()),
            Self::Io(_) | Self::OperatorEnded { .. } | Self::Sample { .. } => None,
        }
    }
}
