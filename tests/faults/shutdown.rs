//! SIGTERM: exit code 0 within 5 s, whatever is under way.

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
    (
        "an_api_server_that_does_not_answer_is_not_waited_for",
        unanswered,
    ),
];

fn ends_in_time(operator: &mut Operator) {
    let start = Instant::now();
    operator.signal(Signal::TERM);
    let (status, end) = operator.ends();
    assert_eq!(status.code(), Some(0), "{}", operator.log());
    assert!(end - start < Duration::from_secs(5), "{:?}", end - start);
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

/// Neither the lease nor the servers, nor a clean end.
fn blocking(stage: &Stage) {
    let place = stage.place();
    let mut operator = place.operator("alpha", Launch::replica());
    operator.is_ready();
    place.create("lolcows", "cow", "block 60");
    until("it blocks", SOON, || place.data("cow", "message").is_some());
    let lease = || place.get("leases", "faults-operator").unwrap();
    for round in 0..3 {
        let renewed = lease()["spec"]["renewTime"].clone();
        until(&format!("renewal {round}"), SOON, || {
            lease()["spec"]["renewTime"] != renewed
        });
    }
    assert_eq!(operator.readiness(), 200);
    ends_in_time(&mut operator);
    assert!(place.holder().is_none(), "the lease was not released");
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
