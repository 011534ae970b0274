//! The project's operator beside the one that it is to replace.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use super::place::Place;
use crate::cluster::Dirs;
use crate::error::Io;
use crate::ops::{Error, Result, runtime};
use crate::session::Session;
use crate::text::count;
use crate::torture::{self, ShadowResult};

/// Says what the project's operator does otherwise than another one.
pub struct Shadow {
    /// The other one, and its arguments.
    pub original: Vec<OsString>,
    /// What may differ.
    pub ignored: Vec<torture::IgnoredField>,
    /// For how long.
    pub budget: Duration,
    /// How many operators beside each other.
    pub lanes: usize,
    /// Where stories are that somebody wrote.
    pub scenarios: PathBuf,
}

impl Shadow {
    /// 1 if they differ.
    ///
    /// # Errors
    /// When there is no verdict: no samples, or one of the two does not run.
    pub fn run(&self, session: &Session) -> Result<ExitCode> {
        self.compare(session)
            .map_err(|error| Error::NoVerdict(error.into()))
    }

    fn compare(&self, session: &Session) -> Result<ExitCode> {
        let began = Instant::now();
        self.check()?;
        let (dirs, runtime) = (Dirs::from_env()?, runtime()?);
        let written = torture::written(&self.scenarios)?;
        let mut place = Place::take(session, None, &dirs)?;
        let result: Result<ShadowResult> = runtime.block_on(async {
            let (rewrite, samples) = place.stage(session, &written, self.lanes).await?;
            let shadow = torture::Shadow {
                original: place.original(&rewrite, &self.original).await?.into(),
                rewrite: rewrite.into(),
                ignored: self.ignored.clone(),
                budget: self.budget,
                lanes: self.lanes,
                seed: torture::seed(),
                terminal: session.terminal,
            };
            Ok(shadow.run(&samples).await?)
        });
        place.leave(session, &dirs, false)?;
        session.interrupt().check()?;
        tell(session, &result?, began.elapsed())
    }

    /// Before a control plane is started for it.
    fn check(&self) -> Result<()> {
        let path = self.original.first().map(Path::new);
        if let Some(path) = path.filter(|path| path.components().count() > 1) {
            std::fs::metadata(path).map_err(Io::on("run", path))?;
        }
        Ok(())
    }
}

fn tell(session: &Session, compared: &ShadowResult, took: Duration) -> Result<ExitCode> {
    let terminal = session.terminal;
    for unlike in &compared.unlike {
        terminal.data(&unlike.text())?;
    }
    for note in &compared.notes {
        terminal.detail(note);
    }
    let played = format!(
        "{} and {} in {:.0} s",
        count(compared.scenarios, "scenario"),
        count(compared.states, "state"),
        took.as_secs_f32()
    );
    let found = count(compared.unlike.len(), "difference");
    terminal.status("Compared", format_args!("{found}: {played}"));
    Ok(if compared.unlike.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}
