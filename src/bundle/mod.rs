//! An OLM bundle in the format registry+v1: the `ClusterServiceVersion` and the other manifests,
//! generated from the files of `config/`. The description of the operator (`BASE`) is a user file;
//! everything else is derived. The functions work on texts and do not access the file system.

mod config;
mod csv;
mod deployment;
mod error;
mod owned;
mod patch;
mod permissions;
mod subject;
#[cfg(test)]
mod tests;
mod webhooks;

use serde_json::Value;

use crate::yaml;

use config::ConfigObject;
use deployment::Deployment;
pub use error::Error;
use permissions::Permissions;
pub use subject::{BASE, Bundle, BundleFiles};
use webhooks::OlmWebhooks;

/// The directory of a bundle, relative to the project.
pub const DIRECTORY: &str = "bundle";

/// The files of a generated bundle.
#[derive(Debug, Default)]
pub struct GeneratedBundle {
    /// The manifests, below `bundle/manifests/`.
    pub files: BundleFiles,
    /// Notes for the user, one line each: parts of `config/` that OLM does not support, and
    /// versions of OLM that cannot install the bundle.
    pub notes: Vec<String>,
}

impl Bundle<'_> {
    /// Generates the manifests from the files of `config/`.
    ///
    /// # Errors
    /// Returns an error if a file is not YAML, if there is no Deployment, or if the file [`BASE`]
    /// is missing or has no `spec`.
    pub fn manifests(&self, config: &BundleFiles) -> Result<GeneratedBundle, Error> {
        let deployment = Deployment::of(self, config)?;
        let mut crds = config::below(config, "config/crd/bases/")?;
        let configurations = config::below(config, "config/webhook/")?;
        let webhooks = OlmWebhooks::of(&configurations, &crds, &deployment.name);
        let objects = config::below(config, "config/rbac/")?;
        let permissions = Permissions::of(self, &objects);
        let notes = self.notes(&deployment, &permissions, &webhooks);
        let mut files = BundleFiles::new();
        let services = config::below(config, "config/default/")?;
        for object in objects.iter().chain(&services) {
            let kind = object.text("/kind");
            if kind == "Service" || kind == "ClusterRole" && !permissions.has(object) {
                insert(&mut files, &self.renamed(object));
            }
        }
        for crd in &mut crds {
            webhooks::redirect(&mut crd.json, &deployment.name);
            insert(&mut files, &crd.json);
        }
        let parts = csv::Parts {
            base: config::one(config, BASE)?,
            crds: &crds,
            samples: &config::below(config, "config/samples/")?,
            deployment,
            permissions,
            webhooks,
        };
        let path = format!(
            "{DIRECTORY}/manifests/{}.clusterserviceversion.yaml",
            self.project
        );
        files.insert(path, text(&self.csv(parts)?));
        Ok(GeneratedBundle { files, notes })
    }

    /// Returns an object with the prefix of `config/default` and without a namespace, since OLM
    /// chooses it.
    fn renamed(&self, object: &ConfigObject) -> Value {
        let mut json = object.json.clone();
        let name = format!("{}{}", self.naming.prefix, object.text("/metadata/name"));
        json["metadata"]["name"] = name.into();
        if let Some(metadata) = json["metadata"].as_object_mut() {
            metadata.remove("namespace");
        }
        json
    }

    /// Returns the notes for the user.
    fn notes(
        &self,
        deployment: &Deployment,
        permissions: &Permissions,
        webhooks: &OlmWebhooks,
    ) -> Vec<String> {
        let mut notes = webhooks.lost.clone();
        if deployment.skipped_patches > 0 {
            notes.push(format!(
                "the bundle follows patches in config/default/kustomization.yaml that are merged and written there; {} are not",
                deployment.skipped_patches
            ));
        }
        for (namespace, role) in &permissions.elsewhere {
            notes.push(format!(
                "the bundle does not grant the role `{role}` in the namespace `{namespace}`, since OLM grants only in the \
                 watched namespaces; apply it there with its binding"
            ));
        }
        if self.namespaced && webhooks.converts {
            notes.push("OLM converts objects for the whole cluster alone: the only install mode is AllNamespaces".to_owned());
        }
        if !self.required.is_empty() {
            let names: Vec<_> = self
                .required
                .iter()
                .map(|it| config::text(it, "/name"))
                .collect();
            notes.push(format!(
                "OLM v1 installs no bundle that requires definitions of others ({}); OLM v0 does",
                names.join(", ")
            ));
        }
        notes
    }
}

/// Adds an object as a file of its own, as OLM's tools expect.
fn insert(files: &mut BundleFiles, json: &Value) {
    let [kind, name] = ["/kind", "/metadata/name"].map(|at| config::text(json, at));
    let kind = kind.to_lowercase();
    let path = format!("{DIRECTORY}/manifests/{name}.{kind}.yaml");
    files.insert(path, text(json));
}

/// Returns the text of a generated file.
fn text(json: &Value) -> String {
    format!("{}{}", yaml::HEADER, yaml::write(json))
}
