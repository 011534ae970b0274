//! Initial content of the files of a new version: a copy of the user's files for an existing
//! version, rather than the example.

use std::path::Path;

use super::conversion::{self, Unequal};
use super::types;
use crate::disk;
use crate::error::Io;
use crate::project::{Project, Versions};
use crate::resource::Resource;
use crate::tree::Tree;

/// Returns the version of a kind that the new version `resource` is copied from: the newest of the
/// others.
pub fn model<'a>(resource: &Resource, project: &'a Project) -> Option<&'a Resource> {
    let all = project.resources.iter();
    let others = all.filter(|other| {
        resource.imported.is_none()
            && resource.has_crd()
            && other.has_crd()
            && other.same_kind(resource)
            && !other.same_type(resource)
    });
    others.max_by_key(|other| other.version.order())
}

/// Replaces the examples of new files in `tree` by content derived from the user's files below
/// `root`: the types of a further version are copied from the newest of the others, and a
/// conversion is generated from the types on both sides. `before` is the rendered tree of the
/// project before the change. Returns a warning with the reason for each resource that keeps the
/// example.
///
/// # Errors
/// Returns an error if a file cannot be read.
pub fn inherit(
    root: &Path,
    before: &Tree,
    project: &Project,
    tree: &mut Tree,
) -> Result<Vec<String>, Io> {
    let mut warnings = Vec::new();
    for resource in &project.resources {
        if before.get(&resource.api_file()).is_some() {
            continue;
        }
        let Some(model) = model(resource, project) else {
            continue;
        };
        if let Err(reason) = copy(root, before, model, resource, tree)? {
            warnings.push(format!(
                "{resource} starts as a copy of the example, since {reason}"
            ));
        }
    }
    convert(root, before, project, tree)?;
    Ok(warnings)
}

/// Copies the types and the sample of a new version from its [`model`]. The inner `Err` is the
/// reason why the types cannot be copied.
fn copy(
    root: &Path,
    before: &Tree,
    model: &Resource,
    resource: &Resource,
    tree: &mut Tree,
) -> Result<Result<(), String>, Io> {
    let file = model.api_file();
    let copied = match theirs(root, before, model, tree)? {
        Some(text) => copied(&text, model, resource).map_err(|error| format!("`{file}` {error}")),
        None => Err(format!("there is no `{file}`")),
    };
    match copied {
        Ok(text) => tree.replace(&resource.api_file(), text),
        Err(error) => return Ok(Err(error)),
    }
    let sample = Resource::sample_file;
    if let Some(text) = disk::read(&root.join(sample(model)))? {
        let version = |resource: &Resource| format!("apiVersion: {}\n", resource.api_version());
        tree.replace(
            &sample(resource),
            text.replace(&version(model), &version(resource)),
        );
    }
    Ok(Ok(()))
}

fn copied(text: &str, from: &Resource, to: &Resource) -> Result<String, String> {
    let places = [from, to].map(|resource| {
        let (version, modules) = (resource.version.as_str(), resource.api_modules().join("::"));
        (version, modules, resource.module())
    });
    let [from_place, to_place] =
        places
            .each_ref()
            .map(|(version, modules, module)| types::TypesLocation {
                version,
                modules,
                module,
            });
    types::copied(text, from.kind.as_str(), &from_place, &to_place)
}

/// Generates the conversions that are new compared with `before`, from the types on both sides in
/// `tree` or in `root`.
fn convert(root: &Path, before: &Tree, project: &Project, tree: &mut Tree) -> Result<(), Io> {
    let versions = Versions::of(project);
    for newer in &project.resources {
        let Some(older) = versions.older(newer) else {
            continue;
        };
        if before.get(&newer.conversion_file(older)).is_some() {
            continue;
        }
        let (Some(old), Some(new)) = (
            text(root, before, older, tree)?,
            text(root, before, newer, tree)?,
        ) else {
            continue;
        };
        put_conversion([older, newer], [&old, &new], Unequal::Guess, tree);
    }
    Ok(())
}

/// Replaces the example of a conversion in `tree` by one that is generated from the types of two
/// versions, the older and the newer one. `types` are the Rust sources of their modules. Does
/// nothing if `tree` does not contain the file, or if a conversion cannot be generated.
pub fn put_conversion(
    versions: [&Resource; 2],
    types: [&str; 2],
    unequal: Unequal,
    tree: &mut Tree,
) {
    let [older, newer] = versions;
    let file = newer.conversion_file(older);
    let paths = versions.map(Resource::api_path);
    let side = |at: usize| conversion::Version {
        name: versions[at].version.as_str(),
        path: &paths[at],
        text: types[at],
    };
    let impls = conversion::between(newer.kind.as_str(), &side(0), &side(1), unequal);
    let example = tree.get(&file).map(|file| file.text.clone());
    let header = example
        .as_deref()
        .and_then(|text| text.split_once("\nuse "));
    if let (Some((header, _)), Some(impls)) = (header, impls) {
        tree.replace(&file, format!("{header}\n{impls}"));
    }
}

/// Returns the types of a version: the text that the command is about to write, or else the user's
/// file.
fn text(
    root: &Path,
    before: &Tree,
    resource: &Resource,
    tree: &Tree,
) -> Result<Option<String>, Io> {
    let path = resource.api_file();
    match tree.get(&path).filter(|_| before.get(&path).is_none()) {
        Some(file) => Ok(Some(file.text.clone())),
        None => theirs(root, before, resource, tree),
    }
}

/// Returns the types of a version from the user's file. If the kind is imported and the user has
/// not changed the file, returns the text that the command is about to write instead: importing a
/// version can change types that it shares with others.
fn theirs(
    root: &Path,
    before: &Tree,
    resource: &Resource,
    tree: &Tree,
) -> Result<Option<String>, Io> {
    let path = resource.api_file();
    let there = disk::read(&root.join(&path))?;
    let text = |tree: &Tree| tree.get(&path).map(|file| file.text.clone());
    let is_made = resource.imported.is_some() && text(before) == there;
    Ok(if is_made { text(tree) } else { there })
}
