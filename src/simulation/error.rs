//! Errors that end a simulation without a verdict.

use std::path::PathBuf;

use super::{TEST_FILE, TEST_NAME};
use crate::error::{Failure, Io};
use crate::text::{indented, shell_word};

/// An error that ends a simulation without a verdict.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The test process ended before all simulations had ended.
    #[error(
        "the test `{TEST_NAME}` ended without a result ({status}):\n{}",
        indented(output)
    )]
    Crashed {
        /// The exit code or the signal.
        status: String,
        /// The last lines of its output.
        output: Vec<String>,
    },
    /// A simulation reported that it cannot run.
    #[error("the simulation `{simulation}` cannot run: {message}")]
    CannotRun {
        /// The name of its `#[test]`.
        simulation: String,
        /// The message of the manager, which contains the help.
        message: String,
    },
    /// A file, or the process of the test, cannot be used.
    #[error(transparent)]
    Io(#[from] Io),
    /// The finding to replay is one of another project.
    #[error("`{}` is a finding of the operator `{of}`, and this project is `{here}`", path.display())]
    OtherOperator {
        path: PathBuf,
        /// The name of the project in the file.
        of: String,
        /// The name of this project.
        here: String,
    },
    /// The project has no simulation.
    #[error("this project has no {TEST_FILE}")]
    NoTest,
    /// No test in the file runs a simulation.
    #[error("no test in {TEST_FILE} runs a simulation")]
    NoSimulation,
    /// The test that the finding names does not exist, or runs no simulation.
    #[error("{TEST_FILE} has no test `{simulation}`, which `{}` names", path.display())]
    NoSuchSimulation { simulation: String, path: PathBuf },
    /// The replay file is not valid.
    #[error("`{}` is not a finding of rustop simulate: {reason}", path.display())]
    Unreadable { path: PathBuf, reason: String },
}

impl Failure for Error {
    fn help(&self) -> Option<String> {
        Some(match self {
            Self::NoTest => "rustop create simulation".to_owned(),
            Self::NoSimulation => {
                "call `simulation().test(200)` in a `#[test]`; `rustop create simulation` shows it in an empty file".to_owned()
            }
            Self::Crashed { .. } => format!("cargo test --test {TEST_NAME} says more"),
            Self::OtherOperator { path, .. } => {
                let path = shell_word(&path.display().to_string());
                format!("rustop -C DIRECTORY simulate --replay {path}, with the directory of that project")
            }
            Self::NoSuchSimulation { simulation, .. } => {
                format!("rename the test with that simulation to `{simulation}`, or run rustop simulate")
            }
            Self::Unreadable { .. } => "pass a file that rustop simulate has written to target/simulation".to_owned(),
            Self::CannotRun { .. } | Self::Io(_) => return None,
        })
    }
}
