//! The program of an operator that is neither in Rust nor in Go.

use super::candidate::{Candidate, Evidence};
use super::cargo::packages;
use super::repository::Repository;
use crate::adopted::config::Config;
use crate::adopted::deploy;

/// Returns the program that the container of the operator's workload starts, without the directory
/// that it has in the image. Empty if the manifests name no command, and for a repository in Rust
/// or Go, whose program is built.
pub fn started(repository: &Repository, config: &Config) -> Vec<Candidate<String>> {
    if repository.has("go.mod") || !packages(repository).is_empty() {
        return Vec::new();
    }
    let of_workload = || {
        let manifests = config.deploy.as_ref()?;
        let objects = deploy::objects(repository.root(), manifests, &config.project_name).ok()?;
        let workload = deploy::workload(config, &objects).ok()?;
        let program = workload.container["command"][0].as_str()?;
        let program = program.rsplit('/').next().filter(|it| !it.is_empty())?;
        let why = format!(
            "has the command of the {} `{}`",
            workload.kind, workload.name
        );
        let evidence = Evidence::new(workload.file, workload.line, why);
        Some(Candidate::new(program.to_owned(), evidence))
    };
    of_workload().into_iter().collect()
}
