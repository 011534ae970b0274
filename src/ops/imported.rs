//! The files of imported kinds. They do not follow from PROJECT, but from the CRDs that a project
//! stores for these kinds.

mod parts;

use std::path::Path;

use kube::ResourceExt as _;
use kube::api::DynamicObject;
use serde_json::Value;

use crate::crd;
use crate::disk;
use crate::error::Io;
use crate::import::{self, Imported, ImportedKind, RustNames};
use crate::project::{KubernetesVersion, Project};
use crate::resource::Resource;
use crate::terminal::Terminal;
use crate::tree::Tree;
use crate::yaml;

pub use parts::{ImportSettings, ImportedVersion, add};

/// Returns the path at which a project stores the CRD of an imported kind.
fn stored_crd_path(resource: &Resource) -> String {
    let file = resource.crd_file().replace(".yaml", ".json");
    format!("api/tests/crds/{file}")
}

/// Replaces the template-based files of all imported kinds in a tree with files that are generated
/// from the stored CRDs.
///
/// # Errors
/// Returns an error if a stored CRD cannot be read.
pub fn render_from_disk(root: &Path, project: &Project, tree: &mut Tree) -> Result<(), Io> {
    let all = all(root, project)?;
    let kinds: Vec<_> = all.iter().map(|(crd, resource)| (crd, *resource)).collect();
    render(&kinds, project, tree);
    Ok(())
}

/// Warns about each value of `--allow` at which these CRDs have nothing to allow, because it is
/// probably mistyped.
pub fn warn_unused_allowances<'a>(
    terminal: Terminal,
    crds: impl IntoIterator<Item = &'a Imported>,
    allowed: &[String],
) {
    for path in import::unused_allowances(crds, allowed) {
        terminal.warning(format!("--allow '{path}': nothing is refused there"));
    }
}

/// Warns about each CRD that the API server would reject. Its kind can only be used in clusters
/// that already have the CRD.
pub fn warn_rejected_crds<'a>(
    terminal: Terminal,
    crds: impl IntoIterator<Item = &'a Imported>,
    kubernetes: KubernetesVersion,
) {
    for crd in crds {
        let found = crd::refusals(crd.json.clone(), kubernetes);
        let Some(first) = found.first() else { continue };
        let place = if first.path.is_empty() {
            String::new()
        } else {
            format!("{}: ", first.path)
        };
        let more = match found.len() - 1 {
            0 => String::new(),
            more => format!(" (and {more} more)"),
        };
        terminal.warning(format!(
            "the API server of Kubernetes {} refuses the CRD {}: {place}{}{more}",
            kubernetes.as_str(),
            crd.name(),
            first.message
        ));
    }
}

/// Returns all imported kinds of a project with their stored CRDs.
///
/// # Errors
/// Returns an error if a stored CRD cannot be read.
pub fn all<'a>(root: &Path, project: &'a Project) -> Result<Vec<(Imported, &'a Resource)>, Io> {
    let mut all = Vec::new();
    for resource in &project.resources {
        all.extend(upstream(root, resource)?.map(|crd| (crd, resource)));
    }
    Ok(all)
}

/// Returns the CRDs that the project does not own, for a local control plane on which no other
/// project has installed them.
///
/// # Errors
/// Returns an error if a stored CRD cannot be read.
pub fn foreign(root: &Path, project: &Project) -> Result<Vec<DynamicObject>, Io> {
    let mut foreign: Vec<DynamicObject> = Vec::new();
    for (crd, _) in all(root, project)?
        .into_iter()
        .filter(|(_, it)| it.external)
    {
        // Each version of a CRD is a resource of the project.
        let is_there = foreign.iter().any(|other| other.name_any() == crd.name());
        foreign.extend(serde_json::from_value(crd.json).ok().filter(|_| !is_there));
    }
    Ok(foreign)
}

/// Returns the path of the file with the Rust types of a kind's version, and the path of the file
/// with the schemas that these types cannot express.
pub fn types(resource: &Resource) -> [String; 2] {
    let file = resource.api_file();
    let schemas = format!("{}.json", file.trim_end_matches(".rs"));
    [file, schemas]
}

/// Returns the stored CRD of a kind. `None` if the kind is not imported, or if the file is missing
/// or contains no CRD.
///
/// # Errors
/// Returns an error if the file cannot be read.
pub fn upstream(root: &Path, resource: &Resource) -> Result<Option<Imported>, Io> {
    if resource.imported.is_none() {
        return Ok(None);
    }
    let path = stored_crd_path(resource);
    let text = disk::read(&root.join(&path))?.unwrap_or_default();
    let crds = import::read_crds(&text, &path).unwrap_or_default();
    Ok(crds.into_iter().next())
}

/// Returns the version of a CRD from which a resource was imported.
fn version<'a>(crd: &'a Imported, resource: &Resource) -> Option<&'a Value> {
    let mut versions = crd.versions().iter();
    versions.find(|version| version["name"] == resource.version.as_str())
}

/// The names of a kind in the generated code, as in `import::RustNames`.
struct GeneratedNames {
    root: String,
    stem: String,
    module: String,
    /// The path of the module that contains the version.
    place: String,
    /// True if the kind shares types with the other kinds of its module.
    shares: bool,
}

/// Generates the files of kinds, in the order of the kinds. Those for which `shares` is true share
/// types with the other kinds of their module. Kinds that are converted, or that have versions
/// which were not imported, must not share types: a copy and a conversion work on a single file.
fn files(
    kinds: &[(&Imported, &Value, &Resource)],
    shares: impl Fn(&Resource) -> bool,
) -> Vec<import::GeneratedTypes> {
    let names = kinds.iter().map(|(_, _, resource)| GeneratedNames {
        root: resource.rust_type(),
        stem: resource.kind.type_name(),
        module: resource.module(),
        place: resource.api_modules().join("::"),
        shares: shares(resource),
    });
    let names: Vec<_> = names.collect();
    let kinds = kinds
        .iter()
        .zip(&names)
        .map(|((crd, version, _), names)| ImportedKind {
            crd,
            version,
            rust_names: RustNames {
                root: &names.root,
                stem: &names.stem,
                module: &names.module,
            },
            shares: names.shares.then_some(names.place.as_str()),
        });
    import::generate_files(&kinds.collect::<Vec<_>>())
}

/// Generates the files of a version that shares no types.
pub fn file(crd: &Imported, version: &Value, resource: &Resource) -> import::GeneratedTypes {
    files(&[(crd, version, resource)], |_| false).remove(0)
}

/// Replaces the template-based files of kinds in a tree with files that are generated from their
/// CRDs.
pub fn render(kinds: &[(&Imported, &Resource)], project: &Project, tree: &mut Tree) {
    let there = kinds
        .iter()
        .filter_map(|(crd, resource)| Some((*crd, version(crd, resource)?, *resource)));
    let kinds: Vec<_> = there.collect();
    let shares = |resource: &Resource| project.is_imported_whole(resource);
    for ((crd, version, resource), file) in kinds.iter().zip(files(&kinds, shares)) {
        let [path, schemas] = types(resource);
        tree.replace(&path, file.rust);
        match file.schemas {
            Some(text) => tree.replace(&schemas, text),
            None => tree.remove(&schemas),
        }
        tree.replace(&stored_crd_path(resource), pretty(&crd.json));
        let name = format!("{}-sample", resource.kind.as_str().to_lowercase());
        let sample = yaml::write(&import::sample(crd, version, &name));
        tree.replace(&resource.sample_file(), sample);
    }
}

/// Keeps a sample that the user has edited. The minimal object of a newer CRD must not be merged
/// into it, so the new sample in `tree` becomes that of the merge base `before`.
pub fn keep_sample(root: &Path, resource: &Resource, before: &Tree, tree: &mut Tree) {
    let path = resource.sample_file();
    let made = before.get(&path).map(|file| &file.text);
    let there = disk::read(&root.join(&path)).ok().flatten();
    if let Some(made) = made.filter(|made| there.as_ref() != Some(made)) {
        tree.replace(&path, made.clone());
    }
}

fn pretty(json: &Value) -> String {
    serde_json::to_string_pretty(json).unwrap_or_default() + "\n"
}
