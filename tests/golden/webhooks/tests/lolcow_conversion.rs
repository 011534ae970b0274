//! No Lolcow loses anything on its way to another version and back, whatever is in it.

use manager::conversion::RoundTrip;

use webhooks_operator::webhooks::lolcow::versions;

#[test]
fn nothing_is_lost_between_versions() {
    RoundTrip::new(versions(), api::crds().unwrap())
        // Where a field has a `pattern`, say what to try:
        //     .samples("v1", "spec.email", ["moo@my.domain"])
        // Where another version has no place for a field, so that it is kept in an annotation:
        //     .kept("v1", "spec.volume")
        .check();
}
