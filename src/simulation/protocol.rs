//! The protocol between rustop and the simulations in the test of a project. rustop passes
//! [`Instructions`] as JSON in an environment variable, and reads [`OutputLine`]s from a file.
//!
//! The other side is `manager/src/simulation/instructions.rs`, in the release of the manager that
//! the project uses. It may be newer than this rustop: unknown events and fields are skipped.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::finding::Finding;

/// The environment variable with the instructions.
pub const VARIABLE: &str = "RUSTOP_SIMULATION";

/// The instructions for the simulations of a test.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Instructions {
    /// The file to which the test appends lines.
    pub output: PathBuf,
    /// The maximum number of histories; `None` for no limit.
    pub histories: Option<usize>,
    /// The time limit in seconds; `None` for no limit.
    pub seconds: Option<u64>,
    /// The seed from which the seeds and the faults of all histories follow; `None` for that of the
    /// test.
    pub seed: Option<u64>,
    /// The schedule to replay; `None` for a campaign. rustop does not interpret it.
    pub replay: Option<Value>,
}

/// A line of the output: an event, and the simulation that it belongs to.
#[derive(Debug, Deserialize)]
pub struct OutputLine {
    /// The name of the `#[test]` that runs the simulation.
    pub simulation: String,
    #[serde(flatten)]
    pub event: Event,
}

/// An event of a simulation.
#[derive(Debug, Deserialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub enum Event {
    Started(UserObjects),
    Progress(CampaignProgress),
    /// A finding that is not minimized yet.
    Suspect {
        finding: Finding,
    },
    /// The campaign has ended.
    Finished {
        report: Totals,
    },
    /// The replay has ended.
    Replayed {
        replay: Replay,
    },
    /// The simulation cannot run.
    Failed {
        message: String,
    },
    /// An event of a newer manager, which is skipped.
    #[serde(other)]
    Unknown,
}

/// The objects of the user in each history. A manager before 0.3 does not report them.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct UserObjects {
    /// The objects that the user creates; empty if the manager does not report them.
    #[serde(default)]
    pub samples: Vec<Value>,
    /// The edits that the steps `Edit(n)` of a schedule number: each the object, by kind and name,
    /// and the merge patch.
    #[serde(default)]
    pub edits: Vec<(Value, Value)>,
}

/// The numbers of a campaign so far.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
pub struct CampaignProgress {
    /// The number of finished histories.
    pub histories: usize,
    /// The number of pairs of a kind of request and a fault that have occurred.
    pub covered: usize,
    /// The number of pairs that are possible.
    pub pairs: usize,
}

/// The result of a campaign.
#[derive(Clone, Debug, Deserialize)]
pub struct Totals {
    #[serde(flatten)]
    pub progress: CampaignProgress,
    /// The time that the histories took, without minimization.
    pub seconds: f64,
    /// The findings, minimized.
    pub findings: Vec<Finding>,
}

/// The result of a replay.
#[derive(Clone, Debug, Deserialize)]
pub struct Replay {
    /// The findings of the history. They are not minimized.
    pub findings: Vec<Finding>,
    /// The history, one line per entry.
    pub timeline: Vec<String>,
    /// The faults that did not occur, because the operator did not send these requests.
    pub unused: Vec<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str) -> OutputLine {
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn lines_of_a_newer_manager_are_read() {
        let unknown = line(r#"{"simulation": "a", "event": "rested", "how": 7}"#);
        assert!(matches!(unknown.event, Event::Unknown));
        let more = r#"{"simulation": "a", "event": "progress", "histories": 3, "covered": 1, "pairs": 2, "more": []}"#;
        let Event::Progress(progress) = line(more).event else {
            panic!("not a progress")
        };
        assert_eq!(
            (progress.histories, progress.covered, progress.pairs),
            (3, 1, 2)
        );
    }

    #[test]
    fn a_seed_of_64_bits_survives() {
        let text = r#"{"simulation": "a", "event": "suspect", "finding": {"class": "missing", "object": "pods a/b",
            "message": "", "steps": [], "faults": [], "schedule": {"seed": 18446744073709551615}, "timeline": []}}"#;
        let Event::Suspect { finding } = line(text).event else {
            panic!("not a suspect")
        };
        assert_eq!(finding.schedule["seed"], u64::MAX);
    }
}
