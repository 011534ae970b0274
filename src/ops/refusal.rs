//! What an operation refuses to do as it was asked.

use std::path::PathBuf;

use crate::error::Failure;
use crate::names::NameError;
use crate::project::{Part, VERSION};
use crate::text::indented;

/// An error of an operation itself.
#[derive(Debug, thiserror::Error)]
pub enum Refusal {
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
    /// A second bundle.
    #[error("this project has a bundle, in bundle/")]
    BundleExists,
    /// A second chart.
    #[error("this project has a chart, charts/{name}")]
    ChartExists {
        /// Its name.
        name: String,
    },
    /// The user changed the lines that are to change.
    #[error("what is to change in your files, you have changed, too:\n{}", changes.join("\n"))]
    CannotMerge {
        /// What is to change, a unified diff for each file.
        changes: Vec<String>,
    },
    /// A part of the project, once more.
    #[error("this project has {}", .0.what())]
    PartExists(Part),
    /// The directory's name is no name for a project.
    #[error("the directory's name cannot be the project's")]
    DirectoryName {
        /// Why not.
        source: NameError,
    },
    /// Files that are not what the sources imply.
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
    /// A CRD that a Go project has twice.
    #[error("{name} is in `{first}` and in `{second}`")]
    GoCrdTwice {
        /// The CRD.
        name: String,
        /// A file that has it.
        first: String,
        /// Another one.
        second: String,
    },
    /// A name of a Go project that none of rustop's can have.
    #[error("what the Go project says cannot be taken over")]
    GoName {
        /// Why not.
        source: NameError,
        /// The flag that gives another one.
        flag: &'static str,
    },
    /// A PROJECT that is none.
    #[error("`{}` is no PROJECT of kubebuilder: {reason}", path.display())]
    GoProject {
        /// The file.
        path: PathBuf,
        /// Why not.
        reason: String,
    },
    /// A file whose name would end a comment or a code span of a generated file.
    #[error("the name of {path:?} has a control character or a backtick")]
    GoPath {
        /// The file, relative to the Go project.
        path: String,
    },
    /// A role that is none.
    #[error("`{path}` is no role: {reason}")]
    GoRole {
        /// The file.
        path: String,
        /// Why not.
        reason: String,
    },
    /// A generated role file that cannot be read.
    #[error("cannot read the roles in `{path}`: {reason}")]
    Role {
        /// The file.
        path: String,
        /// Why not.
        reason: String,
    },
    /// A Go project without CRDs.
    #[error("`{}` has no CRDs in {looked}", dir.display())]
    GoWithoutCrds {
        /// The project.
        dir: PathBuf,
        /// Where they would be.
        looked: String,
    },
    /// What rustop began nobody has written.
    #[error("`{path}:{line}` is not written yet, so it is no controller")]
    ControllerUnwritten {
        /// The file of the controller.
        path: String,
        /// Where it says what is to be written.
        line: usize,
    },
    /// The kind is in PROJECT.
    #[error("{resource} exists in this project{}", if add_controller.is_none() { ", with its controller" } else { "" })]
    KindExists {
        /// The version and kind.
        resource: String,
        /// The command that adds the controller that it does not have.
        add_controller: Option<String>,
    },
    /// A further version begins as a copy of what there is.
    #[error(
        "{resource} exists in this project, and a further version of it begins as a copy of that one"
    )]
    ImageOfVersion {
        /// The version and kind that there is.
        resource: String,
    },
    /// No bundle to delete.
    #[error("this project has no bundle")]
    NoBundle,
    /// No chart to delete.
    #[error("this project has no chart")]
    NoChart,
    /// No such part to delete.
    #[error("this project does not have {}", .0.what())]
    NoPart(Part),
    /// No audit log to report from.
    #[error("there is no audit log of a cluster `{name}`")]
    NoAuditLog {
        /// The cluster's name.
        name: String,
    },
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
    /// A version of a kind that the project does not have.
    #[error("this project has no {kind}{}", version.as_ref().map(|it| format!(" in version {it}")).unwrap_or_default())]
    NoSuchVersion {
        /// The kind.
        kind: String,
        /// The version, where one is asked for.
        version: Option<String>,
        /// Commands that name versions which exist.
        known: Vec<String>,
    },
    /// Webhooks to delete where there are none.
    #[error("this project has no such webhook of {kind}")]
    NoSuchWebhook {
        /// The kind.
        kind: String,
        /// Commands that name webhooks which exist.
        known: Vec<String>,
    },
    /// Webhooks to delete where several versions have one.
    #[error("several versions of {kind} have such a webhook: say which one goes")]
    SeveralWebhooks {
        /// The kind.
        kind: String,
        /// Commands that name them.
        known: Vec<String>,
    },
    /// A project of an earlier rustop.
    #[error("the project is of rustop {version}, and this is {VERSION}")]
    Outdated {
        /// The version that rendered it last.
        version: String,
    },
    /// A project of a rustop that nothing is known of.
    #[error("nothing is known of rustop `{version}`, which PROJECT names in `cliVersion`")]
    NoRelease {
        /// The version.
        version: String,
        /// Those that are known.
        known: String,
    },
    /// Files in which a merge is not finished.
    #[error("a merge is not finished in these files:\n{}", indented(places))]
    Unmerged {
        /// `src/main.rs:12`.
        places: Vec<String>,
    },
    /// What an upgrade or an edit leaves to the user.
    #[error(
        "you and rustop have changed the same lines; both are marked:\n{}",
        indented(places)
    )]
    Conflicts {
        /// `src/main.rs:12`.
        places: Vec<String>,
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
    /// A new project in one that is there.
    #[error("`{}` holds a project already", dir.display())]
    ProjectExists {
        /// The directory.
        dir: PathBuf,
    },
    /// A new project inside of what it is made from.
    #[error("`{}` lies in `{}`, which is only read", target.display(), dir.display())]
    TargetInside {
        /// The new project.
        target: PathBuf,
        /// What it is made from.
        dir: PathBuf,
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
    /// Files of a vendored crate differ from what the release of the project wrote.
    #[error(
        "these files of a vendored crate were edited, and an upgrade would lose the edits:\n{}",
        indented(paths)
    )]
    EditedCrate {
        /// Their paths, relative to the project.
        paths: Vec<String>,
    },
    /// Files of the user are at the places of new ones.
    #[error(
        "these files are in the way, and rustop overwrites nothing that it did not write:\n{}",
        indented(paths)
    )]
    WouldOverwrite {
        /// Their paths, relative to the project.
        paths: Vec<String>,
    },
}

impl Failure for Refusal {
    fn help(&self) -> Option<String> {
        let help = match self {
            Self::BuiltinIsFixed { .. } => "leave them out",
            Self::ChartExists { .. } => {
                "rustop manifests keeps it true; rustop delete chart takes it back"
            }
            Self::NoChart => "rustop create chart",
            Self::BundleExists => {
                "rustop manifests keeps it true; rustop delete bundle takes it back"
            }
            Self::PartExists(part) => {
                return Some(format!(
                    "rustop delete {} takes that out again",
                    part.name()
                ));
            }
            Self::NoPart(part) => return Some(format!("rustop create {}", part.name())),
            Self::NoBundle => "rustop create bundle",
            Self::DirectoryName { .. } => {
                "rustop init --domain my.domain --project-name my-operator"
            }
            Self::Drift { .. } => "rustop manifests",
            Self::ForeignKind { known, .. } if known.is_empty() => {
                "leave out `--no-resource` to create it, or give the whole group of someone else's kind: `--group cert-manager.io`"
            }
            Self::ForeignKind { known, .. }
            | Self::NoSuchVersion { known, .. }
            | Self::NoSuchWebhook { known, .. }
            | Self::SeveralWebhooks { known, .. } => {
                return (!known.is_empty()).then(|| known.join("\n      "));
            }
            Self::GoName { flag, .. } => return Some(format!("name another one with {flag}")),
            Self::GoProject { .. } => "mend it, or move it away: then the CRDs alone decide",
            Self::GoPath { .. } => "rename it, then run this again",
            Self::Role { .. } => "run `rustop manifests`, which writes it",
            Self::GoRole { .. } => "run make manifests in the Go project",
            Self::GoCrdTwice { first, .. } => {
                return Some(format!("name the one place that is meant: --crds {first}"));
            }
            Self::GoWithoutCrds { .. } => {
                "run make manifests in the Go project, or name its CRDs: --crds PATH"
            }
            Self::ControllerUnwritten { .. } => {
                "write its `reconcile` in the place of `todo!`, then run this again"
            }
            Self::KindExists {
                add_controller: None,
                ..
            } => "name another `--kind`, or another `--version` of this one",
            Self::KindExists { add_controller, .. } => return add_controller.clone(),
            Self::ImageOfVersion { .. } => "leave `--image` out, or name another `--kind`",
            Self::NoAuditLog { .. } => "rustop dev writes one",
            Self::NoCrd { .. } => {
                "let group, plural and kind in `#[kube(..)]` and in PROJECT be the same"
            }
            Self::Outdated { .. } => "rustop upgrade",
            Self::NoRelease { known, .. } => {
                return Some(format!("write the version that made the project: {known}"));
            }
            Self::Unmerged { .. } => {
                "finish the merge, or git merge --abort; then run the command again"
            }
            Self::Conflicts { .. } => {
                "choose there, and take out the lines `<<<<<<<`, `=======` and `>>>>>>>`"
            }
            Self::NoPlural { .. } => "name one with `--plural`",
            Self::NothingToConvert { add, .. } => return add.clone(),
            Self::ProjectExists { .. } => "rustop create api --kind Lolcow adds to it",
            Self::WebhookExists { files, other, .. } => {
                let edit = format!("edit {}", files.join(" and "));
                let other = other.as_ref().map(|command| format!(", or: {command}"));
                return Some(edit + &other.unwrap_or_default());
            }
            Self::TargetInside { .. } => {
                "name a directory outside of it: rustop import DIR ../TARGET"
            }
            Self::CannotMerge { .. } => "make these changes by hand, then run the command again",
            Self::EditedCrate { .. } => {
                "delete the edited files, and `rustop upgrade` writes them as the crate has them; to keep the edits, name your own \
                 copy of the crate in Cargo.toml: rustop-manager = { path = \"..\" }"
            }
            Self::WouldOverwrite { .. } => "move them away and run the command again",
        };
        Some(help.into())
    }

    fn exit_code(&self) -> u8 {
        match self {
            Self::BuiltinIsFixed { .. }
            | Self::DirectoryName { .. }
            | Self::ForeignKind { .. }
            | Self::NoPlural { .. }
            | Self::NoSuchVersion { .. }
            | Self::NoSuchWebhook { .. }
            | Self::SeveralWebhooks { .. } => 2,
            _ => 1,
        }
    }
}
