//! The errors of `rustop docs`.

use std::path::PathBuf;

use crate::error::Failure;
use crate::terminal::escaped_line;
use crate::text::shell_word;

/// A reason why there is no current reference.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A CRD is not of `apiextensions.k8s.io/v1`, or lacks its group, scope, kind, plural, versions
    /// or a schema.
    #[error("the CRD `{name}` {reason}")]
    CannotDocument {
        name: String,
        /// The predicate of the message.
        reason: &'static str,
        help: &'static str,
    },
    /// A file or a directory has no CRDs.
    #[error("no CustomResourceDefinition in {place}")]
    NoCrdsIn {
        /// The name of the place, with backticks if it is a path.
        place: String,
    },
    /// An address, from which CRDs are not downloaded.
    #[error(
        "`{}` is an address; `--crds` takes files and directories",
        escaped_line(url)
    )]
    AddressOfCrds { url: String },
    /// A path of samples does not exist.
    #[error("the samples `{}` do not exist", path.display())]
    NoSamplesAt { path: PathBuf },
    /// The project has no kinds with a CRD.
    #[error("this project has no kinds")]
    NoKinds,
    /// A sample cannot be read.
    #[error("the sample `{}` {reason}", path.display())]
    BadSample {
        path: PathBuf,
        /// The predicate of the message.
        reason: String,
    },
    /// There is neither a project nor a path of CRDs.
    #[error("`{}` is not in a project", dir.display())]
    NoProjectToDocument {
        /// The directory where the search began.
        dir: PathBuf,
    },
    /// The reference is missing or stale.
    #[error("`{}` {}", escaped_line(path), match difference {
        Some((line, lines)) => format!("is stale; the first difference is in line {line}:\n{lines}"),
        None => "does not exist".to_owned(),
    })]
    StaleDocs {
        /// The path of the file.
        path: String,
        /// The number of the first line that differs, and both versions of it as two lines of a
        /// diff; `None` if the file does not exist.
        difference: Option<(usize, String)>,
        /// The command that writes the file.
        command: String,
    },
}

impl Failure for Error {
    fn is_report(&self) -> bool {
        matches!(self, Self::StaleDocs { .. })
    }

    fn help(&self) -> Option<String> {
        let help = match self {
            Self::CannotDocument { help, .. } => help,
            Self::NoCrdsIn { .. } => {
                "pass a file that contains CRDs, or its directory, with `--crds`"
            }
            Self::AddressOfCrds { url } => {
                let url = escaped_line(&shell_word(url));
                return Some(format!(
                    "curl --fail --location --output crds.yaml {url} && rustop docs --crds crds.yaml"
                ));
            }
            Self::NoSamplesAt { .. } => "pass a file or a directory that exists with `--samples`",
            Self::BadSample { .. } => "correct the sample",
            Self::NoKinds => "rustop create api --kind Lolcow",
            Self::NoProjectToDocument { .. } => {
                "pass the project's directory with `-C DIR`, or files or directories of CRDs with `--crds`"
            }
            Self::StaleDocs { command, .. } => return Some(escaped_line(command)),
        };
        Some(help.to_owned())
    }
}
