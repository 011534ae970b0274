//! A blocking client for the few requests that rustop itself sends to the API server of a cluster.

use std::fs;
use std::path::Path;
use std::time::Duration;

use serde_json::Value;
use ureq::tls::{Certificate, ClientCert, PrivateKey, RootCerts, TlsConfig};
use ureq::{Agent, http};

use super::error::{Error, Result};
use super::pki;
use super::state::Home;

/// A client with the administrator's certificate.
pub struct Client {
    agent: Agent,
    server: String,
}

impl Client {
    /// Creates a client of the API server at the URL `server`, with the keys of the cluster in
    /// `home`. A request fails after 5 seconds.
    pub fn new(home: &Home, server: String) -> Result<Self> {
        let pki = home.pki();
        let (certificate, key) = pki::pair(&pki, "admin");
        let tls = TlsConfig::builder()
            .root_certs(RootCerts::new_with_certs(&[read_certificate(
                &pki.join("ca.crt"),
            )?]))
            .client_cert(Some(ClientCert::new_with_certs(
                &[read_certificate(&certificate)?],
                read_key(&key)?,
            )))
            .build();
        let agent = Agent::config_builder()
            .tls_config(tls)
            .proxy(None)
            .http_status_as_error(false)
            .timeout_global(Some(Duration::from_secs(5)))
            .build()
            .new_agent();
        Ok(Self { agent, server })
    }

    /// Sends `GET path`. Returns `None` for status 404.
    pub fn get(&self, path: &str) -> Result<Option<Value>> {
        match self.request("GET", path, None) {
            Err(Error::Api { status: 404, .. }) => Ok(None),
            other => other.map(Some),
        }
    }

    /// Sends `POST path`. Returns the created object.
    pub fn create(&self, path: &str, object: &Value) -> Result<Value> {
        self.request("POST", path, Some(object))
    }

    /// Sends `DELETE path`. Returns the answer of the API server: a Status, or the object.
    pub fn delete(&self, path: &str) -> Result<Value> {
        self.request("DELETE", path, None)
    }

    /// Returns true if `/readyz` answers 200, and false if the request fails.
    pub fn is_ready(&self) -> bool {
        self.agent
            .get(format!("{}/readyz", self.server))
            .call()
            .is_ok_and(|response| response.status() == 200)
    }

    fn request(&self, method: &str, path: &str, body: Option<&Value>) -> Result<Value> {
        let name = || format!("{method} {path}");
        let unreachable = |source: ureq::Error| Error::ApiUnreachable {
            request: name(),
            source: Box::new(source),
        };
        let request = http::Request::builder()
            .method(method)
            .uri(format!("{}{path}", self.server))
            .header("content-type", "application/json")
            .body(body.map(Value::to_string).unwrap_or_default())
            .map_err(|error| unreachable(error.into()))?;
        let mut response = self.agent.run(request).map_err(unreachable)?;
        let text = response.body_mut().read_to_string().map_err(unreachable)?;
        let answer: Option<Value> = serde_json::from_str(&text).ok();
        match (response.status().as_u16(), answer) {
            (200..300, Some(answer)) => Ok(answer),
            (status, answer) => Err(Error::Api {
                request: name(),
                status,
                message: answer
                    .and_then(|answer| Some(answer.get("message")?.as_str()?.to_owned()))
                    .unwrap_or(text),
            }),
        }
    }
}

fn read_certificate(path: &Path) -> Result<Certificate<'static>> {
    let pem = fs::read(path).map_err(Error::io("read", path))?;
    Certificate::from_pem(&pem).map_err(|error| Error::io("read", path)(error.into_io()))
}

fn read_key(path: &Path) -> Result<PrivateKey<'static>> {
    let pem = fs::read(path).map_err(Error::io("read", path))?;
    PrivateKey::from_pem(&pem).map_err(|error| Error::io("read", path)(error.into_io()))
}
