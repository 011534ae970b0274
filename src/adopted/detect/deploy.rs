//! The manifests that install the operator.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::binary::Program;
use super::candidate::{Candidate, Evidence};
use super::go;
use super::repository::Repository;
use super::repository::is_foreign;
use crate::adopted::config::Deploy;
use crate::adopted::documents;
use crate::disk::normal;

/// Kinds that install an operator.
const KINDS: [&str; 14] = [
    "Namespace",
    "ServiceAccount",
    "ClusterRole",
    "ClusterRoleBinding",
    "Role",
    "RoleBinding",
    "Deployment",
    "StatefulSet",
    "DaemonSet",
    "ConfigMap",
    "Secret",
    "Service",
    "MutatingWebhookConfiguration",
    "ValidatingWebhookConfiguration",
];
const WORKLOADS: [&str; 3] = ["Deployment", "StatefulSet", "DaemonSet"];

/// Returns the candidates for `deploy`: the charts with a workload and a role, or else the kustomizations, or else plain
/// manifests. In a project of kubebuilder the kustomization is the source, and comes first.
pub fn deployments(repository: &Repository, program: Option<&Program>) -> Vec<Candidate<Deploy>> {
    let default = Path::new("config/default/kustomization.yaml");
    if go::kubebuilder(repository).is_some() && repository.has(default) {
        return vec![kustomization(default)];
    }
    let name = program.map_or("", |it| it.name.as_str());
    let found = preferred(charts(repository), name);
    if !found.is_empty() {
        return found;
    }
    // A DaemonSet is rarely the operator, but often its agent.
    for workloads in [&WORKLOADS[..2], &WORKLOADS[2..]] {
        let found = preferred(kustomizations(repository, workloads), name);
        if !found.is_empty() {
            return found;
        }
        let found = plain(repository, name, workloads);
        if !found.is_empty() {
            return found;
        }
    }
    Vec::new()
}

/// Returns the only candidate whose path names the operator, or all.
fn preferred(found: Vec<Candidate<Deploy>>, program: &str) -> Vec<Candidate<Deploy>> {
    let named = |it: &&Candidate<Deploy>| {
        let path = it.evidence.file.display().to_string();
        !program.is_empty() && path.split('/').any(|part| part == program)
    };
    let mut matching = found.iter().filter(named);
    match (matching.next(), matching.next()) {
        (Some(one), None) => vec![one.clone()],
        _ => found,
    }
}

fn charts(repository: &Repository) -> Vec<Candidate<Deploy>> {
    let mut found = Vec::new();
    for path in repository
        .files()
        .filter(|it| it.ends_with("Chart.yaml") && !is_foreign(it))
    {
        let dir = path.parent().unwrap_or(Path::new(""));
        let is_subchart = dir.parent().is_some_and(|it| {
            it.ends_with("charts") && repository.has(it.with_file_name("Chart.yaml"))
        });
        if is_subchart {
            continue;
        }
        let has = |kinds: &[&str]| {
            repository.below(&dir.join("templates")).find_map(|file| {
                let text = repository.text(file)?;
                let at = text
                    .lines()
                    .position(|row| kinds.iter().any(|kind| is_kind(row, kind)))?;
                Some((file.to_owned(), at + 1))
            })
        };
        // The kind of a role may be an expression.
        let is_role = |file: &Path| {
            let text = repository.text(file);
            text.is_some_and(|text| text.contains("rbac.authorization.k8s.io"))
        };
        let roles = has(&["ClusterRole", "Role"]).is_some()
            || repository.below(&dir.join("templates")).any(is_role);
        if let Some((file, line)) = has(&WORKLOADS).filter(|_| roles) {
            let deploy = Deploy {
                chart: Some(dir.display().to_string()),
                ..Deploy::default()
            };
            let why = "has the workload of the chart";
            found.push(Candidate::new(deploy, Evidence::new(file, line, why)));
        }
    }
    found
}

fn is_kind(row: &str, kind: &str) -> bool {
    row.strip_prefix("kind:")
        .is_some_and(|value| value.trim().trim_matches('"') == kind)
}

fn kustomization(path: &Path) -> Candidate<Deploy> {
    let dir = path.parent().unwrap_or(Path::new(""));
    let dir = if dir.as_os_str().is_empty() {
        ".".to_owned()
    } else {
        dir.display().to_string()
    };
    let deploy = Deploy {
        kustomize: Some(dir),
        ..Deploy::default()
    };
    Candidate::new(deploy, Evidence::new(path, 0, "installs the operator"))
}

/// Returns the kustomizations that include a role and a workload of the given kinds, and no other such kustomization includes them.
fn kustomizations(repository: &Repository, workloads: &[&str]) -> Vec<Candidate<Deploy>> {
    let names = ["kustomization.yaml", "kustomization.yml", "Kustomization"];
    let all: Vec<&Path> = repository
        .files()
        .filter(|it| names.iter().any(|name| it.ends_with(name)) && !is_foreign(it))
        .collect();
    let mut included = BTreeSet::new();
    let mut found = Vec::new();
    for path in &all {
        let mut files = BTreeSet::new();
        collect(repository, path, &mut files, 0);
        let has = |kinds: &[&str]| {
            files.iter().any(|file| {
                repository.text(file).is_some_and(|text| {
                    text.lines()
                        .any(|row| kinds.iter().any(|kind| is_kind(row, kind)))
                })
            })
        };
        if has(workloads) && has(&["ClusterRole", "Role"]) {
            found.push(*path);
            included.extend(files.into_iter().filter(|it| it != path));
        }
    }
    found.retain(|path| !included.contains(*path));
    found.into_iter().map(kustomization).collect()
}

/// Collects the files that a kustomization includes, and those of its bases.
fn collect(repository: &Repository, path: &Path, files: &mut BTreeSet<PathBuf>, depth: usize) {
    if depth > 8 || !files.insert(path.to_owned()) {
        return;
    }
    let Some(text) = repository.text(path) else {
        return;
    };
    let document = documents::objects_of_any_kind(&text)
        .into_iter()
        .next()
        .unwrap_or_default();
    let dir = path.parent().unwrap_or(Path::new(""));
    for key in ["resources", "bases", "components"] {
        let entries = document[key]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|it| it.as_str());
        for entry in entries {
            let target = normal(&dir.join(entry));
            if repository.has(&target) {
                files.insert(target);
                continue;
            }
            let names = ["kustomization.yaml", "kustomization.yml", "Kustomization"];
            if let Some(inner) = names
                .iter()
                .map(|name| target.join(name))
                .find(|it| repository.has(it))
            {
                collect(repository, &inner, files, depth + 1);
            }
        }
    }
}

/// Returns the plain manifests around a workload with a ServiceAccount of its own: all files that install something in the
/// nearest directory above it that also has a role.
fn plain(repository: &Repository, program: &str, workloads: &[&str]) -> Vec<Candidate<Deploy>> {
    let mut parsed = Vec::new();
    for path in repository.manifests() {
        let Some(text) = repository.text(path) else {
            continue;
        };
        if text.contains("{{") || !text.contains("kind:") {
            continue;
        }
        let kinds: BTreeSet<_> = documents::objects(&text)
            .iter()
            .filter_map(|(_, it)| it["kind"].as_str().map(str::to_owned))
            .collect();
        if !kinds.is_empty() {
            parsed.push((path, text, kinds));
        }
    }
    let mut found: Vec<Candidate<Deploy>> = Vec::new();
    for (path, text, kinds) in &parsed {
        let Some(at) = text
            .find("serviceAccountName:")
            .filter(|_| workloads.iter().any(|it| kinds.contains(*it)))
        else {
            continue;
        };
        let role = |dir: &Path| {
            parsed.iter().any(|(it, _, kinds)| {
                it.starts_with(dir) && (kinds.contains("ClusterRole") || kinds.contains("Role"))
            })
        };
        let own = kinds.contains("ClusterRole") || kinds.contains("Role");
        let dir = path.ancestors().skip(1).find(|dir| role(dir));
        let files: Vec<String> = if own {
            vec![path.display().to_string()]
        } else {
            let Some(dir) = dir else { continue };
            let is_part = |(it, _, kinds): &&(&Path, _, BTreeSet<String>)| {
                it.starts_with(dir) && kinds.iter().all(|kind| KINDS.contains(&kind.as_str()))
            };
            parsed
                .iter()
                .filter(is_part)
                .map(|(it, ..)| it.display().to_string())
                .collect()
        };
        let evidence = Evidence::new(
            *path,
            super::repository::line_at(text, at),
            "has a workload with a ServiceAccount",
        );
        let deploy = Deploy {
            files,
            ..Deploy::default()
        };
        if !found.iter().any(|it| it.value == deploy) {
            found.push(Candidate::new(deploy, evidence));
        }
    }
    if found.len() > 1 {
        let runs = |it: &&Candidate<Deploy>| {
            let text = repository.text(&it.evidence.file);
            !program.is_empty() && text.is_some_and(|text| text.contains(program))
        };
        let mut matching = found.iter().filter(runs);
        if let (Some(one), None) = (matching.next(), matching.next()) {
            return vec![one.clone()];
        }
    }
    found
}
