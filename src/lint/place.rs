//! The input of a rule.

use regex::Regex;

use crate::crd::node::Node;
use crate::sources::types::Origin;

/// A place in a schema, with everything that a rule may check.
pub struct Place<'a> {
    pub node: &'a Node<'a>,
    /// The Rust field behind the place; `None` if it is not known.
    pub origin: Option<Origin<'a>>,
    /// True if the version has the `status` subresource.
    pub has_status: bool,
    /// Patterns of discouraged field names, and the advice for each.
    pub names: &'a [(Regex, String)],
}
