//! Who converts the objects of a CRD, while the operator runs beside the cluster and afterwards.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ManagedFieldsEntry;
use kube::api::{DynamicObject, Patch, PatchParams};
use kube::{Client, ResourceExt as _};
use serde_json::{Value, json};

use super::error::Result;
use super::objects::{MANAGER, api, refused};

/// The port of a Service, where nobody says another.
const USUAL_PORT: u16 = 443;
/// Where a CRD says who converts. `config/crd` names a Service, and `make install` may say so again at any
/// time; so it is the Service that leads here, and not a URL.
const CONVERTER: &str = "/spec/conversion/webhook/clientConfig";

/// A CRD whose objects are converted here, who is to convert them by `config/crd`, and who did so before.
#[derive(Debug)]
pub struct Definition {
    object: DynamicObject,
    said: Value,
    before: Value,
}

impl Definition {
    /// Has the objects of a CRD converted at `port` of this machine.
    pub fn new(object: &mut DynamicObject, port: u16, authority: &Value) -> Self {
        let said = object.data["spec"]["conversion"].clone();
        let client = object.data.pointer_mut(CONVERTER).expect("a converter");
        client["service"]["port"] = json!(port);
        client["caBundle"].clone_from(authority);
        Self {
            object: object.clone(),
            said,
            before: Value::Null,
        }
    }

    /// Looks who converts so far.
    pub async fn look(&mut self, client: &Client) -> Result<()> {
        // of a run that was killed
        self.disown(client).await?;
        let found = self.found(client).await?;
        self.before = found.map_or(Value::Null, |found| {
            found.data["spec"]["conversion"].clone()
        });
        Ok(())
    }

    /// Has the API server ask here, if it has the CRD.
    pub async fn lead_here(&self, client: &Client) -> Result<()> {
        self.patch(client, &self.object.data["spec"]["conversion"])
            .await
    }

    /// Leads the API server away from here, where nobody answers any more.
    pub async fn restore(&self, client: &Client) -> Result<()> {
        let found = self.found(client).await?;
        match found.and_then(|found| self.restored(&found)) {
            Some(conversion) => self.patch(client, &conversion).await,
            None => Ok(()),
        }
    }

    async fn found(&self, client: &Client) -> Result<Option<DynamicObject>> {
        let found = api(client, &self.object)
            .get_opt(&self.object.name_any())
            .await;
        Ok(found.map_err(refused(&self.object))?)
    }

    async fn patch(&self, client: &Client, conversion: &Value) -> Result<()> {
        let change = json!({ "spec": { "conversion": conversion } });
        match self.merge(client, change).await {
            Err(kube::Error::Api(status)) if status.is_not_found() => Ok(()),
            Err(error) => Err(refused(&self.object)(error).into()),
            Ok(()) => self.disown(client).await,
        }
    }

    /// Gives up what patches own. Who applies this CRD may take the conversion out one day, and what had
    /// another owner would stay: half a conversion, which the API server refuses.
    async fn disown(&self, client: &Client) -> Result<()> {
        loop {
            let Some(mut crd) = self.found(client).await? else {
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
                result => return Ok(result.map_err(refused(&self.object))?),
            }
        }
    }

    async fn merge(&self, client: &Client, change: Value) -> kube::Result<()> {
        let params = PatchParams {
            field_manager: Some(MANAGER.to_owned()),
            ..PatchParams::default()
        };
        let crds = api(client, &self.object);
        let name = self.object.name_any();
        crds.patch(&name, &params, &Patch::Merge(change))
            .await
            .map(drop)
    }

    /// The conversion that a CRD gets back, as a merge patch; none where it does not lead here any more. With
    /// `None` the API server drops what the other version has not, without a word: so a CRD with several
    /// versions gets it back never, and what `config/crd` says instead. That refuses what needs a conversion
    /// as long as no operator serves it, and so does what an earlier run led to this machine.
    fn restored(&self, found: &DynamicObject) -> Option<Value> {
        let (here, found) = (&self.object.data["spec"]["conversion"], &found.data["spec"]);
        if port(&found["conversion"]) != port(here) {
            return None;
        }
        let before = &self.before;
        let is_alone = found["versions"]
            .as_array()
            .is_some_and(|all| all.len() < 2);
        let mut back = match before["strategy"] == "Webhook" {
            false if is_alone => return Some(json!({"strategy": "None", "webhook": null})),
            true if port(before) == USUAL_PORT => before.clone(),
            _ => self.said.clone(),
        };
        let client = &mut back["webhook"]["clientConfig"];
        // in a merge patch, null takes away what is there now
        for field in ["caBundle", "service", "url"] {
            client[field] = client[field].take();
        }
        if client["service"].is_object() {
            client["service"]["port"] = client["service"]["port"].take();
        }
        Some(back)
    }
}

fn is_patch_of_ours(entry: &ManagedFieldsEntry) -> bool {
    entry.manager.as_deref() == Some(MANAGER) && entry.operation.as_deref() == Some("Update")
}

/// The port at which a conversion is asked for; the usual one, too, where that is at a URL.
fn port(conversion: &Value) -> u16 {
    let port = conversion.pointer("/webhook/clientConfig/service/port");
    let port = port.and_then(Value::as_u64);
    port.and_then(|port| u16::try_from(port).ok())
        .unwrap_or(USUAL_PORT)
}

/// Whether somebody in the cluster converts the objects of a CRD.
pub fn is_converted(object: &DynamicObject) -> bool {
    let client = object.data.pointer(CONVERTER);
    client.is_some_and(|client| client["service"].is_object())
}

/// The name at which the API server reaches who converts.
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
                said: json!({"strategy": "Webhook", "webhook": {"clientConfig": {"service": {"name": "config"}}}}),
                before: before.clone(),
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
        assert_eq!(back(&none, two, USUAL_PORT), None, "somebody else's by now");
    }
}
