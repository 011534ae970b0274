//! Webhooks of an operator that runs beside the control plane, and not in it: their Service becomes
//! another name of this machine. All else is as in a cluster, the certificate included.

use std::collections::BTreeSet;
use std::net::{Ipv4Addr, TcpListener};

use kube::api::{Api, ApiResource, DeleteParams, DynamicObject};
use kube::{Client, ResourceExt as _};
use serde_json::json;

use super::objects::{kind, refused};
use crate::error::{Error, Result};

/// The webhooks that the API server calls on this machine.
#[derive(Debug)]
pub struct Webhooks {
    /// Where the operator serves them.
    pub port: u16,
    configurations: Vec<DynamicObject>,
}

impl Webhooks {
    /// Leads those of the objects to this machine; `None` where there are none.
    ///
    /// # Errors
    /// When the machine has no free port.
    pub fn lead_here(objects: &mut [DynamicObject]) -> Result<Option<Self>> {
        let is_configuration = |object: &&mut DynamicObject| {
            [
                "MutatingWebhookConfiguration",
                "ValidatingWebhookConfiguration",
            ]
            .contains(&kind(object))
        };
        if !objects.iter_mut().any(|object| is_configuration(&object)) {
            return Ok(None);
        }
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0));
        let address = listener.and_then(|listener| listener.local_addr());
        let port = address.map_err(Error::io("listen on", "127.0.0.1"))?.port();
        let mut services = BTreeSet::new();
        for object in objects.iter_mut().filter(is_configuration) {
            let webhooks = object.data["webhooks"].as_array_mut();
            for webhook in webhooks.into_iter().flatten() {
                if let Some(service) = webhook.pointer_mut("/clientConfig/service") {
                    service["port"] = json!(port);
                    services.insert(service["name"].as_str().map(str::to_owned));
                }
            }
        }
        for object in objects
            .iter_mut()
            .filter(|object| kind(object) == "Service")
        {
            if services.contains(&Some(object.name_any())) {
                object.data["spec"] =
                    json!({ "type": "ExternalName", "externalName": "localhost" });
            }
        }
        let configurations = objects.iter_mut().filter(is_configuration);
        let configurations = configurations.map(|object| object.clone()).collect();
        Ok(Some(Self {
            port,
            configurations,
        }))
    }

    /// Takes the configurations away: nobody answers any more.
    ///
    /// # Errors
    /// When the API server refuses.
    pub async fn remove(&self, client: &Client) -> Result<()> {
        for object in &self.configurations {
            let types = object.types.clone().unwrap_or_default();
            let resource = ApiResource::from_gvk(&types.try_into().expect("a rendered object"));
            let api: Api<DynamicObject> = Api::all_with(client.clone(), &resource);
            match api
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

    fn object(value: serde_json::Value) -> DynamicObject {
        serde_json::from_value(value).unwrap()
    }

    #[test]
    fn the_service_becomes_this_machine() {
        let mut objects = [
            object(
                json!({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "hooks"},
                "spec": {"ports": [{"port": 443}]}}),
            ),
            object(
                json!({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "metrics"},
                "spec": {"ports": [{"port": 8443}]}}),
            ),
            object(json!({"apiVersion": "admissionregistration.k8s.io/v1",
                "kind": "ValidatingWebhookConfiguration", "metadata": {"name": "v"}, "webhooks": [
                {"name": "a", "clientConfig": {"service": {"name": "hooks", "namespace": "ns"}}},
                {"name": "b", "clientConfig": {"url": "https://elsewhere"}}]})),
        ];
        assert!(Webhooks::lead_here(&mut objects[..2]).unwrap().is_none());
        let webhooks = Webhooks::lead_here(&mut objects).unwrap().unwrap();
        assert_eq!(objects[0].data["spec"]["externalName"], "localhost");
        assert!(objects[1].data["spec"].get("externalName").is_none());
        let clients = &objects[2].data["webhooks"];
        assert_eq!(clients[0]["clientConfig"]["service"]["port"], webhooks.port);
        assert_eq!(
            clients[1]["clientConfig"],
            json!({"url": "https://elsewhere"})
        );
    }
}
