//! The life of the pod-set operator.

use std::collections::HashSet;
use std::sync::mpsc::{Sender, channel};
use std::thread::sleep;
use std::time::Duration;

use serde_json::{Value, json};

use crate::operator::Operator;
use crate::proxy::{Proxy, Verdict};
use crate::stage::{SOON, Stage, is_ready};
use crate::support::audit::Entry;
use crate::support::until;

const SETS: &str = "/apis/batch.tutorial.kubebuilder.io/v1/namespaces/pod-set/podsets";
const PODS: &str = "/api/v1/namespaces/pod-set/pods";

#[test]
fn lives() {
    let stage = Stage::new();
    // The trap is a cache that is too old, so it is always half a second old here.
    let operator = Operator::install(&stage, "pod-set");
    let proxy = stage.proxy();
    let mut operator = operator.with_late_news(&proxy, Duration::from_millis(500));
    stage.namespace("pod-set");
    operator.start();
    refuses_what_cannot_be(&stage);
    never_overshoots(&stage, &mut operator, &proxy);
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

/// A Pod that was created or deleted, as +1 or -1. What a crash cut off is 0, for it may have been done or
/// not; so is what was refused, because the Pod was there, or gone, already.
#[derive(Clone, Debug, PartialEq)]
struct Step(i32, String);

/// All for the `PodSet` that is called `set`, in the order in which the API server saw them.
fn steps(stage: &Stage, operator: &Operator) -> Vec<Step> {
    steps_for("set-", stage, operator)
}

/// Those for Pods whose names begin so.
fn steps_for(pods: &str, stage: &Stage, operator: &Operator) -> Vec<Step> {
    let writes = stage.writes(&operator.user()).into_iter();
    let of_pods = writes.filter(|write| {
        write.resource == "pods" && write.namespace == "pod-set" && write.name.starts_with(pods)
    });
    let step = |write: Entry| match (write.verb.as_str(), write.code) {
        ("create", 201) => Step(1, write.name),
        ("delete", 200) => Step(-1, write.name),
        (_, 504) | ("create", 409) | ("delete", 404) => Step(0, write.name),
        _ => panic!("{write:?}"),
    };
    of_pods.map(step).collect()
}

fn directions(steps: &[Step]) -> Vec<i32> {
    steps.iter().map(|step| step.0).collect()
}

/// Returns the names of the Pods that are not being deleted.
fn living(stage: &Stage) -> Vec<String> {
    metadata_of_living(stage, "name")
}

fn metadata_of_living(stage: &Stage, field: &str) -> Vec<String> {
    let pods = stage.list(PODS).into_iter();
    let living = pods.filter(|pod| pod["metadata"]["deletionTimestamp"].is_null());
    living
        .map(|pod| pod["metadata"][field].as_str().unwrap().to_owned())
        .collect()
}

fn complete(replicas: u16) -> impl Fn(&Value) -> bool {
    move |set| is_ready(set) && set["status"]["readyReplicas"] == replicas
}

/// From 0 to 100 and back, while the operator crashes on the way in both directions: never a Pod too many,
/// never one too few. What it asked for last comes to the API server when the next one has done its work.
fn never_overshoots(stage: &Stage, operator: &mut Operator, proxy: &Proxy) {
    let sample = operator.dir.join("config/samples");
    stage.kubectl_ok(&format!("apply -n pod-set -k {}", sample.display()));
    stage.wait("complete", &format!("{SETS}/podset-sample"), complete(2));
    let made = steps_for("podset-sample-", stage, operator);
    assert_eq!(directions(&made), [1, 1]);
    // An operator that sees the deletion of its Pods before that of their owner creates one more,
    // which is deleted with the owner, too.
    stage.delete(&format!("{SETS}/podset-sample"));
    until("its Pods are gone", SOON, || stage.list(PODS).is_empty());

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
    let late = crash_with_one_on_its_way(operator, proxy, "POST");
    operator.start();
    stage.wait("complete", &set(), complete(100));
    arrives(late, stage, operator);
    let full = stage.wait("complete", &set(), complete(100));
    let names = full["status"]["podNames"].as_array().unwrap();
    let names: HashSet<&str> = names.iter().filter_map(Value::as_str).collect();
    assert_eq!(names.len(), 100);
    assert!(names.iter().all(|name| name.starts_with("set-")));
    let up = steps(stage, operator);
    only(&up, 1);

    scale(stage, 0);
    until("half way down", SOON, || living(stage).len() <= 50);
    let late = crash_with_one_on_its_way(operator, proxy, "DELETE");
    operator.start();
    stage.wait("nothing left", &set(), complete(0));
    arrives(late, stage, operator);
    assert!(living(stage).is_empty());
    only(&steps(stage, operator)[up.len()..], -1);
}

/// Ends the operator while the API server has not got its last request for a Pod; what lets it go.
fn crash_with_one_on_its_way(
    operator: &mut Operator,
    proxy: &Proxy,
    method: &'static str,
) -> Sender<()> {
    let (late, held) = channel();
    let (caught, catch) = channel();
    let mut held = Some(held);
    proxy.set(move |verb, target| {
        let of_pods = verb == method && target.contains("/pod-set/pods");
        held.take_if(|_| of_pods).map_or(Verdict::Pass, |held| {
            let _ = caught.send(());
            Verdict::Hold(held)
        })
    });
    catch.recv_timeout(SOON).unwrap();
    operator.crash();
    late
}

/// Lets go what was on its way, and waits until the API server has answered.
fn arrives(late: Sender<()>, stage: &Stage, operator: &Operator) {
    let before = steps(stage, operator).len();
    drop(late);
    until("it arrives", SOON, || steps(stage, operator).len() > before);
}

/// A hundred Pods in one direction, not one more, and not one back.
fn only(steps: &[Step], direction: i32) {
    let back = steps.iter().filter(|step| step.0 == -direction);
    assert_eq!(back.count(), 0, "{steps:?}");
    let done = steps.iter().filter(|step| step.0 == direction);
    let pods: HashSet<&str> = done.map(|step| step.1.as_str()).collect();
    assert_eq!(pods.len(), 100, "{steps:?}");
}

fn replaces_what_dies(stage: &Stage, operator: &Operator) {
    scale(stage, 3);
    stage.wait("complete", &set(), complete(3));
    let before = steps(stage, operator).len();

    is_replaced(stage, |victim| stage.delete(victim));
    assert_eq!(directions(&steps(stage, operator)[before..]), [1]);

    let dead = json!({"status": {"phase": "Failed"}});
    is_replaced(stage, |victim| {
        stage.patch(&format!("{victim}/status"), &dead);
    });
    assert_eq!(directions(&steps(stage, operator)[before..]), [1, -1, 1]);
}

/// Harms the first of three Pods, and waits until it is replaced. The new Pod may have the same
/// name.
fn is_replaced(stage: &Stage, harm: impl FnOnce(&str)) {
    let uids = || metadata_of_living(stage, "uid");
    let victim = uids()[0].clone();
    harm(&format!("{PODS}/{}", living(stage)[0]));
    until("another one", SOON, || {
        let uids = uids();
        uids.len() == 3 && !uids.contains(&victim)
    });
    stage.wait("complete", &set(), complete(3));
}

/// A Pod that takes its time to go is neither counted nor waited for.
fn does_not_count_what_is_going(stage: &Stage) {
    let slow = living(stage)[0].clone();
    let path = format!("{PODS}/{slow}");
    let held = json!({"metadata": {"finalizers": ["test.example.com/hold"]}});
    stage.patch(&path, &held);
    stage.delete(&path);
    until("one in its place", SOON, || living(stage).len() == 3);
    stage.wait("complete without it", &set(), |set| {
        let names = set["status"]["podNames"].as_array();
        complete(3)(set) && names.is_some_and(|names| !names.contains(&json!(slow)))
    });
    assert_eq!(stage.list(PODS).len(), 4);
    stage.patch(&path, &json!({"metadata": {"finalizers": null}}));
    stage.gone(&path);
}

/// Pods cannot be changed: those of the old version stay, new ones are of the new version.
fn an_upgrade_leaves_what_is_there(stage: &Stage, operator: &mut Operator) {
    let writes = stage.writes(&operator.user()).len();
    let before = living(stage);
    operator.stop();
    operator.upgrade();
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
    // No Pods are created for a deleted set.
    sleep(Duration::from_millis(500));
    assert!(stage.list(PODS).is_empty());
}
