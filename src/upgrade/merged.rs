//! The result of a three-way merge.

/// The merged text of a file, with the decisions left to the user.
#[derive(Debug, Default, Eq, PartialEq)]
pub struct Merged {
    /// The text, with conflicts marked as git does.
    pub text: String,
    /// True if the text contains conflict markers.
    pub conflicts: bool,
    /// Messages about values that differ from rustop's because the user's were retained.
    pub kept: Vec<String>,
    /// The parts that the user must merge by hand, because both sides changed the same field. If
    /// there are any, `text` is the user's text without conflict markers.
    pub manual_edits: Vec<ManualEdit>,
}

/// A part of a newer text that differs from the user's.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct ManualEdit {
    /// The name of the part: `size` of `Cow`.
    pub name: String,
    /// The line in the user's text where the part is, or where it belongs.
    pub line: usize,
    /// The new text; `None` if the part should be removed.
    pub text: Option<String>,
}
