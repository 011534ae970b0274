//! Repeats the findings of `rustop simulate` on a control plane.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use super::control_plane::ControlPlane;
use crate::cluster::Dirs;
use crate::ops::{Result, runtime};
use crate::session::Session;
use crate::torture::{self, Campaign, Confirmation, Limits, SimulatedFinding};

/// The maximum number of operators that run in parallel.
const LANES: usize = 6;
/// Time limit for the runs of one finding.
const LONGEST: Duration = Duration::from_secs(180);

/// Repeats findings of simulations on the control plane of the project, and passes each result to
/// `done`, in the order of `findings`. For those that are not reached within `limit` after the
/// operator was built, the result says so. If it fails, there are fewer results.
///
/// # Errors
/// Returns an error if the control plane does not start, if the operator does not build, or if the
/// user interrupts the runs.
pub fn confirm(
    session: &Session,
    findings: &[SimulatedFinding],
    limit: Duration,
    mut done: impl FnMut(Confirmation),
) -> Result<()> {
    let dirs = Dirs::from_env()?;
    let runtime = runtime()?;
    let mut control_plane = ControlPlane::start(session, None, &dirs)?;
    let lanes = control_plane.lanes(session, LANES);
    let result = runtime.block_on(async {
        let deadline = Instant::now() + limit;
        // The namespaces of runs stay, so each environment continues their numbers.
        let mut runs = 0;
        // The findings of one simulation share its samples.
        for group in findings.chunk_by(|one, other| one.samples == other.samples) {
            control_plane.use_samples_of_simulation(&group[0].samples);
            let (mut environment, samples) = match control_plane.prepare(session, &[], lanes).await
            {
                Ok(prepared) => prepared,
                Err(error) if session.interrupt().is_pending() => return Err(error),
                Err(error) => {
                    let reason = error.to_string();
                    for _ in group {
                        done(Confirmation::not_tried(&reason));
                    }
                    continue;
                }
            };
            environment.runs = AtomicUsize::new(runs);
            let mut campaign = Campaign {
                oracle: torture::Oracle {
                    own: environment.own.clone(),
                    ..torture::Oracle::default()
                },
                environment: environment.into(),
                limits: Limits {
                    budget: LONGEST,
                    faults: usize::MAX,
                    lanes,
                    seed: 0,
                },
                terminal: session.terminal,
            };
            for finding in group {
                let left = deadline.saturating_duration_since(Instant::now());
                if left.is_zero() {
                    done(Confirmation::not_tried("no time was left for it"));
                    continue;
                }
                campaign.limits.budget = LONGEST.min(left);
                session.terminal.status(
                    "Confirming",
                    format_args!("{}: {}", finding.class, finding.message),
                );
                done(campaign.confirm(finding, &samples).await?);
            }
            runs = campaign.environment.runs.load(Ordering::Relaxed);
        }
        Ok(())
    });
    control_plane.stop(session, &dirs, false)?;
    result
}
