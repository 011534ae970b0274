//! The hub of the page: applies updates to the model and sends the changes to all connected
//! browsers.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hyper::body::Bytes;
use serde_json::Value;
use tokio::sync::mpsc;

use super::error::{Error, Result};
use super::model::{ChangedPart, Model};
use super::record::Recorder;
use super::update::Update;

/// Capacity of a browser's message queue. A browser that falls further behind is disconnected;
/// after it has connected again, it gets the complete state.
const BEHIND: usize = 256;
/// Minimum number of messages per event in the initial state sent to a browser.
const AT_ONCE: usize = 500;

/// The shared state: the model, the connected browsers and the recorder. Clones are cheap and share
/// that state.
#[derive(Clone, Debug, Default)]
pub struct Hub(Arc<Mutex<Inner>>);

#[derive(Debug, Default)]
struct Inner {
    model: Model,
    /// Changes not yet sent to the browsers; always empty while none is connected.
    changed: BTreeSet<ChangedPart>,
    /// The message queues of the connected browsers.
    listeners: Vec<mpsc::Sender<Bytes>>,
    recorder: Option<Recorder>,
    /// The error that ended the recording.
    recording_error: Option<Error>,
}

impl Hub {
    /// Creates a hub; with a recorder, it also records every update.
    pub fn new(recorder: Option<Recorder>) -> Self {
        Self(Arc::new(Mutex::new(Inner {
            recorder,
            ..Inner::default()
        })))
    }

    /// Records the update and applies it to the model. Browsers get the change with the next
    /// [`Self::flush`].
    pub fn send(&self, update: Update) {
        let mut inner = lock(&self.0);
        inner.record(|recorder| recorder.write(&update));
        let changed = inner.model.apply(update);
        if !inner.listeners.is_empty() {
            inner.changed.extend(changed);
        }
    }

    /// Returns true if a browser is connected or if a recording is written.
    pub fn is_open(&self) -> bool {
        let inner = lock(&self.0);
        inner.recorder.is_some() || !inner.listeners.is_empty()
    }

    /// Finishes the recording.
    ///
    /// # Errors
    /// Returns an error if any part of it could not be written.
    pub fn end(&self) -> Result<()> {
        let mut inner = lock(&self.0);
        inner.record(Recorder::flush);
        inner.recording_error.take().map_or(Ok(()), Err)
    }

    /// Connects a browser: queues the complete state, followed by all later changes.
    pub fn listen(&self) -> mpsc::Receiver<Bytes> {
        let (sender, receiver) = mpsc::channel(BEHIND);
        let mut inner = lock(&self.0);
        let all = inner.model.all();
        let messages: Vec<_> = all
            .iter()
            .filter_map(|one| inner.model.whole(one))
            .collect();
        // The initial state must fit into half of the queue, so its events grow with the number of
        // messages.
        let most = AT_ONCE.max(messages.len() / (BEHIND / 2) + 1);
        let reset = std::iter::once(event("reset", &Value::Null));
        let pieces = messages
            .chunks(most)
            .map(|piece| event("changes", &Value::from(piece)));
        for piece in reset.chain(pieces) {
            let _ = sender.try_send(piece);
        }
        inner.listeners.push(sender);
        receiver
    }

    /// Sends all changes since the last call. Drops browsers that are disconnected or too slow.
    pub fn flush(&self) {
        let mut inner = lock(&self.0);
        inner.record(Recorder::flush);
        let changed = std::mem::take(&mut inner.changed);
        let messages: Vec<_> = changed
            .iter()
            .filter_map(|one| inner.model.message(one))
            .collect();
        if !messages.is_empty() {
            inner.send(&event("changes", &Value::from(messages)));
        }
    }

    /// Sends a comment, so that closed connections are detected even when nothing changes.
    pub fn beat(&self) {
        lock(&self.0).send(&Bytes::from_static(b": here\n\n"));
    }

    /// Returns all states of an object, as `Model::detail` does; `None` if the model does not have
    /// it.
    pub fn detail(&self, uid: &str) -> Option<Value> {
        lock(&self.0).model.detail(uid)
    }

    /// Returns the difference between two states of an object, given their numbers, as
    /// `Model::difference` does; `None` if the model no longer has one of them.
    pub fn difference(&self, uid: &str, from: u64, to: u64) -> Option<Value> {
        lock(&self.0).model.difference(uid, from, to)
    }
}

impl Inner {
    /// Writes to the recorder. A recording that fails ends, but the page keeps working.
    fn record(&mut self, write: impl FnOnce(&mut Recorder) -> Result<()>) {
        let written = self.recorder.as_mut().map(write);
        if let Some(Err(error)) = written {
            (self.recorder, self.recording_error) = (None, Some(error));
        }
    }

    /// Queues bytes for each browser, and disconnects those whose queue is full or closed.
    fn send(&mut self, bytes: &Bytes) {
        self.listeners
            .retain(|one| one.try_send(bytes.clone()).is_ok());
    }
}

/// Formats a server-sent event. Compact JSON contains no line breaks, so one `data` line is enough.
fn event(name: &str, data: &Value) -> Bytes {
    format!("event: {name}\ndata: {data}\n\n").into()
}

/// Locks the state. A poisoned lock is used anyway: a panic leaves the state usable.
fn lock(inner: &Mutex<Inner>) -> MutexGuard<'_, Inner> {
    inner.lock().unwrap_or_else(PoisonError::into_inner)
}
