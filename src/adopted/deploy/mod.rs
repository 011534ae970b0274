//! The manifests that install an adopted operator: their objects, the operator's workload, and the rules that are bound
//! to its ServiceAccount.

mod chart;
mod files;
mod program;
mod rules;
mod workload;

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::Error;
use super::config::{Config, Deploy, Source};

pub use rules::{Granted, rules};
pub use workload::Workload;

/// An object of the manifests.
#[derive(Clone, Debug, PartialEq)]
pub struct Rendered {
    /// The file that declares the object, relative to the project. For a template it is the template; for a
    /// kustomization, its directory.
    pub file: PathBuf,
    /// The line at which the object begins, counted from 1. 0 if a renderer produced the object.
    pub line: usize,
    pub object: Value,
}

impl Rendered {
    /// Returns the object's kind, or an empty text.
    pub fn kind(&self) -> &str {
        self.object["kind"].as_str().unwrap_or_default()
    }

    /// Returns the object's name, or an empty text.
    pub fn name(&self) -> &str {
        self.object["metadata"]["name"].as_str().unwrap_or_default()
    }

    /// Returns the namespace in the object's metadata.
    pub fn namespace(&self) -> Option<&str> {
        self.object["metadata"]["namespace"]
            .as_str()
            .filter(|it| !it.is_empty())
    }

    /// Returns the file, with the line if it is known.
    pub fn place(&self) -> String {
        match self.line {
            0 => self.file.display().to_string(),
            line => format!("{}:{line}", self.file.display()),
        }
    }
}

/// Renders the manifests of `deploy`. `release` is the name of the Helm release if `deploy` has none.
///
/// # Errors
/// Returns an error if a file cannot be read or parsed, or if a renderer is missing or fails.
pub fn objects(dir: &Path, deploy: &Deploy, release: &str) -> Result<Vec<Rendered>, Error> {
    match deploy.source() {
        Source::Chart(chart) => {
            let release = deploy.release.as_deref().unwrap_or(release);
            match program::helm(dir, chart, deploy, release)? {
                Some(text) => files::of_helm(chart, &text),
                None => chart::render(dir, chart, deploy, release),
            }
        }
        Source::Kustomize(kustomization) => {
            let text = program::kustomize(dir, kustomization)?;
            let mut objects = files::parse(kustomization.as_ref(), &text)?;
            objects.iter_mut().for_each(|object| object.line = 0);
            Ok(objects)
        }
        Source::Files(patterns) => files::read(dir, patterns),
    }
}

/// Returns the operator's workload, with the configured namespace, workload and container.
///
/// # Errors
/// Returns an error if the workload or its container is ambiguous or missing.
pub fn workload(config: &Config, objects: &[Rendered]) -> Result<Workload, Error> {
    let namespace = config.deploy.as_ref().map_or("default", Deploy::namespace);
    Workload::find(objects, &config.operator, &config.project_name, namespace)
}
