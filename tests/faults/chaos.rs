//! Random faults and changes.

use std::thread::sleep;
use std::time::Duration;

use serde_json::json;

use crate::cluster::SOON;
use crate::operator::Launch;
use crate::place::Place;
use crate::proxy::{Proxy, Verdict};
use crate::support::random::{Random, rounds};
use crate::support::until;
use crate::{Cases, Stage};

pub const CASES: Cases = &[
    ("every_object_converges_after_all", one_thread),
    ("so_it_does_on_several_threads", several_threads),
];

fn one_thread(stage: &Stage) {
    chaos(stage, 1);
}

fn several_threads(stage: &Stage) {
    chaos(stage, 4);
}

fn chaos(stage: &Stage, threads: u32) {
    let mut random = Random::seeded();
    let place = stage.place();
    let proxy = Proxy::start(&place.cluster.dir, &place.cluster.api.server);
    let mut faults = random.clone();
    proxy.set(move |_, _| fault(&mut faults));
    let launch = Launch::through(&proxy.url).with("THREADS", &threads);
    let mut operator = place.operator("alpha", launch);
    for _ in 0..rounds(300) {
        change(&place, &mut random);
        if random.below(20) == 0 {
            proxy.cut();
        }
        sleep(Duration::from_millis(random.below(60).into()));
    }
    proxy.set(|_, _| Verdict::Pass);
    place.converges();
    for number in 0..PASTURES {
        let name = format!("pasture-{number}");
        until(&format!("{name} is as it should be"), SOON * 3, || {
            is_converged(&place, &name)
        });
    }
    assert!(!operator.has_ended());
    operator.is_ready();
}

/// One request of four fails, in one way or another.
fn fault(random: &mut Random) -> Verdict {
    match random.below(24) {
        0 => Verdict::Answer(409),
        1 => Verdict::Answer(429),
        2 => Verdict::Answer(503),
        3 => Verdict::Cut,
        4 => Verdict::Swallow,
        5 => Verdict::Delay(Duration::from_millis(random.below(1000).into())),
        _ => Verdict::Pass,
    }
}

const COWS: u32 = 8;
const PASTURES: u32 = 4;

/// Makes a random change that a user may make. Does nothing if the object does not exist.
fn change(place: &Place, random: &mut Random) {
    let cow = format!("cow-{}", random.below(COWS));
    let pasture = format!("pasture-{}", random.below(PASTURES));
    let word = random.below(1000).to_string();
    let try_to = |method: &str, plural: &str, name: &str, body: &serde_json::Value| {
        let path = place.path(plural, name);
        place.cluster.api.call(method, &path, Some(body));
    };
    match random.below(8) {
        0 | 1 => try_to(
            "PATCH",
            "lolcows",
            &cow,
            &json!({"spec": {"message": word}}),
        ),
        2 => try_to(
            "PATCH",
            "configmaps",
            &cow,
            &json!({"data": {"message": word}}),
        ),
        3 => try_to("DELETE", "configmaps", &cow, &json!({})),
        4 => try_to("DELETE", "pastures", &pasture, &json!({})),
        5 if place.get("lolcows", &cow).is_none() => drop(place.create("lolcows", &cow, &word)),
        6 if place.get("pastures", &pasture).is_none() => {
            // As the garbage collector would.
            try_to(
                "DELETE",
                "configmaps",
                &format!("{pasture}-fence"),
                &json!({}),
            );
            place.create("pastures", &pasture, "fenced");
        }
        _ => {
            let message = ["fenced", "open"][usize::from(random.below(2) == 0)];
            try_to(
                "PATCH",
                "pastures",
                &pasture,
                &json!({"spec": {"message": message}}),
            );
        }
    }
}

/// Gone if it is to go, and else with a fence or without.
fn is_converged(place: &Place, name: &str) -> bool {
    let Some(pasture) = place.get("pastures", name) else {
        return true;
    };
    let fenced = place.get("configmaps", &format!("{name}-fence")).is_some();
    let goes = !pasture["metadata"]["deletionTimestamp"].is_null();
    !goes && fenced == (pasture["spec"]["message"] == "fenced")
}
