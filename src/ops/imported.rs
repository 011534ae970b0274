//! The files of imported kinds. PROJECT does not imply them; the CRDs that a project keeps of them do.

mod parts;

use std::path::Path;

use kube::ResourceExt as _;
use kube::api::DynamicObject;
use serde_json::Value;

use crate::crd;
use crate::disk;
use crate::error::Io;
use crate::import::{self, Called, Imported, Kind};
use crate::project::{KubernetesVersion, Project};
use crate::resource::Resource;
use crate::terminal::Terminal;
use crate::tree::Tree;
use crate::yaml;

pub use parts::{Part, Taken, add};

/// Where a project keeps the CRD that a kind was made of.
fn kept(resource: &Resource) -> String {
    let file = resource.crd_file().replace(".yaml", ".json");
    format!("api/tests/crds/{file}")
}

/// Puts the texts of all imported kinds in the place of the templates', as the CRDs that are kept have them.
///
/// # Errors
/// When such a CRD cannot be read.
pub fn fill(root: &Path, project: &Project, tree: &mut Tree) -> Result<(), Io> {
    let all = all(root, project)?;
    let kinds: Vec<_> = all.iter().map(|(crd, resource)| (crd, *resource)).collect();
    put(&kinds, project, tree);
    Ok(())
}

/// Warns of what `--allow` names though nothing of these CRDs is refused there: a slip of the pen.
pub fn tell_needless<'a>(
    terminal: Terminal,
    crds: impl IntoIterator<Item = &'a Imported>,
    allowed: &[String],
) {
    for path in import::needless(crds, allowed) {
        terminal.warning(format!("--allow '{path}': nothing is refused there"));
    }
}

/// Warns of each CRD that the API server would refuse: its kind can be used only where it is installed already.
pub fn tell_refused<'a>(
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

/// All imported kinds of a project with the CRDs that are kept of them.
///
/// # Errors
/// When such a CRD cannot be read.
pub fn all<'a>(root: &Path, project: &'a Project) -> Result<Vec<(Imported, &'a Resource)>, Io> {
    let mut all = Vec::new();
    for resource in &project.resources {
        all.extend(upstream(root, resource)?.map(|crd| (crd, resource)));
    }
    Ok(all)
}

/// The CRDs of the kinds that others own, for a control plane that nobody else has installed them on.
///
/// # Errors
/// When one cannot be read.
pub fn foreign(root: &Path, project: &Project) -> Result<Vec<DynamicObject>, Io> {
    let mut foreign: Vec<DynamicObject> = Vec::new();
    for (crd, _) in all(root, project)?
        .into_iter()
        .filter(|(_, it)| it.external)
    {
        // A CRD of several versions is several kinds of the project.
        let is_there = foreign.iter().any(|other| other.name_any() == crd.name());
        foreign.extend(serde_json::from_value(crd.json).ok().filter(|_| !is_there));
    }
    Ok(foreign)
}

/// The file with the types of a kind's version, and that with the schemas which they do not say.
pub fn types(resource: &Resource) -> [String; 2] {
    let file = resource.api_file();
    let schemas = format!("{}.json", file.trim_end_matches(".rs"));
    [file, schemas]
}

/// The CRD that a kind was made of, if it is there, and one.
///
/// # Errors
/// When it cannot be read.
pub fn upstream(root: &Path, resource: &Resource) -> Result<Option<Imported>, Io> {
    if resource.imported.is_none() {
        return Ok(None);
    }
    let path = kept(resource);
    let text = disk::read(&root.join(&path))?.unwrap_or_default();
    let crds = import::read(&text, &path).unwrap_or_default();
    Ok(crds.into_iter().next())
}

/// The version of a CRD that a resource is.
fn version<'a>(crd: &'a Imported, resource: &Resource) -> Option<&'a Value> {
    let mut versions = crd.versions().iter();
    versions.find(|version| version["name"] == resource.version.as_str())
}

/// What a kind is called.
struct Names {
    root: String,
    stem: String,
    module: String,
    /// The module of its version.
    place: String,
    /// Whether it shares types with the others there.
    shares: bool,
}

/// The texts of kinds, in their order. Kinds in one module share types, but for those of which the project has versions
/// of its own, or converts them: a copy and a conversion are each about one file.
fn files(
    kinds: &[(&Imported, &Value, &Resource)],
    shares: impl Fn(&Resource) -> bool,
) -> Vec<import::File> {
    let names = kinds.iter().map(|(_, _, resource)| Names {
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
        .map(|((crd, version, _), names)| Kind {
            crd,
            version,
            called: Called {
                root: &names.root,
                stem: &names.stem,
                module: &names.module,
            },
            shares: names.shares.then_some(names.place.as_str()),
        });
    import::files(&kinds.collect::<Vec<_>>())
}

/// The texts of a version that shares no types.
pub fn file(crd: &Imported, version: &Value, resource: &Resource) -> import::File {
    files(&[(crd, version, resource)], |_| false).remove(0)
}

/// Puts the texts of kinds in the place of the templates'.
pub fn put(kinds: &[(&Imported, &Resource)], project: &Project, tree: &mut Tree) {
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
        tree.replace(&kept(resource), pretty(&crd.json));
        let name = format!("{}-sample", resource.kind.as_str().to_lowercase());
        let sample = yaml::write(&import::sample(crd, version, &name));
        tree.replace(&resource.sample_file(), sample);
    }
}

/// Leaves a sample alone that somebody wrote: the least object of a newer CRD has no place in it.
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
