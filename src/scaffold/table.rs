//! The table of generated files: for each its template, its owner, and what it is rendered for.
//!
//! The table is data, `templates/table.yaml`, which a release packs with its templates: a later rustop reads it to learn
//! what the earlier one made of a project.

use serde::Deserialize;

use crate::project::Part;
use crate::tree::Owner;

/// The path of the table below `templates/`.
pub const FILE: &str = "table.yaml";

/// A file of the generated project, or one for each of several resources.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Row {
    /// The path of the template below `templates/`, without its suffix: the path of the file, with placeholders in
    /// brackets that `ResourceContext::fill` fills in.
    pub template: String,
    /// Who edits the file.
    pub owner: Owner,
    /// What the template is rendered for.
    pub each: Each,
}

/// Reads a table.
///
/// # Errors
/// Returns an error that names the line if the text is not YAML, or if a row has an owner, a repetition or a part that this
/// rustop does not know.
pub fn parse(text: &str) -> Result<Vec<Row>, serde_yaml::Error> {
    serde_yaml::from_str(text)
}

/// The directory of the crate that every project's operator runs on.
pub const MANAGER: &str = "vendor/rustop-manager/";

/// What a template is rendered for.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq)]
#[serde(rename_all = "camelCase")]
pub enum Each {
    /// Once.
    Project,
    /// Once, as a lock file of Cargo.
    Lock,
    /// Once, where the project has a licence.
    Licensed,
    /// The directory of the manager's sources, which are no templates.
    Manager,
    /// Once, where the manager's sources are in the project.
    Vendored,
    /// Each version of a kind whose type is in `api/`.
    Type,
    /// Each version of a kind whose CRD is the project's.
    Sample,
    /// Each kind whose CRD is the project's.
    Crd,
    /// Each kind with a controller.
    Controller,
    /// Each of them whose types are the project's own.
    OwnController,
    /// Once, where there is any of those.
    Harness,
    /// Each version of a kind whose types are those of a CRD that was there before them.
    Imported,
    /// Each such kind.
    ImportedCrd,
    /// Once, where there is any.
    AnyImported,
    /// Once, where there is an OLM bundle.
    Bundle,
    /// Once, where there is a Helm chart. In the text, too, `[chart]` is filled in.
    Chart,
    /// Once, where there is that part.
    Part(Part),
    /// Each kind with a controller, where there are dashboards.
    Dashboard,
    /// Once, where there is any webhook.
    Webhooks,
    /// Each kind with a defaulting webhook.
    Defaulting,
    /// Each kind with a validating webhook.
    Validation,
    /// Each kind whose versions are converted.
    Converted,
    /// Each version of them but for the oldest.
    Conversion,
}
