//! Notices of detected problems: hot loops, conflicting writers, slow requests and forbidden
//! requests.

use std::collections::{HashMap, VecDeque};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use serde::Serialize;
use serde_json::Value;

use super::bounded_list::BoundedList;
use super::object::Object;
use super::reconciles::Reconcile;
use crate::page::call::Call;
use crate::page::line::LogLine;

const SECOND: u64 = 1_000_000;
/// Number of reconciles of an object within [`WINDOW`] that count as a hot loop.
const LOOP: usize = 20;
/// Period in which repetitions count, in microseconds.
const WINDOW: u64 = 10 * SECOND;
/// Minimum time between two notices with the same subject.
const AGAIN: u64 = 60 * SECOND;
/// A request that takes longer than this is slow.
const SLOW: u64 = SECOND;
/// Maximum number of notices kept.
const MOST: usize = 200;
/// Maximum number of objects observed; above it, the state of the detection is reset.
const LOOKED_AT: usize = 5000;

/// A notice for the user.
#[derive(Clone, Debug, Serialize)]
pub struct Notice {
    /// The time in microseconds since 1970.
    pub at: u64,
    /// The class of the problem: `loop`, `conflict`, `slow` or `forbidden`.
    pub sort: &'static str,
    /// The uid of the object; otherwise `kind` and `object` identify it as the log does.
    #[serde(skip)]
    pub uid: Option<String>,
    /// The kind; for a notice about a request, its resource with the group.
    pub kind: String,
    /// The label of the object in the log; for a notice about a request, its verb and name.
    pub object: String,
    /// The text of the notice.
    pub says: String,
}

/// All notices, and the state needed to detect new ones.
#[derive(Debug, Default)]
pub struct Notices {
    kept: BoundedList<Notice>,
    /// The numbers of the notices that [`Self::take`] has not returned yet.
    new: Vec<u64>,
    /// The time of the last notice of each class about each subject.
    reported: HashMap<(&'static str, String), u64>,
    /// The times at which reconciles of each kind and object began, within [`WINDOW`].
    starts: HashMap<(String, String), VecDeque<u64>>,
    /// The last contents of each object: time, hash and field managers.
    contents: HashMap<String, VecDeque<(u64, u64, String)>>,
}

impl Notices {
    /// Returns the numbers of the notices added since the last call.
    pub fn take(&mut self) -> Vec<u64> {
        std::mem::take(&mut self.new)
    }

    /// Returns a notice by its number.
    pub fn get(&self, number: u64) -> Option<&Notice> {
        self.kept.get(number)
    }

    /// Returns the numbers of all stored notices.
    pub fn numbers(&self) -> std::ops::Range<u64> {
        self.kept.numbers()
    }

    /// Returns the newest notice of a sort about an object.
    pub fn last(&self, sort: &str, kind: &str, object: &str) -> Option<&Notice> {
        let mut all = self.kept.iter().rev();
        all.find(|one| one.sort == sort && one.kind == kind && one.object == object)
    }

    /// Adds a notice, unless one of this sort about the same object was added within the last
    /// minute.
    fn add(&mut self, notice: Notice) {
        let about = format!(
            "{} {} {}",
            notice.kind,
            notice.object,
            notice.uid.as_deref().unwrap_or_default()
        );
        let key = (notice.sort, about);
        let before = self.reported.get(&key);
        if before.is_none_or(|before| before + AGAIN < notice.at) {
            self.reported.insert(key, notice.at);
            self.new.push(self.kept.push(MOST, notice));
        }
        if self.reported.len() > LOOKED_AT {
            self.reported.clear();
        }
    }

    /// Detects a hot loop.
    pub fn reconcile(&mut self, at: u64, reconcile: &Reconcile) {
        // Only the line that begins a reconcile counts.
        if reconcile.outcome != "running" || reconcile.start != at {
            return;
        }
        let key = (reconcile.kind.clone(), reconcile.object.clone());
        if self.starts.len() > LOOKED_AT {
            self.starts.clear();
        }
        let starts = self.starts.entry(key).or_default();
        starts.push_back(at);
        while starts.front().is_some_and(|first| first + WINDOW < at) {
            starts.pop_front();
        }
        let times = starts.len();
        if times >= LOOP {
            starts.clear();
            let seconds = WINDOW / SECOND;
            let cause = &reconcile.cause;
            let says = format!(
                "hot loop: reconciled {times} times within {seconds} s; the last cause: {cause}"
            );
            self.add(Notice {
                at,
                sort: "loop",
                uid: None,
                kind: reconcile.kind.clone(),
                object: reconcile.object.clone(),
                says,
            });
        }
    }

    /// Detects a hot loop that the operator itself reports.
    pub fn line(&mut self, at: u64, line: &LogLine, subject: Option<(&str, &str)>) {
        if line.message.starts_with("reconciled repeatedly")
            && let Some((kind, object)) = subject
        {
            let says = format!("hot loop: {}", line.message);
            self.add(Notice {
                at,
                sort: "loop",
                uid: None,
                kind: kind.to_owned(),
                object: object.to_owned(),
                says,
            });
        }
    }

    /// Detects conflicting writers: the same two contents alternate, written by different field
    /// managers.
    pub fn object(&mut self, at: u64, object: &Object) {
        let Some(state) = object.states.iter().next_back() else {
            return;
        };
        if state.at != at || state.by.is_empty() {
            return;
        }
        if self.contents.len() > LOOKED_AT {
            self.contents.clear();
        }
        let contents = self.contents.entry(object.uid.clone()).or_default();
        contents.push_back((at, content(&state.json), state.by.join(", ")));
        if contents.len() > 4 {
            contents.pop_front();
        }
        let all: Vec<_> = contents.iter().collect();
        if let [a, b, c, d] = all.as_slice()
            && a.1 == c.1
            && b.1 == d.1
            && a.1 != b.1
            && a.2 == c.2
            && b.2 == d.2
            && a.2 != b.2
            && a.0 + WINDOW > d.0
        {
            let says = format!(
                "conflicting writers: {} and {} overwrite each other's changes",
                a.2, b.2
            );
            let uid = Some(object.uid.clone());
            self.add(Notice {
                at,
                sort: "conflict",
                uid,
                kind: object.kind.clone(),
                object: object.label(),
                says,
            });
        }
    }

    /// Detects a slow or forbidden request.
    pub fn call(&mut self, at: u64, call: &Call) {
        let Call {
            verb,
            resource,
            name,
            code,
            took,
            message,
            ..
        } = call;
        let group = if call.group.is_empty() {
            String::new()
        } else {
            format!(".{}", call.group)
        };
        let notice = |sort: &'static str, says: String| Notice {
            at,
            sort,
            uid: None,
            kind: format!("{resource}{group}"),
            object: format!("{verb} {name}"),
            says,
        };
        if *took > SLOW {
            let seconds = took / SECOND;
            self.add(notice(
                "slow",
                format!("slow request: {verb} {resource} {name} took {seconds} s"),
            ));
        }
        if *code == 403 {
            self.add(notice(
                "forbidden",
                format!("forbidden: {verb} {resource}{group}: {message}"),
            ));
        }
    }
}

/// Returns a hash of an object's content, without its version and generation.
fn content(json: &str) -> u64 {
    let mut value: Value = serde_json::from_str(json).unwrap_or_default();
    if let Some(metadata) = value.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.shift_remove("resourceVersion");
        metadata.shift_remove("generation");
    }
    let mut hasher = DefaultHasher::new();
    value.to_string().hash(&mut hasher);
    hasher.finish()
}
