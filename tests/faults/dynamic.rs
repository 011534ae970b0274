//! Controllers over kinds that are known only at run time: two CRDs that no part of the operator
//! was built with, one whose objects have a namespace and one whose objects have none.

use serde_json::{Value, json};

use crate::cluster::{CRDS, SOON};
use crate::operator::{Launch, Operator};
use crate::place::Place;
use crate::support::until;
use crate::{Cases, Stage};

pub const CASES: Cases = &[("two_kinds_known_only_at_run_time", two_kinds)];

const GROUP: &str = "farm.test";
/// The kinds of the case. The operator may not list silos.
const KINDS: [(&str, &str, &str); 3] = [
    ("barns", "Barn", "Cluster"),
    ("stalls", "Stall", "Namespaced"),
    ("silos", "Silo", "Namespaced"),
];
const BARN: &str = "/apis/farm.test/v1/barns/red";

fn install(place: &Place, (plural, kind, scope): (&str, &str, &str)) {
    let api = &place.cluster.api;
    let any = json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true});
    let names = json!({"plural": plural, "singular": kind.to_lowercase(), "kind": kind});
    let version = json!({
        "name": "v1", "served": true, "storage": true, "subresources": {"status": {}},
        "schema": {"openAPIV3Schema": any},
    });
    let crd = json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": format!("{plural}.{GROUP}")},
        "spec": {"group": GROUP, "scope": scope, "names": names, "versions": [version]},
    });
    api.post(CRDS, &crd);
    until(&format!("{plural} are served"), SOON, || {
        let group = api.get(&format!("/apis/{GROUP}/v1")).unwrap_or_default();
        let mut served = group["resources"].as_array().into_iter().flatten();
        served.any(|resource| resource["name"] == plural)
            && api.get(&format!("/apis/{GROUP}/v1/{plural}")).is_some()
    });
}

fn operator(place: &Place, name: &str, kinds: &str) -> Operator {
    let launch = Launch::default().with("KINDS", &kinds);
    place.operator(name, launch)
}

fn farmer(place: &Place, name: &str) -> Operator {
    let operator = operator(place, name, "farm.test/v1/Barn,farm.test/v1/Stall");
    operator.is_ready();
    operator
}

fn stall(place: &Place, name: &str) -> String {
    format!(
        "/apis/{GROUP}/v1/namespaces/{}/stalls/{name}",
        place.namespace
    )
}

/// Returns true if the object has `message` in its spec and its status and is ready, and if its
/// config map has `message`.
fn says(place: &Place, path: &str, message: &str) -> bool {
    let Some(object) = place.cluster.api.get(path) else {
        return false;
    };
    let conditions = object["status"]["conditions"].as_array();
    let ready = conditions.into_iter().flatten().any(|condition| {
        condition["type"] == "Ready"
            && condition["status"] == "True"
            && condition["observedGeneration"] == object["metadata"]["generation"]
    });
    let name = object["metadata"]["name"].as_str().unwrap();
    ready
        && object["spec"]["message"] == message
        && object["status"]["said"] == message
        && place.data(&format!("{name}-message"), "message").as_deref() == Some(message)
}

/// The barn and these stalls say `message`.
fn all_say(place: &Place, stalls: &[&str], message: &str) {
    let paths = stalls.iter().map(|name| stall(place, name));
    for path in paths.chain([BARN.to_owned()]) {
        until(&format!("{path} says {message}"), SOON, || {
            says(place, &path, message)
        });
    }
}

fn is_gone(place: &Place, path: &str) {
    until(&format!("{path} is gone"), SOON, || {
        place.cluster.api.get(path).is_none()
    });
}

fn uid(place: &Place, path: &str) -> Value {
    let object = place.cluster.api.get(path).unwrap_or_default();
    object["metadata"]["uid"].clone()
}

fn two_kinds(stage: &Stage) {
    let place = stage.place();
    let api = &place.cluster.api;
    for kind in KINDS {
        install(&place, kind);
    }
    let farm = farmer(&place, "alpha");
    let spec = json!({"message": "moo", "stalls": ["a", "b"], "namespace": place.namespace});
    let metadata = json!({"name": "red"});
    let barn =
        json!({"apiVersion": "farm.test/v1", "kind": "Barn", "metadata": metadata, "spec": spec});
    api.post("/apis/farm.test/v1/barns", &barn);
    all_say(&place, &["a", "b"], "moo");
    works_as_two(&farm);

    // Children that are no longer wanted are deleted, with their own children.
    api.patch(
        BARN,
        &json!({"spec": {"message": "baa", "stalls": ["a", "c"]}}),
    );
    all_say(&place, &["a", "c"], "baa");
    is_gone(&place, &stall(&place, "b"));
    is_gone(&place, &place.path("configmaps", "b-message"));
    children_come_back(&place);
    farm.believes_what_is_so();
    farm.kill();

    // The next changes happen while no operator runs.
    api.delete(&stall(&place, "c"));
    place.delete("configmaps", "a-message");
    api.patch(BARN, &json!({"spec": {"message": "meow"}}));
    let farm = farmer(&place, "beta");
    all_say(&place, &["a", "c"], "meow");

    without_permission(&place);
    api.delete(BARN);
    is_gone(&place, BARN);
    for name in ["a", "c"] {
        is_gone(&place, &stall(&place, name));
    }
    for name in ["a", "c", "red"] {
        is_gone(
            &place,
            &place.path("configmaps", &format!("{name}-message")),
        );
    }
    farm.believes_what_is_so();
}

/// Each kind has a controller of its name, which has seen its objects and no others.
fn works_as_two(farm: &Operator) {
    for (controller, objects) in [("barn", 1.0), ("stall", 2.0)] {
        let ready = format!(
            "resource_conditions{{controller=\"{controller}\",type=\"Ready\",status=\"True\"}}"
        );
        until(&format!("{controller} has {objects}"), SOON, || {
            farm.metric(&ready) == Some(objects)
        });
    }
}

fn children_come_back(place: &Place) {
    let (api, path) = (&place.cluster.api, stall(place, "a"));
    let before = uid(place, &path);
    api.delete(&path);
    until("there is another stall", SOON, || {
        let now = uid(place, &path);
        !now.is_null() && now != before
    });
    all_say(place, &["a", "c"], "baa");
    place.delete("configmaps", "c-message");
    api.patch(&path, &json!({"spec": {"message": "changed by somebody"}}));
    all_say(place, &["a", "c"], "baa");
}

/// A missing permission is reported for the kind that lacks it.
fn without_permission(place: &Place) {
    let unable = operator(place, "unable", "farm.test/v1/Silo");
    let marker = "// +kubebuilder:rbac:groups=farm.test,resources=silos,verbs=get;list;watch";
    until("the operator says what is missing", SOON, || {
        let (status, text) = unable.ready_text();
        status != 200 && text.contains(marker) && text.contains("Silo")
    });
    unable.kill();
}
