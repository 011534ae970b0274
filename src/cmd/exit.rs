//! Exit codes.

use std::process::ExitCode;

use crate::ops::Result;

/// Returns the exit code of a command without other results than success and failure.
pub fn done(result: Result<()>) -> Result<ExitCode> {
    result.map(|()| ExitCode::SUCCESS)
}
