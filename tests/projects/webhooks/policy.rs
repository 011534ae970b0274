//! The changes that the operator's ServiceAccount may make to its webhook configurations.

use std::fs;

use serde_json::{Value, json};

use super::place::Place;

const ACCOUNT: &str =
    "system:serviceaccount:webhooks-operator-system:webhooks-operator-controller-manager";
const CRD: &str = "crd/lolcows.my.domain";
const MUTATING: &str =
    "mutatingwebhookconfiguration/webhooks-operator-mutating-webhook-configuration";
const VALIDATING: &str =
    "validatingwebhookconfiguration/webhooks-operator-validating-webhook-configuration";
/// No other account is restricted.
const ADMINISTRATOR: &str = "kubernetes-admin";

/// With these it could send itself all Secrets, or every object of the kind, or take the webhooks
/// out.
pub fn the_account_changes_nothing_but_the_authority(place: &Place) {
    for configuration in [MUTATING, VALIDATING] {
        let webhook = |object: &mut Value| object["webhooks"][0].take();
        let with = |change: &dyn Fn(&mut Value)| {
            let mut object = get(place, configuration);
            change(&mut object["webhooks"][0]);
            object
        };
        let secrets = json!({"apiGroups": [""], "apiVersions": ["v1"], "operations": ["*"], "resources": ["secrets"]});
        for changed in [
            with(&|webhook| webhook["rules"] = json!([secrets])),
            with(&|webhook| webhook["failurePolicy"] = "Ignore".into()),
            with(&|webhook| webhook["timeoutSeconds"] = 29.into()),
            with(&|webhook| {
                webhook["matchConditions"] = json!([{"name": "none", "expression": "false"}]);
            }),
            with(&|webhook| webhook["clientConfig"]["service"]["name"] = "other".into()),
            with(&|webhook| webhook["clientConfig"]["service"]["path"] = "/other".into()),
            with(&|webhook| webhook["clientConfig"] = json!({"url": "https://localhost:1"})),
        ] {
            refused(place, &changed);
        }
        let mut more = get(place, configuration);
        let mut another = webhook(&mut more.clone());
        another["name"] = "another.my.domain".into();
        another["rules"] = json!([secrets]);
        more["webhooks"].as_array_mut().unwrap().push(another);
        refused(place, &more);
        taken(place, &more, ADMINISTRATOR);
        let mut reordered = get(place, configuration);
        reordered["webhooks"].as_array_mut().unwrap().reverse();
        refused(place, &reordered);
        more["webhooks"].as_array_mut().unwrap().pop();
        taken(place, &more, ADMINISTRATOR);
        let mut none = get(place, configuration);
        none["webhooks"] = json!([]);
        refused(place, &none);
        refuses_metadata(place, configuration);
        let mut trusted = get(place, configuration);
        trusted["webhooks"][0]["clientConfig"]["caBundle"] = authority(place);
        taken(place, &trusted, ACCOUNT);
        taken(
            place,
            &with(&|webhook| webhook["timeoutSeconds"] = 9.into()),
            ADMINISTRATOR,
        );
    }

    let with = |pointer: &str, value: Value| {
        let mut object = get(place, CRD);
        *object.pointer_mut(pointer).unwrap() = value;
        object
    };
    let service = "/spec/conversion/webhook/clientConfig/service";
    for changed in [
        with("/spec/conversion", json!({"strategy": "None"})),
        with(&format!("{service}/name"), "other".into()),
        with(&format!("{service}/path"), "/other".into()),
        with(
            "/spec/conversion/webhook/clientConfig",
            json!({"url": "https://localhost:1"}),
        ),
        with(
            "/spec/conversion/webhook/conversionReviewVersions",
            json!(["v1", "v2"]),
        ),
        with("/spec/names/singular", "bull".into()),
        with(
            "/spec/versions/0/schema/openAPIV3Schema",
            json!({"type": "object"}),
        ),
        with("/spec/versions/0/served", false.into()),
    ] {
        refused(place, &changed);
    }
    refuses_metadata(place, CRD);
    let authority = authority(place);
    let trusted = with("/spec/conversion/webhook/clientConfig/caBundle", authority);
    taken(place, &trusted, ACCOUNT);
}

fn refuses_metadata(place: &Place, name: &str) {
    for (field, value) in [
        ("labels", json!({"a": "b"})),
        ("annotations", json!({"a": "b"})),
        ("finalizers", json!(["my.domain/stays"])),
    ] {
        let mut object = get(place, name);
        object["metadata"][field] = value;
        refused(place, &object);
    }
}

/// The authority that the operator has made, a second time.
fn authority(place: &Place) -> Value {
    let crd = get(place, CRD);
    crd["spec"]["conversion"]["webhook"]["clientConfig"]["caBundle"].clone()
}

fn get(place: &Place, name: &str) -> Value {
    let object = place.ok(&format!("$KUBECTL get {name} -o json"));
    serde_json::from_str(&object).unwrap()
}

fn refused(place: &Place, object: &Value) {
    let ran = replace(place, object, ACCOUNT);
    let says = "the operator may change caBundle only";
    assert!(ran.stderr.contains(says), "{object}\n{}", ran.stderr);
}

fn taken(place: &Place, object: &Value, account: &str) {
    let ran = replace(place, object, account);
    assert_eq!(ran.code, Some(0), "{object}\n{}", ran.stderr);
}

fn replace(place: &Place, object: &Value, account: &str) -> crate::support::Ran {
    let mut object = object.clone();
    // The operator writes, too.
    let metadata = object["metadata"].as_object_mut().unwrap();
    metadata.remove("resourceVersion");
    fs::write(place.dir.join("object.json"), object.to_string()).unwrap();
    let group = if account == ADMINISTRATOR {
        "--as-group=system:masters"
    } else {
        ""
    };
    place.sh(&format!(
        "$KUBECTL replace --as={account} {group} -f object.json"
    ))
}
