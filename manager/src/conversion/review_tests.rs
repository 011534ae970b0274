//! Tests of responses to valid and invalid reviews.

use std::cell::Cell;

use serde_json::json;

use super::*;
use crate::conversion::cows;

async fn ask(objects: &Value) -> Value {
    let review = json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": "ConversionReview",
        "request": {"uid": "u-1", "desiredAPIVersion": "my.domain/v1", "objects": objects}});
    let converters = Converters::new(vec![cows()]).unwrap();
    let body = converters
        .answer(review.to_string().as_bytes(), || {})
        .await;
    let answer: Value = serde_json::from_slice(&body.unwrap()).unwrap();
    assert_eq!(answer["apiVersion"], "apiextensions.k8s.io/v1");
    assert_eq!(answer["kind"], "ConversionReview");
    assert_eq!(answer["response"]["uid"], "u-1");
    answer["response"].clone()
}

fn cow(version: &str, name: &str, spec: &Value) -> Value {
    json!({"apiVersion": format!("my.domain/{version}"), "kind": "Cow",
        "metadata": {"name": name, "namespace": "ns"}, "spec": spec})
}

#[tokio::test]
async fn objects_of_several_versions_are_answered_in_order() {
    let objects: Vec<_> = (0..30)
        .map(|n| match n % 3 {
            0 => cow("v1alpha1", &n.to_string(), &json!({"loud": true})),
            1 => cow("v1beta1", &n.to_string(), &json!({"volume": 5})),
            _ => cow("v1", &n.to_string(), &json!({"volume": 6})),
        })
        .collect();
    let answer = ask(&json!(objects)).await;
    assert_eq!(answer["result"]["status"], "Success");
    let converted = answer["convertedObjects"].as_array().unwrap();
    assert_eq!(converted.len(), 30);
    for (n, object) in converted.iter().enumerate() {
        assert_eq!(object["apiVersion"], "my.domain/v1");
        assert_eq!(object["metadata"]["name"], n.to_string());
        assert_eq!(object["spec"]["volume"], [11, 5, 6][n % 3]);
    }
    assert_eq!(ask(&json!([])).await["convertedObjects"], json!([]));
}

#[tokio::test]
async fn a_failure_names_the_object() {
    let good = cow("v1alpha1", "good", &json!({"loud": true}));
    let mut calf = good.clone();
    calf["kind"] = json!("Calf");
    for (object, message) in [
        (
            cow("v1alpha1", "bad", &json!({"loud": 1})),
            "cannot convert my.domain/v1alpha1 Cow ns/bad to my.domain/v1: spec.loud: invalid type: integer `1`, expected a boolean",
        ),
        (
            cow(
                "v1alpha1",
                "bad",
                &json!({"loud": true, "message": "panic"}),
            ),
            "cannot convert my.domain/v1alpha1 Cow ns/bad to my.domain/v1: the conversion panicked; see the \
             operator's log for the location",
        ),
        (
            calf,
            "cannot convert my.domain/v1alpha1 Calf ns/good to my.domain/v1: no converter is registered for \
             this kind, only for cows.my.domain",
        ),
    ] {
        let answer = ask(&json!([good, object])).await;
        assert_eq!(answer["result"]["status"], "Failure");
        assert_eq!(answer["result"]["message"], message);
        assert_eq!(answer["convertedObjects"], json!([]));
    }
}

#[tokio::test]
async fn panics_are_reported() {
    let object = cow(
        "v1alpha1",
        "bad",
        &json!({"loud": true, "message": "panic"}),
    );
    let panics = Cell::new(0);
    let converters = Converters::new(vec![cows()]).unwrap();
    let converted = converters.convert(&object, "my.domain/v1", || panics.set(panics.get() + 1));
    assert!(converted.is_err() && panics.get() == 1);
}

/// The API server retries twice a second for an object that cannot be converted.
#[test]
fn each_problem_of_an_object_is_logged_once() {
    let logged = LoggedProblems::default();
    let tell =
        |wrong: &str| logged.log_if_new("my.domain/v1 Cow ns/bad to my.domain/v1alpha1", wrong);
    assert!(tell("this"));
    assert!(!tell("this") && !tell("this"));
    assert!(tell("that") && !tell("that"));
    assert!(logged.log_if_new("another", "that"));
    // A problem that was fixed is logged again when it returns.
    assert!(!tell("") && tell("that"));
    for n in 0..2 * MAX_LOGGED {
        assert!(logged.log_if_new(&n.to_string(), "this"));
    }
    assert!(logged.0.lock().len() <= MAX_LOGGED);
}

#[tokio::test]
async fn invalid_reviews_are_rejected() {
    let converters = Converters::new(vec![cows()]).unwrap();
    let beta = r#"{"apiVersion": "apiextensions.k8s.io/v1beta1", "kind": "ConversionReview"}"#;
    let empty = r#"{"apiVersion": "apiextensions.k8s.io/v1", "kind": "ConversionReview"}"#;
    for (body, wrong) in [
        ("", "EOF"),
        ("[]", "ConversionReview"),
        (beta, "v1beta1"),
        (empty, "request missing"),
    ] {
        let error = converters.answer(body.as_bytes(), || {}).await.unwrap_err();
        assert!(error.contains(wrong), "{body}: {error}");
    }
}
