//! Events, the lines that `kubectl describe` shows below an object.
//!
//! They are sent in the background, one after the other, so that no reconcile waits for one. A
//! cluster that does not take them (no permission, say) costs a line in the log and nothing else.

use k8s_openapi::api::core::v1::ObjectReference;
use kube::{
    Client,
    runtime::events::{Event, EventType, Recorder, Reporter},
};
use tokio::sync::{mpsc, oneshot};

use crate::error::Error;

/// The API refuses longer notes.
const LONGEST_NOTE: usize = 1024;
/// Waiting to be sent; what does not fit is dropped, and logged.
const QUEUE: usize = 4096;

/// kube's recorder keeps what it sent for six minutes, to count what is sent again, and looks through all of
/// it each time. After so many events it is replaced by a new one.
const REMEMBERED: usize = 500;

pub(crate) struct Events(mpsc::Sender<Item>);

enum Item {
    Publish(Box<Event>, Box<ObjectReference>),
    Flushed(oneshot::Sender<()>),
}

impl Events {
    pub fn start(client: Client, operator: &str, instance: &str) -> Self {
        let reporter = Reporter {
            controller: operator.to_owned(),
            instance: Some(instance.to_owned()),
        };
        let new = move || Recorder::new(client.clone(), reporter.clone());
        let (queue, mut waiting) = mpsc::channel(QUEUE);
        tokio::spawn(async move {
            let (mut recorder, mut sent) = (new(), 0);
            while let Some(item) = waiting.recv().await {
                match item {
                    Item::Publish(event, about) => {
                        if sent == REMEMBERED {
                            (recorder, sent) = (new(), 0);
                        }
                        sent += 1;
                        send(&recorder, &event, &about).await;
                    }
                    Item::Flushed(done) => drop(done.send(())),
                }
            }
        });
        Self(queue)
    }

    pub fn publish(&self, about: ObjectReference, type_: EventType, reason: &str, note: &str) {
        let event = Event {
            type_,
            reason: reason.to_owned(),
            note: Some(shorten(note, LONGEST_NOTE)),
            action: "Reconcile".to_owned(),
            secondary: None,
        };
        if self
            .0
            .try_send(Item::Publish(Box::new(event), Box::new(about)))
            .is_err()
        {
            tracing::warn!(
                reason,
                "an event was dropped: too many are waiting to be sent"
            );
        }
    }

    /// Waits until everything queued so far is sent. The caller sets the deadline.
    pub async fn flush(&self) {
        let (done, flushed) = oneshot::channel();
        if self.0.send(Item::Flushed(done)).await.is_ok() {
            let _ = flushed.await;
        }
    }
}

async fn send(recorder: &Recorder, event: &Event, about: &ObjectReference) {
    if let Err(error) = recorder.publish(event, about).await {
        let error = Error::from(error);
        let object = about.name.as_deref().unwrap_or_default();
        tracing::warn!(%error, object, reason = event.reason, "an event could not be published");
    }
}

fn shorten(text: &str, bytes: usize) -> String {
    if text.len() <= bytes {
        return text.to_owned();
    }
    let end = (0..=bytes - '…'.len_utf8())
        .rev()
        .find(|end| text.is_char_boundary(*end))
        .unwrap_or(0);
    format!("{}…", &text[..end])
}

#[cfg(test)]
mod tests {
    use super::shorten;

    #[test]
    fn a_long_note_is_cut_between_characters() {
        assert_eq!(shorten("short", 10), "short");
        let cut = shorten(&"ü".repeat(20), 10);
        assert!(
            cut.len() <= 10 && cut.ends_with('…') && cut.starts_with('ü'),
            "{cut}"
        );
    }
}
