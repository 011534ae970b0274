//! SIGTERM: exit code 0 before the kubelet kills, whatever is under way.

use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use rustix::process::Signal;

use crate::cluster::SOON;
use crate::operator::{Launch, Operator};
use crate::proxy::{Proxy, Verdict};
use crate::support::until;
use crate::{Cases, Stage};

pub const CASES: Cases = &[
    ("a_reconcile_that_sleeps_is_cut_off", sleeping),
    ("a_reconcile_that_is_nearly_done_finishes", finishing),
    (
        "a_reconcile_that_blocks_its_thread_costs_nothing_else",
        blocking,
    ),
    ("a_second_signal_ends_it_at_once", hurried),
    (
        "an_api_server_that_does_not_answer_is_not_waited_for",
        unanswered,
    ),
];

/// The `terminationGracePeriodSeconds` of a generated project.
const PERIOD: Duration = Duration::from_secs(10);

fn ends_in_time(operator: &mut Operator) {
    let start = Instant::now();
    operator.signal(Signal::TERM);
    let (status, end) = operator.ends();
    assert_eq!(status.code(), Some(0), "{}", operator.log());
    assert!(end - start < PERIOD, "{:?}", end - start);
}

fn sleeping(stage: &Stage) {
    let place = stage.place();
    let mut operator = place.operator("alpha", Launch::replica());
    place.create("lolcows", "cow", "sleep 60");
    until("it sleeps", SOON, || place.data("cow", "message").is_some());
    ends_in_time(&mut operator);
    assert!(place.holder().is_none(), "the lease was not released");
    let log = operator.log();
    assert!(!log.contains("reconcile failed"), "{log}");
}

fn finishing(stage: &Stage) {
    let place = stage.place();
    let mut operator = place.operator("alpha", Launch::replica());
    place.create("lolcows", "cow", "sleep 2");
    until("it sleeps", SOON, || place.data("cow", "message").is_some());
    ends_in_time(&mut operator);
    assert_eq!(place.condition("lolcows", "cow").0, "True");
}

/// Neither the lease nor the servers, nor a clean end. The other controller has not got its first
/// list by then, and waits for it as long as the thread is blocked.
fn blocking(stage: &Stage) {
    let place = stage.place();
    let proxy = Proxy::start(&place.cluster.dir, &place.cluster.api.server);
    let (_late, held) = channel();
    let mut held = Some(held);
    proxy.set(move |_, target| {
        let held = held.take_if(|_| target.contains("/pastures?"));
        held.map_or(Verdict::Pass, Verdict::Hold)
    });
    let launch = Launch {
        server: Some(proxy.url.clone()),
        ..Launch::replica()
    };
    let mut operator = place.operator("alpha", launch);
    place.create("lolcows", "cow", "block 60");
    until("it blocks", SOON, || place.data("cow", "message").is_some());
    let lease = || place.get("leases", "faults-operator").unwrap();
    for round in 0..3 {
        let renewed = lease()["spec"]["renewTime"].clone();
        until(&format!("renewal {round}"), SOON, || {
            lease()["spec"]["renewTime"] != renewed
        });
    }
    assert_eq!(
        operator.ready_text(),
        (
            200,
            "ok (leading)\npasture: waiting for the first list of configmaps, pastures, secrets\n"
                .into()
        )
    );
    ends_in_time(&mut operator);
    assert!(place.holder().is_none(), "the lease was not released");
}

fn hurried(stage: &Stage) {
    let place = stage.place();
    let mut operator = place.operator("alpha", Launch::replica());
    place.create("lolcows", "cow", "sleep 60");
    until("it sleeps", SOON, || place.data("cow", "message").is_some());
    operator.signal(Signal::TERM);
    operator.says("SIGTERM: stopping");
    operator.signal(Signal::TERM);
    let (status, _) = operator.ends();
    assert_eq!(status.code(), Some(128 + 15), "{}", operator.log());
    let log = operator.log();
    assert!(log.contains("again: exiting immediately"), "{log}");
    assert!(!log.contains("cut off"), "{log}");
}

fn unanswered(stage: &Stage) {
    let place = stage.place();
    let proxy = Proxy::start(&place.cluster.dir, &place.cluster.api.server);
    let launch = Launch {
        server: Some(proxy.url.clone()),
        ..Launch::replica()
    };
    let mut operator = place.operator("alpha", launch);
    place.create("lolcows", "cow", "sleep 60");
    until("it sleeps", SOON, || place.data("cow", "message").is_some());
    proxy.set(|_, _| Verdict::Delay(Duration::from_secs(60)));
    ends_in_time(&mut operator);
}
