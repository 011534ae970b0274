//! Where the operator of `rustop dev` runs, what was deployed there, and how it ended.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use kube::Client;
use tokio::runtime::Runtime;

use super::options::Dev;
use super::place::Place;
use crate::cargo;
use crate::dev::Deployed;
use crate::ops::{Result, page::Shown};
use crate::project::Project;
use crate::session::Session;

/// How often things are looked at.
pub const TICK: Duration = Duration::from_millis(100);

/// Where the operator runs and what was deployed there.
pub struct Stage<'a> {
    pub dev: &'a Dev,
    pub session: &'a Session,
    pub project: &'a Project,
    pub place: &'a Place,
    pub runtime: &'a Runtime,
    pub client: &'a Client,
    pub deployed: &'a Deployed,
    pub shown: Option<&'a Shown>,
    /// What the page shows of the cluster, each as its group and plural.
    pub watched: BTreeSet<(String, String)>,
}

/// How it ended.
pub struct Verdict {
    /// The exit code of the command.
    pub code: ExitCode,
    /// Whether every sample became Ready, and there was any: then the operator has done what it is for.
    pub is_proven: bool,
}

/// The operator's program.
///
/// # Errors
/// When it does not build.
pub fn build(session: &Session, project: &Project) -> Result<PathBuf> {
    Ok(cargo::build(&session.dir, project.project_name.as_str())?)
}
