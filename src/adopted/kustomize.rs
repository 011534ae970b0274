//! The form of a kustomization.

use serde_json::Value;

/// The names of the file that describes a kustomization.
pub const NAMES: [&str; 3] = ["kustomization.yaml", "kustomization.yml", "Kustomization"];

/// The fields that list files and directories with objects.
pub const FIELDS: [&str; 3] = ["resources", "bases", "components"];

/// Returns the entries of these fields, in the order of [`FIELDS`].
pub fn entries(kustomization: &Value) -> impl Iterator<Item = &str> {
    let lists = FIELDS
        .iter()
        .filter_map(|field| kustomization[*field].as_array());
    lists.flatten().filter_map(Value::as_str)
}
