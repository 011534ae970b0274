//! Webhooks of an operator that runs beside the cluster, and not in it: as long as it runs, the API server
//! calls them at a URL on this machine. The certificate is made here, and forgotten afterwards.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::net::{Ipv4Addr, Ipv6Addr, TcpListener, TcpStream};

use k8s_openapi::ByteString;
use kube::api::{Api, ApiResource, DeleteParams, DynamicObject};
use kube::{Client, ResourceExt as _};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::objects::{kind, refused};
use super::reach::Host;
use crate::error::{Error, Result};

const CONFIGURATIONS: [&str; 2] = [
    "MutatingWebhookConfiguration",
    "ValidatingWebhookConfiguration",
];
/// On each configuration that leads to a developer's machine, so that no other is overwritten or deleted.
const OWNER: (&str, &str) = ("app.kubernetes.io/managed-by", "rustop");

/// The webhooks that the API server calls on this machine.
#[derive(Debug)]
pub struct Webhooks {
    host: Host,
    port: u16,
    /// Holds `tls.crt` and `tls.key`.
    certificate: TempDir,
    configurations: Vec<DynamicObject>,
}

impl Webhooks {
    /// Leads those of the objects to this machine, which the API server reaches at `host`; `None` where
    /// there are none. A webhook that somebody else serves stays as it is.
    ///
    /// # Errors
    /// When the machine has no free port, or the certificate cannot be written.
    pub fn lead_here(objects: &mut [DynamicObject], host: &Host) -> Result<Option<Self>> {
        if !objects.iter().any(is_configuration) {
            return Ok(None);
        }
        let port = free_port(host)?;
        let (certificate, authority) = certificate(host)?;
        let services = objects.iter().filter(|object| kind(object) == "Service");
        let services: BTreeSet<_> = services.map(kube::ResourceExt::name_any).collect();
        for object in objects.iter_mut().filter(|object| is_configuration(object)) {
            object.labels_mut().insert(OWNER.0.into(), OWNER.1.into());
            let webhooks = object.data["webhooks"].as_array_mut();
            for webhook in webhooks.into_iter().flatten() {
                let client = &mut webhook["clientConfig"];
                let service = client["service"]["name"].as_str().unwrap_or_default();
                if services.contains(service) {
                    let path = client["service"]["path"].as_str().unwrap_or("/");
                    let url = format!("https://{host}:{port}{path}");
                    *client = json!({ "url": url, "caBundle": authority });
                }
            }
        }
        let configurations = objects.iter().filter(|object| is_configuration(object));
        Ok(Some(Self {
            host: host.clone(),
            port,
            certificate,
            configurations: configurations.cloned().collect(),
        }))
    }

    /// Leaves webhooks out, where nobody would answer; true if there are any.
    pub fn leave_out(objects: &mut Vec<DynamicObject>) -> bool {
        let before = objects.len();
        objects.retain(|object| !is_configuration(object));
        objects.len() < before
    }

    /// What the operator has to know to serve them.
    pub fn environment(&self) -> Vec<(&'static str, OsString)> {
        let mut environment = vec![
            ("WEBHOOK_PORT", self.port.to_string().into()),
            ("WEBHOOK_CERT_PATH", self.certificate.path().into()),
        ];
        let address = self.host.only_here();
        environment.extend(address.map(|address| ("WEBHOOK_HOST", address.to_string().into())));
        environment
    }

    /// Whether the operator listens.
    pub fn are_served(&self) -> bool {
        let here = self.host.only_here().unwrap_or(Ipv4Addr::LOCALHOST.into());
        TcpStream::connect((here, self.port)).is_ok()
    }

    /// Where the API server calls them: `127.0.0.1:40123`.
    pub fn address(&self) -> String {
        format!("{}:{}", self.host, self.port)
    }

    /// What the API server has to be told.
    pub fn configurations(&self) -> Vec<DynamicObject> {
        self.configurations.clone()
    }

    /// Makes sure that nobody else's configurations are meant.
    ///
    /// # Errors
    /// When one of this name is there that leads to an operator inside of the cluster.
    pub async fn check(&self, client: &Client) -> Result<()> {
        for object in &self.configurations {
            let found = api(client, object).get_opt(&object.name_any()).await;
            let found = found.map_err(refused(object))?;
            if found.is_some_and(|found| {
                found.labels().get(OWNER.0).map(String::as_str) != Some(OWNER.1)
            }) {
                let object = format!("{}/{}", kind(object).to_lowercase(), object.name_any());
                return Err(Error::DeployedThere { object });
            }
        }
        Ok(())
    }

    /// Takes the configurations away: nobody answers any more.
    ///
    /// # Errors
    /// When the API server refuses.
    pub async fn remove(&self, client: &Client) -> Result<()> {
        for object in &self.configurations {
            match api(client, object)
                .delete(&object.name_any(), &DeleteParams::default())
                .await
            {
                Err(kube::Error::Api(status)) if status.is_not_found() => {}
                result => drop(result.map_err(refused(object))?),
            }
        }
        Ok(())
    }
}

fn is_configuration(object: &DynamicObject) -> bool {
    CONFIGURATIONS.contains(&kind(object))
}

fn api(client: &Client, object: &DynamicObject) -> Api<DynamicObject> {
    let types = object.types.clone().unwrap_or_default();
    let resource = ApiResource::from_gvk(&types.try_into().expect("a rendered object"));
    Api::all_with(client.clone(), &resource)
}

/// One that is free where the operator will listen: here alone, or on all interfaces.
fn free_port(host: &Host) -> Result<u16> {
    let listener = match host.only_here() {
        Some(address) => TcpListener::bind((address, 0)),
        None => TcpListener::bind((Ipv6Addr::UNSPECIFIED, 0))
            .or_else(|_| TcpListener::bind((Ipv4Addr::UNSPECIFIED, 0))),
    };
    let address = listener.and_then(|listener| listener.local_addr());
    Ok(address
        .map_err(Error::io("listen on", host.as_str()))?
        .port())
}

/// A directory with a certificate for `host`, which vouches for itself, and the same as a `caBundle`.
fn certificate(host: &Host) -> Result<(TempDir, Value)> {
    let dir = tempfile::tempdir().map_err(Error::io("create", std::env::temp_dir()))?;
    let made = rcgen::generate_simple_self_signed([host.as_str().to_owned()])
        .expect("a name or an address");
    for (file, text) in [
        ("tls.crt", made.cert.pem()),
        ("tls.key", made.signing_key.serialize_pem()),
    ] {
        let path = dir.path().join(file);
        fs::write(&path, text).map_err(Error::io("write", &path))?;
    }
    Ok((dir, json!(ByteString(made.cert.pem().into_bytes()))))
}

/// Whether the API server could not ask a webhook, which may serve in a moment.
pub fn is_not_served_yet(error: &Error) -> bool {
    let Error::Refused { source, .. } = error else {
        return false;
    };
    source.to_string().contains("failed calling webhook")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object(value: Value) -> DynamicObject {
        serde_json::from_value(value).unwrap()
    }

    #[test]
    fn only_webhooks_of_the_projects_own_lead_here() {
        let mut objects = [
            object(
                json!({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "hooks"},
                "spec": {"ports": [{"port": 443}]}}),
            ),
            object(json!({"apiVersion": "admissionregistration.k8s.io/v1",
                "kind": "ValidatingWebhookConfiguration", "metadata": {"name": "v"}, "webhooks": [
                {"name": "a", "clientConfig": {"service": {"name": "hooks", "namespace": "ns", "path": "/a"}}},
                {"name": "b", "clientConfig": {"service": {"name": "others", "namespace": "ns"}}},
                {"name": "c", "clientConfig": {"url": "https://elsewhere"}}]})),
        ];
        let before = objects.clone();
        let host = Host::loopback();
        assert!(
            Webhooks::lead_here(&mut objects[..1], &host)
                .unwrap()
                .is_none()
        );
        let webhooks = Webhooks::lead_here(&mut objects, &host).unwrap().unwrap();
        assert_eq!(objects[0], before[0], "the Service stays");
        let clients = &objects[1].data["webhooks"];
        let url = format!("https://127.0.0.1:{}/a", webhooks.port);
        assert_eq!(clients[0]["clientConfig"]["url"], url);
        assert!(clients[0]["clientConfig"]["caBundle"].is_string());
        assert_eq!(clients[1], before[1].data["webhooks"][1]);
        assert_eq!(clients[2], before[1].data["webhooks"][2]);
        assert_eq!(objects[1].labels()[OWNER.0], OWNER.1);
        assert!(!webhooks.are_served());

        let mut objects = objects.to_vec();
        assert!(Webhooks::leave_out(&mut objects) && objects.len() == 1);
        assert!(!Webhooks::leave_out(&mut objects));
    }
}
