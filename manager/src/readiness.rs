//! Readiness of objects, modelled on `kstatus`, which kubectl-like tools use for waiting.
//!
//! It is stricter for a Job, which must be complete, for a custom resource without a condition
//! `Ready`, which is not ready, and for a `PodDisruptionBudget`, which must be met.

use kube::core::ObjectMeta;
use serde::Serialize;
use serde_json::Value;

use crate::condition::READY;
use crate::object::{AnyObject, KindOf};

/// Kinds whose readiness depends on numbers: the kind, the path of the desired number, and the
/// status fields that must reach it. Here and below, a kind is written `Kind.group`; the core group
/// is empty, as in `Pod.`.
const NUMBERS: [(&str, &str, &[&str]); 5] = [
    (
        "DaemonSet.apps",
        "/status/desiredNumberScheduled",
        &["updatedNumberScheduled", "numberAvailable"],
    ),
    (
        "Deployment.apps",
        "/spec/replicas",
        &["updatedReplicas", "availableReplicas"],
    ),
    (
        "PodDisruptionBudget.policy",
        "/status/desiredHealthy",
        &["currentHealthy"],
    ),
    ("ReplicaSet.apps", "/spec/replicas", &["availableReplicas"]),
    (
        "StatefulSet.apps",
        "/spec/replicas",
        &["updatedReplicas", "availableReplicas"],
    ),
];

/// Kinds that are ready by another condition than `Ready`, or for which `Ready` is required
/// although they belong to Kubernetes.
const CONDITIONS: [(&str, &str); 4] = [
    ("APIService.apiregistration.k8s.io", "Available"),
    (
        "CustomResourceDefinition.apiextensions.k8s.io",
        "Established",
    ),
    ("Job.batch", "Complete"),
    ("Pod.", READY),
];

/// Conditions that explain why a workload does not become ready, in order: kind, type, status.
/// Other workloads of Kubernetes have none: their controllers report failed Pods in events only.
const OBSTACLES: [(&str, &str, &str); 6] = [
    ("Deployment.apps", "ReplicaFailure", "True"),
    ("Deployment.apps", "Progressing", "False"),
    ("Job.batch", "FailureTarget", "True"),
    ("Job.batch", "Suspended", "True"),
    ("Pod.", "PodScheduled", "False"),
    ("ReplicaSet.apps", "ReplicaFailure", "True"),
];

/// Checks whether an object is ready. Pass it to [`Sequence::then`](crate::Sequence::then).
///
/// A Deployment, `StatefulSet`, `DaemonSet` or `ReplicaSet` is ready when all its replicas are up
/// to date and available, a Job when it is complete, a `PersistentVolumeClaim` when it is bound, a
/// Pod when it is `Ready` or has succeeded, a CRD when it is established, an `APIService` when it
/// is available, and a `PodDisruptionBudget` when it is met. Any other object is ready if its
/// condition `Ready` is `True`. An object without that condition is ready only if its kind belongs
/// to Kubernetes itself, such as a `ConfigMap`. No object is ready that is being deleted, whose
/// controller has not observed its generation, or that has a condition `Reconciling`, `Stalled` or
/// `Failed`.
///
/// # Errors
/// Returns what the object waits for, in a few words, and the reason if its status names one: a
/// quota that allows no more Pods, for example.
pub fn ready<T: AnyObject + Serialize>(object: &T) -> Result<(), String> {
    let value = serde_json::to_value(object).map_err(|error| error.to_string())?;
    let (kind, group) = T::DynamicType::name_and_group(object);
    check_status(&format!("{kind}.{group}"), object.meta(), &value)
}

/// Does the same as [`ready`] for an object as JSON, of a kind written `Kind.group`.
fn check_status(kind: &str, meta: &ObjectMeta, object: &Value) -> Result<(), String> {
    let status = &object["status"];
    let seen = status["observedGeneration"].as_i64();
    if meta.deletion_timestamp.is_some() {
        return Err("being deleted".to_owned());
    }
    // Some kinds of Kubernetes have no generation.
    if let Some((seen, latest)) = seen.zip(meta.generation)
        && seen != latest
    {
        return Err("its controller has not observed the latest generation yet".to_owned());
    }
    for bad in ["Reconciling", "Stalled", "Failed"] {
        if let Some(condition) = condition(status, bad).filter(|it| it["status"] == "True") {
            return Err(describe(condition));
        }
    }
    has_arrived(kind, object).map_err(|missing| match obstacle(kind, status) {
        Some(condition) => format!("{missing}: {}", describe(condition)),
        None => missing,
    })
}

/// Checks the numbers, the phase or the condition by which the kind reports that it is ready.
fn has_arrived(kind: &str, object: &Value) -> Result<(), String> {
    let status = &object["status"];
    if let Some((_, wanted, numbers)) = NUMBERS.iter().find(|(known, ..)| *known == kind) {
        return reached(object, wanted, numbers);
    }
    if kind == "PersistentVolumeClaim." {
        let phase = status["phase"].as_str().unwrap_or_default();
        return must(phase == "Bound", || "not bound".to_owned());
    }
    // The kubelet sets `Ready` of a Pod that has completed to `False`.
    if kind == "Pod." && status["phase"] == "Succeeded" {
        return Ok(());
    }
    let known = CONDITIONS.iter().find(|(known, _)| *known == kind);
    let type_ = known.map_or(READY, |(_, type_)| *type_);
    match condition(status, type_) {
        Some(condition) => must(condition["status"] == "True", || describe(condition)),
        None if known.is_none() && is_of_kubernetes(kind) => Ok(()),
        None => Err(format!("no condition `{type_}` yet")),
    }
}

/// Checks the numbers of a workload. A `StatefulSet` may be configured to leave some or all
/// replicas at the old revision.
fn reached(object: &Value, wanted: &str, numbers: &[&str]) -> Result<(), String> {
    // Kubernetes sets missing `replicas` to 1.
    let of_replicas = wanted.starts_with("/spec").then_some(1);
    let count = |value: Option<&Value>| value.and_then(Value::as_i64);
    let Some(wanted) = count(object.pointer(wanted)).or(of_replicas) else {
        return Err("its controller has not observed it yet".to_owned());
    };
    let strategy = &object["spec"]["updateStrategy"];
    // The number of replicas that may stay at the old revision.
    let left = match strategy["type"].as_str() {
        Some("OnDelete") => wanted,
        _ => strategy["rollingUpdate"]["partition"].as_i64().unwrap_or(0),
    };
    for number in numbers {
        let wanted = if number.starts_with("updated") {
            wanted - left
        } else {
            wanted
        };
        let there = count(object["status"].get(number)).unwrap_or(0);
        must(there >= wanted, || {
            format!("{number} is {there} of {wanted}")
        })?;
    }
    let old = match object["status"]["updatedReplicas"].as_i64() {
        Some(new) => count(object["status"].get("replicas")).unwrap_or(0) - new,
        None => 0,
    };
    must(old <= left, || format!("{old} old replicas still exist"))
}

/// Returns the condition that explains why the object is not ready; `None` if it has none.
fn obstacle<'a>(kind: &str, status: &'a Value) -> Option<&'a Value> {
    OBSTACLES
        .iter()
        .filter(|(known, ..)| *known == kind)
        .filter_map(|(_, type_, bad)| Some((condition(status, type_)?, bad)))
        .find_map(|(condition, bad)| (condition["status"] == **bad).then_some(condition))
}

/// Returns the text of `otherwise` as an error unless `is_so`.
fn must(is_so: bool, otherwise: impl FnOnce() -> String) -> Result<(), String> {
    is_so.then_some(()).ok_or_else(otherwise)
}

fn condition<'a>(status: &'a Value, type_: &str) -> Option<&'a Value> {
    let mut conditions = status["conditions"].as_array()?.iter();
    conditions.find(|condition| condition["type"] == type_)
}

/// Returns the message of a condition, or its reason, or its type and status.
fn describe(condition: &Value) -> String {
    let text = |field: &str| condition[field].as_str().unwrap_or_default();
    let explanation = [text("message"), text("reason")];
    let explanation = explanation.into_iter().find(|text| !text.is_empty());
    let (type_, status) = (text("type"), text("status"));
    explanation.map_or_else(|| format!("{type_} is {status}"), str::to_owned)
}

/// Returns true for a kind of Kubernetes. The groups of custom resources are domains of their
/// authors.
fn is_of_kubernetes(kind: &str) -> bool {
    let group = kind.split_once('.').map_or("", |(_, group)| group);
    !group.contains('.') || group.ends_with(".k8s.io")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Returns what the object waits for; empty if it is ready.
    fn waits(kind: &str, object: &Value) -> String {
        let meta = ObjectMeta {
            generation: Some(2),
            ..ObjectMeta::default()
        };
        check_status(kind, &meta, object).err().unwrap_or_default()
    }

    fn with_condition(type_: &str, status: &str) -> Value {
        let message = format!("{type_} since noon");
        json!({"status": {"conditions": [{"type": type_, "status": status, "message": message}]}})
    }

    #[test]
    fn replicas_have_to_be_new_and_available() {
        let of = |status: Value| json!({"spec": {"replicas": 3}, "status": status});
        let cases = [
            (json!({}), "updatedReplicas is 0 of 3"),
            (
                json!({"observedGeneration": 1, "updatedReplicas": 3, "availableReplicas": 3}),
                "its controller has not observed the latest generation yet",
            ),
            (
                json!({"observedGeneration": 2, "updatedReplicas": 3, "availableReplicas": 2}),
                "availableReplicas is 2 of 3",
            ),
            (
                json!({"replicas": 4, "updatedReplicas": 3, "availableReplicas": 3}),
                "1 old replicas still exist",
            ),
            (
                json!({"observedGeneration": 2, "replicas": 3, "updatedReplicas": 3, "availableReplicas": 3}),
                "",
            ),
        ];
        for kind in ["Deployment.apps", "StatefulSet.apps"] {
            for (status, waits_for) in &cases {
                assert_eq!(waits(kind, &of(status.clone())), *waits_for);
            }
        }
        assert_eq!(
            waits("Deployment.apps", &json!({})),
            "updatedReplicas is 0 of 1"
        );
    }

    #[test]
    fn without_a_generation_the_observed_one_does_not_count() {
        let meta = ObjectMeta::default();
        let object = json!({"status": {"observedGeneration": 1}});
        assert_eq!(
            check_status("Ingress.networking.k8s.io", &meta, &object),
            Ok(())
        );
    }

    #[test]
    fn a_stateful_set_may_leave_replicas_as_they_are() {
        let of = |strategy: Value| {
            json!({
                "spec": {"replicas": 3, "updateStrategy": strategy},
                "status": {"replicas": 3, "updatedReplicas": 1, "availableReplicas": 3},
            })
        };
        let waits = |strategy| waits("StatefulSet.apps", &of(strategy));
        assert_eq!(waits(json!({})), "updatedReplicas is 1 of 3");
        assert_eq!(waits(json!({"type": "OnDelete"})), "");
        assert_eq!(waits(json!({"rollingUpdate": {"partition": 2}})), "");
    }

    #[test]
    fn unobserved_objects_are_not_ready() {
        let not_yet = "its controller has not observed it yet";
        assert_eq!(waits("DaemonSet.apps", &json!({})), not_yet);
        assert_eq!(
            waits("Job.batch", &json!({})),
            "no condition `Complete` yet"
        );
        assert_eq!(
            waits("Lolcow.my.domain", &json!({})),
            "no condition `Ready` yet"
        );
        assert_eq!(waits("PersistentVolumeClaim.", &json!({})), "not bound");
    }

    #[test]
    fn conditions_say_why() {
        for (kind, type_) in CONDITIONS
            .into_iter()
            .chain([("Lolcow.my.domain", "Ready")])
        {
            assert_eq!(waits(kind, &with_condition(type_, "True")), "");
            let explanation = format!("{type_} since noon");
            assert_eq!(waits(kind, &with_condition(type_, "False")), explanation);
        }
        let failed = with_condition("Failed", "True");
        assert_eq!(waits("Job.batch", &failed), "Failed since noon");
        let stalled = with_condition("Stalled", "True");
        assert_eq!(waits("ConfigMap.", &stalled), "Stalled since noon");
    }

    #[test]
    fn conditions_explain_missing_replicas() {
        let failed = json!({"type": "ReplicaFailure", "status": "True", "reason": "FailedCreate", "message": "exceeded quota: few"});
        let late = json!({"type": "Progressing", "status": "False", "reason": "ProgressDeadlineExceeded", "message": "timed out progressing"});
        let quiet = json!({"type": "ReplicaFailure", "status": "False", "message": "none"});
        let zero = "updatedReplicas is 0 of 1";
        for (conditions, waits_for) in [
            (json!([failed]), format!("{zero}: exceeded quota: few")),
            (json!([late]), format!("{zero}: timed out progressing")),
            (
                json!([late, failed]),
                format!("{zero}: exceeded quota: few"),
            ),
            (json!([quiet]), zero.to_owned()),
        ] {
            let object = json!({"status": {"conditions": conditions}});
            assert_eq!(waits("Deployment.apps", &object), waits_for);
        }
        let all = json!({"updatedReplicas": 1, "availableReplicas": 1, "conditions": [failed]});
        assert_eq!(waits("Deployment.apps", &json!({"status": all})), "");
    }

    #[test]
    fn each_kind_has_its_own_obstacles() {
        for (kind, type_, status, missing) in [
            (
                "ReplicaSet.apps",
                "ReplicaFailure",
                "True",
                "availableReplicas is 0 of 1",
            ),
            (
                "Job.batch",
                "FailureTarget",
                "True",
                "no condition `Complete` yet",
            ),
            (
                "Job.batch",
                "Suspended",
                "True",
                "no condition `Complete` yet",
            ),
            ("Pod.", "PodScheduled", "False", "no condition `Ready` yet"),
        ] {
            let object = with_condition(type_, status);
            assert_eq!(
                waits(kind, &object),
                format!("{missing}: {type_} since noon")
            );
            assert!(!waits("Lolcow.my.domain", &object).contains("noon"));
        }
    }

    #[test]
    fn kinds_without_a_state_are_ready() {
        for kind in [
            "ConfigMap.",
            "Ingress.networking.k8s.io",
            "Role.rbac.authorization.k8s.io",
        ] {
            assert_eq!(waits(kind, &json!({})), "");
        }
    }

    #[test]
    fn completed_pods_are_ready() {
        let done = json!({"status": {
            "phase": "Succeeded",
            "conditions": [{"type": "Ready", "status": "False", "reason": "PodCompleted"}],
        }});
        assert_eq!(waits("Pod.", &done), "");
    }

    #[test]
    fn terminating_objects_are_not_ready() {
        let mut map = k8s_openapi::api::core::v1::ConfigMap::default();
        assert_eq!(ready(&map), Ok(()));
        let now = jiff::Timestamp::now();
        map.metadata.deletion_timestamp =
            Some(k8s_openapi::apimachinery::pkg::apis::meta::v1::Time(now));
        assert_eq!(ready(&map), Err("being deleted".to_owned()));
    }
}
