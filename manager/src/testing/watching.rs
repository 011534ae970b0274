//! A watch: initial events, later events, and its end.

use std::{collections::VecDeque, convert::Infallible, future, sync::Arc, time::Duration};

use futures::{Stream, stream};
use hyper::body::{Bytes, Frame};
use serde_json::{Value, json};
use tokio::time::{Instant, timeout_at};

use super::{
    fault::{Fault, Label, Operation},
    kinds::Kind,
    read::Scope,
    refusal::Refusal,
    route::Query,
    selector::Selectors,
    server::Server,
    state::State,
};
use crate::recorder::{self, What};
use crate::tasks::process::Process;

/// Default timeout of a watch, in seconds.
const LASTS: u64 = 1800;

/// A watch request: its selectors, and the events that were not sent yet.
pub(super) struct Watching {
    kind: Arc<Kind>,
    /// `None` for all namespaces.
    namespace: Option<String>,
    selected: Selectors,
    /// True if the client requested only metadata.
    partial: bool,
    /// Every change up to this revision is in `waiting` or was sent.
    seen: u64,
    /// The events that were not sent yet, oldest first.
    waiting: VecDeque<Value>,
    /// True if the client accepts bookmarks. It gets one at the end of the watch.
    bookmarks: bool,
    /// The time at which the watch times out.
    end: Instant,
    /// True if no more events follow.
    is_over: bool,
}

impl Watching {
    /// Starts a watch after `resourceVersion`. Without a version, at version 0, and with
    /// `sendInitialEvents`, it first sends the existing objects. The error is a 504 for a version
    /// that does not exist yet.
    pub fn begin(
        state: &State,
        kind: Arc<Kind>,
        namespace: Option<String>,
        selected: Selectors,
        partial: bool,
        query: &Query,
    ) -> Result<Self, Refusal> {
        let known = query.number("resourceVersion").unwrap_or_default();
        if known > state.revision {
            return Err(Refusal::from_the_future(known, state.revision));
        }
        let seconds = query.number("timeoutSeconds").unwrap_or(LASTS);
        let bookmarks = query.is_set("allowWatchBookmarks");
        let is_list = query.is_set("sendInitialEvents");
        let mut watching = Self {
            kind,
            namespace,
            selected,
            partial,
            seen: known,
            waiting: VecDeque::new(),
            bookmarks,
            end: Instant::now() + Duration::from_secs(seconds),
            is_over: false,
        };
        if known == 0 || is_list {
            let scope = watching.scope();
            let added = |object| json!({"type": "ADDED", "object": object});
            let mut first: VecDeque<_> = scope.all(state)?.into_iter().map(added).collect();
            if is_list && bookmarks {
                first.push_back(scope.bookmark(state.revision, true));
            }
            watching.waiting = first;
            watching.seen = state.revision;
        }
        Ok(watching)
    }

    fn scope(&self) -> Scope<'_> {
        Scope {
            kind: &self.kind,
            namespace: self.namespace.as_deref(),
            selected: &self.selected,
            partial: self.partial,
        }
    }

    /// Returns the events as a stream of JSON lines, for the body of the response to `process`. The
    /// stream stops without an end if the process crashes.
    pub fn events(
        self,
        server: Arc<Server>,
        process: Arc<Process>,
    ) -> impl Stream<Item = Result<Frame<Bytes>, Infallible>> + Send + 'static {
        let start = (self, server, process);
        stream::unfold(start, |(mut watching, server, process)| async move {
            let event = tokio::select! {
                biased;
                () = process.wait_for_crash() => future::pending().await,
                event = watching.next(&server, &process) => event?,
            };
            // the type first, as in a real API server: clients parse the object by type
            let line = format!(
                "{{\"type\":{},\"object\":{}}}\n",
                event["type"], event["object"]
            );
            let next = (watching, server, process);
            Some((Ok(Frame::data(Bytes::from(line))), next))
        })
    }

    /// Waits for the next event. `None` at the end of the watch.
    async fn next(&mut self, server: &Server, process: &Process) -> Option<Value> {
        while !self.is_over {
            if self.waiting.is_empty() {
                self.queue_new_events(&server.state());
            }
            if let Some(event) = self.waiting.pop_front() {
                let event = self.faulty(event, server, process).await?;
                server.pause().await;
                self.record(&event, process);
                return Some(event);
            }
            let changed = server.changed_after(self.seen);
            if timeout_at(self.end, changed).await.is_err() {
                self.is_over = true;
                return self
                    .bookmarks
                    .then(|| self.scope().bookmark(self.seen, false));
            }
        }
        None
    }

    /// Waits while the events of the resource are held, and applies the fault of an event, if there
    /// is one. Returns the event to send in its place, or `None` if the watch breaks.
    async fn faulty(&mut self, event: Value, server: &Server, process: &Process) -> Option<Value> {
        let changes = ["ADDED", "MODIFIED", "DELETED"];
        if !process.is_operator() || !changes.iter().any(|known| event["type"] == **known) {
            return Some(event);
        }
        let label = self.label(&event);
        server.wait_until_released(&label.resource).await;
        let Some(fault) = server.fault(process, &label) else {
            return Some(event);
        };
        recorder::note(|| label.fails(fault));
        match fault {
            Fault::CrashBefore => {
                process.crash();
                future::pending().await
            }
            Fault::DelayedEvent(millis) => {
                server.delay(millis).await;
                Some(event)
            }
            Fault::BrokenWatch => {
                self.is_over = true;
                None
            }
            Fault::ExpiredWatch => {
                self.waiting.clear();
                self.is_over = true;
                let revision = {
                    let mut state = server.state();
                    state.compact();
                    state.revision
                };
                let message = format!("too old resource version: {} ({revision})", self.seen);
                let status = Refusal::expired(&message).status();
                Some(json!({"type": "ERROR", "object": status}))
            }
            _ => Some(event),
        }
    }

    /// Returns the label of an event: its object.
    fn label(&self, event: &Value) -> Label {
        let metadata = &event["object"]["metadata"];
        let text = |name: &str| metadata[name].as_str().unwrap_or_default().to_owned();
        Label {
            operation: Operation::Event,
            resource: self.kind.resource(),
            namespace: text("namespace"),
            name: text("name"),
        }
    }

    fn record(&self, event: &Value, process: &Process) {
        if !process.is_operator() {
            return;
        }
        recorder::note(|| {
            let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
            let label = self.label(event);
            What::Event {
                process: process.number,
                object: label.object(),
                resource: label.resource,
                kind: text(&event["type"]),
                version: text(&event["object"]["metadata"]["resourceVersion"]),
            }
        });
    }

    /// Adds the events of all changes after `seen` to `waiting`. An error becomes an event.
    fn queue_new_events(&mut self, state: &State) {
        let new = self.new_events(state);
        let failed = |refusal: Refusal| vec![json!({"type": "ERROR", "object": refusal.status()})];
        self.waiting.extend(new.unwrap_or_else(failed));
        self.seen = state.revision;
    }

    /// Returns the events of all changes after `seen`. The error is a 410 if the history no longer
    /// has them.
    fn new_events(&self, state: &State) -> Result<Vec<Value>, Refusal> {
        if self.seen < state.compacted {
            let message = format!(
                "too old resource version: {} ({})",
                self.seen, state.compacted
            );
            return Err(Refusal::expired(&message));
        }
        let new = state
            .log
            .iter()
            .filter(|change| change.revision > self.seen);
        new.filter_map(|change| self.scope().event(state, change).transpose())
            .collect()
    }
}
