//! What a user can cause. Each error says what happened and where; [`Error::help`] gives the literal
//! command or text that mends it.

use std::fmt::Display;
use std::io;
use std::path::PathBuf;
use std::process::{ExitCode, ExitStatus};
use std::time::Duration;

use thiserror::Error;

use crate::cluster;
use crate::manifests::{crd, crdgen, diagnostic::Diagnostic, diagnostic::Severity};
use crate::migration::Unwritten;
use crate::names::NameError;
use crate::project::KubernetesVersion;
use crate::resource::Resource;
use crate::scaffold;
use crate::terminal::count;
use crate::torture;

/// An error that ends a command.
#[derive(Debug, Error)]
pub enum Error {
    /// The project does not build; cargo has said why.
    #[error("the project's `{binary}` does not build")]
    Build {
        /// The binary that was wanted.
        binary: String,
    },
    /// Kubernetes owns the kind, so its scope and plural are known.
    #[error(
        "{api_version} {kind} is Kubernetes' own: `--plural` and `--cluster-scoped` are not yours to say"
    )]
    BuiltinIsFixed {
        /// Its group and version.
        api_version: String,
        /// The kind.
        kind: String,
    },
    /// k8s-openapi has the type only in later versions.
    #[error("{api_version} {kind} is not in Kubernetes {}, which the project is for", kubernetes(*.project))]
    BuiltinTooNew {
        /// Its group and version.
        api_version: String,
        /// The kind.
        kind: String,
        /// The project's version of Kubernetes.
        project: KubernetesVersion,
    },
    /// A kind of PROJECT that says two things at once.
    #[error("{resource} {what}")]
    Contradiction {
        /// The version and kind.
        resource: String,
        /// What does not fit.
        what: &'static str,
    },
    /// A kind whose objects the API server cannot find.
    #[error(
        "the objects of {resource} could not be reached: the path of a cluster-scoped kind with the plural `namespaces` is taken for that of a namespace"
    )]
    Unreachable {
        /// The version and kind.
        resource: String,
    },
    /// The project's CRDs are not what the API server takes.
    #[error(transparent)]
    Crd(#[from] crd::CrdError),
    /// The project's `crdgen` failed.
    #[error("the project's `crdgen` failed:\n{output}")]
    Crdgen {
        /// What it said.
        output: String,
    },
    /// An operator inside of the cluster serves what was to be served on this machine.
    #[error("{object} leads to an operator inside of the cluster")]
    DeployedThere {
        /// `validatingwebhookconfiguration/lolcow-operator-validating-webhook-configuration`.
        object: String,
    },
    /// The directory's name is no name for a project.
    #[error("the directory's name cannot be the project's")]
    DirectoryName {
        /// Why not.
        source: NameError,
    },
    /// `manifests --check` found files that are not what the sources imply.
    #[error("{} not what the sources imply", if *files == 1 { "1 file is".to_owned() } else { format!("{files} files are") })]
    Drift {
        /// How many.
        files: usize,
    },
    /// A kind of someone else's that names no group of theirs.
    #[error("no kind {kind}{} is known, neither in this project nor in Kubernetes", group.as_ref().map(|g| format!(" in group `{g}`")).unwrap_or_default())]
    ForeignKind {
        /// The kind.
        kind: String,
        /// The group as given.
        group: Option<String>,
        /// Commands that name kinds which exist.
        known: Vec<String>,
    },
    /// A group that no CRD may have.
    #[error("the API group `{group}` {rule}")]
    Group {
        /// The whole group.
        group: String,
        /// The rule that it breaks.
        rule: &'static str,
        /// What mends it.
        help: String,
    },
    /// The control plane or its installation.
    #[error(transparent)]
    Cluster(#[from] cluster::Error),
    /// There is no verdict about the operator.
    #[error(transparent)]
    Torture(#[from] torture::Error),
    /// A file or directory could not be read or changed.
    #[error("cannot {action} `{}`", path.display())]
    Io {
        /// An infinitive: `read`, `create`, `replace`.
        action: &'static str,
        /// What it was done to.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// The kind is in PROJECT.
    #[error("{resource} exists in this project{}", if *.controller { ", with its controller" } else { "" })]
    KindExists {
        /// The version and kind.
        resource: String,
        /// Whether it has a controller, too.
        controller: bool,
        /// The command that adds the missing controller.
        add_controller: Option<String>,
    },
    /// A kind has one plural and one scope.
    #[error(
        "{resource} of this project has the plural `{plural}` and is {scope}, in every version"
    )]
    KindIsFixed {
        /// The version and kind that are there.
        resource: String,
        /// Its plural.
        plural: String,
        /// `namespaced` or `cluster-scoped`.
        scope: &'static str,
    },
    /// A kubeconfig that cannot be used.
    #[error("cannot use the kubeconfig `{}`", path.display())]
    Kubeconfig {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// A directory of `config/` does not render.
    #[error("`{dir}` does not render: {output}")]
    Kustomize {
        /// The directory, relative to the project.
        dir: String,
        /// What kustomize said.
        output: String,
    },
    /// cargo cannot read the project's manifests.
    #[error("`cargo metadata` failed:\n{output}")]
    Metadata {
        /// What it said.
        output: String,
    },
    /// Another kind of the project has a name that the new one needs.
    #[error("{resource} and {other} of this project would both have the {what} `{name}`")]
    NameTaken {
        /// The new kind.
        resource: String,
        /// The one that is there.
        other: String,
        /// What they would share.
        what: &'static str,
        /// The name of it.
        name: String,
    },
    /// No audit log to report from.
    #[error("there is no audit log of a cluster `{name}`")]
    NoAuditLog {
        /// The cluster's name.
        name: String,
    },
    /// No cargo on the machine.
    #[error("cannot find `cargo`, which builds the project's types")]
    NoCargo,
    /// A kind of PROJECT for which the types give no CRD.
    #[error("PROJECT has {resource}, but the types give no CRD `{name}`")]
    NoCrd {
        /// The version and kind.
        resource: String,
        /// The name that its CRD would have.
        name: String,
    },
    /// A kind whose plural cannot be worked out.
    #[error("no plural follows from the kind")]
    NoPlural {
        /// Why not.
        source: NameError,
    },
    /// No project at the place.
    #[error("`{}` is in no project: there is no file `PROJECT`, nor above it", dir.display())]
    NoProject {
        /// Where it was looked for.
        dir: PathBuf,
    },
    /// A version of a kind that the project does not have.
    #[error("this project has no {kind} in version {version}")]
    NoSuchVersion {
        /// The kind.
        kind: String,
        /// The version.
        version: String,
        /// Commands that name versions which exist.
        known: Vec<String>,
    },
    /// Objects that could not be written anew.
    #[error(
        "{} could not be written anew, all others were:\n{}",
        count(unwritten.len(), "object"),
        indented(unwritten)
    )]
    NotMigrated {
        /// Each of them, and why.
        unwritten: Vec<Unwritten>,
    },
    /// A conversion for a kind with one version, or of someone else's.
    #[error(
        "{resource} is {}",
        if add.is_some() { "the only version of its kind: there is nothing to convert" }
        else { "not this project's kind: whoever owns its CRD converts it" }
    )]
    NothingToConvert {
        /// The version and kind.
        resource: String,
        /// The command that adds another version, where the project may.
        add: Option<String>,
    },
    /// Samples that were not Ready in time.
    #[error("after {} s not every sample is Ready:\n{}", timeout.as_secs(), indented(missing))]
    NotReady {
        /// Each of them, and what it says.
        missing: Vec<String>,
        /// How long was waited.
        timeout: Duration,
    },
    /// A kind that the API server does not serve.
    #[error("the API server does not serve {kind}")]
    NotServed {
        /// The kind, or the CRD's name.
        kind: String,
    },
    /// The operator ended by itself.
    #[error("the operator ended: {status}")]
    OperatorEnded {
        /// How.
        status: ExitStatus,
    },
    /// A controller for a cluster-scoped kind in a project whose rights end at namespaces.
    #[error(
        "{resource} is cluster-scoped, and no Role of this `--namespaced` project can grant it"
    )]
    OutOfReach {
        /// The version and kind.
        resource: String,
        /// Whether the CRD is the project's.
        own: bool,
    },
    /// `PROJECT` is not what this rustop writes.
    #[error("`{}` {reason}", path.display())]
    Project {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// `init` in a project.
    #[error("`{}` holds a project already", dir.display())]
    ProjectExists {
        /// The directory.
        dir: PathBuf,
    },
    /// The API server refused an object.
    #[error("the API server refused {object}")]
    Refused {
        /// `lolcow/lolcow-sample`.
        object: String,
        /// Why.
        source: Box<kube::Error>,
    },
    /// Something is wrong in the sources: markers, comments, types.
    #[error("{} in the sources\n\n{}", problems(.0), joined(.0))]
    Sources(Vec<Diagnostic>),
    /// Somebody moved the storage version while objects were written.
    #[error("{crd} got another storage version meanwhile")]
    StorageMoved {
        /// The CRD.
        crd: String,
    },
    /// Data could not be written to stdout.
    #[error("cannot write to stdout")]
    Stdout(#[source] io::Error),
    /// Files of the user are at the places of new ones.
    #[error(
        "these files are in the way, and rustop overwrites nothing that it did not write:\n{}",
        indented(paths)
    )]
    WouldOverwrite {
        /// Their paths, relative to the project.
        paths: Vec<String>,
    },
    /// The kind has the webhooks that are asked for.
    #[error("{resource} has this webhook already")]
    WebhookExists {
        /// The version and kind.
        resource: String,
        /// Where it is.
        files: Vec<String>,
        /// The command that adds it to another version.
        other: Option<String>,
    },
}

impl Error {
    /// `cannot {action} {path}`, for `map_err`.
    pub fn io(action: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| Self::Io {
            action,
            path,
            source,
        }
    }

    /// The plural and scope of a kind that is there.
    pub fn fixed(there: &Resource) -> Self {
        let namespaced = scaffold::is_namespaced(there);
        Self::KindIsFixed {
            resource: there.to_string(),
            plural: there.plural.to_string(),
            scope: if namespaced {
                "namespaced"
            } else {
                "cluster-scoped"
            },
        }
    }

    /// The command or the text that mends it.
    pub fn help(&self) -> Option<String> {
        match self {
            Self::Build { .. } => Some("cargo build --workspace says more".into()),
            Self::BuiltinIsFixed { .. } => Some("leave them out".into()),
            Self::Crdgen { output } => Some(crdgen::advice(output).to_owned()),
            Self::Drift { .. } => Some("rustop manifests".into()),
            Self::NoAuditLog { .. } => Some("rustop dev writes one".into()),
            Self::NotMigrated { unwritten } => Some(mending(unwritten)),
            Self::StorageMoved { .. } => Some("run it again".into()),
            Self::NotReady { .. } => Some("the operator's log above may say why".into()),
            Self::NotServed { .. } => Some("make install, or rustop dev, installs the project's CRDs".into()),
            Self::Kustomize { dir, .. } => Some(format!("kubectl kustomize {dir}")),
            Self::NoCargo => Some("install Rust: https://rustup.rs".into()),
            Self::NoCrd { .. } => Some("let group, plural and kind in `#[kube(..)]` and in PROJECT be the same".into()),
            Self::BuiltinTooNew { .. } => {
                Some("set `kubernetesVersion` in PROJECT, and the feature of k8s-openapi in Cargo.toml to match".into())
            }
            Self::DirectoryName { .. } => Some("rustop init --domain my.domain --project-name my-operator".into()),
            Self::ForeignKind { known, .. } if known.is_empty() => {
                Some("leave out `--no-resource` to create it, or give the whole group of someone else's kind: `--group cert-manager.io`".into())
            }
            Self::NoSuchVersion { known, .. } if known.is_empty() => None,
            Self::ForeignKind { known, .. } | Self::NoSuchVersion { known, .. } => {
                Some(known.join("\n      "))
            }
            Self::Group { help, .. } => Some(help.clone()),
            Self::KindExists { add_controller: None, .. } => {
                Some("name another `--kind`, or another `--version` of this one".into())
            }
            Self::KindExists { add_controller, .. } => add_controller.clone(),
            Self::NothingToConvert { add, .. } => add.clone(),
            Self::WebhookExists { files, other, .. } => {
                let edit = format!("edit {}", files.join(" and "));
                let other = other.as_ref().map(|command| format!(", or: {command}"));
                Some(edit + &other.unwrap_or_default())
            }
            Self::KindIsFixed { .. } => Some("leave out `--plural` and `--cluster-scoped`".into()),
            Self::NameTaken { .. } => Some("choose another `--group`, `--kind` or `--plural`".into()),
            Self::NoPlural { .. } => Some("name one with `--plural`".into()),
            Self::NoProject { .. } => Some("rustop init --domain my.domain, or name the project's directory with `-C DIR`".into()),
            Self::OutOfReach { own: true, .. } => {
                Some("add `--no-controller`, or start the project without `--namespaced`".into())
            }
            Self::OutOfReach { own: false, .. } => Some("start the project without `--namespaced`".into()),
            Self::Contradiction { .. } | Self::Project { .. } => {
                Some("`git diff PROJECT` shows what was changed in it, `rustop schema` what may be in it".into())
            }
            Self::Unreachable { .. } => Some("choose another `--plural`, or leave out `--cluster-scoped`".into()),
            Self::ProjectExists { .. } => Some("rustop create api --kind Lolcow adds to it".into()),
            Self::WouldOverwrite { .. } => Some("move them away and run the command again".into()),
            Self::DeployedThere { .. } => Some(
                "`make undeploy` takes that operator away; or use another cluster".into(),
            ),
            Self::Crd(_)
            | Self::Io { .. }
            | Self::Kubeconfig { .. }
            | Self::Metadata { .. }
            | Self::OperatorEnded { .. }
            | Self::Refused { .. }
            | Self::Sources(_)
            | Self::Stdout(_) => None,
            Self::Torture(error) => error.help(),
            Self::Cluster(error) => error.help(),
        }
    }

    /// 2 for a wrong command line, as clap has it; 128 + the signal after Ctrl-C; 1 for all else.
    pub fn exit_code(&self) -> ExitCode {
        match self {
            Self::BuiltinIsFixed { .. }
            | Self::DirectoryName { .. }
            | Self::ForeignKind { .. }
            | Self::NoPlural { .. }
            | Self::NoSuchVersion { .. }
            | Self::Group { .. }
            | Self::Torture(_) => ExitCode::from(2),
            Self::Cluster(error) => error.exit_code().into(),
            _ => ExitCode::FAILURE,
        }
    }
}

/// The API server converts an object to the stored version even to delete it, and for webhooks of other versions.
fn mending(unwritten: &[Unwritten]) -> String {
    let each = "the command of each object above, or `kubectl delete` in place of `kubectl edit`";
    let before = unwritten.iter().flat_map(|one| &one.before);
    let after = unwritten.iter().flat_map(|one| &one.after);
    let lines = before.map(String::as_str).chain([each]);
    let lines = lines.chain(after.map(String::as_str));
    let mut once = Vec::new();
    for line in lines.chain(["rustop migrate"]) {
        if !once.contains(&line) {
            once.push(line);
        }
    }
    once.join("\n      ")
}

/// What brought an error about, each cause once: many a library repeats the next one in its own words.
pub fn causes(error: &dyn std::error::Error) -> Vec<String> {
    let mut causes: Vec<String> = Vec::new();
    let mut next = error.source();
    while let Some(cause) = next {
        let text = words(cause);
        if causes.last().is_some_and(|last| last.ends_with(&text)) {
            causes.pop();
        }
        causes.push(text);
        next = cause.source().filter(|_| answer(cause).is_none());
    }
    causes
}

/// An error in one line of a user's words: what the API server answered, without what kube makes of it.
pub fn words(error: &(dyn std::error::Error + 'static)) -> String {
    match answer(error) {
        Some(status) if status.message.is_empty() => {
            format!("it answered {} {}", status.code, status.reason)
                .trim_end()
                .to_owned()
        }
        Some(status) => status.message.clone(),
        None => error.to_string(),
    }
}

/// The answer of the API server that an error is made of.
fn answer<'a>(error: &'a (dyn std::error::Error + 'static)) -> Option<&'a kube::core::Status> {
    let boxed = error.downcast_ref::<Box<kube::Error>>().map(AsRef::as_ref);
    match boxed.or_else(|| error.downcast_ref())? {
        kube::Error::Api(status) => Some(status),
        _ => None,
    }
}

fn indented(lines: &[impl Display]) -> String {
    lines
        .iter()
        .map(|line| format!("  {line}"))
        .collect::<Vec<_>>()
        .join("\n")
}

/// `2 problems`, `1 problem and 9 warnings`.
fn problems(diagnostics: &[Diagnostic]) -> String {
    let is_warning = |found: &&Diagnostic| found.severity == Severity::Warning;
    let warnings = diagnostics.iter().filter(is_warning).count();
    let problems = count(diagnostics.len() - warnings, "problem");
    match warnings {
        0 => problems,
        some => format!("{problems} and {}", count(some, "warning")),
    }
}

fn joined(diagnostics: &[Diagnostic]) -> String {
    diagnostics
        .iter()
        .map(ToString::to_string)
        .collect::<Vec<_>>()
        .join("\n")
}

fn kubernetes(version: KubernetesVersion) -> String {
    format!("1.{}", version.minor())
}

/// What every command returns.
pub type Result<T> = std::result::Result<T, Error>;

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::manifests::lint;

    #[test]
    fn warnings_beside_an_error_are_no_problems() {
        let wrong = || Diagnostic::file(Path::new("a.rs"), "wrong");
        let rule = lint::all().next().unwrap();
        let said = |found| Error::Sources(found).to_string();
        let both = said(vec![wrong(), wrong().warning(rule), wrong().warning(rule)]);
        assert!(
            both.starts_with("1 problem and 2 warnings in the sources\n\n"),
            "{both}"
        );
        let alone = said(vec![wrong(), wrong()]);
        assert!(
            alone.starts_with("2 problems in the sources\n\n"),
            "{alone}"
        );
    }

    fn refused(source: kube::Error) -> Vec<String> {
        causes(&Error::Refused {
            object: "lolcow/x".into(),
            source: Box::new(source),
        })
    }

    #[test]
    fn an_answer_of_the_api_server_is_told_once_and_in_its_own_words() {
        let status = kube::core::Status::failure("spec.message: Required value", "Invalid");
        assert_eq!(
            refused(kube::Error::Api(status.boxed())),
            ["spec.message: Required value"]
        );
        let mute = kube::core::Status::failure("", "Conflict").with_code(409);
        assert_eq!(
            refused(kube::Error::Api(mute.boxed())),
            ["it answered 409 Conflict"]
        );
    }

    #[test]
    fn a_cause_that_repeats_the_next_one_is_left_out() {
        let source = io::Error::other("no route");
        assert_eq!(refused(kube::Error::ReadEvents(source)), ["no route"]);
    }
}
