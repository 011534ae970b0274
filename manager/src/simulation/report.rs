//! The report of a simulation.

use std::fmt;
use std::time::Duration;

use serde::ser::SerializeStruct as _;
use serde::{Serialize, Serializer};

use crate::simulation::oracle::Finding;
use crate::simulation::schedule::Injection;

/// The maximum number of timeline entries that are printed for a finding: the last ones.
const LINES: usize = 60;

/// The result of a [`Simulation`](super::Simulation). `Display` prints it as text.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Report {
    /// Number of histories. Baseline runs, repetitions and minimization do not count. 0 if the
    /// cluster does not settle without faults.
    pub histories: usize,
    /// Wall-clock time of the simulation, without minimization.
    pub took: Duration,
    /// Coverage: the number of pairs of a fault and a kind of request or watch event (`create
    /// deployments.apps`) that occurred in the histories, and the number of all possible pairs. The
    /// kinds are those of the baseline run.
    pub coverage: (usize, usize),
    /// The bugs. Findings with the same class and object are reported once; of the classes
    /// `hot-loop`, `panic` and `exit`, one finding each.
    pub findings: Vec<Finding>,
}

impl Report {
    pub(super) fn new(histories: usize, took: Duration, coverage: (usize, usize)) -> Self {
        Self {
            histories,
            took,
            coverage,
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

/// The result of [`Simulation::replay`](super::Simulation::replay).
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Replay {
    /// The bugs that the history shows. They are not minimized.
    pub findings: Vec<Finding>,
    /// The history, one line per entry.
    pub timeline: Vec<String>,
    /// The faults of the schedule that did not occur, because the operator did not send these
    /// requests.
    pub unused: Vec<Injection>,
}

impl Serialize for Report {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (covered, pairs) = self.coverage;
        let mut report = serializer.serialize_struct("Report", 5)?;
        report.serialize_field("histories", &self.histories)?;
        report.serialize_field("seconds", &self.took.as_secs_f64())?;
        report.serialize_field("covered", &covered)?;
        report.serialize_field("pairs", &pairs)?;
        report.serialize_field("findings", &self.findings)?;
        report.end()
    }
}

/// Serializes the steps and the faults as text, too, next to the schedule for
/// [`Simulation::replay`](super::Simulation::replay).
impl Serialize for Finding {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut finding = serializer.serialize_struct("Finding", 7)?;
        finding.serialize_field("class", &self.class)?;
        finding.serialize_field("object", &self.object)?;
        finding.serialize_field("message", &self.message)?;
        finding.serialize_field("steps", &texts(&self.schedule.steps))?;
        finding.serialize_field("faults", &texts(&self.schedule.faults))?;
        finding.serialize_field("schedule", &self.schedule)?;
        finding.serialize_field("timeline", &self.timeline)?;
        finding.end()
    }
}

impl Serialize for Replay {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut replay = serializer.serialize_struct("Replay", 3)?;
        replay.serialize_field("findings", &self.findings)?;
        replay.serialize_field("timeline", &self.timeline)?;
        replay.serialize_field("unused", &texts(&self.unused))?;
        replay.end()
    }
}

fn texts(values: &[impl ToString]) -> Vec<String> {
    values.iter().map(ToString::to_string).collect()
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
