//! Errors of projects.

use std::path::PathBuf;

use super::{KubernetesVersion, VERSION, builtin};
use crate::error::{Failure, Io};
use crate::resource::Resource;
use crate::text::shell_word;

/// The result of functions in this module.
pub type Result<T> = std::result::Result<T, Error>;

/// An error in a project or one of its kinds.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// k8s-openapi has the type only for later versions of Kubernetes.
    #[error("{api_version} {kind} is not in Kubernetes {}, which the project is for", project.as_str())]
    BuiltinTooNew {
        /// The group and version of the type.
        api_version: String,
        /// Its kind.
        kind: String,
        /// The project's version of Kubernetes.
        project: KubernetesVersion,
    },
    /// A kind in PROJECT is inconsistent.
    #[error("{resource} {what}")]
    Contradiction {
        /// The version and kind.
        resource: String,
        /// The contradiction, as the predicate of a sentence about the resource.
        what: &'static str,
    },
    /// `PROJECT` is not a valid file of this rustop.
    #[error("`{}` {reason}", path.display())]
    File {
        path: PathBuf,
        /// The reason, as the predicate of a sentence about the file.
        reason: String,
    },
    /// The nearest project is in a parent directory and belongs to another user.
    #[error("the project in `{}` belongs to another user", root.display())]
    Foreign {
        /// The project's directory.
        root: PathBuf,
    },
    /// The group is not allowed for a CRD.
    #[error("the API group `{group}` {rule}")]
    Group {
        /// The full name of the group.
        group: String,
        /// The rule that it violates.
        rule: &'static str,
        /// The suggested fix.
        help: &'static str,
    },
    /// The file cannot be read.
    #[error(transparent)]
    Io(#[from] Io),
    /// All versions of a kind must have the same plural and scope.
    #[error(
        "{resource} of this project has the plural `{plural}` and is {scope}, in every version"
    )]
    KindIsFixed {
        /// The existing version and kind.
        resource: String,
        /// The existing plural.
        plural: String,
        /// `namespaced` or `cluster-scoped`.
        scope: &'static str,
    },
    /// Another kind of the project already uses a name that the new kind needs.
    #[error("{resource} and {other} of this project would both have the {what} `{name}`")]
    NameTaken {
        /// True if the user chose the names of the new kind.
        own: bool,
        /// The new kind.
        resource: String,
        /// The existing kind.
        other: String,
        /// The type of the name: `file`, `module`.
        what: &'static str,
        /// The common name.
        name: String,
    },
    /// The directory is not in a project.
    #[error("`{}` is in no project: there is no file `PROJECT`, nor above it", dir.display())]
    NoProject {
        /// The directory where the search began.
        dir: PathBuf,
    },
    /// Another version of rustop last rendered the project, so this rustop does not change it.
    #[error("the project is of {}, and this is rustop {VERSION}", if version.is_empty() { "an unknown rustop".to_owned() } else { format!("rustop {version}") })]
    Older {
        /// The version that last rendered it; empty if unknown.
        version: String,
    },
    /// The project is limited to namespaces, but a kind with a controller is cluster-scoped.
    #[error(
        "{resource} is cluster-scoped, and no Role of this `--namespaced` project can grant it"
    )]
    OutOfReach {
        /// The version and kind.
        resource: String,
        /// True if the kind's CRD belongs to the project.
        own: bool,
    },
    /// The API server could not serve the objects of the kind.
    #[error(
        "the objects of {resource} could not be reached: the path of a cluster-scoped kind with the plural `namespaces` is taken for that of a namespace"
    )]
    Unreachable {
        /// The version and kind.
        resource: String,
    },
}

impl Error {
    /// Returns a [`Self::KindIsFixed`] error with the plural and scope of an existing resource.
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
