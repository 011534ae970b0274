//! The contents of a Go project.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use k8s_openapi::api::admissionregistration::v1::RuleWithOperations;
use serde_json::Value;
use walkdir::{DirEntry, WalkDir};

use super::named::{self, Named};
use crate::disk;
use crate::error::Io;
use crate::gosource::{
    Constants, Finalizer, GoController, GoHandler, GoProject, GoResource, Groups, HandlerTarget,
    converters, finalizers, go_controllers, handlers, markers,
};
use crate::import;
use crate::ops::{Refusal, Result};
use crate::project::{self, Project};
use crate::resource::Resource;
use crate::sources::comments::Marker;
use crate::text::is_direction;
use crate::yaml;

/// The directories in which CRDs are searched. The first one that contains any is used.
const CRDS: [&str; 5] = [
    "config/crd/bases",
    "config/crd",
    "config",
    "deploy/crds",
    "crds",
];

/// The file with the roles of the operator.
pub const ROLE: &str = "config/rbac/role.yaml";

/// The names of kustomizations that end like other manifests.
pub const KUSTOMIZATIONS: [&str; 2] = ["kustomization.yaml", "kustomization.yml"];

/// The directory of samples, in the Go project and in the new one.
pub const SAMPLES: &str = "config/samples/";

/// The directory of the Deployment.
const MANAGER: &str = "config/manager/";

/// The contents of a Go project that an import uses. All paths are relative to the Go project.
pub struct GoSources {
    /// The name of its directory.
    pub called: String,
    /// The contents of its PROJECT file; empty if the file does not exist.
    pub project: GoProject,
    /// The files that contain CRDs.
    pub crds: Vec<ImportedFile>,
    /// The markers in its sources.
    pub markers: Vec<Marker>,
    /// The controllers in its sources, each with its file.
    pub controllers: Vec<(String, GoController)>,
    /// The converted kinds that the sources and patches show, in addition to those in PROJECT.
    pub converted: Vec<Converted>,
    /// The finalizers in its sources, each with its file.
    pub finalizers: Vec<(String, Finalizer)>,
    /// The webhook handlers that its sources register, each with its file.
    pub handlers: Vec<(String, GoHandler)>,
    /// The webhooks of the configurations below `config`.
    pub configured: Vec<Configured>,
    /// The first Deployment below `config/manager`, with its file; `None` if there is none.
    pub deployment: Option<(String, Value)>,
    /// The namespace and the name prefix of `config/default`.
    pub named: Named,
    /// The text of [`ROLE`]; `None` if the file does not exist.
    pub role: Option<String>,
    /// The files below `config/samples`.
    pub samples: Vec<ImportedFile>,
    /// The paths of all other YAML files below `config`, without those of CRDs.
    pub config: Vec<String>,
}

/// A file which shows that the versions of a kind are converted.
#[derive(Debug, Eq, PartialEq)]
pub struct Converted {
    /// The Go file or the patch.
    pub path: String,
    /// The kind with a method `ConvertTo` or `ConvertFrom`, or the name of the CRD to which the
    /// patch adds a webhook.
    pub name: String,
    /// The API group of the Go file's package, if the package declares one.
    pub group: Option<String>,
}

/// A webhook of a `MutatingWebhookConfiguration` or `ValidatingWebhookConfiguration`.
pub struct Configured {
    /// The file with the configuration.
    pub path: String,
    /// The line with the name of the webhook, starting at 1.
    pub line: usize,
    /// The name of the webhook.
    pub name: String,
    /// True for a mutating webhook, false for a validating one.
    pub mutating: bool,
    /// The URL path at which the API server calls it.
    pub url_path: Option<String>,
    /// The requests for which the API server calls it.
    pub rules: Vec<RuleWithOperations>,
}

/// A file to import.
pub struct ImportedFile {
    /// The path, relative to the Go project.
    pub path: String,
    /// The contents of the file.
    pub text: String,
}

impl GoSources {
    /// Reads a Go project. `place` is the file or directory in which CRDs are searched; `None` for
    /// the usual directories.
    ///
    /// # Errors
    /// Returns an error if `dir` is not a directory, if no CRDs are found, if PROJECT is invalid,
    /// if a file cannot be read, or if its path contains control or bidirectional characters or a
    /// backtick.
    pub fn read(dir: &Path, place: Option<&str>) -> Result<Self> {
        check_directory(dir)?;
        let path = dir.join(project::FILE);
        let project = match disk::read(&path)? {
            None => GoProject::default(),
            Some(text) => {
                GoProject::read(&text).map_err(|reason| Refusal::GoProject { path, reason })?
            }
        };
        let real = dir.canonicalize().map_err(Io::on("find", dir))?;
        let mut found = Self {
            called: real
                .file_name()
                .map(|name| name.to_string_lossy().into_owned())
                .unwrap_or_default(),
            project,
            crds: crds(dir, place.as_ref().map_or(&CRDS[..], std::slice::from_ref))?,
            markers: Vec::new(),
            controllers: Vec::new(),
            converted: patched(dir)?,
            finalizers: Vec::new(),
            handlers: Vec::new(),
            configured: Vec::new(),
            deployment: None,
            named: Named::read(&disk::read(&dir.join(named::DEFAULT))?.unwrap_or_default()),
            role: disk::read(&dir.join(ROLE))?,
            samples: Vec::new(),
            config: Vec::new(),
        };
        let mut constants = Constants::default();
        let mut groups = Groups::default();
        for path in files(dir, "", &[".go"], is_source)? {
            let text = disk::read(&dir.join(&path))?.unwrap_or_default();
            found.markers.extend(markers(path.as_ref(), &text));
            let controllers = go_controllers(&text).into_iter();
            found
                .controllers
                .extend(controllers.map(|it| (path.clone(), it)));
            let converters = converters(&text).into_iter();
            found.converted.extend(converters.map(|name| Converted {
                path: path.clone(),
                name,
                group: None,
            }));
            constants.add(&text);
            groups.add(&path, &text);
            let finalizers = finalizers(&text).into_iter();
            let finalizers = finalizers.map(|it| (path.clone(), it));
            found.finalizers.extend(finalizers);
            let handlers = handlers(&text).into_iter();
            found.handlers.extend(handlers.map(|it| (path.clone(), it)));
        }
        for (_, finalizer) in &mut found.finalizers {
            constants.resolve(finalizer);
        }
        for (path, chain) in &mut found.controllers {
            groups.resolve(path, chain);
        }
        for (path, handler) in &mut found.handlers {
            if let HandlerTarget::Kind(handled) = &mut handler.target {
                groups.resolve_handler(path, handled);
            }
        }
        for converted in &mut found.converted {
            converted.group = groups.of_file(&converted.path).map(str::to_owned);
        }
        for path in files(dir, "config", &[".yaml", ".yml"], |_| true)? {
            found.add(dir, path)?;
        }
        Ok(found)
    }

    /// Adds a YAML file below `config` to the part of the project that it belongs to.
    fn add(&mut self, dir: &Path, path: String) -> Result<()> {
        let text = || disk::read(&dir.join(&path)).map(Option::unwrap_or_default);
        if path.starts_with(SAMPLES) {
            let text = text()?;
            self.samples.push(ImportedFile { path, text });
            return Ok(());
        }
        if path.starts_with(MANAGER) && self.deployment.is_none() {
            self.deployment = deployment(&text()?).map(|it| (path.clone(), it));
            if self.deployment.is_some() {
                return Ok(());
            }
        }
        if path != ROLE && self.crds.iter().all(|crd| crd.path != path) {
            self.configured.extend(configured(&path, &text()?));
            self.config.push(path);
        }
        Ok(())
    }

    /// Returns the resource of the new project that a resource of the Go project has become, or
    /// `None` if no imported CRD defines it.
    pub fn kind_of<'a>(&self, go: &GoResource, project: &'a Project) -> Option<&'a Resource> {
        let domain = self.project.domain.as_deref();
        project.resources.iter().find(|there| {
            there.kind.as_str() == go.kind
                && there.version.as_str() == go.version
                && go.is_of(&there.api_group(), domain)
        })
    }
}

/// Returns an error if a path is not a directory, or cannot be read.
fn check_directory(dir: &Path) -> Result<()> {
    let found = fs::metadata(dir).and_then(|found| {
        if found.is_dir() {
            Ok(())
        } else {
            Err(ErrorKind::NotADirectory.into())
        }
    });
    Ok(found.map_err(|source| Refusal::GoDirectory {
        dir: dir.to_owned(),
        source,
    })?)
}

/// Returns the files with CRDs in the first of `places` that has any.
fn crds(dir: &Path, places: &[&str]) -> Result<Vec<ImportedFile>> {
    for place in places {
        let mut crds = Vec::new();
        for path in files(dir, place, &[".yaml", ".yml", ".json"], is_whole)? {
            let text = disk::read(&dir.join(&path))?.unwrap_or_default();
            if import::has_crd(&text) {
                crds.push(ImportedFile { path, text });
            }
        }
        if !crds.is_empty() {
            return Ok(crds);
        }
    }
    Err(Refusal::GoWithoutCrds {
        dir: dir.to_owned(),
        looked: places.join(", "),
    }
    .into())
}

/// Returns the patches below `config/crd` that add a conversion webhook and that a kustomization
/// names. kubebuilder scaffolds such patches with their line in the kustomization commented out, so
/// a patch that no kustomization names is not used.
fn patched(dir: &Path) -> Result<Vec<Converted>> {
    let mut found = Vec::new();
    for path in files(dir, "config/crd", &KUSTOMIZATIONS, |_| true)? {
        let text = disk::read(&dir.join(&path))?.unwrap_or_default();
        let (below, _) = path.rsplit_once('/').unwrap_or_default();
        for patch in patches(&text) {
            let path = format!("{below}/{patch}");
            // Ignore files outside of the directory, which belong to another project.
            let is_below = !patch.split('/').any(|part| part == "..") && !patch.starts_with('/');
            let text = if is_below {
                disk::read(&dir.join(&path))?
            } else {
                None
            };
            let names = converted_crds(&text.unwrap_or_default()).into_iter();
            found.extend(names.map(|name| Converted {
                path: path.clone(),
                name,
                group: None,
            }));
        }
    }
    Ok(found)
}

/// Returns the files that a kustomization names as patches.
fn patches(text: &str) -> Vec<String> {
    let all: Vec<Value> = yaml::documents(text).unwrap_or_default();
    let named = all.iter().flat_map(|it| {
        let lists = ["patches", "patchesStrategicMerge"].map(|key| it[key].as_array());
        lists.into_iter().flatten().flatten()
    });
    let path = |it: &Value| {
        it.as_str()
            .or_else(|| it["path"].as_str())
            .map(str::to_owned)
    };
    named.filter_map(path).collect()
}

/// Returns the names of the CRDs for which a YAML text configures a conversion webhook.
fn converted_crds(text: &str) -> Vec<String> {
    let all: Vec<Value> = yaml::documents(text).unwrap_or_default();
    let converted = all.iter().filter(|it| {
        it["kind"] == "CustomResourceDefinition"
            && it["spec"]["conversion"]["strategy"] == "Webhook"
    });
    let name = |it: &Value| it["metadata"]["name"].as_str().map(str::to_owned);
    converted.filter_map(name).collect()
}

/// Returns the webhooks of the webhook configurations in a YAML text.
fn configured(path: &str, text: &str) -> Vec<Configured> {
    let mut found = Vec::new();
    if !text.contains("WebhookConfiguration") {
        return found;
    }
    let all: Vec<Value> = yaml::documents(text).unwrap_or_default();
    for configuration in &all {
        let mutating = match configuration["kind"].as_str() {
            Some("MutatingWebhookConfiguration") => true,
            Some("ValidatingWebhookConfiguration") => false,
            _ => continue,
        };
        for webhook in configuration["webhooks"].as_array().into_iter().flatten() {
            let Some(name) = webhook["name"].as_str() else {
                continue;
            };
            let mut lines = (1..).zip(text.lines());
            let line = lines.find(|(_, line)| line.contains("name") && line.contains(name));
            found.push(Configured {
                path: path.to_owned(),
                line: line.map_or(1, |(number, _)| number),
                name: name.to_owned(),
                mutating,
                url_path: webhook["clientConfig"]["service"]["path"]
                    .as_str()
                    .map(str::to_owned),
                rules: serde_json::from_value(webhook["rules"].clone()).unwrap_or_default(),
            });
        }
    }
    found
}

/// Returns the first Deployment in a YAML text.
fn deployment(text: &str) -> Option<Value> {
    let all: Vec<Value> = yaml::documents(text).unwrap_or_default();
    all.into_iter().find(|it| it["kind"] == "Deployment")
}

/// Returns the files at or below `place` whose paths end with one of `ends`, sorted and relative to
/// `root`; empty if `place` does not exist. Directories and files for which `wanted` returns false
/// are skipped.
///
/// # Errors
/// Returns an error if a path contains control or bidirectional characters, or a backtick: paths
/// are written into Rust comments and Markdown code spans, which such characters could end.
fn files(
    root: &Path,
    place: &str,
    ends: &[&str],
    wanted: fn(&DirEntry) -> bool,
) -> Result<Vec<String>> {
    let mut files = Vec::new();
    let place = root.join(place);
    if !place.exists() {
        return Ok(files);
    }
    let entries = WalkDir::new(&place).sort_by_file_name().into_iter();
    for entry in entries.filter_entry(|entry| entry.depth() == 0 || wanted(entry)) {
        let entry = entry.map_err(|error| Io::on("read", &place)(error.into()))?;
        let path = entry.path().strip_prefix(root).unwrap_or(entry.path());
        let path = path.to_string_lossy().into_owned();
        if entry.file_type().is_file() && ends.iter().any(|end| path.ends_with(end)) {
            if path.contains(|c: char| c.is_control() || is_direction(c) || c == '`') {
                return Err(Refusal::GoPath { path }.into());
            }
            files.push(path);
        }
    }
    Ok(files)
}

/// Reports whether an entry may contain complete CRDs. Excludes directories of patches, and the
/// files that controller-gen writes for types without a group, whose names start with `_`.
fn is_whole(entry: &DirEntry) -> bool {
    let name = entry.file_name().to_string_lossy();
    name != "patches" && !name.starts_with('_')
}

/// Reports whether an entry is part of the operator's own sources. Excludes tests, scripts, hidden
/// files, and vendored code. A directory `test` or `hack` inside of another one may be the code of
/// an API group of that name.
fn is_source(entry: &DirEntry) -> bool {
    let name = entry.file_name().to_string_lossy();
    let is_foreign = ["e2e", "testdata", "vendor"].contains(&&*name)
        || (entry.depth() == 1 && ["hack", "test", "tests"].contains(&&*name));
    let foreign = entry.file_type().is_dir() && is_foreign;
    !foreign && !name.starts_with(['.', '_']) && !name.ends_with("_test.go")
}
