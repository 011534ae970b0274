//! Files that the finders cannot read.

use super::candidate::Evidence;
use super::repository::{Repository, is_foreign};
use crate::adopted::documents;
use crate::sources::packages;

/// Returns the `Cargo.toml` files and manifests that cannot be parsed, each with its place and the
/// reason. Templates are not YAML.
pub fn invalid(repository: &Repository) -> Vec<Evidence> {
    let manifests = repository
        .files()
        .filter(|path| path.ends_with("Cargo.toml") && !is_foreign(path));
    let packages = manifests.filter_map(|path| {
        let (line, why) = packages::problem(&repository.text(path)?)?;
        Some(Evidence::new(path, line, why))
    });
    let is_manifest = |text: &str| {
        let mut rows = text.lines();
        rows.any(|row| row.starts_with("apiVersion:")) && !documents::is_templated(text)
    };
    let objects = repository.manifests().filter_map(|path| {
        let text = repository.text(path)?;
        let (line, why) = repository.parsed(path).problem.clone()?;
        is_manifest(&text).then(|| Evidence::new(path, line, why))
    });
    packages.chain(objects).collect()
}
