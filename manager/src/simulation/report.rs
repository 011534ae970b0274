//! The report of a simulation.

use std::fmt;
use std::time::Duration;

use crate::simulation::oracle::Finding;

/// The maximum number of timeline entries that are printed for a finding: the last ones.
const LINES: usize = 60;

/// The result of a [`Simulation`](super::Simulation). `Display` prints it as text.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Report {
    /// Number of histories. Baseline runs, repetitions and minimization do not count. 0 if the cluster does not settle without
    /// faults.
    pub histories: usize,
    /// Wall-clock time of the simulation, without minimization.
    pub took: Duration,
    /// Coverage: the number of pairs of a fault and a kind of request or watch event (`create deployments.apps`) that the histories
    /// were planned with, and the number of all possible pairs. The kinds are those of the baseline run.
    pub coverage: (usize, usize),
    /// The bugs. Findings with the same class and object are reported once; of the classes `hot-loop`, `panic` and `exit`, one
    /// finding each.
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

    /// Returns the number of histories per second of wall-clock time, all threads together.
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
            "{} histories, {:.0} per second; {covered} of {pairs} pairs of request and fault tried; {} findings",
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
        writeln!(f, "  replay with `Simulation::replay`: {schedule}")?;
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
