//! The way to a cluster that is not rustop's own.

use std::path::{Path, PathBuf};

use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::{Client, Config};

use crate::error::{Error, Result};

/// A client for the cluster of a kubeconfig, and its configuration; without one, for that of `KUBECONFIG`,
/// of `~/.kube/config`, or of the Pod that this runs in.
///
/// # Errors
/// When the file cannot be read or used.
pub async fn connect(kubeconfig: Option<&Path>) -> Result<(Client, Config)> {
    let given = || std::env::var_os("KUBECONFIG").map(PathBuf::from);
    let usual = || given().unwrap_or_else(|| "~/.kube/config".into());
    let path = kubeconfig.map_or_else(usual, Path::to_owned);
    let config = if kubeconfig.is_none() {
        Config::infer().await.map_err(unusable(&path))?
    } else {
        let config = Kubeconfig::read_from(&path).map_err(unusable(&path))?;
        let config = Config::from_custom_kubeconfig(config, &KubeConfigOptions::default()).await;
        config.map_err(unusable(&path))?
    };
    let client = Client::try_from(config.clone()).map_err(unusable(&path))?;
    Ok((client, config))
}

fn unusable<E: std::error::Error + Send + Sync + 'static>(
    kubeconfig: &Path,
) -> impl FnOnce(E) -> Error {
    let path = kubeconfig.to_owned();
    move |source| Error::Kubeconfig {
        path,
        source: Box::new(source),
    }
}
