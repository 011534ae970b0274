//! The implementation of `rustop import --shadow`: compares the project's operator with the
//! original that it replaces.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::Args;

use super::control_plane::ControlPlane;
use super::external_operator::check_program;
use crate::cluster::Dirs;
use crate::ops::values::seconds;
use crate::ops::{Error, Result, runtime};
use crate::session::Session;
use crate::text::count;
use crate::torture::{self, ShadowResult};

/// A comparison of the project's operator with the original.
#[derive(Args, Debug)]
pub struct Shadow {
    /// Ignore differences at or below a field of a kind: `deployment:metadata.labels`; can be
    /// repeated
    #[arg(long, value_name = "KIND:FIELD", requires = "shadow")]
    pub ignore: Vec<torture::IgnoredField>,
    /// Time limit of the comparison
    #[arg(long, value_name = "DURATION", default_value = "10m", value_parser = seconds, requires = "shadow")]
    pub budget: Duration,
    /// Number of operator instances to run in parallel
    #[arg(long, value_name = "NUMBER", default_value = "6", requires = "shadow")]
    pub lanes: usize,
    /// Directory with your own scenarios, as for `rustop torture`
    #[arg(
        long,
        value_name = "DIR",
        default_value = "tests/torture",
        requires = "shadow"
    )]
    pub scenarios: PathBuf,
    /// Operator that is replaced, and its arguments
    #[arg(last = true, value_name = "COMMAND", requires = "shadow")]
    pub command: Vec<OsString>,
}

impl Shadow {
    /// Runs the comparison. Returns exit code 1 if there are differences.
    ///
    /// # Errors
    /// Returns an error if there is no verdict, because there are no samples or an operator does
    /// not run.
    pub fn run(&self, session: &Session) -> Result<ExitCode> {
        self.compare(session)
            .map_err(|error| Error::NoVerdict(error.into()))
    }

    fn compare(&self, session: &Session) -> Result<ExitCode> {
        let began = Instant::now();
        // Before a control plane is started.
        check_program(&self.command, "rustop import --shadow -- ./bin/manager")?;
        let (dirs, runtime) = (Dirs::from_env()?, runtime()?);
        let scenarios = torture::read_custom_scenarios(&session.dir, &self.scenarios)?;
        let mut control_plane = ControlPlane::start(session, None, &dirs)?;
        let lanes = self.lanes.max(1);
        let result: Result<ShadowResult> = runtime.block_on(async {
            let (rewrite, samples) = control_plane.prepare(session, &scenarios, lanes).await?;
            let shadow = torture::Shadow {
                original: control_plane
                    .original(&rewrite, &self.command)
                    .await?
                    .into(),
                rewrite: rewrite.into(),
                ignored: self.ignore.clone(),
                budget: self.budget,
                lanes,
                seed: torture::seed(),
                terminal: session.terminal,
            };
            Ok(shadow.run(&samples).await?)
        });
        control_plane.stop(session, &dirs, false)?;
        session.interrupt().check()?;
        report(session, &result?, began.elapsed())
    }
}

/// Prints the differences between the operators. The exit code is 1 if there are any.
fn report(session: &Session, compared: &ShadowResult, took: Duration) -> Result<ExitCode> {
    let terminal = session.terminal;
    for divergence in &compared.divergences {
        terminal.data(&divergence.text())?;
    }
    for note in &compared.notes {
        terminal.detail(note);
    }
    let runs = format!(
        "{} and {} in {:.0} s",
        count(compared.scenarios, "scenario"),
        count(compared.states, "state"),
        took.as_secs_f32()
    );
    let found = count(compared.divergences.len(), "difference");
    terminal.status("Compared", format_args!("{runs}: {found}"));
    Ok(if compared.divergences.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}
