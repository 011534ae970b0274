//! The rules on the comments that allow others.

use crate::diagnostic::lint::Lint;

/// A comment that allows nothing.
pub static UNUSED_ALLOW: Lint = Lint {
    id: "unused-allow",
    finds: "a `rustop:allow(…)` for something that is not there",
    why: "The next one to make the mistake would not be warned. Remove the comment.",
};

/// All of them.
pub const LINTS: &[&Lint] = &[&UNUSED_ALLOW];
