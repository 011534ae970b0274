//! `rustop lint` in an adopted project.

use super::super::baseline::Baseline;
use super::super::{Refusal, Result, types};
use super::{generate, sources, typed};
use crate::adopted::{Config, copies};
use crate::diagnostic::Diagnostic;
use crate::session::Session;

/// Checks the generated CRDs, and returns the warnings.
///
/// # Errors
/// Returns an error if the CRD command fails, if the API server would reject a CRD, or if there is a warning and
/// `deny_warnings` is set.
pub fn check(
    session: &Session,
    baseline: &Baseline,
    deny_warnings: bool,
) -> Result<Vec<Diagnostic>> {
    let config = Config::load(&session.dir)?;
    if config.crds.command.is_none() && config.crds.files.is_empty() {
        return Err(Refusal::NoCrds.into());
    }
    let generated = generate(session, &config)?;
    let copies = copies::read(&session.dir, &config).unwrap_or_default();
    let crds = typed(&generated, &copies)?;
    let sources = sources(&session.dir);
    types::lint(
        session,
        &crds,
        &sources,
        &config.lint.resolve(),
        baseline,
        deny_warnings,
    )
}
