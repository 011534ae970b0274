//! What a merge makes of a file.

/// A file that is merged.
#[derive(Debug, Eq, PartialEq)]
pub struct Merged {
    /// Its text, conflicts marked in it as git marks them.
    pub text: String,
    /// Whether the user has to choose somewhere.
    pub conflicts: bool,
    /// What the user should know, where something was kept that rustop would have otherwise.
    pub kept: Vec<String>,
}
