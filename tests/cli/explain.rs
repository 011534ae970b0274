//! `rustop explain`.

use crate::dsl::Place;

#[test]
fn a_rule_says_what_it_finds_and_how_to_allow_it() {
    Place::empty()
        .rustop("explain rbac-implied")
        .stdout(
            "rbac-implied: a marker whose permissions another marker in the same file already grants

It is redundant, and hides that removing a permission from the other marker has no effect. Two controllers in \
two files may need the same permission, so rustop compares only markers of one file.

If it is intended, give the reason in a comment on a separate line above it:

    // rustop:allow(rbac-implied): reason
",
        )
        .unchanged()
        .ok();
}

#[test]
fn a_finding_has_its_cause_and_its_fix() {
    Place::empty()
        .rustop("explain stuck-deletion")
        .shows(&[
            "stuck-deletion: the object cannot be deleted\n\nCause: The finalizer stays: ",
            "\n\nFix: Accept in the cleanup",
            "\n\nReported by `rustop torture` and `rustop simulate`.\n",
        ])
        .ok();
}

/// The runtime has its own list of classes, since it does not depend on rustop.
#[test]
fn every_class_of_a_simulation_is_explained() {
    let source = include_str!("../../manager/src/simulation/oracle.rs");
    let class = regex::Regex::new(r#"Self::\w+ => "([a-z-]+)","#).unwrap();
    let classes: Vec<_> = class
        .captures_iter(source)
        .map(|found| found[1].to_owned())
        .collect();
    assert!(classes.len() > 15, "{classes:?}");
    for class in classes {
        Place::empty()
            .rustop(&format!("explain {class}"))
            .shows(&["\n\nFix: ", "`rustop simulate`.\n"])
            .ok();
    }
}

#[test]
fn a_rule_that_does_not_exist_is_a_wrong_command_line() {
    Place::empty()
        .rustop("explain rbac-implid")
        .says(&[
            "invalid value 'rbac-implid'",
            "a similar value exists: 'rbac-implied'",
        ])
        .fails(2);
}
