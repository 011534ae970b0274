//! Tests of a watch against an API server that closes connections, falls silent, loses its history,
//! or is restored.

use std::{convert::Infallible, future::Future};

use futures::{Stream, stream};
use http::{Response, StatusCode};
use http_body_util::{BodyExt, StreamBody, combinators::UnsyncBoxBody};
use hyper::body::{Bytes, Frame};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::runtime::reflector::ObjectRef;
use serde_json::{Value, json};
use tokio::{sync::mpsc::UnboundedReceiver, time::timeout};

use super::*;
use crate::{cache::watch_health::WatchHealth, http::health::Health, mock};

const SHORT: WatchTimeouts = WatchTimeouts {
    lasts: 1,
    proof: 1,
    catches_up: 1,
    margin: Duration::from_millis(300),
};

type Body = UnsyncBoxBody<Bytes, Infallible>;

struct Bench {
    server: UnboundedReceiver<mock::Call<Body>>,
    cache: Arc<Cache<ConfigMap>>,
    health: Health,
    figures: mock::MockMetrics,
    replica_state: ReplicaState,
}

/// Returns a running cluster-wide watch of a required kind.
fn bench() -> Bench {
    let bench = optional();
    bench.cache.availability.require();
    bench
}

/// Returns a running cluster-wide watch of an optional kind.
fn optional() -> Bench {
    paged(100)
}

/// Sets the page size of lists.
fn paged(page: u32) -> Bench {
    let (client, server) = mock::client_of();
    let (health, figures) = (Health::default(), mock::MockMetrics::new());
    let replica_state = ReplicaState::default();
    let watched = WatchHealth::new("me", health.clone(), figures.interruptions.clone());
    let watch = watched
        .watches::<ConfigMap>(&client, &(), &[], page)
        .remove(0);
    let cache = Cache::new((), "op", crate::Watch::default(), [None]);
    let reflector = Reflector {
        timeouts: SHORT,
        ..Reflector::new(watch, cache.clone(), replica_state.clone())
    };
    tokio::spawn(reflector.run());
    Bench {
        server,
        cache,
        health,
        figures,
        replica_state,
    }
}

impl Bench {
    /// Waits for a request and responds. Returns the query of the request.
    async fn answers(&mut self, status: u16, body: Body) -> String {
        let (request, answer) = soon(self.server.recv()).await.unwrap();
        let response = Response::builder().status(status).body(body).unwrap();
        answer.send(response).unwrap();
        request.uri().query().unwrap_or_default().to_owned()
    }

    /// Responds to a list.
    async fn lists(&mut self, version: &str, names: &[(&str, u64)], more: &str) -> String {
        let items: Vec<Value> = names
            .iter()
            .map(|(name, version)| map(name, *version))
            .collect();
        let metadata = json!({"resourceVersion": version, "continue": more});
        let list = json!({"kind": "ConfigMapList", "apiVersion": "v1", "metadata": metadata, "items": items});
        self.answers(200, whole(&list)).await
    }

    /// Responds to a watch with these events, and then leaves it open.
    async fn grants(&mut self, events: &[String]) -> String {
        let lines = events.to_vec();
        let open = stream::iter(lines).chain(stream::pending());
        self.answers(200, body(open)).await
    }

    /// Responds to a watch with these events, and then ends it.
    async fn grants_and_ends(&mut self, events: &[String]) -> String {
        let lines = events.to_vec();
        self.answers(200, body(stream::iter(lines))).await
    }

    async fn refuses(&mut self, code: u16) -> String {
        let status = json!({"kind": "Status", "apiVersion": "v1", "status": "Failure", "message": "no", "reason": "No", "code": code});
        self.answers(code, whole(&status)).await
    }

    /// Waits until the cache has an object in this version.
    async fn known_in(&self, name: &str, version: u64) {
        let key = ObjectRef::new(name).within("ns");
        let known = || object::version(&self.cache.get(&key).unwrap().metadata);
        soon(async {
            while known() != version {
                sleep(Duration::from_millis(5)).await;
            }
        })
        .await;
    }

    /// Returns the cached names, once `name` is among them (or, if `there` is false, is not).
    async fn known(&self, name: &str, there: bool) -> Vec<String> {
        let key = ObjectRef::new(name).within("ns");
        soon(async {
            while self.cache.get(&key).is_some() != there {
                sleep(Duration::from_millis(5)).await;
            }
        })
        .await;
        let mut all: Vec<_> = self.cache.reader().state();
        all.sort_by_key(|map| map.metadata.name.clone());
        all.iter()
            .filter_map(|map| map.metadata.name.clone())
            .collect()
    }

    /// Returns the number of interruptions with this reason.
    fn interruptions(&self, reason: &str) -> usize {
        let text = self.figures.text();
        let line = format!("resource=\"configmaps\",reason=\"{reason}\"}} ");
        text.split_once(&line)
            .map_or(0, |(_, rest)| rest.lines().next().unwrap().parse().unwrap())
    }
}

async fn soon<T>(what: impl Future<Output = T>) -> T {
    timeout(Duration::from_secs(20), what)
        .await
        .expect("it comes")
}

fn map(name: &str, version: u64) -> Value {
    json!({"kind": "ConfigMap", "apiVersion": "v1", "metadata": {"name": name, "namespace": "ns", "resourceVersion": version.to_string()}})
}

/// A watch event in the API server's format, with the type first.
fn event(type_: &str, object: &Value) -> String {
    format!(r#"{{"type":"{type_}","object":{object}}}"#)
}

fn whole(answer: &Value) -> Body {
    body(stream::iter([answer.to_string()]))
}

fn body(lines: impl Stream<Item = String> + Send + 'static) -> Body {
    let frames = lines.map(|line| Ok(Frame::data(Bytes::from(line + "\n"))));
    StreamBody::new(frames).boxed_unsync()
}

#[tokio::test]
async fn a_list_that_breaks_off_leaves_no_ghosts() {
    for code in [500, 410] {
        let mut bench = bench();
        bench.lists("3", &[("a", 1), ("b", 2)], "more").await;
        let second = bench.refuses(code).await;
        assert!(second.contains("continue=more"), "{second}");
        // `a` is deleted in the meantime
        let again = bench.lists("5", &[("b", 2)], "more").await;
        assert!(!again.contains("continue="), "{again}");
        bench.lists("5", &[("c", 4)], "").await;
        let watch = bench.grants(&[]).await;
        assert!(watch.contains("resourceVersion=5"), "{watch}");
        bench.cache.synced().await;
        assert_eq!(bench.known("a", false).await, ["b", "c"], "{code}");
    }
}

#[tokio::test]
async fn a_watch_is_gone_on_with_where_it_was() {
    let mut bench = bench();
    bench.lists("3", &[("a", 1)], "").await;
    let bookmark =
        json!({"metadata": {"resourceVersion": "9"}, "kind": "ConfigMap", "apiVersion": "v1"});
    let events = [
        event("ADDED", &map("b", 4)),
        event("DELETED", &map("a", 5)),
        event("BOOKMARK", &bookmark),
    ];
    bench.grants_and_ends(&events).await;
    // the watch ended too early, so the reflector checks the API server's newest version
    let look = bench.lists("9", &[("b", 4)], "more").await;
    assert!(
        look.contains("limit=1") && !look.contains("watch"),
        "{look}"
    );
    let watch = bench.grants(&[]).await;
    assert!(watch.contains("resourceVersion=9"), "{watch}");
    assert_eq!(bench.known("a", false).await, ["b"]);
    assert_eq!(bench.interruptions("cut"), 1);
}

#[tokio::test]
async fn an_expired_resource_version_causes_a_relist() {
    let gone = json!({"kind": "Status", "status": "Failure", "code": 410, "message": "too old"});
    for in_stream in [true, false] {
        let mut bench = bench();
        bench.lists("3", &[("a", 1)], "").await;
        if in_stream {
            bench.grants(&[event("ERROR", &gone)]).await;
        } else {
            bench.refuses(410).await;
        }
        bench.lists("8", &[("b", 2)], "").await;
        let watch = bench.grants(&[]).await;
        assert!(watch.contains("resourceVersion=8"), "{watch}");
        assert_eq!(bench.known("a", false).await, ["b"]);
        assert_eq!(bench.health.answer("/readyz").0, StatusCode::OK);
    }
}

#[tokio::test]
async fn nothing_is_left_of_a_kind_that_is_not_served_any_more() {
    let mut bench = bench();
    bench.lists("3", &[("a", 1)], "").await;
    // the CRD was deleted before the watch could report the deletion of `a`
    bench.refuses(404).await;
    assert!(bench.known("a", false).await.is_empty());
    let (status, text) = bench.health.answer("/readyz");
    assert_eq!(status, StatusCode::SERVICE_UNAVAILABLE, "{text}");
    // the CRD is installed again
    let list = bench.lists("8", &[("b", 7)], "").await;
    assert!(!list.contains("resourceVersion=3"), "{list}");
    bench.grants(&[]).await;
    assert_eq!(bench.known("b", true).await, ["b"]);
}

#[tokio::test]
async fn optional_kinds_may_appear_and_disappear() {
    let mut bench = optional();
    let mut changes = bench.cache.availability.changes().boxed();
    bench.refuses(404).await;
    soon(bench.cache.synced()).await;
    soon(changes.next()).await;
    assert!(!bench.cache.availability.is_served());
    assert_eq!(bench.health.answer("/readyz").0, StatusCode::OK);
    // the CRD is installed
    bench.lists("8", &[("b", 7)], "").await;
    bench.refuses(404).await;
    soon(changes.next()).await;
    // the CRD is deleted again
    assert!(bench.known("b", false).await.is_empty());
    soon(changes.next()).await;
    assert!(!bench.cache.availability.is_served());
    assert_eq!(bench.health.answer("/readyz").0, StatusCode::OK);
}

#[tokio::test]
async fn a_restored_database_is_listed_again() {
    let mut bench = bench();
    bench.lists("900", &[("a", 800), ("b", 700)], "").await;
    bench.refuses(500).await;
    bench.lists("500", &[("b", 300)], "").await;
    bench.lists("501", &[("b", 300)], "").await;
    let watch = bench.grants(&[event("MODIFIED", &map("b", 502))]).await;
    assert!(watch.contains("resourceVersion=501"), "{watch}");
    assert_eq!(bench.known("a", false).await, ["b"]);
    let newest = async {
        let key = ObjectRef::new("b").within("ns");
        while object::version(&bench.cache.get(&key).unwrap().metadata) != 502 {
            sleep(Duration::from_millis(5)).await;
        }
    };
    soon(newest).await;
}

#[tokio::test]
async fn a_silent_watch_is_reported_and_restarted() {
    let mut bench = bench();
    bench.lists("3", &[("a", 1)], "").await;
    let watch = bench.grants(&[event("ADDED", &map("b", 4))]).await;
    assert!(watch.contains("timeoutSeconds=1"), "{watch}");
    assert_eq!(bench.health.answer("/readyz").0, StatusCode::OK);
    // no full list, only a request for the newest version
    let look = bench.lists("4", &[("b", 4)], "more").await;
    assert!(look.contains("limit=1"), "{look}");
    let watch = bench.grants(&[]).await;
    assert!(watch.contains("resourceVersion=4"), "{watch}");
    // a granted watch is not yet a sign of life
    let (status, text) = bench.health.answer("/readyz");
    assert_eq!(status, StatusCode::SERVICE_UNAVAILABLE);
    assert!(
        text.starts_with("me/configmaps: configmaps: the API server sent no watch event for "),
        "{text}"
    );
    bench.lists("4", &[], "").await;
    bench.grants(&[event("ADDED", &map("c", 5))]).await;
    bench.known("c", true).await;
    assert_eq!(bench.health.answer("/readyz").0, StatusCode::OK);
    assert_eq!(bench.interruptions("silent"), 2);
}

/// Without any event, the end of the watch by the API server is enough.
#[tokio::test]
async fn a_watch_that_ends_in_time_was_not_silent() {
    let mut bench = bench();
    bench.lists("3", &[], "").await;
    let end = stream::once(async {
        sleep(Duration::from_secs(1)).await;
        event(
            "BOOKMARK",
            &json!({"metadata": {"resourceVersion": "7"}, "kind": "ConfigMap", "apiVersion": "v1"}),
        )
    });
    bench.answers(200, body(end)).await;
    let watch = bench.grants(&[]).await;
    assert!(watch.contains("resourceVersion=7"), "{watch}");
    assert_eq!(
        ["cut", "silent", "failed"].map(|it| bench.interruptions(it)),
        [0; 3]
    );
}

#[tokio::test]
async fn malformed_objects_are_dropped_and_known_versions_not_decoded_again() {
    let mut bench = bench();
    bench.lists("3", &[("a", 1), ("b", 3)], "").await;
    let mut a = map("a", 4);
    let mut b = map("b", 3);
    a["data"] = "no map".into();
    b["data"] = "no map".into();
    bench
        .grants(&[event("MODIFIED", &b), event("MODIFIED", &a)])
        .await;
    assert_eq!(bench.known("a", false).await, ["b"]);
}

fn bookmark(version: u64) -> String {
    let version = version.to_string();
    let object =
        json!({"metadata": {"resourceVersion": version}, "kind": "ConfigMap", "apiVersion": "v1"});
    event("BOOKMARK", &object)
}

impl Bench {
    /// Lists and watches two objects, one per page, and then demands a cache that is fresh as of
    /// the returned moment.
    async fn is_to_lead(&mut self) -> Instant {
        self.lists("3", &[("a", 1)], "more").await;
        self.lists("3", &[("b", 2)], "").await;
        self.grants(&[]).await;
        self.cache.synced().await;
        let moment = Instant::now();
        self.replica_state.quiet_since(moment);
        assert!(self.cache.freshness.is_behind(moment));
        moment
    }
}

#[tokio::test]
async fn a_bookmark_or_an_event_proves_that_nothing_is_missing() {
    for proof in [bookmark(7), event("MODIFIED", &map("b", 8))] {
        let mut bench = paged(1);
        let moment = bench.is_to_lead().await;
        let look = bench.lists("7", &[("a", 6)], "more").await;
        assert!(
            look.contains("limit=1") && !look.contains("resourceVersion"),
            "{look}"
        );
        let older = [event("MODIFIED", &map("a", 6)), bookmark(6)];
        let (say, said) = futures::channel::mpsc::unbounded();
        let events = stream::iter(older).chain(said).chain(stream::pending());
        let watch = bench.answers(200, body(events)).await;
        assert!(watch.contains("resourceVersion=3"), "{watch}");
        assert!(watch.contains("timeoutSeconds=1"), "{watch}");
        bench.known_in("a", 6).await;
        assert!(bench.cache.freshness.is_behind(moment), "it is at 6");
        say.unbounded_send(proof).unwrap();
        soon(bench.cache.freshness.reaches(moment)).await;
    }
}

#[tokio::test]
async fn without_proof_of_freshness_everything_is_relisted() {
    let mut bench = paged(1);
    let moment = bench.is_to_lead().await;
    bench.lists("7", &[("a", 6)], "more").await;
    let (request, answer) = soon(bench.server.recv()).await.unwrap();
    assert!(request.uri().query().unwrap().contains("watch=true"));
    let silent = stream::once(async {
        sleep(Duration::from_secs(1)).await;
        "\n".to_owned()
    });
    assert!(answer.send(Response::new(body(silent))).is_ok());
    let list = bench.lists("9", &[("b", 8)], "").await;
    assert!(!list.contains("watch=true"), "{list}");
    soon(bench.cache.freshness.reaches(moment)).await;
    assert_eq!(bench.known("a", false).await, ["b"]);
}

#[tokio::test]
async fn small_kinds_are_relisted_in_one_page() {
    let mut bench = bench();
    bench.lists("3", &[("a", 1)], "").await;
    bench.grants(&[]).await;
    bench.cache.synced().await;
    let moment = Instant::now();
    bench.replica_state.quiet_since(moment);
    let list = bench.lists("9", &[("b", 8)], "").await;
    assert!(list.contains("limit=100"), "{list}");
    soon(bench.cache.freshness.reaches(moment)).await;
    bench.grants(&[]).await;
    // a demand for an earlier moment causes no request
    bench.replica_state.quiet_since(moment);
    let more = timeout(Duration::from_millis(200), bench.server.recv());
    assert!(more.await.is_err());
}

#[tokio::test]
async fn whatever_happens_to_the_look_it_is_made() {
    let mut bench = paged(1);
    let moment = bench.is_to_lead().await;
    bench.refuses(500).await;
    bench.lists("7", &[("a", 6)], "more").await;
    bench.refuses(410).await;
    bench.lists("9", &[("b", 8)], "").await;
    soon(bench.cache.freshness.reaches(moment)).await;
}
