//! Conversion webhooks of CRDs, redirected to the local operator during a run and restored
//! afterwards.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ManagedFieldsEntry;
use kube::api::{DynamicObject, Patch, PatchParams};
use kube::{Client, ResourceExt as _};
use serde_json::{Value, json};

use super::error::Result;
use super::objects::{MANAGER, cluster_api, request_error};
use super::webhook_server::WebhookServer;

/// The default port of a Service reference.
const USUAL_PORT: u16 = 443;
/// The client configuration of a CRD's conversion webhook. It keeps naming the Service of
/// `config/crd`, since `make install` may apply that reference again at any time: rustop redirects
/// the Service to this machine, and sets no URL.
const CONVERTER: &str = "/spec/conversion/webhook/clientConfig";

/// A CRD whose objects the local operator converts. `declared` is the conversion in `config/crd`,
/// `before` the one in the cluster before the run; `None` until it is read.
#[derive(Debug)]
pub struct Definition {
    object: DynamicObject,
    declared: Value,
    before: Option<Value>,
}

impl Definition {
    /// Changes the conversion of a CRD, for which [`is_converted`] is true, to `port` of this
    /// machine. `authority` is the certificate of the webhook server as the API server expects it
    /// in `caBundle`.
    pub fn new(object: &mut DynamicObject, port: u16, authority: &Value) -> Self {
        let declared = object.data["spec"]["conversion"].clone();
        let client = object.data.pointer_mut(CONVERTER).expect("a converter");
        client["service"]["port"] = json!(port);
        client["caBundle"].clone_from(authority);
        Self {
            object: object.clone(),
            declared,
            before: None,
        }
    }

    /// Returns the conversion that the CRD currently has in the cluster; null if the CRD is not
    /// installed. The first call records it for [`Self::restore`].
    pub async fn current(&mut self, client: &Client) -> Result<Value> {
        // a previous run that was killed may have left entries
        self.disown(client).await?;
        let found = self.crd_in_cluster(client).await?;
        let current = found.map_or(Value::Null, |found| {
            found.data["spec"]["conversion"].clone()
        });
        self.before.get_or_insert_with(|| current.clone());
        Ok(current)
    }

    /// Redirects the conversion webhook to this machine, if the CRD exists in the cluster.
    pub async fn redirect_here(&self, client: &Client) -> Result<()> {
        self.patch(client, &self.object.data["spec"]["conversion"])
            .await
    }

    /// Restores the conversion if it leads here, since no operator answers on this machine after
    /// the run.
    pub async fn restore(&self, client: &Client) -> Result<()> {
        let found = self.crd_in_cluster(client).await?;
        match found.and_then(|found| self.restored(&found)) {
            Some(conversion) => self.patch(client, &conversion).await,
            None => Ok(()),
        }
    }

    /// Returns the CRD in its current state; `None` if it is not installed.
    async fn crd_in_cluster(&self, client: &Client) -> Result<Option<DynamicObject>> {
        let found = cluster_api(client, &self.object)
            .get_opt(&self.object.name_any())
            .await;
        Ok(found.map_err(request_error(&self.object))?)
    }

    /// Sets the conversion of the CRD. Does nothing if the CRD is not installed.
    async fn patch(&self, client: &Client, conversion: &Value) -> Result<()> {
        let change = json!({ "spec": { "conversion": conversion } });
        match self.merge(client, change).await {
            Err(kube::Error::Api(status)) if status.is_not_found() => Ok(()),
            Err(error) => Err(request_error(&self.object)(error).into()),
            Ok(()) => self.disown(client).await,
        }
    }

    /// Removes the managed fields entries of rustop's patches. If the CRD's manager later removes
    /// the conversion from its manifest, fields with another owner would stay, and the API server
    /// would reject the incomplete conversion.
    async fn disown(&self, client: &Client) -> Result<()> {
        loop {
            let Some(mut crd) = self.crd_in_cluster(client).await? else {
                return Ok(());
            };
            let version = crd.resource_version();
            let entries = crd.managed_fields_mut();
            let before = entries.len();
            entries.retain(|entry| !is_patch_of_ours(entry));
            if entries.len() == before {
                return Ok(());
            }
            let change =
                json!({"metadata": {"managedFields": entries, "resourceVersion": version}});
            match self.merge(client, change).await {
                Err(kube::Error::Api(status)) if status.is_conflict() => {}
                Err(kube::Error::Api(status)) if status.is_not_found() => return Ok(()),
                result => return Ok(result.map_err(request_error(&self.object))?),
            }
        }
    }

    /// Sends a merge patch with rustop's field manager.
    async fn merge(&self, client: &Client, change: Value) -> kube::Result<()> {
        let params = PatchParams {
            field_manager: Some(MANAGER.to_owned()),
            ..PatchParams::default()
        };
        let crds = cluster_api(client, &self.object);
        let name = self.object.name_any();
        crds.patch(&name, &params, &Patch::Merge(change))
            .await
            .map(drop)
    }

    /// Returns the conversion that a CRD gets back, as a merge patch, or `None` if its conversion
    /// no longer points to this machine.
    ///
    /// With the strategy `None`, the API server silently drops fields that the other version does
    /// not have. A CRD with several versions therefore never gets `None` back, but the conversion
    /// of `config/crd`. Until an operator serves it, requests that need a conversion fail. The same
    /// applies if an earlier run had already redirected the conversion to this machine.
    fn restored(&self, found: &DynamicObject) -> Option<Value> {
        let (here, found) = (&self.object.data["spec"]["conversion"], &found.data["spec"]);
        if port(&found["conversion"]) != port(here) {
            return None;
        }
        let before = self.before.as_ref().unwrap_or(&Value::Null);
        let is_alone = found["versions"]
            .as_array()
            .is_some_and(|all| all.len() < 2);
        let mut back = match before["strategy"] == "Webhook" {
            false if is_alone => return Some(json!({"strategy": "None", "webhook": null})),
            true if port(before) == USUAL_PORT => before.clone(),
            _ => self.declared.clone(),
        };
        let client = &mut back["webhook"]["clientConfig"];
        // null in a merge patch removes a field
        for field in ["caBundle", "service", "url"] {
            client[field] = client[field].take();
        }
        if client["service"].is_object() {
            client["service"]["port"] = client["service"]["port"].take();
        }
        Some(back)
    }
}

/// Returns the server outside of the cluster that converts objects, or `None` if `service`, the
/// Service of the conversion, is in the cluster. A redirected conversion never has the default
/// port.
pub fn server(conversion: &Value, service: &DynamicObject) -> Option<WebhookServer> {
    let host = service.data["spec"]["externalName"].as_str()?;
    let port = port(conversion);
    if port == USUAL_PORT {
        return None;
    }
    let client = &conversion["webhook"]["clientConfig"];
    WebhookServer::new(format!("{host}:{port}"), client, service)
}

/// Reports whether an entry of managed fields comes from [`Definition::merge`].
fn is_patch_of_ours(entry: &ManagedFieldsEntry) -> bool {
    entry.manager.as_deref() == Some(MANAGER) && entry.operation.as_deref() == Some("Update")
}

/// Returns the port of a conversion webhook; the default port if it has a URL rather than a
/// Service.
fn port(conversion: &Value) -> u16 {
    let port = conversion.pointer("/webhook/clientConfig/service/port");
    let port = port.and_then(Value::as_u64);
    port.and_then(|port| u16::try_from(port).ok())
        .unwrap_or(USUAL_PORT)
}

/// Reports whether a Service in the cluster converts the objects of a CRD.
pub fn is_converted(object: &DynamicObject) -> bool {
    let client = object.data.pointer(CONVERTER);
    client.is_some_and(|client| client["service"].is_object())
}

/// Returns the DNS name of the Service that converts the objects of a CRD.
pub fn converter(crd: &DynamicObject) -> Option<String> {
    let service = &crd.data.pointer(CONVERTER)?["service"];
    let (name, namespace) = (service["name"].as_str()?, service["namespace"].as_str()?);
    Some(format!("{name}.{namespace}.svc"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object(value: Value) -> DynamicObject {
        serde_json::from_value(value).unwrap()
    }

    #[test]
    fn a_conversion_comes_back_and_is_none_only_for_a_single_version() {
        let webhook = |port: Value| json!({"strategy": "Webhook", "webhook": {"clientConfig": {"service": {"name": "hooks", "port": port}}}});
        let crd = |conversion: Value, versions: &[&str]| {
            object(json!({"apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition", "metadata": {"name": "c"},
            "spec": {"conversion": conversion, "versions": versions}}))
        };
        let back = |before: &Value, versions: &[&str], port: u16| {
            let definition = Definition {
                object: crd(webhook(json!(40002)), &[]),
                declared: json!({"strategy": "Webhook", "webhook": {"clientConfig": {"service": {"name": "config"}}}}),
                before: Some(before.clone()),
            };
            definition.restored(&crd(webhook(json!(port)), versions))
        };
        let client = |service: Value| {
            Some(json!({"strategy": "Webhook", "webhook": {"clientConfig":
            {"caBundle": null, "url": null, "service": service}}}))
        };
        let (one, two) = (&["v1"][..], &["v1", "v1alpha1"][..]);
        let none = json!({"strategy": "None"});
        let config = client(json!({"name": "config", "port": null}));
        for before in [none.clone(), Value::Null, webhook(json!(40001))] {
            assert_eq!(back(&before, two, 40002), config, "{before}");
        }
        let elsewhere = webhook(json!(USUAL_PORT));
        assert_eq!(
            back(&elsewhere, two, 40002),
            client(json!({"name": "hooks", "port": USUAL_PORT}))
        );
        assert_eq!(
            back(&none, one, 40002),
            Some(json!({"strategy": "None", "webhook": null}))
        );
        assert_eq!(
            back(&none, two, USUAL_PORT),
            None,
            "the CRD uses another webhook by now"
        );
    }
}
