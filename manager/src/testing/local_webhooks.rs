//! Webhooks of an operator that runs in a test, called by a real API server on the same machine.

use std::fs::{self, DirBuilder};
use std::net::{Ipv4Addr, TcpListener};
use std::os::unix::fs::DirBuilderExt as _;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, SystemTime};

use http::Request;
use k8s_openapi::ByteString;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::Client;
use kube::api::{Api, Patch, PatchParams};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio::time::sleep;

use crate::error::{Error, Result};
use crate::options::Options;
use crate::webhook::certificate::issue::issue;

/// The field manager of all writes in this file.
const FIELD_MANAGER: &str = "test";
/// Lifetime of the certificate, longer than any test.
const LIFETIME: Duration = Duration::from_secs(24 * 60 * 60);
/// The time between two attempts to reach the webhooks.
const PAUSE: Duration = Duration::from_millis(20);
/// The webhook configurations: kind, plural, and the name that `rustop manifests` writes.
const CONFIGURATIONS: [[&str; 3]; 2] = [
    [
        "MutatingWebhookConfiguration",
        "mutatingwebhookconfigurations",
        "mutating-webhook-configuration",
    ],
    [
        "ValidatingWebhookConfiguration",
        "validatingwebhookconfigurations",
        "validating-webhook-configuration",
    ],
];

/// A local port and a certificate, with which a real API server can call the webhooks of an
/// operator under test.
///
/// The API server calls 127.0.0.1, so it must run on the same machine, for example started by
/// `rustop cluster exec`.
#[derive(Debug)]
pub struct LocalWebhooks {
    port: u16,
    /// The CA certificate, in PEM.
    authority: String,
    /// The directory of the certificate and its private key. Removed when this value is dropped.
    dir: PathBuf,
}

impl LocalWebhooks {
    /// Chooses a free port, issues a certificate that is valid for 24 hours, and sets the webhook
    /// options to both. Run the manager with these options.
    ///
    /// # Errors
    /// `WebhooksNotServed` if no port is free, or if the certificate cannot be issued or written to
    /// the temporary directory.
    pub fn new(options: &mut Options) -> Result<Self> {
        let failed = |error: std::io::Error| Error::new("WebhooksNotServed", error.to_string());
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).map_err(failed)?;
        let port = listener.local_addr().map_err(failed)?.port();
        let names = [Ipv4Addr::LOCALHOST.to_string()];
        let issued = issue(&names, SystemTime::now(), LIFETIME)
            .map_err(|error| Error::new("WebhooksNotServed", error.to_string()))?;
        let dir = private_dir().map_err(failed)?;
        fs::write(dir.join("tls.crt"), &issued.chain).map_err(failed)?;
        fs::write(dir.join("tls.key"), &issued.key).map_err(failed)?;
        options.webhook_port = port;
        options.webhook_host = Some(Ipv4Addr::LOCALHOST.into());
        options.webhook_cert_path = Some(dir.clone());
        Ok(Self {
            port,
            authority: issued.authority,
            dir,
        })
    }

    /// Waits until the operator serves its webhooks, without a timeout, and then installs the
    /// webhook configurations. `manifests` is the text of `config/webhook/manifests.yaml`; its
    /// services are replaced by the local address.
    ///
    /// # Errors
    /// Returns an error if the API server cannot be reached or rejects a configuration.
    pub async fn install(&self, client: &Client, manifests: &str) -> Result<()> {
        while TcpStream::connect((Ipv4Addr::LOCALHOST, self.port))
            .await
            .is_err()
        {
            sleep(PAUSE).await;
        }
        for manifest in manifests.split("\n---\n") {
            let is_kind = |kind: &str| manifest.contains(&format!("kind: {kind}\n"));
            let found = CONFIGURATIONS.iter().find(|[kind, ..]| is_kind(kind));
            let Some([_, plural, name]) = found else {
                continue;
            };
            // A dry run parses the YAML, so that the port is set before the API server calls a
            // webhook.
            let read = apply(client, plural, name, "&dryRun=All", manifest.to_owned());
            let mut configuration = read.await?;
            configuration["metadata"] = json!({ "name": name });
            for webhook in configuration["webhooks"]
                .as_array_mut()
                .into_iter()
                .flatten()
            {
                let client = &mut webhook["clientConfig"];
                let path = client["service"]["path"].as_str().unwrap_or("/");
                *client = self.client_config(path);
            }
            apply(client, plural, name, "", configuration.to_string()).await?;
        }
        Ok(())
    }

    /// Configures the CRD named `crd`, for example `lolcows.my.domain`, so that the API server
    /// calls the operator to convert objects.
    ///
    /// # Errors
    /// Returns an error if the API server cannot be reached or rejects the change.
    pub async fn convert(&self, client: &Client, crd: &str) -> Result<()> {
        let webhook = json!({"clientConfig": self.client_config("/convert"), "conversionReviewVersions": ["v1"]});
        let conversion = json!({"strategy": "Webhook", "webhook": webhook});
        set_conversion(client, crd, conversion).await
    }

    /// Removes the webhook configurations, and the conversion webhooks of the CRDs with the names
    /// `crds`. Call it before the operator stops: without the operator, every request that needs
    /// them would fail.
    ///
    /// # Errors
    /// Returns an error if the API server cannot be reached or rejects a change.
    pub async fn remove(self, client: &Client, crds: &[&str]) -> Result<()> {
        for [_, plural, name] in CONFIGURATIONS {
            let request = Request::delete(path(plural, name)).body(Vec::new());
            match client.request::<Value>(built(request)?).await {
                Err(kube::Error::Api(status)) if status.code == 404 => {}
                result => drop(result?),
            }
        }
        for crd in crds {
            set_conversion(client, crd, json!({"strategy": "None", "webhook": null})).await?;
        }
        Ok(())
    }

    fn client_config(&self, path: &str) -> Value {
        let authority = ByteString(self.authority.clone().into_bytes());
        json!({"url": format!("https://127.0.0.1:{}{path}", self.port), "caBundle": authority})
    }
}

impl Drop for LocalWebhooks {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.dir);
    }
}

/// Creates a directory that other users cannot read.
fn private_dir() -> std::io::Result<PathBuf> {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let n = NEXT.fetch_add(1, Ordering::Relaxed);
    let name = format!("webhooks-{}-{n}", std::process::id());
    let dir = std::env::temp_dir().join(name);
    DirBuilder::new().mode(0o700).create(&dir)?;
    Ok(dir)
}

fn path(plural: &str, name: &str) -> String {
    format!("/apis/admissionregistration.k8s.io/v1/{plural}/{name}")
}

fn built(request: http::Result<Request<Vec<u8>>>) -> Result<Request<Vec<u8>>> {
    request.map_err(|error| Error::new("InvalidRequest", error.to_string()))
}

/// Applies a configuration in YAML or JSON, and returns the response of the API server.
async fn apply(
    client: &Client,
    plural: &str,
    name: &str,
    more: &str,
    text: String,
) -> Result<Value> {
    let path = path(plural, name);
    let request = Request::patch(format!(
        "{path}?fieldManager={FIELD_MANAGER}&force=true{more}"
    ))
    .header("content-type", "application/apply-patch+yaml")
    .body(text.into_bytes());
    Ok(client.request(built(request)?).await?)
}

async fn set_conversion(client: &Client, crd: &str, conversion: Value) -> Result<()> {
    let crds: Api<CustomResourceDefinition> = Api::all(client.clone());
    let patch = Patch::Merge(json!({"spec": {"conversion": conversion}}));
    crds.patch(crd, &PatchParams::default(), &patch).await?;
    Ok(())
}
