//! Tests of single attempts of the election, against an API server that the test plays.

use http::{Method, Response, StatusCode};
use http_body_util::BodyExt;
use kube::client::Body;
use serde_json::{Value, json};
use tokio::sync::mpsc::UnboundedReceiver;

use super::*;
use crate::mock::{self, Call, logged};

const LEASE: Duration = Duration::from_secs(15);

type Server = UnboundedReceiver<Call>;

fn candidate() -> (Candidate, Server) {
    candidate_that_is_behind(false)
}

fn candidate_that_is_behind(is_behind: bool) -> (Candidate, Server) {
    let (client, server) = mock::client();
    let leases = Api::namespaced(client, "ns");
    (
        Candidate::new(
            leases,
            "lease",
            "me".to_owned(),
            Leadership::none(),
            Times::of(LEASE),
            (ReplicaState::default(), Arc::new(move |_| is_behind)),
        ),
        server,
    )
}

/// Answers one request, after checking its method, and returns its body.
async fn answer(server: &mut Server, method: Method, status: StatusCode, body: Value) -> Value {
    let request = tokio::time::timeout(Duration::from_secs(10), server.recv());
    let (request, respond) = request
        .await
        .expect("a request in time")
        .expect("a request");
    assert_eq!(request.method(), method);
    assert!(
        request
            .uri()
            .path()
            .starts_with("/apis/coordination.k8s.io/v1/namespaces/ns/leases")
    );
    let sent = request.into_body().collect().await.unwrap().to_bytes();
    let body = Body::from(serde_json::to_vec(&body).unwrap());
    let answer = Response::builder().status(status).body(body).unwrap();
    respond.send(answer).expect("a waiting candidate");
    serde_json::from_slice(&sent).unwrap_or_default()
}

fn lease(holder: &str, version: &str) -> Value {
    json!({
        "metadata": {"name": "lease", "resourceVersion": version},
        "spec": {"holderIdentity": holder, "leaseDurationSeconds": 15, "leaseTransitions": 1,
                 "acquireTime": "2020-01-01T00:00:00.000000Z", "renewTime": "2020-01-01T00:00:00.000000Z"}
    })
}

/// Returns the Lease of another holder, unchanged for some seconds.
fn seen_for(seconds: u64) -> SeenLease {
    SeenLease {
        version: "5".to_owned(),
        since: Instant::now()
            .checked_sub(Duration::from_secs(seconds))
            .unwrap(),
        holder: Some("other".to_owned()),
        term: LEASE,
    }
}

fn refusal(code: u16) -> Value {
    let reason = if code == 404 { "NotFound" } else { "Conflict" };
    json!({"kind": "Status", "status": "Failure", "code": code, "message": "no", "reason": reason})
}

#[tokio::test]
async fn the_first_candidate_creates_the_lease_and_leads() {
    let (mut me, mut server) = candidate();
    let (attempt, sent) = tokio::join!(me.try_once(), async {
        answer(
            &mut server,
            Method::GET,
            StatusCode::NOT_FOUND,
            refusal(404),
        )
        .await;
        answer(
            &mut server,
            Method::POST,
            StatusCode::CREATED,
            lease("me", "1"),
        )
        .await
    });
    assert_eq!(attempt, Some(Attempt::Leading));
    assert_eq!(sent["spec"]["holderIdentity"], "me");
    assert_eq!(sent["spec"]["leaseDurationSeconds"], 15);
    assert_eq!(sent["spec"]["leaseTransitions"], 0);
}

#[tokio::test]
async fn the_second_candidate_to_create_the_lease_stands_by() {
    let (mut me, mut server) = candidate();
    let (attempt, _) = tokio::join!(me.try_once(), async {
        answer(
            &mut server,
            Method::GET,
            StatusCode::NOT_FOUND,
            refusal(404),
        )
        .await;
        answer(
            &mut server,
            Method::POST,
            StatusCode::CONFLICT,
            refusal(409),
        )
        .await
    });
    assert_eq!(attempt, Some(Attempt::Contested));
}

#[tokio::test]
async fn a_held_lease_is_respected_whatever_its_timestamps() {
    let (mut me, mut server) = candidate();
    let (attempt, _) = tokio::join!(
        me.try_once(),
        answer(
            &mut server,
            Method::GET,
            StatusCode::OK,
            lease("other", "5")
        )
    );
    assert_eq!(attempt, Some(Attempt::HeldBy("other".to_owned())));
}

#[tokio::test]
async fn an_unrenewed_lease_is_taken_with_its_resource_version() {
    let (mut me, mut server) = candidate();
    me.seen = Some(seen_for(16));
    let (attempt, sent) = tokio::join!(me.try_once(), async {
        answer(
            &mut server,
            Method::GET,
            StatusCode::OK,
            lease("other", "5"),
        )
        .await;
        answer(&mut server, Method::PUT, StatusCode::OK, lease("me", "6")).await
    });
    assert_eq!(attempt, Some(Attempt::Leading));
    assert_eq!(sent["metadata"]["resourceVersion"], "5");
    assert_eq!(sent["spec"]["leaseTransitions"], 2);
}

#[tokio::test]
async fn a_standby_learns_when_the_holder_can_no_longer_write() {
    let (mut me, mut server) = candidate();
    for (silent, is_quiet) in [(11, false), (13, true)] {
        let seen = me.seen.insert(seen_for(silent));
        let since = seen.since;
        let held = lease("other", "5");
        let held = answer(&mut server, Method::GET, StatusCode::OK, held);
        let (attempt, _) = tokio::join!(me.try_once(), held);
        assert_eq!(attempt, Some(Attempt::HeldBy("other".to_owned())));
        let quiet = me.replica_state.required_moment();
        assert_eq!(quiet.is_some(), is_quiet);
        assert!(quiet.is_none_or(|it| it > since + me.times.renew_deadline));
    }
    assert!(!me.replica_state.is_leading());
}

/// A candidate knows its own writes, so a renewal is not a reason to list everything again.
#[tokio::test]
async fn a_renewal_does_not_change_the_required_moment() {
    let (mut me, mut server) = candidate();
    let (attempt, ()) = tokio::join!(me.try_once(), async {
        let held = lease("me", "5");
        answer(&mut server, Method::GET, StatusCode::OK, held).await;
        answer(&mut server, Method::PUT, StatusCode::OK, lease("me", "6")).await;
    });
    assert_eq!(attempt, Some(Attempt::Leading));
    assert!(me.replica_state.required_moment().is_none());
}

#[tokio::test]
async fn a_candidate_with_stale_caches_delays_taking_a_free_lease() {
    let (mut me, mut server) = candidate_that_is_behind(true);
    let free = || lease("", "5");
    let found = answer(&mut server, Method::GET, StatusCode::OK, free());
    let (attempt, _) = tokio::join!(me.try_once(), found);
    assert_eq!(attempt, Some(Attempt::Free));
    assert!(
        me.replica_state.required_moment().is_some(),
        "it has demands"
    );
    me.free_since = Instant::now().checked_sub(CATCH_UP_LIMIT);
    let (attempt, _) = tokio::join!(me.try_once(), async {
        answer(&mut server, Method::GET, StatusCode::OK, free()).await;
        answer(&mut server, Method::PUT, StatusCode::OK, lease("me", "6")).await
    });
    assert_eq!(attempt, Some(Attempt::Leading));
}

#[tokio::test]
async fn a_deleted_lease_is_free_when_its_holder_can_no_longer_write() {
    let (mut me, mut server) = candidate();
    let missing = (StatusCode::NOT_FOUND, refusal(404));
    let held = lease("other", "5");
    let held = answer(&mut server, Method::GET, StatusCode::OK, held);
    tokio::join!(me.try_once(), held);
    let (status, body) = missing.clone();
    let deleted = answer(&mut server, Method::GET, status, body);
    let (attempt, _) = tokio::join!(me.try_once(), deleted);
    assert_eq!(attempt, Some(Attempt::HeldBy("other".to_owned())));
    assert!(me.replica_state.required_moment().is_none());
    me.seen = Some(seen_for(16));
    let (attempt, _) = tokio::join!(me.try_once(), async {
        let (status, body) = missing;
        answer(&mut server, Method::GET, status, body).await;
        let created = lease("me", "7");
        answer(&mut server, Method::POST, StatusCode::CREATED, created).await
    });
    assert_eq!(attempt, Some(Attempt::Leading));
}

#[tokio::test]
async fn a_renewal_by_the_holder_restarts_the_term() {
    let (mut me, mut server) = candidate();
    me.seen = Some(seen_for(16));
    let (attempt, _) = tokio::join!(
        me.try_once(),
        answer(
            &mut server,
            Method::GET,
            StatusCode::OK,
            lease("other", "6")
        )
    );
    assert_eq!(attempt, Some(Attempt::HeldBy("other".to_owned())));
}

#[tokio::test]
async fn a_released_lease_is_taken_at_once() {
    let (mut me, mut server) = candidate();
    let (attempt, _) = tokio::join!(me.try_once(), async {
        answer(&mut server, Method::GET, StatusCode::OK, lease("", "5")).await;
        answer(&mut server, Method::PUT, StatusCode::OK, lease("me", "6")).await
    });
    assert_eq!(attempt, Some(Attempt::Leading));
}

#[tokio::test]
async fn the_slower_candidate_does_not_lead() {
    let (mut me, mut server) = candidate();
    let (attempt, _) = tokio::join!(me.try_once(), async {
        answer(&mut server, Method::GET, StatusCode::OK, lease("", "5")).await;
        answer(&mut server, Method::PUT, StatusCode::CONFLICT, refusal(409)).await
    });
    assert_eq!(attempt, Some(Attempt::Contested));
}

#[tokio::test]
async fn a_release_clears_the_holder_and_closes_the_fence() {
    let (mut me, mut server) = candidate();
    me.leadership.extend(Moment::now(), LEASE);
    let (log, sent) = tokio::join!(logged(me.release()), async {
        answer(&mut server, Method::GET, StatusCode::OK, lease("me", "5")).await;
        answer(&mut server, Method::PUT, StatusCode::OK, lease("", "6")).await
    });
    assert!(log.contains("lease released"), "{log}");
    assert!(sent["spec"]["holderIdentity"].is_null());
    assert!(!me.leadership.holds());
}

#[tokio::test]
async fn a_lease_of_another_is_not_released() {
    let (mut me, mut server) = candidate();
    let (log, _) = tokio::join!(
        logged(me.release()),
        answer(
            &mut server,
            Method::GET,
            StatusCode::OK,
            lease("other", "5")
        )
    );
    assert!(!log.contains("released"), "{log}");
    drop(me);
    assert!(server.recv().await.is_none());
}

#[tokio::test]
async fn requests_without_a_response_time_out() {
    let (mut me, mut server) = candidate();
    let (attempt, _request) = tokio::join!(me.try_once(), server.recv());
    assert_eq!(attempt, None);
}

#[tokio::test]
async fn the_leader_may_write() {
    let (mut me, mut server) = candidate();
    tokio::join!(me.acquire(), async {
        answer(&mut server, Method::GET, StatusCode::OK, lease("", "5")).await;
        answer(&mut server, Method::PUT, StatusCode::OK, lease("me", "6")).await
    });
    assert!(me.leadership.holds());
}

#[tokio::test]
async fn an_expired_lease_is_lost_and_not_renewed() {
    let (mut me, mut server) = candidate();
    me.leadership.extend(Moment::now(), Duration::ZERO);
    me.keep().await;
    drop(me);
    assert!(server.recv().await.is_none());
}

#[tokio::test]
async fn a_late_renewal_writes_nothing() {
    let (mut me, mut server) = candidate();
    me.leadership.extend(Moment::now(), Duration::ZERO);
    let (attempt, _) = tokio::join!(
        me.try_once(),
        answer(&mut server, Method::GET, StatusCode::OK, lease("me", "5"))
    );
    assert_eq!(attempt, Some(Attempt::HeldBy("me".to_owned())));
}

#[tokio::test]
async fn a_conflict_during_renewal_reads_the_lease_again() {
    let (mut me, mut server) = candidate();
    me.leadership.extend(Moment::now(), me.times.renew_deadline);
    tokio::join!(me.keep(), async {
        answer(&mut server, Method::GET, StatusCode::OK, lease("me", "5")).await;
        answer(&mut server, Method::PUT, StatusCode::CONFLICT, refusal(409)).await;
        answer(
            &mut server,
            Method::GET,
            StatusCode::OK,
            lease("other", "6"),
        )
        .await
    });
    assert!(!me.leadership.holds());
}

/// The wait is one second, the lease duration that the holder has set.
#[tokio::test]
async fn a_takeover_waits_until_no_other_replica_can_write() {
    let (me, mut server) = candidate();
    let mut me = me.taking_over(true);
    let mut held = lease("other", "1");
    held["spec"]["leaseDurationSeconds"] = 1.into();
    let begun = Instant::now();
    let leadership = me.leadership.clone();
    let leads = async {
        me.acquire().await;
        begun.elapsed()
    };
    let server = async {
        let mut writes = 0;
        loop {
            answer(&mut server, Method::GET, StatusCode::OK, held).await;
            assert!(!leadership.holds());
            let mine = lease("me", "2");
            let sent = answer(&mut server, Method::PUT, StatusCode::OK, mine.clone()).await;
            assert_eq!(sent["spec"]["holderIdentity"], "me");
            assert_eq!(sent["spec"]["leaseTransitions"], 2 - writes.min(1));
            (held, writes) = (mine, writes + 1);
        }
    };
    let took = tokio::select! {
        took = leads => took,
        () = server => unreachable!("it never ends"),
    };
    assert!(took >= Duration::from_secs(1), "{took:?}");
    assert!(leadership.holds() && !me.takes_over);
}

#[tokio::test]
async fn a_lease_that_was_taken_over_can_be_taken_back() {
    let (me, mut server) = candidate();
    let mut me = me.taking_over(true);
    let theirs = || lease("other", "1");
    let (attempt, _) = tokio::join!(me.try_once(), async {
        answer(&mut server, Method::GET, StatusCode::OK, theirs()).await;
        answer(&mut server, Method::PUT, StatusCode::CONFLICT, refusal(409)).await
    });
    assert_eq!(attempt, Some(Attempt::Contested));
    assert!(me.takes_over, "it is tried again");
    me.takes_over = false;
    let held = answer(&mut server, Method::GET, StatusCode::OK, theirs());
    let (attempt, _) = tokio::join!(me.try_once(), held);
    assert_eq!(attempt, Some(Attempt::HeldBy("other".to_owned())));
}

#[test]
fn longer_lease_durations_have_the_same_margin() {
    for seconds in [5, 15, 137, 3600] {
        let lease = Duration::from_secs(seconds);
        let times = Times::of(lease);
        // There is time for one renewal without a response and for another attempt.
        assert!(times.renew * 2 + times.call * 2 < times.renew_deadline + times.renew);
        assert!(times.renew_deadline + times.call < lease);
    }
    assert_eq!(Times::of(LEASE).renew_deadline, Duration::from_secs(10));
    assert_eq!(Times::of(LEASE).renew, Duration::from_secs(2));
}

/// The role of the Lease comes with the project; a marker would grant it in all namespaces.
#[tokio::test]
async fn a_missing_role_leads_to_make_deploy() {
    let (mut candidate, mut server) = candidate();
    let message = "leases.coordination.k8s.io \"lease\" is forbidden: User \"u\" cannot get resource \"leases\" in API \
                   group \"coordination.k8s.io\" in the namespace \"ns\"";
    let denied = json!({"kind": "Status", "status": "Failure", "reason": "Forbidden", "code": 403, "message": message});
    let answered = answer(&mut server, Method::GET, StatusCode::FORBIDDEN, denied);
    let (attempt, _) = tokio::join!(candidate.try_once(), answered);
    assert!(attempt.is_none());
    let problem = candidate.last_problem.unwrap();
    assert!(problem.contains("; help: run `make deploy`"), "{problem}");
    assert!(!problem.contains("+kubebuilder"), "{problem}");
}
