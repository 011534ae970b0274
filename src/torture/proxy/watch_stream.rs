//! Forwards watch events to the operator, each after its delay.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use http_body_util::BodyExt as _;
use hyper::body::Bytes;
use kube::client::Body;
use serde_json::Value;
use tokio::sync::mpsc;

use crate::torture::api::call::Resource;
use crate::torture::journal::JournalEvent;
use crate::torture::proxy::Proxy;

/// Forwards the events of one watch.
pub struct WatchForwarder {
    pub proxy: Arc<Proxy>,
    pub resource: Resource,
    /// The incarnation of the operator that opened the watch.
    pub incarnation: u64,
    /// The lines of the operator's objects in other namespaces.
    pub elsewhere: mpsc::UnboundedReceiver<Vec<u8>>,
}

impl WatchForwarder {
    /// Forwards the lines of `body`, the response of the API server, and those from `elsewhere` to
    /// `pieces`, the response to the operator. Ends with the watch, when the operator closes it,
    /// when a fault breaks it, or when the operator is killed.
    pub async fn run(mut self, body: Body, pieces: mpsc::UnboundedSender<Bytes>) {
        let (due, queue) = mpsc::unbounded_channel();
        let mut breaks = self.proxy.broken_watches.subscribe();
        let deliver = tokio::spawn(deliver(
            self.proxy.clone(),
            self.resource.clone(),
            queue,
            pieces.clone(),
        ));
        let mut lines = WatchLines::of(body);
        loop {
            let line = tokio::select! {
                line = lines.next() => line,
                Some(line) = self.elsewhere.recv() => Some(line),
                () = pieces.closed() => break,
                _ = breaks.changed() => {
                    let broken = breaks.borrow_and_update().contains(&self.resource);
                    if broken || self.proxy.check_alive(self.incarnation).is_err() {
                        deliver.abort();
                        break;
                    }
                    continue;
                }
            };
            let Some(line) = line else { break };
            let delay = self
                .proxy
                .faults(|faults| faults.watch_delay(&self.resource));
            let piece = DelayedLine {
                due: Instant::now() + delay,
                line,
                _held: PendingGuard::new(&self.proxy),
            };
            if due.send(piece).is_err() {
                break;
            }
        }
    }
}

/// Splits the body of a watch into lines.
pub struct WatchLines {
    body: Body,
    rest: Vec<u8>,
}

impl WatchLines {
    pub fn of(body: Body) -> Self {
        let rest = Vec::new();
        Self { body, rest }
    }

    /// Returns the next line with its newline, or `None` at the end of the watch. Cancelling the
    /// future loses nothing.
    pub async fn next(&mut self) -> Option<Vec<u8>> {
        loop {
            if let Some(end) = self.rest.iter().position(|byte| *byte == b'\n') {
                return Some(self.rest.drain(..=end).collect());
            }
            let frame = self.body.frame().await?.ok()?;
            let data = frame.data_ref().map_or(&[][..], |data| data);
            self.rest.extend_from_slice(data);
        }
    }
}

/// A watch event and the time of its delivery.
struct DelayedLine {
    due: Instant,
    line: Vec<u8>,
    _held: PendingGuard,
}

/// Counts a delayed event, a delayed write or an open request as pending until it is dropped.
pub struct PendingGuard(Arc<Proxy>);

impl PendingGuard {
    pub fn new(proxy: &Arc<Proxy>) -> Self {
        proxy.pending.fetch_add(1, Ordering::SeqCst);
        Self(proxy.clone())
    }
}

impl Drop for PendingGuard {
    fn drop(&mut self) {
        self.0.pending.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Delivers watch events when they are due.
async fn deliver(
    proxy: Arc<Proxy>,
    resource: Resource,
    mut queue: mpsc::UnboundedReceiver<DelayedLine>,
    pieces: mpsc::UnboundedSender<Bytes>,
) {
    while let Some(piece) = queue.recv().await {
        tokio::time::sleep_until(piece.due.into()).await;
        let mut event: Value = serde_json::from_slice(&piece.line).unwrap_or_default();
        let translated = proxy.ports.incoming(&resource, &mut event["object"]);
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        if event["type"] != "BOOKMARK" {
            proxy.journal.add(JournalEvent::WatchEvent {
                resource: resource.to_string(),
                change: text(&event["type"]),
                name: text(&event["object"]["metadata"]["name"]),
            });
        }
        let line = if translated {
            format!("{event}\n").into_bytes()
        } else {
            piece.line
        };
        if pieces.send(Bytes::from(line)).is_err() {
            return;
        }
    }
}
