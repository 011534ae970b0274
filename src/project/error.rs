//! What a `PROJECT` cannot be.

use std::path::PathBuf;

use super::{KubernetesVersion, VERSION, builtin};
use crate::error::{Failure, Io};
use crate::resource::Resource;
use crate::text::shell_word;

/// Result of everything in this room.
pub type Result<T> = std::result::Result<T, Error>;

/// An error of a project or of its kinds.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// k8s-openapi has the type only in later versions.
    #[error("{api_version} {kind} is not in Kubernetes {}, which the project is for", project.as_str())]
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
    /// `PROJECT` is not what this rustop writes.
    #[error("`{}` {reason}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The nearest project is above the current directory and not the user's own.
    #[error("the project in `{}` belongs to another user", root.display())]
    Foreign {
        /// Its directory.
        root: PathBuf,
    },
    /// A group that no CRD may have.
    #[error("the API group `{group}` {rule}")]
    Group {
        /// The whole group.
        group: String,
        /// The rule that it breaks.
        rule: &'static str,
        /// What mends it.
        help: &'static str,
    },
    /// The file cannot be read.
    #[error(transparent)]
    Io(#[from] Io),
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
    /// Another kind of the project has a name that the new one needs.
    #[error("{resource} and {other} of this project would both have the {what} `{name}`")]
    NameTaken {
        /// Whether the user chose the names of the new kind.
        own: bool,
        /// The new kind.
        resource: String,
        /// The one that is there.
        other: String,
        /// What they would share.
        what: &'static str,
        /// The name of it.
        name: String,
    },
    /// No project at the place.
    #[error("`{}` is in no project: there is no file `PROJECT`, nor above it", dir.display())]
    NoProject {
        /// Where it was looked for.
        dir: PathBuf,
    },
    /// A project of an earlier rustop, whose files are left alone.
    #[error("the project is of {}, and this is rustop {VERSION}", if version.is_empty() { "an unknown rustop".to_owned() } else { format!("rustop {version}") })]
    Older {
        /// The version that rendered it last.
        version: String,
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
    /// A kind whose objects the API server cannot find.
    #[error(
        "the objects of {resource} could not be reached: the path of a cluster-scoped kind with the plural `namespaces` is taken for that of a namespace"
    )]
    Unreachable {
        /// The version and kind.
        resource: String,
    },
}

impl Error {
    /// The plural and scope of a kind that is there.
    pub fn fixed(there: &Resource) -> Self {
        let namespaced = builtin::is_namespaced(there);
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
}

impl Failure for Error {
    fn help(&self) -> Option<String> {
        let help = match self {
            Self::BuiltinTooNew { .. } => {
                "set `kubernetesVersion` in PROJECT, and the feature of k8s-openapi in Cargo.toml to match"
            }
            Self::Contradiction { .. } | Self::File { .. } => {
                "`git diff PROJECT` shows what was changed in it, `rustop schema` what may be in it"
            }
            Self::Foreign { root } => {
                let root = shell_word(&root.display().to_string());
                return Some(format!(
                    "if you trust it, name its directory: `rustop -C {root}`; or start a project here: `rustop init`"
                ));
            }
            Self::Group { help, .. } => help,
            Self::KindIsFixed { .. } => "leave out `--plural` and `--cluster-scoped`",
            Self::NameTaken { own: true, .. } => "choose another `--group`, `--kind` or `--plural`",
            Self::NameTaken { own: false, .. } => {
                "only one of the two can be in a project: give the other one a project of its own"
            }
            Self::NoProject { .. } => {
                "rustop init --domain my.domain, or name the project's directory with `-C DIR`"
            }
            Self::Older { .. } => "rustop upgrade",
            Self::OutOfReach { own: true, .. } => {
                "add `--no-controller`, or start the project without `--namespaced`"
            }
            Self::OutOfReach { own: false, .. } => "start the project without `--namespaced`",
            Self::Unreachable { .. } => {
                "choose another `--plural`, or leave out `--cluster-scoped`"
            }
            Self::Io(_) => return None,
        };
        Some(help.into())
    }

    fn exit_code(&self) -> u8 {
        match self {
            Self::Group { .. } => 2,
            _ => 1,
        }
    }
}
