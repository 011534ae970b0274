//! The `ClusterServiceVersion`: the user's description of the operator, completed from the project.

use serde_json::{Value, json};

use super::config::ConfigObject;
use super::deployment::Deployment;
use super::error::Error;
use super::permissions::Permissions;
use super::subject::{BASE, Bundle};
use super::webhooks::OlmWebhooks;
use super::{owned, patch};

/// The input for a `ClusterServiceVersion`.
#[derive(Debug)]
pub struct Parts<'a> {
    /// The user's part, the contents of the file `BASE`; null if it does not exist.
    pub base: Value,
    /// The CRDs of the bundle.
    pub crds: &'a [ConfigObject],
    /// The samples of the project.
    pub samples: &'a [ConfigObject],
    pub deployment: Deployment,
    pub permissions: Permissions,
    pub webhooks: OlmWebhooks,
}

impl Bundle<'_> {
    /// Returns the complete `ClusterServiceVersion`.
    ///
    /// # Errors
    /// Returns an error if the user's part has no `spec`.
    pub fn csv(&self, parts: Parts) -> Result<Value, Error> {
        let mut csv = parts.base;
        if !csv["spec"].is_object() {
            return Err(Error::Lacks {
                path: BASE.to_owned(),
                what: "`spec`",
            });
        }
        let definitions =
            owned::definitions(self, parts.crds, &csv["spec"]["customresourcedefinitions"]);
        let [cluster, namespace] = parts.permissions.json(self);
        let converts = parts.webhooks.converts;
        let name = format!("{}.v{}", self.project, self.version);
        let generated = json!({
            "apiVersion": "operators.coreos.com/v1alpha1",
            "kind": "ClusterServiceVersion",
            "metadata": {
                "name": name,
                "annotations": {
                    "alm-examples": examples(parts.samples, parts.crds),
                    "containerImage": parts.deployment.image,
                    "operatorframework.io/suggested-namespace": self.naming.namespace,
                },
            },
            "spec": {
                "version": self.version,
                "install": {"strategy": "deployment", "spec": {}},
                "installModes": [],
            },
        });
        patch::apply(&mut csv, &generated);
        let spec = &mut csv["spec"];
        spec["customresourcedefinitions"] = definitions;
        spec["installModes"] = self.install_modes(converts);
        let install = json!({
            "clusterPermissions": cluster,
            "permissions": namespace,
            "deployments": [parts.deployment.json],
        });
        // `patch::apply` drops null values.
        spec["install"]["spec"] = json!({});
        patch::apply(&mut spec["install"]["spec"], &install);
        if parts.webhooks.json.is_empty() {
            if let Some(spec) = spec.as_object_mut() {
                spec.remove("webhookdefinitions");
            }
        } else {
            spec["webhookdefinitions"] = parts.webhooks.json.into();
        }
        Ok(csv)
    }

    /// Returns the supported install modes. An operator without a list of namespaces watches all of
    /// them. A cluster-scoped operator never gets a list, so it supports only `AllNamespaces`.
    fn install_modes(&self, converts: bool) -> Value {
        let confined = self.namespaced && !converts;
        json!([
            {"type": "OwnNamespace", "supported": confined},
            {"type": "SingleNamespace", "supported": confined},
            {"type": "MultiNamespace", "supported": confined},
            {"type": "AllNamespaces", "supported": true},
        ])
    }
}

/// Returns the samples of kinds whose CRD is in the bundle, as JSON.
fn examples(samples: &[ConfigObject], crds: &[ConfigObject]) -> String {
    let is_owned = |sample: &&ConfigObject| {
        let (group, _) = sample
            .text("/apiVersion")
            .split_once('/')
            .unwrap_or_default();
        let mut crds = crds.iter();
        crds.any(|crd| {
            crd.text("/spec/group") == group && crd.text("/spec/names/kind") == sample.text("/kind")
        })
    };
    let samples: Vec<_> = samples.iter().filter(is_owned).map(|it| &it.json).collect();
    serde_json::to_string_pretty(&samples).unwrap_or_default()
}
