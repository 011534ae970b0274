//! The kinds themselves change while the operator runs.

use serde_json::json;

use crate::cluster::{CRDS, SOON};
use crate::operator::Launch;
use crate::support::until;
use crate::{Cases, Place, Stage};

pub const CASES: Cases = &[("malformed_deleted_and_installed_again", changed)];

/// Runs its cases one after the other, because a CRD belongs to the whole control plane.
fn changed(stage: &Stage) {
    let cluster = stage.cluster();
    let place = cluster.place();
    place.create("lolcows", "good", "moo");
    place.create("lolcows", "bad", "moo");
    malformed(&place);
    installed_again(&place);
    deleted_for_good(&place);
    come_and_gone(&place);
}

fn good_one_says(place: &Place, message: &str) {
    place.say("lolcows", "good", message);
    until("the good one goes on", SOON, || {
        place.data("good", "message").as_deref() == Some(message)
    });
}

/// The CRD is replaced by one with a looser schema than the operator's type, and an object does not
/// fit the type.
fn malformed(place: &Place) {
    let mut operator = place.operator("alpha", Launch::default());
    place.converges();
    let api = &place.cluster.api;
    let schema = "/spec/versions/0/schema/openAPIV3Schema/properties/spec";
    let loose = json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true});
    let change = json!([{"op": "replace", "path": schema, "value": loose}]);
    api.patch(&format!("{CRDS}/lolcows.my.domain"), &change);
    let bad = json!({"spec": {"message": {"not": "a text"}}});
    let of_bad = place.path("lolcows", "bad");
    until("the new schema is in force", SOON, || {
        api.call("PATCH", &of_bad, Some(&bad)).0 == 200
    });
    let name = format!("object={}/bad", place.namespace);
    operator.says(&name);
    good_one_says(place, "bow");
    operator.unreadable.push("bad".to_owned());
    drop(operator);

    // An operator that starts now lists the malformed object.
    let operator = place.operator("beta", Launch::default());
    operator.is_ready();
    assert!(operator.log().contains(&name), "{}", operator.log());
    good_one_says(place, "meow");
    place.say("lolcows", "bad", "moo");
    place.converges();
}

fn installed_again(place: &Place) {
    let operator = place.operator("alpha", Launch::default());
    place.converges();
    place.create("pastures", "meadow", "fenced");
    let cluster = &place.cluster;
    let crd = format!("{CRDS}/lolcows.my.domain");
    cluster.api.delete(&crd);
    // The other kind keeps it ready.
    until("the operator says so", SOON, || {
        let (status, text) = operator.ready_text();
        status == 200 && text.contains("lolcow") && text.contains("make install")
    });
    // The other kind does not suffer.
    place.say("pastures", "meadow", "open");
    until("the fence is gone", SOON, || {
        place.get("configmaps", "meadow-fence").is_none()
    });
    until("the CRD is gone", SOON, || cluster.api.get(&crd).is_none());
    // As the garbage collector would.
    place.delete("configmaps", "good");
    place.delete("configmaps", "bad");
    cluster.install_crd("lolcows");
    operator.is_ready();
    place.create("lolcows", "good", "again");
    place.converges();
}

/// A kind whose objects have a finalizer is deleted after their cleanup.
fn deleted_for_good(place: &Place) {
    let _operator = place.operator("alpha", Launch::default());
    until("the pasture has its finalizer", SOON, || {
        let meadow = place.get("pastures", "meadow").unwrap_or_default();
        !meadow["metadata"]["finalizers"].is_null()
    });
    let crd = format!("{CRDS}/pastures.my.domain");
    place.cluster.api.delete(&crd);
    until("the CRD is gone", SOON, || {
        place.cluster.api.get(&crd).is_none()
    });
    assert!(place.get("leases", "meadow-gone").is_some());
}

/// An optional kind is missing at the start of the operator, is installed, and is removed again.
fn come_and_gone(place: &Place) {
    let api = &place.cluster.api;
    let crd = format!("{CRDS}/herds.my.domain");
    let remove = || {
        api.delete(&crd);
        until("the CRD is gone", SOON, || api.get(&crd).is_none());
    };
    remove();
    let launch = Launch {
        variables: vec![("HERDER", "yes".to_owned())],
        ..Launch::default()
    };
    let operator = place.operator("herder", launch);
    operator.is_ready();
    good_one_says(place, "alone");
    place.converges();
    place.cluster.install_crd("herds");
    // Nothing else happens that would lead to a reconcile.
    until("the good one has a herd", SOON, || {
        place.get("herds", "good").is_some()
    });
    remove();
    good_one_says(place, "alone again");
    operator.is_ready();
    place.converges();
}
