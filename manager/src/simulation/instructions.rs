//! The protocol between a simulation in a test and `rustop simulate`, which runs the test.
//!
//! rustop passes [`Instructions`] as JSON in an environment variable, and reads the [`Event`]s from
//! a file, one JSON object per line. An earlier rustop reads what a later manager writes: later
//! versions may add events and fields, but change none.

use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::path::PathBuf;
use std::time::Duration;
use std::{env, thread};

use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::simulation::campaign::{Limits, Notice};
use crate::simulation::oracle::Finding;
use crate::simulation::report::{Replay, Report};
use crate::simulation::schedule::Schedule;

/// The environment variable with the instructions.
const VARIABLE: &str = "RUSTOP_SIMULATION";

/// The instructions of `rustop simulate`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Instructions {
    /// The file to which the events are appended.
    pub output: PathBuf,
    /// The maximum number of histories; `None` for no limit.
    #[serde(default)]
    histories: Option<usize>,
    /// The time limit of the campaign; `None` for no limit.
    #[serde(default)]
    seconds: Option<u64>,
    /// Overrides the seed of the simulation. `None` keeps it.
    #[serde(default)]
    pub seed: Option<u64>,
    /// The schedule to replay instead of a campaign. `None` for a campaign.
    #[serde(default)]
    pub replay: Option<Schedule>,
}

/// A line of the output.
#[derive(Serialize)]
struct Line<'a> {
    /// The name of the test that runs the simulation.
    simulation: &'a str,
    #[serde(flatten)]
    event: Event<'a>,
}

/// An event of a simulation. Its name in JSON is the field `event`.
#[derive(Serialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub(super) enum Event<'a> {
    /// A simulation starts.
    Started {
        /// The objects that the user creates.
        samples: &'a [Value],
        /// The user's edits: each an array of the object and the merge patch.
        edits: &'a [(Value, Value)],
    },
    /// The numbers of a campaign so far: see [`Progress`](super::campaign::Progress).
    Progress {
        histories: usize,
        covered: usize,
        pairs: usize,
    },
    /// A finding that is not minimized yet.
    Suspect { finding: &'a Finding },
    /// A campaign has ended.
    Finished { report: &'a Report },
    /// The replay of a schedule has ended.
    Replayed { replay: &'a Replay },
    /// The simulation cannot run.
    Failed { reason: &'a str, message: String },
}

impl Instructions {
    /// Returns the instructions of the `rustop simulate` that runs this process, if there is one.
    ///
    /// # Panics
    /// If the instructions cannot be parsed.
    pub fn from_env() -> Option<Self> {
        let text = env::var(VARIABLE).ok()?;
        let instructions = serde_json::from_str(&text);
        Some(
            instructions
                .unwrap_or_else(|error| panic!("{VARIABLE} cannot be parsed: {error}: {text}")),
        )
    }

    /// Returns the limits of a campaign.
    pub fn limits(&self) -> Limits {
        Limits {
            histories: self.histories,
            budget: self.seconds.map(Duration::from_secs),
        }
    }
}

impl<'a> From<Notice<'a>> for Event<'a> {
    fn from(notice: Notice<'a>) -> Self {
        match notice {
            Notice::Progress(progress) => Self::Progress {
                histories: progress.histories,
                covered: progress.covered,
                pairs: progress.pairs,
            },
            Notice::Suspect(finding) => Self::Suspect { finding },
        }
    }
}

/// The file that `rustop simulate` reads.
pub(super) struct Output {
    file: Mutex<File>,
    /// The name of the test that runs the simulation.
    simulation: String,
}

impl Output {
    /// Opens the file to append events to it.
    ///
    /// # Panics
    /// If the file cannot be opened.
    pub fn open(path: &PathBuf) -> Self {
        let file = OpenOptions::new().append(true).create(true).open(path);
        let file = file.unwrap_or_else(|error| panic!("cannot open {}: {error}", path.display()));
        // The test harness names the thread of a test after it.
        let thread = thread::current();
        Self {
            file: Mutex::new(file),
            simulation: thread.name().unwrap_or("simulation").to_owned(),
        }
    }

    /// Appends an event as a line.
    ///
    /// # Panics
    /// If the file cannot be written, which ends the test, since rustop would not get its result.
    pub fn write(&self, event: Event<'_>) {
        let simulation = &self.simulation;
        let mut line = serde_json::to_vec(&Line { simulation, event }).expect("an event is JSON");
        line.push(b'\n');
        let written = self.file.lock().write_all(&line);
        written.expect("`rustop simulate` reads the output");
    }
}
