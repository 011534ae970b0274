//! No Database loses anything on its way to another version and back, whatever is in it.

use rustop_manager::conversion::RoundTrip;

use database_operator::webhooks::database::versions;

#[test]
fn nothing_is_lost_between_versions() {
    let numbers = ["8", "17", "230"];
    RoundTrip::new(versions(), api::crds().unwrap())
        .samples("v1alpha1", "spec.version", numbers)
        .samples("v1beta1", "spec.version", numbers)
        .samples("v1", "spec.engine", ["Postgres/17", "MySql/8"])
        // A map has an order of its own.
        .kept("v1alpha1", "spec.users")
        .kept("v1beta1", "spec.users")
        .kept("v1alpha1", "spec.legacyPort")
        .kept("v1beta1", "spec.legacyPort")
        .kept("v1", "spec.owner")
        .check();
}
