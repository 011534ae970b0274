//! Connection to an API server, which may be that of any cluster, and the errors of requests to it.

mod grant;

use std::path::{Path, PathBuf};

use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::{Client, Config};

use crate::error::Failure;
pub use grant::Grant;

/// An error of a request to the API server, or of the connection.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The kubeconfig cannot be used.
    #[error("cannot use the kubeconfig `{}`", path.display())]
    Kubeconfig {
        path: PathBuf,
        /// The reason.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The API server does not serve a kind.
    #[error("the API server does not serve {kind}")]
    NotServed {
        /// The kind, or the name of its CRD.
        kind: String,
    },
    /// The API server rejected a request.
    #[error("the API server refused {object}")]
    Refused {
        /// The object of the request: `lolcow/lolcow-sample`.
        object: String,
        /// The answer of the API server, or the connection error.
        source: Box<kube::Error>,
    },
}

impl Failure for Error {
    fn help(&self) -> Option<String> {
        let Self::NotServed { .. } = self else {
            return None;
        };
        Some("make install, or rustop dev, installs the project's CRDs".into())
    }
}

impl Error {
    /// Returns a function for `map_err` that wraps an error about the kubeconfig.
    pub fn unusable<E: std::error::Error + Send + Sync + 'static>(
        kubeconfig: &Path,
    ) -> impl FnOnce(E) -> Self {
        let path = kubeconfig.to_owned();
        move |source| Self::Kubeconfig {
            path,
            source: Box::new(source),
        }
    }

    /// Returns the object that the API server rejected; `None` for an error of the connection.
    pub fn rejected(&self) -> Option<&str> {
        match self {
            Self::Refused { object, source } if matches!(**source, kube::Error::Api(_)) => {
                Some(object)
            }
            _ => None,
        }
    }

    /// Returns a function for `map_err` that wraps an error about a request for `object`.
    pub fn refused(object: impl Into<String>) -> impl FnOnce(kube::Error) -> Self {
        let object = object.into();
        move |source| Self::Refused {
            object,
            source: Box::new(source),
        }
    }
}

/// Returns a client for the cluster of a kubeconfig, and its configuration. Without a kubeconfig, uses `KUBECONFIG`,
/// `~/.kube/config`, or the service account of the Pod that rustop runs in.
///
/// # Errors
/// Returns an error if the file cannot be read or used.
pub async fn connect(kubeconfig: Option<&Path>) -> Result<(Client, Config), Error> {
    let given = || std::env::var_os("KUBECONFIG").map(PathBuf::from);
    let usual = || given().unwrap_or_else(|| "~/.kube/config".into());
    let path = kubeconfig.map_or_else(usual, Path::to_owned);
    let config = if kubeconfig.is_none() {
        Config::infer().await.map_err(Error::unusable(&path))?
    } else {
        let config = Kubeconfig::read_from(&path).map_err(Error::unusable(&path))?;
        let config = Config::from_custom_kubeconfig(config, &KubeConfigOptions::default()).await;
        config.map_err(Error::unusable(&path))?
    };
    let client = Client::try_from(config.clone()).map_err(Error::unusable(&path))?;
    Ok((client, config))
}
