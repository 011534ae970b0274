//! Statuses: no writer's part is lost, no status is written to another object, and none is written
//! repeatedly.

use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::audit::Entry;
use crate::cluster::SOON;
use crate::operator::{Launch, Operator};
use crate::place::Place;
use crate::support::until;
use crate::{Cases, Stage};

pub const CASES: Cases = &[
    ("a_reconcile_that_does_not_return_is_told", hangs),
    ("success_and_failure_in_turn_are_slowed_down", flaps),
    ("what_is_paused_is_left_alone", paused),
    ("two_controllers_share_a_status", share),
    ("two_controllers_fight_over_a_condition_slowly", fight),
    ("what_others_write_meanwhile_stays", meanwhile),
    ("a_list_is_one_value_and_loses_nothing", list),
    ("what_others_take_away_stays_away", removed),
    ("a_successor_does_not_inherit", successor),
    ("an_error_is_told_though_the_status_is_too_large", large),
    ("an_object_with_a_long_name_has_events", long_name),
    ("events_follow_a_message_that_varies", varies),
];

/// The controller `left` alone.
fn left(place: &Place) -> Operator {
    let operator = place.operator("alpha", Launch::default());
    operator.is_ready();
    operator
}

fn status(place: &Place, name: &str) -> Value {
    place.get("herds", name).unwrap()["status"].clone()
}

/// The writes of the status of a herd so far.
fn status_writes(place: &Place, name: &str) -> Vec<Entry> {
    let mut writes = place.writes();
    writes.retain(|write| write.resource == "herds/status" && write.name == name);
    writes
}

/// Waits until a reconcile of `left` is under way.
fn works(operator: &Operator) {
    until("it is at work", SOON, || {
        operator.metric("controller_runtime_active_workers{controller=\"left\"}") >= Some(1.0)
    });
}

/// The events about a herd.
fn events(place: &Place, name: &str) -> Vec<Value> {
    let path = format!(
        "/apis/events.k8s.io/v1/namespaces/{}/events",
        place.namespace
    );
    let list = place.cluster.api.get(&path).unwrap();
    let events = list["items"].as_array().unwrap().iter();
    let about = events.filter(|event| event["regarding"]["name"] == name);
    about.cloned().collect()
}

/// Both controllers.
fn both(place: &Place) -> Operator {
    let launch = Launch {
        variables: vec![("RIGHT", "yes".to_owned())],
        ..Launch::default()
    };
    let operator = place.operator("alpha", launch);
    operator.is_ready();
    operator
}

/// The user pauses an object, at first without a limit, then until a moment in the near future. A
/// deleted object is cleaned up while it is paused.
fn paused(stage: &Stage) {
    let place = stage.place();
    let _operator = place.operator("alpha", Launch::default());
    let pause = |plural: &str, name: &str, word: &str| {
        let annotations = json!({"my.domain/paused": word});
        let answer = place.patch(
            plural,
            name,
            &json!({"metadata": {"annotations": annotations}}),
        );
        assert_eq!(answer["metadata"]["annotations"], annotations, "{answer}");
    };
    let is_paused = |status: &str| {
        let lolcow = place.get("lolcows", "quiet").unwrap();
        let mut conditions = lolcow["status"]["conditions"]
            .as_array()
            .into_iter()
            .flatten();
        conditions.any(|condition| condition["type"] == "Paused" && condition["status"] == status)
    };
    place.create("lolcows", "quiet", "moo");
    place.converges();
    pause("lolcows", "quiet", "true");
    until("it says that it is paused", SOON, || is_paused("True"));
    place.say("lolcows", "quiet", "bow");
    // When the other Lolcow exists, this one has been reconciled.
    place.create("lolcows", "loud", "moo");
    until("the other one speaks", SOON, || {
        place.data("loud", "message").is_some()
    });
    assert_eq!(place.data("quiet", "message").as_deref(), Some("moo"));

    let soon = k8s_openapi::jiff::Timestamp::now() + Duration::from_secs(3);
    pause("lolcows", "quiet", &soon.to_string());
    until("it is worked on again", SOON, || is_paused("False"));
    assert!(k8s_openapi::jiff::Timestamp::now() >= soon);
    place.converges();

    place.create("pastures", "meadow", "open");
    until("the pasture has its finalizer", SOON, || {
        let meadow = place.get("pastures", "meadow").unwrap_or_default();
        !meadow["metadata"]["finalizers"].is_null()
    });
    pause("pastures", "meadow", "true");
    place.delete("pastures", "meadow");
    until("the pasture is gone", SOON, || {
        place.get("pastures", "meadow").is_none()
    });
}

/// A mistake, which must not cost more than the one who makes it.
fn fight(stage: &Stage) {
    let place = stage.place();
    let _operator = both(&place);
    place.create("herds", "cow", "fight on");
    let start = Instant::now();
    until("they fight", SOON, || {
        status_writes(&place, "cow").len() >= 40
    });
    sleep(Duration::from_secs(10));
    let writes = status_writes(&place, "cow").len();
    let seconds = start.elapsed().as_secs();
    let limit = 2 * (25 + usize::try_from(seconds).unwrap() + 2);
    assert!(writes <= limit, "{writes} in {seconds} s");
}

fn share(stage: &Stage) {
    let place = stage.place();
    let _operator = both(&place);
    let names: Vec<_> = (0..20).map(|number| format!("herd-{number}")).collect();
    let is_said = |name: &str, message: &str| {
        let herd = place.get("herds", name).unwrap();
        let status = &herd["status"];
        let conditions = status["conditions"].as_array();
        let mut types = vec!["Left", "Right"];
        for condition in conditions.into_iter().flatten() {
            let is_new = condition["observedGeneration"] == herd["metadata"]["generation"]
                && condition["message"] == message;
            types.retain(|type_| !(is_new && condition["type"] == *type_));
        }
        types.is_empty()
            && ["left", "right", "heard"]
                .iter()
                .all(|field| status[field] == message)
    };
    for generation in 1..=3 {
        let message = format!("moo {generation}");
        for name in &names {
            if generation == 1 {
                place.create("herds", name, &message);
            } else {
                place.say("herds", name, &message);
            }
        }
        for name in &names {
            until(&format!("{name} says {message}"), SOON, || {
                is_said(name, &message)
            });
        }
    }
    sleep(Duration::from_secs(1));
    for name in &names {
        let writes = status_writes(&place, name);
        assert!(writes.iter().all(|write| write.code == 200), "{writes:#?}");
        // `left` once for each generation; `right` once, and again where it heard of `left` later.
        assert!(
            (6..=9).contains(&writes.len()),
            "{} of {name}",
            writes.len()
        );
    }
}

fn meanwhile(stage: &Stage) {
    let place = stage.place();
    let operator = left(&place);
    place.create("herds", "cow", "sleep 3");
    works(&operator);
    let theirs = json!({
        "type": "Theirs", "status": "True", "reason": "Theirs", "message": "mine",
        "lastTransitionTime": "2020-01-01T00:00:00Z",
    });
    let change = json!({"status": {"note": "mine", "seen": ["theirs"], "conditions": [theirs]}});
    place.patch("herds", "cow/status", &change);
    until("it is done", SOON, || {
        status(&place, "cow")["left"] == "sleep 3"
    });
    let status = status(&place, "cow");
    assert_eq!(status["note"], "mine");
    assert_eq!(status["seen"], json!(["theirs"]));
    assert_eq!(status["conditions"][0], theirs);
    assert_eq!(status["conditions"][1]["type"], "Left");
    let log = operator.log();
    assert!(!log.contains("reconcile failed"), "{log}");
}

fn list(stage: &Stage) {
    let place = stage.place();
    let operator = left(&place);
    place.create("herds", "cow", "quiet now");
    place.patch(
        "herds",
        "cow/status",
        &json!({"status": {"seen": ["first"]}}),
    );
    place.say("herds", "cow", "list 3");
    works(&operator);
    place.patch(
        "herds",
        "cow/status",
        &json!({"status": {"seen": ["first", "theirs"]}}),
    );
    until("it is done", SOON, || {
        status(&place, "cow")["seen"] == json!(["first", "theirs", "left"])
    });
    let log = operator.log();
    assert!(!log.contains("reconcile failed"), "{log}");
    let failed = "controller_runtime_reconcile_total{controller=\"left\",result=\"error\"}";
    assert_eq!(operator.metric(failed), Some(0.0));
}

/// Another writer, which applies its part and later applies it no more.
fn removed(stage: &Stage) {
    let place = stage.place();
    let _operator = left(&place);
    place.create("herds", "cow", "moo 1");
    let says = |message: &str| {
        until("it is said", SOON, || {
            status(&place, "cow")["left"] == message
        });
    };
    says("moo 1");
    let apply = |status: &Value| {
        let (version, kind) = ("my.domain/v1alpha1", "Herd");
        let herd = json!({"apiVersion": version, "kind": kind, "status": status});
        let path = place.path("herds", "cow/status");
        place.cluster.api.apply(&path, "other", &herd)
    };
    let theirs = json!({
        "type": "Theirs", "status": "True", "reason": "Theirs", "message": "mine",
        "lastTransitionTime": "2020-01-01T00:00:00Z",
    });
    apply(&json!({"note": "mine", "conditions": [theirs], "seen": []}));
    place.say("herds", "cow", "moo 2");
    says("moo 2");
    apply(&json!({"seen": []}));
    place.say("herds", "cow", "moo 3");
    says("moo 3");
    sleep(Duration::from_secs(1));
    let status = status(&place, "cow");
    assert_eq!(status["note"], Value::Null, "{status}");
    assert_eq!(
        status["conditions"].as_array().unwrap().len(),
        1,
        "{status}"
    );
    assert_eq!(status_writes(&place, "cow").len(), 3);
}

fn successor(stage: &Stage) {
    let place = stage.place();
    let operator = left(&place);
    for message in ["name 3", "record 3"] {
        let old = place.create("herds", "cow", message);
        works(&operator);
        place.delete("herds", "cow");
        place.create("herds", "cow", "quiet now");
        until("the reconcile has ended", SOON, || {
            operator.metric("controller_runtime_active_workers{controller=\"left\"}") == Some(0.0)
        });
        sleep(Duration::from_secs(2));
        assert_eq!(
            status(&place, "cow"),
            Value::Null,
            "of {}",
            old["metadata"]["uid"]
        );
        place.delete("herds", "cow");
    }
    let log = operator.log();
    assert!(!log.contains("recorded"), "{log}");
    assert!(!log.contains("reconcile failed"), "{log}");
    let writes = status_writes(&place, "cow");
    assert!(writes.iter().all(|write| write.code != 200), "{writes:#?}");
}

/// More than etcd takes, and more than the API server takes; and an error that is as large itself.
fn large(stage: &Stage) {
    let place = stage.place();
    let _operator = left(&place);
    for message in ["large 2", "large 4", "talk 4"] {
        let name = message.replace(' ', "-");
        place.create("herds", &name, message);
        until("the error is told", SOON, || {
            place.condition("herds", &name) == ("False".to_owned(), "Told".to_owned())
        });
        until("an event tells it, too", SOON, || {
            events(&place, &name)
                .iter()
                .any(|event| event["reason"] == "Told")
        });
    }
}

fn long_name(stage: &Stage) {
    let place = stage.place();
    let _operator = left(&place);
    for length in [236, 237, 253] {
        let name =
            format!("{}.{}", "a".repeat(240.min(length - 2)), "b".repeat(13))[..length].to_owned();
        place.create("herds", &name, "fail now");
        until("an event tells the error", SOON, || {
            events(&place, &name)
                .iter()
                .any(|event| event["reason"] == "Told")
        });
    }
}

fn flaps(stage: &Stage) {
    let place = stage.place();
    let operator = left(&place);
    place.create("herds", "cow", "flap on");
    until("it has failed", SOON, || {
        let errors = "controller_runtime_reconcile_total{controller=\"left\",result=\"error\"}";
        operator.metric(errors) >= Some(3.0)
    });
    sleep(Duration::from_secs(20));
    let writes = status_writes(&place, "cow").len();
    assert!(writes <= 30, "{writes} status writes in 20 s");
    let mut events = place.writes();
    events.retain(|write| write.resource == "events");
    assert!(events.len() <= 30, "{} events in 20 s", events.len());
}

fn varies(stage: &Stage) {
    let place = stage.place();
    let _operator = left(&place);
    place.create("herds", "cow", "vary on");
    until("it has failed some times", SOON, || {
        status_writes(&place, "cow").len() >= 4
    });
    until("the newest message is in an event", SOON, || {
        let message = status(&place, "cow")["conditions"][0]["message"].clone();
        let message = message.as_str().unwrap();
        let mut notes = events(&place, "cow").into_iter();
        notes.any(|event| {
            event["note"]
                .as_str()
                .is_some_and(|note| note.ends_with(message))
        })
    });
}

fn hangs(stage: &Stage) {
    let place = stage.place();
    let operator = left(&place);
    let figure = "workqueue_longest_running_processor_seconds{controller=\"left\"";
    for (name, message) in [("sleeps", "sleep 70"), ("blocks", "block 70")] {
        let start = Instant::now();
        place.create("herds", name, message);
        works(&operator);
        until(
            &format!("it is told that {name} does not return"),
            SOON * 3,
            || {
                let log = operator.log();
                let mut lines = log
                    .lines()
                    .filter(|line| line.contains("reconcile has been running for"));
                lines.any(|line| line.contains(&format!("/{name}")))
            },
        );
        assert!(operator.metric(figure) >= Some(25.0));
        let (code, text) = operator.ready_text();
        assert_eq!(code, 200, "the others work: {text}");
        assert!(
            text.contains(&format!("{}/{name}", place.namespace)),
            "{text}"
        );
        until("it is over", SOON * 3, || {
            operator.metric(figure) == Some(0.0) && operator.ready_text().1.starts_with("ok\n")
        });
        assert!(start.elapsed() >= Duration::from_secs(70));
    }
}
