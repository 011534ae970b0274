//! The built-in kinds of Kubernetes. Names and scopes are derived from the types of k8s-openapi.
//! The list of types is maintained here, with the Kubernetes version that introduced each.

use std::any::TypeId;
use std::sync::LazyLock;

use k8s_openapi::{NamespaceResourceScope, Resource};

use crate::project::KubernetesVersion;

/// A built-in kind, which has a type in k8s-openapi.
#[derive(Clone, Copy, Debug)]
pub struct Builtin {
    /// The full name of the group; empty for the core group.
    pub group: &'static str,
    pub version: &'static str,
    pub kind: &'static str,
    pub plural: &'static str,
    /// True if the kind is namespaced.
    pub namespaced: bool,
    /// The path of the type's module: `k8s_openapi::api::apps::v1`.
    pub module: &'static str,
    /// The first minor version of Kubernetes 1 with the type; 33 if it is in 1.33, the oldest
    /// supported one.
    since: u8,
}

impl Builtin {
    fn of<T: Resource<Scope: 'static>>(module: &'static str, since: u8) -> Self {
        Self {
            group: T::GROUP,
            version: T::VERSION,
            kind: T::KIND,
            plural: T::URL_PATH_SEGMENT,
            namespaced: TypeId::of::<T::Scope>() == TypeId::of::<NamespaceResourceScope>(),
            module,
            since,
        }
    }

    /// Reports whether `group` refers to this kind's group, by its full name or, as in kubebuilder,
    /// by its first label (`core`, `networking`).
    pub fn has_group(&self, group: &str) -> bool {
        let short = if self.group.is_empty() {
            "core"
        } else {
            self.group.split('.').next().unwrap_or_default()
        };
        group == short || (!group.is_empty() && group == self.group)
    }

    /// Returns the flags that select the kind in a command: `--group core --version v1 --kind Pod`.
    pub fn flags(&self) -> String {
        let group = if self.group.is_empty() {
            "core"
        } else {
            self.group
        };
        format!(
            "--group {group} --version {} --kind {}",
            self.version, self.kind
        )
    }

    /// Returns a sort key for Kubernetes' version priority, which is greater for a higher priority:
    /// `v2`, `v1`, `v1beta2`, `v1beta1`, `v1alpha1`, highest first.
    pub fn priority(&self) -> (u8, Vec<u32>) {
        let numbers = self.version.split(|c: char| !c.is_ascii_digit());
        let numbers = numbers.filter_map(|number| number.parse().ok()).collect();
        let stage = match self.version {
            version if version.contains("alpha") => 0,
            version if version.contains("beta") => 1,
            _ => 2,
        };
        (stage, numbers)
    }

    /// Returns the first minor version of Kubernetes 1 with the kind; 33 if it is in 1.33.
    pub fn since(&self) -> u8 {
        self.since
    }

    /// Reports whether the kind exists in this version of Kubernetes.
    pub fn is_in(&self, version: KubernetesVersion) -> bool {
        version.minor() >= self.since
    }
}

/// Returns all built-in kinds that can be listed and watched.
pub fn all() -> &'static [Builtin] {
    &BUILTINS
}

/// Returns the built-in kind of a resource, or `None` if the resource is not built-in.
pub fn find(resource: &crate::resource::Resource) -> Option<&'static Builtin> {
    if !resource.core {
        return None;
    }
    let group = resource.api_group();
    all().iter().find(|b| {
        b.group == group
            && b.version == resource.version.as_str()
            && b.kind == resource.kind.as_str()
    })
}

/// Reports whether a kind is namespaced, whether it is built-in or has a CRD.
pub fn is_namespaced(resource: &crate::resource::Resource) -> bool {
    find(resource).map_or_else(
        || resource.api.as_ref().is_some_and(|api| api.namespaced),
        |builtin| builtin.namespaced,
    )
}

/// The modules of k8s-openapi, by the first label of the group.
mod api {
    pub use k8s_openapi::api::*;
    pub use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions;
    pub use k8s_openapi::kube_aggregator::pkg::apis::apiregistration;
}

macro_rules! module {
    (apiextensions $version:ident) => {
        concat!(
            "k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::",
            stringify!($version)
        )
    };
    (apiregistration $version:ident) => {
        concat!(
            "k8s_openapi::kube_aggregator::pkg::apis::apiregistration::",
            stringify!($version)
        )
    };
    ($group:ident $version:ident) => {
        concat!(
            "k8s_openapi::api::",
            stringify!($group),
            "::",
            stringify!($version)
        )
    };
}

macro_rules! builtins {
    ($($group:ident $version:ident since $since:literal: $($kind:ident)+;)+) => {
        vec![$($(Builtin::of::<api::$group::$version::$kind>(module!($group $version), $since)),+),+]
    };
}

#[rustfmt::skip]
static BUILTINS: LazyLock<Vec<Builtin>> = LazyLock::new(|| builtins! {
    admissionregistration v1 since 36: MutatingAdmissionPolicy MutatingAdmissionPolicyBinding;
    admissionregistration v1 since 33: MutatingWebhookConfiguration ValidatingAdmissionPolicy ValidatingAdmissionPolicyBinding ValidatingWebhookConfiguration;
    admissionregistration v1alpha1 since 33: MutatingAdmissionPolicy MutatingAdmissionPolicyBinding;
    admissionregistration v1beta1 since 34: MutatingAdmissionPolicy MutatingAdmissionPolicyBinding;
    apiserverinternal v1alpha1 since 33: StorageVersion;
    apps v1 since 33: ControllerRevision DaemonSet Deployment ReplicaSet StatefulSet;
    autoscaling v1 since 33: HorizontalPodAutoscaler;
    autoscaling v2 since 33: HorizontalPodAutoscaler;
    batch v1 since 33: CronJob Job;
    certificates v1 since 33: CertificateSigningRequest;
    certificates v1 since 37: ClusterTrustBundle PodCertificateRequest;
    certificates v1beta1 since 33: ClusterTrustBundle;
    certificates v1beta1 since 35: PodCertificateRequest;
    coordination v1 since 33: Lease;
    coordination v1alpha2 since 33: LeaseCandidate;
    coordination v1beta1 since 33: LeaseCandidate;
    core v1 since 33: ConfigMap Endpoints Event LimitRange Namespace Node PersistentVolume PersistentVolumeClaim Pod PodTemplate ReplicationController ResourceQuota Secret Service ServiceAccount;
    discovery v1 since 33: EndpointSlice;
    events v1 since 33: Event;
    flowcontrol v1 since 33: FlowSchema PriorityLevelConfiguration;
    lifecycle v1alpha1 since 37: Eviction EvictionRequest;
    networking v1 since 33: IPAddress Ingress IngressClass NetworkPolicy ServiceCIDR;
    node v1 since 33: RuntimeClass;
    policy v1 since 33: PodDisruptionBudget;
    rbac v1 since 33: ClusterRole ClusterRoleBinding Role RoleBinding;
    resource v1 since 34: DeviceClass ResourceClaim ResourceClaimTemplate ResourceSlice;
    resource v1 since 37: DeviceTaintRule;
    resource v1alpha3 since 33: DeviceTaintRule;
    resource v1alpha3 since 36: ResourcePoolStatusRequest;
    resource v1beta1 since 33: DeviceClass ResourceClaim ResourceClaimTemplate ResourceSlice;
    resource v1beta2 since 33: DeviceClass ResourceClaim ResourceClaimTemplate ResourceSlice;
    resource v1beta2 since 36: DeviceTaintRule;
    scheduling v1 since 33: PriorityClass;
    scheduling v1alpha3 since 37: CompositePodGroup PodGroup Workload;
    scheduling v1beta1 since 37: PodGroup Workload;
    storage v1 since 33: CSIDriver CSINode CSIStorageCapacity StorageClass VolumeAttachment;
    storage v1 since 34: VolumeAttributesClass;
    storagemigration v1 since 37: StorageVersionMigration;
    storagemigration v1beta1 since 35: StorageVersionMigration;
    apiextensions v1 since 33: CustomResourceDefinition;
    apiregistration v1 since 33: APIService;
});

#[cfg(test)]
mod tests {
    use super::*;

    fn find(group: &str, kind: &str) -> Vec<&'static Builtin> {
        all()
            .iter()
            .filter(|b| b.has_group(group) && b.kind == kind)
            .collect()
    }

    #[test]
    fn builtin_types_have_their_plural_scope_and_module() {
        let pod = find("core", "Pod")[0];
        assert_eq!(
            (pod.group, pod.plural, pod.namespaced, pod.module),
            ("", "pods", true, "k8s_openapi::api::core::v1")
        );
        assert!(!find("core", "Node")[0].namespaced);
        let crd = find("apiextensions.k8s.io", "CustomResourceDefinition")[0];
        assert_eq!(
            crd.module,
            "k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1"
        );
    }

    #[test]
    fn groups_are_found_by_full_name_or_first_label() {
        assert_eq!(find("networking", "Ingress").len(), 1);
        assert_eq!(find("networking.k8s.io", "Ingress").len(), 1);
        assert!(find("", "Pod").is_empty() && find("net", "Ingress").is_empty());
    }

    #[test]
    fn types_exist_from_their_first_release() {
        let trust = find("certificates", "ClusterTrustBundle")
            .into_iter()
            .find(|b| b.version == "v1")
            .unwrap();
        assert!(trust.is_in(KubernetesVersion::V1_37) && !trust.is_in(KubernetesVersion::V1_36));
    }
}
