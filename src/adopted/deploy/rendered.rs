//! Objects of rendered manifests.

use std::path::PathBuf;

use crate::text::place;
use serde_json::Value;

/// An object of the manifests.
#[derive(Clone, Debug, PartialEq)]
pub struct Rendered {
    /// The file that declares the object, relative to the project. For a template it is the
    /// template; for a kustomization, its directory.
    pub file: PathBuf,
    /// The line at which the object begins, counted from 1. 0 if a renderer produced the object.
    pub line: usize,
    /// The whole object as JSON.
    pub object: Value,
}

impl Rendered {
    /// Returns the file, with the line if it is known.
    pub fn place(&self) -> String {
        place(&self.file, self.line)
    }

    /// Returns the object's kind, or an empty text.
    pub fn kind(&self) -> &str {
        self.object["kind"].as_str().unwrap_or_default()
    }

    /// Returns the object's name, or an empty text.
    pub fn name(&self) -> &str {
        self.object["metadata"]["name"].as_str().unwrap_or_default()
    }

    /// Returns the namespace in the object's metadata.
    pub fn namespace(&self) -> Option<&str> {
        self.object["metadata"]["namespace"]
            .as_str()
            .filter(|it| !it.is_empty())
    }

    /// Returns true for a ClusterRole and a Role.
    pub fn is_role(&self) -> bool {
        ["ClusterRole", "Role"].contains(&self.kind())
    }

    /// Returns true for a `ClusterRoleBinding` and a `RoleBinding`.
    pub fn is_binding(&self) -> bool {
        ["ClusterRoleBinding", "RoleBinding"].contains(&self.kind())
    }

    /// Returns the kind and the name of the role that a binding refers to, or empty texts.
    pub fn role_ref(&self) -> (&str, &str) {
        let text = |key: &str| self.object["roleRef"][key].as_str().unwrap_or_default();
        (text("kind"), text("name"))
    }
}
