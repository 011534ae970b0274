//! Exit codes.

use std::process::ExitCode;

use crate::ops::Result;

/// That of a command that either does what it is for or fails.
pub fn done(result: Result<()>) -> Result<ExitCode> {
    result.map(|()| ExitCode::SUCCESS)
}
