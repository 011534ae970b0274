//! The report of a simulation.

use std::fmt;
use std::time::Duration;

use crate::simulation::oracle::Finding;

/// Number of lines of a timeline in the report.
const LINES: usize = 60;

/// The result of a simulation. Displayed as text.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Report {
    /// Number of histories.
    pub histories: usize,
    /// Real time that they took.
    pub took: Duration,
    /// Number of pairs of a kind of request and a fault that occurred, and of those that are possible.
    pub coverage: (usize, usize),
    /// The bugs. Those with the same cause are one finding.
    pub findings: Vec<Finding>,
}

impl Report {
    pub(super) fn new(histories: usize, took: Duration, covered: usize, pairs: usize) -> Self {
        Self {
            histories,
            took,
            coverage: (covered, pairs),
            findings: Vec::new(),
        }
    }

    /// Returns the number of histories per second, on all threads.
    #[must_use]
    pub fn rate(&self) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "a rate need not be exact")]
        let histories = self.histories as f64;
        histories / self.took.as_secs_f64().max(f64::EPSILON)
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (covered, pairs) = self.coverage;
        writeln!(
            f,
            "{} histories, {:.0} per second; {covered} of {pairs} faults tried; {} findings",
            self.histories,
            self.rate(),
            self.findings.len()
        )?;
        self.findings
            .iter()
            .try_for_each(|finding| write!(f, "\n{finding}"))
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}: {}", self.class, self.message)?;
        for step in &self.schedule.steps {
            writeln!(f, "  step: {step}")?;
        }
        for fault in &self.schedule.faults {
            writeln!(f, "  fault at {fault}")?;
        }
        let schedule = serde_json::to_string(&self.schedule).unwrap_or_default();
        writeln!(f, "  replay: {schedule}")?;
        let left_out = self.timeline.len().saturating_sub(LINES);
        if left_out > 0 {
            writeln!(f, "  ... {left_out} earlier entries")?;
        }
        let lines = self.timeline.iter().skip(left_out);
        lines
            .into_iter()
            .try_for_each(|line| writeln!(f, "  {line}"))
    }
}
