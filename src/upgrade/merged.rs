//! What a merge makes of a file.

/// A file that is merged.
#[derive(Debug, Default, Eq, PartialEq)]
pub struct Merged {
    /// Its text, conflicts marked in it as git marks them.
    pub text: String,
    /// Whether the user has to choose somewhere.
    pub conflicts: bool,
    /// What the user should know, where something was kept that rustop would have otherwise.
    pub kept: Vec<String>,
    /// What the user has to write where both have changed the same field; then the text is the user's, and nothing in it
    /// is marked.
    pub paste: Vec<Paste>,
}

/// What a newer text has where the user has something else.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Paste {
    /// What it is: `size` of `Cow`.
    pub name: String,
    /// Where it is in the user's text, or should be: the line.
    pub line: usize,
    /// Its text; none where it is to go.
    pub text: Option<String>,
}
