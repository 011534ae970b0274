//! `rustop explain`.

use crate::dsl::Place;

#[test]
fn a_rule_says_what_it_finds_and_how_to_allow_it() {
    Place::empty()
        .rustop("explain rbac-implied")
        .stdout(
            "rbac-implied: a marker that grants nothing which another one of the same file does not

It can go, and somebody who takes rights away from the other one will be surprised. Two controllers in two \
files may well ask for the same.

Where it is meant to be so, say why on a line of its own above it:

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
