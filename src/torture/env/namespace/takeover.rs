//! Takes a namespace over from an earlier run, and checks its custom resources before the operator starts.

use std::collections::BTreeSet;

use http::Method;
use serde_json::{Value, json};

use super::{RunNamespace, refusal};
use crate::torture::api::call::Resource;
use crate::torture::env::cluster_view::ServedKinds;
use crate::torture::env::namespace::left::{LeftNamespace, RejectedObject};
use crate::torture::error::Result;
use crate::torture::snapshot::ObjectId;
use crate::torture::snapshot::fields::{TOUCH_ANNOTATION, kind};

impl RunNamespace<'_> {
    /// Returns the namespace for another run. `roles` are those that this run has created in it.
    pub fn leave(&self, number: usize, roles: &[Value]) -> LeftNamespace {
        LeftNamespace {
            number,
            before: self.before.clone(),
            written: self.journal.written(),
            roles: roles.to_vec(),
        }
    }

    /// Replaces the roles of the run that left the namespace.
    ///
    /// # Errors
    /// Returns an error if the API server rejects a role.
    pub async fn take_over(&self, left: &LeftNamespace, roles: &[Value]) -> Result<()> {
        for role in &left.roles {
            if let Some(kind) = self.kinds.of_written(role) {
                let name = role["metadata"]["name"].as_str().unwrap_or_default();
                let path = self.path_of(&kind, name);
                let _ = self.send_json(Method::DELETE, &path, &Value::Null).await?;
            }
        }
        for role in roles {
            let made = self.create(role.clone()).await?;
            made.map_err(|message| refusal(role, message))?;
        }
        Ok(())
    }

    /// Returns the custom resources of the run that the API server does not convert or no longer accepts, each in the first
    /// API version for which this holds. An update of an annotation shows it; the update is a dry run.
    ///
    /// # Errors
    /// Returns an error if a request fails.
    pub async fn rejected_objects(&self, own: &BTreeSet<Resource>) -> Result<Vec<RejectedObject>> {
        let crds = self.world.objects("");
        let touch = json!({ "metadata": { "annotations": { TOUCH_ANNOTATION: "upgrade" } } });
        let mut rejected = Vec::new();
        for object in self.objects() {
            let Some(resource) = resource_among(&self.kinds, own, &object) else {
                continue;
            };
            let name = object["metadata"]["name"].as_str().unwrap_or_default();
            let namespace = object["metadata"]["namespace"].as_str();
            for version in served_versions(&crds, &resource) {
                let in_version = Resource {
                    version: version.clone(),
                    ..resource.clone()
                };
                let path = format!("{}/{name}?dryRun=All", in_version.path(namespace));
                if let Err(message) = self.patch(&path, &touch).await? {
                    rejected.push(RejectedObject {
                        id: ObjectId {
                            kind: kind(&object),
                            name: name.replace(&self.namespace, "NAMESPACE"),
                        },
                        version,
                        message,
                    });
                    break;
                }
            }
        }
        Ok(rejected)
    }
}

/// Returns the resource of an object if it is among `own`, in any version.
fn resource_among(
    kinds: &ServedKinds,
    own: &BTreeSet<Resource>,
    object: &Value,
) -> Option<Resource> {
    let resource = kinds.resource_of(object)?;
    let is_own = |it: &Resource| (&it.group, &it.plural) == (&resource.group, &resource.plural);
    own.iter().any(is_own).then_some(resource)
}

/// Returns the versions in which the CRD of a resource is served.
fn served_versions(crds: &[Value], resource: &Resource) -> Vec<String> {
    let name = resource.to_string();
    let crd = crds.iter().find(|it| {
        it["kind"] == "CustomResourceDefinition" && it["metadata"]["name"] == name.as_str()
    });
    let versions = crd.and_then(|crd| crd["spec"]["versions"].as_array());
    versions
        .into_iter()
        .flatten()
        .filter(|version| version["served"] == true)
        .filter_map(|version| version["name"].as_str().map(str::to_owned))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_served_versions_are_requested() {
        let crd = json!({"kind": "CustomResourceDefinition", "metadata": {"name": "cows.my.domain"},
            "spec": {"versions": [
                {"name": "v1", "served": true}, {"name": "v1alpha1", "served": false}]}});
        let resource = |plural: &str| Resource {
            group: "my.domain".into(),
            version: "v1".into(),
            plural: plural.into(),
        };
        let crds = [crd];
        assert_eq!(served_versions(&crds, &resource("cows")), ["v1"]);
        assert_eq!(served_versions(&crds, &resource("hens")), [""; 0]);
    }
}
