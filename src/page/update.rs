//! The updates that the page receives: watch events, log lines, requests, metrics and the like. A
//! recording holds one per line.

use std::collections::BTreeMap;
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::call::Call;
use super::line::LogLine;

/// An update: an observation with its time.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Update {
    /// Microseconds since 1970.
    pub at: u64,
    /// The observation.
    #[serde(flatten)]
    pub content: UpdateContent,
}

/// The content of an update.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum UpdateContent {
    /// The project that the page shows; the first update of every run.
    About(About),
    /// A watch event of an object, with secrets removed.
    Object {
        /// The type of the watch event: `ADDED`, `MODIFIED` or `DELETED`.
        change: String,
        /// The plural, for example `deployments`.
        plural: String,
        /// The object as JSON.
        object: Value,
    },
    /// A line of the operator's log.
    Line(LogLine),
    /// A request from the operator to the API server.
    Call(Call),
    /// Permissions that the operator lacks, and those that it does not need.
    Permissions(Permissions),
    /// Metrics of the operator by name.
    #[serde(rename = "figures")]
    Metrics(BTreeMap<String, f64>),
    /// The state of the operator's process and build.
    Process(Process),
}

/// The project that a page shows.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct About {
    /// The name of the project.
    pub project: String,
    /// The version of rustop that wrote the update.
    pub version: String,
    /// The kubectl command, with the arguments that select the cluster.
    pub kubectl: String,
    /// The kinds of the project, with or without a controller.
    pub kinds: Vec<ProjectKind>,
}

/// A kind of the project.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ProjectKind {
    /// For example `my.domain`.
    pub group: String,
    /// For example `Lolcow`.
    pub kind: String,
    /// For example `lolcows`.
    pub plural: String,
    /// The controller's name in the log; `None` if the kind has no controller.
    pub controller: Option<String>,
}

/// The result of comparing the operator's requests with its permissions.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
pub struct Permissions {
    /// The permissions that the operator lacks.
    pub forbidden: Vec<Forbidden>,
    /// RBAC markers, or rules of an adopted operator, of permissions that have been granted but not
    /// used so far.
    pub unused: Vec<String>,
    /// True once a report exists. It needs the audit log that only a cluster started by rustop has.
    pub known: bool,
}

/// The requests for one resource that were forbidden.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
pub struct Forbidden {
    /// For example `deployments.apps`.
    pub resource: String,
    pub verbs: Vec<String>,
    /// Number of forbidden requests.
    pub times: usize,
    /// The RBAC marker that grants the permission; for an adopted operator, the rule.
    pub marker: String,
    /// The file to which the marker or rule belongs.
    pub file: String,
}

/// The state of the operator's process.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
pub struct Process {
    /// `running`, `building`, `failed` (the build or the start) or `ended`; empty before the first
    /// start.
    pub state: String,
    /// The error and the compiler's output for `failed`, the exit status for `ended`, and otherwise
    /// empty.
    pub says: String,
    /// The number of restarts since the start of rustop.
    pub restarts: u32,
}

impl Update {
    /// Creates an update with the current time.
    pub fn now(content: UpdateContent) -> Self {
        Self { at: now(), content }
    }
}

/// Returns the current time in microseconds since 1970.
pub fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| {
        u64::try_from(since.as_micros()).unwrap_or(u64::MAX)
    })
}
