//! Sets `caBundle` in every `clientConfig` that refers to the operator's Service, so that API
//! servers trust its certificate.
//!
//! The field is written without a field owner. So when the owner of the `clientConfig` removes it,
//! the field is removed as well. If the field had its own owner, it would stay, and the API server
//! would reject a CRD with such an incomplete conversion.

use k8s_openapi::{ByteString, apimachinery::pkg::apis::meta::v1::ObjectMeta};
use kube::{
    Api, Client,
    api::{ApiResource, DynamicObject, PostParams},
    core::GroupVersionKind,
};
use serde_json::Value;

/// The field manager of writes of `caBundle`.
const FIELD_MANAGER: &str = "webhook-ca-bundle";

/// The Service of the webhooks.
#[derive(Clone, Debug)]
pub(crate) struct Service {
    pub name: String,
    pub namespace: String,
}

/// The kind and name of an object that contains `clientConfig`s: a webhook configuration or a CRD.
#[derive(Clone, Debug)]
pub(crate) struct Configuration {
    resource: ApiResource,
    name: String,
}

impl Configuration {
    /// Returns the webhook configuration `name` of this kind, `MutatingWebhookConfiguration` or
    /// `ValidatingWebhookConfiguration`.
    pub fn of_webhooks(kind: &str, name: String) -> Self {
        let kind = GroupVersionKind::gvk("admissionregistration.k8s.io", "v1", kind);
        let resource = ApiResource::from_gvk(&kind);
        Self { resource, name }
    }

    /// Returns the `CustomResourceDefinition` `name`, which has a conversion webhook.
    pub fn of_crd(name: String) -> Self {
        let kind = GroupVersionKind::gvk("apiextensions.k8s.io", "v1", "CustomResourceDefinition");
        let resource = ApiResource::from_gvk(&kind);
        Self { resource, name }
    }

    /// Sets `caBundle` to `authorities`, CA certificates in PEM, wherever the object refers to
    /// `service`. Does not write if it is already set.
    ///
    /// # Errors
    /// Returns an error that names the object if it does not exist or the API server rejects the
    /// request, also because another client has changed the object in the meantime.
    pub async fn trust(
        &self,
        client: &Client,
        service: &Service,
        authorities: &str,
    ) -> Result<(), String> {
        let Self { resource, name } = self;
        let failed = |error: kube::Error| {
            let why = crate::error::describe(&error);
            format!("{}/{name}: {why}", resource.plural)
        };
        let api: Api<DynamicObject> = Api::all_with(client.clone(), resource);
        let mut object = api.get(name).await.map_err(failed)?;
        let authorities = ByteString(authorities.as_bytes().to_vec());
        let authorities = serde_json::to_value(authorities).map_err(|error| error.to_string())?;
        let params = PostParams {
            field_manager: Some(FIELD_MANAGER.to_owned()),
            ..PostParams::default()
        };
        // The write contains the `resourceVersion`. After a conflict the caller tries again.
        if set(&mut object.data, service, &authorities) {
            object = api.replace(name, &params, &object).await.map_err(failed)?;
            tracing::info!("updated the CA bundle of {}/{name}", resource.plural);
        }
        // The first write records its field manager as the owner of the field. A second one removes
        // that record.
        if disown(&mut object.metadata) {
            api.replace(name, &params, &object).await.map_err(failed)?;
        }
        Ok(())
    }
}

/// Removes the `managedFields` entries of this file's field manager. Returns true if there were
/// any.
fn disown(metadata: &mut ObjectMeta) -> bool {
    let Some(entries) = &mut metadata.managed_fields else {
        return false;
    };
    let before = entries.len();
    entries.retain(|entry| entry.manager.as_deref() != Some(FIELD_MANAGER));
    entries.len() < before
}

/// Sets `caBundle` in every JSON object inside `value` whose field `service` names `service`.
/// Returns true if anything changed.
fn set(value: &mut Value, service: &Service, authorities: &Value) -> bool {
    match value {
        Value::Array(items) => {
            let changed = items.iter_mut().map(|item| set(item, service, authorities));
            changed.fold(false, |any, one| any | one)
        }
        Value::Object(fields) => {
            let names_it = fields.get("service").is_some_and(|named| {
                named["name"] == *service.name && named["namespace"] == *service.namespace
            });
            if names_it {
                let old = fields.insert("caBundle".to_owned(), authorities.clone());
                return old.as_ref() != Some(authorities);
            }
            let changed = fields
                .values_mut()
                .map(|field| set(field, service, authorities));
            changed.fold(false, |any, one| any | one)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_the_operators_own_field_records_are_removed() {
        let entry = |manager: &str| json!({"manager": manager, "operation": "Update"});
        let metadata = |managers: &[&str]| -> ObjectMeta {
            let entries: Vec<_> = managers.iter().map(|manager| entry(manager)).collect();
            serde_json::from_value(json!({ "managedFields": entries })).unwrap()
        };
        let mut ours = metadata(&["kubectl", FIELD_MANAGER]);
        assert!(disown(&mut ours));
        assert_eq!(ours, metadata(&["kubectl"]));
        assert!(!disown(&mut ours));
        assert!(!disown(&mut ObjectMeta::default()));
    }

    #[test]
    fn only_webhooks_of_the_service_are_changed() {
        let service = Service {
            name: "hooks".to_owned(),
            namespace: "ns".to_owned(),
        };
        let mut object = json!({"webhooks": [
            {"name": "a", "clientConfig": {"service": {"name": "hooks", "namespace": "ns", "path": "/x"}}},
            {"name": "b", "clientConfig": {"service": {"name": "hooks", "namespace": "other"}}},
            {"name": "c", "clientConfig": {"url": "https://127.0.0.1:9443/x", "caBundle": "mine"}}
        ]});
        let before = object.clone();
        assert!(set(&mut object, &service, &json!("Y2E=")));
        assert_eq!(object["webhooks"][0]["clientConfig"]["caBundle"], "Y2E=");
        assert_eq!(object["webhooks"][1], before["webhooks"][1]);
        assert_eq!(object["webhooks"][2], before["webhooks"][2]);
        assert!(
            !set(&mut object, &service, &json!("Y2E=")),
            "nothing is left to do"
        );
    }
}
