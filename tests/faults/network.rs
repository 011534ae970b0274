//! Faults between the operator and the API server.

use std::time::{Duration, Instant};

use crate::cluster::SOON;
use crate::operator::{Launch, Operator};
use crate::place::Place;
use crate::proxy::{Exchange, Proxy, Verdict};
use crate::support::until;
use crate::{Cases, Stage};

pub const CASES: Cases = &[
    ("an_api_server_that_is_there_later", later),
    ("every_write_conflicts_once", conflicts),
    ("bursts_of_429_and_503", bursts),
    ("watches_are_cut_again_and_again", cuts),
    ("answers_to_writes_are_lost", lost_answers),
    ("a_change_that_only_a_status_write_saw", unseen_change),
    ("a_watch_that_goes_silent_is_told_and_begun_again", silence),
    ("a_list_that_breaks_off_leaves_no_ghost_owner", ghost_owner),
    ("a_list_that_breaks_off_leaves_no_ghost_child", ghost_child),
    (
        "a_list_of_one_namespace_that_breaks_off_leaves_no_ghost",
        ghost_among_namespaces,
    ),
];

fn proxy(place: &Place) -> Proxy {
    Proxy::start(&place.cluster.dir, &place.cluster.api.server)
}

fn cows(place: &Place, count: usize, message: &str) {
    for number in 0..count {
        let name = format!("cow-{number}");
        match place.get("lolcows", &name) {
            None => place.create("lolcows", &name, message),
            Some(_) => place.say("lolcows", &name, message),
        };
    }
}

fn later(stage: &Stage) {
    let place = stage.place();
    let proxy = proxy(&place);
    proxy.set(|_, _| Verdict::Cut);
    let mut operator = place.operator("alpha", Launch::through(&proxy.url));
    // From its first answer on it says that it is not ready.
    let mut first = 0;
    until("it answers", SOON, || {
        first = operator.readiness();
        first != 0
    });
    assert_eq!(first, 503);
    cows(&place, 2, "moo");
    operator.says("cannot start yet");
    assert_eq!(operator.readiness(), 503);
    proxy.set(|_, _| Verdict::Pass);
    place.converges();
    operator.is_ready();
    assert!(!operator.has_ended());
}

fn is_write(method: &str) -> bool {
    method != "GET"
}

/// No object says that it failed: the next attempt works.
fn conflicts(stage: &Stage) {
    let place = stage.place();
    let proxy = proxy(&place);
    let mut seen = std::collections::HashSet::new();
    proxy.set(move |method, target| {
        let first =
            is_write(method) && !target.contains("review") && seen.insert(target.to_owned());
        if first {
            Verdict::Answer(409)
        } else {
            Verdict::Pass
        }
    });
    let _operator = place.operator("alpha", Launch::through(&proxy.url));
    cows(&place, 10, "moo");
    place.create("pastures", "meadow", "fenced");
    place.converges();
    until("the pasture is fenced", Duration::from_secs(20), || {
        place.condition("pastures", "meadow").0 == "True"
    });
    let refused = proxy
        .exchanges()
        .iter()
        .filter(|exchange| exchange.status == 409)
        .count();
    assert!(refused >= 20, "{refused}");
    let reasons = place.event_reasons();
    assert!(
        !reasons.iter().any(|reason| reason == "Conflict"),
        "{reasons:?}"
    );
}

fn bursts(stage: &Stage) {
    let place = stage.place();
    let proxy = proxy(&place);
    let _operator = place.operator("alpha", Launch::through(&proxy.url));
    cows(&place, 10, "moo");
    place.converges();
    for (round, code) in [429, 503, 429, 503].into_iter().enumerate() {
        let end = Instant::now() + Duration::from_secs(2);
        proxy.set(move |_, _| {
            if Instant::now() < end {
                Verdict::Answer(code)
            } else {
                Verdict::Pass
            }
        });
        proxy.cut();
        cows(&place, 10, &format!("moo {round}"));
    }
    place.converges();
    let codes: Vec<_> = proxy
        .exchanges()
        .iter()
        .map(|exchange| exchange.status)
        .collect();
    assert!(codes.contains(&429) && codes.contains(&503));
}

fn cuts(stage: &Stage) {
    let place = stage.place();
    let proxy = proxy(&place);
    let operator = place.operator("alpha", Launch::through(&proxy.url));
    cows(&place, 10, "moo");
    place.converges();
    for round in 0..4 {
        cows(&place, 5, &format!("moo {round}"));
        proxy.cut();
        cows(&place, 10, &format!("bow {round}"));
        place.converges();
    }
    // Without changes in the cluster, the operator stays ready.
    operator.is_ready();
    proxy.set(|_, _| Verdict::Cut);
    proxy.cut();
    until("the cut is noticed", SOON, || operator.readiness() == 503);
    proxy.set(|_, _| Verdict::Pass);
    operator.is_ready();
}

/// The API server did what it was asked to, and the operator does not know.
fn lost_answers(stage: &Stage) {
    let place = stage.place();
    let proxy = proxy(&place);
    let mut writes = 0;
    proxy.set(move |method, target| {
        writes += u32::from(is_write(method) && !target.contains("review"));
        if is_write(method) && writes % 2 == 1 {
            Verdict::Swallow
        } else {
            Verdict::Pass
        }
    });
    let _operator = place.operator("alpha", Launch::through(&proxy.url));
    cows(&place, 10, "moo");
    place.converges();
    cows(&place, 10, "bow");
    place.converges();
}

/// While a reconcile is under way and its watch is not, the spec changes: the answer to the status
/// write is the first to show it.
fn unseen_change(stage: &Stage) {
    let place = stage.place();
    let proxy = proxy(&place);
    let _operator = place.operator("alpha", Launch::through(&proxy.url));
    place.create("lolcows", "cow", "sleep 2");
    until("it sleeps", Duration::from_secs(20), || {
        place.data("cow", "message").as_deref() == Some("asleep")
    });
    proxy.set(|_, target| {
        if target.contains("/lolcows?") {
            Verdict::Cut
        } else {
            Verdict::Pass
        }
    });
    proxy.cut();
    place.say("lolcows", "cow", "second");
    until("the status is written", Duration::from_secs(20), || {
        place.condition("lolcows", "cow").0 == "True"
    });
    proxy.set(|_, _| Verdict::Pass);
    place.converges();
}

/// More objects than one page of a list has.
const MANY: usize = 120;

/// While an operator lists `plural` for the first time, refuses the second page of a list with
/// `code`, and deletes the object that is first in the alphabet. The checker at the end compares
/// the caches.
fn ghost(places: &[&Place], plural: &'static str, code: u16) -> Operator {
    let place = places[0];
    let proxy = proxy(place);
    // Not the cluster: the proxy serves to the end of the process, and would keep it running.
    let (api, victim) = (place.cluster.api.clone(), place.path(plural, "a-victim"));
    let of_place = place.path(plural, "");
    let mut deleted = false;
    proxy.set(move |_, target| {
        let second = target.starts_with(&of_place) && target.contains("continue=");
        if !second || deleted {
            return Verdict::Pass;
        }
        deleted = true;
        api.delete(&victim);
        Verdict::Answer(code)
    });
    let namespaces: Vec<_> = places.iter().map(|place| &*place.namespace).collect();
    let launch = Launch {
        watch: Some(namespaces.join(",")),
        ..Launch::through(&proxy.url)
    };
    let operator = place.operator("alpha", launch);
    operator.is_ready();
    let refused =
        |exchange: &Exchange| exchange.status == code && exchange.target.contains("continue=");
    assert!(proxy.exchanges().iter().any(refused), "no list broke off");
    operator
}

/// Nothing is done for an owner that is gone, and the checker finds none.
fn ghost_owner(stage: &Stage) {
    for code in [500, 410] {
        let place = stage.place();
        place.create("lolcows", "a-victim", "moo");
        cows(&place, MANY, "moo");
        let _operator = ghost(&[&place], "lolcows", code);
        place.converges();
        assert!(place.get("lolcows", "a-victim").is_none());
        let mut writes = place.writes();
        writes.retain(|write| write.name == "a-victim");
        assert!(writes.is_empty(), "{writes:#?}");
    }
}

/// A child that is gone is made again.
fn ghost_child(stage: &Stage) {
    for code in [500, 410] {
        let place = stage.place();
        let first = place.operator("alpha", Launch::default());
        place.create("lolcows", "a-victim", "moo");
        cows(&place, MANY, "moo");
        place.converges();
        drop(first);
        let _operator = ghost(&[&place], "configmaps", code);
        place.converges();
        assert!(place.data("a-victim", "message").is_some());
    }
}

fn ghost_among_namespaces(stage: &Stage) {
    let (one, two) = (stage.place(), stage.place());
    one.create("lolcows", "a-victim", "moo");
    two.create("lolcows", "a-victim", "moo");
    cows(&one, MANY, "moo");
    let _operator = ghost(&[&one, &two], "lolcows", 500);
    one.converges();
    two.converges();
    assert!(two.data("a-victim", "message").is_some());
}

/// The connection stays open but transports nothing, not even a bookmark. Requests on other
/// connections are not disturbed, and nothing is listed again.
fn silence(stage: &Stage) {
    let place = stage.place();
    let proxy = proxy(&place);
    proxy.set(|_, target| {
        if target.contains("/lolcows?") && target.contains("watch=true") {
            Verdict::Freeze
        } else {
            Verdict::Pass
        }
    });
    let operator = place.operator("alpha", Launch::through(&proxy.url));
    operator.is_ready();
    let since = Instant::now();
    place.create("lolcows", "cow", "moo");
    until("the silence is noticed", Duration::from_secs(150), || {
        let (_, text) = operator.ready_text();
        text.contains("\nlolcow/lolcows in ")
    });
    assert!(
        since.elapsed() > Duration::from_secs(30),
        "{:?}",
        since.elapsed()
    );
    operator.says("the API server sent no watch event for ");
    let silences =
        "watch_interruptions_total{controller=\"lolcow\",resource=\"lolcows\",reason=\"silent\"}";
    assert!(operator.metric(silences) >= Some(1.0));
    let lists = || {
        let exchanges = proxy.exchanges().into_iter();
        let lists = exchanges.filter(|exchange| {
            let target = &exchange.target;
            target.contains("/lolcows?") && target.contains("limit=100")
        });
        lists.count()
    };
    assert_eq!(lists(), 1, "it was listed again");
    proxy.set(|_, _| Verdict::Pass);
    place.converges();
    operator.is_ready();
    assert_eq!(lists(), 1, "it was listed again");
}
