//! The input of a lint rule: a schema node with its context.

use regex::Regex;

use crate::crd::node::Node;
use crate::sources::types::Origin;

/// A schema node that a rule checks, with the Rust field that it was generated from.
pub struct RuleInput<'a> {
    /// The schema. Its path and its ancestors are reachable from it.
    pub node: &'a Node<'a>,
    /// The Rust field that the schema was generated from; `None` if the sources do not declare the
    /// type. The rule then sees the schema only.
    pub origin: Option<Origin<'a>>,
    /// True if the version has the `status` subresource.
    pub has_status: bool,
    /// The patterns of forbidden field names in `PROJECT`, each with the suggested replacement.
    pub names: &'a [(Regex, String)],
}
