//! What is wrong with a schema, and where.

use super::node::Node;
use crate::diagnostic::Lint;

/// One thing that is wrong with a CRD.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Finding {
    /// The version of the CRD; none for what is about all of them.
    pub version: Option<String>,
    /// The place in the objects: `.spec.ports[].name`; empty for the CRD as such.
    pub path: String,
    /// The names of the fields on the way there.
    pub fields: Vec<String>,
    /// The rule that warns of it; none for what the API server refuses.
    pub lint: Option<&'static Lint>,
    /// What is wrong: lower case, no full stop.
    pub message: String,
    /// What to write instead.
    pub help: Option<String>,
}

impl Finding {
    /// About a schema, which the API server would refuse.
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

    /// About the CRD as such, which the API server would refuse.
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

    /// As a warning of a rule.
    #[must_use]
    pub fn warning(mut self, lint: &'static Lint) -> Self {
        self.lint = Some(lint);
        self
    }

    /// With what to write instead.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}
