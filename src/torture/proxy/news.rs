//! What a watch tells, each piece when it is due.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use http_body_util::BodyExt as _;
use hyper::body::Bytes;
use kube::client::Body;
use serde_json::Value;
use tokio::sync::mpsc;

use super::shared::{Proxy, Shared};
use crate::torture::call::Resource;
use crate::torture::journal::What;

/// Follows one watch.
pub struct Follower {
    pub proxy: Proxy,
    pub resource: Resource,
    pub life: u64,
    /// Its lines from other namespaces.
    pub elsewhere: mpsc::UnboundedReceiver<Vec<u8>>,
}

impl Follower {
    pub async fn run(mut self, mut body: Body, pieces: mpsc::UnboundedSender<Bytes>) {
        let (due, queue) = mpsc::unbounded_channel();
        let mut breaks = self.proxy.0.breaks.subscribe();
        let deliver = tokio::spawn(deliver(
            self.proxy.clone(),
            self.resource.clone(),
            queue,
            pieces.clone(),
        ));
        let mut rest = Vec::new();
        loop {
            let frame = tokio::select! {
                frame = body.frame() => frame,
                Some(line) = self.elsewhere.recv() => {
                    let _ = due.send(self.piece(line));
                    continue;
                }
                () = pieces.closed() => break,
                _ = breaks.changed() => {
                    let broken = breaks.borrow_and_update().as_ref() == Some(&self.resource);
                    if broken || self.proxy.is_alive(self.life).is_err() {
                        deliver.abort();
                        break;
                    }
                    continue;
                }
            };
            let Some(Ok(frame)) = frame else { break };
            rest.extend_from_slice(frame.data_ref().map_or(&[][..], |data| data));
            while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
                let line: Vec<u8> = rest.drain(..=end).collect();
                if due.send(self.piece(line)).is_err() {
                    break;
                }
            }
        }
    }

    fn piece(&self, line: Vec<u8>) -> Piece {
        let delay = self.proxy.faults(|faults| faults.delay(&self.resource));
        Piece {
            due: Instant::now() + delay,
            line,
            _held: Held::new(&self.proxy),
        }
    }
}

/// A line of a watch, and when it is to be told.
struct Piece {
    due: Instant,
    line: Vec<u8>,
    _held: Held,
}

/// What is held back, or asked, as long as this is there.
pub struct Held(Arc<Shared>);

impl Held {
    pub fn new(proxy: &Proxy) -> Self {
        proxy.0.held.fetch_add(1, Ordering::SeqCst);
        Self(proxy.0.clone())
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.0.held.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Tells news when it is due.
async fn deliver(
    proxy: Proxy,
    resource: Resource,
    mut queue: mpsc::UnboundedReceiver<Piece>,
    pieces: mpsc::UnboundedSender<Bytes>,
) {
    while let Some(piece) = queue.recv().await {
        tokio::time::sleep_until(piece.due.into()).await;
        let mut event: Value = serde_json::from_slice(&piece.line).unwrap_or_default();
        let translated = proxy.0.ports.incoming(&resource, &mut event["object"]);
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        if event["type"] != "BOOKMARK" {
            proxy.0.journal.add(What::News {
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
