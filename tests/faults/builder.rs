//! The settings of a controller and of a manager.

use std::thread::sleep;
use std::time::Duration;

use rustix::process::Signal;
use serde_json::json;

use crate::cluster::SOON;
use crate::operator::{Launch, Operator};
use crate::support::until;
use crate::{Cases, Stage};

pub const CASES: Cases = &[
    ("a_predicate_a_watched_kind_and_a_child_to_delete", pasture),
    ("two_controllers_share_a_kind", two_controllers),
    ("what_another_controller_watches_can_be_looked_up", others),
    ("what_nobody_watches_is_an_error", unwatched),
    ("a_stream_triggers", stream),
    ("a_task_runs_beside_the_controllers", task),
    ("children_come_and_go_in_order", in_order),
    ("several_namespaces_are_watched_and_no_others", namespaces),
];

const RECONCILES: &str =
    "controller_runtime_reconcile_total{controller=\"pasture\",result=\"success\"}";

fn reconciles(operator: &Operator) -> f64 {
    operator.metric(RECONCILES).unwrap_or_default()
}

fn pasture(stage: &Stage) {
    let place = stage.place();
    let operator = place.operator("alpha", Launch::default());
    place.create("pastures", "meadow", "fenced");
    until("it is fenced", SOON, || {
        place.condition("pastures", "meadow").0 == "True"
    });
    assert_eq!(place.data("meadow-fence", "mark").as_deref(), Some(""));

    // `watches`: a Secret of the same name.
    let secret = |mark: &str| json!({"metadata": {"name": "meadow", "labels": {"mark": mark}}});
    place
        .cluster
        .api
        .post(&place.path("secrets", ""), &secret("red"));
    until("its mark is seen", SOON, || {
        place.data("meadow-fence", "mark").as_deref() == Some("red")
    });
    place.patch("secrets", "meadow", &secret("blue"));
    until("its mark is seen", SOON, || {
        place.data("meadow-fence", "mark").as_deref() == Some("blue")
    });
    place.delete("secrets", "meadow");
    until("it is missed", SOON, || {
        place.data("meadow-fence", "mark").as_deref() == Some("")
    });

    // `when`: a label does not matter, the spec does.
    let before = reconciles(&operator);
    place.patch(
        "pastures",
        "meadow",
        &json!({"metadata": {"labels": {"no": "matter"}}}),
    );
    sleep(Duration::from_secs(1));
    assert!(
        (reconciles(&operator) - before).abs() < f64::EPSILON,
        "{before}"
    );
    place.say("pastures", "meadow", "open");
    until("the fence is gone", SOON, || {
        place.get("configmaps", "meadow-fence").is_none()
    });

    // `cleanup` before it may go.
    assert!(place.get("leases", "meadow-gone").is_none());
    place.delete("pastures", "meadow");
    until("it is gone", SOON, || {
        place.get("pastures", "meadow").is_none()
    });
    assert!(place.get("leases", "meadow-gone").is_some());
}

/// The writes of one controller trigger the other one, and a controller's own writes do not trigger
/// it.
fn two_controllers(stage: &Stage) {
    let place = stage.place();
    let launch = Launch {
        variables: vec![("COPIER", "yes".to_owned())],
        ..Launch::default()
    };
    let _operator = place.operator("alpha", launch);
    place.create("lolcows", "cow", "moo");
    let is_copied = |message: &str| {
        until("both have written", SOON, || {
            ["cow", "cow-copy"]
                .iter()
                .all(|name| place.data(name, "message").as_deref() == Some(message))
        });
    };
    is_copied("moo");
    place.say("lolcows", "cow", "moo moo");
    is_copied("moo moo");
    place.delete("configmaps", "cow-copy");
    is_copied("moo moo");
    sleep(Duration::from_secs(1));
    let writes = |name: &str| {
        let mut writes = place.writes();
        writes.retain(|write| write.resource == "configmaps" && write.name == name);
        writes.len()
    };
    assert_eq!((writes("cow"), writes("cow-copy")), (2, 3));
}

fn others(stage: &Stage) {
    let place = stage.place();
    let secret = json!({"metadata": {"name": "cow", "labels": {"mark": "red"}}});
    place.cluster.api.post(&place.path("secrets", ""), &secret);
    place.create("lolcows", "cow", "moo");
    let launch = Launch {
        variables: vec![("COPIER", "yes".to_owned())],
        ..Launch::default()
    };
    let _operator = place.operator("alpha", launch);
    until("it is copied with the mark", SOON, || {
        place.data("cow-copy", "mark").as_deref() == Some("red")
    });
}

/// And nothing that is taken for "there is none".
fn unwatched(stage: &Stage) {
    let place = stage.place();
    let _operator = place.operator("alpha", Launch::default());
    place.create("lolcows", "cow", "lookup it");
    until("it is said", SOON, || {
        place.condition("lolcows", "cow") == ("False".to_owned(), "NotWatched".to_owned())
    });
    assert!(
        place.data("cow", "message").is_none(),
        "it went on as if there were none"
    );
}

fn stream(stage: &Stage) {
    let place = stage.place();
    let operator = place.operator("alpha", Launch::default());
    place.create("pastures", "ticking", "open");
    until("it is reconciled again and again", SOON, || {
        reconciles(&operator) > 10.0
    });
}

/// With leader election the task is that of the leader.
fn task(stage: &Stage) {
    let place = stage.place();
    let replica = |name: &str| Launch {
        variables: vec![("TASK", format!("held-by-{name}"))],
        ..Launch::replica()
    };
    let mut alpha = place.operator("alpha", replica("alpha"));
    until("the task runs", SOON, || {
        place.get("configmaps", "held-by-alpha").is_some()
    });
    let beta = place.operator("beta", replica("beta"));
    beta.says("standby:");
    assert!(place.get("configmaps", "held-by-beta").is_none());
    alpha.signal(Signal::TERM);
    assert_eq!(alpha.ends().0.code(), Some(0));
    assert!(place.get("configmaps", "held-by-alpha").is_none());
    until("the task runs", SOON, || {
        place.get("configmaps", "held-by-beta").is_some()
    });
}

fn namespaces(stage: &Stage) {
    let (one, two, other) = (stage.place(), stage.place(), stage.place());
    let watch = format!("{}, {}", one.namespace, two.namespace);
    let launch = Launch {
        watch: Some(watch),
        ..Launch::default()
    };
    let mut operator = one.operator("alpha", launch);
    for place in [&one, &two, &other] {
        place.create("lolcows", "cow", "moo");
    }
    one.converges();
    two.converges();
    two.delete("configmaps", "cow");
    two.converges();
    assert!(other.data("cow", "message").is_none());
    operator.signal(Signal::TERM);
    assert_eq!(operator.ends().0.code(), Some(0));
    let everywhere = place_wide_requests(&one);
    assert!(everywhere.is_empty(), "{everywhere:?}");
}

/// Requests of the operators of `place` that were not about any namespace.
fn place_wide_requests(place: &crate::place::Place) -> Vec<String> {
    let mut entries = place.audit();
    entries.retain(|entry| entry.namespace.is_empty() && !entry.resource.ends_with("reviews"));
    entries
        .into_iter()
        .map(|entry| format!("{} {}", entry.verb, entry.resource))
        .collect()
}

/// The control plane has no garbage collector, so the objects are deleted with the propagation that
/// the operator requests.
fn in_order(stage: &Stage) {
    const KINDS: [&str; 3] = ["configmaps", "herds", "secrets"];
    let place = stage.place();
    let mut operator = place.operator("alpha", Launch::default().with("ORDERLY", &"yes"));
    let there = || KINDS.map(|kind| place.get(kind, "cow").is_some());
    let is_going = |kind: &str| {
        let object = place.get(kind, "cow").unwrap_or_default();
        !object["metadata"]["deletionTimestamp"].is_null()
    };
    let says = |text: &str| {
        let said = || place.get("lolcows", "cow").unwrap_or_default()["status"].to_string();
        until(&format!("it says {text}"), SOON, || said().contains(text));
    };
    place.create("lolcows", "cow", "moo");
    says("step 1 of 3: ConfigMap cow: it is empty");
    assert_eq!(there(), [true, false, false]);
    place.patch("configmaps", "cow", &json!({"data": {"grain": "oat"}}));
    says("step 2 of 3: Herd cow: no condition `Ready` yet");
    assert_eq!(there(), [true, true, false]);
    let now = k8s_openapi::jiff::Timestamp::now()
        .strftime("%FT%TZ")
        .to_string();
    let ready = json!({
        "type": "Ready", "status": "True", "reason": "Fed", "message": "", "lastTransitionTime": now,
    });
    let path = format!("{}/status", place.path("herds", "cow"));
    place
        .cluster
        .api
        .patch(&path, &json!({"status": {"conditions": [ready]}}));
    says("step 3 of 3 is ready");
    assert_eq!(there(), [true, true, true]);

    // It is killed in the middle, and there is another one then.
    place.delete("lolcows", "cow");
    let collect = |kind: &str| {
        let no_finalizers = json!({"metadata": {"finalizers": null}});
        until(&format!("{kind} go"), SOON, || is_going(kind));
        let rest = there();
        place.patch(kind, "cow", &no_finalizers);
        rest
    };
    assert_eq!(collect("secrets"), [true, true, true]);
    operator.kill();
    operator = place.operator("alpha", Launch::default().with("ORDERLY", &"yes"));
    assert_eq!(collect("herds"), [true, true, false]);
    assert_eq!(collect("configmaps"), [true, false, false]);
    until("the cow is gone", SOON, || {
        place.get("lolcows", "cow").is_none()
    });
    let log = operator.log();
    assert!(!log.contains("reconcile failed"), "{log}");
}
