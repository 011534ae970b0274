//! Operations on adopted projects, which `rustop.yaml` describes instead of `PROJECT`: `lint` and
//! `manifests`, and [`Adopted`], the operator that `dev`, `torture` and others run.
//!
//! A repository may contain several *copies* of one CRD: committed files, and templates of charts.
//! The CRD command, if `rustop.yaml` has one, generates what the copies must contain.

mod against;
mod lint;
mod manifests;
mod operator;
mod rules;

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::Result;
use crate::adopted::crds::{self, Generated, Stopped};
use crate::adopted::detect::{Repository, only_in_cluster};
use crate::adopted::{Config, allowances, copies};
use crate::crd::{self, Crd};
use crate::session::Session;
use crate::sources::{self, Sources};

pub use lint::check as lint;
pub use manifests::run as manifests;
pub use operator::{Adopted, kinds};

/// A built operator: of an adopted project, of a scaffolded one, or an external program that
/// `rustop torture -- PROGRAM` tests.
#[derive(Clone, Debug, Default)]
pub struct Built {
    /// The path of the operator's program.
    pub binary: PathBuf,
    /// The CRDs that the command of an adopted project generated or, without a command, the first
    /// copy of each CRD. Empty for other operators, whose CRDs are files.
    pub crds: Vec<Value>,
}

/// Runs the CRD command in a copy of the repository, and returns its CRDs. Without a command,
/// returns the first copy of each CRD, with which all other copies are compared.
fn generate(session: &Session, config: &Config) -> Result<Generated> {
    let Some(command) = &config.crds.command else {
        let mut generated = Generated::default();
        for copy in copies::read(&session.dir, config)? {
            let is_known = generated
                .crds
                .iter()
                .any(|it| copies::name(it) == copies::name(&copy.crd));
            if !is_known {
                generated.crds.push(copy.crd);
            }
        }
        return Ok(generated);
    };
    session.terminal.status("Running", command);
    let generated = command_result(crds::generate(
        &session.dir,
        config,
        command,
        session.target(),
        session.interrupt(),
    ))?;
    warn(session, &generated);
    Ok(generated)
}

/// Returns every committed copy of the project's CRDs or, if there are none, the CRDs that the CRD
/// command generates. A CRD with several copies is returned several times, since copies may differ:
/// the caller removes duplicates by name.
///
/// # Errors
/// Returns an error if a file cannot be read, or if the CRD command fails.
pub fn crds(session: &Session) -> Result<Vec<Value>> {
    let config = Config::load(&session.dir)?;
    let copies = copies::read(&session.dir, &config)?;
    if copies.is_empty() {
        return Ok(generate(session, &config)?.crds);
    }
    Ok(copies.into_iter().map(|it| it.crd).collect())
}

/// Converts the error of a command of the project.
fn command_result<T>(result: std::result::Result<T, Stopped>) -> Result<T> {
    result.map_err(|stopped| match stopped {
        Stopped::Failed(error) => error.into(),
        Stopped::Interrupted(interrupted) => interrupted.into(),
    })
}

/// Warns about output before the first CRD, which breaks `COMMAND > FILE`.
fn warn(session: &Session, generated: &Generated) {
    if let Some(first) = generated.log.first() {
        session.terminal.warning(format_args!(
            "the CRD command prints `{first}` before the CRDs; write log lines to stderr"
        ));
    }
}

/// Reads the Rust sources of all crates, for the places of the CRDs' fields. The entries of `allow`
/// in `rustop.yaml` become suppressions like those of comments.
fn sources(root: &Path, config: &Config) -> Sources {
    let mut sources = sources::read_crates(root, &crate::adopted::crates(root));
    sources.scan.allows.extend(allowances::of(root, config));
    sources
}

/// Converts generated CRDs. Diagnostics without a Rust field are reported for the file of the copy.
fn typed(generated: &Generated, copies: &[copies::CommittedCrd]) -> Result<Vec<Crd>> {
    let mut crds = crd::of_values(generated.crds.clone())?;
    for crd in &mut crds {
        let name = copies::name(&crd.json).to_owned();
        let file = copies
            .iter()
            .find(|it| copies::name(&it.crd) == name)
            .map(|it| &it.file);
        let file = file.or(generated.written.first());
        crd.path = file.map_or_else(
            || crate::adopted::FILE.to_owned(),
            |file| file.display().to_string(),
        );
    }
    Ok(crds)
}

/// Warns about an operator that does not find the API server of a local run.
pub fn warn_if_only_in_cluster(session: &Session, repository: &Repository) {
    if let Some(evidence) = only_in_cluster(repository) {
        session.terminal.warning(format_args!(
            "{} {}: `rustop dev` and `rustop torture` need an operator that reads its API server from \
             KUBECONFIG, as `Client::try_default` of kube does",
            evidence.place(),
            evidence.why
        ));
    }
}
