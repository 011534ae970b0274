//! A controller that watches a part of a kind.

use std::thread;

use serde_json::{Value, json};

use crate::cluster::SOON;
use crate::operator::{Launch, Operator};
use crate::place::Place;
use crate::support::{progress, until};
use crate::{Cases, Stage};

pub const CASES: Cases = &[
    ("what_is_not_selected_costs_nothing", foreign),
    ("what_is_not_selected_is_not_taken_for_missing", lookups),
    ("what_leaves_the_selection_is_brought_back", returns),
    ("what_is_trimmed_is_kept_all_the_same", trimmed),
];

const MANAGED_BY: &str = "app.kubernetes.io/managed-by";
/// The annotation that lets a Lolcow take over an existing object.
const ADOPT: &str = "my.domain/adopt";

/// Starts an operator that watches the Secrets that it applied.
fn keeper(place: &Place, name: &str) -> Operator {
    keeper_of(place, name, "applied")
}

fn keeper_of(place: &Place, name: &str, watched: &str) -> Operator {
    let launch = Launch {
        variables: vec![("KEEPER", watched.to_owned())],
        ..Launch::default()
    };
    let operator = place.operator(name, launch);
    operator.is_ready();
    operator
}

fn secret(place: &Place, name: &str, data: &Value) {
    let secret = json!({"metadata": {"name": name}, "data": data});
    place.cluster.api.post(&place.path("secrets", ""), &secret);
}

/// Returns true if the Secret has the label and the message of the Lolcow of the same name.
fn is_kept(place: &Place, name: &str) -> bool {
    let of = |plural: &str| place.get(plural, name).unwrap_or_default();
    let (secret, lolcow) = (of("secrets"), of("lolcows"));
    let said = lolcow["spec"]["message"].as_str().unwrap_or_default();
    let kept = secret["data"]["message"].as_str().unwrap_or_default();
    secret["metadata"]["labels"][MANAGED_BY] == "faults-operator" && kept == base64(said)
}

fn base64(text: &str) -> String {
    use base64::Engine as _;
    base64::engine::general_purpose::STANDARD.encode(text)
}

fn keeps(place: &Place, name: &str) {
    until(&format!("{name} is kept"), SOON, || is_kept(place, name));
}

/// In MiB. Without the others it should be less than 5, and with them it is more than 80.
const MOST: f64 = 50.0;

/// Foreign Secrets: 3,000 of 20 KiB. An operator that watches all of them shows that they exceed
/// the limit.
fn foreign(stage: &Stage) {
    let place = stage.place();
    let before = keeper(&place, "alpha");
    place.create("lolcows", "cow", "moo");
    keeps(&place, "cow");
    let at_start = before.memory();
    let data = json!({"data": base64(&"x".repeat(20 << 10))});
    thread::scope(|threads| {
        for thread in 0..4 {
            let (place, data) = (&place, &data);
            threads.spawn(move || {
                for number in 0..750 {
                    secret(place, &format!("foreign-{thread}-{number}"), data);
                }
            });
        }
    });
    // Events come in order, so that all would have come before this one.
    place.delete("secrets", "cow");
    keeps(&place, "cow");
    let after = keeper(&place, "beta");
    for (operator, what) in [(&before, "while it ran"), (&after, "at its start")] {
        let more = operator.memory() - at_start;
        progress(&format!("3,000 foreign Secrets {what}: {more:.1} MiB"));
        assert!(more < MOST, "{more} MiB for foreign Secrets {what}");
    }
    let all = keeper_of(&place, "gamma", "all");
    let more = all.memory() - at_start;
    progress(&format!(
        "3,000 foreign Secrets that are watched: {more:.1} MiB"
    ));
    assert!(more >= MOST, "{more} MiB for what is in the cache");
    // To compare it with what there is takes as much again, here.
    all.kill();
    let trimmed = keeper_of(&place, "delta", "trimmed");
    let more = trimmed.memory() - at_start;
    progress(&format!(
        "3,000 foreign Secrets without their data: {more:.1} MiB"
    ));
    assert!(more < MOST, "{more} MiB for Secrets without their data");
    trimmed.kill();
}

/// Fields that are not cached are repaired nevertheless, and not sent if they are correct.
fn trimmed(stage: &Stage) {
    let place = stage.place();
    let operator = keeper_of(&place, "alpha", "trimmed");
    place.create("lolcows", "cow", "moo");
    keeps(&place, "cow");
    let sent = || {
        let writes = place.writes();
        let sent = writes
            .iter()
            .filter(|write| write.resource == "secrets" && write.verb == "patch");
        sent.count()
    };
    let are_sent = |number| {
        until(&format!("{number} were sent"), SOON, || sent() == number);
    };
    are_sent(1);
    // The operator sees the change, and sends neither a read nor a write.
    place.patch(
        "secrets",
        "cow",
        &json!({"metadata": {"labels": {"a": "b"}}}),
    );
    place.create("lolcows", "calf", "maa");
    keeps(&place, "calf");
    are_sent(2);
    for change in [
        json!({"message": base64("baa")}),
        json!({"message": null, "more": base64("stays")}),
    ] {
        place.patch("secrets", "cow", &json!({"data": change}));
        keeps(&place, "cow");
    }
    let secret = place.get("secrets", "cow").unwrap();
    assert_eq!(secret["data"]["more"], base64("stays"));
    are_sent(4);
    place.say("lolcows", "cow", "moo moo");
    keeps(&place, "cow");
    are_sent(5);
    // After a restart, the operator no longer knows the earlier contents of the removed fields.
    operator.kill();
    let _again = keeper_of(&place, "beta", "trimmed");
    are_sent(7);
    // The cache has all objects of the kind, so a missing one does not exist.
    place.say("lolcows", "calf", "look nothing");
    keeps(&place, "calf");
    are_sent(8);
}

fn lookups(stage: &Stage) {
    let place = stage.place();
    secret(&place, "foreign", &json!({}));
    let _operator = keeper(&place, "alpha");
    place.create("lolcows", "cow", "moo");
    keeps(&place, "cow");
    let answers = |message: &str, answer: (&str, &str)| {
        place.say("lolcows", "cow", message);
        until(&format!("{message}: {answer:?}"), SOON, || {
            let (status, reason) = place.condition("lolcows", "cow");
            (status.as_str(), reason.as_str()) == answer
        });
    };
    answers("look foreign", ("False", "NotSelected"));
    answers("look cow", ("True", "Kept"));
    answers("look nothing", ("False", "NotSelected"));
    // What is not in the cache is deleted only after a look at it.
    answers("remove nothing", ("True", "Kept"));
    answers("remove foreign", ("False", "NotOwned"));
    assert!(place.get("secrets", "foreign").is_some());
    // A child that the watch would not see is not applied.
    answers("moo again", ("True", "Kept"));
    keeps(&place, "cow");
    answers("disown it", ("False", "NotSelected"));
    let secret = place.get("secrets", "cow").unwrap();
    assert_eq!(secret["data"]["message"], base64("moo again"));
}

/// Also what was there before the operator, which has no label yet, and is taken over once its
/// annotation allows it.
fn returns(stage: &Stage) {
    let place = stage.place();
    secret(&place, "old", &json!({"more": base64("stays")}));
    place.create("lolcows", "old", "moo");
    let _operator = keeper(&place, "alpha");
    until("the Secret of others is refused", SOON, || {
        place.condition("lolcows", "old") == ("False".to_owned(), "NotOwned".to_owned())
    });
    let untouched = place.get("secrets", "old").unwrap();
    assert_eq!(untouched["data"], json!({"more": base64("stays")}));
    assert_eq!(untouched["metadata"]["ownerReferences"], Value::Null);
    let annotations = json!({ADOPT: "Lolcow/old"});
    place.patch(
        "secrets",
        "old",
        &json!({"metadata": {"annotations": annotations}}),
    );
    keeps(&place, "old");
    let old = place.get("secrets", "old").unwrap();
    assert_eq!(old["data"]["more"], base64("stays"));

    let labelled = |value: Value| json!({"metadata": {"labels": {MANAGED_BY: value}}});
    for value in [Value::Null, "nobody".into()] {
        place.patch("secrets", "old", &labelled(value));
        keeps(&place, "old");
    }
    place.patch("secrets", "old", &json!({"data": {"message": ""}}));
    keeps(&place, "old");
    place.delete("secrets", "old");
    keeps(&place, "old");
}
