//! The table of generated files: the template of each, its owner, and what it is rendered for.
//!
//! The table is data, `templates/table.yaml`, which each release archive contains, too: a later
//! rustop uses it to reproduce the files that the earlier release generated.

use serde::Deserialize;

use crate::project::Part;
use crate::tree::Owner;

/// The path of the table below `templates/`.
pub const FILE: &str = "table.yaml";

/// One row of the table: a file of the generated project, or one file for each of several
/// resources.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Row {
    /// The path of the template below `templates/`, without its suffix. It is also the path of the
    /// generated file, after `ResourceContext::fill` has replaced the placeholders in brackets.
    pub template: String,
    /// The owner of the file: rustop rewrites it, or the user edits it.
    pub owner: Owner,
    /// The condition under which the file is rendered, and the resources that it is rendered for.
    #[serde(rename = "each")]
    pub rendered_for: RenderedFor,
}

/// Parses a table.
///
/// # Errors
/// Returns an error that names the line if the text is not YAML, or if a row has an unknown owner,
/// `each` value or part.
pub fn parse(text: &str) -> Result<Vec<Row>, serde_yaml::Error> {
    serde_yaml::from_str(text)
}

/// The directory of the vendored manager crate, with a trailing `/`.
pub const MANAGER: &str = "vendor/rustop-manager/";

/// The condition under which a template is rendered, and how many times.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq)]
#[serde(rename_all = "camelCase")]
pub enum RenderedFor {
    /// Once, in every project.
    Project,
    /// Once, as a Cargo lock file, whose packages are then sorted.
    Lock,
    /// Once, if the project has a licence.
    Licensed,
    /// Not a template: the directory of a crate that projects vendor unchanged.
    VendoredCrate,
    /// In releases before 0.3.0: the directory of the manager's sources, which were rendered for
    /// each project.
    Manager,
    /// In releases before 0.3.0: once, if the manager is vendored.
    Vendored,
    /// Each version of a kind whose type is in `api/`.
    Type,
    /// Each version of a kind whose CRD belongs to the project; of an imported kind, only the first
    /// version.
    Sample,
    /// Each kind whose CRD belongs to the project.
    Crd,
    /// Each kind with a controller or a draft of one.
    Controller,
    /// Each kind for whose controller rustop generates tests.
    #[serde(rename = "ownController")]
    TestedController,
    /// Once, if there is any `TestedController`, or if `Simulation` applies.
    Harness,
    /// Once, if a kind with a controller has a sample, and no kind has a test of the same name.
    Simulation,
    /// Each version of a kind whose types were imported from a CRD.
    Imported,
    /// Each kind whose types were imported from a CRD.
    ImportedCrd,
    /// Once, if any types were imported from a CRD.
    AnyImported,
    /// Once, if the project has an OLM bundle.
    Bundle,
    /// Once, if the project has a Helm chart. `[chart]` is replaced in the text, too.
    Chart,
    /// Once, if the project has that optional part.
    Part(Part),
    /// Once, if the project has a part whose workflows use the action that installs rustop.
    SetupAction,
    /// Once, if the project has any webhook and a `NetworkPolicy`.
    WebhookNetworkPolicy,
    /// Each kind with a controller, if the project has dashboards.
    Dashboard,
    /// Once, if the project has any webhook.
    Webhooks,
    /// Each version with a defaulting webhook.
    Defaulting,
    /// Each version with a validating webhook.
    Validation,
    /// Each kind whose versions are converted into each other.
    Converted,
    /// Each version of such a kind except the oldest.
    Conversion,
}

impl RenderedFor {
    /// Returns the optional part that a template belongs to, if there is one.
    pub fn part(self) -> Option<Part> {
        match self {
            Self::Part(part) => Some(part),
            Self::SetupAction => Some(Part::Ci),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_row_is_an_error_that_names_its_line() {
        let known = "- {template: a, owner: tool, each: project}\n";
        assert_eq!(parse(known).unwrap().len(), 1);
        for unknown in [
            "- {template: b, owner: tool, each: galaxy}\n",
            "- {template: b, owner: stranger, each: project}\n",
            "- {template: b, owner: tool, each: {part: galaxy}}\n",
            "- {template: b, owner: tool, each: project, mode: 1}\n",
            "- {template: b, owner: tool}\n",
        ] {
            let error = parse(&format!("{known}{unknown}")).unwrap_err();
            assert!(error.to_string().contains("line 2"), "{unknown}{error}");
        }
    }
}
