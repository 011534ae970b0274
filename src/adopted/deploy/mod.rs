//! The manifests that install an adopted operator: their objects, the operator's workload, and the
//! rules that are bound to its ServiceAccount.

mod chart;
mod files;
mod ineffective_bindings;
mod install;
mod kustomization;
mod pod;
mod program;
mod rendered;
mod rules;
mod workload;

use std::path::Path;

use super::Error;
use super::config::{Config, Deploy, ManifestSource};
use super::{is_chart, is_kustomization};

pub use ineffective_bindings::{IneffectiveBinding, binding_of, ineffective_bindings};
pub use install::Installation;
pub use kustomization::LeftOut;
pub use pod::Pod;
pub use rendered::Rendered;
#[allow(
    unused_imports,
    reason = "the type of what `rules` returns, for signatures"
)]
pub use rules::GrantedRule;
pub use rules::{AbsentRole, GrantingRole, absent_roles, rules, unbound};
pub use workload::Workload;

/// Returns why the path of `deploy` is not of the form that its key says, with the path as the
/// subject. `None` if it is, and for plain manifests.
pub fn problem(dir: &Path, deploy: &Deploy) -> Option<&'static str> {
    match deploy.source() {
        ManifestSource::Chart(path) if !is_chart(&dir.join(path)) => {
            Some("is not the directory of a Helm chart: it has no Chart.yaml")
        }
        ManifestSource::Kustomize(path) if !is_kustomization(&dir.join(path)) => {
            Some("is not the directory of a kustomization: it has no kustomization.yaml")
        }
        _ => None,
    }
}

/// Renders the manifests of `deploy`. `release` is the name of the Helm release if `deploy` has
/// none.
///
/// # Errors
/// Returns an error if a file cannot be read or parsed, or if a renderer is missing or fails.
pub fn objects(dir: &Path, deploy: &Deploy, release: &str) -> Result<Vec<Rendered>, Error> {
    if let Some(problem) = problem(dir, deploy) {
        let key = deploy.key();
        let path = deploy.paths().concat();
        return Err(Error::NoSource { key, path, problem });
    }
    match deploy.source() {
        ManifestSource::Chart(chart) => {
            let release = deploy.release.as_deref().unwrap_or(release);
            match program::helm(dir, chart, deploy, release) {
                Ok(Some(text)) => files::of_helm(chart, &text),
                Ok(None) => chart::render(dir, chart, deploy, release),
                // helm renders everything or nothing, and stops at dependencies that are not
                // downloaded.
                Err(error) => chart::render(dir, chart, deploy, release)
                    .map_err(|own| if own.names_values() { own } else { error }),
            }
        }
        ManifestSource::Kustomize(kustomization) => {
            let left_out = kustomization::left_out(dir, kustomization)?;
            let text = if left_out.is_empty() {
                program::kustomize(dir, kustomization)?
            } else {
                let copy = kustomization::without(dir, kustomization, &left_out)?;
                program::kustomize(copy.path(), kustomization)?
            };
            let mut objects = files::parse(kustomization.as_ref(), &text)?;
            for object in &mut objects {
                object.line = 0;
            }
            Ok(objects)
        }
        ManifestSource::Files(patterns) => files::read(dir, patterns, "deploy.files"),
    }
}

/// Returns the entries of kustomizations of the manifests that [`objects`] leaves out: files that
/// do not exist, and addresses. Empty if [`objects`] returns an error.
pub fn left_out(dir: &Path, deploy: &Deploy) -> Vec<LeftOut> {
    let found = match deploy.source() {
        ManifestSource::Kustomize(path) => kustomization::left_out(dir, path),
        _ => return Vec::new(),
    };
    found.unwrap_or_default().into_iter().collect()
}

/// Reads the objects in manifests, or in directories of manifests, each with its place.
///
/// # Errors
/// Returns an error if a pattern matches nothing, or if a file cannot be read or parsed.
pub fn files(dir: &Path, patterns: &[String], key: &'static str) -> Result<Vec<Rendered>, Error> {
    files::read(dir, patterns, key)
}

/// Returns the operator's workload, with the configured namespace, workload and container.
///
/// # Errors
/// Returns an error if the workload or its container is ambiguous or missing.
pub fn workload(config: &Config, objects: &[Rendered]) -> Result<Workload, Error> {
    let namespace = config.deploy.as_ref().map_or("default", Deploy::namespace);
    Workload::find(objects, &config.operator, &config.project_name, namespace)
}
