//! The operator's Deployment in an OLM bundle: that of `config/manager`, with the patches of
//! `config/default` and, if there are webhooks, of `config/webhook`. OLM provides the certificate
//! of the webhooks and sets the watched namespaces.

use serde_json::{Value, json};

use super::config::{items, text};
use super::error::Error;
use super::subject::{Bundle, BundleFiles};
use super::{config, patch};

/// The file with the Deployment.
const FILE: &str = "config/manager/manager.yaml";

/// The name of the operator's container.
const MANAGER: &str = "manager";

/// The directory into which OLM mounts the certificate of the webhooks, as `tls.crt` and `tls.key`.
const CERTIFICATES: &str = "/tmp/k8s-webhook-server/serving-certs";

/// The environment variables with which an operator generates its own certificate.
const OWN_CERTIFICATE: [&str; 4] = [
    "WEBHOOK_SERVICE",
    "WEBHOOK_SECRET",
    "WEBHOOK_MUTATING",
    "WEBHOOK_VALIDATING",
];

/// The Deployment, and the values that other parts of the bundle refer to.
#[derive(Debug)]
pub struct Deployment {
    /// The name of the Deployment, including the prefix of `config/default`.
    pub name: String,
    /// The image of the container `manager`, or of the first one if none has this name, with its
    /// tag or digest.
    pub image: String,
    /// The Deployment as an item of `install.spec.deployments`.
    pub json: Value,
    /// The number of patches of `config/default` that are not applied.
    pub skipped_patches: usize,
}

impl Deployment {
    /// Returns the Deployment of a project. `files` are those of `config/`.
    ///
    /// # Errors
    /// Returns an error if there is none, or if a file is not YAML.
    pub fn of(bundle: &Bundle, files: &BundleFiles) -> Result<Self, Error> {
        let all = config::all_of(files, FILE)?.into_iter();
        let mut all = all.filter(|object| object.text("/kind") == "Deployment");
        let mut json = all.next().map(|object| object.json).ok_or(Error::Lacks {
            path: FILE.to_owned(),
            what: "Deployment",
        })?;
        let default = config::one(files, "config/default/kustomization.yaml")?;
        let (patches, skipped_patches) = patch::of(&default);
        let webhooks = config::one(files, "config/webhook/kustomization.yaml")?;
        let has_webhooks = !patch::of(&webhooks).0.is_empty();
        for patch in patch::of(&webhooks).0.iter().chain(&patches) {
            patch::apply(&mut json["spec"], &patch["spec"]);
        }
        if let Some(account) = json.pointer_mut("/spec/template/spec/serviceAccountName") {
            *account = format!("{}{}", bundle.naming.prefix, text(account, "")).into();
        }
        let images = config::one(files, "config/manager/kustomization.yaml")?;
        let containers = json.pointer_mut("/spec/template/spec/containers");
        let containers = containers.and_then(Value::as_array_mut);
        for container in containers.into_iter().flatten() {
            replace_image(container, &images);
            if container["name"] == MANAGER {
                if has_webhooks {
                    use_certificates(container);
                }
                if bundle.namespaced {
                    watch_targets(container);
                }
            }
        }
        let containers = items(&json, "/spec/template/spec/containers");
        let manager = containers.iter().find(|it| text(it, "/name") == MANAGER);
        let image = manager.or(containers.first());
        let image = image.map(|it| text(it, "/image").to_owned());
        let name = format!("{}{}", bundle.naming.prefix, text(&json, "/metadata/name"));
        let mut labels = json["metadata"]["labels"].take();
        patch::apply(
            &mut labels,
            &json!({"app.kubernetes.io/name": bundle.project}),
        );
        let json = json!({"name": name, "label": labels, "spec": json["spec"]});
        Ok(Self {
            name,
            image: image.unwrap_or_default(),
            json,
            skipped_patches,
        })
    }
}

/// Replaces a container's image as kustomize does with `images`.
fn replace_image(container: &mut Value, kustomization: &Value) {
    let name = image_name(text(container, "/image"));
    let mut images = items(kustomization, "/images").iter();
    let Some(image) = images.rfind(|it| text(it, "/name") == name) else {
        return;
    };
    let new = match text(image, "/newName") {
        "" => name,
        new => new,
    };
    container["image"] = match (text(image, "/digest"), text(image, "/newTag")) {
        ("", "") => new.to_owned(),
        ("", tag) => format!("{new}:{tag}"),
        (digest, _) => format!("{new}@{digest}"),
    }
    .into();
}

/// Returns an image without its digest and its tag. A colon before the last slash belongs to a port
/// of the registry.
fn image_name(image: &str) -> &str {
    let name = image.split('@').next().unwrap_or_default();
    let tag = name.rfind(':').filter(|at| !name[*at..].contains('/'));
    &name[..tag.unwrap_or(name.len())]
}

fn use_certificates(container: &mut Value) {
    let deleted = OWN_CERTIFICATE.map(|name| json!({"name": name, "$patch": "delete"}));
    let mut env = deleted.to_vec();
    env.push(json!({"name": "WEBHOOK_CERT_PATH", "value": CERTIFICATES}));
    patch::apply(container, &json!({"env": env}));
}

/// Sets the watched namespaces: OLM writes those of the `OperatorGroup` into an annotation of the
/// Pod. An empty value means all namespaces.
fn watch_targets(container: &mut Value) {
    let name = "WATCH_NAMESPACE";
    let field = json!({"fieldRef": {"fieldPath": "metadata.annotations['olm.targetNamespaces']"}});
    let old = json!({"name": name, "$patch": "delete"});
    let new = json!({"name": name, "valueFrom": field});
    patch::apply(container, &json!({"env": [old, new]}));
}
