//! Errors that end a simulation without a verdict.

use std::path::{self, PathBuf};

use super::panic::Panic;
use super::{TEST_FILE, TEST_NAME};
use crate::error::{Failure, Io};
use crate::text::{indented, shell_word};

/// An error that ends a simulation without a verdict.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The project is adopted, and its operator may not use the manager.
    #[error(
        "an adopted operator cannot be simulated: a simulation needs an operator that runs on rustop-manager"
    )]
    Adopted,
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
    /// A test panicked instead of reporting a result.
    #[error(
        "the test `{TEST_NAME}` panicked{}:\n{}",
        _0.place.as_ref().map(|place| format!(" at {place}")).unwrap_or_default(),
        indented(&_0.message)
    )]
    Panicked(Panic),
    /// A simulation reported that it cannot run.
    #[error("the simulation `{simulation}` cannot run: {message}")]
    CannotRun {
        /// The name of its `#[test]`.
        simulation: String,
        /// The message of the manager, which contains the help.
        message: String,
    },
    /// The project already has the test.
    #[error("this project has a simulation, in {TEST_FILE}")]
    Exists,
    /// A file, or the process of the test, cannot be used.
    #[error(transparent)]
    Io(#[from] Io),
    /// The finding to replay is one of another project.
    #[error("`{}` is a finding of the operator `{of}`, and this project is `{here}`", path.display())]
    OtherOperator {
        /// The file of the finding.
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
    /// The project has no kind that can be simulated.
    #[error("{}", match in_the_way {
        Some(kind) => format!("{TEST_FILE} is the test of {kind}"),
        None => "no kind of this project has a controller and a sample, so there is nothing to simulate".to_owned(),
    })]
    NothingToSimulate {
        /// The version and kind whose test has the path of the simulation. `None` if there are no
        /// controllers with a sample.
        in_the_way: Option<String>,
    },
    /// The test that the finding names does not exist, or runs no simulation.
    #[error("{TEST_FILE} has no test `{simulation}`, which `{}` names", path.display())]
    NoSuchSimulation { simulation: String, path: PathBuf },
    /// A history does not end, because the operator blocks its thread.
    #[error("the simulation `{simulation}` made no progress for {seconds} seconds")]
    Stuck {
        /// The name of its `#[test]`.
        simulation: String,
        seconds: u64,
    },
    /// The replay file is not valid.
    #[error("`{}` is not a finding of rustop simulate: {reason}", path.display())]
    Unreadable { path: PathBuf, reason: String },
}

impl Failure for Error {
    fn is_report(&self) -> bool {
        matches!(self, Self::Crashed { .. } | Self::Panicked(_))
    }

    fn help(&self) -> Option<String> {
        Some(match self {
            Self::Adopted => "rustop torture".to_owned(),
            Self::Exists => "rustop simulate".to_owned(),
            Self::NothingToSimulate { in_the_way: None } => "rustop create api --kind Lolcow".to_owned(),
            Self::NothingToSimulate { .. } => {
                "add `simulation().test(200)` to that test by hand; the documentation of rustop_manager::simulation has an example".to_owned()
            }
            Self::NoTest => "rustop create simulation".to_owned(),
            Self::NoSimulation => {
                "call `simulation().test(200)` in a `#[test]`; `rustop create simulation` shows it in an empty file".to_owned()
            }
            Self::Crashed { .. } => format!("run `cargo test --test {TEST_NAME}` for details"),
            Self::Panicked(Panic { help: Some(help), .. }) => help.clone(),
            Self::Panicked(_) => {
                format!("run `RUST_BACKTRACE=1 cargo test --test {TEST_NAME}` for a backtrace")
            }
            Self::OtherOperator { path, .. } => {
                // `--replay` is relative to the directory of `-C`.
                let path = path::absolute(path).unwrap_or_else(|_| path.clone());
                let path = shell_word(&path.display().to_string());
                format!("rustop -C DIRECTORY simulate --replay {path}, with the directory of that project")
            }
            Self::NoSuchSimulation { simulation, .. } => {
                format!("rename the test with that simulation to `{simulation}`, or run rustop simulate")
            }
            Self::Stuck { .. } => {
                "wait with `tokio::time::sleep` instead of `std::thread::sleep`, and look for a loop without an end".to_owned()
            }
            Self::Unreadable { .. } => "pass a file that rustop simulate has written to target/simulation".to_owned(),
            Self::CannotRun { .. } | Self::Io(_) => return None,
        })
    }
}
