//! The implementation of `rustop torture --upgrade-from`: rehearses the upgrade from an old version
//! of the operator.
//!
//! See docs/torture.md, "Rehearse an upgrade". The old version converges on all states. The new
//! version takes them over, is killed in some, runs next to the old one in others, and is rolled
//! back in one namespace per sample.

mod checkout;
mod refusals;

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::AtomicUsize;
use std::time::Instant;

use super::control_plane::{ControlPlane, OtherVersion};
use super::options::{OldVersion, Torture};
use crate::cluster::Dirs;
use crate::error::causes;
use crate::ops::verdict::Verdict;
use crate::ops::{Error, Result, command_line, runtime};
use crate::session::Session;
use crate::torture::UPGRADE_FILE;
use crate::torture::upgrade::allowance::Allowances;
use crate::torture::upgrade::change::{Effect, ObjectDifference};
use crate::torture::upgrade::{
    NewPass, OldPass, OldState, RehearsalLimits, RollbackPass, UpgradeResult, report,
};
use crate::torture::{self, CustomScenario, Rollout};
use checkout::{Checkout, short};

/// Runs of the new version are numbered from here. A namespace is named after the number of its
/// run, and those of the old version still exist.
const FIRST_NEW_RUN: usize = 50_000;

/// A rehearsal of the upgrade from an old version of the operator.
pub struct UpgradeRehearsal<'a> {
    from: OldVersion,
    /// The options of the command. `budget` is the time for both versions on all states, without
    /// builds. The new version gets at least a quarter of it. A rolling update and a rollback have
    /// their own limits.
    options: &'a Torture,
    /// The directory of the reports.
    out: PathBuf,
}

impl<'a> UpgradeRehearsal<'a> {
    /// Creates a rehearsal that writes its reports into the directory of the option `out`, relative
    /// to the project.
    pub fn new(from: OldVersion, options: &'a Torture, session: &Session) -> Self {
        Self {
            from,
            options,
            out: session.dir.join(&options.out),
        }
    }

    /// Runs the rehearsal. Returns exit code 1 if the upgrade makes a harmful change that no
    /// allowance covers, and 2 if there is none, but too few states, or not every crash, rolling
    /// update and rollback, were rehearsed.
    ///
    /// # Errors
    /// Returns an error if there is no verdict, because there are no samples or a version does not
    /// run.
    pub fn run(&self, session: &Session) -> Result<ExitCode> {
        self.options.check_old_program()?;
        let allowances = Allowances::read(&session.dir, &self.options.scenarios)?;
        let (dirs, runtime) = (Dirs::from_env()?, runtime()?);
        // The build runs under the lock of the control plane: a second rehearsal would switch the
        // same worktree to another commit.
        let build = || {
            let (session, version) = self.old(session)?;
            let scenarios = torture::read_custom_scenarios(&session.dir, &self.options.scenarios)?;
            Ok((session, version, scenarios))
        };
        let (mut control_plane, (old_session, old, scenarios)) =
            ControlPlane::start_after(session, self.options.external.as_ref(), &dirs, build)?;
        let result: Result<UpgradeResult> = runtime.block_on(async {
            let began = Instant::now();
            let new = control_plane.switch_to(session, old)?;
            let mut limits = RehearsalLimits {
                budget: self.options.budget,
                lanes: control_plane.lanes(&old_session, self.options.lanes()),
                seed: self.options.seed.unwrap_or_else(torture::seed),
            };
            let prepared = control_plane.prepare(&old_session, &scenarios, limits.lanes);
            let (environment, samples) = prepared.await.map_err(|error| self.of_old(error))?;
            let own = environment.own.clone();
            let old_program = environment
                .program
                .with_arguments(environment.election.clone());
            let pass = OldPass {
                environment: environment.into(),
                limits,
                terminal: session.terminal,
            };
            let states = pass.run(&samples).await;
            let states = states.map_err(|error| self.of_old(error.into()))?;
            // Ends the watches of this version before the manifests change.
            drop(pass);
            if states.is_interrupted() {
                return Err(torture::Error::Interrupted.into());
            }
            let old = control_plane.switch_to(&old_session, new)?;
            limits.lanes = control_plane.lanes(session, limits.lanes);
            let mut environment = match control_plane.prepare(session, &[], limits.lanes).await {
                Ok((environment, _)) => environment,
                Err(error) => {
                    let changes =
                        refusals::of_installation(error, &control_plane, states.all()).await?;
                    let took = began.elapsed();
                    return Ok(UpgradeResult::stopped(changes, states, limits.seed, took));
                }
            };
            let rejected = control_plane.take_rejected();
            environment.runs = AtomicUsize::new(FIRST_NEW_RUN);
            environment.own.extend(own);
            let pass = NewPass {
                rollout: Rollout {
                    old: old_program,
                    election: environment.election.clone(),
                },
                environment: environment.into(),
                limits,
                terminal: session.terminal,
            };
            let upgraded = pass.run(states, began).await?;
            // Ends the watches of this version before the manifests change.
            drop(pass);
            let mut result = upgraded.result;
            let rejected = rejected.iter().filter_map(refusals::rejected_manifest);
            result.add(rejected.collect());
            if !upgraded.to_roll_back.is_empty() && !result.interrupted {
                let states = upgraded.to_roll_back;
                let rolled_back = match control_plane.switch_to(session, old) {
                    Ok(_) => {
                        self.roll_back(
                            &mut control_plane,
                            &old_session,
                            &scenarios,
                            states,
                            &mut result,
                        )
                        .await
                    }
                    Err(error) => Err(error),
                };
                // The changes so far must not be lost.
                if let Err(error) = rolled_back {
                    let why = causes(&error).join(": ");
                    result
                        .notes
                        .push(format!("the rollback was not rehearsed: {why}"));
                }
                result.interrupted |= session.interrupt().is_pending();
            }
            result.took = began.elapsed();
            Ok(result)
        });
        let left = control_plane.stop(session, &dirs, self.options.keep);
        let reported = result.and_then(|mut result| {
            result.allow(&allowances);
            self.report(session, &result)
        });
        // After Ctrl-C, exit as interrupted, even though the changes so far have been reported.
        session.interrupt().check()?;
        // The report must not be lost because the control plane did not stop.
        let code = reported?;
        left?;
        Ok(code)
    }

    /// Installs the old version again, and lets it take over. Adds the changes that are not undone
    /// to the result.
    async fn roll_back(
        &self,
        control_plane: &mut ControlPlane<'_>,
        session: &Session,
        scenarios: &[CustomScenario],
        states: Vec<OldState>,
        result: &mut UpgradeResult,
    ) -> Result<()> {
        let environment = match control_plane
            .prepare(session, scenarios, self.options.lanes())
            .await
        {
            Ok((environment, _)) => environment,
            Err(error) => {
                let changes = refusals::of_installation(error, control_plane, &states).await?;
                // The refusal is the result of each rollback.
                result.rollbacks += states.len();
                result.add(changes.into_iter().map(not_installed_again).collect());
                return Ok(());
            }
        };
        let rejected = control_plane.take_rejected();
        let rejected = rejected.iter().filter_map(refusals::rejected_manifest);
        result.add(rejected.map(not_installed_again).collect());
        let pass = RollbackPass {
            environment: environment.into(),
            terminal: session.terminal,
        };
        pass.run(states, result).await;
        Ok(())
    }

    /// Returns the old version, built, with the session of its directory.
    fn old(&self, session: &Session) -> Result<(Session, OtherVersion<'_>)> {
        match &self.from {
            OldVersion::Command(external) => Ok((
                session.at(&session.dir, None),
                OtherVersion::of_command(external)?,
            )),
            OldVersion::Commit(name) => {
                let checkout = Checkout::of(session, name)?;
                session.terminal.status(
                    "Building",
                    format_args!("the old version, commit {}", short(&checkout.commit)),
                );
                // A signal to rustop alone ends the build, too.
                let old_session = session
                    .part(session.interrupt(), false)
                    .at(&checkout.project, Some(checkout.target));
                let version = OtherVersion::build(&old_session)?;
                session.interrupt().check()?;
                Ok((old_session, version))
            }
        }
    }

    /// Returns an error of the old version under test.
    fn of_old(&self, error: Error) -> Error {
        let is_command = matches!(self.from, OldVersion::Command(_));
        match error {
            Error::Torture(error) => error.of_old_version(is_command).into(),
            error => error,
        }
    }

    /// Writes the report, prints the changes, and returns the exit code.
    fn report(&self, session: &Session, result: &UpgradeResult) -> Result<ExitCode> {
        let out = self.out.join("upgrade");
        session.report("upgrade", report::document(result));
        let terminal = session.terminal;
        let allowances = self.options.scenarios.join(UPGRADE_FILE);
        report::write(&out, result, &allowances)?;
        terminal.data(&report::text(result, &allowances))?;
        for note in &result.notes {
            terminal.detail(note);
        }
        let page = out.join("report.html");
        let page = page.strip_prefix(&session.dir).unwrap_or(&page);
        terminal.status("Written", page.display());
        let verdict = Verdict {
            finished: "Rehearsed",
            failures: result.failures().count(),
            is_inconclusive: result.is_verdict_missing(),
            is_interrupted: result.interrupted,
        };
        let budget = self.options.budget.as_secs().div_ceil(60) * 4;
        let help = command_line::of_this_run("--budget", Some(&format!("{budget}m")));
        verdict.show(terminal, help, result.summary());
        Ok(verdict.exit_code())
    }
}

/// Returns the change as a reason for which the old version cannot be installed again.
fn not_installed_again(change: ObjectDifference) -> ObjectDifference {
    let reason = format!(
        "the old version cannot be installed again: {}",
        change.reason
    );
    ObjectDifference {
        effect: Effect::OneWay,
        reason,
        ..change
    }
}
