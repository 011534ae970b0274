//! The conversions between the versions of a Go project's kinds. Equal structs are converted by
//! generated code, and all others by a `todo!` that the user replaces.

use super::go_project::{Converted, GoSources};
use crate::ops::imported::{self, ImportedVersion};
use crate::project::Project;
use crate::resource::{Resource, Webhooks};
use crate::scaffold::{self, Unequal};
use crate::tree::Tree;

/// A kind whose versions the Go project converts.
pub struct Conversion {
    /// The storage version.
    pub resource: Resource,
    /// The files of the Go project which show that the kind is converted: Go files, and patches of
    /// its CRD. Empty if only PROJECT or the CRD shows it.
    pub signs: Vec<String>,
    /// The reason why the conversion is not carried over; `None` if it is.
    pub hindered: Option<String>,
}

impl Conversion {
    /// Returns the files with the conversions in the new project; none if the conversion is not
    /// carried over.
    pub fn files(&self, project: &Project) -> Vec<String> {
        let versions = project.converted(&self.resource);
        let both = versions.windows(2);
        both.map(|both| both[1].conversion_file(both[0])).collect()
    }
}

/// Declares in the project which of its kinds with several versions are converted;
/// [`write_into`] generates the code. Returns all conversions, including those that cannot be
/// carried over.
pub fn add(found: &GoSources, parts: &[ImportedVersion], project: &mut Project) -> Vec<Conversion> {
    let go = found.project.resources.iter();
    let go = go.filter(|go| go.webhooks.conversion);
    let declared: Vec<_> = go.filter_map(|go| found.kind_of(go, project)).collect();
    let is_converted = |part: &ImportedVersion| {
        let by_webhook = part.crd.json["spec"]["conversion"]["strategy"] == "Webhook";
        by_webhook
            || !signs(found, part).is_empty()
            || declared
                .iter()
                .any(|declared| declared.same_kind(&part.resource))
    };
    let first = parts
        .iter()
        .filter(|part| project.is_first_version(&part.resource));
    let first = first.filter(|part| part.crd.versions().len() > 1 && is_converted(part));
    let conversions = first.map(|first| {
        let mut of_kind = parts
            .iter()
            .filter(|part| part.resource.same_kind(&first.resource));
        let mut signs = signs(found, first);
        signs.sort_unstable();
        signs.dedup();
        Conversion {
            resource: first.resource.clone(),
            signs: signs.into_iter().map(str::to_owned).collect(),
            hindered: of_kind.find_map(hindered),
        }
    });
    let conversions: Vec<_> = conversions.collect();
    for conversion in conversions.iter().filter(|it| it.hindered.is_none()) {
        let mut all = project.resources.iter_mut();
        if let Some(resource) = all.find(|it| it.same_type(&conversion.resource)) {
            let webhooks = resource.webhooks.get_or_insert_with(Webhooks::none);
            webhooks.conversion = true;
        }
    }
    conversions
}

/// Returns the source files that convert a kind, and the patches that add a conversion webhook to
/// its CRD.
fn signs<'a>(found: &'a GoSources, part: &ImportedVersion) -> Vec<&'a str> {
    let crd = part.crd.name();
    let kind = part.resource.kind.as_str();
    let group = part.resource.api_group();
    let is_kind =
        |sign: &&Converted| sign.name == kind && sign.group.as_ref().is_none_or(|it| *it == group);
    let signs = found.converted.iter();
    signs
        .filter(|sign| sign.name == crd || is_kind(sign))
        .map(|sign| sign.path.as_str())
        .collect()
}

/// Returns the reason why a version cannot be converted, or `None` if it can. The generated code
/// requires a type for the spec and one for the status.
fn hindered(part: &ImportedVersion) -> Option<String> {
    let rust = imported::file(part.crd, part.version, &part.resource).rust;
    let stem = part.resource.kind.type_name();
    let has_status = rust.contains(&format!("    status = \"{stem}Status\",\n"));
    let missing = match rust.contains(&format!("pub struct {stem}Spec ")) {
        false => "spec with fields",
        true if !has_status => "status",
        true => return None,
    };
    let version = &part.resource.version;
    Some(format!(
        "{version} has no {missing}, and a conversion needs a spec and a status in every version"
    ))
}

/// Replaces the example conversions, which `tree` contains already, by ones that are generated from
/// the types in `tree`. Marks the test of a conversion, which is also there already, as `#[ignore]`
/// while the conversion contains a `todo!`.
pub fn write_into(conversions: &[Conversion], project: &Project, tree: &mut Tree) {
    for newer in &project.resources {
        let Some(older) = project.older(newer) else {
            continue;
        };
        let types = [older, newer].map(|it| tree.get(&it.api_file()).map(|file| file.text.clone()));
        if let [Some(old), Some(new)] = types {
            scaffold::put_conversion([older, newer], [&old, &new], Unequal::Todo, tree);
        }
    }
    for conversion in conversions {
        let is_left = |file: &String| {
            let text = tree.get(file).map_or("", |file| &file.text);
            text.contains("todo!(")
        };
        if !conversion.files(project).iter().any(is_left) {
            continue;
        }
        let path = format!("tests/{}_conversion.rs", conversion.resource.name());
        let tested = tree.get(&path).map_or("", |file| &file.text);
        let ignored = tested.replacen(
            "#[test]\n",
            "#[test]\n#[ignore = \"a conversion is unfinished: see IMPORT.md\"]\n",
            1,
        );
        tree.replace(&path, ignored);
    }
}
