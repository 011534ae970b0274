//! The tokens that rustop requests for a local operator, and their revocation.

use std::path::PathBuf;

use k8s_openapi::api::core::v1::Secret;
use kube::Client;
use kube::api::{Api, DeleteParams, PostParams};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{Error, connect};

/// The Secret that the tokens of one run are bound to. The API server accepts the tokens as long as
/// the Secret exists, so deleting it revokes all of them, even if they have leaked. The Secret
/// itself holds no data.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Grant {
    /// The absolute path of the kubeconfig; `None` for the one that kubectl would use.
    pub kubeconfig: Option<PathBuf>,
    /// The namespace of the ServiceAccount.
    pub namespace: String,
    /// The name of the Secret, which is unique to the run.
    pub secret: String,
}

impl Grant {
    /// Creates the Secret and returns its UID.
    ///
    /// # Errors
    /// Returns an error if the API server refuses.
    pub async fn create(&self, client: &Client) -> Result<String, Error> {
        let secret = json!({
            "metadata": {
                "name": self.secret,
                "labels": { "app.kubernetes.io/managed-by": "rustop" },
                "annotations": { "kubernetes.io/description":
                    "The token of an operator that runs under rustop is bound to this Secret and ends with it." },
            },
            "immutable": true,
        });
        let secret = serde_json::from_value(secret).expect("a Secret");
        let made = self
            .secrets(client)
            .create(&PostParams::default(), &secret)
            .await;
        let made = made.map_err(Error::refused(format!("secret/{}", self.secret)))?;
        Ok(made.metadata.uid.unwrap_or_default())
    }

    /// Deletes the Secret. A Secret that does not exist is not an error.
    ///
    /// # Errors
    /// Returns an error if the API server refuses.
    pub async fn revoke(&self, client: &Client) -> Result<(), Error> {
        let secrets = self.secrets(client);
        match secrets.delete(&self.secret, &DeleteParams::default()).await {
            Err(kube::Error::Api(status)) if status.is_not_found() => Ok(()),
            deleted => deleted
                .map(drop)
                .map_err(Error::refused(format!("secret/{}", self.secret))),
        }
    }

    /// Connects to the cluster and deletes the Secret, after the run was killed.
    ///
    /// # Errors
    /// Returns an error if the connection fails or the API server refuses.
    pub async fn revoke_later(&self) -> Result<(), Error> {
        let (client, _) = connect(self.kubeconfig.as_deref()).await?;
        self.revoke(&client).await
    }

    fn secrets(&self, client: &Client) -> Api<Secret> {
        Api::namespaced(client.clone(), &self.namespace)
    }
}
