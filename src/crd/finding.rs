//! Problems in a schema, with their location.

use super::node::Node;
use crate::diagnostic::Lint;

/// A problem in a CRD.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct CrdProblem {
    /// The affected version; `None` if the problem concerns all versions.
    pub version: Option<String>,
    /// The path in the objects, for example `.spec.ports[].name`; empty for the CRD as a whole.
    pub path: String,
    /// The names of the fields in that path, without list items and map values: `["spec", "ports",
    /// "name"]`. The Rust field is found by them.
    pub fields: Vec<String>,
    /// The rule that warns of the problem; `None` if the API server rejects the CRD.
    pub lint: Option<&'static Lint>,
    /// The problem: lower case, no full stop.
    pub message: String,
    /// The command or text that fixes it.
    pub help: Option<String>,
}

impl CrdProblem {
    /// Creates a finding at `node`. It is an error, for which the API server rejects the CRD,
    /// unless [`Self::warning`] makes it a warning of a rule.
    pub fn at(node: &Node, message: impl Into<String>) -> Self {
        Self {
            version: None,
            path: node.path(),
            fields: node.fields(),
            lint: None,
            message: message.into(),
            help: None,
        }
    }

    /// Creates a finding about the CRD as a whole. It is an error, unless [`Self::warning`] makes
    /// it a warning of a rule.
    pub fn of_crd(message: impl Into<String>) -> Self {
        Self {
            version: None,
            path: String::new(),
            fields: Vec::new(),
            lint: None,
            message: message.into(),
            help: None,
        }
    }

    /// Turns the error into a warning of `lint`.
    #[must_use]
    pub fn warning(mut self, lint: &'static Lint) -> Self {
        self.lint = Some(lint);
        self
    }

    /// Adds advice on how to fix the problem.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}
