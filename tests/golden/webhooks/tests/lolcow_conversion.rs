//! Property test: converting a random Lolcow to another version and back loses no data.

use rustop_manager::conversion::RoundTrip;

use webhooks_operator::webhooks::lolcow::versions;

#[test]
fn nothing_is_lost_between_versions() {
    RoundTrip::new(versions(), api::crds().unwrap())
        // TODO(user): for a field with a `pattern`, give values to try (book: docs/tutorial/test-conversion.md):
        //     .samples("v1", "spec.email", ["moo@my.domain"])
        // For a field that another version lacks, so that it is stored in an annotation:
        //     .kept("v1", "spec.volume")
        .check();
}
