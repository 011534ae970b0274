//! The way to an API server that need not be rustop's own, and what it says no to.

mod grant;

use std::path::{Path, PathBuf};

use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::{Client, Config};

use crate::error::Failure;
pub use grant::Grant;

/// An error of the API server or of the way to it.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A kubeconfig that cannot be used.
    #[error("cannot use the kubeconfig `{}`", path.display())]
    Kubeconfig {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// A kind that the API server does not serve.
    #[error("the API server does not serve {kind}")]
    NotServed {
        /// The kind, or the CRD's name.
        kind: String,
    },
    /// The API server refused an object.
    #[error("the API server refused {object}")]
    Refused {
        /// `lolcow/lolcow-sample`.
        object: String,
        /// Why.
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
    /// The kubeconfig cannot be used, for `map_err`.
    pub fn unusable<E: std::error::Error + Send + Sync + 'static>(
        kubeconfig: &Path,
    ) -> impl FnOnce(E) -> Self {
        let path = kubeconfig.to_owned();
        move |source| Self::Kubeconfig {
            path,
            source: Box::new(source),
        }
    }

    /// The API server refused `object`, for `map_err`.
    pub fn refused(object: impl Into<String>) -> impl FnOnce(kube::Error) -> Self {
        let object = object.into();
        move |source| Self::Refused {
            object,
            source: Box::new(source),
        }
    }
}

/// A client for the cluster of a kubeconfig, and its configuration; without one, for that of `KUBECONFIG`,
/// of `~/.kube/config`, or of the Pod that this runs in.
///
/// # Errors
/// When the file cannot be read or used.
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
