//! What came of a campaign.

use std::time::Duration;

use super::finding::Finding;

/// What came of it.
#[derive(Debug, Default)]
pub struct Outcome {
    /// What is wrong.
    pub findings: Vec<Finding>,
    /// What is not wrong but should be known.
    pub notes: Vec<String>,
    /// How many scenarios were played without faults.
    pub scenarios: usize,
    /// How many faults were tried.
    pub tried: usize,
    /// How many faults there would have been.
    pub planned: usize,
    /// How many faults did not happen, since the run went another way.
    pub unreached: usize,
    /// What looked like a finding, once.
    pub unsteady: usize,
    /// Whether Ctrl-C ended it.
    pub interrupted: bool,
    /// How long it took.
    pub took: Duration,
    /// How long the faults alone took.
    pub faults_took: Duration,
}
