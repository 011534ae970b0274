//! The API of an API server for the test cases, as its administrator.

use std::fs;
use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};
use ureq::Agent;
use ureq::http::Request;
use ureq::tls::{Certificate, ClientCert, PrivateKey, RootCerts, TlsConfig};

#[derive(Clone)]
pub struct Api {
    agent: Agent,
    pub server: String,
}

impl Api {
    /// With the keys called `user` of the cluster in `dir`, whose other side is known by `ca`.
    pub fn new(dir: &Path, server: String, ca: &str, user: &str) -> Self {
        let read = |name: String| fs::read(dir.join("pki").join(name)).unwrap();
        let certificate = |name: String| Certificate::from_pem(&read(name)).unwrap();
        let key = PrivateKey::from_pem(&read(format!("{user}.key"))).unwrap();
        let client = ClientCert::new_with_certs(&[certificate(format!("{user}.crt"))], key);
        let roots = RootCerts::new_with_certs(&[certificate(format!("{ca}.crt"))]);
        let tls = TlsConfig::builder()
            .root_certs(roots)
            .client_cert(Some(client))
            .build();
        let config = Agent::config_builder()
            .tls_config(tls)
            .proxy(None)
            .http_status_as_error(false)
            .timeout_global(Some(Duration::from_secs(60)));
        Self {
            agent: config.build().new_agent(),
            server,
        }
    }

    /// The status and the answer; 0 where there is none.
    pub fn call(&self, method: &str, path: &str, body: Option<&Value>) -> (u16, Value) {
        let kind = match (method, body) {
            ("PATCH", Some(Value::Array(_))) => "application/json-patch+json",
            ("PATCH", _) => "application/merge-patch+json",
            _ => "application/json",
        };
        self.send(method, path, kind, body)
    }

    /// `kind` is the media type of the body, or of the answer if the method is GET.
    pub fn send(&self, method: &str, path: &str, kind: &str, body: Option<&Value>) -> (u16, Value) {
        let header = if method == "GET" {
            "accept"
        } else {
            "content-type"
        };
        let request = Request::builder()
            .method(method)
            .uri(format!("{}{path}", self.server))
            .header(header, kind)
            .body(body.map(Value::to_string).unwrap_or_default())
            .unwrap();
        let Ok(mut response) = self.agent.run(request) else {
            return (0, Value::Null);
        };
        let text = response.body_mut().read_to_string().unwrap_or_default();
        let answer = serde_json::from_str(&text).unwrap_or(Value::String(text));
        (response.status().as_u16(), answer)
    }

    /// Returns `None` if the object does not exist.
    pub fn get(&self, path: &str) -> Option<Value> {
        let (status, answer) = self.call("GET", path, None);
        (status == 200).then_some(answer)
    }

    pub fn post(&self, path: &str, object: &Value) -> Value {
        self.must("POST", path, Some(object))
    }

    /// Server-side apply by the field manager `manager`.
    pub fn apply(&self, path: &str, manager: &str, object: &Value) -> Value {
        let path = format!("{path}?fieldManager={manager}&force=true");
        let kind = "application/apply-patch+yaml";
        accepted(
            "PATCH",
            &path,
            self.send("PATCH", &path, kind, Some(object)),
        )
    }

    /// A JSON patch if it is a list, else a merge patch.
    pub fn patch(&self, path: &str, change: &Value) -> Value {
        self.must("PATCH", path, Some(change))
    }

    pub fn delete(&self, path: &str) -> Value {
        self.must("DELETE", path, Some(&json!({})))
    }

    fn must(&self, method: &str, path: &str, body: Option<&Value>) -> Value {
        accepted(method, path, self.call(method, path, body))
    }
}

fn accepted(method: &str, path: &str, (status, answer): (u16, Value)) -> Value {
    assert!(
        (200..300).contains(&status),
        "{method} {path}: {status} {answer}"
    );
    answer
}
