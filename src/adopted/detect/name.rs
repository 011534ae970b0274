//! The name of the project.

use std::path::Path;

use super::binary::OperatorProgram;
use super::candidate::{Candidate, Evidence};
use super::cargo::packages;
use super::go;
use super::repository::Repository;
use crate::adopted::config::Deploy;

/// Returns the name of the project: the first of that in kubebuilder's PROJECT, that of the chart,
/// that of the package of the program, that of the package at the top of the repository, and that
/// of the directory.
pub fn name(
    repository: &Repository,
    program: Option<&OperatorProgram>,
    deploy: Option<&Deploy>,
) -> Candidate<String> {
    if let Some(found) = go::name(repository).or_else(|| of_chart(repository, deploy?)) {
        return found;
    }
    let packages = packages(repository);
    let of_program = program.and_then(|program| {
        let is_own = |built: String| built == program.command;
        packages
            .iter()
            .find(|it| it.bins.iter().any(|bin| is_own(bin.built())))
    });
    let package = of_program.or_else(|| packages.iter().find(|it| it.dir.as_os_str().is_empty()));
    if let Some(package) = package {
        let path = package.dir.join("Cargo.toml");
        let text = repository.text(&path).unwrap_or_else(|| "".into());
        let at = text
            .lines()
            .position(|row| row.trim_start().starts_with("name"));
        let evidence = Evidence::new(
            path,
            at.map_or(0, |at| at + 1),
            "has the name of the package",
        );
        return Candidate::new(package.name.clone(), evidence);
    }
    let root = repository
        .root()
        .canonicalize()
        .unwrap_or_else(|_| repository.root().to_owned());
    let name = root
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    Candidate::new(name, Evidence::new(".", 0, "is the name of the directory"))
}

/// Returns the name in the chart's `Chart.yaml`.
fn of_chart(repository: &Repository, deploy: &Deploy) -> Option<Candidate<String>> {
    let path = Path::new(deploy.chart.as_ref()?).join("Chart.yaml");
    let text = repository.text(&path)?;
    let mut rows = text.lines().enumerate();
    let (at, name) = rows.find_map(|(at, row)| Some((at, row.strip_prefix("name:")?)))?;
    let name = name.trim().trim_matches(['"', '\'']).to_owned();
    Some(Candidate::new(
        name,
        Evidence::new(path, at + 1, "has the name of the chart"),
    ))
}
