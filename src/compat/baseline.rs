//! The baseline of `rustop manifests --against`: the CRDs of a commit, a directory, a file or a
//! cluster. A commit is read without a checkout.
//!
//! Without CRDs in the baseline, no comparison takes place. That is an error, unless the baseline
//! is a project whose PROJECT lists no kinds.

use std::fs;
use std::io::{self, Write as _};
use std::num::NonZero;
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};
use std::thread::{self, ScopedJoinHandle};

use k8s_openapi::Resource as _;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{
    CustomResourceDefinition, CustomResourceDefinitionVersion,
};
use serde::Deserialize as _;
use serde_json::Value;
use thiserror::Error;

use crate::crd::{self, DIRECTORY};
use crate::disk::regular;
use crate::error::Failure;
use crate::git;
use crate::project;
use crate::text::STACK;
use crate::yaml;

/// The value of `--against` that selects the cluster of the kubeconfig.
pub const CLUSTER: &str = "cluster";

/// The beginning of the text that Git LFS commits in place of a file.
const LFS_POINTER: &str = "version https://git-lfs.github.com/spec/";

/// The source of the CRDs with which `rustop manifests --against` compares.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum BaselineSource {
    /// The current cluster of the kubeconfig.
    Cluster,
    /// A file or a directory.
    Path(PathBuf),
    /// A commit, given as any revision that git accepts.
    Commit(String),
}

/// An error when reading the baseline.
#[derive(Debug, Error)]
pub enum BaselineError {
    /// A file or directory cannot be read.
    #[error("cannot read `{}`", path.display())]
    File { path: PathBuf, source: io::Error },
    /// A file is not valid YAML.
    #[error("{place} is not valid YAML: {reason}")]
    NotYaml {
        /// The name of the file, with its commit if it has one.
        place: String,
        reason: String,
    },
    /// The value of `--against` is empty, for example because a shell variable is not set.
    #[error("`--against` has an empty value")]
    Empty,
    /// A file contains no Kubernetes object, so its CRD would be missing from the comparison.
    #[error("{place} {}", if *is_lfs_pointer { "is a Git LFS pointer, not a CRD" } else { "contains no Kubernetes object" })]
    NotAnObject {
        place: String,
        /// True if the file is what Git LFS stores in place of the text.
        is_lfs_pointer: bool,
    },
    /// The baseline contains no CRDs.
    #[error("no CustomResourceDefinition in {place}")]
    NoCrds {
        /// The name of the baseline.
        place: String,
    },
    /// The cluster has none of the CRDs. It is either the wrong cluster or has no objects that
    /// could break.
    #[error("the cluster at {server} has none of the project's CRDs, for example {name}")]
    NotInCluster {
        /// The URL of the API server.
        server: String,
        /// The name of the project's first CRD.
        name: String,
    },
    /// A CRD of the baseline has nothing that can be compared: a comparison would find no change.
    #[error("the CRD {name} of {place} {reason}, so nothing can be compared with it")]
    NotComparable {
        /// The name of the CRD.
        name: String,
        /// The name of the baseline.
        place: String,
        /// The problem, as a verb phrase.
        reason: String,
    },
    /// None of the files that an adopted project lists has a CRD in the baseline.
    #[error(
        "no file in `crds.files` of {} has a CustomResourceDefinition at {place}",
        project::ADOPTED
    )]
    NoListedCrds {
        /// The name of the baseline.
        place: String,
    },
    /// The content of a file in the commit is missing, as in a partial clone.
    #[error("git cannot read {place}: {reason}")]
    NoObject {
        /// The name of the file, with its commit.
        place: String,
        /// The message of git.
        reason: String,
    },
    /// git cannot be run.
    #[error("cannot run git")]
    NoGit(#[source] io::Error),
    /// git does not know the commit, or the project is not in a repository.
    #[error("`{name}` is neither a file, a directory nor a git commit: {reason}")]
    NoCommit {
        /// The value of `--against`.
        name: String,
        /// The message of git.
        reason: String,
        /// True if the value looks like the path of a file or directory.
        is_path: bool,
    },
}

impl Failure for BaselineError {
    fn help(&self) -> Option<String> {
        match self {
            Self::NoCommit { is_path: true, .. } => Some(
                "pass the path of a file or directory with CRDs, relative to the current directory".into(),
            ),
            Self::NoCommit { reason, .. } if git::is_outside(reason) => Some(
                "run it in the repository of the project, or pass a directory or file with the old CRDs: `rustop manifests --against DIR`".into(),
            ),
            Self::NoCommit { name, .. } => Some(git::help_for_commit(name)),
            Self::NoGit(_) => {
                Some("install git, or pass a directory with the old CRDs".into())
            }
            Self::Empty => Some(
                "pass a commit, a directory, a file or `cluster`: `rustop manifests --against HEAD`".into(),
            ),
            Self::NoCrds { .. } => Some(format!(
                "pass a commit or directory of a project with CRDs in `{DIRECTORY}/`, or a directory or file with CRDs"
            )),
            Self::NotInCluster { .. } => Some(
                "see whether it is the right one: `kubectl config current-context`; nothing can break in a cluster without the CRDs".into(),
            ),
            Self::NotAnObject { is_lfs_pointer: true, .. } => Some(
                "check out the commit, run `git lfs pull`, then pass its directory: `rustop manifests --against DIR`".into(),
            ),
            Self::NotAnObject { place, .. } if place.contains(DIRECTORY) => Some(format!(
                "restore the file or remove it; `{DIRECTORY}/` is for CRDs only"
            )),
            Self::NotAnObject { .. } | Self::NotYaml { .. } => Some(
                "correct it, or pass another file: `kubectl get crds --output yaml > crds.yaml` writes the CRDs of a cluster".into(),
            ),
            Self::NotComparable { .. } => Some(
                "compare with a CRD of apiextensions.k8s.io/v1 that an API server has taken: `kubectl get crd NAME --output yaml`".into(),
            ),
            Self::NoListedCrds { .. } => Some(format!(
                "name a commit that has the CRDs, or correct `crds.files` in {}",
                project::ADOPTED
            )),
            Self::NoObject { .. } => Some("fetch the missing objects: `git fetch --refetch origin`".into()),
            Self::File { .. } => None,
        }
    }
}

impl BaselineSource {
    /// Parses the value of `--against`, in which paths are relative to `here`.
    ///
    /// # Errors
    /// Returns an error if the value is empty.
    pub fn of(text: &str, here: &Path) -> Result<Self, BaselineError> {
        if text.trim().is_empty() {
            return Err(BaselineError::Empty);
        }
        let path = here.join(text);
        Ok(if text == CLUSTER {
            Self::Cluster
        } else if path.exists() {
            Self::Path(path)
        } else {
            Self::Commit(text.to_owned())
        })
    }

    /// Returns the hash of a commit, given as any revision that git accepts.
    ///
    /// # Errors
    /// Returns an error if git does not know the commit, or cannot be run.
    pub fn commit(root: &Path, name: &str) -> Result<String, BaselineError> {
        let known = run_git(
            root,
            &[
                "rev-parse",
                "--verify",
                "--quiet",
                "--end-of-options",
                &format!("{name}^{{commit}}"),
            ],
            "",
        )?;
        if !known.status.success() {
            return Err(no_commit(root, name, &known.stderr));
        }
        Ok(String::from_utf8_lossy(&known.stdout).trim().to_owned())
    }

    /// Returns the text of a file in a commit, or `None` if the commit does not have it. `file` is
    /// relative to `root`.
    ///
    /// # Errors
    /// Returns an error if git does not know the commit, or cannot be run.
    pub fn file(root: &Path, commit: &str, file: &Path) -> Result<Option<String>, BaselineError> {
        Self::commit(root, commit)?;
        let name = format!("{commit}:./{}", file.display());
        let shown = run_git(root, &["show", "--end-of-options", &name], "")?;
        Ok(shown
            .status
            .success()
            .then(|| String::from_utf8_lossy(&shown.stdout).into_owned()))
    }

    /// Returns the CRDs of a path, or of a commit of the project in `root`, as they are written
    /// there. For a cluster, returns none; the caller must read them.
    ///
    /// # Errors
    /// Returns an error if something cannot be read, or if there are no CRDs although kinds may
    /// exist.
    pub fn crds(&self, root: &Path) -> Result<Vec<Value>, BaselineError> {
        let texts = match self {
            Self::Cluster => return Ok(Vec::new()),
            Self::Path(path) => of_path(path)?,
            Self::Commit(commit) => of_commit(root, commit)?,
        };
        let parsed: Result<Vec<_>, _> = all_parsed(&texts).into_iter().collect();
        let crds: Vec<_> = parsed?.into_iter().flatten().collect();
        if crds.is_empty() && !self.is_project_without_kinds(root)? {
            return Err(BaselineError::NoCrds {
                place: self.label(),
            });
        }
        Ok(crds)
    }

    /// Returns true if the baseline is a project of rustop whose PROJECT lists no kinds.
    fn is_project_without_kinds(&self, root: &Path) -> Result<bool, BaselineError> {
        let text = match self {
            Self::Cluster => return Ok(false),
            Self::Path(path) => {
                let path = path.join(project::FILE);
                match regular::text(&path) {
                    Ok(text) => Some(text),
                    Err(error) if is_absent(&error) => None,
                    Err(source) => return Err(BaselineError::File { path, source }),
                }
            }
            Self::Commit(commit) => {
                let name = format!("{commit}:./{}", project::FILE);
                let shown = run_git(root, &["show", "--end-of-options", &name], "")?;
                shown
                    .status
                    .success()
                    .then(|| String::from_utf8_lossy(&shown.stdout).into_owned())
            }
        };
        let project: Option<Value> = text.and_then(|text| serde_yaml::from_str(&text).ok());
        Ok(project.is_some_and(|project| {
            let is_rustops = project["layout"].to_string().contains("rustop.dev/");
            is_rustops && project["resources"].as_array().is_none_or(Vec::is_empty)
        }))
    }

    /// Returns the name of the baseline for error messages.
    fn label(&self) -> String {
        match self {
            Self::Cluster => "the cluster".to_owned(),
            Self::Path(path) => format!("`{}`", path.display()),
            Self::Commit(commit) => format!("`{commit}:{DIRECTORY}/`"),
        }
    }
}

/// Checks that a CRD of the baseline `place` has versions with schemas.
///
/// # Errors
/// Returns an error if it has none, if an API server would not read it, or if it is of an API
/// version other than v1, which has its schema elsewhere.
pub fn check_comparable(crd: &Value, place: &str) -> Result<(), BaselineError> {
    let Err(reason) = versions_with_schemas(crd) else {
        return Ok(());
    };
    Err(BaselineError::NotComparable {
        name: crd["metadata"]["name"]
            .as_str()
            .unwrap_or_default()
            .to_owned(),
        place: place.to_owned(),
        reason,
    })
}

/// Checks the versions of a CRD. The error is a verb phrase.
fn versions_with_schemas(crd: &Value) -> Result<(), String> {
    if !matches!(
        crd["apiVersion"].as_str(),
        None | Some(CustomResourceDefinition::API_VERSION)
    ) {
        return Err(format!(
            "is not of {}",
            CustomResourceDefinition::API_VERSION
        ));
    }
    let versions = crd.pointer("/spec/versions").and_then(Value::as_array);
    if versions.is_none_or(Vec::is_empty) {
        return Err("has no versions".to_owned());
    }
    let crd = CustomResourceDefinition::deserialize(crd)
        .map_err(|error| format!("cannot be read ({error})"))?;
    let lacks_schema = |version: &&CustomResourceDefinitionVersion| {
        let schema = version.schema.as_ref();
        schema.is_none_or(|schema| schema.open_api_v3_schema.is_none())
    };
    if let Some(version) = crd.spec.versions.iter().find(lacks_schema) {
        return Err(format!("has no schema for {}", version.name));
    }
    crd::version_problem(&crd.spec.versions).map_or(Ok(()), Err)
}

/// Parses the CRDs of all texts in parallel, and keeps their order. The texts come after their
/// names for messages. With many texts, parsing takes most of the time.
fn all_parsed(texts: &[(String, String)]) -> Vec<Result<Vec<Value>, BaselineError>> {
    let processors = thread::available_parallelism().map_or(1, NonZero::get);
    let share = texts.len().div_ceil(processors).max(1);
    thread::scope(|scope| {
        let shares = texts.chunks(share);
        let workers: Vec<_> = shares
            .map(|share| {
                thread::Builder::new()
                    .stack_size(STACK)
                    .spawn_scoped(scope, || share.iter().map(parsed).collect::<Vec<_>>())
                    .expect("a process has more threads")
            })
            .collect();
        let all = workers.into_iter().map(ScopedJoinHandle::join);
        all.flat_map(|share| share.unwrap_or_else(|panic| resume_unwind(panic)))
            .collect()
    })
}

fn parsed((place, text): &(String, String)) -> Result<Vec<Value>, BaselineError> {
    let documents = yaml::documents::<Value>(text).map_err(|error| BaselineError::NotYaml {
        place: place.clone(),
        reason: yaml::reason(&error),
    })?;
    // Only the directory of a project's CRDs is known to hold nothing else.
    let is_object = |document: &Value| {
        document["kind"].is_string() || (document.is_object() && !place.contains(DIRECTORY))
    };
    if !documents.iter().any(is_object) {
        return Err(BaselineError::NotAnObject {
            place: place.clone(),
            is_lfs_pointer: text.starts_with(LFS_POINTER),
        });
    }
    let mut crds = Vec::new();
    for document in documents {
        collect(document, &mut crds);
    }
    Ok(crds)
}

/// Collects the CRDs in a document, which may be a list.
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

/// Reads a file, the manifests in a directory, or those of a project in a directory. Returns their
/// names and texts.
fn of_path(path: &Path) -> Result<Vec<(String, String)>, BaselineError> {
    let failed = |path: &Path| {
        let path = path.to_owned();
        move |source| BaselineError::File { path, source }
    };
    let read = |path: &Path| {
        let text = regular::text(path).map_err(failed(path))?;
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
        // A special file is reported when it is read: without it, its CRD would be missing from the
        // comparison.
        if !path.is_dir() && path.to_str().is_some_and(is_manifest) {
            files.push(path);
        }
    }
    files.sort();
    files.iter().map(|path| read(path)).collect()
}

/// Reports whether there is no such file. A file has no entries below it.
fn is_absent(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}

/// Returns the error of a commit that git does not know, with the message of git, which `--quiet`
/// suppresses.
fn no_commit(root: &Path, name: &str, stderr: &[u8]) -> BaselineError {
    let stderr = String::from_utf8_lossy(stderr);
    let reason = match stderr.trim().trim_start_matches("fatal: ") {
        "" => "unknown revision",
        said => said,
    };
    BaselineError::NoCommit {
        name: name.to_owned(),
        reason: reason.to_owned(),
        is_path: looks_like_path(root, name),
    }
}

/// Reports whether a name that is neither a file nor a commit was probably meant as a path: no
/// branch has such a name, or the directory that would contain the file exists.
fn looks_like_path(root: &Path, name: &str) -> bool {
    let parent = Path::new(name).parent();
    let is_beside_others =
        parent.is_some_and(|parent| parent != Path::new("") && root.join(parent).is_dir());
    name.starts_with(['/', '.', '~'])
        || name.ends_with('/')
        || is_manifest(name)
        || is_beside_others
}

/// Reads the manifests in a commit, with a single `git cat-file` process for all of them.
fn of_commit(root: &Path, commit: &str) -> Result<Vec<(String, String)>, BaselineError> {
    let dir = format!("{DIRECTORY}/");
    // A commit that begins with a dash must not be parsed as an option.
    let list = [
        "ls-tree",
        "-z",
        "--name-only",
        "--end-of-options",
        commit,
        &dir,
    ];
    let listed = run_git(root, &list, "")?;
    if !listed.status.success() {
        return Err(no_commit(root, commit, &listed.stderr));
    }
    let names = String::from_utf8_lossy(&listed.stdout);
    let names: Vec<_> = names.split('\0').filter(|name| is_manifest(name)).collect();
    let objects: Vec<_> = names
        .iter()
        .map(|name| format!("{commit}:./{name}"))
        .collect();
    let answer = run_git(root, &["cat-file", "--batch"], &objects.join("\n"))?;
    let mut blobs = Blobs(&answer.stdout);
    names
        .iter()
        .map(|name| {
            let place = format!("`{commit}:{name}`");
            match blobs.next() {
                Some(Ok(text)) => Ok((place, text)),
                Some(Err(reason)) => Err(BaselineError::NoObject { place, reason }),
                None => {
                    let reason = String::from_utf8_lossy(&answer.stderr).trim().to_owned();
                    Err(BaselineError::NoObject { place, reason })
                }
            }
        })
        .collect()
}

/// An iterator over the output of `git cat-file --batch`. For each requested object, the output
/// contains a header that ends with the length, and the content. For a missing object it only
/// contains a header, which is the error.
struct Blobs<'a>(&'a [u8]);

impl Iterator for Blobs<'_> {
    type Item = Result<String, String>;

    fn next(&mut self) -> Option<Self::Item> {
        let end = self.0.iter().position(|byte| *byte == b'\n')?;
        let header = String::from_utf8_lossy(&self.0[..end]).into_owned();
        let body = &self.0[end + 1..];
        let words: Vec<_> = header.split(' ').collect();
        let length = match words[..] {
            [_, "blob", length] => length.parse().ok(),
            _ => None,
        };
        let Some(length) = length.filter(|length| *length <= body.len()) else {
            self.0 = body;
            return Some(Err(header));
        };
        self.0 = body.get(length + 1..).unwrap_or_default();
        Some(Ok(String::from_utf8_lossy(&body[..length]).into_owned()))
    }
}

/// Runs git in `root` with `input` on its standard input, and returns its output.
fn run_git(root: &Path, arguments: &[&str], input: &str) -> Result<Output, BaselineError> {
    let mut command = git::command(root, arguments);
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().map_err(BaselineError::NoGit)?;
    let mut stdin = child.stdin.take();
    // git writes output before it has read all of its input, so both must happen at the same time.
    thread::scope(|scope| {
        scope.spawn(move || {
            if let Some(stdin) = &mut stdin {
                // If git exits early, its output contains the reason.
                let _ = stdin.write_all(input.as_bytes());
            }
            drop(stdin);
        });
        child.wait_with_output().map_err(BaselineError::NoGit)
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_crd_without_schemas_is_no_baseline() {
        let problem = |api_version: Value, versions: Value| {
            let names = json!({"kind": "Cow", "plural": "cows"});
            let crd = json!({
                "apiVersion": api_version, "metadata": {"name": "cows.x.dev"},
                "spec": {"group": "x.dev", "scope": "Namespaced", "names": names, "versions": versions},
            });
            let error = check_comparable(&crd, "HEAD").err()?.to_string();
            let start = "the CRD cows.x.dev of HEAD ";
            let end = ", so nothing can be compared with it";
            Some(error.strip_prefix(start)?.strip_suffix(end)?.to_owned())
        };
        let v1 = json!(CustomResourceDefinition::API_VERSION);
        let version = |schema: Value, served: Value, storage: bool| {
            let schema = json!({"openAPIV3Schema": schema});
            json!({"name": "v1", "served": served, "storage": storage, "schema": schema})
        };
        let object = || json!({"type": "object"});
        let good = version(object(), json!(true), true);
        assert_eq!(problem(v1.clone(), json!([good])), None);
        let beta = problem(json!("apiextensions.k8s.io/v1beta1"), json!([good]));
        assert_eq!(beta.unwrap(), "is not of apiextensions.k8s.io/v1");
        for (versions, expected) in [
            (json!([]), "has no versions"),
            (json!(null), "has no versions"),
            (json!({}), "has no versions"),
            (json!("v1"), "has no versions"),
            (json!([null]), "cannot be read ("),
            (json!([{"name": 1}]), "cannot be read ("),
            (
                json!([{"name": "v1", "served": true, "storage": true}]),
                "has no schema for v1",
            ),
            (
                json!([version(object(), json!("true"), true)]),
                "cannot be read (",
            ),
            (
                json!([version(json!({"properties": []}), json!(true), true)]),
                "cannot be read (",
            ),
            (
                json!([version(
                    json!({"properties": {"spec": null}}),
                    json!(true),
                    true
                )]),
                "cannot be read (",
            ),
            (
                json!([version(object(), json!(true), false)]),
                "has no storage version among v1",
            ),
            (json!([good, good]), "has the version `v1` twice"),
        ] {
            let problem = problem(v1.clone(), versions.clone()).unwrap_or_default();
            assert!(problem.starts_with(expected), "{versions}: {problem}");
        }
    }

    #[test]
    fn the_answers_of_git_are_separated_by_their_lengths() {
        let printed = b"abc blob 6\na\n\nb\nc\ndef blob 0\n\nghi:./x missing\njkl blob 2\nz\n\n";
        let answers: Vec<_> = Blobs(printed).collect();
        let text = |text: &str| Ok(text.to_owned());
        let missing = Err("ghi:./x missing".to_owned());
        assert_eq!(answers, [text("a\n\nb\nc"), text(""), missing, text("z\n")]);
    }

    #[test]
    fn a_baseline_without_crds_is_an_error() {
        let dir = tempfile::tempdir().unwrap();
        let read = |name: &str| BaselineSource::of(name, dir.path())?.crds(dir.path());
        for empty in ["", " "] {
            assert!(matches!(read(empty), Err(BaselineError::Empty)));
        }
        fs::write(dir.path().join("pod.yaml"), "kind: Pod\n").unwrap();
        for name in [".", "pod.yaml"] {
            let error = read(name).unwrap_err();
            assert!(
                matches!(error, BaselineError::NoCrds { .. }),
                "{name}: {error}"
            );
        }
        let project = dir.path().join(project::FILE);
        fs::write(
            &project,
            "layout: [rustop.dev/v1]\nresources: [{kind: A}]\n",
        )
        .unwrap();
        assert!(matches!(read("."), Err(BaselineError::NoCrds { .. })));
        fs::write(&project, "layout: [rustop.dev/v1]\n").unwrap();
        assert!(read(".").unwrap().is_empty());
    }

    #[test]
    fn a_baseline_file_without_an_object_is_an_error() {
        let dir = tempfile::tempdir().unwrap();
        let bases = dir.path().join(DIRECTORY);
        fs::create_dir_all(&bases).unwrap();
        fs::write(bases.join("a.yaml"), "kind: CustomResourceDefinition\n").unwrap();
        let read = || BaselineSource::of(".", dir.path())?.crds(dir.path());
        assert_eq!(read().unwrap().len(), 1);
        let pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12\n";
        for (text, said) in [
            ("", "contains no Kubernetes object"),
            ("# nothing\n---\n", "contains no Kubernetes object"),
            (
                "apiVersion: apiextensions.k8s.io/v1\n",
                "contains no Kubernetes object",
            ),
            (pointer, "is a Git LFS pointer, not a CRD"),
        ] {
            fs::write(bases.join("b.yaml"), text).unwrap();
            let error = read().unwrap_err().to_string();
            assert!(error.contains("b.yaml") && error.ends_with(said), "{error}");
        }
        fs::write(bases.join("b.yaml"), "kind: Kustomization\n").unwrap();
        assert_eq!(read().unwrap().len(), 1);
    }

    #[test]
    fn a_commit_is_read_completely_or_not_at_all() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path();
        let run = |arguments: &[&str]| {
            let identity = [
                "-c",
                "user.name=a",
                "-c",
                "user.email=a@b",
                "-c",
                "commit.gpgsign=false",
            ];
            let output = run_git(root, &[&identity, arguments].concat(), "").unwrap();
            assert!(output.status.success(), "{arguments:?}: {output:?}");
            String::from_utf8(output.stdout).unwrap().trim().to_owned()
        };
        run(&["init", "-q"]);
        fs::write(root.join(project::FILE), "layout: [rustop.dev/v1]\n").unwrap();
        run(&["add", "."]);
        run(&["commit", "-qm", "first"]);
        let read = || BaselineSource::of("HEAD", root)?.crds(root);
        assert!(read().unwrap().is_empty());

        fs::create_dir_all(root.join(DIRECTORY)).unwrap();
        let crd = root.join(DIRECTORY).join("a.yaml");
        fs::write(&crd, "kind: CustomResourceDefinition\n").unwrap();
        run(&["add", "."]);
        run(&["commit", "-qm", "second"]);
        assert_eq!(read().unwrap().len(), 1);

        let object = run(&["rev-parse", &format!("HEAD:{DIRECTORY}/a.yaml")]);
        let (head, tail) = object.split_at(2);
        fs::remove_file(root.join(".git/objects").join(head).join(tail)).unwrap();
        let error = read().unwrap_err();
        assert!(matches!(error, BaselineError::NoObject { .. }), "{error}");
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
            let crds = BaselineSource::of(name, dir.path())
                .unwrap()
                .crds(dir.path())
                .unwrap();
            assert_eq!(crds.len(), 2, "{name}");
        }
        fs::write(dir.path().join("b.yaml"), "a: [").unwrap();
        let error = BaselineSource::of(".", dir.path())
            .unwrap()
            .crds(dir.path())
            .unwrap_err();
        assert!(error.to_string().contains("b.yaml"), "{error}");
    }
}
