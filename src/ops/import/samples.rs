//! The samples of a Go project, copied byte for byte, and a test that parses each of them. A sample
//! with bidirectional control characters is rewritten with escape sequences. A sample that does not
//! fit its CRD is not copied.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::go_project::{GoSources, ImportedFile, KUSTOMIZATIONS};
use super::stored::misfit;
use crate::ops::imported::ImportedVersion;
use crate::project::{Project, Versions};
use crate::resource::Resource;
use crate::text::{code_span, is_direction};
use crate::tree::{Owner, Tree};
use crate::yaml;

/// The files that the samples add to or change in the types crate: the test of the samples, and its
/// dependency on a YAML parser.
const TEST: &str = "api/tests/samples.rs";
const TEST_TEXT: &str = include_str!("samples_test.txt");
const MANIFEST: &str = "api/Cargo.toml";
const LOCK: &str = "Cargo.lock";
const DEPENDENCY: &str =
    "\n# The tests read the samples.\n[dev-dependencies]\nserde-saphyr = \"2.1\"\n";

/// A sample that is carried over.
pub struct CarriedSample<'a> {
    /// The path in the Go project.
    pub from: &'a str,
    /// The path in the new project.
    pub path: String,
    /// The contents; owned if they were rewritten.
    text: Cow<'a, str>,
    /// The kind whose sample it is, which `rustop dev` applies; `None` if only a test uses it.
    of: Option<&'a Resource>,
}

impl CarriedSample<'_> {
    /// Returns the line of `IMPORT.md` about the sample.
    pub fn line(&self) -> String {
        let (from, path) = (self.from, &self.path);
        let rewritten = match self.text {
            Cow::Borrowed(_) => "",
            Cow::Owned(_) => {
                "; its comments are left out, since characters in it change the direction of writing"
            }
        };
        match self.of {
            Some(resource) => {
                format!("- `{path}` is `{from}`, the sample of {resource}{rewritten}")
            }
            None => format!("- `{path}`: a test reads it, and nothing applies it{rewritten}"),
        }
    }
}

/// Returns the samples that are not valid YAML, or have an object that does not fit its CRD, by
/// path, each with the reason. The API server would reject them, and so would the test.
pub fn unfit<'a>(found: &'a GoSources, parts: &[ImportedVersion]) -> BTreeMap<&'a str, String> {
    let why = |object: &Value| {
        let mut parts = parts.iter();
        let part = parts.find(|part| is_of(object, &part.resource))?;
        let schema = &part.version["schema"]["openAPIV3Schema"];
        let why = misfit(schema, object)?;
        Some(format!("it does not fit its CRD: {}", code_span(&why)))
    };
    let samples = found.samples.iter();
    samples
        .filter_map(|file| {
            let why = match parse(&file.text) {
                Ok(objects) => objects.iter().find_map(why)?,
                Err(why) => format!("it is not valid YAML: {}", code_span(&why)),
            };
            Some((file.path.as_str(), why))
        })
        .collect()
}

/// Returns the samples that contain an object of the project's kinds, without those in `unfit`.
/// `rustop dev` applies the first sample of each kind; samples that the kustomization of the Go
/// project names come before all others.
pub fn samples<'a>(
    found: &'a GoSources,
    project: &'a Project,
    unfit: &BTreeMap<&str, String>,
) -> Vec<CarriedSample<'a>> {
    let mut files: Vec<_> = found
        .samples
        .iter()
        .filter(|file| !unfit.contains_key(file.path.as_str()))
        .map(|file| (file, objects(&file.text)))
        .collect();
    let named = named(&found.samples);
    files.sort_by_key(|(file, _)| !named.contains(&file.path));
    let versions = Versions::of(project);
    let mut taken: BTreeSet<String> = own(project).map(Resource::sample_file).collect();
    let mut samples: Vec<CarriedSample> = Vec::new();
    for (ImportedFile { path, text }, objects) in &files {
        let own = || project.resources.iter().filter(|it| it.has_crd());
        let of_file = || own().filter(|it| has(objects, it));
        if of_file().next().is_none() {
            continue;
        }
        let is_free = |it: &&Resource| !samples.iter().any(|other| other.of == Some(*it));
        let of = of_file().filter(|it| versions.has_sample(it)).find(is_free);
        let to = of.map_or_else(|| path.clone(), Resource::sample_file);
        // The new project already has a sample of another kind at this path.
        if of.is_none() && !taken.insert(to.clone()) {
            continue;
        }
        samples.push(CarriedSample {
            from: path,
            path: to,
            text: without_bidi(text, objects),
            of,
        });
    }
    samples.sort_by(|a, b| a.path.cmp(&b.path));
    samples
}

/// Returns the text of a sample. If it contains bidirectional control characters, its objects are
/// serialized again, which escapes them and drops comments.
fn without_bidi<'a>(text: &'a str, objects: &[Value]) -> Cow<'a, str> {
    if !text.contains(is_direction) {
        return Cow::Borrowed(text);
    }
    let objects = objects.iter().filter(|it| !it.is_null());
    let documents: Vec<_> = objects.map(yaml::write).collect();
    Cow::Owned(documents.join("---\n"))
}

/// Adds samples to a new project, and the test that parses them.
pub fn write_into(samples: &[CarriedSample], project: &Project, tree: &mut Tree) {
    for sample in samples {
        match sample.of {
            Some(_) => tree.replace(&sample.path, sample.text.clone().into_owned()),
            None => tree.insert(
                sample.path.clone(),
                Owner::User,
                sample.text.clone().into_owned(),
            ),
        }
    }
    if samples.is_empty() {
        return;
    }
    let text = |tree: &Tree, path| tree.get(path).map_or("", |file| &file.text).to_owned();
    let manifest = text(tree, MANIFEST);
    tree.replace(
        MANIFEST,
        manifest.replacen("\n[lints", &format!("{DEPENDENCY}\n[lints"), 1),
    );
    let lock = locked(&text(tree, LOCK), project);
    tree.replace(LOCK, lock);
    // `api/` does not contain the types of built-in kinds and of other projects.
    let own = project.resources.iter().filter(|it| it.has_crd());
    let types = own.map(|it| {
        format!(
            "    (include_str!(\"crds/{}\"), {:?}, read::<::api::{}::{}>),\n",
            it.crd_file().replace(".yaml", ".json"),
            it.version.as_str(),
            it.api_path(),
            it.rust_type()
        )
    });
    let reads = TEST_TEXT.replace("    // TYPES\n", &types.collect::<String>());
    tree.insert(TEST.to_owned(), Owner::User, reads);
}

/// Adds the YAML parser to the dependencies of the types crate in a lock file.
fn locked(lock: &str, project: &Project) -> String {
    let package = format!("name = \"{}-api\"\n", project.project_name);
    let Some(at) = lock.find(&package) else {
        return lock.to_owned();
    };
    let (before, from) = lock.split_at(at);
    let serde = " \"serde\",\n";
    before.to_owned() + &from.replacen(serde, &format!("{serde} \"serde-saphyr\",\n"), 1)
}

/// Returns the resources for which a new project has a sample.
fn own(project: &Project) -> impl Iterator<Item = &Resource> {
    let versions = Versions::of(project);
    let all = project.resources.iter();
    all.filter(move |it| versions.has_sample(it))
}

/// Parses the objects of a text; empty if it is not YAML, for example a template.
fn objects(text: &str) -> Vec<Value> {
    parse(text).unwrap_or_default()
}

/// Parses the objects of a text. The error is one line.
fn parse(text: &str) -> Result<Vec<Value>, String> {
    yaml::documents(text).map_err(|error| yaml::reason(&error))
}

fn has(objects: &[Value], resource: &Resource) -> bool {
    objects.iter().any(|object| is_of(object, resource))
}

fn is_of(object: &Value, resource: &Resource) -> bool {
    object["apiVersion"] == resource.api_version() && object["kind"] == resource.kind.as_str()
}

/// Returns the paths that kustomizations name as resources.
fn named(files: &[ImportedFile]) -> BTreeSet<String> {
    let mut named = BTreeSet::new();
    for ImportedFile { path, text } in files {
        let mut ends = KUSTOMIZATIONS.iter();
        let Some(dir) = ends.find_map(|end| path.strip_suffix(end)) else {
            continue;
        };
        for document in objects(text) {
            let resources = document["resources"].as_array().into_iter().flatten();
            let paths = resources.filter_map(Value::as_str);
            named.extend(paths.map(|path| format!("{dir}{path}")));
        }
    }
    named
}
