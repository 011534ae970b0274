//! Tests when a status is written, and how it is merged with the changes of other writers.

use std::time::Duration;

use http::Response;
use http_body_util::BodyExt;
use kube::client::Body;
use tokio::sync::{mpsc::UnboundedReceiver, oneshot};

use super::*;
use crate::backoff::Backoff;
use crate::cache::Cache;
use crate::controller::{
    action::Action,
    reconcile::{
        Work,
        tests::{run_once, state},
    },
    state::ControllerState,
};
use crate::error::Error;
use crate::mock::{self, Call, MockMetrics};

#[derive(kube::CustomResource, serde::Deserialize, Serialize, Clone, Debug)]
#[kube(
    group = "my.domain",
    version = "v1",
    kind = "Cow",
    namespaced,
    status = "CowStatus",
    schema = "disabled"
)]
struct CowSpec {}

#[derive(serde::Deserialize, Serialize, Clone, Debug, Default)]
struct CowStatus {
    seen: Vec<String>,
    /// Stands for the condition that reports an error.
    trouble: Option<String>,
}

/// A controller that appends "once" and the cow's name to the status of each cow, and fails for the
/// cow `mad`; its cache, with the cows `a`, `b` and `mad`; and the requests that it sends.
struct Farm {
    work: Arc<Work<Cow>>,
    state: Arc<ControllerState<Cow>>,
    server: UnboundedReceiver<Call>,
    figures: MockMetrics,
}

impl Farm {
    fn new() -> Self {
        let (client, server) = mock::client();
        let main = Cache::new((), "op", crate::Watch::default(), [None]);
        for name in ["a", "b", "mad"] {
            main.assume(cow(name).into(), "op/me");
        }
        let figures = MockMetrics::new();
        let work = Work::<Cow> {
            reconcile: Arc::new(|cow, context| {
                async move {
                    context.set_status(|status| status.seen.push("once".to_owned()));
                    context.set_status(|status| status.seen.push(cow.name_any()));
                    match cow.name_any().as_str() {
                        "mad" => Err(Error::new("Mad", "it is")),
                        _ => Ok(Action::await_change()),
                    }
                }
                .boxed()
            }),
            cleanup: None,
            report_error: Some(Arc::new(|context, reason, _| {
                context.set_failed(|status| status.trouble = Some(reason.to_owned()));
            })),
            report_paused: None,
            backoff: Backoff::default(),
            timeout: None,
        };
        Self {
            work: Arc::new(work),
            state: state(client, main, &figures),
            server,
            figures,
        }
    }

    fn work(&self, name: &str) -> tokio::task::JoinHandle<Action> {
        let (work, cow, state) = (self.work.clone(), cow(name), self.state.clone());
        tokio::spawn(async move { run_once(&work, &cow, &state).await })
    }

    /// Updates the cache as if another controller had written the cow.
    fn written_by_another(&self, cow: Cow) {
        self.state.shared.main.assume(cow.into(), "op/other");
    }

    /// Returns true if a reconcile of the controller had this result.
    fn has_counted(&self, result: &str) -> bool {
        let line = format!("reconcile_total{{controller=\"me\",result=\"{result}\"}} 1");
        self.figures.text().contains(&line)
    }

    async fn call(&mut self) -> Call {
        let call = tokio::time::timeout(Duration::from_secs(10), self.server.recv());
        call.await.expect("a request in time").expect("a request")
    }
}

fn cow(name: &str) -> Cow {
    let mut cow = Cow::new(name, CowSpec {});
    cow.metadata.namespace = Some("ns".to_owned());
    cow.metadata.generation = Some(1);
    cow
}

/// Returns a cow with a status and this resource version.
fn seen(name: &str, uid: &str, version: u64, seen: &[&str]) -> Cow {
    let mut cow = cow(name);
    cow.metadata.uid = Some(uid.to_owned());
    cow.metadata.resource_version = Some(version.to_string());
    cow.status = Some(CowStatus {
        seen: seen.iter().map(|&word| word.to_owned()).collect(),
        trouble: None,
    });
    cow
}

/// Returns the body of a write request, and the sender for its response.
async fn written((request, respond): Call) -> (Value, oneshot::Sender<Response<Body>>) {
    let sent = request.into_body().collect().await.unwrap().to_bytes();
    (serde_json::from_slice(&sent).unwrap(), respond)
}

fn answer(respond: oneshot::Sender<Response<Body>>, cow: &impl Serialize) {
    let body = Body::from(serde_json::to_vec(cow).unwrap());
    respond.send(Response::new(body)).unwrap();
}

fn refuse(respond: oneshot::Sender<Response<Body>>, code: u16) {
    let status =
        json!({"kind": "Status", "status": "Failure", "reason": "", "message": "no", "code": code});
    let response = Response::builder().status(code);
    let body = Body::from(status.to_string().into_bytes());
    respond.send(response.body(body).unwrap()).unwrap();
}

/// Accepts a write request and returns its body.
async fn take(call: Call) -> Value {
    let (patch, respond) = written(call).await;
    let mut live = serde_json::to_value(cow("a")).unwrap();
    live["metadata"]["resourceVersion"] = "7".into();
    live["status"] = patch["status"].clone();
    answer(respond, &live);
    patch["status"].clone()
}

#[tokio::test]
async fn a_status_write_does_not_block_the_next_reconcile() {
    let mut farm = Farm::new();
    let first = farm.work("a");
    let written = farm.call().await;
    assert!(!first.is_finished());
    let active = farm.figures.text();
    assert!(
        active.contains("active_workers{controller=\"me\"} 0"),
        "{active}"
    );

    let second = farm.work("b");
    let refused = farm.call().await;
    assert!(refused.0.uri().path().ends_with("/cows/b/status"));
    drop(refused);
    assert_ne!(
        second.await.unwrap(),
        Action::await_change(),
        "it has failed"
    );

    assert_eq!(take(written).await["seen"], json!(["once", "a"]));
    assert_eq!(first.await.unwrap(), Action::await_change());
}

#[tokio::test]
async fn a_failed_reconcile_writes_status_and_condition_together() {
    let mut farm = Farm::new();
    let failing = farm.work("mad");
    let written = farm.call().await;
    let wanted = json!({"seen": ["once", "mad"], "trouble": "Mad"});
    assert_eq!(take(written).await, wanted);
    assert_ne!(failing.await.unwrap(), Action::await_change());
    assert!(farm.server.try_recv().is_err(), "one request is enough");
}

#[tokio::test]
async fn concurrent_status_changes_are_merged_without_a_reconcile() {
    let mut farm = Farm::new();
    farm.written_by_another(seen("a", "1", 5, &["before"]));
    let working = farm.work("a");
    let (patch, respond) = written(farm.call().await).await;
    assert_eq!(patch["metadata"]["resourceVersion"], "5");
    let mut theirs = seen("a", "1", 6, &["before"]);
    theirs.status.as_mut().unwrap().trouble = Some("theirs".to_owned());
    farm.written_by_another(theirs.clone());
    refuse(respond, 409);

    let (patch, respond) = written(farm.call().await).await;
    assert_eq!(patch["metadata"]["resourceVersion"], "6");
    let wanted = json!({"seen": ["before", "once", "a"]});
    assert_eq!(patch["status"], wanted, "nothing but what was set");
    theirs.metadata.resource_version = Some("7".to_owned());
    answer(respond, &theirs);
    assert_eq!(working.await.unwrap(), Action::await_change());
    assert!(farm.has_counted("success"));
}

#[tokio::test]
async fn the_newest_status_is_read_if_the_cache_lacks_it() {
    let mut farm = Farm::new();
    farm.written_by_another(seen("a", "1", 5, &[]));
    let working = farm.work("a");
    let (_, respond) = written(farm.call().await).await;
    refuse(respond, 409);
    let (request, respond) = farm.call().await;
    assert_eq!(request.method(), "GET");
    answer(respond, &seen("a", "1", 6, &[]));
    let (patch, respond) = written(farm.call().await).await;
    assert_eq!(patch["metadata"]["resourceVersion"], "6");
    answer(respond, &seen("a", "1", 7, &["once", "a"]));
    assert_eq!(working.await.unwrap(), Action::await_change());
}

#[tokio::test]
async fn a_first_status_conflict_is_requeued_and_not_a_failure() {
    let mut farm = Farm::new();
    farm.written_by_another(seen("a", "1", 5, &[]));
    for (version, result) in [(6, "requeue"), (7, "error")] {
        let working = farm.work("a");
        let (_, respond) = written(farm.call().await).await;
        farm.written_by_another(seen("a", "1", version, &[&version.to_string()]));
        refuse(respond, 409);
        let action = working.await.unwrap();
        assert_eq!(
            action == Action::requeue(Duration::ZERO),
            result == "requeue"
        );
        assert!(farm.has_counted(result), "{}", farm.figures.text());
        assert!(farm.server.try_recv().is_err(), "nothing is written");
    }
}

#[tokio::test]
async fn a_recreated_object_gets_no_old_status() {
    for is_known in [true, false] {
        let mut farm = Farm::new();
        farm.written_by_another(seen("a", "1", 5, &[]));
        let working = farm.work("a");
        let (_, respond) = written(farm.call().await).await;
        let successor = seen("a", "2", 6, &[]);
        if is_known {
            farm.written_by_another(successor.clone());
        }
        refuse(respond, 409);
        if !is_known {
            answer(farm.call().await.1, &successor);
        }
        let action = working.await.unwrap();
        assert_eq!(
            action,
            Action::requeue(Duration::ZERO),
            "it is reconciled on its own"
        );
        assert!(farm.has_counted("requeue"), "{}", farm.figures.text());
        assert!(farm.server.try_recv().is_err());
    }
}

#[tokio::test]
async fn the_condition_is_written_even_if_the_status_is_rejected() {
    let mut farm = Farm::new();
    let failing = farm.work("mad");
    let (_, respond) = written(farm.call().await).await;
    refuse(respond, 413);
    let wanted = json!({"seen": [], "trouble": "Mad"});
    assert_eq!(take(farm.call().await).await, wanted);
    assert_ne!(failing.await.unwrap(), Action::await_change());
}

#[tokio::test]
async fn an_event_reports_an_error_if_no_condition_can_be_written() {
    let mut farm = Farm::new();
    let failing = farm.work("mad");
    for _ in 0..2 {
        let (_, respond) = written(farm.call().await).await;
        refuse(respond, 422);
    }
    let (event, _respond) = written(farm.call().await).await;
    assert_eq!(event["reason"], "Mad", "{event}");
    assert_ne!(failing.await.unwrap(), Action::await_change());
}

#[tokio::test]
async fn a_status_that_changes_all_the_time_is_written_less_often() {
    let mut farm = Farm::new();
    farm.written_by_another(seen("a", "1", 1, &[]));
    for version in 2..u64::from(BURST) + 2 {
        let working = farm.work("a");
        let (_, respond) = written(farm.call().await).await;
        answer(respond, &seen("a", "1", version, &[&version.to_string()]));
        assert_eq!(working.await.unwrap(), Action::await_change());
    }
    let waits = farm.work("a").await.unwrap();
    assert_ne!(waits, Action::await_change());
    assert_ne!(waits, Action::requeue(Duration::ZERO));
    assert!(farm.server.try_recv().is_err());
    assert!(farm.has_counted("requeue"));
}

#[tokio::test]
async fn controllers_of_one_kind_write_one_after_the_other() {
    let mut farm = Farm::new();
    farm.written_by_another(seen("a", "1", 5, &[]));
    let guard = farm
        .state
        .shared
        .main
        .status_mutex
        .lock(ObjectRef::new("a").within("ns"))
        .await;
    let working = farm.work("a");
    tokio::task::yield_now().await;
    assert!(farm.server.try_recv().is_err(), "another one writes");
    let mut theirs = seen("a", "1", 6, &[]);
    theirs.status.as_mut().unwrap().trouble = Some("theirs".to_owned());
    farm.written_by_another(theirs);
    drop(guard);
    let (patch, respond) = written(farm.call().await).await;
    assert_eq!(patch["metadata"]["resourceVersion"], "6");
    assert_eq!(patch["status"], json!({"seen": ["once", "a"]}));
    answer(respond, &seen("a", "1", 7, &["once", "a"]));
    assert_eq!(working.await.unwrap(), Action::await_change());
}
