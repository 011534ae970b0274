//! Objects and their children.

use std::time::{Duration, Instant};

use serde_json::json;

use crate::cluster::SOON;
use crate::operator::Launch;
use crate::support::until;
use crate::{Cases, Stage};

pub const CASES: Cases = &[
    ("a_panic_is_counted_named_and_retried", panics),
    ("a_child_that_is_deleted_comes_back", deleted),
    ("a_child_that_is_edited_is_repaired", edited),
    ("a_child_of_another_owner_is_left_alone", adopted),
    ("a_spec_costs_one_status_write", one_status_write),
];

fn panics(stage: &Stage) {
    let place = stage.place();
    let operator = place.operator("alpha", Launch::default());
    place.create("lolcows", "bad", "panic now");
    place.create("lolcows", "good", "moo");
    until("it is blamed on the object", SOON, || {
        place.condition("lolcows", "bad") == ("False".to_owned(), "Panicked".to_owned())
    });
    until("it is retried", SOON, || {
        let panics =
            operator.metric("controller_runtime_reconcile_panics_total{controller=\"lolcow\"}");
        panics >= Some(3.0)
    });
    let log = operator.log();
    let named = log
        .lines()
        .any(|line| line.contains("panic: the message says so") && line.contains("/bad"));
    assert!(named, "{log}");
    assert_eq!(place.condition("lolcows", "good").0, "True");
    place.say("lolcows", "bad", "moo");
    place.converges();
}

fn deleted(stage: &Stage) {
    let place = stage.place();
    let _operator = place.operator("alpha", Launch::default());
    place.create("lolcows", "cow", "moo");
    place.converges();
    for _ in 0..3 {
        place.delete("configmaps", "cow");
        until("it is there again", SOON, || {
            place.data("cow", "message").as_deref() == Some("moo")
        });
    }
}

/// The operator restores the fields that it set, and keeps the fields that others set. Each edit
/// follows the repair so closely that the operator may see it before the response to its own write.
fn edited(stage: &Stage) {
    let place = stage.place();
    let _operator = place.operator("alpha", Launch::default());
    place.create("lolcows", "cow", "moo");
    place.converges();
    let edits = [
        json!({"data": {"message": "bow", "more": "stays"}}),
        json!({"data": {"message": null}}),
        json!({"metadata": {"labels": null}}),
    ];
    for edit in edits.iter().cycle().take(60) {
        place.patch("configmaps", "cow", edit);
        let repaired = || {
            let map = place.get("configmaps", "cow").unwrap();
            map["data"]["message"] == "moo"
                && map["metadata"]["labels"]["app.kubernetes.io/instance"] == "cow"
        };
        let start = Instant::now();
        while !repaired() {
            assert!(start.elapsed() < SOON, "not repaired: {edit}");
        }
    }
    assert_eq!(place.data("cow", "more").as_deref(), Some("stays"));
}

fn adopted(stage: &Stage) {
    let place = stage.place();
    let _operator = place.operator("alpha", Launch::default());
    place.create("lolcows", "cow", "moo");
    place.converges();
    let owner = json!({"apiVersion": "v1", "kind": "Pod", "name": "other", "uid": "0f4f3f4e-0000-4000-8000-000000000000", "controller": true});
    let change = json!({"metadata": {"ownerReferences": [owner]}, "data": {"message": "theirs"}});
    place.patch("configmaps", "cow", &change);
    until("it is said", SOON, || {
        place.condition("lolcows", "cow") == ("False".to_owned(), "OwnedByAnother".to_owned())
    });
    assert_eq!(place.data("cow", "message").as_deref(), Some("theirs"));
    // And when it is free again:
    place.delete("configmaps", "cow");
    place.converges();
}

fn one_status_write(stage: &Stage) {
    let place = stage.place();
    let operator = place.operator("alpha", Launch::default());
    let names: Vec<_> = (0..20).map(|number| format!("cow-{number}")).collect();
    for name in &names {
        place.create("lolcows", name, "moo");
    }
    place.converges();
    for generation in 2..=3 {
        for name in &names {
            place.say("lolcows", name, &format!("moo {generation}"));
        }
        place.converges();
    }
    // A restart has nothing to do.
    drop(operator);
    let before = place.writes().len();
    let again = place.operator("alpha", Launch::default());
    until("it has looked at everything", SOON, || {
        again.metric("controller_runtime_reconcile_total{controller=\"lolcow\",result=\"success\"}")
            >= Some(20.0)
    });
    std::thread::sleep(Duration::from_secs(1));
    let writes = place.writes();
    assert_eq!(writes.len(), before, "{:#?}", &writes[before..]);
    for name in names {
        let of_this = |resource: &str| {
            let found = writes
                .iter()
                .filter(|entry| entry.resource == resource && entry.name == name);
            found.count()
        };
        assert_eq!(of_this("lolcows/status"), 3, "{name}");
        assert_eq!(of_this("configmaps"), 3, "{name}");
    }
}
