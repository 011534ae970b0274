//! The operation of `rustop simulate`: runs the simulations of the project's test.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Duration;

use clap::{Args, ValueEnum};
use serde_json::json;

use super::torture::confirm::confirm;
use super::values::seconds;
use super::verdict::Verdict;
use super::{Error, Result, command_line, unless_interrupted};
use crate::cargo::{self, BuildTarget};
use crate::cluster::{self, Dirs};
use crate::project::{self, Project};
use crate::session::Session;
use crate::simulation::{
    self, Finding, Instructions, Outcome, Replay, StoredFinding, TEST_FILE, TEST_NAME, TestProcess,
    UserObjects, report,
};
use crate::torture::{self, Confirmation, SimulatedFinding};

/// Time limit for the confirmation of all findings, after the operator was built.
const CONFIRMATION_LIMIT: Duration = Duration::from_secs(300);
/// The default directory of the report.
const OUT: &str = "target/simulation";

/// Runs of the project's simulations, or the replay of one finding.
#[derive(Args, Debug)]
pub struct Simulate {
    /// Number of histories of each simulation
    #[arg(long, value_name = "NUMBER", conflicts_with = "budget")]
    pub seeds: Option<usize>,
    /// Time limit of each simulation
    #[arg(long, value_name = "DURATION", default_value = "60s", value_parser = seconds)]
    pub budget: Duration,
    /// Seed from which all histories follow [default: random]
    #[arg(long, value_name = "NUMBER")]
    pub seed: Option<u64>,
    /// Replay the finding in FILE, and print its history
    #[arg(long, value_name = "FILE", conflicts_with_all = ["seeds", "budget", "seed"])]
    pub replay: Option<PathBuf>,
    /// Build with optimizations: the first build takes minutes, and each history a fraction of the
    /// time
    #[arg(long)]
    pub release: bool,
    /// Repeat each finding on a local control plane; `--confirm` alone means `always`
    #[arg(long, value_name = "WHEN", value_enum, default_value = "auto",
          num_args = 0..=1, default_missing_value = "always", require_equals = true)]
    pub confirm: Confirm,
    /// Directory of the report
    #[arg(long, value_name = "DIR", default_value = OUT)]
    pub out: PathBuf,
}

/// The cases in which findings are repeated on a local control plane.
#[derive(Clone, Copy, Debug, Eq, PartialEq, ValueEnum)]
pub enum Confirm {
    /// New findings are, if a control plane is installed
    Auto,
    /// New findings and that of `--replay` are; a missing control plane is installed
    Always,
    /// No finding is
    Never,
}

impl Simulate {
    /// Runs the simulations or the replay. Returns exit code 1 if there are findings, and 2 if
    /// there are none but too few faults were tried for a verdict.
    ///
    /// # Errors
    /// Returns an error if there is no verdict, because the project has no simulation, or because
    /// it does not build or run.
    pub fn run(&self, session: &Session) -> Result<ExitCode> {
        self.simulate(session)
            .map_err(|error| Error::NoVerdict(error.into()))
    }

    /// Searches for bugs before `rustop torture` does, for the time `budget`, and confirms them.
    /// Writes the report, prints the findings and the numbers, and returns true if there are
    /// findings.
    ///
    /// # Errors
    /// Returns an error if the simulations do not build or run, or if a signal ends them.
    pub fn before_torture(session: &Session, budget: Duration) -> Result<bool> {
        let simulate = Self {
            seeds: None,
            budget,
            seed: None,
            replay: None,
            release: false,
            confirm: Confirm::Always,
            out: PathBuf::from(OUT),
        };
        let project = simulated_project(session)?;
        let binary = simulate.build(session)?;
        let process = process(session, &binary);
        let operator = project.project_name.as_str();
        let (outcome, seed) = simulate.search(session, &process, operator, "simulation")?;
        let terminal = session.terminal;
        if let Some(failure) = &outcome.failure {
            terminal.warning_of(failure);
        }
        terminal.status("Simulated", outcome.summary(seed));
        session.interrupt().check()?;
        Ok(outcome.findings().next().is_some())
    }

    fn simulate(&self, session: &Session) -> Result<ExitCode> {
        let project = simulated_project(session)?;
        let operator = project.project_name.as_str();
        let replayed = match self.replayed(session) {
            Some(path) => Some(simulation::load(&path, operator)?),
            None => None,
        };
        let binary = self.build(session)?;
        let process = process(session, &binary);
        match &replayed {
            Some(stored) => self.replay(session, &process, stored),
            None => self.campaign(session, &process, operator),
        }
    }

    /// Builds the test, and returns the path of its executable.
    fn build(&self, session: &Session) -> Result<PathBuf> {
        let test = if self.release {
            BuildTarget::OptimizedTest(TEST_NAME)
        } else {
            BuildTarget::Test(TEST_NAME)
        };
        let (target, concurrent) = (session.target(), session.concurrent());
        Ok(cargo::build(&session.dir, test, target, concurrent)?)
    }

    /// Returns the file of the finding to replay.
    fn replayed(&self, session: &Session) -> Option<PathBuf> {
        let path = self.replay.as_ref()?;
        Some(session.here.join(path))
    }

    /// Runs all simulations within the limit, and prints the result.
    fn campaign(
        &self,
        session: &Session,
        process: &TestProcess<'_>,
        operator: &str,
    ) -> Result<ExitCode> {
        let (mut outcome, seed) = self.search(session, process, operator, "report")?;
        if let Some(failure) = outcome.failure.take() {
            return Err(failure.into());
        }
        let verdict = Verdict {
            finished: "Finished",
            failures: outcome.findings().count(),
            is_inconclusive: outcome.is_inconclusive(),
            is_interrupted: outcome.interrupted,
        };
        let (option, value) = self.longer();
        let help = command_line::of_this_run(option, Some(&value));
        verdict.show(session.terminal, help, outcome.summary(seed));
        // After Ctrl-C, exit as interrupted, even though the results so far have been reported.
        session.interrupt().check()?;
        Ok(verdict.exit_code())
    }

    /// Runs all simulations within the limit, confirms the findings, writes the report, and prints
    /// the findings. `field` is that of the report in the output for programs. Also returns the
    /// seed.
    fn search(
        &self,
        session: &Session,
        process: &TestProcess<'_>,
        operator: &str,
        field: &'static str,
    ) -> Result<(Outcome, u64)> {
        let seed = self.seed.unwrap_or_else(torture::seed);
        let instructions = Instructions {
            histories: self.seeds,
            seconds: self.seeds.is_none().then_some(self.budget.as_secs()),
            seed: Some(seed),
            ..Instructions::default()
        };
        let mut outcome = process.run(instructions, None)?;
        if outcome.simulations.is_empty() && !outcome.interrupted {
            return Err(simulation::Error::NoSimulation.into());
        }
        let out = session.dir.join(&self.out);
        let write = |outcome: &Outcome| report::write(outcome, seed, operator, &out, &session.here);
        let mut written = write(&outcome);
        let confirmed = self.confirm_findings(session, &mut outcome);
        let is_confirmed = |(_, it): (_, &Finding)| it.confirmation.is_some();
        if written.is_ok() && outcome.findings().any(is_confirmed) {
            written = write(&outcome);
        }
        session.report(field, report::document(&outcome, seed, &out));
        for (_, finding) in outcome.findings() {
            let text = report::text(finding, &out, &session.here);
            session.terminal.data(&text)?;
        }
        // The findings are printed whatever fails.
        written?;
        confirmed?;
        Ok((outcome, seed))
    }

    /// Repeats the findings on a control plane if the user wants that, and stores the results in
    /// them. The findings count without it, so an error is only a warning.
    ///
    /// # Errors
    /// Returns an error if the user interrupts it.
    fn confirm_findings(&self, session: &Session, outcome: &mut Outcome) -> Result<()> {
        let terminal = session.terminal;
        if outcome.findings().next().is_none() || outcome.interrupted {
            return Ok(());
        }
        let is_installed = || Dirs::from_env().is_ok_and(|dirs| !cluster::is_missing(&dirs));
        match self.confirm {
            Confirm::Never => return Ok(()),
            Confirm::Auto if !is_installed() => {
                terminal.note(
                    "help: after `rustop cluster install`, findings are repeated on a real control plane",
                );
                return Ok(());
            }
            Confirm::Auto | Confirm::Always => {}
        }
        let mut findings = Vec::new();
        for (objects, finding) in outcome.findings_mut() {
            let simulated = simulated(objects, finding);
            match simulated.schedule() {
                Ok(_) => findings.push((simulated, finding)),
                Err(reason) => finding.confirmation = Some(Confirmation::not_tried(reason)),
            }
        }
        if findings.is_empty() {
            return Ok(());
        }
        let (simulated, mut findings): (Vec<_>, Vec<_>) = findings.into_iter().unzip();
        let mut next = findings.iter_mut();
        let confirmed = confirm(session, &simulated, CONFIRMATION_LIMIT, |confirmation| {
            if let Some(finding) = next.next() {
                finding.confirmation = Some(confirmation);
            }
        });
        if let Err(error) = &confirmed {
            for finding in findings {
                let reason = || Confirmation::not_tried(error.to_string());
                finding.confirmation.get_or_insert_with(reason);
            }
        }
        unless_interrupted(session, confirmed).map(drop)
    }

    /// Returns the option that limits the histories, with four times the value that the user has
    /// given.
    fn longer(&self) -> (&'static str, String) {
        self.seeds.map_or_else(
            || {
                let seconds = self.budget.as_secs().max(15) * 4;
                ("--budget", format!("{seconds}s"))
            },
            |histories| ("--seeds", histories.saturating_mul(4).to_string()),
        )
    }

    /// Replays a finding, and prints its history.
    fn replay(
        &self,
        session: &Session,
        process: &TestProcess<'_>,
        stored: &StoredFinding,
    ) -> Result<ExitCode> {
        let terminal = session.terminal;
        let finding = &stored.finding;
        terminal.status(
            "Replaying",
            format_args!("{}: {}", finding.class, finding.message),
        );
        let instructions = Instructions {
            replay: Some(finding.schedule.clone()),
            ..Instructions::default()
        };
        let mut outcome = process.run(instructions, Some(&stored.simulation))?;
        session.interrupt().check()?;
        let result = outcome.simulations.remove(&stored.simulation);
        let mut result = result.unwrap_or_default();
        let Some(replay) = result.replay.take() else {
            return Err(simulation::Error::NoSuchSimulation {
                simulation: stored.simulation.clone(),
                path: self.replayed(session).unwrap_or_default(),
            }
            .into());
        };
        let code = tell_replay(session, &replay)?;
        if self.confirm != Confirm::Always {
            return Ok(code);
        }
        // The operator may have another bug by now.
        let is_stored = |it: &&Finding| it.class == finding.class;
        let mut shown = replay.findings.iter();
        let shown = shown.find(is_stored).or(replay.findings.first());
        let simulated = [simulated(&result.objects, shown.unwrap_or(finding))];
        let mut is_confirmed = false;
        let confirmed = confirm(session, &simulated, CONFIRMATION_LIMIT, |confirmation| {
            is_confirmed = matches!(confirmation, Confirmation::Confirmed { .. });
            session.report("confirmation", json!(confirmation));
            terminal.status("Repeated", confirmation);
        });
        unless_interrupted(session, confirmed)?;
        if is_confirmed {
            return Ok(ExitCode::FAILURE);
        }
        Ok(code)
    }
}

/// Returns the process of the test `binary`, which ends with rustop.
fn process<'a>(session: &'a Session, binary: &'a Path) -> TestProcess<'a> {
    TestProcess {
        root: &session.dir,
        binary,
        command: |program| cluster::tethered(&Command::new(program)),
        terminal: session.terminal,
        interrupt: session.interrupt(),
        silence_limit: simulation::SILENCE_LIMIT,
    }
}

/// Reads the project, and checks that it has a simulation.
///
/// # Errors
/// Returns an error if it has none, or if another release of rustop has written it.
fn simulated_project(session: &Session) -> Result<Project> {
    if project::is_adopted(&session.dir) {
        return Err(simulation::Error::Adopted.into());
    }
    let project = Project::load(&session.dir)?;
    project.check_version()?;
    if !session.dir.join(TEST_FILE).exists() {
        return Err(simulation::Error::NoTest.into());
    }
    Ok(project)
}

/// Returns a finding in the terms of `rustop torture`. `objects` are those of its simulation.
fn simulated(objects: &UserObjects, finding: &Finding) -> SimulatedFinding {
    SimulatedFinding {
        class: finding.class.clone(),
        object: finding.object.clone(),
        message: finding.message.clone(),
        schedule: finding.schedule.clone(),
        samples: objects.samples.clone(),
        edits: objects.edits.clone(),
    }
}

/// Prints the history of a replay and the bugs that it shows. Returns exit code 1 if there are any.
fn tell_replay(session: &Session, replay: &Replay) -> Result<ExitCode> {
    let terminal = session.terminal;
    session.report(
        "replayed",
        json!({
            "findings": replay.findings.iter().map(|it| json!({
                "class": it.class, "object": it.object, "message": it.message,
            })).collect::<Vec<_>>(),
            "timeline": replay.timeline,
            "unused": replay.unused,
        }),
    );
    let mut timeline = replay.timeline.join("\n");
    timeline.push('\n');
    terminal.data(&timeline)?;
    for fault in &replay.unused {
        terminal.warning(format_args!(
            "the fault at {fault} was not injected: this request or watch event did not occur"
        ));
    }
    for found in &replay.findings {
        terminal.status("Found", format_args!("{}: {}", found.class, found.message));
    }
    if replay.findings.is_empty() {
        terminal.status("Passed", "the history shows no bug");
        return Ok(ExitCode::SUCCESS);
    }
    Ok(ExitCode::FAILURE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_help_repeats_the_limit_that_was_given() {
        for (seeds, help) in [(Some(10), ("--seeds", "40")), (None, ("--budget", "240s"))] {
            let operation = Simulate {
                release: false,
                confirm: Confirm::Auto,
                seeds,
                budget: Duration::from_secs(60),
                seed: None,
                replay: None,
                out: PathBuf::new(),
            };
            let (option, value) = operation.longer();
            assert_eq!((option, value.as_str()), help);
        }
    }
}
