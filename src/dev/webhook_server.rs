//! A webhook server outside of the cluster to which objects in the cluster lead: that of another
//! run of rustop, which may belong to another account or machine.

use std::time::{Duration, Instant};

use k8s_openapi::ByteString;
use kube::api::DynamicObject;
use serde::Deserialize as _;
use serde_json::Value;
use ureq::Agent;
use ureq::tls::{Certificate, RootCerts, TlsConfig};

/// The timeout of a request. A server that takes longer does not serve the API server either.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(2);
/// The time that the operator of a killed run has to end.
const ENDS_WITHIN: Duration = Duration::from_secs(5);
/// The polling interval while an operator ends.
const TICK: Duration = Duration::from_millis(100);

/// A webhook server, as the API server calls it.
#[derive(Debug)]
pub struct WebhookServer {
    /// The host and port: `127.0.0.1:40123`.
    pub address: String,
    /// The certificate in PEM, by which the server is recognised: each run has its own.
    authority: Vec<u8>,
}

impl WebhookServer {
    /// Returns the servers that a webhook configuration names by URL.
    pub fn of_configuration(configuration: &DynamicObject) -> Vec<Self> {
        let webhooks = configuration.data["webhooks"].as_array();
        let clients = webhooks.into_iter().flatten();
        clients
            .filter_map(|webhook| {
                let client = &webhook["clientConfig"];
                let rest = client["url"].as_str()?.strip_prefix("https://")?;
                let address = rest.split('/').next()?.to_owned();
                Self::new(address, client)
            })
            .collect()
    }

    /// Returns the server of a CRD's conversion webhook, whose Service is an external name for
    /// `host`.
    pub fn of_conversion(conversion: &Value, host: &str) -> Option<Self> {
        let client = &conversion["webhook"]["clientConfig"];
        let port = client["service"]["port"].as_u64()?;
        Self::new(format!("{host}:{port}"), client)
    }

    fn new(address: String, client: &Value) -> Option<Self> {
        let authority = ByteString::deserialize(&client["caBundle"]).ok()?.0;
        Some(Self { address, authority })
    }

    /// Reports whether the server answers with its certificate, also after the time that the
    /// operator of a killed run needs to end.
    pub fn keeps_running(&self) -> bool {
        let deadline = Instant::now() + ENDS_WITHIN;
        while self.answers() {
            if Instant::now() > deadline {
                return true;
            }
            std::thread::sleep(TICK);
        }
        false
    }

    fn answers(&self) -> bool {
        let Ok(authority) = Certificate::from_pem(&self.authority) else {
            return false;
        };
        let tls = TlsConfig::builder()
            .root_certs(RootCerts::new_with_certs(&[authority]))
            .build();
        let config = Agent::config_builder()
            .timeout_global(Some(REQUEST_TIMEOUT))
            .http_status_as_error(false)
            .proxy(None)
            .tls_config(tls)
            .build();
        let url = format!("https://{}/", self.address);
        config.new_agent().get(url).call().is_ok()
    }
}
