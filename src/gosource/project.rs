//! kubebuilder's PROJECT, of all its versions, as far as a project of rustop needs it.

use serde::Deserialize;

/// What a Go project says of itself. All that is not known is passed over: plugins have fields of their own.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq)]
#[serde(default, rename_all = "camelCase")]
pub struct GoProject {
    /// The suffix of its groups.
    pub domain: Option<String>,
    /// Its name; only version 3 has it.
    #[serde(rename = "projectName")]
    pub name: Option<String>,
    /// Its Go module.
    pub repo: Option<String>,
    /// What was scaffolded. Others may be in the CRDs, and some in no CRD.
    pub resources: Vec<GoResource>,
}

/// A version of a kind that was scaffolded.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq)]
#[serde(default, rename_all = "camelCase")]
pub struct GoResource {
    /// Whether it has a controller.
    pub controller: bool,
    /// The controllers, where it may have several.
    pub controllers: Vec<serde_json::Value>,
    /// What stands behind the group.
    pub domain: Option<String>,
    /// The first part of the group, or all of it.
    pub group: Option<String>,
    /// The kind.
    pub kind: String,
    /// Its version.
    pub version: String,
    /// The webhooks.
    pub webhooks: GoWebhooks,
}

/// The webhooks of a version.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq)]
#[serde(default)]
pub struct GoWebhooks {
    /// One that fills in.
    pub defaulting: bool,
    /// One that refuses.
    pub validation: bool,
    /// One that converts.
    pub conversion: bool,
}

impl GoProject {
    /// Reads a PROJECT.
    ///
    /// # Errors
    /// When it is no YAML, or its fields are not what kubebuilder writes.
    pub fn read(text: &str) -> Result<Self, String> {
        serde_yaml::from_str(text).map_err(|error| error.to_string())
    }
}

impl GoResource {
    /// Whether a CRD's group is its own. PROJECT has a group without the domain, but for projects whose authors wrote
    /// all of it.
    pub fn is_of(&self, group: &str, domain: Option<&str>) -> bool {
        let domain = self.domain.as_deref().or(domain).unwrap_or_default();
        match self.group.as_deref().unwrap_or_default() {
            "" => group == domain,
            all if all == group => true,
            first => {
                group
                    .strip_prefix(first)
                    .and_then(|it| it.strip_prefix('.'))
                    == Some(domain)
            }
        }
    }

    /// Whether it has any controller.
    pub fn is_controlled(&self) -> bool {
        self.controller || !self.controllers.is_empty()
    }
}
