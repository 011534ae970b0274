//! Tests of the webhook server with valid and invalid reviews.

use std::convert::Infallible;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures::{Stream, StreamExt, future::join_all, stream};
use http_body_util::{BodyExt, StreamBody};
use hyper::body::Frame;
use k8s_openapi::api::core::v1::ConfigMap;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use prometheus_client::registry::Registry;
use serde_json::{Value, json};

use super::*;
use crate::webhook::body::LARGEST;
use crate::webhook::{Defaulter, Defaulting, FieldErrors, Validating, Validator};
use crate::{conversion::cows, mock};

struct Maps;

fn word(map: &ConfigMap) -> &str {
    let data = map.data.as_ref();
    data.and_then(|data| data.get("word"))
        .map_or("", String::as_str)
}

impl Defaulter<ConfigMap> for Maps {
    async fn default(&self, new: &mut ConfigMap, _: &Request) -> Result<()> {
        let data = new.data.get_or_insert_default();
        data.entry("word".into()).or_insert_with(|| "moo".into());
        Ok(())
    }
}

impl Validator<ConfigMap> for Maps {
    async fn create(&self, new: &ConfigMap, request: &Request) -> Result<()> {
        let mut errors = FieldErrors::new();
        match word(new) {
            "" => errors.required("data[word]", "say something"),
            "bad" => {
                errors.invalid("data[word]", "bad", "must be polite");
                errors.forbidden("data", "not today");
            }
            "loud" => request.warn("that was loud"),
            "late" => tokio::time::sleep(Duration::from_secs(60)).await,
            "mine" => return Err(Error::new("NotYours", "it belongs to another")),
            "broken" => drop("x".parse::<u8>()?),
            "panic" => panic!("as asked"),
            _ => {}
        }
        errors.into_result()
    }

    async fn update(&self, old: &ConfigMap, new: &ConfigMap, request: &Request) -> Result<()> {
        let mut errors = FieldErrors::new();
        if word(old) != word(new) && request.user().username.as_deref() != Some("admin") {
            errors.forbidden("data[word]", "cannot be changed");
        }
        errors.into_result()
    }

    async fn delete(&self, old: &ConfigMap, request: &Request) -> Result<()> {
        if word(old) == "keep" && !request.dry_run() {
            return Err(Error::new("Forbidden", "is to be kept"));
        }
        Ok(())
    }
}

const MUTATE: &str = "/mutate--v1-configmap";
const VALIDATE: &str = "/validate--v1-configmap";

fn server() -> WebhookServer {
    server_with(&WebhookMetrics::register(&mut Registry::default()))
}

fn server_with(metrics: &WebhookMetrics) -> WebhookServer {
    let handlers = Handlers {
        admissions: vec![
            Box::new(Defaulting::<ConfigMap, _>::new(Maps)),
            Box::new(Validating(Maps, PhantomData)),
        ],
        chains: vec![cows::cows()],
        crds: None,
    };
    WebhookServer::new(handlers, mock::client().0, metrics).unwrap()
}

#[tokio::test]
async fn rejected_reviews_are_counted() {
    let mut registry = Registry::default();
    let server = server_with(&WebhookMetrics::register(&mut registry));
    for word in ["fine", "mine", "broken"] {
        let _ = ask_at(&server, VALIDATE, &create(word)).await;
    }
    let shown = crate::metrics::text(&registry);
    for line in [
        "webhook_refusals_total{webhook=\"/validate--v1-configmap\"} 2",
        "webhook_refusals_total{webhook=\"/mutate--v1-configmap\"} 0",
        "controller_runtime_webhook_requests_total{webhook=\"/validate--v1-configmap\",code=\"200\"} 3",
    ] {
        assert!(shown.contains(line), "{line} is not in\n{shown}");
    }
}

fn map(word: &str) -> Value {
    json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "m"}, "data": {"word": word}})
}

fn review(operation: &str, old: &Value, new: &Value) -> Value {
    json!({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {
        "uid": "u-1", "kind": {"group": "", "version": "v1", "kind": "ConfigMap"},
        "resource": {"group": "", "version": "v1", "resource": "configmaps"},
        "name": "m", "namespace": "ns", "operation": operation,
        "userInfo": {"username": "jane"}, "oldObject": old, "object": new, "dryRun": false,
    }})
}

fn create(word: &str) -> Value {
    review("CREATE", &Value::Null, &map(word))
}

async fn post(path: &str, body: impl Into<Bytes>) -> (StatusCode, String) {
    post_to(&server(), path, body).await
}

async fn post_to(
    server: &WebhookServer,
    path: &str,
    body: impl Into<Bytes>,
) -> (StatusCode, String) {
    let request = HttpRequest::post(path)
        .header(CONTENT_TYPE, "application/json")
        .body(Full::new(body.into()))
        .unwrap();
    let response = server.answer(request).await;
    let status = response.status();
    let body = response.into_body().collect().await.unwrap().to_bytes();
    (status, String::from_utf8(body.to_vec()).unwrap())
}

async fn ask(path: &str, review: &Value) -> Value {
    ask_at(&server(), path, review).await
}

async fn ask_at(server: &WebhookServer, path: &str, review: &Value) -> Value {
    let (status, body) = post_to(server, path, serde_json::to_vec(review).unwrap()).await;
    assert_eq!(status, StatusCode::OK, "{body}");
    let answer: Value = serde_json::from_str(&body).unwrap();
    assert_eq!(answer["kind"], "AdmissionReview");
    assert_eq!(answer["response"]["uid"], "u-1");
    answer["response"].clone()
}

async fn denied(path: &str, review: &Value) -> Value {
    let answer = ask(path, review).await;
    assert_eq!(answer["allowed"], false, "{answer}");
    answer["status"].clone()
}

#[tokio::test]
async fn a_defaulter_answers_with_a_patch() {
    let mut empty = create("");
    empty["request"]["object"]["data"] = Value::Null;
    let answer = ask(MUTATE, &empty).await;
    assert_eq!(answer["patchType"], "JSONPatch");
    let patch: k8s_openapi::ByteString = serde_json::from_value(answer["patch"].clone()).unwrap();
    let patch: Value = serde_json::from_slice(&patch.0).unwrap();
    assert_eq!(
        patch,
        json!([{"op": "replace", "path": "/data", "value": {"word": "moo"}}])
    );
    let unchanged = ask(MUTATE, &create("moo")).await;
    assert_eq!(unchanged, json!({"uid": "u-1", "allowed": true}));
}

#[tokio::test]
async fn a_denial_names_every_field() {
    let status = denied(VALIDATE, &create("bad")).await;
    assert_eq!(
        (&status["code"], &status["reason"]),
        (&json!(422), &json!("Invalid"))
    );
    assert_eq!(
        status["message"],
        "ConfigMap \"m\" is invalid: [data[word]: Invalid value: \"bad\": must be polite, data: Forbidden: not today]"
    );
    assert_eq!(status["details"]["causes"][1]["field"], "data");
    assert_eq!(
        status["details"]["causes"][1]["reason"],
        "FieldValueForbidden"
    );
}

#[tokio::test]
async fn warnings_come_with_a_yes() {
    let answer = ask(VALIDATE, &create("loud")).await;
    assert_eq!(
        answer,
        json!({"uid": "u-1", "allowed": true, "warnings": ["that was loud"]})
    );
}

#[tokio::test]
async fn an_update_sees_the_old_object_and_who_asks() {
    let mut change = review("UPDATE", &map("a"), &map("b"));
    let status = denied(VALIDATE, &change).await;
    assert!(
        status["message"]
            .as_str()
            .unwrap()
            .ends_with("data[word]: Forbidden: cannot be changed")
    );
    change["request"]["userInfo"]["username"] = json!("admin");
    assert_eq!(ask(VALIDATE, &change).await["allowed"], true);
}

#[tokio::test]
async fn a_deletion_is_about_the_old_object() {
    let mut delete = review("DELETE", &map("keep"), &Value::Null);
    assert_eq!(denied(VALIDATE, &delete).await["code"], 403);
    delete["request"]["dryRun"] = json!(true);
    assert_eq!(ask(VALIDATE, &delete).await["allowed"], true);
}

#[tokio::test]
async fn errors_panics_and_delays_deny_and_say_why() {
    for (word, code, reason, text) in [
        ("mine", 403, "NotYours", "it belongs to another"),
        (
            "broken",
            500,
            "InternalError",
            "webhook failed: invalid digit",
        ),
        ("panic", 500, "InternalError", "panicked"),
        ("late", 504, "Timeout", "within 800ms"),
    ] {
        let hurried = format!("{VALIDATE}?timeout=1s");
        let status = denied(&hurried, &create(word)).await;
        assert_eq!(
            (&status["code"], &status["reason"]),
            (&json!(code), &json!(reason))
        );
        assert!(
            status["message"].as_str().unwrap().contains(text),
            "{status}"
        );
    }
}

#[tokio::test]
async fn an_object_of_another_type_is_denied() {
    let mut odd = create("x");
    odd["request"]["object"]["data"] = json!("no map");
    let message = denied(VALIDATE, &odd).await["message"].to_string();
    assert!(
        message.contains("cannot decode the object as") && message.contains("ConfigMap"),
        "{message}"
    );
    odd["request"]["kind"]["kind"] = json!("Scale");
    let message = denied(VALIDATE, &odd).await["message"].to_string();
    assert!(message.contains("not v1 Scale; help: "), "{message}");
}

/// An object that was stored when its type was different can be repaired and deleted.
#[tokio::test]
async fn undecodable_old_objects_can_be_fixed_and_deleted() {
    let mut broken = map("x");
    broken["data"] = json!(["no map"]);
    let mend = |to: &str| review("UPDATE", &broken, &map(to));
    let answer = ask(VALIDATE, &mend("fine")).await;
    assert_eq!(answer["allowed"], true, "{answer}");
    let warning = answer["warnings"][0].as_str().unwrap();
    assert!(
        warning.starts_with(
            "validated like a new object, because the old one cannot be decoded: data: "
        ),
        "{warning}"
    );
    // The new state is validated as usual.
    let status = denied(VALIDATE, &mend("bad")).await;
    assert!(
        status["message"]
            .as_str()
            .unwrap()
            .contains("must be polite")
    );
    let status = denied(VALIDATE, &review("UPDATE", &broken, &broken)).await;
    let message = status["message"].as_str().unwrap();
    assert!(
        message.contains("ConfigMap: data: invalid type: sequence"),
        "{message}"
    );

    let answer = ask(VALIDATE, &review("DELETE", &broken, &Value::Null)).await;
    assert_eq!(answer["allowed"], true, "{answer}");
    assert!(
        answer["warnings"][0]
            .as_str()
            .unwrap()
            .contains("data: invalid type")
    );
    // The finalizers of the object can be removed.
    let mut leaving = broken.clone();
    leaving["metadata"]["deletionTimestamp"] = json!("2026-11-22T00:00:00Z");
    for path in [MUTATE, VALIDATE] {
        let answer = ask(path, &review("UPDATE", &broken, &leaving)).await;
        assert_eq!(answer["allowed"], true, "{answer}");
    }
}

impl Defaulter<cows::v1::Cow> for Maps {
    async fn default(&self, new: &mut cows::v1::Cow, _: &Request) -> Result<()> {
        new.spec.volume = 7;
        Ok(())
    }
}

fn crds() -> Result<Vec<CustomResourceDefinition>, String> {
    let volume = json!({"type": "integer", "format": "uint8", "minimum": 0});
    let spec = json!({"type": "object", "required": ["volume"],
        "properties": {"volume": volume, "text": {"x-kubernetes-preserve-unknown-fields": true}}});
    let version = json!({"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema":
        {"type": "object", "properties": {"spec": spec}}}});
    let crd = json!({"metadata": {"name": "cows.my.domain"}, "spec": {"group": "my.domain", "scope": "Cluster",
        "names": {"kind": "Cow", "plural": "cows"}, "versions": [version]}});
    serde_json::from_value(crd)
        .map(|crd| vec![crd])
        .map_err(|error| error.to_string())
}

/// If the schema rejects the object, too, the API server reports all its problems in its own
/// response.
#[tokio::test]
async fn a_defaulter_does_not_stand_before_the_schema() {
    let path = "/mutate-my-domain-v1-cow";
    let server = |crds| {
        let handlers = Handlers {
            admissions: vec![Box::new(Defaulting::<cows::v1::Cow, _>::new(Maps))],
            crds,
            ..Handlers::default()
        };
        let metrics = WebhookMetrics::register(&mut Registry::default());
        WebhookServer::new(handlers, mock::client().0, &metrics).unwrap()
    };
    let create = |spec: Value| {
        let cow = json!({"apiVersion": "my.domain/v1", "kind": "Cow", "metadata": {"name": "c"}, "spec": spec});
        let mut review = review("CREATE", &Value::Null, &cow);
        review["request"]["kind"] = json!({"group": "my.domain", "version": "v1", "kind": "Cow"});
        review
    };
    let (with, without) = (server(Some(crds)), server(None));
    for spec in [
        json!({"volume": "loud"}),
        json!({"text": "moo"}),
        json!({"volume": -1}),
        json!([]),
    ] {
        let answer = ask_at(&with, path, &create(spec.clone())).await;
        assert_eq!(answer, json!({"uid": "u-1", "allowed": true}), "{spec}");
        let answer = ask_at(&without, path, &create(spec)).await;
        assert_eq!(answer["allowed"], false);
    }
    // An object that the schema accepts still has to fit the type.
    let answer = ask_at(&with, path, &create(json!({"volume": 1, "text": 3}))).await;
    let message = answer["status"]["message"].as_str().unwrap();
    assert!(
        message.ends_with("Cow: spec.text: invalid type: integer `3`, expected a string"),
        "{message}"
    );
    let answer = ask_at(&with, path, &create(json!({"volume": 1}))).await;
    assert_eq!(answer["patchType"], "JSONPatch");
}

#[tokio::test]
async fn invalid_reviews_are_rejected() {
    for body in ["", "{", "[]", "{\"kind\": \"Pod\"}", "\u{0}"] {
        assert_eq!(
            post(VALIDATE, body).await.0,
            StatusCode::BAD_REQUEST,
            "{body:?}"
        );
    }
    let mut beta = create("x");
    beta["apiVersion"] = json!("admission.k8s.io/v1beta1");
    let (status, body) = post(VALIDATE, beta.to_string()).await;
    assert!(
        status == StatusCode::BAD_REQUEST && body.contains("v1beta1"),
        "{body}"
    );
    let large = vec![b' '; LARGEST + 1];
    assert_eq!(post(VALIDATE, large).await.0, StatusCode::PAYLOAD_TOO_LARGE);
    let (status, body) = post("/elsewhere", "").await;
    assert!(
        status == StatusCode::NOT_FOUND && body.contains(MUTATE),
        "{body}"
    );
}

/// Sends a body in pieces, without a content length.
async fn post_slowly<S>(server: &WebhookServer, pieces: S) -> StatusCode
where
    S: Stream<Item = Vec<u8>> + Send,
{
    let frames = pieces.map(|piece| Ok::<_, Infallible>(Frame::data(Bytes::from(piece))));
    let request = HttpRequest::post(format!("{VALIDATE}?timeout=1s"))
        .header(CONTENT_TYPE, "application/json")
        .body(StreamBody::new(Box::pin(frames)))
        .unwrap();
    server.answer(request).await.status()
}

#[tokio::test]
async fn bodies_without_an_end_are_refused() {
    let server = server();
    let blanks = || vec![b' '; 100_000];
    let endless = stream::iter(std::iter::repeat_with(blanks));
    let status = post_slowly(&server, endless).await;
    assert_eq!(status, StatusCode::PAYLOAD_TOO_LARGE);
    let silent = stream::iter([blanks()]).chain(stream::pending());
    let status = post_slowly(&server, silent).await;
    assert_eq!(status, StatusCode::REQUEST_TIMEOUT);
}

/// Many large reviews that never end occupy little memory, and delay only other large reviews.
#[tokio::test]
async fn few_large_reviews_are_in_memory() {
    let server = server();
    let pieces = AtomicUsize::new(0);
    let piece = || {
        pieces.fetch_add(1, Ordering::Relaxed);
        vec![b' '; 50_000]
    };
    let large = || {
        let pieces = std::iter::repeat_with(piece).take(100);
        stream::iter(pieces).chain(stream::pending())
    };
    let crowd = join_all((0..64).map(|_| post_slowly(&server, large())));
    let small = async {
        tokio::time::sleep(Duration::from_millis(100)).await;
        let body = stream::iter([create("x").to_string().into_bytes()]);
        assert_eq!(post_slowly(&server, body).await, StatusCode::OK);
        pieces.load(Ordering::Relaxed)
    };
    let (refused, taken) = tokio::join!(crowd, small);
    assert!(
        refused
            .iter()
            .all(|status| *status == StatusCode::REQUEST_TIMEOUT)
    );
    assert!(taken <= 64 * 2 + 4 * 100, "{taken} pieces");
    let after = stream::iter([create("x").to_string().into_bytes()]);
    assert_eq!(post_slowly(&server, after).await, StatusCode::OK);
}

#[tokio::test]
async fn objects_are_converted_at_one_path() {
    let cow = json!({"apiVersion": "my.domain/v1", "kind": "Cow", "metadata": {"name": "c"},
        "spec": {"text": "moo", "volume": 11}});
    let review = json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": "ConversionReview", "request": {
        "uid": "u-1", "desiredAPIVersion": "my.domain/v1beta1", "objects": [cow]}});
    let (status, body) = post("/convert?timeout=30s", review.to_string()).await;
    assert_eq!(status, StatusCode::OK, "{body}");
    let answer: Value = serde_json::from_str(&body).unwrap();
    let converted = &answer["response"]["convertedObjects"][0];
    assert_eq!(converted["spec"]["message"], "moo");
    let (status, body) = post("/convert", create("x").to_string()).await;
    assert!(
        status == StatusCode::BAD_REQUEST && body.contains("ConversionReview"),
        "{body}"
    );
}

#[tokio::test]
async fn other_methods_and_types_are_refused() {
    let get = HttpRequest::get(VALIDATE)
        .body(Full::<Bytes>::default())
        .unwrap();
    let status = server().answer(get).await.status();
    assert_eq!(status, StatusCode::METHOD_NOT_ALLOWED);
    for (value, expected) in [
        ("text/plain", StatusCode::UNSUPPORTED_MEDIA_TYPE),
        ("application/json; charset=utf-8", StatusCode::OK),
    ] {
        let request = HttpRequest::post(VALIDATE)
            .header(CONTENT_TYPE, value)
            .body(Full::new(Bytes::from(create("x").to_string())))
            .unwrap();
        assert_eq!(server().answer(request).await.status(), expected);
    }
}

#[tokio::test]
async fn two_webhooks_at_one_path_or_for_one_kind_are_refused() {
    let refused = |handlers| {
        let metrics = WebhookMetrics::register(&mut Registry::default());
        let refused = WebhookServer::new(handlers, mock::client().0, &metrics);
        refused.err().unwrap().to_string()
    };
    let twice = Handlers {
        admissions: vec![
            Box::new(Validating(Maps, PhantomData)),
            Box::new(Validating(Maps, PhantomData)),
        ],
        ..Handlers::default()
    };
    assert!(refused(twice).contains(VALIDATE));
    let twice = Handlers {
        chains: vec![cows::cows(), cows::cows()],
        ..Handlers::default()
    };
    assert!(refused(twice).contains("two converters are registered for cows.my.domain"));
}
