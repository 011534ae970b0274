//! An object and its observed states.

use serde_json::{Map, Value, json};

use super::bounded_list::BoundedList;
use super::condition::Condition;
use super::state::State;
use crate::page::call::Call;
use crate::text::shell_word;
use crate::tree::unified;
use crate::yaml;

/// Number of states kept per object.
const STATES: usize = 50;

/// An observed state of an object.
#[derive(Debug)]
pub struct ObservedState {
    /// The time in microseconds since 1970.
    pub at: u64,
    /// The type of the watch event: `ADDED`, `MODIFIED` or `DELETED`.
    change: String,
    /// The field managers that changed it since the state before, such as `kubectl` or `lolcow
    /// (status)`.
    pub by: Vec<String>,
    /// The object as JSON, without managed fields.
    pub json: String,
}

/// An object in the cluster.
#[derive(Debug)]
pub struct Object {
    pub uid: String,
    /// The API group; empty for the core group.
    pub group: String,
    version: String,
    pub kind: String,
    plural: String,
    /// The namespace; empty for a cluster-scoped object.
    pub namespace: String,
    pub name: String,
    /// The uids of its owners, the controller first.
    pub owners: Vec<String>,
    /// True if the object's kind is one of the project's.
    pub is_own: bool,
    /// True if the object was deleted.
    pub is_gone: bool,
    /// The conditions of the newest state.
    pub conditions: Vec<Condition>,
    /// The summary of the newest state.
    pub state: State,
    /// The observed states, the oldest first.
    pub states: BoundedList<ObservedState>,
    /// The Events about the object, as the page receives them.
    pub events: BoundedList<Value>,
    /// The managed fields of the newest state.
    fields: Vec<Value>,
}

impl Object {
    /// Creates an object with its identity only; [`Self::observe`] adds the state.
    pub fn new(object: &Value, plural: &str, is_own: bool) -> Self {
        let word = |path: &str| {
            object
                .pointer(path)
                .and_then(Value::as_str)
                .unwrap_or_default()
                .to_owned()
        };
        let types = word("/apiVersion");
        let (group, version) = types.rsplit_once('/').unwrap_or(("", &types));
        Self {
            uid: word("/metadata/uid"),
            group: group.to_owned(),
            version: version.to_owned(),
            kind: word("/kind"),
            plural: plural.to_owned(),
            namespace: word("/metadata/namespace"),
            name: word("/metadata/name"),
            owners: Vec::new(),
            is_own,
            is_gone: false,
            conditions: Vec::new(),
            state: State::of(&Value::Null, &[]),
            states: BoundedList::default(),
            events: BoundedList::default(),
            fields: Vec::new(),
        }
    }

    /// Returns `namespace/name`, or only the name of a cluster-scoped object, as in the operator's
    /// log.
    pub fn label(&self) -> String {
        if self.namespace.is_empty() {
            self.name.clone()
        } else {
            format!("{}/{}", self.namespace, self.name)
        }
    }

    /// Reports whether a request names the object, or one of its subresources.
    pub fn is_named_by(&self, call: &Call) -> bool {
        self.group == call.group
            && self.plural == call.plural()
            && self.namespace == call.namespace
            && self.name == call.name
    }

    /// Adds the state that a watch event of the type `change` contains. Returns the number of bytes
    /// added to and removed from the stored states.
    pub fn observe(&mut self, at: u64, change: &str, mut object: Value) -> (usize, usize) {
        self.owners = owners(&object);
        self.conditions = Condition::of(&object);
        self.state = State::of(&object, &self.conditions);
        self.is_gone = change == "DELETED";
        let fields = take_fields(&mut object);
        let by = changed_by(&self.fields, &fields);
        self.fields = fields;
        let json = object.to_string();
        let last = self.states.iter().next_back();
        // A watch that starts again reports states that are already known.
        if last.is_some_and(|last| last.json == json) && !self.is_gone {
            return (0, 0);
        }
        let more = json.len();
        let less = if self.states.len() == STATES {
            self.forget()
        } else {
            0
        };
        self.states.push(
            STATES,
            ObservedState {
                at,
                change: change.to_owned(),
                by,
                json,
            },
        );
        (more, less)
    }

    /// Drops the oldest state and returns its size in bytes.
    pub fn forget(&mut self) -> usize {
        self.states.forget().map_or(0, |state| state.json.len())
    }

    /// Returns the message for the page. `parent` is the uid of the owner below which it is shown.
    pub fn message(&self, parent: Option<&str>) -> Value {
        json!({"t": "object", "uid": self.uid, "group": self.group, "kind": self.kind,
            "namespace": self.namespace, "name": self.name, "parent": parent, "own": self.is_own,
            "gone": self.is_gone, "state": self.state, "conditions": self.conditions,
            "states": self.states.len(), "at": self.states.iter().next_back().map(|state| state.at),
            "by": self.states.iter().next_back().map(|state| &state.by),
            "change": self.states.iter().next_back().map(|state| &state.change),
            "events": self.events.iter().collect::<Vec<_>>()})
    }

    /// Returns the time, the change and the field managers of all earlier states.
    pub fn before(&self) -> Value {
        let states = self.states.iter().rev().skip(1);
        let earlier =
            states.map(|state| json!({"at": state.at, "change": state.change, "by": state.by}));
        earlier.collect()
    }

    /// Returns all states, the newest as YAML, and the command that shows it: `kubectl` is its
    /// start, `kubectl` or `kubectl --kubeconfig FILE`.
    pub fn detail(&self, kubectl: &str) -> Value {
        let states = self.states.numbers().zip(self.states.iter());
        let states = states.map(
            |(n, state)| json!({"n": n, "at": state.at, "change": state.change, "by": state.by}),
        );
        json!({"uid": self.uid, "states": states.collect::<Vec<_>>(),
            "yaml": self.states.iter().next_back().map(|state| text(&state.json)),
            "kubectl": self.kubectl(kubectl)})
    }

    /// Returns the changes between two states, given their numbers, and the field managers that
    /// made them; `None` if one of the states was dropped.
    pub fn difference(&self, from: u64, to: u64) -> Option<Value> {
        let (before, after) = (self.states.get(from)?, self.states.get(to)?);
        let between = self.states.numbers().zip(self.states.iter());
        let between = between.filter(|(n, _)| *n > from.min(to) && *n <= from.max(to));
        let mut by: Vec<_> = between.flat_map(|(_, state)| &state.by).collect();
        by.sort();
        by.dedup();
        let (before, after) = (text(&before.json), text(&after.json));
        let diff = unified(&self.label(), Some(&before), Some(&after));
        Some(json!({"diff": diff, "by": by, "yaml": after}))
    }

    fn kubectl(&self, kubectl: &str) -> String {
        let kind = match self.group.as_str() {
            "" => self.plural.clone(),
            group => format!("{}.{}.{group}", self.plural, self.version),
        };
        let namespace = match self.namespace.as_str() {
            "" => String::new(),
            namespace => format!(" --namespace {}", shell_word(namespace)),
        };
        let (kind, name) = (shell_word(&kind), shell_word(&self.name));
        format!("{kubectl} get {kind} {name}{namespace} --output yaml")
    }
}

/// Formats a stored state as YAML.
fn text(json: &str) -> String {
    serde_json::from_str(json).map_or_else(|_| json.to_owned(), |value| yaml::write(&value))
}

/// Returns the uids of the owners, the controller first.
pub fn owners(object: &Value) -> Vec<String> {
    let all = object
        .pointer("/metadata/ownerReferences")
        .and_then(Value::as_array);
    let mut all: Vec<_> = all.into_iter().flatten().collect();
    all.sort_by_key(|owner| owner["controller"] != true);
    let uids = all.into_iter().filter_map(|owner| owner["uid"].as_str());
    uids.map(str::to_owned).collect()
}

/// Removes the managed fields from an object and returns them.
fn take_fields(object: &mut Value) -> Vec<Value> {
    let metadata = object.get_mut("metadata").and_then(Value::as_object_mut);
    match metadata.and_then(|metadata: &mut Map<_, _>| metadata.shift_remove("managedFields")) {
        Some(Value::Array(fields)) => fields,
        _ => Vec::new(),
    }
}

/// Returns the field managers whose entries changed, with the subresource that they wrote.
fn changed_by(before: &[Value], after: &[Value]) -> Vec<String> {
    let changed = after.iter().filter(|entry| !before.contains(entry));
    let named = changed.filter_map(|entry| {
        let manager = entry["manager"].as_str()?;
        Some(match entry["subresource"].as_str() {
            Some(subresource) => format!("{manager} ({subresource})"),
            None => manager.to_owned(),
        })
    });
    let mut named: Vec<_> = named.collect();
    named.sort();
    named.dedup();
    named
}
