//! Samples of the operator's kinds.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::candidate::{Candidate, Evidence};
use super::crds::groups;
use super::repository::Repository;
use crate::adopted::paths::is_manifest;

/// Directories whose manifests are not samples: tests contain invalid objects, and charts contain
/// templates.
const EXCLUDED: [&str; 9] = [
    "templates",
    "testdata",
    "tests",
    "test",
    "e2e",
    "fixtures",
    "node_modules",
    "vendor",
    "target",
];

/// Returns the paths of samples: files with objects of the operator's groups. Several samples of a
/// directory are one pattern with `*` if it matches no other manifest there.
pub fn samples(repository: &Repository) -> Vec<Candidate<String>> {
    let groups = groups(repository);
    let mut by_dir: BTreeMap<&Path, Vec<(&Path, Evidence)>> = BTreeMap::new();
    for path in repository
        .files()
        .filter(|path| is_manifest(path) && !is_excluded(path))
    {
        let Some(text) = repository.text(path) else {
            continue;
        };
        if let Some(evidence) = sample(repository, path, &text, &groups) {
            let dir = path.parent().unwrap_or(Path::new(""));
            by_dir.entry(dir).or_default().push((path, evidence));
        }
    }
    let mut found = Vec::new();
    for (dir, samples) in by_dir {
        let (first, evidence) = &samples[0];
        let all: Vec<&Path> = repository
            .files()
            .filter(|it| it.parent() == Some(dir) && is_manifest(it))
            .collect();
        match pattern(
            dir,
            &samples.iter().map(|(path, _)| *path).collect::<Vec<_>>(),
            &all,
        ) {
            Some(pattern) => found.push(Candidate::new(pattern, evidence.clone())),
            None if samples.len() == 1 => found.push(Candidate::new(
                first.display().to_string(),
                evidence.clone(),
            )),
            None => found.extend(samples.iter().map(|(path, evidence)| {
                Candidate::new(path.display().to_string(), evidence.clone())
            })),
        }
    }
    found
}

/// Reports whether a file has an object of the operator's groups, or any object if the groups are
/// not known.
pub fn is_sample(repository: &Repository, path: &Path) -> bool {
    let groups = groups(repository);
    let parsed = repository.parsed(path);
    let mut objects = parsed.objects.iter();
    objects.any(|(_, object)| {
        let api = object["apiVersion"].as_str().unwrap_or_default();
        let group = api.split_once('/').map_or("", |(group, _)| group);
        groups.is_empty() || groups.contains(group)
    })
}

fn is_excluded(path: &Path) -> bool {
    let mut parts = path.iter().map(|it| it.to_string_lossy());
    parts.any(|it| EXCLUDED.contains(&&*it) || it.starts_with('.'))
}

/// Returns the place of the first object of the operator's groups, unless the file also has CRDs.
fn sample(
    repository: &Repository,
    path: &Path,
    text: &str,
    groups: &BTreeSet<String>,
) -> Option<Evidence> {
    if text.contains("{{")
        || text.contains("kind: CustomResourceDefinition")
        || !groups.iter().any(|it| text.contains(it))
    {
        return None;
    }
    let parsed = repository.parsed(path);
    let (line, object) = parsed.objects.iter().find(|(_, object)| {
        let api = object["apiVersion"].as_str().unwrap_or_default();
        api.split_once('/')
            .is_some_and(|(group, _)| groups.contains(group))
    })?;
    object["metadata"]["name"]
        .as_str()
        .or(object["metadata"]["generateName"].as_str())?;
    let kind = object["kind"].as_str().unwrap_or_default();
    Some(Evidence::new(
        path,
        *line,
        format!("has {} {kind}", article(kind)),
    ))
}

/// Returns the indefinite article of a kind.
fn article(kind: &str) -> &'static str {
    if kind.starts_with(['A', 'E', 'I', 'O']) {
        "an"
    } else {
        "a"
    }
}

/// Returns a pattern that matches exactly the samples among all manifests of a directory.
fn pattern(dir: &Path, samples: &[&Path], all: &[&Path]) -> Option<String> {
    let name = |path: &Path| {
        path.file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned()
    };
    let names: Vec<String> = samples.iter().map(|it| name(it)).collect();
    let ending = names[0].rsplit_once('.')?.1.to_owned();
    if samples.len() < 2 || names.iter().any(|it| !it.ends_with(&ending)) {
        return None;
    }
    let first: Vec<char> = names[0].chars().collect();
    let mut common = 0;
    while common < first.len()
        && names
            .iter()
            .all(|it| it.chars().nth(common) == Some(first[common]))
    {
        common += 1;
    }
    let start: String = first[..common].iter().collect();
    let start = start.split('.').next().unwrap_or_default().to_owned();
    for start in [String::new(), start] {
        let pattern = format!("{start}*.{ending}");
        let others = all.iter().filter(|it| !samples.contains(it));
        if !others
            .into_iter()
            .any(|it| crate::adopted::paths::fits(&pattern, &name(it)))
        {
            return Some(dir.join(PathBuf::from(pattern)).display().to_string());
        }
    }
    None
}
