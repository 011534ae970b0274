//! The kinds that are served: common built-in kinds and those of CRDs.

use std::sync::Arc;

use serde_json::{Value, json};

use super::shape::Shape;

/// A kind in one version.
#[derive(Debug)]
pub(super) struct Kind {
    /// Empty for the core group.
    pub group: String,
    /// The version without the group: `v1`.
    pub version: String,
    pub plural: String,
    /// The kind of objects: `Lolcow`.
    pub name: String,
    /// False for a cluster-scoped kind.
    pub namespaced: bool,
    /// True if the kind has the `status` subresource.
    pub status: bool,
    /// True if `metadata.generation` counts changes of the desired state.
    pub generation: bool,
    /// The schema (`openAPIV3Schema`) of a kind that a CRD defines. `None` for a built-in kind.
    pub schema: Option<Value>,
    /// Selectable fields of a CRD, as JSON paths: `.spec.color`. Empty for a built-in kind.
    pub selectable: Vec<String>,
    /// The `apiVersion` of stored objects (`my.domain/v1`) if a webhook converts them. `None` if an
    /// object is the same in each version, except for its `apiVersion`.
    pub converted_to: Option<String>,
}

impl Kind {
    /// Returns the `apiVersion` of objects: `my.domain/v1`, or `v1` in the core group.
    pub fn api_version(&self) -> String {
        if self.group.is_empty() {
            self.version.clone()
        } else {
            format!("{}/{}", self.group, self.version)
        }
    }

    /// Returns the resource name, for example `lolcows.my.domain`.
    pub fn resource(&self) -> String {
        if self.group.is_empty() {
            self.plural.clone()
        } else {
            format!("{}.{}", self.plural, self.group)
        }
    }

    /// Returns the shape of whole objects, which decides how fields are merged.
    pub fn shape(&self) -> Shape<'_> {
        match &self.schema {
            Some(schema) => Shape::Root(schema),
            None => Shape::BuiltIn { name: "" },
        }
    }
}

/// Group, version, and kinds as `plural/Name` with flags: `c` for cluster-scoped, `s` for a status
/// subresource, `g` for a generation.
const BUILT_IN: &[(&str, &str, &str)] = &[
    (
        "",
        "v1",
        "configmaps/ConfigMap endpoints/Endpoints events/Event limitranges/LimitRange namespaces/Namespace/cs nodes/Node/cs \
         persistentvolumeclaims/PersistentVolumeClaim/s persistentvolumes/PersistentVolume/cs pods/Pod/sg \
         podtemplates/PodTemplate/g replicationcontrollers/ReplicationController/sg resourcequotas/ResourceQuota/s \
         secrets/Secret serviceaccounts/ServiceAccount services/Service/s",
    ),
    (
        "admissionregistration.k8s.io",
        "v1",
        "mutatingwebhookconfigurations/MutatingWebhookConfiguration/cg \
         validatingwebhookconfigurations/ValidatingWebhookConfiguration/cg",
    ),
    (
        "apiextensions.k8s.io",
        "v1",
        "customresourcedefinitions/CustomResourceDefinition/csg",
    ),
    (
        "apps",
        "v1",
        "controllerrevisions/ControllerRevision daemonsets/DaemonSet/sg deployments/Deployment/sg \
         replicasets/ReplicaSet/sg statefulsets/StatefulSet/sg",
    ),
    (
        "autoscaling",
        "v2",
        "horizontalpodautoscalers/HorizontalPodAutoscaler/s",
    ),
    ("batch", "v1", "cronjobs/CronJob/sg jobs/Job/sg"),
    ("coordination.k8s.io", "v1", "leases/Lease"),
    ("discovery.k8s.io", "v1", "endpointslices/EndpointSlice/g"),
    ("events.k8s.io", "v1", "events/Event"),
    (
        "networking.k8s.io",
        "v1",
        "ingressclasses/IngressClass/cg ingresses/Ingress/sg networkpolicies/NetworkPolicy/g",
    ),
    (
        "policy",
        "v1",
        "poddisruptionbudgets/PodDisruptionBudget/sg",
    ),
    (
        "rbac.authorization.k8s.io",
        "v1",
        "clusterrolebindings/ClusterRoleBinding/c clusterroles/ClusterRole/c rolebindings/RoleBinding roles/Role",
    ),
    (
        "scheduling.k8s.io",
        "v1",
        "priorityclasses/PriorityClass/cg",
    ),
    ("storage.k8s.io", "v1", "storageclasses/StorageClass/c"),
];

fn built_in() -> impl Iterator<Item = Kind> {
    BUILT_IN.iter().flat_map(|&(group, version, kinds)| {
        kinds.split_whitespace().map(move |line| {
            let mut parts = line.split('/').map(str::to_owned);
            let mut next = || parts.next().unwrap_or_default();
            let (plural, name, letters) = (next(), next(), next());
            Kind {
                group: group.to_owned(),
                version: version.to_owned(),
                plural,
                name,
                namespaced: !letters.contains('c'),
                status: letters.contains('s'),
                generation: letters.contains('g'),
                schema: None,
                selectable: Vec::new(),
                converted_to: None,
            }
        })
    })
}

/// Returns the kinds of a CRD, one per served version.
fn defined(crd: &Value) -> Vec<Kind> {
    let spec = &crd["spec"];
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let versions = spec["versions"].as_array().into_iter().flatten();
    let stored = versions.clone().find(|version| version["storage"] == true);
    let has_webhook = spec["conversion"]["strategy"] == "Webhook";
    let stored = stored.filter(|_| has_webhook);
    let served = versions.filter(|version| version["served"] == true);
    served
        .map(|version| {
            let fields = version["selectableFields"].as_array();
            let paths = fields.into_iter().flatten().map(|it| text(&it["jsonPath"]));
            Kind {
                group: text(&spec["group"]),
                version: text(&version["name"]),
                plural: text(&spec["names"]["plural"]),
                name: text(&spec["names"]["kind"]),
                namespaced: spec["scope"] == "Namespaced",
                status: version["subresources"].get("status").is_some(),
                generation: true,
                schema: Some(version["schema"]["openAPIV3Schema"].clone()),
                selectable: paths.collect(),
                converted_to: stored
                    .map(|version| format!("{}/{}", text(&spec["group"]), text(&version["name"]))),
            }
        })
        .collect()
}

/// All kinds that are served.
#[derive(Clone, Debug)]
pub(super) struct Kinds(Vec<Arc<Kind>>);

impl Kinds {
    /// Returns the built-in kinds.
    pub fn of_kubernetes() -> Self {
        Self(built_in().map(Arc::new).collect())
    }

    /// Finds a kind by the elements of a request's path. `None` if it is not served.
    pub fn find(&self, group: &str, version: &str, plural: &str) -> Option<Arc<Kind>> {
        let found = self
            .0
            .iter()
            .find(|kind| kind.plural == plural && kind.group == group && kind.version == version);
        found.cloned()
    }

    /// Finds a kind by the `apiVersion` and the `kind` of its objects. `None` if it is not served.
    pub fn named(&self, api_version: &str, name: &str) -> Option<Arc<Kind>> {
        let is_it = |kind: &&Arc<Kind>| kind.name == name && kind.api_version() == api_version;
        self.0.iter().find(is_it).cloned()
    }

    /// Finds a kind in any version, the first one that is served.
    pub fn any_version(&self, group: &str, plural: &str) -> Option<Arc<Kind>> {
        let found = self
            .0
            .iter()
            .find(|kind| kind.plural == plural && kind.group == group);
        found.cloned()
    }

    /// Returns the kind in all its versions.
    pub fn versions(&self, group: &str, plural: &str) -> impl Iterator<Item = &Arc<Kind>> {
        let is_it = move |kind: &&Arc<Kind>| kind.plural == plural && kind.group == group;
        self.0.iter().filter(is_it)
    }

    /// Serves the kinds of a CRD, in place of those of its earlier state.
    pub fn define(&mut self, crd: &Value) {
        self.withdraw(crd);
        self.0.extend(defined(crd).into_iter().map(Arc::new));
    }

    /// Stops serving the kinds of a CRD.
    pub fn withdraw(&mut self, crd: &Value) {
        let spec = &crd["spec"];
        self.0
            .retain(|kind| spec["group"] != *kind.group || spec["names"]["plural"] != *kind.plural);
    }

    /// Returns the discovery document for the elements of a path: `/api`, `/apis`, `/api/v1` or
    /// `/apis/<group>/<version>`. `None` for other paths and for an unknown group or version.
    pub fn discovery(&self, path: &[&str]) -> Option<Value> {
        let group_version =
            |kind: &Kind| json!({"groupVersion": kind.api_version(), "version": kind.version});
        match *path {
            ["api"] => Some(
                json!({"kind": "APIVersions", "versions": ["v1"], "serverAddressByClientCIDRs": []}),
            ),
            ["apis"] => {
                let mut groups: Vec<Value> = Vec::new();
                for kind in self.0.iter().filter(|kind| !kind.group.is_empty()) {
                    let version = group_version(kind);
                    match groups.iter_mut().find(|group| group["name"] == *kind.group) {
                        None => groups.push(json!({"name": kind.group, "versions": [version], "preferredVersion": version})),
                        Some(group) => {
                            if let Some(versions) = group["versions"].as_array_mut()
                                && !versions.contains(&version)
                            {
                                versions.push(version);
                            }
                        }
                    }
                }
                Some(json!({"kind": "APIGroupList", "apiVersion": "v1", "groups": groups}))
            }
            ["api", version] => self.resources("", version),
            ["apis", group, version] => self.resources(group, version),
            _ => None,
        }
    }

    fn resources(&self, group: &str, version: &str) -> Option<Value> {
        let mut resources = Vec::new();
        let of = |kind: &&Arc<Kind>| kind.group == group && kind.version == version;
        for kind in self.0.iter().filter(of) {
            let resource = |name: &str, verbs: &[&str]| {
                json!({
                    "name": name, "singularName": kind.name.to_lowercase(), "namespaced": kind.namespaced,
                    "kind": kind.name, "verbs": verbs,
                })
            };
            let verbs = [
                "create",
                "delete",
                "deletecollection",
                "get",
                "list",
                "patch",
                "update",
                "watch",
            ];
            resources.push(resource(&kind.plural, &verbs));
            if kind.status {
                resources.push(resource(
                    &format!("{}/status", kind.plural),
                    &["get", "patch", "update"],
                ));
            }
        }
        if resources.is_empty() {
            return None;
        }
        let api_version = if group.is_empty() {
            version.to_owned()
        } else {
            format!("{group}/{version}")
        };
        Some(
            json!({"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": api_version, "resources": resources}),
        )
    }
}
