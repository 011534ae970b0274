//! The recording of an operator with two Lolcows: `moo` is Ready, and the image of `sad` cannot be
//! pulled.

#![allow(
    clippy::needless_pass_by_value,
    reason = "values are written where they are told"
)]

use serde_json::{Value, json};

/// When it begins, in microseconds since 1970.
const START: u64 = 1_767_323_045_000_000;

/// Something that was seen so many milliseconds after the start.
pub fn at(millis: u64, mut what: Value) -> Value {
    what["at"] = (START + millis * 1000).into();
    what
}

pub fn about() -> Value {
    let kind = json!({"group": "my.domain", "kind": "Lolcow", "plural": "lolcows", "controller": "lolcow"});
    let about = json!({"project": "lolcow-operator", "version": "0.2.0", "kubectl": "kubectl", "kinds": [kind]});
    at(0, json!({ "about": about }))
}

/// A state of an object that a watch tells.
pub fn object(millis: u64, plural: &str, object: &Value) -> Value {
    let object = json!({"change": "MODIFIED", "plural": plural, "object": object});
    at(millis, json!({ "object": object }))
}

/// A Lolcow with a `Ready` condition.
pub fn lolcow(name: &str, uid: &str, ready: &str, message: &str) -> Value {
    let condition = json!({"type": "Ready", "status": ready, "reason": if ready == "True" { "Serving" } else { "Starting" },
        "message": message, "lastTransitionTime": "2026-01-02T03:04:05Z"});
    json!({"apiVersion": "my.domain/v1alpha1", "kind": "Lolcow",
        "metadata": {"name": name, "namespace": "default", "uid": uid, "generation": 1},
        "spec": {"message": "moo"}, "status": {"conditions": [condition]}})
}

/// Something that another object owns.
pub fn child(
    api: &str,
    kind: &str,
    name: &str,
    (uid, owner): (&str, &str),
    status: Value,
) -> Value {
    let owner =
        json!({"apiVersion": "v1", "kind": "Any", "name": "any", "uid": owner, "controller": true});
    json!({"apiVersion": api, "kind": kind, "metadata": {"name": name, "namespace": "default", "uid": uid,
        "ownerReferences": [owner]}, "status": status})
}

/// A line of the operator's log in a reconcile of a Lolcow.
pub fn line(
    millis: u64,
    (level, message): (&str, &str),
    (name, id): (&str, &str),
    fields: Value,
) -> Value {
    let span = json!({"name": "reconcile", "controller": "lolcow", "object": format!("default/{name}"),
        "reconcile_id": id, "cause": "the object changed"});
    let line = json!({"level": level, "target": "manager::reconciles", "message": message, "fields": fields, "span": span});
    at(millis, json!({ "line": line }))
}

/// A whole reconcile: when it begins, how long it takes in milliseconds, and the error with which
/// it fails.
pub fn reconcile(
    millis: u64,
    took: u64,
    of: (&str, &str),
    error: Option<(&str, u64)>,
) -> Vec<Value> {
    let end = millis + took;
    let ends = match error {
        None => line(
            end,
            ("DEBUG", "reconciled"),
            of,
            json!({"took": format!("{took}ms")}),
        ),
        Some((error, failures)) => {
            let message = format!("reconcile failed: {error}");
            let fields =
                json!({"failures": failures, "retry_in": "2s", "took": format!("{took}ms")});
            line(end, ("WARN", &message), of, fields)
        }
    };
    vec![line(millis, ("DEBUG", "reconciling"), of, json!({})), ends]
}

/// A request of the operator for a Lolcow or what it has.
pub fn call(
    millis: u64,
    verb: &str,
    (group, resource, name): (&str, &str, &str),
    code: u16,
    took: u64,
) -> Value {
    let message = if code == 403 { "may not" } else { "" };
    let call = json!({"verb": verb, "group": group, "resource": resource, "namespace": "default", "name": name,
        "code": code, "took": took, "message": message});
    at(millis, json!({ "call": call }))
}

/// Returns the operator's metrics at a second.
pub fn figures(second: u64) -> Value {
    #[expect(clippy::cast_precision_loss, reason = "some seconds")]
    let n = second as f64;
    let figures = json!({"depth": (second % 5), "reconciles": n * 3.0, "errors": n / 4.0, "seconds": n * 0.01, "timed": n,
        "memory": 21_000_000.0 + n * 10_000.0, "cpu": n * 0.01, "requests": n * 6.0,
        "calls /validate-my-domain-v1alpha1-lolcow": n, "refused /validate-my-domain-v1alpha1-lolcow": 2,
        "answering /validate-my-domain-v1alpha1-lolcow": n * 0.002, "answered /validate-my-domain-v1alpha1-lolcow": n});
    at(second * 1000, json!({ "figures": figures }))
}

pub fn process(millis: u64, state: &str, says: &str, restarts: u32) -> Value {
    at(
        millis,
        json!({"process": {"state": state, "says": says, "restarts": restarts}}),
    )
}

pub fn permissions(millis: u64) -> Value {
    let forbidden = json!({"resource": "services", "verbs": ["create", "patch"], "times": 3,
        "marker": "// +kubebuilder:rbac:groups=\"\",resources=services,verbs=create;patch", "file": "src/controllers/lolcow.rs"});
    let unused = "// +kubebuilder:rbac:groups=apps,resources=statefulsets,verbs=get";
    at(
        millis,
        json!({"permissions": {"forbidden": [forbidden], "unused": [unused], "known": true}}),
    )
}

/// The tree below a Lolcow: a Deployment, its `ReplicaSet` and its Pod.
fn tree(millis: u64, name: &str, is_well: bool) -> Vec<Value> {
    let (own, deployment, set, pod) = (
        format!("u-{name}"),
        format!("d-{name}"),
        format!("r-{name}"),
        format!("p-{name}"),
    );
    let available = if is_well { "True" } else { "False" };
    let condition = json!({"conditions": [{"type": "Available", "status": available, "reason": "MinimumReplicasUnavailable"}]});
    let container = if is_well {
        json!({"name": "cow", "ready": true, "state": {"running": {}}})
    } else {
        let message = "Back-off pulling image \"cow:v9\"";
        json!({"name": "cow", "ready": false, "state": {"waiting": {"reason": "ImagePullBackOff", "message": message}}})
    };
    let phase = if is_well { "Running" } else { "Pending" };
    let below = child(
        "apps/v1",
        "Deployment",
        name,
        (&deployment, &own),
        condition,
    );
    let replicas = child(
        "apps/v1",
        "ReplicaSet",
        &format!("{name}-7c9"),
        (&set, &deployment),
        json!({}),
    );
    let pod = child(
        "v1",
        "Pod",
        &format!("{name}-7c9-x2x"),
        (&pod, &set),
        json!({"phase": phase, "containerStatuses": [container]}),
    );
    vec![
        object(millis, "deployments", &below),
        object(millis + 20, "replicasets", &replicas),
        object(millis + 50, "pods", &pod),
    ]
}

/// All of it.
pub fn story() -> Vec<Value> {
    let mut updates = vec![about(), process(0, "running", "", 0)];
    let by = |mut object: Value, managers: &[(&str, &str)]| {
        let entry = |(manager, subresource): &(&str, &str)| match *subresource {
            "" => json!({"manager": manager, "operation": "Apply"}),
            _ => json!({"manager": manager, "operation": "Apply", "subresource": subresource}),
        };
        object["metadata"]["managedFields"] = managers.iter().map(entry).collect();
        object
    };
    let moo = lolcow("moo", "u-moo", "Unknown", "not looked at yet");
    updates.push(object(100, "lolcows", &by(moo, &[("kubectl", "")])));
    updates.extend(reconcile(200, 40, ("moo", "aaaa0001"), None));
    updates.push(call(
        220,
        "patch",
        ("apps", "deployments", "moo"),
        200,
        9_000,
    ));
    updates.extend(tree(230, "moo", true));
    let moo = lolcow("moo", "u-moo", "True", "a replica is available");
    let operator = ("lolcow-operator/lolcow", "status");
    updates.push(object(
        1300,
        "lolcows",
        &by(moo, &[("kubectl", ""), operator]),
    ));
    updates.push(call(
        1290,
        "patch",
        ("my.domain", "lolcows/status", "moo"),
        200,
        5_000,
    ));
    updates.extend(reconcile(1250, 50, ("moo", "aaaa0002"), None));

    let sad = lolcow("sad", "u-sad", "False", "waiting for the first replica");
    updates.push(object(
        2000,
        "lolcows",
        &by(sad, &[("kubectl", ""), operator]),
    ));
    updates.extend(reconcile(2050, 120, ("sad", "bbbb0001"), None));
    updates.push(call(
        2100,
        "patch",
        ("apps", "deployments", "sad"),
        201,
        11_000,
    ));
    updates.extend(tree(2200, "sad", false));
    let event = json!({"apiVersion": "v1", "kind": "Event", "metadata": {"uid": "e1", "name": "sad.1"},
        "involvedObject": {"uid": "p-sad"}, "type": "Warning", "reason": "Failed", "message": "Error: ImagePullBackOff",
        "count": 3, "lastTimestamp": "2026-01-02T03:04:08Z"});
    updates.push(object(2900, "events", &event));
    updates.push(line(
        3000,
        ("INFO", "the cow is asked"),
        ("sad", "bbbb0002"),
        json!({"cow": "sad"}),
    ));
    updates.extend(reconcile(
        4000,
        15,
        ("sad", "bbbb0003"),
        Some(("the cow does not answer", 1)),
    ));
    updates.extend(reconcile(6100, 15, ("sad", "bbbb0004"), None));
    updates.push(call(
        6105,
        "patch",
        ("my.domain", "lolcows/status", "sad"),
        409,
        4_000,
    ));
    updates.push(permissions(6500));
    updates.extend((1..20).map(figures));
    updates
}
