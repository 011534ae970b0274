//! Credentials of a local operator: a token of its ServiceAccount, and a kubeconfig that contains
//! it.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use k8s_openapi::api::authentication::v1::{BoundObjectReference, TokenRequest, TokenRequestSpec};
use k8s_openapi::api::core::v1::ServiceAccount;
use kube::Client;
use kube::api::{Api, PostParams};
use kube::config::{AuthInfo, NamedAuthInfo};
use serde_json::{Value, json};

use super::error::Result;
use super::objects::OperatorManifests;
use crate::client::{self, Grant};
use crate::disk::private;

/// The lifetime in seconds of a token for a cluster that ends with the run.
const A_DAY: i64 = 24 * 3600;
/// The lifetime in seconds of a token for a cluster that outlives the run. It is short because
/// nothing revokes the token if both the run and its janitor are killed.
const AN_HOUR: i64 = 3600;
/// The age at which a token is renewed. Clients of kube-rs read a token file once a minute.
const RENEWED_AFTER: Duration = Duration::from_secs(30 * 60);
/// The delay before another attempt after the API server has refused a new token.
const RETRIED_AFTER: Duration = Duration::from_secs(30);

/// The token of a local operator, for a cluster that outlives the run. The caller calls
/// [`Self::renew`] while the operator runs and [`Self::revoke`] afterwards; dropping it does
/// neither.
pub struct Access {
    client: Client,
    namespace: String,
    /// The name of the ServiceAccount in that namespace.
    account: String,
    /// The Secret to which the tokens are bound. Deleting it revokes them.
    grant: Grant,
    /// The UID of that Secret.
    uid: String,
    /// The directory of the kubeconfig and the token.
    dir: PathBuf,
    /// The time of the next request for a token.
    renewal: Instant,
}

impl Access {
    /// Creates the Secret of `grant`, requests a token that is bound to it, and writes the token
    /// and a kubeconfig into `dir`. Record the grant before (`RunDir::record`), so that the token
    /// is revoked even if rustop is killed or this fails. The kubeconfig is a copy of `admin` with
    /// another user. `grant.namespace` must be that of the operator.
    ///
    /// # Errors
    /// Returns an error if the API server refuses, or if a file cannot be written.
    pub async fn open(
        client: &Client,
        admin: &Path,
        operator: &OperatorManifests,
        grant: Grant,
        dir: &Path,
    ) -> Result<Self> {
        let uid = grant.create(client).await?;
        let access = Self {
            client: client.clone(),
            namespace: operator.namespace.clone(),
            account: operator.service_account.clone(),
            grant,
            uid,
            dir: dir.to_owned(),
            renewal: Instant::now() + RENEWED_AFTER,
        };
        access.request().await?;
        write(admin, &json!({ "tokenFile": access.token() }), dir)?;
        Ok(access)
    }

    /// Returns the path of the operator's kubeconfig.
    pub fn kubeconfig(&self) -> PathBuf {
        self.dir.join(KUBECONFIG)
    }

    /// Requests another token if half of the current one's lifetime is over. If the API server
    /// refuses, a call after half a minute tries again.
    pub async fn renew(&mut self) {
        if Instant::now() < self.renewal {
            return;
        }
        let after = match self.request().await {
            Ok(()) => RENEWED_AFTER,
            Err(_) => RETRIED_AFTER,
        };
        self.renewal = Instant::now() + after;
    }

    /// Revokes the tokens. The API server's cache may accept them for ten more seconds.
    ///
    /// # Errors
    /// Returns an error if the API server refuses.
    pub async fn revoke(&self) -> Result<()> {
        Ok(self.grant.revoke(&self.client).await?)
    }

    /// Requests a token that is bound to the Secret, and writes it into its file, which the
    /// operator reads again.
    async fn request(&self) -> Result<()> {
        let bound = BoundObjectReference {
            api_version: Some("v1".into()),
            kind: Some("Secret".into()),
            name: Some(self.grant.secret.clone()),
            uid: Some(self.uid.clone()),
        };
        let spec = TokenRequestSpec {
            bound_object_ref: Some(bound),
            expiration_seconds: Some(AN_HOUR),
            ..TokenRequestSpec::default()
        };
        let token = token(&self.client, &self.namespace, &self.account, spec).await?;
        Ok(private::write(&self.token(), &token)?)
    }

    /// Returns the path of the token's file.
    fn token(&self) -> PathBuf {
        self.dir.join("token")
    }
}

const KUBECONFIG: &str = "kubeconfig";

/// Writes a kubeconfig with a token of the operator's ServiceAccount into `dir`, for a cluster that
/// ends with the run. The token is valid for 24 h; it is neither renewed nor revoked.
///
/// # Errors
/// Returns an error if the API server refuses, or if the file cannot be written.
pub async fn kubeconfig(
    client: &Client,
    admin: &Path,
    operator: &OperatorManifests,
    dir: &Path,
) -> Result<PathBuf> {
    let spec = TokenRequestSpec {
        expiration_seconds: Some(A_DAY),
        ..TokenRequestSpec::default()
    };
    let (namespace, account) = (&operator.namespace, &operator.service_account);
    let token = token(client, namespace, account, spec).await?;
    write(admin, &json!({ "token": token }), dir)
}

/// Requests a token for a ServiceAccount.
async fn token(
    client: &Client,
    namespace: &str,
    account: &str,
    spec: TokenRequestSpec,
) -> Result<String> {
    let accounts: Api<ServiceAccount> = Api::namespaced(client.clone(), namespace);
    let request = TokenRequest {
        spec: Some(spec),
        ..TokenRequest::default()
    };
    let answer = accounts
        .create_token_request(account, &PostParams::default(), &request)
        .await
        .map_err(client::Error::refused(format!("serviceaccount/{account}")))?;
    Ok(answer
        .status
        .and_then(|status| status.token)
        .unwrap_or_default())
}

/// Writes a copy of the administrator's kubeconfig in which the operator is the only user.
fn write(admin: &Path, user: &Value, dir: &Path) -> Result<PathBuf> {
    let mut config = client::read_kubeconfig(admin)?;
    let user: AuthInfo = serde_json::from_value(user.clone()).expect("a field of AuthInfo");
    config.auth_infos = vec![NamedAuthInfo {
        name: "operator".into(),
        auth_info: Some(user),
        ..NamedAuthInfo::default()
    }];
    for context in &mut config.contexts {
        if let Some(context) = &mut context.context {
            context.user = Some("operator".into());
        }
    }
    let path = dir.join(KUBECONFIG);
    let text = serde_json::to_string(&config).expect("a kubeconfig is JSON");
    private::write(&path, &text)?;
    Ok(path)
}
