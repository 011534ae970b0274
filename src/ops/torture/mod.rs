//! The implementation of `rustop torture`: fault injection on a local control plane.

pub mod confirm;
mod control_plane;
mod external_operator;
mod options;
mod schemas;
mod shadow;
mod upgrade;
mod webhook_standby;

use std::process::ExitCode;
use std::time::Duration;

use serde_json::json;

use super::simulate::Simulate;
use super::subject::Subject;
use super::verdict::Verdict;
use super::{Error, Result, command_line, runtime, unless_interrupted};
use crate::cluster::Dirs;
use crate::error::Io;
use crate::project;
use crate::session::Session;
use crate::simulation;
use crate::torture::{self, Campaign, Limits, report};
use control_plane::ControlPlane;
pub use options::Torture;
pub use shadow::Shadow;
use upgrade::UpgradeRehearsal;

/// The part of the budget in which the operator is simulated first: one of so many.
const SIMULATED_SHARE: u32 = 5;

impl Torture {
    /// Runs the campaign, the replay or the rehearsal. Returns exit code 1 if it finds bugs or
    /// reproduces the finding, and 2 if it finds no bugs but tests too little.
    ///
    /// # Errors
    /// Returns an error if the run cannot be completed: there are no samples, the operator does not
    /// run, or Ctrl-C ends it.
    pub fn run(&self, session: &Session) -> Result<ExitCode> {
        let result = match self.old_version() {
            Some(from) => UpgradeRehearsal::new(from, self, session).run(session),
            None => self.run_or_replay(session),
        };
        result.map_err(|error| Error::NoVerdict(error.into()))
    }

    /// Runs a fault-injection campaign, or replays a finding if `replay` names one.
    fn run_or_replay(&self, session: &Session) -> Result<ExitCode> {
        let replayed = match &self.replay {
            Some(id) => Some(report::load(&session.dir.join(&self.out), id)?),
            None => None,
        };
        let Some(has_findings) = self.simulate_first(session)? else {
            return self.inject_faults(session, replayed, self.budget);
        };
        let budget = self.budget / SIMULATED_SHARE * (SIMULATED_SHARE - 1);
        let result = self.inject_faults(session, replayed, budget);
        if !has_findings {
            return result;
        }
        // There is a verdict, whatever follows.
        unless_interrupted(session, result)?;
        Ok(ExitCode::FAILURE)
    }

    /// Injects faults for the time `budget` at most, or replays the finding `replayed`.
    fn inject_faults(
        &self,
        session: &Session,
        replayed: Option<torture::Finding>,
        budget: Duration,
    ) -> Result<ExitCode> {
        let dirs = Dirs::from_env()?;
        let runtime = runtime()?;
        let scenarios = torture::read_custom_scenarios(&session.dir, &self.scenarios)?;
        let mut control_plane = ControlPlane::start(session, self.external.as_ref(), &dirs)?;
        let lanes = control_plane.lanes(session, self.lanes());
        let result = runtime.block_on(async {
            let (environment, samples) = control_plane.prepare(session, &scenarios, lanes).await?;
            let campaign = Campaign {
                oracle: torture::Oracle {
                    counted: environment.upstream.kinds.all_called(&self.count)?,
                    own: environment.own.clone(),
                },
                environment: environment.into(),
                limits: Limits {
                    budget,
                    faults: self.faults.unwrap_or(usize::MAX),
                    lanes,
                    seed: self.seed.unwrap_or_else(torture::seed),
                },
                terminal: session.terminal,
            };
            if let Some(finding) = replayed {
                return replay(session, &campaign, &finding, self.times).await;
            }
            let mut outcome = campaign.run(&samples).await?;
            if !project::is_at(&session.dir) {
                let findings = outcome.findings.iter_mut();
                for remedy in findings.filter_map(|it| it.remedy.as_mut()) {
                    *remedy = torture::remedy_without_marker(remedy);
                }
            }
            self.report(session, &campaign, &outcome)
        });
        let permissions = match &result {
            Ok(code) if self.replay.is_none() => {
                control_plane.print_permissions(session, *code != ExitCode::from(2))
            }
            _ => Ok(()),
        };
        control_plane.stop(session, &dirs, self.keep)?;
        permissions?;
        // After Ctrl-C, exit as interrupted, even though the results so far have been reported.
        session.interrupt().check()?;
        result
    }

    /// Simulates the operator for a part of the budget, unless an option says how to search or the
    /// project has no simulation: it tries thousands of histories in that time. Returns whether it
    /// has findings, or `None` if nothing was simulated.
    fn simulate_first(&self, session: &Session) -> Result<Option<bool>> {
        let has_simulation = session.dir.join(simulation::TEST_FILE).exists();
        if !has_simulation || !self.searches_by_default() || project::is_adopted(&session.dir) {
            return Ok(None);
        }
        // The simulation has the roles in config/rbac.
        Subject::load(session)?.write_manifests(session)?;
        match Simulate::before_torture(session, self.budget / SIMULATED_SHARE) {
            Err(Error::Simulation(simulation::Error::NoSimulation)) => Ok(None),
            result => unless_interrupted(session, result),
        }
    }

    /// Writes the report, prints the findings, and returns the exit code.
    fn report(
        &self,
        session: &Session,
        campaign: &Campaign,
        outcome: &torture::CampaignResult,
    ) -> Result<ExitCode> {
        let out = session.dir.join(&self.out);
        report::write(&out, outcome, campaign.limits.seed)?;
        session.report("report", report::document(outcome, campaign.limits.seed));
        let terminal = session.terminal;
        for finding in &outcome.findings {
            terminal.data(&report::text(finding))?;
        }
        for note in &outcome.notes {
            terminal.detail(note);
        }
        let page = out.join("report.html");
        let page = page.strip_prefix(".").unwrap_or(&page);
        terminal.status("Written", page.display());
        let (option, value) = if Some(outcome.tried) == self.faults {
            ("--faults", None)
        } else {
            let budget = self.budget.as_secs().div_ceil(60) * 4;
            ("--budget", Some(format!("{budget}m")))
        };
        let help = command_line::of_this_run(option, value.as_deref());
        let verdict = Verdict {
            finished: "Finished",
            failures: outcome.findings.len(),
            is_inconclusive: outcome.is_inconclusive(),
            is_interrupted: outcome.interrupted,
        };
        verdict.show(terminal, help, outcome.summary(campaign.limits.seed));
        Ok(verdict.exit_code())
    }
}

/// Implements the internal command `rustop cluster network`: sends a listening socket over stdin to
/// the `rustop torture` that started it, and keeps its network namespace until stdin is closed.
///
/// # Errors
/// Returns an error if the loopback interface cannot be started, or if stdin is not a socket of
/// rustop's.
pub fn hold_network() -> Result<()> {
    Ok(torture::hold_network().map_err(Io::on("use", "stdin"))?)
}

/// Replays a finding `times` times, and prints the journal and the operator's log of the last
/// replay that reproduced it.
async fn replay(
    session: &Session,
    campaign: &Campaign,
    finding: &torture::Finding,
    times: u32,
) -> Result<ExitCode> {
    let terminal = session.terminal;
    terminal.status(
        "Replaying",
        format_args!("{}: {}", finding.id, finding.message),
    );
    let (mut last, mut shown) = (None, 0);
    for time in 1..=times {
        let again = campaign.replay(finding).await?;
        shown += u32::from(again.is_some());
        last = again.or(last);
        if times > 1 {
            terminal.status("Shown", format_args!("{shown} of {time} times"));
        }
    }
    session.report(
        "replayed",
        json!({"id": finding.id, "times": times, "shown": shown}),
    );
    let Some(again) = last else {
        terminal.status("Passed", "the finding did not reproduce");
        return Ok(ExitCode::SUCCESS);
    };
    terminal.data(&report::journal_and_log(&again))?;
    terminal.status("Found", format_args!("{}: {}", again.class, again.message));
    Ok(ExitCode::FAILURE)
}
