//! `rustop lint` in an adopted project.

use std::path::Path;

use super::super::baseline::Baseline;
use super::super::{Refusal, Result, types};
use super::{generate, sources, typed};
use crate::adopted::{self, Config, copies};
use crate::crd::Attributes;
use crate::diagnostic::Diagnostic;
use crate::disk::regular;
use crate::session::Session;
use crate::sources::packages;

/// Checks the generated CRDs, and returns the warnings.
///
/// # Errors
/// Returns an error if the CRD command fails, if the API server would reject a CRD, or if there is
/// a warning and `deny_warnings` is set.
pub fn check(
    session: &Session,
    baseline: &Baseline,
    deny_warnings: bool,
) -> Result<Vec<Diagnostic>> {
    let config = Config::load(&session.dir)?;
    if config.crds.have_no_source() {
        return Err(Refusal::NoCrds.into());
    }
    let generated = generate(session, &config)?;
    // The copies only provide the files that diagnostics name, so a run works without them.
    let copies = copies::read(&session.dir, &config).unwrap_or_default();
    let mut crds = typed(&generated, &copies)?;
    let kube = kube(&session.dir);
    for crd in &mut crds {
        crd.attributes = Attributes::Kube(kube);
    }
    let sources = sources(&session.dir, &config);
    types::lint(
        session,
        &crds,
        &sources,
        &config.lint.resolve(),
        baseline,
        deny_warnings,
    )
}

/// Returns the major and minor version of kube in `Cargo.lock` or, without one, in the dependencies
/// of a package.
fn kube(dir: &Path) -> Option<(u32, u32)> {
    let lock = regular::text(&dir.join("Cargo.lock")).ok();
    let locked = lock.and_then(|lock| packages::locked(&lock, "kube"));
    locked.or_else(|| adopted::kube(dir))
}
