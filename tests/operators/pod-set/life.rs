//! The life of the pod-set operator.

use std::collections::HashSet;
use std::thread::sleep;
use std::time::Duration;

use serde_json::{Value, json};

use crate::operator::Operator;
use crate::project;
use crate::stage::{SOON, Stage, is_ready};
use crate::support::until;

const SETS: &str = "/apis/batch.tutorial.kubebuilder.io/v1/namespaces/pod-set/podsets";
const PODS: &str = "/api/v1/namespaces/pod-set/pods";

#[test]
fn lives() {
    let stage = Stage::new();
    // The trap is a cache that is too old, so it is always half a second old here.
    let operator = Operator::install(&stage, "pod-set");
    let mut operator = operator.with_late_news(Duration::from_millis(500));
    stage.namespace("pod-set");
    operator.start();
    refuses_what_cannot_be(&stage);
    never_overshoots(&stage, &mut operator);
    replaces_what_dies(&stage, &operator);
    does_not_count_what_is_going(&stage);
    an_upgrade_leaves_what_is_there(&stage, &mut operator);
    goes_with_all_it_has(&stage);
    operator.stop();
    operator.assert_its_role_fits(&stage);
}

fn set() -> String {
    format!("{SETS}/set")
}

fn scale(stage: &Stage, replicas: u16) {
    stage.patch(&set(), &json!({"spec": {"replicas": replicas}}));
}

fn refuses_what_cannot_be(stage: &Stage) {
    for (spec, why) in [
        (json!({"replicas": -1}), "greater than or equal to 0"),
        (json!({}), "spec.replicas: Required value"),
    ] {
        let set = json!({
            "apiVersion": "batch.tutorial.kubebuilder.io/v1", "kind": "PodSet",
            "metadata": {"name": "refused"}, "spec": spec,
        });
        let message = stage.ask("POST", SETS, Some(&set)).unwrap_err();
        assert!(message.contains(why), "{message}");
    }
}

/// Every Pod that was created or deleted, as +1 or -1, in the order in which the API server saw it. What a
/// crash cut off is 0: it may have been done or not.
fn steps(stage: &Stage, operator: &Operator) -> Vec<i32> {
    let writes = stage.writes(&operator.user()).into_iter();
    let of_pods = writes.filter(|write| write.resource == "pods" && write.namespace == "pod-set");
    of_pods
        .map(|write| match (write.verb.as_str(), write.code) {
            ("create", 201) => 1,
            ("delete", 200) => -1,
            (_, 504) => 0,
            other => panic!("{other:?}"),
        })
        .collect()
}

fn living(stage: &Stage) -> Vec<String> {
    let pods = stage.list(PODS).into_iter();
    let living = pods.filter(|pod| pod["metadata"]["deletionTimestamp"].is_null());
    living
        .map(|pod| pod["metadata"]["name"].as_str().unwrap().to_owned())
        .collect()
}

fn complete(replicas: u16) -> impl Fn(&Value) -> bool {
    move |set| is_ready(set) && set["status"]["readyReplicas"] == replicas
}

/// From 0 to 100 and back, while the operator crashes on the way in both directions: never a Pod too many,
/// never one too few.
fn never_overshoots(stage: &Stage, operator: &mut Operator) {
    let sample = operator.dir.join("config/samples");
    stage.kubectl_ok(&format!("apply -n pod-set -k {}", sample.display()));
    stage.wait("complete", &format!("{SETS}/podset-sample"), complete(2));
    stage.delete(&format!("{SETS}/podset-sample"));
    until("its Pods are gone", SOON, || stage.list(PODS).is_empty());
    let before = steps(stage, operator);
    assert_eq!(before, [1, 1]);

    stage.create(
        SETS,
        &json!({
            "apiVersion": "batch.tutorial.kubebuilder.io/v1", "kind": "PodSet",
            "metadata": {"name": "set"}, "spec": {"replicas": 0},
        }),
    );
    stage.wait("nothing to do", &set(), complete(0));
    scale(stage, 100);
    until("half way up", SOON, || living(stage).len() >= 50);
    operator.crash();
    operator.start();
    let full = stage.wait("complete", &set(), complete(100));
    let names = full["status"]["podNames"].as_array().unwrap();
    let names: HashSet<&str> = names.iter().filter_map(Value::as_str).collect();
    assert_eq!(names.len(), 100);
    assert!(names.iter().all(|name| name.starts_with("set-")));
    let up = steps(stage, operator).split_off(before.len());
    only(&up, 1);

    scale(stage, 0);
    until("half way down", SOON, || living(stage).len() <= 50);
    operator.crash();
    operator.start();
    stage.wait("nothing left", &set(), complete(0));
    assert!(living(stage).is_empty());
    only(&steps(stage, operator)[before.len() + up.len()..], -1);
}

/// A hundred steps in one direction, not one more and not one back. One may have been cut off.
fn only(steps: &[i32], direction: i32) {
    let (done, other): (Vec<i32>, Vec<i32>) = steps.iter().partition(|step| **step == direction);
    assert!((99..=100).contains(&done.len()), "{}", done.len());
    assert!(other.is_empty() || other == [0], "{steps:?}");
    assert!(done.len() + other.len() >= 100, "{steps:?}");
}

fn replaces_what_dies(stage: &Stage, operator: &Operator) {
    scale(stage, 3);
    stage.wait("complete", &set(), complete(3));
    let before = steps(stage, operator).len();

    let victim = living(stage)[0].clone();
    stage.delete(&format!("{PODS}/{victim}"));
    until("another one", SOON, || {
        let living = living(stage);
        living.len() == 3 && !living.contains(&victim)
    });
    stage.wait("complete", &set(), complete(3));
    assert_eq!(steps(stage, operator)[before..], [1]);

    let victim = living(stage)[0].clone();
    let dead = json!({"status": {"phase": "Failed"}});
    stage.patch(&format!("{PODS}/{victim}/status"), &dead);
    until("another one", SOON, || {
        let living = living(stage);
        living.len() == 3 && !living.contains(&victim)
    });
    stage.wait("complete", &set(), complete(3));
    assert_eq!(steps(stage, operator)[before..], [1, -1, 1]);
}

/// A Pod that takes its time to go is neither counted nor waited for.
fn does_not_count_what_is_going(stage: &Stage) {
    let slow = living(stage)[0].clone();
    let path = format!("{PODS}/{slow}");
    let held = json!({"metadata": {"finalizers": ["test.example.com/hold"]}});
    stage.patch(&path, &held);
    stage.delete(&path);
    until("one in its place", SOON, || living(stage).len() == 3);
    let set = stage.wait("complete", &set(), complete(3));
    assert_eq!(stage.list(PODS).len(), 4);
    let names = set["status"]["podNames"].as_array().unwrap();
    assert!(!names.contains(&json!(slow)), "{names:?}");
    stage.patch(&path, &json!({"metadata": {"finalizers": null}}));
    stage.gone(&path);
}

/// Pods cannot be changed: those of the old version stay, new ones are of the new version.
fn an_upgrade_leaves_what_is_there(stage: &Stage, operator: &mut Operator) {
    let writes = stage.writes(&operator.user()).len();
    let before = living(stage);
    operator.stop();
    let controller = "src/controllers/batch_pod_set.rs";
    operator.binary = project::build_next("pod-set", controller, "worker:v1", "worker:v2");
    operator.start();
    until("it has looked", SOON, || {
        operator.reconciled("podset") >= 1.0
    });
    assert_eq!(living(stage), before);
    assert_eq!(stage.writes(&operator.user()).len(), writes);
    scale(stage, 4);
    stage.wait("complete", &set(), complete(4));
    let pods = stage.list(PODS);
    let images = pods
        .iter()
        .map(|pod| &pod["spec"]["containers"][0]["image"]);
    let new = images.filter(|image| **image == "registry.my.domain/worker:v2");
    assert_eq!(new.count(), 1);
}

fn goes_with_all_it_has(stage: &Stage) {
    stage.delete(&set());
    until("all Pods are gone", SOON, || stage.list(PODS).is_empty());
    // Nobody makes new ones for a set that is gone.
    sleep(Duration::from_millis(500));
    assert!(stage.list(PODS).is_empty());
}
