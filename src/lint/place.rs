//! What a rule is shown.

use regex::Regex;

use crate::crd::node::Node;
use crate::sources::types::Origin;

/// A place in a schema, with all that a rule may look at.
pub struct Place<'a> {
    /// The schema.
    pub node: &'a Node<'a>,
    /// The Rust field behind it, if it is known.
    pub origin: Option<Origin<'a>>,
    /// Whether the status of the version is a subresource.
    pub has_status: bool,
    /// What fields may not be called, and what to write instead.
    pub names: &'a [(Regex, String)],
}
