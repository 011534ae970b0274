//! Operators in Go, as kubebuilder and operator-sdk scaffold them.

use std::path::Path;

use super::binary::Program;
use super::candidate::{Candidate, Evidence};
use super::repository::Repository;
use super::scripts::lines_with;

/// Returns the evidence of a kubebuilder or operator-sdk project: its PROJECT, or a Makefile with the target `manifests`
/// next to a `go.mod`.
pub fn kubebuilder(repository: &Repository) -> Option<Evidence> {
    let path = Path::new("PROJECT");
    let is_scaffolded = repository.text(path).is_some_and(|text| {
        text.contains("go.kubebuilder.io") || text.contains("go.sdk.operatorframework.io")
    });
    if is_scaffolded && repository.has("go.mod") {
        return Some(Evidence::new(path, 0, "is a PROJECT of kubebuilder in Go"));
    }
    if repository.has("go.mod") {
        return target(repository, "manifests");
    }
    None
}

/// Returns the place of a target of the Makefile.
pub fn target(repository: &Repository, name: &str) -> Option<Evidence> {
    let path = Path::new("Makefile");
    let text = repository.text(path)?;
    let is_target = |row: &str| {
        row.strip_prefix(name)
            .is_some_and(|rest| rest.starts_with(':') && !rest.starts_with(":="))
    };
    let at = text.lines().position(is_target)?;
    Some(Evidence::new(
        path,
        at + 1,
        format!("has the target `{name}`"),
    ))
}

/// Returns the manager's program of a Go project.
pub fn programs(repository: &Repository) -> Vec<Candidate<Program>> {
    if !repository.has("go.mod") {
        return Vec::new();
    }
    let program = |build: &str, path: &str| Program {
        name: path.rsplit('/').next().unwrap_or_default().to_owned(),
        build: build.to_owned(),
        command: path.to_owned(),
    };
    for line in lines_with(repository, "go build") {
        let start = line.text.find("go build").unwrap_or_default();
        let words: Vec<_> = line.text[start..].split_whitespace().collect();
        let out = words
            .iter()
            .position(|it| *it == "-o")
            .and_then(|at| words.get(at + 1));
        let is_plain = !line.text.contains(['$', '{', '\\', '`']);
        if let Some(out) = out.filter(|out| is_plain && out.starts_with("bin/")) {
            let evidence = Evidence::new(line.file.clone(), line.number, "builds the program");
            return vec![Candidate::new(program(&words.join(" "), out), evidence)];
        }
    }
    let mains = ["cmd/main.go", "main.go", "cmd/manager/main.go"];
    let main = mains
        .iter()
        .map(Path::new)
        .find(|path| repository.has(path));
    main.into_iter()
        .map(|path| {
            let dir = path.parent().filter(|it| !it.as_os_str().is_empty());
            let package = dir.map_or_else(|| ".".to_owned(), |dir| format!("./{}", dir.display()));
            let build = format!("go build -o bin/manager {package}");
            Candidate::new(
                program(&build, "bin/manager"),
                Evidence::new(path, 0, "has the function `main`"),
            )
        })
        .collect()
}

/// Returns the project's name in PROJECT.
pub fn name(repository: &Repository) -> Option<Candidate<String>> {
    let path = Path::new("PROJECT");
    let text = repository.text(path)?;
    let (at, name) = text
        .lines()
        .enumerate()
        .find_map(|(at, row)| Some((at, row.strip_prefix("projectName:")?)))?;
    let name = name.trim().trim_matches(['"', '\'']).to_owned();
    Some(Candidate::new(
        name,
        Evidence::new(path, at + 1, "has `projectName`"),
    ))
}
