//! The model of a kind, as its users see it.

use super::document::Line;
use super::fields::Section;
use crate::sources::conditions::ConditionReason;

/// A kind in all its versions.
#[derive(Debug)]
pub struct DocumentedKind {
    /// The anchor of its heading.
    pub anchor: String,
    pub name: String,
    pub group: String,
    /// `Namespaced` or `Cluster`.
    pub scope: String,
    pub plural: String,
    /// The singular; `None` if the CRD does not name it.
    pub singular: Option<String>,
    pub short_names: Vec<String>,
    pub categories: Vec<String>,
    /// The versions, the one with the highest priority first.
    pub versions: Vec<DocumentedVersion>,
    /// The conditions that the controller's code sets, one entry for each reason; empty if the code
    /// is not known.
    pub conditions: Vec<ConditionReason>,
    /// True if the runtime reports errors of the controller in a condition.
    pub reports_errors: bool,
}

/// A version of a kind.
#[derive(Debug)]
pub struct DocumentedVersion {
    /// The anchor of its heading.
    pub anchor: String,
    pub name: String,
    pub is_served: bool,
    pub is_storage: bool,
    /// The warning for clients of a deprecated version; empty for the warning of the API server.
    /// `None` if the version is not deprecated.
    pub deprecated: Option<String>,
    pub description: Line,
    pub subresources: Vec<Subresource>,
    /// The additional columns of `kubectl get`.
    pub columns: Vec<Column>,
    /// The JSON paths of the fields that field selectors can use: `.spec.color`.
    pub selectable: Vec<String>,
    /// The tables of fields; the first one has those of the whole object.
    pub sections: Vec<Section>,
    /// The samples of this version, as YAML.
    pub examples: Vec<String>,
    /// The changes since the next older version, with its name; `None` for the oldest version.
    pub changes: Option<(String, Vec<VersionDifference>)>,
}

/// A subresource with the paths in its objects.
#[derive(Debug)]
pub struct Subresource {
    pub name: String,
    /// The names of the settings, for example `specReplicasPath`, with the paths.
    pub paths: Vec<[String; 2]>,
}

/// A column of `kubectl get`.
#[derive(Debug)]
pub struct Column {
    /// The heading of the column.
    pub name: String,
    /// The type of its values, such as `string` or `date`.
    pub type_name: String,
    /// The JSON path of its values: `.status.phase`.
    pub path: String,
    pub description: String,
    /// True if only `kubectl get -o wide` shows it.
    pub is_wide: bool,
}

/// A difference between two versions.
#[derive(Debug)]
pub struct VersionDifference {
    /// The path of the field: `spec.ports[].name`; empty for the whole object.
    pub path: String,
    /// The changes of the field.
    pub how: Line,
}
