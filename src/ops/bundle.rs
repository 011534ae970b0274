//! The OLM bundle of a project: what of it follows from `config/`.

use std::path::Path;

use serde_json::{Value, json};
use toml_edit::DocumentMut;

use super::Result;
use super::chart::{config, files};
use super::left::is_generated;
use crate::bundle::{BASE, Bundle, DIRECTORY, Error, Files};
use crate::disk;
use crate::project::Project;
use crate::project::naming::Naming;
use crate::resource::Resource;
use crate::tree::{Owner, Tree};

/// Adds the manifests that follow from `config/` to a tree that holds it, and gives what there is to say of them. The
/// files there that are the user's are taken as they are on the disk.
///
/// # Errors
/// When one cannot be read, or makes no sense.
pub fn add(root: &Path, project: &Project, tree: &mut Tree) -> Result<Vec<String>> {
    if !project.bundle {
        return Ok(Vec::new());
    }
    let mut config = config(root, tree)?;
    // The first one, or one that the user took away.
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

/// The version of the operator's package.
fn version(cargo_toml: &str) -> Option<String> {
    let manifest: DocumentMut = cargo_toml.parse().ok()?;
    let of = |table: &toml_edit::Item| Some(table.get("version")?.as_str()?.to_owned());
    let workspace = || of(manifest.get("workspace")?.get("package")?);
    of(manifest.get("package")?).or_else(workspace)
}

/// A definition of somebody else's that a controller needs.
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

/// The manifests of the bundle that say that they are rustop's.
///
/// # Errors
/// When one cannot be read.
pub fn found(root: &Path, project: &Project) -> Result<Files> {
    let mut found = Files::new();
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
