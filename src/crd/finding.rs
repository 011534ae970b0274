//! Problems in a schema, with their location.

use super::node::Node;
use crate::diagnostic::Lint;

/// A problem in a CRD.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Finding {
    /// The affected version; `None` if the problem concerns all versions.
    pub version: Option<String>,
    /// The path in the objects, for example `.spec.ports[].name`; empty for the CRD as a whole.
    pub path: String,
    /// The names of the fields in that path.
    pub fields: Vec<String>,
    /// The rule that warns of the problem; `None` if the API server rejects the CRD.
    pub lint: Option<&'static Lint>,
    /// The problem: lower case, no full stop.
    pub message: String,
    /// The command or text that fixes it.
    pub help: Option<String>,
}

impl Finding {
    /// Creates an error in a schema, for which the API server rejects the CRD.
    pub fn refused(node: &Node, message: impl Into<String>) -> Self {
        Self {
            version: None,
            path: node.path(),
            fields: node.fields(),
            lint: None,
            message: message.into(),
            help: None,
        }
    }

    /// Creates an error in the CRD as a whole, for which the API server rejects it.
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

    /// Turns the finding into a warning of a rule.
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
