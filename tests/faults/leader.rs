//! Two replicas, and failures of the leader.

use std::thread::sleep;
use std::time::{Duration, Instant};

use rustix::process::Signal;

use crate::audit;
use crate::cluster::SOON;
use crate::operator::{Launch, Operator};
use crate::place::Place;
use crate::proxy::{Proxy, Verdict};
use crate::support::until;
use crate::{Cases, Stage};

pub const CASES: Cases = &[
    ("a_killed_one_is_replaced", killed),
    ("a_terminated_one_is_replaced_at_once", terminated),
    ("a_frozen_one_writes_nothing_when_it_wakes_up", frozen),
    ("a_frozen_one_without_a_rival_ends_as_well", frozen_alone),
    ("one_that_gets_no_answers_is_replaced", cut_off),
    ("a_conflict_on_the_lease_is_no_loss", conflict),
    ("what_is_taken_over_is_given_back", taken_over),
    ("of_two_that_start_together_one_leads", together),
    ("what_a_killed_one_wrote_last_is_known", behind_a_killed),
    (
        "what_a_terminated_one_wrote_last_is_known",
        behind_a_terminated,
    ),
];

/// The operator's default.
const LEASE: Duration = Duration::from_secs(15);

/// `alpha` leads, `beta` stands by, and some objects are converged.
fn replicas(place: &Place, alpha: Launch) -> (Operator, Operator) {
    let alpha = place.operator("alpha", alpha);
    place.is_led_by("alpha");
    let beta = place.operator("beta", Launch::replica());
    for number in 0..10 {
        place.create("lolcows", &format!("cow-{number}"), "moo");
    }
    place.converges();
    beta.says("standby:");
    (alpha, beta)
}

fn all_say(place: &Place, message: &str) {
    for number in 0..10 {
        place.say("lolcows", &format!("cow-{number}"), message);
    }
}

/// When the operator called `who` got the Lease for the first time. The API server answers before
/// it writes that down.
fn takeover(place: &Place, who: &str) -> String {
    let mut received = None;
    until(&format!("{who}'s Lease is in the log"), SOON, || {
        let writes = place.writes().into_iter();
        received = writes
            .filter(|entry| entry.resource == "leases" && audit::succeeded(entry))
            .find(|entry| entry.who() == who)
            .map(|entry| entry.received);
        received.is_some()
    });
    received.unwrap()
}

fn seconds_between(from: &str, to: &str) -> f64 {
    let at = |text: &str| text.parse::<k8s_openapi::jiff::Timestamp>().unwrap();
    (at(to) - at(from))
        .total(k8s_openapi::jiff::Unit::Second)
        .unwrap()
}

fn killed(stage: &Stage) {
    let place = stage.place();
    let (alpha, _beta) = replicas(&place, Launch::replica());
    let since = audit::now();
    alpha.kill();
    all_say(&place, "bow");
    place.is_led_by("beta");
    let took = seconds_between(&since, &takeover(&place, "beta"));
    assert!(took < LEASE.as_secs_f64() + 5.0, "{took} s");
    place.converges();
    place.assert_one_leader_at_a_time();
}

/// The handover takes a second; on a busy machine it must still be faster than the expiry of a
/// Lease that was not released.
fn terminated(stage: &Stage) {
    let place = stage.place();
    let (mut alpha, _beta) = replicas(&place, Launch::replica());
    let since = audit::now();
    alpha.signal(Signal::TERM);
    all_say(&place, "bow");
    let (status, _) = alpha.ends();
    assert_eq!(status.code(), Some(0));
    place.is_led_by("beta");
    let took = seconds_between(&since, &takeover(&place, "beta"));
    assert!(took < 10.0, "{took} s");
    place.converges();
    place.assert_one_leader_at_a_time();
}

/// It is frozen between two writes of one reconcile.
fn frozen(stage: &Stage) {
    let place = stage.place();
    let (mut alpha, _beta) = replicas(&place, Launch::replica());
    place.create("lolcows", "sleeper", "sleep 2");
    until("the first write", Duration::from_secs(10), || {
        place.data("sleeper", "message").is_some()
    });
    alpha.signal(Signal::STOP);
    all_say(&place, "bow");
    place.is_led_by("beta");
    place.converges();
    let since = audit::now();
    alpha.signal(Signal::CONT);
    let (status, _) = alpha.ends();
    assert_eq!(status.code(), Some(1), "{}", alpha.log());
    wrote_nothing(&place, "alpha", &since);
    place.converges();
    place.assert_one_leader_at_a_time();
}

/// The operator loses the lease by its own clock, even if no other replica took it.
fn frozen_alone(stage: &Stage) {
    let place = stage.place();
    let mut alpha = place.operator("alpha", Launch::replica());
    place.create("lolcows", "sleeper", "sleep 2");
    until("the first write", Duration::from_secs(10), || {
        place.data("sleeper", "message").is_some()
    });
    alpha.signal(Signal::STOP);
    sleep(Duration::from_secs(12));
    let since = audit::now();
    alpha.signal(Signal::CONT);
    let (status, _) = alpha.ends();
    assert_eq!(status.code(), Some(1), "{}", alpha.log());
    wrote_nothing(&place, "alpha", &since);
    let _next = place.operator("alpha", Launch::replica());
    place.converges();
}

fn wrote_nothing(place: &Place, who: &str, since: &str) {
    let mut writes = place.writes();
    writes.retain(|entry| entry.who() == who && *entry.received > *since);
    assert!(writes.is_empty(), "{writes:#?}");
}

fn cut_off(stage: &Stage) {
    let place = stage.place();
    let proxy = Proxy::start(&place.cluster.dir, &place.cluster.api.server);
    let alpha = Launch {
        server: Some(proxy.url.clone()),
        ..Launch::replica()
    };
    let (mut alpha, _beta) = replicas(&place, alpha);
    proxy.set(|_, _| Verdict::Delay(Duration::from_secs(60)));
    let since = Instant::now();
    all_say(&place, "bow");
    let (status, ended) = alpha.ends();
    assert_eq!(status.code(), Some(1), "{}", alpha.log());
    assert!(ended - since < LEASE, "{:?}", ended - since);
    place.is_led_by("beta");
    place.converges();
    place.assert_one_leader_at_a_time();
}

/// Another client writes the Lease between the read and the write of a renewal.
fn conflict(stage: &Stage) {
    let place = stage.place();
    let proxy = Proxy::start(&place.cluster.dir, &place.cluster.api.server);
    let launch = Launch {
        server: Some(proxy.url.clone()),
        ..Launch::replica()
    };
    let alpha = place.operator("alpha", launch);
    place.is_led_by("alpha");
    let mut refused = 0;
    proxy.set(move |method, target| {
        let renewal = method == "PUT" && target.contains("/leases/");
        refused += u32::from(renewal);
        if renewal && refused == 1 {
            Verdict::Answer(409)
        } else {
            Verdict::Pass
        }
    });
    let renewals = || {
        let renewals = proxy
            .exchanges()
            .into_iter()
            .filter(|exchange| exchange.method == "PUT");
        renewals.map(|exchange| exchange.status).collect::<Vec<_>>()
    };
    until(
        "one is refused, and the next is not",
        Duration::from_secs(20),
        || renewals().ends_with(&[409, 200]),
    );
    place.create("lolcows", "cow", "moo");
    place.converges();
    drop(alpha);
    place.assert_one_leader_at_a_time();
}

/// The Lease is new in the first round and handed back in the others.
/// As `rustop run --takeover` starts it. What it has taken it gives back, also when it is killed.
fn taken_over(stage: &Stage) {
    let place = stage.place();
    let (mut alpha, mut beta) = replicas(&place, Launch::replica());
    let developer = || {
        let mut launch = Launch::replica();
        launch.arguments = vec!["--leader-election-takeover".to_owned()];
        place.operator("gamma", launch)
    };
    let mut gamma = developer();
    place.is_led_by("gamma");
    assert_eq!(alpha.ends().0.code(), Some(1), "{}", alpha.log());
    gamma.says("leading");
    all_say(&place, "bow");
    place.converges();
    assert_eq!(place.data("cow-0", "writer").as_deref(), Some("gamma"));
    gamma.signal(Signal::TERM);
    assert_eq!(gamma.ends().0.code(), Some(0));
    place.is_led_by("beta");
    // Beta may write until its leadership ends, so the next takeover starts once it has nothing
    // left to write.
    until("beta has signed all", SOON, || {
        let writer = |number| place.data(&format!("cow-{number}"), "writer");
        (0..10).all(|number| writer(number).as_deref() == Some("beta"))
    });
    place.converges();

    alpha = place.operator("alpha", Launch::replica());
    gamma = developer();
    place.is_led_by("gamma");
    assert_eq!(beta.ends().0.code(), Some(1), "{}", beta.log());
    gamma.kill();
    place.is_led_by("alpha");
    place.converges();
    place.assert_one_leader_at_a_time();
    drop(alpha);
}

fn behind_a_killed(stage: &Stage) {
    behind(stage, |alpha| alpha.signal(Signal::KILL));
}

fn behind_a_terminated(stage: &Stage) {
    behind(stage, |alpha| alpha.signal(Signal::TERM));
}

/// The watches of the standby receive no events, so its caches are as stale as possible. It notices
/// that before it reconciles, by new watches, since there are more objects than fit into a page.
fn behind(stage: &Stage, end: impl FnOnce(&Operator)) {
    let place = stage.place();
    let mut alpha = place.operator("alpha", Launch::replica());
    place.is_led_by("alpha");
    for number in 0..10 {
        place.create("lolcows", &format!("cow-{number}"), "moo");
    }
    place.converges();
    let proxy = Proxy::start(&place.cluster.dir, &place.cluster.api.server);
    proxy.set(|_, target| {
        if target.contains("watch=true") {
            Verdict::Freeze
        } else {
            Verdict::Pass
        }
    });
    let beta = Launch {
        server: Some(proxy.url.clone()),
        ..Launch::replica()
    };
    let beta = place.operator("beta", beta.with("LIST_PAGE_SIZE", &3));
    beta.says("caches are filled, waiting for the lease");
    let asked = |kind: &str, what: &str| {
        let mut asked = proxy.exchanges().into_iter();
        asked.any(|it| it.target.contains(kind) && it.target.contains(what))
    };
    until("it watches", SOON, || {
        let kinds = ["/lolcows?", "/configmaps?"];
        kinds.iter().all(|kind| asked(kind, "watch=true"))
    });
    proxy.set(|_, _| Verdict::Pass);
    all_say(&place, "bow");
    place.delete("configmaps", "cow-9");
    place.converges();
    end(&alpha);
    alpha.ends();
    place.is_led_by("beta");
    for number in 0..10 {
        let name = format!("cow-{number}");
        let said = || (place.data(&name, "writer"), place.data(&name, "message"));
        until("beta has signed it", SOON, || {
            said().0.as_deref() == Some("beta")
        });
        assert_eq!(said().1.as_deref(), Some("bow"), "{name}, {}", beta.log());
    }
    place.converges();
    assert!(asked("/lolcows?", "timeoutSeconds=3"), "{}", beta.log());
    place.assert_one_leader_at_a_time();
}

fn together(stage: &Stage) {
    let place = stage.place();
    place.create("lolcows", "cow", "moo");
    for round in 0..100 {
        let message = format!("round {round}");
        place.say("lolcows", "cow", &message);
        let mut both = ["alpha", "beta"].map(|name| place.operator(name, Launch::replica()));
        for operator in &both {
            until("both have tried", Duration::from_secs(30), || {
                let log = operator.log();
                log.contains("leading") || log.contains("standby:")
            });
        }
        place.converges();
        let leads = |operator: &Operator| operator.log().contains(": leading ");
        let leaders = both.iter().filter(|operator| leads(operator)).count();
        assert_eq!(leaders, 1, "round {round}");
        // The standby is stopped first, so that it does not take over.
        both.sort_by_key(leads);
        for operator in &mut both {
            operator.signal(Signal::TERM);
            assert_eq!(operator.ends().0.code(), Some(0));
        }
    }
    place.assert_one_leader_at_a_time();
}
