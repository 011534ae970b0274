//! Rules about suppression comments.

use crate::diagnostic::lint::Lint;

/// A suppression that has no effect.
pub static UNUSED_ALLOW: Lint = Lint {
    id: "unused-allow",
    finds: "a `rustop:allow(…)` for something that is not there",
    why: "The next one to make the mistake would not be warned. Remove the comment.",
};

/// All rules of this module.
pub const LINTS: &[&Lint] = &[&UNUSED_ALLOW];
