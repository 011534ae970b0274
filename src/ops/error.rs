//! The error type of all operations. It wraps the errors of the other modules and those of the
//! operations themselves.

use heck::ToKebabCase as _;

use super::refusal::Refusal;
use crate::compat::baseline::BaselineError;
use crate::diagnostic::Problems;
use crate::error::{Failure, Io};
use crate::import::ImportError;
use crate::interrupt::Interrupted;
use crate::{
    adopted, bundle, cargo, chart, client, cluster, crd, dev, disk, migration, page, project,
    reference, simulation, terminal, torture,
};

/// The result of an operation.
pub type Result<T> = std::result::Result<T, Error>;

/// An error that ends an operation.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub enum Error {
    Adopted(#[from] adopted::Error),
    Bundle(#[from] bundle::Error),
    Cargo(#[from] cargo::Error),
    Chart(#[from] chart::Error),
    Client(#[from] client::Error),
    Cluster(#[from] cluster::Error),
    Crd(#[from] crd::Error),
    Dev(#[from] dev::Error),
    Disk(#[from] disk::Error),
    Import(#[from] ImportError),
    Interrupted(#[from] Interrupted),
    Io(#[from] Io),
    Migration(#[from] migration::Error),
    /// An error that ended a run before it reached a verdict. Its exit code is never 1, which
    /// stands for a bad verdict.
    NoVerdict(Box<Self>),
    Page(#[from] page::Error),
    Problems(#[from] Problems),
    Project(#[from] project::Error),
    Reference(#[from] reference::Error),
    Refusal(#[from] Refusal),
    Simulation(#[from] simulation::Error),
    Terminal(#[from] terminal::Error),
    Torture(#[from] torture::Error),
    Baseline(#[from] BaselineError),
}

impl Error {
    /// Reports whether a signal ended the operation.
    pub fn is_interruption(&self) -> bool {
        match self {
            Self::NoVerdict(error) => error.is_interruption(),
            Self::Interrupted(_) | Self::Torture(torture::Error::Interrupted) => true,
            _ => false,
        }
    }

    /// Returns the wrapped error, also if `NoVerdict` wraps it.
    fn inner(&self) -> &dyn Failure {
        match self {
            Self::Adopted(error) => error,
            Self::Bundle(error) => error,
            Self::Cargo(error) => error,
            Self::Chart(error) => error,
            Self::Client(error) => error,
            Self::Cluster(error) => error,
            Self::Crd(error) => error,
            Self::Dev(error) => error,
            Self::Disk(error) => error,
            Self::Import(error) => error,
            Self::Interrupted(error) => error,
            Self::Io(error) => error,
            Self::Migration(error) => error,
            Self::NoVerdict(error) => error.inner(),
            Self::Page(error) => error,
            Self::Problems(error) => error,
            Self::Project(error) => error,
            Self::Reference(error) => error,
            Self::Refusal(error) => error,
            Self::Simulation(error) => error,
            Self::Terminal(error) => error,
            Self::Torture(error) => error,
            Self::Baseline(error) => error,
        }
    }

    /// Returns the error without `NoVerdict`.
    pub fn unwrapped(&self) -> &Self {
        match self {
            Self::NoVerdict(error) => error.unwrapped(),
            error => error,
        }
    }

    /// Returns the compiler's errors, or `None` if the operation did not fail because of them.
    pub fn compiler(&self) -> Option<&str> {
        match self.unwrapped() {
            Self::Cargo(error) | Self::Crd(crd::Error::Cargo(error)) => error.compiler(),
            _ => None,
        }
    }

    /// Returns the code of the error in JSON output (`docs/output.md`): the variant of the wrapped
    /// error in kebab case, such as `project-exists`, or its type if it is a struct. Renaming such
    /// a variant is a breaking change.
    pub fn code(&self) -> String {
        let name = format!("{:?}", self.inner());
        let end = name.find(|c: char| !c.is_ascii_alphanumeric());
        name[..end.unwrap_or(name.len())].to_kebab_case()
    }

    /// Returns the file that the error is about, and the line counted from 1. If the error is about
    /// several files, returns the first one. `None` if it is not about a file.
    pub fn place(&self) -> Option<(String, Option<usize>)> {
        match self.unwrapped() {
            Self::Problems(found) => {
                let first = found.0.first()?;
                Some((first.path.display().to_string(), first.line()))
            }
            Self::Io(error) | Self::Disk(disk::Error::Io(error)) => {
                Some((error.path.display().to_string(), None))
            }
            Self::Refusal(Refusal::WouldOverwrite { paths }) => {
                Some((paths.first()?.clone(), None))
            }
            Self::Refusal(Refusal::Unmerged { places } | Refusal::Conflicts { places }) => {
                let (path, line) = places.first()?.rsplit_once(':')?;
                Some((path.to_owned(), line.parse().ok()))
            }
            Self::Reference(reference::Error::StaleDocs {
                path, difference, ..
            }) => Some((path.clone(), difference.as_ref().map(|(line, _)| *line))),
            Self::Refusal(Refusal::ControllerUnwritten { path, line }) => {
                Some((path.clone(), Some(*line)))
            }
            _ => None,
        }
    }
}

impl Failure for Error {
    fn help(&self) -> Option<String> {
        self.inner().help()
    }

    fn is_report(&self) -> bool {
        self.inner().is_report()
    }

    fn exit_code(&self) -> u8 {
        match (self, self.inner().exit_code()) {
            (Self::NoVerdict(_), 1) => 2,
            (_, code) => code,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_compilers_errors_are_those_of_the_wrapped_error() {
        let build = || cargo::Error::Build {
            target: "crdgen".to_owned(),
            command: "cargo build".to_owned(),
            compiler_errors: "mismatched types".to_owned(),
        };
        for error in [Error::from(build()), crd::Error::Cargo(build()).into()] {
            let wrapped = Error::NoVerdict(error.into());
            assert_eq!(wrapped.compiler(), Some("mismatched types"));
        }
        let other = Error::NoVerdict(Error::from(Interrupted { signal: 2 }).into());
        assert_eq!(other.compiler(), None);
    }
}
