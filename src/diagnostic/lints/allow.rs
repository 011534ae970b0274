//! Rules about suppression comments.

use crate::diagnostic::lint::Lint;

/// A suppression that has no effect.
pub static UNUSED_ALLOW: Lint = Lint {
    id: "unused-allow",
    finds: "a `rustop:allow(…)` comment that suppresses no warning",
    why: "It would hide the warning if the problem is introduced later. Remove the comment.",
};

/// All rules of this module.
pub const LINTS: &[&Lint] = &[&UNUSED_ALLOW];
