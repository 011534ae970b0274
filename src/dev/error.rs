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
    #[error("{object} refers to an operator deployed in the cluster")]
    DeployedThere {
        /// The object, such as
        /// `validatingwebhookconfiguration/lolcow-operator-validating-webhook-configuration`.
        object: String,
    },
    /// Another rustop process on this machine has redirected the same webhooks to its operator.
    #[error("another rustop on this machine serves {object}")]
    ServedHere {
        /// The object, as in [`Self::DeployedThere`].
        object: String,
    },
    /// The cluster's webhooks lead to the operator of another run, of another account or machine.
    #[error(
        "{object} leads to {} at {address}",
        if *answers { "a running operator" } else { "an operator of another run, which does not answer this machine," }
    )]
    ServedElsewhere {
        /// The object, as in [`Self::DeployedThere`].
        object: String,
        /// The namespace of the object, if it is a Service.
        namespace: Option<String>,
        /// The host and port of that operator.
        address: String,
        /// False if it is not known that the operator runs.
        answers: bool,
    },
    /// An error from a file, a program or a port.
    #[error(transparent)]
    Io(#[from] Io),
    /// `kubectl kustomize` failed for a directory of `config/`.
    #[error("cannot render `{dir}` with kustomize: {output}")]
    Kustomize {
        /// The directory, relative to the project.
        dir: String,
        /// The error output of kustomize.
        output: String,
    },
    /// Not all samples became Ready within the timeout.
    #[error("not all samples are Ready after {} s:\n{}", timeout.as_secs(), indented(missing))]
    NotReady {
        /// One line for each missing sample, with its last state.
        missing: Vec<String>,
        timeout: Duration,
    },
    /// The API server rejected a sample.
    #[error("the API server rejected the sample at {place}")]
    Sample {
        /// The location of the sample: `config/samples/v1_lolcow.yaml:2`.
        place: String,
        /// The error of the API server.
        source: client::Error,
    },
    /// The operator exited unexpectedly.
    #[error("the operator exited: {status}")]
    OperatorEnded {
        /// The exit code, or the signal that killed it.
        status: ExitStatus,
    },
}

impl Failure for Error {
    fn is_report(&self) -> bool {
        matches!(self, Self::NotReady { .. })
    }

    fn help(&self) -> Option<String> {
        match self {
            Self::Client(error) => error.help(),
            Self::DeployedThere { .. } => {
                Some("`make undeploy` removes that operator; or use another cluster".into())
            }
            Self::ServedElsewhere {
                object,
                namespace,
                answers: false,
                ..
            } => {
                let namespace = namespace.as_ref();
                let namespace = namespace.map(|name| format!(" --namespace {name}"));
                Some(format!(
                    "end the `rustop run` or `rustop dev` that serves them; if it has ended, remove what it left: \
                     `kubectl delete {object}{}`",
                    namespace.unwrap_or_default()
                ))
            }
            Self::ServedHere { .. } | Self::ServedElsewhere { .. } => Some(
                "end the `rustop run` or `rustop dev` that serves them; or use another cluster"
                    .into(),
            ),
            Self::Kustomize { dir, .. } => Some(format!("kubectl kustomize {dir}")),
            Self::NotReady { .. } => Some("see the operator's log above".into()),
            Self::Io(_) | Self::OperatorEnded { .. } | Self::Sample { .. } => None,
        }
    }
}
