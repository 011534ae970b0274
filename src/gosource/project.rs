//! kubebuilder's PROJECT file, in all its versions, reduced to what rustop needs.

use serde::Deserialize;

/// The contents of a Go project's PROJECT file. Unknown fields are ignored, because plugins add
/// their own.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq)]
#[serde(default, rename_all = "camelCase")]
pub struct GoProject {
    /// The common suffix of the API groups.
    pub domain: Option<String>,
    /// The project's name; only present in version 3.
    #[serde(rename = "projectName")]
    pub name: Option<String>,
    /// The path of the Go module.
    pub repo: Option<String>,
    /// The scaffolded resources. The project may have CRDs for other kinds, and a resource may have
    /// no CRD.
    pub resources: Vec<GoResource>,
}

/// A scaffolded version of a kind.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq)]
#[serde(default, rename_all = "camelCase")]
pub struct GoResource {
    /// True if the kind has a controller.
    pub controller: bool,
    /// The controllers, in versions that allow several.
    pub controllers: Vec<serde_json::Value>,
    /// The part of the API group after `group`; `None` for the project's domain.
    pub domain: Option<String>,
    /// The first part of the API group, or all of it.
    pub group: Option<String>,
    pub kind: String,
    /// The API version: `v1`.
    pub version: String,
    pub webhooks: GoWebhooks,
}

/// The webhooks of a version.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq)]
#[serde(default)]
pub struct GoWebhooks {
    /// True if there is a mutating webhook.
    pub defaulting: bool,
    /// True if there is a validating webhook.
    pub validation: bool,
    /// True if there is a conversion webhook.
    pub conversion: bool,
}

impl GoProject {
    /// Parses a PROJECT file.
    ///
    /// # Errors
    /// Returns an error if the text is not YAML or does not have kubebuilder's fields.
    pub fn read(text: &str) -> Result<Self, String> {
        serde_yaml::from_str(text).map_err(|error| error.to_string())
    }
}

impl GoResource {
    /// Returns true if `group` is the API group of the resource. PROJECT contains the group without
    /// the domain, except in projects whose authors wrote the full group. `domain` is that of the
    /// project.
    pub fn is_of(&self, group: &str, domain: Option<&str>) -> bool {
        let domain = self.domain.as_deref().or(domain).unwrap_or_default();
        match self.group.as_deref().unwrap_or_default() {
            "" => group == domain,
            // kubebuilder's name of the API group of Pods, which has none.
            "core" if group.is_empty() => true,
            all if all == group => true,
            first => {
                group
                    .strip_prefix(first)
                    .and_then(|it| it.strip_prefix('.'))
                    == Some(domain)
            }
        }
    }

    /// Returns true if the kind has at least one controller.
    pub fn is_controlled(&self) -> bool {
        self.controller || !self.controllers.is_empty()
    }
}
