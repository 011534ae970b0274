//! The objects that concern the operator: objects of its kinds, the objects that they own, and the
//! objects that its controllers wrote.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};

use serde_json::Value;

use super::object::{Object, owners};
use crate::page::call::Call;
use crate::page::update::{About, ProjectKind};

/// Maximum size of the states of all objects together.
const BYTES: usize = 64 << 20;
/// Maximum number of objects held until their owner is seen.
const ORPHANS: usize = 5000;
/// Maximum number of deleted objects kept.
const GONE: usize = 500;
/// Number of Events kept per object.
const EVENTS: usize = 20;
/// Maximum depth of a tree of owners.
const DEPTH: usize = 12;

/// All objects that the page shows.
#[derive(Debug, Default)]
pub struct Objects {
    kinds: Vec<ProjectKind>,
    /// Common prefix of the operator's field managers.
    manager: String,
    by_uid: BTreeMap<String, Object>,
    /// The uids of the children of each owner.
    owned: HashMap<String, BTreeSet<String>>,
    /// The uid of the newest object by group, plural, namespace and name.
    names: HashMap<(String, String, String, String), String>,
    /// Objects, with their plural, whose owner has not been seen yet.
    orphans: BTreeMap<String, (String, Value)>,
    /// The uids of these orphans by the uid of each owner.
    waiting: HashMap<String, BTreeSet<String>>,
    /// The uids of the deleted objects, in the order of deletion.
    gone: VecDeque<String>,
    /// The uid of each stored state's object, in the order of arrival.
    order: VecDeque<String>,
    /// The total size of the stored states in bytes.
    bytes: usize,
}

impl Objects {
    /// Sets the project whose objects are shown.
    pub fn about(&mut self, about: &About) {
        self.kinds.clone_from(&about.kinds);
        self.manager = format!("{}/", about.project);
    }

    /// Applies a watch event of the type `change` (`ADDED`, `MODIFIED` or `DELETED`). Returns the
    /// uids of the shown objects that changed.
    pub fn apply(&mut self, at: u64, change: &str, plural: &str, object: Value) -> Vec<String> {
        let word = |path: &str| {
            object
                .pointer(path)
                .and_then(Value::as_str)
                .unwrap_or_default()
        };
        if word("/kind") == "Event" {
            return self.event(&object).into_iter().collect();
        }
        let uid = word("/metadata/uid").to_owned();
        if uid.is_empty() || !self.concerns(&uid, &object) {
            if !owners(&object).is_empty() && self.orphans.len() < ORPHANS && change != "DELETED" {
                self.take_orphan(&uid);
                for owner in owners(&object) {
                    self.waiting.entry(owner).or_default().insert(uid.clone());
                }
                self.orphans.insert(uid, (plural.to_owned(), object));
            } else {
                self.take_orphan(&uid);
            }
            return Vec::new();
        }
        let mut shown = vec![uid.clone()];
        self.see(at, change, plural, object);
        self.adopt(at, &uid, &mut shown);
        shown
    }

    /// Returns true if the page shows the object.
    fn concerns(&self, uid: &str, object: &Value) -> bool {
        if self.by_uid.contains_key(uid) || self.is_own(object) {
            return true;
        }
        if owners(object)
            .iter()
            .any(|owner| self.by_uid.contains_key(owner))
        {
            return true;
        }
        let fields = object
            .pointer("/metadata/managedFields")
            .and_then(Value::as_array);
        fields.into_iter().flatten().any(|entry| {
            let manager = entry["manager"].as_str().unwrap_or_default();
            self.manager.len() > 1 && manager.starts_with(&self.manager)
        })
    }

    /// Reports whether an object is of one of the project's kinds.
    fn is_own(&self, object: &Value) -> bool {
        let types = object["apiVersion"].as_str().unwrap_or_default();
        let group = types.rsplit_once('/').map_or("", |(group, _)| group);
        self.kinds
            .iter()
            .any(|kind| kind.group == group && object["kind"] == kind.kind.as_str())
    }

    /// Adds the state of an object that the page shows, and updates the indices.
    fn see(&mut self, at: u64, change: &str, plural: &str, value: Value) {
        let is_own = self.is_own(&value);
        let first = Object::new(&value, plural, is_own);
        let uid = first.uid.clone();
        let name = (
            first.group.clone(),
            plural.to_owned(),
            first.namespace.clone(),
            first.name.clone(),
        );
        let object = self.by_uid.entry(uid.clone()).or_insert(first);
        let before = std::mem::take(&mut object.owners);
        let (more, less) = object.observe(at, change, value);
        if before != object.owners {
            for owner in before {
                self.owned.entry(owner).or_default().remove(&uid);
            }
            for owner in &object.owners {
                let owned = self.owned.entry(owner.clone()).or_default();
                owned.insert(uid.clone());
            }
        }
        if object.is_gone {
            self.gone.push_back(uid.clone());
        } else {
            self.names.insert(name, uid.clone());
        }
        if more > 0 {
            self.order.push_back(uid);
        }
        self.bytes = (self.bytes + more).saturating_sub(less);
        self.shrink();
    }

    /// Drops the oldest states, except the last one of each object, and the objects that were
    /// deleted longest ago.
    fn shrink(&mut self) {
        while self.bytes > BYTES {
            let Some(uid) = self.order.pop_front() else {
                break;
            };
            if let Some(object) = self.by_uid.get_mut(&uid)
                && object.states.len() > 1
            {
                self.bytes = self.bytes.saturating_sub(object.forget());
            }
        }
        while self.gone.len() > GONE {
            let Some(uid) = self.gone.pop_front() else {
                break;
            };
            if let Some(mut object) = self.by_uid.remove(&uid) {
                while object.states.len() > 0 {
                    self.bytes = self.bytes.saturating_sub(object.forget());
                }
                self.names.retain(|_, named| *named != uid);
                for owner in &object.owners {
                    if let Some(owned) = self.owned.get_mut(owner) {
                        owned.remove(&uid);
                    }
                }
                self.owned.retain(|_, owned| !owned.is_empty());
            }
        }
    }

    /// Shows the orphans that waited for this owner, then those that waited for them.
    fn adopt(&mut self, at: u64, owner: &str, shown: &mut Vec<String>) {
        let mut next = vec![owner.to_owned()];
        while let Some(owner) = next.pop() {
            for uid in self.waiting.remove(&owner).unwrap_or_default() {
                if let Some((plural, object)) = self.take_orphan(&uid) {
                    self.see(at, "ADDED", &plural, object);
                    shown.push(uid.clone());
                    next.push(uid);
                }
            }
        }
    }

    /// Removes an orphan and its entries in the index.
    fn take_orphan(&mut self, uid: &str) -> Option<(String, Value)> {
        let orphan = self.orphans.remove(uid)?;
        for owner in owners(&orphan.1) {
            if let Some(waiting) = self.waiting.get_mut(&owner) {
                waiting.remove(uid);
                if waiting.is_empty() {
                    self.waiting.remove(&owner);
                }
            }
        }
        Some(orphan)
    }

    /// Applies an Event. Returns the uid of the object that it is about, if the page shows that
    /// object.
    fn event(&mut self, event: &Value) -> Option<String> {
        let uid = event.pointer("/involvedObject/uid")?.as_str()?;
        let object = self.by_uid.get_mut(uid)?;
        let word = |name: &str| event[name].as_str().unwrap_or_default();
        let series = &event["series"];
        let last = ["lastTimestamp", "eventTime", "firstTimestamp"]
            .iter()
            .find_map(|name| event[*name].as_str());
        let at = series["lastObservedTime"].as_str().or(last);
        let count = series["count"]
            .as_u64()
            .or(event["count"].as_u64())
            .unwrap_or(1);
        let id = event
            .pointer("/metadata/uid")
            .and_then(Value::as_str)
            .unwrap_or_default();
        let event = serde_json::json!({"id": id, "type": word("type"), "reason": word("reason"),
            "message": word("message"), "count": count, "at": at.and_then(super::condition::micros)});
        let known = object
            .events
            .numbers()
            .find(|n| object.events.get(*n).is_some_and(|one| one["id"] == id));
        match known.and_then(|number| object.events.get_mut(number)) {
            Some(known) => *known = event,
            None => drop(object.events.push(EVENTS, event)),
        }
        Some(uid.to_owned())
    }

    /// Returns an object by its uid.
    pub fn get(&self, uid: &str) -> Option<&Object> {
        self.by_uid.get(uid)
    }

    /// Returns the uids of all objects.
    pub fn all(&self) -> impl Iterator<Item = String> {
        self.by_uid.keys().cloned()
    }

    /// Returns the uids of the objects of the project's kinds.
    pub fn roots(&self) -> impl Iterator<Item = String> {
        let own = self.by_uid.values().filter(|object| object.is_own);
        own.map(|object| object.uid.clone())
    }

    /// Returns the uid of the first owner that the page shows.
    pub fn parent<'a>(&self, object: &'a Object) -> Option<&'a str> {
        let mut owners = object.owners.iter();
        owners
            .find(|owner| self.by_uid.contains_key(*owner))
            .map(String::as_str)
    }

    /// Returns the uid at the top of the object's tree of owners.
    pub fn root(&self, uid: &str) -> String {
        let mut at = uid;
        for _ in 0..DEPTH {
            match self.by_uid.get(at).and_then(|object| self.parent(object)) {
                Some(parent) => at = parent,
                None => break,
            }
        }
        at.to_owned()
    }

    /// Returns all objects below an object, the nearest first.
    pub fn below<'a>(&'a self, object: &'a Object) -> Vec<&'a Object> {
        let mut below: Vec<&Object> = Vec::new();
        let mut level = vec![object.uid.as_str()];
        for _ in 0..DEPTH {
            let owned = level
                .iter()
                .filter_map(|owner| Some((*owner, self.owned.get(*owner)?)));
            let children = owned.flat_map(|(owner, all)| all.iter().map(move |uid| (owner, uid)));
            let next = children.filter_map(|(owner, uid)| {
                let child = self.by_uid.get(uid)?;
                (self.parent(child) == Some(owner)).then_some(child)
            });
            let next: Vec<&Object> = next.collect();
            if next.is_empty() {
                break;
            }
            level = next.iter().map(|one| one.uid.as_str()).collect();
            below.extend(next);
        }
        below
    }

    /// Returns the uid of an object of a project's kind, given its label in the operator's log.
    pub fn named(&self, kind: &str, label: &str) -> Option<String> {
        let (namespace, name) = label.split_once('/').unwrap_or(("", label));
        let kind = self.kinds.iter().find(|one| one.kind == kind)?;
        self.uid(&kind.group, &kind.plural, namespace, name)
    }

    /// Returns the uid of the object that a request is about; `None` if no such object is shown
    /// yet.
    pub fn of_call(&self, call: &Call) -> Option<String> {
        self.uid(&call.group, call.plural(), &call.namespace, &call.name)
    }

    fn uid(&self, group: &str, plural: &str, namespace: &str, name: &str) -> Option<String> {
        let key = (
            group.to_owned(),
            plural.to_owned(),
            namespace.to_owned(),
            name.to_owned(),
        );
        self.names.get(&key).cloned()
    }
}
