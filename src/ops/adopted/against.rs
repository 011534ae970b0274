//! The baseline of `rustop manifests --against` in an adopted project: the listed files at a
//! commit, or in a directory.

use super::super::Result;
use super::super::against::Against;
use crate::adopted::{Config, copies, expanded};
use crate::compat::baseline::{BaselineError, BaselineSource};
use crate::session::Session;

/// Reads the baseline. `name` is the value of `--against`: a commit, a path, or `cluster`. Of the
/// copies of a CRD, the first one counts.
///
/// # Errors
/// Returns an error if the baseline cannot be read or has no CRD.
pub fn read(session: &Session, config: &Config, name: &str) -> Result<Against> {
    let source = BaselineSource::of(name, &session.here)?;
    let crds = match &source {
        // Another checkout of the project: its own `rustop.yaml` lists its CRDs.
        BaselineSource::Path(path) if Config::exists(path) => {
            let config = Config::load(path)?;
            copies::read(path, &config)?
                .into_iter()
                .map(|it| it.crd)
                .collect()
        }
        BaselineSource::Cluster | BaselineSource::Path(_) => return Against::read(session, name),
        BaselineSource::Commit(commit) => {
            let mut crds = Vec::new();
            for file in expanded(&session.dir, &config.crds.files) {
                if let Some(text) = BaselineSource::file(&session.dir, commit, &file)? {
                    let copies = copies::of_text(&file, &text);
                    crds.extend(copies.into_iter().map(|it| it.crd));
                }
            }
            crds
        }
    };
    let mut distinct: Vec<serde_json::Value> = Vec::new();
    for crd in crds {
        if !distinct
            .iter()
            .any(|it| copies::name(it) == copies::name(&crd))
        {
            distinct.push(crd);
        }
    }
    if distinct.is_empty() {
        return Err(BaselineError::NoListedCrds {
            place: format!("`{name}`"),
        }
        .into());
    }
    Ok(Against::of(name, distinct))
}
