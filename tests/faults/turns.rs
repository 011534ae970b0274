//! The order, the causes and the duration of reconciles.

use crate::cluster::SOON;
use crate::operator::Launch;
use crate::support::until;
use crate::{Cases, Stage};

pub const CASES: Cases = &[
    ("a_reconcile_that_hangs_is_ended", hangs),
    ("what_a_user_changes_does_not_wait_for_the_start", first),
    ("of_two_threads_one_that_blocks_leaves_the_other", threads),
    ("two_who_undo_each_other_are_told_of", undone),
    ("requests_and_the_queue_have_figures", figures),
];

fn hangs(stage: &Stage) {
    let place = stage.place();
    let operator = place.operator("alpha", Launch::default().with("TIMEOUT", &1));
    // As many as may be worked on at the same time.
    for number in 0..4 {
        place.create("lolcows", &format!("bad-{number}"), "hang now");
    }
    place.create("lolcows", "good", "moo");
    until("it has its turn", SOON, || {
        place.condition("lolcows", "good").0 == "True"
    });
    until("it is blamed on the object", SOON, || {
        place.condition("lolcows", "bad-0") == ("False".to_owned(), "TimedOut".to_owned())
    });
    until("it is retried", SOON, || {
        operator.metric("controller_runtime_reconcile_timeouts_total{controller=\"lolcow\"}")
            >= Some(8.0)
    });
    let text = "reconcile timed out after 1 s; waiting for the registrar for 1 s";
    operator.says(text);
    let object = place.get("lolcows", "bad-0").unwrap();
    let message = object["status"]["conditions"][0]["message"].to_string();
    assert!(message.contains(text), "{message}");
    until("an event says so", SOON, || {
        place
            .event_reasons()
            .iter()
            .any(|reason| reason == "TimedOut")
    });
    for number in 0..4 {
        place.say("lolcows", &format!("bad-{number}"), "moo");
    }
    place.converges();
}

/// All others have to be looked at, which takes long.
fn first(stage: &Stage) {
    let place = stage.place();
    for number in 0..40 {
        place.create("lolcows", &format!("cow-{number}"), "sleep 1");
    }
    let operator = place.operator("alpha", Launch::default());
    operator.says("caches are filled");
    until("some have been looked at", SOON, || {
        place.get("configmaps", "").unwrap()["items"]
            .as_array()
            .unwrap()
            .len()
            > 1
    });
    let unseen = |number: &usize| place.get("configmaps", &format!("cow-{number}")).is_none();
    let chosen = (0..40).find(unseen).unwrap();
    place.say("lolcows", &format!("cow-{chosen}"), "moo");
    until("the one that was changed is done", SOON, || {
        place.data(&format!("cow-{chosen}"), "message").as_deref() == Some("moo")
    });
    let waiting = (0..40).filter(unseen).count();
    assert!(waiting >= 10, "{waiting} of 40 still wait");
    place.converges();
    let starts = operator.metric("reconcile_causes_total{controller=\"lolcow\",cause=\"start\"}");
    assert_eq!(starts, Some(40.0));
}

/// The shared thread would be blocked for as long as the case.
fn threads(stage: &Stage) {
    let place = stage.place();
    let _operator = place.operator("alpha", Launch::default().with("THREADS", &2));
    place.create("lolcows", "bad", "block 600");
    until("it blocks", SOON, || place.data("bad", "message").is_some());
    for number in 0..8 {
        place.create("lolcows", &format!("good-{number}"), "moo");
    }
    let is_done = |number| place.condition("lolcows", &format!("good-{number}")).0 == "True";
    until("all others are done", SOON, || (0..8).all(is_done));
}

fn undone(stage: &Stage) {
    let place = stage.place();
    let alpha = place.operator("alpha", Launch::default());
    let beta = place.operator("beta", Launch::default());
    place.create("lolcows", "cow", "moo");
    let either = |text: &str| alpha.log().contains(text) || beta.log().contains(text);
    until("both states are told", SOON, || {
        let swings = |one, other| either(&format!("/cow.data.writer is \"{one}\" and \"{other}\""));
        either("alternates between two states")
            && (swings("alpha", "beta") || swings("beta", "alpha"))
    });
    assert!(either("cause: child ConfigMap/cow"));
    until("an event says so", SOON, || {
        let reasons = place.event_reasons();
        reasons.iter().any(|reason| reason == "ReconcileLoop")
    });
    let loops = "reconcile_loops_total{controller=\"lolcow\"}";
    assert!(alpha.metric(loops).is_some() || beta.metric(loops).is_some());
    // While the operators conflict, their caches change too fast for a comparison with the API
    // server.
    beta.kill();
    place.converges();
}

fn figures(stage: &Stage) {
    let place = stage.place();
    let operator = place.operator("alpha", Launch::default());
    operator.is_ready();
    place.create("lolcows", "cow", "moo");
    place.converges();
    let queue = "{controller=\"lolcow\",name=\"lolcow\"}";
    let figure = |name: &str| operator.metric(&format!("{name}{queue}")).unwrap();
    assert!(figure("workqueue_adds_total") >= 1.0);
    assert!(figure("workqueue_queue_duration_seconds_count") >= 1.0);
    until("its turn has ended", SOON, || {
        figure("workqueue_work_duration_seconds_count") >= 1.0
    });
    let changed =
        operator.metric("reconcile_causes_total{controller=\"lolcow\",cause=\"changed\"}");
    assert_eq!(changed, Some(1.0));
    let host = place.cluster.api.server.trim_start_matches("https://");
    let asked =
        format!("rest_client_requests_total{{code=\"201\",host=\"{host}\",method=\"PATCH\"}}");
    assert!(operator.metric(&asked) >= Some(1.0), "{asked}");
}
