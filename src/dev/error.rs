//! Errors of a local operator.

use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::time::Duration;

use crate::client;
use crate::error::{Failure, Io};
use crate::text::{indented, shell_word};

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
        /// The kubeconfig of the cluster, unless it is the one that kubectl uses without an option.
        kubeconfig: Option<PathBuf>,
    },
    /// Another rustop process on this machine has redirected the same webhooks to its operator.
    #[error("another rustop on this machine serves {object}")]
    ServedHere {
        /// The object, as in [`Self::DeployedThere`].
        object: String,
    },
    /// The cluster's webhooks lead to the operator of another run, of another account or machine.
    #[error(
        "{} leads to {} at {address}",
        objects.join(", "),
        if *answers { "a running operator" } else { "an operator of another run, which does not answer this machine," }
    )]
    ServedElsewhere {
        /// The objects, as in [`Self::DeployedThere`].
        objects: Vec<String>,
        /// The namespace of the Services among the objects.
        namespace: Option<String>,
        /// The kubeconfig, as in [`Self::DeployedThere`].
        kubeconfig: Option<PathBuf>,
        /// The host and port of that operator.
        address: String,
        /// False if it is not known that the operator runs.
        answers: bool,
    },
    /// Another process redirected the webhooks at the same time as this run, and first.
    #[error("{object} changed while this run redirected it")]
    RedirectedMeanwhile {
        /// The object, as in [`Self::DeployedThere`].
        object: String,
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
            Self::DeployedThere { kubeconfig, .. } => {
                let variable = option("KUBECONFIG=", kubeconfig.as_deref(), " ");
                Some(format!(
                    "`{variable}make undeploy` removes that operator; or use another cluster"
                ))
            }
            Self::ServedElsewhere {
                objects,
                namespace,
                kubeconfig,
                answers: false,
                ..
            } => {
                let namespace = namespace.as_ref();
                let namespace = namespace.map(|name| format!(" --namespace {name}"));
                Some(format!(
                    "end the `rustop run` or `rustop dev` that serves them; if it has ended, remove what it left: \
                     `kubectl delete {}{}{}`",
                    objects.join(" "),
                    namespace.unwrap_or_default(),
                    option(" --kubeconfig ", kubeconfig.as_deref(), "")
                ))
            }
            Self::RedirectedMeanwhile { .. } => Some(
                "start this run again; if another `rustop run` or `rustop dev` serves the webhooks, end that first"
                    .into(),
            ),
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

/// Returns the kubeconfig as an argument of a command, between `before` and `after`; an empty text
/// without one.
fn option(before: &str, kubeconfig: Option<&Path>, after: &str) -> String {
    let argument = |path: &Path| format!("{before}{}{after}", shell_word(&path.to_string_lossy()));
    kubeconfig.map(argument).unwrap_or_default()
}
