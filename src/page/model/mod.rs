//! The state behind the page: applies updates and reports what they changed. It never blocks, and
//! its memory use is bounded.

mod bounded_list;
mod calls;
mod cause;
mod condition;
mod object;
mod objects;
mod problem_notices;
mod reconciles;
mod state;
mod store;
#[cfg(test)]
mod tests;

use serde_json::{Value, json};

use self::bounded_list::KEPT;
use self::calls::TimedCall;
use self::object::Object;
use self::problem_notices::Notice;
use self::store::Store;
use super::line::LogLine;
use super::update::{Update, UpdateContent};

/// Number of metric samples kept: ten minutes, one every two seconds.
const METRIC_SAMPLES: usize = 300;

/// A changed part of the model; each becomes one message to a page. The numbers are those of the
/// entry in its `BoundedList`.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub enum ChangedPart {
    /// The project and its kinds.
    About,
    /// The state of the operator's process.
    Process,
    /// The report on permissions.
    Permissions,
    /// A sample of the operator's metrics.
    Metrics(u64),
    /// The object with this uid.
    Object(String),
    /// A line of the operator's log.
    Line(u64),
    /// A request of the operator.
    Call(u64),
    /// A reconcile, whether it runs or has ended.
    Reconcile(u64),
    /// A notice about a problem.
    Notice(u64),
}

/// Everything that a page shows.
#[derive(Debug, Default)]
pub struct Model {
    store: Store,
}

impl Model {
    /// Applies an update and returns the parts that changed.
    pub fn apply(&mut self, update: Update) -> Vec<ChangedPart> {
        let at = update.at;
        if self.store.begin == 0 {
            self.store.begin = at;
        }
        let mut changed = match update.content {
            UpdateContent::About(about) => {
                self.store.objects.about(&about);
                self.store.reconciles.about(&about);
                self.store.about = about;
                vec![ChangedPart::About]
            }
            UpdateContent::Process(process) => {
                // During and after a build that failed, the old operator keeps running.
                let ended =
                    process.state == "ended" || process.restarts > self.store.process.restarts;
                self.store.process = process;
                let roots = self.roots();
                let ended = if ended {
                    self.store.reconciles.cut(at)
                } else {
                    Vec::new()
                };
                let ended = ended.into_iter().map(ChangedPart::Reconcile);
                roots
                    .into_iter()
                    .chain(ended)
                    .chain([ChangedPart::Process])
                    .collect()
            }
            UpdateContent::Permissions(permissions) => {
                self.store.permissions = permissions;
                let mut changed = self.roots();
                changed.push(ChangedPart::Permissions);
                changed
            }
            UpdateContent::Metrics(metrics) => {
                vec![ChangedPart::Metrics(
                    self.store.metrics.push(METRIC_SAMPLES, (at, metrics)),
                )]
            }
            UpdateContent::Object {
                change,
                plural,
                object,
            } => self.object(at, &change, &plural, object),
            UpdateContent::Line(line) => self.line(at, line),
            UpdateContent::Call(call) => {
                self.store.notices.call(at, &call);
                let lane = self.store.objects.of_call(&call);
                vec![ChangedPart::Call(
                    self.store.calls.push(KEPT, TimedCall { at, call, lane }),
                )]
            }
        };
        changed.extend(
            self.store
                .notices
                .take()
                .into_iter()
                .map(ChangedPart::Notice),
        );
        changed
    }

    /// Applies a watch event of the type `change`.
    fn object(&mut self, at: u64, change: &str, plural: &str, object: Value) -> Vec<ChangedPart> {
        let uids = self.store.objects.apply(at, change, plural, object);
        for uid in &uids {
            if let Some(object) = self.store.objects.get(uid) {
                self.store.notices.object(at, object);
            }
        }
        // The state shown for an object depends on all objects below it.
        let above = uids.iter().map(|uid| self.store.objects.root(uid));
        let mut all: Vec<_> = above.chain(uids.iter().cloned()).collect();
        all.sort();
        all.dedup();
        let earlier: Vec<_> = uids
            .iter()
            .flat_map(|uid| self.reported_before(uid))
            .collect();
        all.into_iter()
            .map(ChangedPart::Object)
            .chain(earlier)
            .collect()
    }

    /// Returns the writes and reconciles of an object that were reported before the object itself;
    /// empty unless this is the object's first state. The audit log, the operator's log and the
    /// watches are read independently of each other.
    fn reported_before(&mut self, uid: &str) -> Vec<ChangedPart> {
        let Store {
            objects,
            calls,
            reconciles,
            ..
        } = &mut self.store;
        let is_first = |it: &&Object| it.states.numbers() == (0..1) && !it.is_gone;
        let Some(object) = objects.get(uid).filter(is_first) else {
            return Vec::new();
        };
        let mut changed = Vec::new();
        for number in calls.numbers() {
            let Some(made) = calls.get_mut(number) else {
                continue;
            };
            if made.lane.is_none() && made.call.has_written() && object.is_named_by(&made.call) {
                made.lane = Some(uid.to_owned());
                changed.push(ChangedPart::Call(number));
            }
        }
        let is_of_object = |number: &u64| {
            reconciles.get(*number).is_some_and(|reconcile| {
                reconcile.kind == object.kind
                    && objects.named(&reconcile.kind, &reconcile.object).as_deref() == Some(uid)
            })
        };
        changed.extend(
            reconciles
                .numbers()
                .filter(is_of_object)
                .map(ChangedPart::Reconcile),
        );
        changed
    }

    /// Applies a line of the operator's log.
    fn line(&mut self, at: u64, line: LogLine) -> Vec<ChangedPart> {
        let mut changed = Vec::new();
        if let Some(number) = self.store.reconciles.line(at, &line) {
            changed.push(ChangedPart::Reconcile(number));
            let reconcile = self.store.reconciles.get(number);
            if let Some(reconcile) = reconcile {
                self.store.notices.reconcile(at, reconcile);
                let uid = self.store.objects.named(&reconcile.kind, &reconcile.object);
                changed.extend(uid.map(ChangedPart::Object));
            }
        }
        if line.message.starts_with(cause::CANNOT_START) {
            changed.extend(self.roots());
        }
        let subject = self.store.reconciles.subject(&line);
        self.store.notices.line(at, &line, subject);
        changed.push(ChangedPart::Line(self.store.keep_line(at, line)));
        changed
    }

    /// Returns the objects of the project's kinds, whose causes depend on the whole model.
    fn roots(&self) -> Vec<ChangedPart> {
        self.store
            .objects
            .roots()
            .map(ChangedPart::Object)
            .collect()
    }

    /// Returns all parts, in the order in which a page needs them.
    pub fn all(&self) -> Vec<ChangedPart> {
        let mut all = vec![
            ChangedPart::About,
            ChangedPart::Process,
            ChangedPart::Permissions,
        ];
        all.extend(self.store.objects.all().map(ChangedPart::Object));
        all.extend(self.store.reconciles.numbers().map(ChangedPart::Reconcile));
        all.extend(self.store.calls.numbers().map(ChangedPart::Call));
        all.extend(self.store.lines.numbers().map(ChangedPart::Line));
        all.extend(self.store.notices.numbers().map(ChangedPart::Notice));
        all.extend(self.store.metrics.numbers().map(ChangedPart::Metrics));
        all
    }

    /// Returns the message with which a newly opened page receives a part. For an object, it
    /// includes the earlier states.
    pub fn whole(&self, changed: &ChangedPart) -> Option<Value> {
        let mut message = self.message(changed)?;
        if let ChangedPart::Object(uid) = changed {
            message["before"] = self.store.objects.get(uid)?.before();
        }
        Some(message)
    }

    /// Returns the message with which a page receives a changed part; `None` if the model no longer
    /// holds it.
    pub fn message(&self, changed: &ChangedPart) -> Option<Value> {
        Some(match changed {
            ChangedPart::About => {
                json!({"t": "about", "about": self.store.about, "begin": self.store.begin})
            }
            ChangedPart::Process => json!({"t": "process", "process": self.store.process}),
            ChangedPart::Permissions => {
                json!({"t": "permissions", "permissions": self.store.permissions})
            }
            ChangedPart::Metrics(number) => {
                let (at, metrics) = self.store.metrics.get(*number)?;
                json!({"t": "figures", "at": at, "figures": metrics})
            }
            ChangedPart::Object(uid) => self.object_message(uid)?,
            ChangedPart::Line(number) => {
                let (at, line) = self.store.lines.get(*number)?;
                let uid = self
                    .store
                    .reconciles
                    .subject(line)
                    .and_then(|(kind, object)| self.store.objects.named(kind, object));
                json!({"t": "line", "n": number, "at": at, "line": line, "uid": uid})
            }
            ChangedPart::Call(number) => self.store.calls.get(*number)?.message(*number),
            ChangedPart::Reconcile(number) => {
                let reconcile = self.store.reconciles.get(*number)?;
                let uid = self.store.objects.named(&reconcile.kind, &reconcile.object);
                reconcile.message(*number, uid.as_deref())
            }
            ChangedPart::Notice(number) => {
                let notice = self.store.notices.get(*number)?;
                json!({"t": "notice", "n": number, "notice": notice, "uid": self.uid_of(notice)})
            }
        })
    }

    fn uid_of(&self, notice: &Notice) -> Option<String> {
        match &notice.uid {
            Some(uid) => Some(uid.clone()),
            None => self.store.objects.named(&notice.kind, &notice.object),
        }
    }

    fn object_message(&self, uid: &str) -> Option<Value> {
        let object = self.store.objects.get(uid)?;
        let mut message = object.message(self.store.objects.parent(object));
        message["cause"] = json!(cause::find(&self.store, object));
        Some(message)
    }

    /// Returns all states of an object, the newest as YAML, and the kubectl command that shows it;
    /// `None` if the model does not have the object.
    pub fn detail(&self, uid: &str) -> Option<Value> {
        let object = self.store.objects.get(uid)?;
        Some(object.detail(&self.store.about.kubectl))
    }

    /// Returns the changes between the states `from` and `to` of an object as a unified diff, and
    /// the field managers that made them; `None` if the model no longer has one of these states.
    pub fn difference(&self, uid: &str, from: u64, to: u64) -> Option<Value> {
        self.store.objects.get(uid)?.difference(from, to)
    }
}
