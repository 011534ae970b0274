//! An operator while things go wrong.

mod deputy;
mod foreign;
mod place;
mod schemas;
mod shadow;

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use serde_json::json;

use super::{Error, Result, runtime};
use crate::cluster::Dirs;
use crate::session::Session;
use crate::torture::{self, Campaign, Limits, report};
pub use foreign::Foreign;
use place::Place;
pub use shadow::Shadow;

/// Tortures an operator, or plays one finding again.
pub struct Torture {
    /// For how long.
    pub budget: Duration,
    /// In which order.
    pub seed: Option<u64>,
    /// How many faults at most.
    pub faults: usize,
    /// How many runs beside each other.
    pub lanes: usize,
    /// Of what nothing may be made twice.
    pub counted: BTreeSet<String>,
    /// Where stories are that somebody wrote.
    pub scenarios: PathBuf,
    /// The finding to show again.
    pub replay: Option<String>,
    /// How often.
    pub times: u32,
    /// Where the report goes.
    pub out: PathBuf,
    /// Whether the data and logs of the control plane are kept.
    pub keep: bool,
    /// An operator that is not the project's.
    pub foreign: Option<Foreign>,
}

impl Torture {
    /// Returns 1 if there is any finding, and 2 if there is none but too little was tested for a verdict.
    ///
    /// # Errors
    /// When there is no verdict: no samples, or an operator that does not run.
    pub fn run(&self, session: &Session) -> Result<ExitCode> {
        self.judge(session)
            .map_err(|error| Error::NoVerdict(error.into()))
    }

    fn judge(&self, session: &Session) -> Result<ExitCode> {
        let replayed = match &self.replay {
            Some(id) => Some(report::load(&self.out, id)?),
            None => None,
        };
        let dirs = Dirs::from_env()?;
        let runtime = runtime()?;
        let written = torture::written(&self.scenarios)?;
        let mut place = Place::take(session, self.foreign.as_ref(), &dirs)?;
        let result = runtime.block_on(async {
            let (stage, samples) = place.stage(session, &written, self.lanes).await?;
            let campaign = Campaign {
                oracle: torture::Oracle {
                    counted: self.counted(&stage)?,
                    own: stage.own.clone(),
                },
                stage: stage.into(),
                limits: Limits {
                    budget: self.budget,
                    faults: self.faults,
                    lanes: self.lanes,
                    seed: self.seed.unwrap_or_else(torture::seed),
                },
                terminal: session.terminal,
            };
            match replayed {
                Some(finding) => replay(session, &campaign, &finding, self.times).await,
                None => self.tell(session, &campaign, &campaign.run(&samples).await?),
            }
        });
        place.leave(session, &dirs, self.keep)?;
        // Whoever pressed Ctrl-C wants to hear that, and what there is so far.
        session.interrupt().check()?;
        result
    }

    /// The kinds that are meant, each of which has to be there.
    fn counted(&self, stage: &torture::Environment) -> Result<BTreeSet<torture::Resource>> {
        let mut counted = BTreeSet::new();
        for word in &self.counted {
            let before = counted.len();
            counted.extend(stage.upstream.kinds.called(word));
            if counted.len() == before {
                let resource = word.clone();
                return Err(torture::Error::NotServed { resource }.into());
            }
        }
        Ok(counted)
    }

    fn tell(
        &self,
        session: &Session,
        campaign: &Campaign,
        outcome: &torture::CampaignResult,
    ) -> Result<ExitCode> {
        report::write(&self.out, outcome, campaign.limits.seed)?;
        session.report("report", report::document(outcome, campaign.limits.seed));
        let terminal = session.terminal;
        for finding in &outcome.findings {
            terminal.data(&report::text(finding))?;
        }
        for note in &outcome.notes {
            terminal.detail(note);
        }
        let page = self.out.join("report.html");
        let page = page.strip_prefix(".").unwrap_or(&page);
        terminal.status("Written", page.display());
        let is_inconclusive = outcome.is_inconclusive();
        if is_inconclusive && !outcome.interrupted {
            let budget = self.budget.as_secs().div_ceil(60) * 4;
            if outcome.tried == self.faults {
                terminal.note("help: rustop torture without --faults");
            } else {
                terminal.note(format_args!("help: rustop torture --budget {budget}m"));
            }
        }
        let verdict = if outcome.interrupted {
            "Interrupted"
        } else if is_inconclusive {
            "Inconclusive"
        } else {
            "Finished"
        };
        terminal.status(verdict, outcome.summary(campaign.limits.seed));
        Ok(if is_inconclusive {
            ExitCode::from(2)
        } else if outcome.findings.is_empty() {
            ExitCode::SUCCESS
        } else {
            ExitCode::FAILURE
        })
    }
}

/// Plays a finding again, as often as asked; what happened is told of the last time that it showed.
async fn replay(
    session: &Session,
    campaign: &Campaign,
    finding: &torture::Finding,
    times: u32,
) -> Result<ExitCode> {
    let terminal = session.terminal;
    terminal.status(
        "Replaying",
        format_args!("{}: {}", finding.id, finding.says),
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
        terminal.status("Passed", "it did not show again");
        return Ok(ExitCode::SUCCESS);
    };
    terminal.data(&report::story(&again))?;
    terminal.status("Found", format_args!("{}: {}", again.class, again.says));
    Ok(ExitCode::FAILURE)
}
