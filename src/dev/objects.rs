//! The manifests of an operator: rendering of `config/` with `kubectl kustomize`, server-side
//! apply, and discovery of the API of each object.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use k8s_openapi::api::core::v1::Namespace;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::api::{Api, DynamicObject, Patch, PatchParams};
use kube::core::GroupVersionKind;
use kube::discovery::{ApiCapabilities, ApiResource, Scope};
use kube::{Client, ResourceExt as _};
use serde_json::Value;

use super::error::{Error, Result};
use crate::client;
use crate::error::Io;
use crate::yaml;

/// The field manager of rustop's changes.
pub const MANAGER: &str = "rustop";

/// The maximum time until the API server serves a new kind.
const SERVED_WITHIN: Duration = Duration::from_secs(20);

/// The manifests that install an operator: the objects to apply, and the operator's identity.
/// Rendered from `config/default` for a scaffolded project, and read from other manifests for
/// adopted and external operators. Of an external operator, rustop only knows the command line and
/// directories of manifests.
#[derive(Debug)]
pub struct OperatorManifests {
    /// The objects to apply, without the operator's Deployment, since rustop runs the operator
    /// itself. Those of adopted operators contain no workloads, and those of external ones no
    /// Deployments.
    pub objects: Vec<DynamicObject>,
    /// The operator's namespace; `default` if the manifests of an external operator contain no
    /// ServiceAccount.
    pub namespace: String,
    /// The operator's ServiceAccount in that namespace; empty if the manifests of an external
    /// operator contain none.
    pub service_account: String,
    /// The `--leader-election-*` arguments of the operator's Deployment; empty for adopted and
    /// external operators.
    pub election: Vec<String>,
}

impl OperatorManifests {
    /// Returns the operator's user name, as in the API server's audit log.
    pub fn user(&self) -> String {
        format!(
            "system:serviceaccount:{}:{}",
            self.namespace, self.service_account
        )
    }
}

/// Renders a directory below `root`.
///
/// # Errors
/// Returns an error if kubectl cannot be run or fails, or if its output is not YAML. The error
/// contains the output of a kubectl that fails.
pub fn kustomize(root: &Path, dir: &str, kubectl: &Path) -> Result<Vec<DynamicObject>> {
    let mut command = Command::new(kubectl);
    command
        .arg("kustomize")
        .arg(dir)
        .current_dir(root)
        .stdin(Stdio::null());
    let output = command.output().map_err(Io::on("run", kubectl))?;
    if !output.status.success() {
        let output = String::from_utf8_lossy(&output.stderr).into_owned();
        return Err(Error::Kustomize {
            dir: dir.to_owned(),
            output,
        });
    }
    let yaml = String::from_utf8_lossy(&output.stdout);
    yaml::documents(&yaml).map_err(|error| Error::Kustomize {
        dir: dir.to_owned(),
        output: error.to_string(),
    })
}

/// Renders `config/default`.
///
/// # Errors
/// Returns an error if it does not render, or if it contains no operator.
pub fn operator_manifests(root: &Path, kubectl: &Path) -> Result<OperatorManifests> {
    const DIR: &str = "config/default";
    let objects = kustomize(root, DIR, kubectl)?;
    let is_operator = |object: &DynamicObject| {
        kind(object) == "Deployment"
            && object
                .labels()
                .get("control-plane")
                .is_some_and(|part| part == "controller-manager")
    };
    let (operators, objects): (Vec<_>, Vec<_>) = objects.into_iter().partition(is_operator);
    let operator = operators.first().and_then(|operator| {
        let account = operator
            .data
            .pointer("/spec/template/spec/serviceAccountName")?
            .as_str()?;
        Some((
            operator.namespace()?,
            account.to_owned(),
            election(operator),
        ))
    });
    let Some((namespace, service_account, election)) = operator else {
        let output = "no Deployment with the label `control-plane: controller-manager` and a serviceAccountName".to_owned();
        return Err(Error::Kustomize {
            dir: DIR.to_owned(),
            output,
        });
    };
    Ok(OperatorManifests {
        objects,
        namespace,
        service_account,
        election,
    })
}

/// Returns the leader election arguments of the operator's Deployment.
fn election(operator: &DynamicObject) -> Vec<String> {
    let containers = operator.data.pointer("/spec/template/spec/containers");
    let containers = containers.and_then(Value::as_array).into_iter().flatten();
    let arguments = containers.filter_map(|container| container["args"].as_array());
    let arguments = arguments.flatten().filter_map(Value::as_str);
    let of_election = arguments.filter(|argument| argument.starts_with("--leader-election-"));
    of_election.map(str::to_owned).collect()
}

/// Renders the samples in `config/samples`. Those without a namespace get `namespace`.
///
/// # Errors
/// Returns an error if they do not render.
pub fn samples(root: &Path, kubectl: &Path, namespace: &str) -> Result<Vec<DynamicObject>> {
    let mut samples = kustomize(root, "config/samples", kubectl)?;
    for sample in &mut samples {
        sample
            .metadata
            .namespace
            .get_or_insert_with(|| namespace.to_owned());
    }
    Ok(samples)
}

/// Returns the namespaces that the objects use but do not contain. On a control plane that rustop
/// started, nothing else creates the namespaces in which markers grant permissions.
pub fn missing_namespaces(objects: &[DynamicObject]) -> Vec<DynamicObject> {
    let is_there = |name: &String| {
        let mut objects = objects.iter();
        objects.any(|object| kind(object) == "Namespace" && object.name_any() == *name)
    };
    let names: BTreeSet<_> = objects
        .iter()
        .filter_map(kube::ResourceExt::namespace)
        .collect();
    let names: Vec<_> = names.into_iter().filter(|name| !is_there(name)).collect();
    let resource = ApiResource::erase::<Namespace>(&());
    let object = |name: &String| DynamicObject::new(name, &resource);
    names.iter().map(object).collect()
}

/// Applies objects server-side, like `kubectl apply --server-side --force-conflicts`: namespaces
/// and CRDs first, and the rest once the API server serves the new kinds.
///
/// # Errors
/// Returns an error that names the first object that the API server rejects.
pub async fn apply(client: &Client, objects: Vec<DynamicObject>) -> Result<()> {
    apply_or(client, objects, Err).await
}

/// Applies objects like [`apply`]. `on_rejected` gets each error of an apply request, and decides
/// whether the other objects are still applied.
///
/// # Errors
/// Returns the errors that `on_rejected` returns, and an error if the API server does not serve a
/// kind or a CRD in time.
pub async fn apply_or(
    client: &Client,
    mut objects: Vec<DynamicObject>,
    mut on_rejected: impl FnMut(client::Error) -> std::result::Result<(), client::Error>,
) -> Result<()> {
    objects.sort_by_key(rank);
    let mut kinds = DiscoveryCache::default();
    let crds: Vec<_> = objects
        .iter()
        .filter(|object| rank(object) == 1)
        .map(kube::ResourceExt::name_any)
        .collect();
    let mut waited = crds.is_empty();
    for object in &objects {
        if !waited && rank(object) > 1 {
            established(client, &crds).await?;
            waited = true;
        }
        let api = kinds.api(client, object).await?;
        let params = PatchParams::apply(MANAGER).force();
        api.patch(&object.name_any(), &params, &Patch::Apply(object))
            .await
            .map(drop)
            .map_err(request_error(object))
            .or_else(&mut on_rejected)?;
    }
    if !waited {
        established(client, &crds).await?;
    }
    Ok(())
}

/// Returns the position of an object in the order of application: namespaces, CRDs, the rest.
fn rank(object: &DynamicObject) -> u8 {
    let types = object.types.as_ref();
    let group = types.map_or("", |types| types.api_version.as_str());
    match (group, kind(object)) {
        ("v1", "Namespace") => 0,
        (_, "CustomResourceDefinition") if group.starts_with("apiextensions.k8s.io/") => 1,
        _ => 2,
    }
}

/// Splits objects into those whose API group the API server serves, or will serve once the CRDs
/// among them are installed, and the others. Does not compare versions or kinds.
///
/// # Errors
/// Returns an error if the API server does not list its groups.
pub async fn split_by_served_group(
    client: &Client,
    objects: Vec<DynamicObject>,
) -> Result<(Vec<DynamicObject>, Vec<DynamicObject>)> {
    let groups = client.list_api_groups().await;
    let groups = groups.map_err(client::Error::refused("apis".to_owned()))?;
    let installed = objects
        .iter()
        .filter(|object| rank(object) == 1)
        .filter_map(|crd| crd.data["spec"]["group"].as_str().map(str::to_owned));
    let served: BTreeSet<_> = groups
        .groups
        .into_iter()
        .map(|group| group.name)
        .chain(installed)
        .chain([String::new()])
        .collect();
    Ok(objects
        .into_iter()
        .partition(|object| served.contains(group(object))))
}

/// Waits until the API server has accepted the CRDs and serves their kinds.
async fn established(client: &Client, crds: &[String]) -> Result<()> {
    let api: Api<CustomResourceDefinition> = Api::all(client.clone());
    for name in crds {
        let established = async {
            loop {
                let crd = api.get(name).await?;
                let conditions = crd
                    .status
                    .into_iter()
                    .filter_map(|status| status.conditions)
                    .flatten();
                if conditions
                    .into_iter()
                    .any(|c| c.type_ == "Established" && c.status == "True")
                {
                    return Ok::<_, kube::Error>(());
                }
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        };
        tokio::time::timeout(SERVED_WITHIN, established)
            .await
            .map_err(|_| client::Error::NotServed { kind: name.clone() })?
            .map_err(client::Error::refused(format!(
                "customresourcedefinition/{name}"
            )))?;
    }
    Ok(())
}

/// A discovery cache: the plural, the scope and the verbs of the kinds that were looked up. The key
/// is the `apiVersion` and the kind.
#[derive(Debug, Default)]
pub struct DiscoveryCache(BTreeMap<(String, String), (ApiResource, ApiCapabilities)>);

impl DiscoveryCache {
    /// Returns the API for objects like this one, in its namespace. Waits if the kind's CRD was
    /// just installed.
    ///
    /// # Errors
    /// Returns an error if the API server does not serve the kind.
    pub async fn api(
        &mut self,
        client: &Client,
        object: &DynamicObject,
    ) -> Result<Api<DynamicObject>> {
        let types = object.types.clone().unwrap_or_default();
        let key = (types.api_version.clone(), types.kind.clone());
        if !self.0.contains_key(&key) {
            let gvk = GroupVersionKind::try_from(&types).map_err(|_| client::Error::NotServed {
                kind: types.kind.clone(),
            })?;
            let found = tokio::time::timeout(SERVED_WITHIN, async {
                loop {
                    match kube::discovery::pinned_kind(client, &gvk).await {
                        Ok(found) => return Ok(found),
                        // For an API group that does not exist yet, the 404 response has no Status.
                        Err(kube::Error::Api(status)) if status.code != 404 => {
                            return Err(kube::Error::Api(status));
                        }
                        Err(error @ (kube::Error::Service(_) | kube::Error::HyperError(_))) => {
                            return Err(error);
                        }
                        Err(_) => tokio::time::sleep(Duration::from_millis(100)).await,
                    }
                }
            });
            let kind = format!("{} {}", types.api_version, types.kind);
            let found = found
                .await
                .map_err(|_| client::Error::NotServed { kind })?
                .map_err(request_error(object))?;
            self.0.insert(key.clone(), found);
        }
        let (resource, capabilities) = &self.0[&key];
        Ok(match object.namespace() {
            Some(namespace) if capabilities.scope == Scope::Namespaced => {
                Api::namespaced_with(client.clone(), &namespace, resource)
            }
            _ => Api::all_with(client.clone(), resource),
        })
    }
}

/// Returns the API of a cluster-scoped kind, without a request: the plural is derived from the
/// kind. [`DiscoveryCache::api`] is for all kinds.
pub fn cluster_api(client: &Client, object: &DynamicObject) -> Api<DynamicObject> {
    let types = object.types.clone().unwrap_or_default();
    let resource = ApiResource::from_gvk(&types.try_into().expect("a rendered object"));
    Api::all_with(client.clone(), &resource)
}

/// Returns the kind of an object; empty if it has none.
pub fn kind(object: &DynamicObject) -> &str {
    object
        .types
        .as_ref()
        .map_or("", |types| types.kind.as_str())
}

/// Returns a function for `map_err` that adds the object's name to any error of a request about it,
/// not only to a rejection.
pub fn request_error(object: &DynamicObject) -> impl FnOnce(kube::Error) -> client::Error {
    client::Error::refused(named(object))
}

/// Returns an object in the notation of kubectl, with the group of its kind:
/// `lolcow.my.domain/lolcow-sample`, `pod/lolcow`. Without the group, `cronjob/..` would be a
/// `CronJob` of Kubernetes.
pub fn named(object: &DynamicObject) -> String {
    let (group, kind) = (group(object), kind(object).to_lowercase());
    let dot = if group.is_empty() { "" } else { "." };
    format!("{kind}{dot}{group}/{}", object.name_any())
}

/// Returns the API group of an object; empty for the core group.
fn group(object: &DynamicObject) -> &str {
    let types = object.types.as_ref();
    let version = types.map_or("", |types| types.api_version.as_str());
    version.split_once('/').map_or("", |(group, _)| group)
}

/// Reports whether two manifests describe the same object, possibly in two versions of its kind.
pub fn is_same(one: &DynamicObject, other: &DynamicObject) -> bool {
    let names = |it: &DynamicObject| (it.namespace(), it.name_any());
    (group(one), kind(one), names(one)) == (group(other), kind(other), names(other))
}

/// Returns the objects without duplicates: samples of two versions can describe the same object.
pub fn distinct(objects: &[DynamicObject]) -> Vec<&DynamicObject> {
    let mut distinct: Vec<&DynamicObject> = Vec::new();
    for object in objects {
        if !distinct.iter().any(|other| is_same(other, object)) {
            distinct.push(object);
        }
    }
    distinct
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_namespaces_that_no_object_creates_are_missing() {
        let objects = [
            ("Namespace", "own", None),
            ("Role", "a", Some("own")),
            ("Role", "a", Some("infra")),
            ("RoleBinding", "a", Some("infra")),
            ("ClusterRole", "a", None),
        ];
        let objects = objects.map(|(kind, name, namespace)| {
            let metadata = serde_json::json!({"name": name, "namespace": namespace});
            let json = serde_json::json!({"apiVersion": "v1", "kind": kind, "metadata": metadata});
            serde_json::from_value(json).unwrap()
        });
        let missing = missing_namespaces(&objects);
        let names: Vec<_> = missing.iter().map(|it| (rank(it), it.name_any())).collect();
        assert_eq!(names, [(0, "infra".to_owned())]);
    }
}
