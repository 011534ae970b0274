//! Errors of a local operator.

use std::process::ExitStatus;
use std::time::Duration;

use crate::client;
use crate::error::{Failure, Io};
use crate::text::indented;

/// The result of functions in this module.
pub type Result<T> = std::result::Result<T, Error>;

/// An error from the operator, its manifests or its samples.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A request to the API server failed.
    #[error(transparent)]
    Client(#[from] client::Error),
    /// An operator in the cluster already serves webhooks that this machine would serve.
    #[error("{object} leads to an operator inside of the cluster")]
    DeployedThere {
        /// The object, such as `validatingwebhookconfiguration/lolcow-operator-validating-webhook-configuration`.
        object: String,
    },
    /// An error from a file, a program or a port.
    #[error(transparent)]
    Io(#[from] Io),
    /// `kubectl kustomize` failed for a directory of `config/`.
    #[error("`{dir}` does not render: {output}")]
    Kustomize {
        /// The directory, relative to the project.
        dir: String,
        /// The error output of kustomize.
        output: String,
    },
    /// Not all samples became Ready within the timeout.
    #[error("after {} s not every sample is Ready:\n{}", timeout.as_secs(), indented(missing))]
    NotReady {
        /// One line for each missing sample, with its last state.
        missing: Vec<String>,
        timeout: Duration,
    },
    /// The API server rejected a sample.
    #[error("the sample at {place} is not as it has to be")]
    Sample {
        /// The location of the sample: `config/samples/v1_lolcow.yaml:2`.
        place: String,
        /// The error of the API server.
        source: client::Error,
    },
    /// The operator exited unexpectedly.
    #[error("the operator ended: {status}")]
    OperatorEnded {
        /// The exit code, or the signal that killed it.
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
