//! Adopted projects: operators that rustop has not scaffolded. `rustop.yaml` names the commands and
//! the manifests of such an operator; this room reads that file and everything to which it points,
//! and never writes into the project.

pub mod allowances;
pub mod config;
pub mod copies;
pub mod crds;
pub mod deploy;
pub mod detect;
pub mod documents;
mod error;
mod kustomize;
mod paths;
mod scratch;

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::sources::Crate;

pub use config::Config;
pub use error::Error;
pub use paths::is_manifest;

/// The file that describes an adopted operator, at the top of its repository.
pub const FILE: &str = crate::project::ADOPTED;

/// Returns true if a directory has a Helm chart.
pub fn is_chart(dir: &Path) -> bool {
    dir.join("Chart.yaml").is_file()
}

/// Returns true if a directory has a kustomization.
pub fn is_kustomization(dir: &Path) -> bool {
    let names = ["kustomization.yaml", "kustomization.yml", "Kustomization"];
    names.iter().any(|name| dir.join(name).is_file())
}

/// Returns the files that patterns match, relative to `dir`. A pattern without `*` whose file is
/// missing is returned as it is, so that the caller reports the file.
pub fn expanded(dir: &Path, patterns: &[String]) -> Vec<PathBuf> {
    let each = patterns.iter().flat_map(|pattern| {
        let found = paths::matching(dir, pattern);
        if found.is_empty() && !pattern.contains('*') {
            vec![PathBuf::from(pattern)]
        } else {
            found
        }
    });
    each.collect()
}

/// Returns the crates of the repository in `dir`, by which names in its sources are resolved.
pub fn crates(dir: &Path) -> Vec<Crate> {
    detect::crates(&detect::Repository::read(dir))
}

/// Returns the lowest version of kube in the dependencies of the repository's packages, as its
/// major and minor number. `None` if no package names a version.
pub fn kube(dir: &Path) -> Option<(u32, u32)> {
    detect::kube(&detect::Repository::read(dir))
}

/// Replaces each CRD in a YAML text by the one of `crds` with the same name, which `write`
/// serializes. The comments before a CRD and all other documents stay as they are.
pub fn replaced(text: &str, crds: &[&Value], write: impl Fn(&Value) -> String) -> String {
    let mut out = text.to_owned();
    for (_, document) in documents::split(text) {
        let name = |crd: &Value| crd["metadata"]["name"].clone();
        let Some(old) = documents::crds(document).into_iter().next() else {
            continue;
        };
        if let Some(new) = crds.iter().find(|it| name(it) == name(&old)) {
            let comments: String = document
                .split_inclusive('\n')
                .take_while(|row| row.starts_with('#'))
                .collect();
            out = out.replacen(document, &format!("{comments}{}", write(new)), 1);
        }
    }
    out
}
