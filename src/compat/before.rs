//! Where the CRDs are as they were: in git, in a directory or a file, or in a cluster. Of git nothing is checked out.

use std::fs;
use std::io::{self, Write as _};
use std::num::NonZero;
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::thread::{self, ScopedJoinHandle};

use serde_json::Value;
use thiserror::Error;

use crate::crd::DIRECTORY;
use crate::error::Failure;

/// The word for the cluster of the kubeconfig.
pub const CLUSTER: &str = "cluster";

/// Where the CRDs are as they were.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Before {
    /// The cluster of the kubeconfig.
    Cluster,
    /// A file or a directory.
    Path(PathBuf),
    /// A commit, by whatever name git knows it.
    Commit(String),
}

/// Why they cannot be read.
#[derive(Debug, Error)]
pub enum Unread {
    /// A file that cannot be read.
    #[error("cannot read `{}`", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// A text that is no YAML.
    #[error("{place} is no YAML: {reason}")]
    NotYaml {
        /// Where the text is.
        place: String,
        /// What is wrong with it.
        reason: String,
    },
    /// git cannot be run.
    #[error("cannot run git")]
    NoGit(#[source] io::Error),
    /// git does not know the commit, or the project is in no repository.
    #[error("there is no file or directory `{name}`, and git has no such commit: {said}")]
    NoCommit {
        /// What was asked for.
        name: String,
        /// What git says.
        said: String,
    },
}

impl Failure for Unread {
    fn help(&self) -> Option<String> {
        match self {
            Self::NoCommit { name, .. } => Some(format!(
                "in a shallow clone, fetch it first: git fetch --depth 1 origin {}",
                name.trim_start_matches("origin/")
            )),
            Self::NoGit(_) => {
                Some("install git, or give a directory with the CRDs as they were".into())
            }
            _ => None,
        }
    }
}

impl Before {
    /// As it is written after `--against`; relative to `here`.
    pub fn of(text: &str, here: &Path) -> Self {
        let path = here.join(text);
        if text == CLUSTER {
            Self::Cluster
        } else if path.exists() {
            Self::Path(path)
        } else {
            Self::Commit(text.to_owned())
        }
    }

    /// The CRDs of a path or a commit, of the project in `root`; none of the cluster, which others ask.
    ///
    /// # Errors
    /// When something cannot be read.
    pub fn crds(&self, root: &Path) -> Result<Vec<Value>, Unread> {
        let texts = match self {
            Self::Cluster => Vec::new(),
            Self::Path(path) => of_path(path)?,
            Self::Commit(commit) => of_commit(root, commit)?,
        };
        let parsed: Result<Vec<_>, _> = all_parsed(&texts).into_iter().collect();
        Ok(parsed?.into_iter().flatten().collect())
    }
}

/// The CRDs of each text, in the order of the texts. With many of them this is most of the work, and all processors share it.
fn all_parsed(texts: &[(String, String)]) -> Vec<Result<Vec<Value>, Unread>> {
    let processors = thread::available_parallelism().map_or(1, NonZero::get);
    let share = texts.len().div_ceil(processors).max(1);
    thread::scope(|scope| {
        let shares = texts.chunks(share);
        let workers: Vec<_> = shares
            .map(|share| scope.spawn(|| share.iter().map(parsed).collect::<Vec<_>>()))
            .collect();
        let all = workers.into_iter().map(ScopedJoinHandle::join);
        all.flat_map(|share| share.unwrap_or_else(|panic| resume_unwind(panic)))
            .collect()
    })
}

fn parsed((place, text): &(String, String)) -> Result<Vec<Value>, Unread> {
    let documents = serde_yaml::from_multiple::<Value>(text).map_err(|error| {
        let error = error.without_snippet().to_string();
        Unread::NotYaml {
            place: place.clone(),
            reason: error.lines().next().unwrap_or_default().to_owned(),
        }
    })?;
    let mut crds = Vec::new();
    for document in documents {
        collect(document, &mut crds);
    }
    Ok(crds)
}

/// The CRDs in a document, which may be a list.
fn collect(document: Value, crds: &mut Vec<Value>) {
    match document["kind"].as_str() {
        Some("CustomResourceDefinition") => crds.push(document),
        Some("List" | "CustomResourceDefinitionList") => {
            let items = document["items"].as_array().cloned().unwrap_or_default();
            for item in items {
                collect(item, crds);
            }
        }
        _ => {}
    }
}

fn is_manifest(name: &str) -> bool {
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    ["json", "yaml", "yml"].contains(&ending)
}

/// A file, the manifests in a directory, or those of the project in it: each with its name.
fn of_path(path: &Path) -> Result<Vec<(String, String)>, Unread> {
    let failed = |path: &Path| {
        let path = path.to_owned();
        move |source| Unread::File { path, source }
    };
    let read = |path: &Path| {
        let text = fs::read_to_string(path).map_err(failed(path))?;
        Ok((format!("`{}`", path.display()), text))
    };
    if !path.is_dir() {
        return Ok(vec![read(path)?]);
    }
    let of_project = path.join(DIRECTORY);
    let dir = if of_project.is_dir() {
        &of_project
    } else {
        path
    };
    let mut files = Vec::new();
    for entry in fs::read_dir(dir).map_err(failed(dir))? {
        let path = entry.map_err(failed(dir))?.path();
        if path.is_file() && path.to_str().is_some_and(is_manifest) {
            files.push(path);
        }
    }
    files.sort();
    files.iter().map(|path| read(path)).collect()
}

/// The manifests in a commit, read by one process whatever their number.
fn of_commit(root: &Path, commit: &str) -> Result<Vec<(String, String)>, Unread> {
    let dir = format!("{DIRECTORY}/");
    // What begins with a dash is no option.
    let list = [
        "ls-tree",
        "-z",
        "--name-only",
        "--end-of-options",
        commit,
        &dir,
    ];
    let listed = git(root, &list, "")?;
    if !listed.status.success() {
        let said = String::from_utf8_lossy(&listed.stderr);
        return Err(Unread::NoCommit {
            name: commit.to_owned(),
            said: said.trim().trim_start_matches("fatal: ").to_owned(),
        });
    }
    let names = String::from_utf8_lossy(&listed.stdout);
    let names: Vec<_> = names.split('\0').filter(|name| is_manifest(name)).collect();
    let asked: Vec<_> = names
        .iter()
        .map(|name| format!("{commit}:./{name}"))
        .collect();
    let asked = asked.join("\n");
    let texts = git(root, &["cat-file", "--batch"], &asked)?.stdout;
    let texts = blobs(&texts).into_iter();
    let labels = names.iter().map(|name| format!("`{commit}:{name}`"));
    Ok(labels.zip(texts).collect())
}

/// The texts in what `git cat-file --batch` prints: each behind a line that ends in its length.
fn blobs(mut rest: &[u8]) -> Vec<String> {
    let mut texts = Vec::new();
    while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
        let header = String::from_utf8_lossy(&rest[..end]);
        let length = header
            .rsplit(' ')
            .next()
            .and_then(|length| length.parse().ok());
        let body = &rest[end + 1..];
        let length = length.unwrap_or(0).min(body.len());
        texts.push(String::from_utf8_lossy(&body[..length]).into_owned());
        rest = body.get(length + 1..).unwrap_or_default();
    }
    texts
}

fn git(root: &Path, arguments: &[&str], input: &str) -> Result<Output, Unread> {
    let mut command = Command::new("git");
    command.args(arguments).current_dir(root);
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().map_err(Unread::NoGit)?;
    let mut stdin = child.stdin.take();
    // git answers while it is still being asked.
    thread::scope(|scope| {
        scope.spawn(move || {
            if let Some(stdin) = &mut stdin {
                // One that ends early says why by itself.
                let _ = stdin.write_all(input.as_bytes());
            }
            drop(stdin);
        });
        child.wait_with_output().map_err(Unread::NoGit)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_git_prints_is_taken_apart_by_its_lengths() {
        let printed = b"abc blob 6\na\n\nb\nc\ndef blob 0\n\nghi:./x missing\njkl blob 2\nz\n\n";
        assert_eq!(blobs(printed), ["a\n\nb\nc", "", "", "z\n"]);
    }

    #[test]
    fn a_list_holds_crds_and_other_things_are_none() {
        let dir = tempfile::tempdir().unwrap();
        let crd = "{kind: CustomResourceDefinition, metadata: {name: a}}";
        let text =
            format!("---\n{crd}\n---\nkind: Pod\n---\nkind: List\nitems: [{crd}, {{kind: Pod}}]\n");
        fs::write(dir.path().join("crds.yaml"), text).unwrap();
        fs::write(dir.path().join("README.md"), "---\n: {").unwrap();
        for name in ["crds.yaml", "."] {
            let crds = Before::of(name, dir.path()).crds(dir.path()).unwrap();
            assert_eq!(crds.len(), 2, "{name}");
        }
        fs::write(dir.path().join("b.yaml"), "a: [").unwrap();
        let error = Before::of(".", dir.path()).crds(dir.path()).unwrap_err();
        assert!(error.to_string().contains("b.yaml"), "{error}");
    }
}
