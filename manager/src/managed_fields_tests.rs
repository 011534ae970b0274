//! Tests the comparison with the `managedFields` and the objects that Kubernetes v1.36 stored after
//! this Deployment and a Service were applied.

use serde_json::json;

use super::*;

fn wanted() -> Value {
    desired_state(json!({
        "apiVersion": "apps/v1", "kind": "Deployment",
        "metadata": {"name": "web", "namespace": "ns", "labels": {"a": "b"},
                     "ownerReferences": [{"uid": "u-1", "kind": "Lolcow", "name": "web", "apiVersion": "my.domain/v1", "controller": true}]},
        "spec": {
            "replicas": 1,
            "selector": {"matchLabels": {"app": "web"}},
            "template": {"metadata": {"labels": {"app": "web"}}, "spec": {
                "containers": [{
                    "name": "c", "image": "nginx", "args": ["a", "b"],
                    "ports": [{"containerPort": 80, "name": "http"}, {"containerPort": 53, "protocol": "UDP"}],
                    "env": [{"name": "MSG", "value": "moo"},
                            {"name": "POD", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}}],
                    "resources": {"limits": {"memory": "1024Mi"}, "requests": {"cpu": "1000m"}},
                    "readinessProbe": {"httpGet": {"path": "/", "port": "http"}}
                }],
                "securityContext": {},
                "volumes": [{"name": "v", "emptyDir": {}}]
            }}
        }
    }))
}

fn recorded() -> Value {
    json!({
        "f:metadata": {"f:labels": {"f:a": {}}, "f:ownerReferences": {"k:{\"uid\":\"u-1\"}": {}}},
        "f:spec": {
            "f:replicas": {}, "f:selector": {},
            "f:template": {"f:metadata": {"f:labels": {"f:app": {}}}, "f:spec": {
                "f:containers": {"k:{\"name\":\"c\"}": {
                    ".": {}, "f:name": {}, "f:image": {}, "f:args": {},
                    "f:ports": {
                        "k:{\"containerPort\":53,\"protocol\":\"UDP\"}": {".": {}, "f:containerPort": {}, "f:protocol": {}},
                        "k:{\"containerPort\":80,\"protocol\":\"TCP\"}": {".": {}, "f:containerPort": {}, "f:name": {}}},
                    "f:env": {
                        "k:{\"name\":\"MSG\"}": {".": {}, "f:name": {}, "f:value": {}},
                        "k:{\"name\":\"POD\"}": {".": {}, "f:name": {}, "f:valueFrom": {"f:fieldRef": {}}}},
                    "f:resources": {"f:limits": {"f:memory": {}}, "f:requests": {"f:cpu": {}}},
                    "f:readinessProbe": {"f:httpGet": {"f:path": {}, "f:port": {}}}
                }},
                "f:securityContext": {},
                "f:volumes": {"k:{\"name\":\"v\"}": {".": {}, "f:emptyDir": {}, "f:name": {}}}
            }}
        }
    })
}

fn live() -> Value {
    json!({
        "apiVersion": "apps/v1", "kind": "Deployment",
        "metadata": {"name": "web", "namespace": "ns", "uid": "d-1", "resourceVersion": "7", "generation": 1,
                     "labels": {"a": "b", "theirs": "x"}, "annotations": {"deployment.kubernetes.io/revision": "1"},
                     "ownerReferences": [{"uid": "u-1", "kind": "Lolcow", "name": "web", "apiVersion": "my.domain/v1", "controller": true}]},
        "spec": {
            "replicas": 1, "revisionHistoryLimit": 10,
            "selector": {"matchLabels": {"app": "web"}},
            "template": {"metadata": {"labels": {"app": "web"}}, "spec": {
                "containers": [{
                    "name": "c", "image": "nginx", "args": ["a", "b"], "imagePullPolicy": "Always",
                    "ports": [{"containerPort": 80, "name": "http", "protocol": "TCP"}, {"containerPort": 53, "protocol": "UDP"}],
                    "env": [{"name": "MSG", "value": "moo"},
                            {"name": "POD", "valueFrom": {"fieldRef": {"apiVersion": "v1", "fieldPath": "metadata.name"}}}],
                    "resources": {"limits": {"memory": "1Gi"}, "requests": {"cpu": "1"}},
                    "readinessProbe": {"failureThreshold": 3, "httpGet": {"path": "/", "port": "http", "scheme": "HTTP"}}
                }],
                "dnsPolicy": "ClusterFirst", "securityContext": {},
                "volumes": [{"name": "v", "emptyDir": {}}]
            }}
        },
        "status": {"replicas": 1}
    })
}

/// Returns a copy of `value` in which the value at `pointer` is replaced or, for `None`, removed.
fn with(mut value: Value, pointer: &str, new: Option<Value>) -> Value {
    let (parent, name) = pointer.rsplit_once('/').unwrap();
    match (
        value
            .pointer_mut(parent)
            .unwrap_or_else(|| panic!("no {parent}")),
        new,
    ) {
        (Value::Object(map), Some(new)) => drop(map.insert(name.to_owned(), new)),
        (Value::Object(map), None) => drop(map.remove(name).unwrap()),
        (Value::Array(list), Some(new)) if name == "-" => list.push(new),
        (Value::Array(list), Some(new)) => list[name.parse::<usize>().unwrap()] = new,
        (Value::Array(list), None) => drop(list.remove(name.parse().unwrap())),
        _ => panic!("nothing at {pointer}"),
    }
    value
}

const CONTAINER: &str = "/spec/template/spec/containers/0";

#[test]
fn an_applied_object_needs_no_request() {
    assert!(is_applied(&recorded(), &wanted(), &live()));
}

#[test]
fn fields_of_other_managers_are_ignored() {
    let theirs = with(live(), "/metadata/annotations/more", Some(json!("x")));
    let theirs = with(theirs, "/status/replicas", Some(json!(9)));
    assert!(is_applied(&recorded(), &wanted(), &theirs));
}

#[test]
fn empty_and_absent_are_the_same() {
    let wanted = with(wanted(), "/spec/strategy", Some(json!({})));
    let wanted = with(wanted, "/spec/template/spec/tolerations", Some(json!([])));
    let wanted = with(wanted, "/spec/paused", Some(Value::Null));
    assert!(is_applied(&recorded(), &wanted, &live()));
}

#[test]
fn every_wanted_value_is_compared() {
    for (pointer, new) in [
        ("/spec/replicas", json!(2)),
        ("/metadata/labels/a", json!("c")),
        (
            "/spec/selector/matchLabels",
            json!({"app": "web", "more": "x"}),
        ),
        ("/spec/template/spec/containers/0/image", json!("nginx:2")),
        ("/spec/template/spec/containers/0/args", json!(["b", "a"])),
        ("/spec/template/spec/containers/0/env/0/value", json!("mu")),
        (
            "/spec/template/spec/containers/0/resources/limits/memory",
            json!("1025Mi"),
        ),
        (
            "/spec/template/spec/containers/0/ports/0/containerPort",
            json!(81),
        ),
        ("/metadata/ownerReferences/0/uid", json!("u-2")),
    ] {
        assert!(
            !is_applied(
                &recorded(),
                &with(wanted(), pointer, Some(new.clone())),
                &live()
            ),
            "{pointer} in wanted"
        );
        assert!(
            !is_applied(&recorded(), &wanted(), &with(live(), pointer, Some(new))),
            "{pointer} in live"
        );
    }
}

#[test]
fn a_field_that_is_newly_set_must_be_sent() {
    for (pointer, new) in [
        ("/metadata/labels/new", json!("x")),
        ("/spec/minReadySeconds", json!(5)),
        (
            "/spec/template/spec/containers/0/env/-",
            json!({"name": "NEW", "value": ""}),
        ),
        (
            "/spec/template/spec/volumes/-",
            json!({"name": "w", "emptyDir": {}}),
        ),
    ] {
        assert!(
            !is_applied(
                &recorded(),
                &with(wanted(), pointer, Some(new.clone())),
                &live()
            ),
            "{pointer}"
        );
        // The request is needed even if another writer has set the same value: the operator must
        // become a manager of the field.
        assert!(
            !is_applied(
                &recorded(),
                &with(wanted(), pointer, Some(new.clone())),
                &with(live(), pointer, Some(new))
            ),
            "{pointer}"
        );
    }
}

#[test]
fn removed_fields_must_be_sent() {
    for pointer in [
        "/metadata/labels/a",
        "/metadata/labels",
        "/spec/replicas",
        "/spec/template/spec/containers/0/env/1",
        "/spec/template/spec/containers/0/ports/1",
        "/spec/template/spec/containers/0/resources",
        "/spec/template/spec/volumes",
    ] {
        assert!(
            !is_applied(&recorded(), &with(wanted(), pointer, None), &live()),
            "{pointer}"
        );
    }
}

#[test]
fn a_field_that_others_took_over_must_be_sent() {
    let taken = with(recorded(), "/f:spec/f:replicas", None);
    assert!(!is_applied(&taken, &wanted(), &live()));
}

#[test]
fn fields_missing_in_the_live_object_must_be_sent() {
    let env = format!("{CONTAINER}/env/0");
    assert!(!is_applied(
        &recorded(),
        &wanted(),
        &with(live(), &env, None)
    ));
    assert!(!is_applied(
        &recorded(),
        &wanted(),
        &with(live(), "/metadata/labels/a", None)
    ));
}

#[test]
fn set_members_are_compared_one_by_one() {
    let fields = json!({"f:metadata": {"f:finalizers": {".": {}, "v:\"a/b\"": {}}}});
    let object = |finalizers: Value| json!({"metadata": {"finalizers": finalizers}});
    assert!(is_applied(
        &fields,
        &object(json!(["a/b"])),
        &object(json!(["c/d", "a/b"]))
    ));
    assert!(!is_applied(
        &fields,
        &object(json!(["a/b", "e/f"])),
        &object(json!(["a/b"]))
    ));
    assert!(!is_applied(
        &fields,
        &object(json!(["a/b"])),
        &object(json!(["c/d"]))
    ));
}

#[test]
fn ports_with_equal_numbers_are_distinguished_by_protocol() {
    let fields = json!({"f:ports": {
        "k:{\"port\":53,\"protocol\":\"TCP\"}": {".": {}, "f:port": {}, "f:name": {}},
        "k:{\"port\":53,\"protocol\":\"UDP\"}": {".": {}, "f:port": {}, "f:protocol": {}, "f:name": {}}}});
    let wanted =
        json!({"ports": [{"port": 53, "name": "t"}, {"port": 53, "protocol": "UDP", "name": "u"}]});
    let live = json!({"ports": [{"port": 53, "protocol": "UDP", "name": "u"}, {"port": 53, "protocol": "TCP", "name": "t"}]});
    assert!(is_applied(&fields, &wanted, &live));
}

#[test]
fn quantities_are_numbers_and_other_strings_are_not() {
    for (a, b) in [
        ("1000m", "1"),
        ("0.5", "500m"),
        ("1024Mi", "1Gi"),
        ("1e3", "1k"),
        ("0.3", "300m"),
    ] {
        assert!(
            equal(&json!({"cpu": a}), &json!({"cpu": b}), true),
            "{a} and {b}"
        );
        assert!(!equal(&json!(a), &json!(b), false), "{a} and {b}");
    }
    assert!(!equal(&json!("1Gi"), &json!("1G"), true));
}

#[test]
fn the_view_contains_only_recorded_fields() {
    let before = view(&recorded(), &live());
    assert_eq!(
        before,
        view(
            &recorded(),
            &with(live(), "/status/replicas", Some(json!(5)))
        )
    );
    assert_ne!(
        before,
        view(&recorded(), &with(live(), "/spec/replicas", Some(json!(5))))
    );
    assert_ne!(
        before,
        view(&with(recorded(), "/f:spec/f:replicas", None), &live())
    );
}
