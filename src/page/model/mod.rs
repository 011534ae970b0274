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
const FIGURES: usize = 300;

/// A changed part of the model; each becomes one message to a page. The numbers are those of the
/// entry in its `BoundedList`.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub enum Touched {
    /// The project and its kinds.
    About,
    /// The state of the operator's process.
    Process,
    /// The report on permissions.
    Permissions,
    /// A sample of the operator's metrics.
    Figures(u64),
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
    pub fn apply(&mut self, update: Update) -> Vec<Touched> {
        let at = update.at;
        if self.store.begin == 0 {
            self.store.begin = at;
        }
        let mut touched = match update.content {
            UpdateContent::About(about) => {
                self.store.objects.about(&about);
                self.store.reconciles.about(&about);
                self.store.about = about;
                vec![Touched::About]
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
                let ended = ended.into_iter().map(Touched::Reconcile);
                roots
                    .into_iter()
                    .chain(ended)
                    .chain([Touched::Process])
                    .collect()
            }
            UpdateContent::Permissions(permissions) => {
                self.store.permissions = permissions;
                let mut touched = self.roots();
                touched.push(Touched::Permissions);
                touched
            }
            UpdateContent::Figures(figures) => {
                vec![Touched::Figures(
                    self.store.figures.push(FIGURES, (at, figures)),
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
                vec![Touched::Call(
                    self.store.calls.push(KEPT, TimedCall { at, call, lane }),
                )]
            }
        };
        touched.extend(self.store.notices.take().into_iter().map(Touched::Notice));
        touched
    }

    /// Applies a watch event of the type `change`.
    fn object(&mut self, at: u64, change: &str, plural: &str, object: Value) -> Vec<Touched> {
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
            .map(Touched::Object)
            .chain(earlier)
            .collect()
    }

    /// Returns the writes and reconciles of an object that were reported before the object itself;
    /// empty unless this is the object's first state. The audit log, the operator's log and the
    /// watches are read independently of each other.
    fn reported_before(&mut self, uid: &str) -> Vec<Touched> {
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
        let mut touched = Vec::new();
        for number in calls.numbers() {
            let Some(made) = calls.get_mut(number) else {
                continue;
            };
            if made.lane.is_none() && made.call.has_written() && object.is_named_by(&made.call) {
                made.lane = Some(uid.to_owned());
                touched.push(Touched::Call(number));
            }
        }
        let is_of_object = |number: &u64| {
            reconciles.get(*number).is_some_and(|reconcile| {
                reconcile.kind == object.kind
                    && objects.named(&reconcile.kind, &reconcile.object).as_deref() == Some(uid)
            })
        };
        touched.extend(
            reconciles
                .numbers()
                .filter(is_of_object)
                .map(Touched::Reconcile),
        );
        touched
    }

    /// Applies a line of the operator's log.
    fn line(&mut self, at: u64, line: LogLine) -> Vec<Touched> {
        let mut touched = Vec::new();
        if let Some(number) = self.store.reconciles.line(at, &line) {
            touched.push(Touched::Reconcile(number));
            let reconcile = self.store.reconciles.get(number);
            if let Some(reconcile) = reconcile {
                self.store.notices.reconcile(at, reconcile);
                let uid = self.store.objects.named(&reconcile.kind, &reconcile.object);
                touched.extend(uid.map(Touched::Object));
            }
        }
        if line.message.starts_with(cause::CANNOT_START) {
            touched.extend(self.roots());
        }
        let subject = self.store.reconciles.subject(&line);
        self.store.notices.line(at, &line, subject);
        touched.push(Touched::Line(self.store.keep_line(at, line)));
        touched
    }

    /// Returns the objects of the project's kinds, whose causes depend on the whole model.
    fn roots(&self) -> Vec<Touched> {
        self.store.objects.roots().map(Touched::Object).collect()
    }

    /// Returns all parts, in the order in which a page needs them.
    pub fn all(&self) -> Vec<Touched> {
        let mut all = vec![Touched::About, Touched::Process, Touched::Permissions];
        all.extend(self.store.objects.all().map(Touched::Object));
        all.extend(self.store.reconciles.numbers().map(Touched::Reconcile));
        all.extend(self.store.calls.numbers().map(Touched::Call));
        all.extend(self.store.lines.numbers().map(Touched::Line));
        all.extend(self.store.notices.numbers().map(Touched::Notice));
        all.extend(self.store.figures.numbers().map(Touched::Figures));
        all
    }

    /// Returns the message with which a newly opened page receives a part. For an object, it
    /// includes the earlier states.
    pub fn whole(&self, touched: &Touched) -> Option<Value> {
        let mut message = self.message(touched)?;
        if let Touched::Object(uid) = touched {
            message["before"] = self.store.objects.get(uid)?.before();
        }
        Some(message)
    }

    /// Returns the message with which a page receives a changed part; `None` if the model no longer
    /// holds it.
    pub fn message(&self, touched: &Touched) -> Option<Value> {
        Some(match touched {
            Touched::About => {
                json!({"t": "about", "about": self.store.about, "begin": self.store.begin})
            }
            Touched::Process => json!({"t": "process", "process": self.store.process}),
            Touched::Permissions => {
                json!({"t": "permissions", "permissions": self.store.permissions})
            }
            Touched::Figures(number) => {
                let (at, figures) = self.store.figures.get(*number)?;
                json!({"t": "figures", "at": at, "figures": figures})
            }
            Touched::Object(uid) => self.object_message(uid)?,
            Touched::Line(number) => {
                let (at, line) = self.store.lines.get(*number)?;
                let uid = self
                    .store
                    .reconciles
                    .subject(line)
                    .and_then(|(kind, object)| self.store.objects.named(kind, object));
                json!({"t": "line", "n": number, "at": at, "line": line, "uid": uid})
            }
            Touched::Call(number) => self.store.calls.get(*number)?.message(*number),
            Touched::Reconcile(number) => {
                let reconcile = self.store.reconciles.get(*number)?;
                let uid = self.store.objects.named(&reconcile.kind, &reconcile.object);
                reconcile.message(*number, uid.as_deref())
            }
            Touched::Notice(number) => {
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
