//! What is in the directory of a Go project.

use std::path::Path;

use k8s_openapi::api::admissionregistration::v1::RuleWithOperations;
use serde_json::Value;
use walkdir::{DirEntry, WalkDir};

use super::named::{self, Named};
use crate::disk;
use crate::error::Io;
use crate::gosource::{
    Chain, Finalizer, GoProject, GoResource, Handler, chains, converters, finalizers, handlers,
    markers,
};
use crate::ops::{Refusal, Result};
use crate::project::{self, Project};
use crate::resource::Resource;
use crate::sources::comments::Marker;
use crate::text::is_direction;

/// Where its CRDs are: the first of these directories that has any.
const CRDS: [&str; 5] = [
    "config/crd/bases",
    "config/crd",
    "config",
    "deploy/crds",
    "crds",
];

/// Where its role is.
pub const ROLE: &str = "config/rbac/role.yaml";

/// Where samples are, in Go and here.
pub const SAMPLES: &str = "config/samples/";

/// Where its Deployment is.
const MANAGER: &str = "config/manager/";

/// What a Go project has.
pub struct Found {
    /// The name of its directory.
    pub called: String,
    /// Its PROJECT; an empty one where there is none.
    pub project: GoProject,
    /// Its CRDs.
    pub crds: Vec<File>,
    /// The markers of its sources.
    pub markers: Vec<Marker>,
    /// Its controllers, each with its file.
    pub chains: Vec<(String, Chain)>,
    /// What else than PROJECT says that a kind is converted.
    pub converted: Vec<Converted>,
    /// Its finalizers, each with its file.
    pub finalizers: Vec<(String, Finalizer)>,
    /// The webhook handlers that its code registers, each with its file.
    pub handlers: Vec<(String, Handler)>,
    /// The webhooks of the configurations below `config`.
    pub configured: Vec<Configured>,
    /// Its Deployment, with its file.
    pub deployment: Option<(String, Value)>,
    /// The namespace and the name prefix of `config/default`.
    pub named: Named,
    /// The text of its role.
    pub role: Option<String>,
    /// The files below `config/samples`.
    pub samples: Vec<File>,
    /// All other files below `config`.
    pub config: Vec<String>,
}

/// A sign that the versions of a kind are converted.
#[derive(Debug, Eq, PartialEq)]
pub struct Converted {
    /// The file with it.
    pub path: String,
    /// The kind with a `ConvertTo` or `ConvertFrom`, or the name of the CRD that a patch gives a webhook.
    pub name: String,
}

/// A webhook of a `MutatingWebhookConfiguration` or `ValidatingWebhookConfiguration`.
pub struct Configured {
    /// The file with it.
    pub path: String,
    /// The line with its name, from 1.
    pub line: usize,
    /// Its name.
    pub name: String,
    /// Whether it changes objects.
    pub mutating: bool,
    /// The URL path at which the API server calls it.
    pub url_path: Option<String>,
    /// The requests for which the API server calls it.
    pub rules: Vec<RuleWithOperations>,
}

/// A file with something to be taken over.
pub struct File {
    /// Its path, relative to the Go project.
    pub path: String,
    /// All of it.
    pub text: String,
}

impl Found {
    /// Reads a Go project.
    ///
    /// # Errors
    /// When it has no CRDs where they are looked for, `place` alone where one is named, or something cannot be read.
    pub fn read(dir: &Path, place: Option<&str>) -> Result<Self> {
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
            chains: Vec::new(),
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
        for path in files(dir, "", ".go", is_source)? {
            let text = disk::read(&dir.join(&path))?.unwrap_or_default();
            found.markers.extend(markers(path.as_ref(), &text));
            let chains = chains(&text).into_iter();
            found.chains.extend(chains.map(|it| (path.clone(), it)));
            let converters = converters(&text).into_iter();
            found.converted.extend(converters.map(|name| Converted {
                path: path.clone(),
                name,
            }));
            let finalizers = finalizers(&text).into_iter();
            let finalizers = finalizers.map(|it| (path.clone(), it));
            found.finalizers.extend(finalizers);
            let handlers = handlers(&text).into_iter();
            found.handlers.extend(handlers.map(|it| (path.clone(), it)));
        }
        for path in files(dir, "config", ".yaml", |_| true)? {
            found.add(dir, path)?;
        }
        Ok(found)
    }

    /// Adds a file below `config`.
    fn add(&mut self, dir: &Path, path: String) -> Result<()> {
        let text = || disk::read(&dir.join(&path)).map(Option::unwrap_or_default);
        if path.starts_with(SAMPLES) {
            let text = text()?;
            self.samples.push(File { path, text });
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

    /// The kind of the project that one of the Go project is.
    pub fn kind_of<'a>(&self, go: &GoResource, project: &'a Project) -> Option<&'a Resource> {
        let domain = self.project.domain.as_deref();
        project.resources.iter().find(|there| {
            there.kind.as_str() == go.kind
                && there.version.as_str() == go.version
                && go.is_of(&there.api_group(), domain)
        })
    }
}

fn crds(dir: &Path, places: &[&str]) -> Result<Vec<File>> {
    for place in places {
        let mut crds = Vec::new();
        for path in files(dir, place, ".yaml", is_whole)? {
            let text = disk::read(&dir.join(&path))?.unwrap_or_default();
            if has_crd(&text) {
                crds.push(File { path, text });
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

/// The patches that the kustomizations of the CRDs name and that convert by a webhook. kubebuilder scaffolds such patches
/// with their line in the kustomization commented out, so a file that is not named says nothing.
fn patched(dir: &Path) -> Result<Vec<Converted>> {
    let mut found = Vec::new();
    for path in files(dir, "config/crd", "kustomization.yaml", |_| true)? {
        let text = disk::read(&dir.join(&path))?.unwrap_or_default();
        let (below, _) = path.rsplit_once('/').unwrap_or_default();
        for patch in patches(&text) {
            let path = format!("{below}/{patch}");
            // What leads out of the directory is another project's.
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
            }));
        }
    }
    Ok(found)
}

/// The files that a kustomization names as patches.
fn patches(text: &str) -> Vec<String> {
    let all: Vec<Value> = serde_yaml::from_multiple(text).unwrap_or_default();
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

/// The names of the CRDs to which a text gives a conversion webhook.
fn converted_crds(text: &str) -> Vec<String> {
    let all: Vec<Value> = serde_yaml::from_multiple(text).unwrap_or_default();
    let converted = all.iter().filter(|it| {
        it["kind"] == "CustomResourceDefinition"
            && it["spec"]["conversion"]["strategy"] == "Webhook"
    });
    let name = |it: &Value| it["metadata"]["name"].as_str().map(str::to_owned);
    converted.filter_map(name).collect()
}

/// The webhooks of the configurations of a text.
fn configured(path: &str, text: &str) -> Vec<Configured> {
    let mut found = Vec::new();
    if !text.contains("WebhookConfiguration") {
        return found;
    }
    let all: Vec<Value> = serde_yaml::from_multiple(text).unwrap_or_default();
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

/// The first Deployment of a text.
fn deployment(text: &str) -> Option<Value> {
    let all: Vec<Value> = serde_yaml::from_multiple(text).unwrap_or_default();
    all.into_iter().find(|it| it["kind"] == "Deployment")
}

/// Whether a text has a CRD; what patches one names no group.
fn has_crd(text: &str) -> bool {
    let is_crd = |line: &str| line.trim_end() == "kind: CustomResourceDefinition";
    text.lines().any(is_crd) && text.lines().any(|line| line.trim().starts_with("group: "))
}

/// The files at or below a place whose names end so, sorted, relative to `root`; none where there is no such place.
///
/// Paths go into comments of Rust and into Markdown, so one that could end a comment or a code span is an error.
fn files(
    root: &Path,
    place: &str,
    end: &str,
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
        if entry.file_type().is_file() && path.ends_with(end) {
            if path.contains(|c: char| c.is_control() || is_direction(c) || c == '`') {
                return Err(Refusal::GoPath { path }.into());
            }
            files.push(path);
        }
    }
    Ok(files)
}

/// Whether it may hold whole CRDs: no directory of patches, nor what controller-gen writes of types without a group.
fn is_whole(entry: &DirEntry) -> bool {
    let name = entry.file_name().to_string_lossy();
    name != "patches" && !name.starts_with('_')
}

/// Whether Go builds it into the operator: no test, nothing hidden, and no other's.
fn is_source(entry: &DirEntry) -> bool {
    let name = entry.file_name().to_string_lossy();
    let foreign = entry.file_type().is_dir() && (name == "vendor" || name == "testdata");
    !foreign && !name.starts_with(['.', '_']) && !name.ends_with("_test.go")
}
