//! The manifests that install the operator.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::binary::OperatorProgram;
use super::candidate::{Candidate, Evidence, only};
use super::go;
use super::repository::Repository;
use super::repository::is_foreign;
use crate::adopted::config::{Deploy, ManifestSource};
use crate::adopted::kustomize::NAMES;
use crate::adopted::{documents, kustomize};
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

/// Kinds that run an operator.
pub const WORKLOADS: [&str; 3] = ["Deployment", "StatefulSet", "DaemonSet"];

/// Returns the candidates for `deploy`: the charts with a workload and a role, or else the
/// kustomizations, or else plain manifests. In a project of kubebuilder the kustomization is the
/// source, and comes first.
pub fn deployments(
    repository: &Repository,
    program: Option<&OperatorProgram>,
) -> Vec<Candidate<Deploy>> {
    let default = Path::new("config/default/kustomization.yaml");
    if go::kubebuilder(repository).is_some() && repository.has(default) {
        return vec![kustomization(default)];
    }
    let names = program.map(|it| [Some(&it.name), it.package.as_ref()]);
    let names: Vec<&str> = names
        .iter()
        .flatten()
        .flatten()
        .map(|name| name.as_str())
        .collect();
    let found = preferred(repository, charts(repository), &names);
    if !found.is_empty() {
        return found;
    }
    // A DaemonSet is rarely the operator, but often its agent.
    for workloads in [&WORKLOADS[..2], &WORKLOADS[2..]] {
        let found = preferred(repository, kustomizations(repository, workloads), &names);
        if !found.is_empty() {
            return found;
        }
        let found = preferred(repository, plain(repository, workloads), &names);
        if !found.is_empty() {
            return found;
        }
    }
    Vec::new()
}

/// Returns the only candidate whose path or, tried next, whose workload has a name of the operator.
/// If there is none, returns all candidates that have one, or all: manifests of other software
/// often are in the same repository.
fn preferred(
    repository: &Repository,
    found: Vec<Candidate<Deploy>>,
    names: &[&str],
) -> Vec<Candidate<Deploy>> {
    if found.len() < 2 {
        return found;
    }
    let is_located = |it: &Candidate<Deploy>| {
        let path = it.evidence.file.display().to_string();
        path.split('/').any(|part| names.contains(&part))
    };
    let is_running = |it: &Candidate<Deploy>| {
        let files = files(repository, &it.value);
        files.iter().any(|file| runs(repository, file, names))
    };
    if let Some(one) = only(found.iter().filter(|it| is_located(it))) {
        return vec![one.clone()];
    }
    let running: Vec<_> = found.iter().filter(|it| is_running(it)).cloned().collect();
    if running.is_empty() { found } else { running }
}

/// Returns the files that manifests consist of.
fn files(repository: &Repository, deploy: &Deploy) -> BTreeSet<PathBuf> {
    match deploy.source() {
        ManifestSource::Chart(dir) => repository
            .below(Path::new(dir))
            .map(Path::to_owned)
            .collect(),
        ManifestSource::Kustomize(dir) => {
            let mut files = BTreeSet::new();
            let names = NAMES.iter().map(|name| normal(&Path::new(dir).join(name)));
            for path in names.filter(|path| repository.has(path)) {
                collect(repository, &path, &mut files, 0);
            }
            files
        }
        ManifestSource::Files(files) => files.iter().map(PathBuf::from).collect(),
    }
}

/// Reports whether a line of a file about an image, a command or a name has one of the names as a
/// word.
fn runs(repository: &Repository, file: &Path, names: &[&str]) -> bool {
    const KEYS: [&str; 5] = ["image:", "repository:", "command:", "name:", "- /"];
    let text = repository.text(file).unwrap_or_else(|| "".into());
    let is_word = |c: char| c.is_alphanumeric() || "-_".contains(c);
    text.lines().any(|row| {
        let row = row.split(" #").next().unwrap_or_default();
        let mut words = row.split(|c| !is_word(c));
        KEYS.iter().any(|key| row.contains(key)) && words.any(|word| names.contains(&word))
    })
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

/// Returns the kustomizations that include a role and a workload of the given kinds, and no other
/// such kustomization includes them.
fn kustomizations(repository: &Repository, workloads: &[&str]) -> Vec<Candidate<Deploy>> {
    let all: Vec<&Path> = repository
        .files()
        .filter(|it| NAMES.iter().any(|name| it.ends_with(name)) && !is_foreign(it))
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
    for entry in kustomize::entries(&document) {
        let target = normal(&dir.join(entry));
        if repository.has(&target) {
            files.insert(target);
            continue;
        }
        if let Some(inner) = NAMES
            .iter()
            .map(|name| target.join(name))
            .find(|it| repository.has(it))
        {
            collect(repository, &inner, files, depth + 1);
        }
    }
}

/// A file of plain manifests.
struct Plain<'a> {
    path: &'a Path,
    /// The kinds of its objects.
    kinds: BTreeSet<String>,
    /// True if it binds a role to the ServiceAccount `default`.
    binds_default: bool,
}

impl Plain<'_> {
    fn has_role(&self) -> bool {
        self.kinds.contains("ClusterRole") || self.kinds.contains("Role")
    }
}

/// Returns the plain manifests around a workload: all files that install something in the nearest
/// directory above it that also has a role. The workload has a ServiceAccount of its own, or a role
/// is bound to `default` there.
fn plain(repository: &Repository, workloads: &[&str]) -> Vec<Candidate<Deploy>> {
    let mut parsed = Vec::new();
    for path in repository.manifests() {
        let Some(text) = repository.text(path) else {
            continue;
        };
        if documents::is_templated(&text) || !text.contains("kind:") {
            continue;
        }
        let objects = &repository.parsed(path).objects;
        let objects = objects.iter().map(|(_, object)| object);
        let kinds = objects.clone().filter_map(|it| it["kind"].as_str());
        let mut subjects = objects
            .clone()
            .filter_map(|it| it["subjects"].as_array())
            .flatten();
        let plain = Plain {
            path,
            kinds: kinds.map(str::to_owned).collect(),
            binds_default: subjects
                .any(|it| it["kind"] == "ServiceAccount" && it["name"] == "default"),
        };
        if !plain.kinds.is_empty() {
            parsed.push(plain);
        }
    }
    let mut found: Vec<Candidate<Deploy>> = Vec::new();
    for plain in &parsed {
        let Some(workload) = workloads.iter().find(|it| plain.kinds.contains(**it)) else {
            continue;
        };
        let files: Vec<&Plain> = if plain.has_role() {
            vec![plain]
        } else {
            let has_role = |dir: &&Path| {
                parsed
                    .iter()
                    .any(|it| it.path.starts_with(dir) && it.has_role())
            };
            let Some(dir) = plain.path.ancestors().skip(1).find(has_role) else {
                continue;
            };
            let is_part = |it: &&Plain| {
                it.path.starts_with(dir)
                    && it.kinds.iter().all(|kind| KINDS.contains(&kind.as_str()))
            };
            parsed.iter().filter(is_part).collect()
        };
        let text = repository.text(plain.path).unwrap_or_else(|| "".into());
        let (at, why) = match text.find("serviceAccountName:") {
            Some(at) => (at, "has a workload with a ServiceAccount"),
            None if files.iter().any(|it| it.binds_default) => {
                let at = text.find(&format!("kind: {workload}"));
                (
                    at.unwrap_or_default(),
                    "has a workload with the ServiceAccount `default`",
                )
            }
            None => continue,
        };
        let evidence = Evidence::new(plain.path, super::repository::line_at(&text, at), why);
        let deploy = Deploy {
            files: files
                .iter()
                .map(|it| it.path.display().to_string())
                .collect(),
            ..Deploy::default()
        };
        if !found.iter().any(|it| it.value == deploy) {
            found.push(Candidate::new(deploy, evidence));
        }
    }
    found
}
