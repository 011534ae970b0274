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
fn a_rule_that_does_not_exist_is_a_wrong_command_line() {
    Place::empty()
        .rustop("explain rbac-implid")
        .says(&[
            "invalid value 'rbac-implid'",
            "a similar value exists: 'rbac-implied'",
        ])
        .fails(2);
}
