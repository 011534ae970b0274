//! Runs the findings of `rustop simulate` on a control plane.

use std::time::Duration;

use super::control_plane::ControlPlane;
use crate::cluster::Dirs;
use crate::ops::{Result, runtime};
use crate::session::Session;
use crate::torture::{self, Campaign, Confirmation, Limits, SimulatedFinding};

/// The maximum number of operators that run in parallel.
const LANES: usize = 6;
/// Time limit for the runs of one finding.
const TIME_LIMIT: Duration = Duration::from_secs(180);

/// Runs findings of a simulation on the control plane of the project, and passes each result to
/// `done`, in the order of `findings`. If it fails, there are fewer results.
///
/// # Errors
/// Returns an error if the control plane does not start, or if the operator does not build or run.
pub fn confirm(
    session: &Session,
    findings: &[SimulatedFinding],
    mut done: impl FnMut(Confirmation),
) -> Result<()> {
    let dirs = Dirs::from_env()?;
    let runtime = runtime()?;
    let mut control_plane = ControlPlane::start(session, None, &dirs)?;
    let lanes = control_plane.lanes(session, LANES);
    let result = runtime.block_on(async {
        // The findings of one simulation share its samples.
        for group in findings.chunk_by(|one, other| one.samples == other.samples) {
            control_plane.use_samples(&group[0].samples);
            let (environment, samples) = control_plane.prepare(session, &[], lanes).await?;
            let campaign = Campaign {
                oracle: torture::Oracle {
                    own: environment.own.clone(),
                    ..torture::Oracle::default()
                },
                environment: environment.into(),
                limits: Limits {
                    budget: TIME_LIMIT,
                    faults: usize::MAX,
                    lanes,
                    seed: 0,
                },
                terminal: session.terminal,
            };
            for finding in group {
                session.terminal.status(
                    "Confirming",
                    format_args!("{}: {}", finding.class, finding.message),
                );
                done(campaign.confirm(finding, &samples).await?);
            }
        }
        Ok(())
    });
    control_plane.stop(session, &dirs, false)?;
    result
}
