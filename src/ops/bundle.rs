//! The files of a project's OLM bundle that are generated from `config/`.

use std::path::Path;

use serde_json::{Value, json};
use toml_edit::DocumentMut;

use super::Result;
use super::chart::{config, files};
use crate::bundle::{BASE, Bundle, BundleFiles, DIRECTORY, Error};
use crate::disk;
use crate::project::Project;
use crate::project::naming::Naming;
use crate::resource::Resource;
use crate::tree::{Owner, Tree, is_generated};

/// Adds the bundle's manifests, generated from `config/`, to a tree that contains `config/`. User
/// files in `config/` are read from the disk. Returns notes for the user.
///
/// # Errors
/// Returns an error if a file cannot be read or parsed, or if `Cargo.toml` has no version.
pub fn add(root: &Path, project: &Project, tree: &mut Tree) -> Result<Vec<String>> {
    if !project.bundle {
        return Ok(Vec::new());
    }
    let mut config = config(root, tree)?;
    // The base is not on the disk if the bundle is new or if the user has deleted the file.
    if let (Some(base), false) = (tree.get(BASE), config.contains_key(BASE)) {
        config.insert(BASE.to_owned(), base.text.clone());
    }
    let cargo_toml = disk::read(&root.join("Cargo.toml"))?.unwrap_or_default();
    let bundle = Bundle {
        project: project.project_name.as_str(),
        version: &version(&cargo_toml).ok_or(Error::NoVersion)?,
        naming: &Naming::of(root, project),
        namespaced: project.namespaced,
        required: project.resources.iter().filter_map(required).collect(),
    };
    let made = bundle.manifests(&config)?;
    for (path, text) in made.files {
        tree.insert(path, Owner::Tool, text);
    }
    Ok(made.notes)
}

/// Returns the version of the operator's package, which may be inherited from the workspace.
fn version(cargo_toml: &str) -> Option<String> {
    let manifest: DocumentMut = cargo_toml.parse().ok()?;
    let of = |table: &toml_edit::Item| Some(table.get("version")?.as_str()?.to_owned());
    let workspace = || of(manifest.get("workspace")?.get("package")?);
    of(manifest.get("package")?).or_else(workspace)
}

/// Returns the bundle's entry for a CRD that a controller needs and that the project does not own.
fn required(resource: &Resource) -> Option<Value> {
    let is_meant = resource.external && !resource.core && resource.controller;
    let (group, plural) = (resource.api_group(), resource.plural.as_str());
    is_meant.then(|| {
        json!({
            "name": format!("{plural}.{group}"),
            "kind": resource.kind.as_str(),
            "version": resource.version.as_str(),
            "displayName": resource.kind.as_str(),
            "description": format!("Objects of kind {}, which the operator works on.", resource.kind.as_str()),
        })
    })
}

/// Returns the generated manifests of the bundle that are on the disk.
///
/// # Errors
/// Returns an error if a file cannot be read.
pub fn files_on_disk(root: &Path, project: &Project) -> Result<BundleFiles> {
    let mut found = BundleFiles::new();
    if !project.bundle {
        return Ok(found);
    }
    for path in files(root, &format!("{DIRECTORY}/manifests"))? {
        let is_yaml = Path::new(&path).extension().is_some_and(|it| it == "yaml");
        if is_yaml
            && let Some(text) = disk::read(&root.join(&path))?
            && is_generated(&text)
        {
            found.insert(path, text);
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_is_the_packages_or_the_workspaces() {
        let own = "[package]\nversion = \"1.2.3\"\n";
        let shared =
            "[workspace.package]\nversion = \"4.5.6\"\n[package]\nversion.workspace = true\n";
        assert_eq!(version(own).as_deref(), Some("1.2.3"));
        assert_eq!(version(shared).as_deref(), Some("4.5.6"));
        for none in ["", "[package]\n", "["] {
            assert_eq!(version(none), None);
        }
    }
}
