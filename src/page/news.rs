//! What the page is told. A recording holds these, one a line.

use std::collections::BTreeMap;
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::call::Call;
use super::line::Line;

/// Something that was seen, and when.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct News {
    /// Microseconds since 1970.
    pub at: u64,
    /// What it was.
    #[serde(flatten)]
    pub what: What,
}

/// What may be seen.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum What {
    /// Whose page it is; the first of all news.
    About(About),
    /// A watch tells of an object, without what is secret.
    Object {
        /// `ADDED`, `MODIFIED` or `DELETED`.
        change: String,
        /// Its resource: `deployments`.
        plural: String,
        /// The object.
        object: Value,
    },
    /// The operator wrote a line.
    Line(Line),
    /// The operator asked the API server for something.
    Call(Call),
    /// What the operator may not do, and what it need not.
    Permissions(Permissions),
    /// Figures of the operator by name.
    Figures(BTreeMap<String, f64>),
    /// The operator as a process, and its build.
    Process(Process),
}

/// What the page is about.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct About {
    /// The name of the project.
    pub project: String,
    /// The version of rustop.
    pub version: String,
    /// What has to stand before a command of kubectl, to reach the cluster.
    pub kubectl: String,
    /// The kinds that the operator's controllers work on.
    pub kinds: Vec<Kind>,
}

/// A kind of the project.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Kind {
    /// `my.domain`.
    pub group: String,
    /// `Lolcow`.
    pub kind: String,
    /// `lolcows`.
    pub plural: String,
    /// What its controller is called in the log, if it has one.
    pub controller: Option<String>,
}

/// What a report on permissions says.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
pub struct Permissions {
    /// What was refused.
    pub forbidden: Vec<Forbidden>,
    /// The markers of what was granted and never used so far.
    pub unused: Vec<String>,
    /// Whether it can be told on this cluster.
    pub known: bool,
}

/// What was refused on one resource.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
pub struct Forbidden {
    /// `deployments.apps`.
    pub resource: String,
    /// The verbs.
    pub verbs: Vec<String>,
    /// How many requests were refused.
    pub times: usize,
    /// The marker that grants it.
    pub marker: String,
    /// The source file in which that belongs.
    pub file: String,
}

/// What is known of the operator as a process.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
pub struct Process {
    /// `running`, `building`, `failed` (its build) or `ended`.
    pub state: String,
    /// What the compiler says, or how it ended.
    pub says: String,
    /// How often it was started again.
    pub restarts: u32,
}

impl News {
    /// Seen now.
    pub fn now(what: What) -> Self {
        Self { at: now(), what }
    }
}

/// Microseconds since 1970.
pub fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| {
        u64::try_from(since.as_micros()).unwrap_or(u64::MAX)
    })
}
