//! Manifests of the project under test.

use std::fs;
use std::path::Path;

use serde_json::Value;

/// Reads the documents of the `.yaml` and `.yml` files of a directory, not of its subdirectories,
/// in the order of the names of the files.
///
/// # Errors
/// Returns a message if a file cannot be read or parsed.
pub(super) fn of_dir(dir: &Path) -> Result<Vec<Value>, String> {
    let name = dir.display();
    let mut files: Vec<_> = fs::read_dir(dir)
        .map_err(|error| format!("cannot read `{name}`: {error}"))?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| {
            path.extension()
                .is_some_and(|it| it == "yaml" || it == "yml")
        })
        .collect();
    files.sort();
    let mut manifests = Vec::new();
    for file in files {
        let name = file.display();
        let text =
            fs::read_to_string(&file).map_err(|error| format!("cannot read `{name}`: {error}"))?;
        let documents = serde_saphyr::from_multiple::<Value>(&text)
            .map_err(|error| format!("`{name}` is not valid YAML: {error}"))?;
        manifests.extend(documents);
    }
    Ok(manifests)
}
