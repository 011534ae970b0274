//! When a status is written, and which changes of it are told.

use std::time::Duration;

use http::Response;
use http_body_util::BodyExt;
use kube::{client::Body, runtime::controller::Action};
use tokio::sync::mpsc::UnboundedReceiver;

use super::*;
use crate::{
    backoff::Backoff,
    cache::Cache,
    error::Error,
    metrics::Metrics,
    mock::{self, Call},
    worker::{self, Work, tests::shared},
};

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
    trouble: Option<String>,
}

/// A controller that sees each cow, and fails at `mad`; the cows `a`, `b` and `mad`; the API server.
struct Farm {
    work: Arc<Work<Cow>>,
    shared: Arc<crate::context::Shared<Cow>>,
    server: UnboundedReceiver<Call>,
    metrics: Arc<Metrics>,
}

impl Farm {
    fn new() -> Self {
        let (client, server) = mock::client();
        let main = Cache::new(1, "op");
        for name in ["a", "b", "mad"] {
            main.assume(cow(name).into(), "op/me");
        }
        let metrics = Arc::new(Metrics::new("op", "0"));
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
            blame: Some(Arc::new(|context, reason, _| {
                context.set_failed(|status| status.trouble = Some(reason.to_owned()));
            })),
            backoff: Backoff::default(),
        };
        Self {
            work: Arc::new(work),
            shared: shared(client, main, &metrics),
            server,
            metrics,
        }
    }

    /// A reconcile of a cow.
    fn work(&self, name: &str) -> tokio::task::JoinHandle<Action> {
        let object = Arc::new(cow(name));
        tokio::spawn(worker::work(self.work.clone(), object, self.shared.clone()))
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

/// Takes what a request wants to write as written.
async fn take((request, respond): Call) -> Value {
    let sent = request.into_body().collect().await.unwrap().to_bytes();
    let patch: Value = serde_json::from_slice(&sent).unwrap();
    let mut answer = serde_json::to_value(cow("a")).unwrap();
    answer["metadata"]["resourceVersion"] = "7".into();
    answer["status"] = patch["status"].clone();
    let body = Body::from(serde_json::to_vec(&answer).unwrap());
    respond.send(Response::new(body)).unwrap();
    patch["status"].clone()
}

#[tokio::test]
async fn while_a_status_is_written_the_next_object_has_its_turn() {
    let mut farm = Farm::new();
    let first = farm.work("a");
    let written = farm.call().await;
    assert!(!first.is_finished());
    let active = farm.metrics.text();
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
async fn what_was_set_is_written_with_the_condition_of_a_failure() {
    let mut farm = Farm::new();
    let failing = farm.work("mad");
    let written = farm.call().await;
    let wanted = json!({"seen": ["once", "mad"], "trouble": "Mad"});
    assert_eq!(take(written).await, wanted);
    assert_ne!(failing.await.unwrap(), Action::await_change());
    assert!(farm.server.try_recv().is_err(), "one request is enough");
}

fn status(status: &str, reason: &str, message: &str) -> Value {
    json!({"conditions": [{"type": "Ready", "status": status, "reason": reason, "message": message}]})
}

#[test]
fn a_first_condition_and_a_change_of_status_or_reason_are_told() {
    let first = transitions(&json!({}), &status("False", "Starting", "wait"), false);
    assert_eq!(first.len(), 1);
    assert_eq!(first[0].type_, EventType::Normal);
    assert_eq!(first[0].note, "Ready is False: wait");
    let reason = transitions(
        &status("False", "Starting", ""),
        &status("False", "Waiting", ""),
        false,
    );
    assert_eq!(reason[0].reason, "Waiting");
    let lost = transitions(
        &status("True", "Serving", ""),
        &status("False", "Gone", ""),
        false,
    );
    assert_eq!(lost[0].type_, EventType::Warning);
}

#[test]
fn an_error_is_a_warning_and_what_was_set_beside_it_is_none() {
    let both = json!({"conditions": [
        {"type": "Ready", "status": "False", "reason": "Forbidden"},
        {"type": "Found", "status": "True", "reason": "Found"},
    ]});
    let told = transitions(&json!({}), &both, true);
    let types: Vec<_> = told.iter().map(|event| event.type_).collect();
    assert_eq!(types, [EventType::Warning, EventType::Normal]);
}

#[test]
fn another_message_alone_is_not_told() {
    assert_eq!(
        transitions(
            &status("True", "Serving", "1 replica"),
            &status("True", "Serving", "2 replicas"),
            false,
        ),
        []
    );
}

#[test]
fn only_unstamped_conditions_get_the_generation() {
    let mut status = json!({"conditions": [{"type": "A"}, {"type": "B", "observedGeneration": 1}]});
    stamp(&mut status, Some(3));
    assert_eq!(status["conditions"][0]["observedGeneration"], 3);
    assert_eq!(status["conditions"][1]["observedGeneration"], 1);
}
