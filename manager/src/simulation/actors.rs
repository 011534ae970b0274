//! Actors simulate the controllers of a cluster that an operator depends on.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};

/// A controller of the cluster, other than the operator. It sets the status of objects after a time
/// that the seed determines.
///
/// ```
/// use std::sync::Arc;
/// use rustop_manager::simulation::Actor;
/// use serde_json::{Value, json};
///
/// /// Issues the certificates that cert-manager would issue.
/// struct CertManager;
///
/// impl Actor for CertManager {
///     fn status(&self, object: &Value, now: &str) -> Option<Value> {
///         let is_new = object["kind"] == "Certificate" && object["status"].is_null();
///         let ready = json!({"type": "Ready", "status": "True", "reason": "Issued", "lastTransitionTime": now});
///         is_new.then(|| json!({"conditions": [ready]}))
///     }
/// }
/// # let _actor: Arc<dyn Actor> = Arc::new(CertManager);
/// ```
pub trait Actor: Send + Sync {
    /// Returns the next status of an object as a merge patch of the present one, or `None` if the
    /// actor has nothing to do. `object` is any object of the cluster, as JSON with `apiVersion`
    /// and `kind`. Called after each change of an object, unless this actor already has a write of
    /// that object pending, and again with the live object before the status is written. `now` is
    /// the time in the format of Kubernetes: `2030-01-01T00:00:00Z`.
    fn status(&self, object: &Value, now: &str) -> Option<Value>;

    /// Returns the shortest and the longest time, in virtual time, that the actor takes between the
    /// change of an object and the write of its status. By default, 50 ms and 4 s.
    fn delay(&self) -> (Duration, Duration) {
        (Duration::from_millis(50), Duration::from_secs(4))
    }
}

/// Returns the actor for Deployments, `StatefulSets`, `DaemonSets` and `ReplicaSets`, which become
/// ready, Jobs, which complete, Pods, which run, `PersistentVolumeClaims`, which are bound, and
/// Services with load balancers, which get an address. It creates no Pods for workloads.
///
/// A simulation has this actor only if it is passed to
/// [`Simulation::actors`](super::Simulation::actors).
#[must_use]
pub fn workloads() -> Arc<dyn Actor> {
    Arc::new(Workloads)
}

struct Workloads;

impl Actor for Workloads {
    fn status(&self, object: &Value, now: &str) -> Option<Value> {
        if !object["metadata"]["deletionTimestamp"].is_null() {
            return None;
        }
        let api_version = object["apiVersion"].as_str()?;
        let (spec, status) = (&object["spec"], &object["status"]);
        let wanted = match (api_version, object["kind"].as_str()?) {
            ("apps/v1", "Deployment" | "StatefulSet" | "ReplicaSet") => {
                scaled(object, spec["replicas"].as_i64().unwrap_or(1), now)
            }
            ("apps/v1", "DaemonSet") => json!({
                "observedGeneration": object["metadata"]["generation"], "desiredNumberScheduled": 1,
                "currentNumberScheduled": 1, "numberReady": 1, "updatedNumberScheduled": 1,
                "numberAvailable": 1, "numberMisscheduled": 0,
            }),
            ("batch/v1", "Job")
                if status["completionTime"].is_null() && spec["suspend"] != true =>
            {
                json!({
                    "succeeded": spec["completions"].as_i64().unwrap_or(1), "startTime": now, "completionTime": now,
                    "conditions": [condition("Complete", "Completed", now)],
                })
            }
            ("v1", "Pod") if status["phase"].is_null() => json!({
                "phase": "Running", "podIP": "10.0.0.7", "startTime": now,
                "conditions": [condition("Ready", "Started", now)],
            }),
            ("v1", "PersistentVolumeClaim") if status["phase"] != "Bound" => {
                json!({"phase": "Bound"})
            }
            ("v1", "Service")
                if spec["type"] == "LoadBalancer" && status["loadBalancer"].is_null() =>
            {
                json!({"loadBalancer": {"ingress": [{"ip": "192.0.2.7"}]}})
            }
            _ => return None,
        };
        let fields = wanted.as_object()?;
        // the conditions contain the time, which always differs
        let differs = fields
            .iter()
            .any(|(name, value)| name != "conditions" && status[name] != *value);
        differs.then_some(wanted)
    }
}

/// Returns the status of a workload whose replicas are all ready.
fn scaled(object: &Value, replicas: i64, now: &str) -> Value {
    json!({
        "observedGeneration": object["metadata"]["generation"], "replicas": replicas, "readyReplicas": replicas,
        "availableReplicas": replicas, "updatedReplicas": replicas,
        "conditions": [condition("Available", "MinimumReplicasAvailable", now)],
    })
}

fn condition(type_: &str, reason: &str, now: &str) -> Value {
    json!({"type": type_, "status": "True", "reason": reason, "lastTransitionTime": now, "message": ""})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_deployment_becomes_ready_after_each_change_of_its_spec() {
        let mut web = json!({
            "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web", "generation": 1},
            "spec": {"replicas": 2},
        });
        let status = workloads().status(&web, "2030-01-01T00:00:00Z").unwrap();
        assert_eq!(status["readyReplicas"], 2);
        web["status"] = status;
        assert_eq!(workloads().status(&web, "2030-01-01T00:00:09Z"), None);
        web["metadata"]["generation"] = 2.into();
        web["spec"]["replicas"] = 3.into();
        let status = workloads().status(&web, "2030-01-01T00:00:09Z").unwrap();
        assert_eq!(
            (&status["readyReplicas"], &status["observedGeneration"]),
            (&3.into(), &2.into())
        );
    }
}
