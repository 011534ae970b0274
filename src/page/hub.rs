//! What everybody tells, and all pages listen to.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hyper::body::Bytes;
use serde_json::Value;
use tokio::sync::mpsc;

use super::error::{Error, Result};
use super::model::{Model, Touched};
use super::news::News;
use super::record::Recorder;

/// A page that is so far behind begins anew.
const BEHIND: usize = 256;
/// So many messages go at once to a page that begins.
const AT_ONCE: usize = 500;

/// What is shown, and who looks. Cheap to clone; all clones are one.
#[derive(Clone, Debug, Default)]
pub struct Hub(Arc<Mutex<Inner>>);

#[derive(Debug, Default)]
struct Inner {
    model: Model,
    /// What no page was told yet; nothing while none is open.
    touched: BTreeSet<Touched>,
    listeners: Vec<mpsc::Sender<Bytes>>,
    recorder: Option<Recorder>,
    /// What ended the recording.
    trouble: Option<Error>,
}

impl Hub {
    /// One that records what it is told.
    pub fn new(recorder: Option<Recorder>) -> Self {
        Self(Arc::new(Mutex::new(Inner {
            recorder,
            ..Inner::default()
        })))
    }

    /// Takes in what was seen.
    pub fn tell(&self, news: News) {
        let mut inner = lock(&self.0);
        inner.record(|recorder| recorder.write(&news));
        let touched = inner.model.apply(news);
        if !inner.listeners.is_empty() {
            inner.touched.extend(touched);
        }
    }

    /// Whether anybody looks.
    pub fn is_open(&self) -> bool {
        let inner = lock(&self.0);
        inner.recorder.is_some() || !inner.listeners.is_empty()
    }

    /// Ends the recording.
    ///
    /// # Errors
    /// When not all of it could be written.
    pub fn end(&self) -> Result<()> {
        let mut inner = lock(&self.0);
        inner.record(Recorder::flush);
        inner.trouble.take().map_or(Ok(()), Err)
    }

    /// All that is shown, and then what changes.
    pub fn listen(&self) -> mpsc::Receiver<Bytes> {
        let (sender, receiver) = mpsc::channel(BEHIND);
        let mut inner = lock(&self.0);
        let all = inner.model.all();
        let messages: Vec<_> = all
            .iter()
            .filter_map(|one| inner.model.whole(one))
            .collect();
        // As many pieces as fit: the last one takes the rest.
        let most = AT_ONCE.max(messages.len() / (BEHIND / 2) + 1);
        let reset = std::iter::once(event("reset", &Value::Null));
        let pieces = messages
            .chunks(most)
            .map(|piece| event("news", &Value::from(piece)));
        for piece in reset.chain(pieces) {
            let _ = sender.try_send(piece);
        }
        inner.listeners.push(sender);
        receiver
    }

    /// Tells all pages what changed since the last time; forgets those that are gone or cannot follow.
    pub fn flush(&self) {
        let mut inner = lock(&self.0);
        inner.record(Recorder::flush);
        let touched = std::mem::take(&mut inner.touched);
        let messages: Vec<_> = touched
            .iter()
            .filter_map(|one| inner.model.message(one))
            .collect();
        if !messages.is_empty() {
            inner.send(&event("news", &Value::from(messages)));
        }
    }

    /// Lets a connection that is gone be noticed.
    pub fn beat(&self) {
        lock(&self.0).send(&Bytes::from_static(b": here\n\n"));
    }

    /// All states of an object.
    pub fn detail(&self, uid: &str) -> Option<Value> {
        lock(&self.0).model.detail(uid)
    }

    /// What changed between two of them.
    pub fn difference(&self, uid: &str, from: u64, to: u64) -> Option<Value> {
        lock(&self.0).model.difference(uid, from, to)
    }
}

impl Inner {
    /// A recording that cannot be written ends; the page goes on.
    fn record(&mut self, write: impl FnOnce(&mut Recorder) -> Result<()>) {
        let written = self.recorder.as_mut().map(write);
        if let Some(Err(error)) = written {
            (self.recorder, self.trouble) = (None, Some(error));
        }
    }

    fn send(&mut self, bytes: &Bytes) {
        self.listeners
            .retain(|one| one.try_send(bytes.clone()).is_ok());
    }
}

/// A server-sent event. JSON has no line breaks.
fn event(name: &str, data: &Value) -> Bytes {
    format!("event: {name}\ndata: {data}\n\n").into()
}

/// What a thread that panicked leaves is as good as before.
fn lock(inner: &Mutex<Inner>) -> MutexGuard<'_, Inner> {
    inner.lock().unwrap_or_else(PoisonError::into_inner)
}
