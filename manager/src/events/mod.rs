//! Events, which `kubectl describe` shows below an object.
//!
//! They are sent in the background, one after the other, so that no reconcile waits for them. If
//! the cluster rejects them (because of a missing permission, for example), a warning is logged and
//! nothing else happens.

pub(crate) mod correlator;

use k8s_openapi::api::{
    core::v1::ObjectReference,
    events::v1::{Event, EventSeries},
};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::MicroTime;
use kube::api::{Patch, PatchParams, PostParams};
use kube::core::ObjectMeta;
use kube::runtime::events::EventType;
use kube::{Api, Client};
use serde_json::json;
use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;

use crate::error::Error;
use crate::events::correlator::{CorrelatedEvent, Correlator, PendingEvent, shorten};
use crate::tasks::task_of_current;

/// Maximum number of queued events. Further events are dropped, with a warning in the log.
const QUEUE: usize = 4096;
/// The API server rejects longer instance names and reasons.
const LONGEST_WORD: usize = 128;

/// The queue of events to send.
pub(crate) struct Events(mpsc::Sender<QueuedEvent>);

enum QueuedEvent {
    Publish(Box<PendingEvent>),
    /// Not an event: the sender is notified when all events before this entry are sent.
    Flushed(oneshot::Sender<()>),
}

impl Events {
    /// Starts the task that sends events with `client`. `operator` is their reporting controller,
    /// and `instance`, the name of the Pod, their reporting instance.
    pub fn start(client: Client, operator: &str, instance: &str) -> Self {
        let recorder = Recorder {
            client,
            controller: operator.to_owned(),
            instance: shorten(instance, LONGEST_WORD),
        };
        let (queue, mut waiting) = mpsc::channel(QUEUE);
        tokio::spawn(task_of_current(async move {
            let mut correlator = Correlator::new();
            while let Some(item) = waiting.recv().await {
                match item {
                    QueuedEvent::Publish(pending) => {
                        if let Some(correlated) = correlator.correlate(&pending, Instant::now()) {
                            recorder.publish(&pending, &correlated).await;
                        } else {
                            let (object, reason) = (pending.about.name, pending.reason);
                            tracing::debug!(object, reason, "event suppressed by the rate limit");
                        }
                    }
                    QueuedEvent::Flushed(done) => drop(done.send(())),
                }
            }
        }));
        Self(queue)
    }

    /// Queues an event about an object. Drops it, with a warning in the log, if the queue is full.
    /// Too long a reason or note is shortened.
    pub fn publish(&self, about: ObjectReference, type_: EventType, reason: &str, note: &str) {
        let pending = PendingEvent {
            about,
            type_,
            reason: shorten(reason, LONGEST_WORD),
            note: note.to_owned(),
        };
        if self
            .0
            .try_send(QueuedEvent::Publish(Box::new(pending)))
            .is_err()
        {
            tracing::warn!(reason, "event dropped: too many events are queued");
        }
    }

    /// Waits until all events queued so far are sent. The caller sets the deadline.
    pub async fn flush(&self) {
        let (done, flushed) = oneshot::channel();
        if self.0.send(QueuedEvent::Flushed(done)).await.is_ok() {
            let _ = flushed.await;
        }
    }
}

/// Publishes events as one controller and instance.
struct Recorder {
    client: Client,
    controller: String,
    instance: String,
}

impl Recorder {
    async fn publish(&self, pending: &PendingEvent, correlated: &CorrelatedEvent) {
        if let Err(error) = self.try_publish(pending, correlated).await {
            let error = Error::from(error);
            let object = pending.about.name.as_deref().unwrap_or_default();
            tracing::warn!(%error, object, reason = pending.reason, "failed to publish an event");
        }
    }

    async fn try_publish(
        &self,
        pending: &PendingEvent,
        correlated: &CorrelatedEvent,
    ) -> kube::Result<()> {
        let namespace = pending.about.namespace.as_deref().unwrap_or("default");
        let api: Api<Event> = Api::namespaced(self.client.clone(), namespace);
        let now = MicroTime(crate::clock::now());
        if correlated.count > 1 {
            let series = EventSeries {
                count: correlated.count,
                last_observed_time: now.clone(),
            };
            let patch = Patch::Merge(json!({ "series": series }));
            let params = PatchParams::default();
            match api.patch(&correlated.name, &params, &patch).await {
                // The event object has expired, or was never created.
                Err(kube::Error::Api(status)) if status.is_not_found() => {}
                result => return result.map(drop),
            }
        }
        let event = self.event(pending, correlated, now, namespace);
        api.create(&PostParams::default(), &event).await.map(drop)
    }

    fn event(
        &self,
        pending: &PendingEvent,
        correlated: &CorrelatedEvent,
        now: MicroTime,
        namespace: &str,
    ) -> Event {
        let type_ = match pending.type_ {
            EventType::Normal => "Normal",
            EventType::Warning => "Warning",
        };
        Event {
            metadata: ObjectMeta {
                name: Some(correlated.name.clone()),
                namespace: Some(namespace.to_owned()),
                ..ObjectMeta::default()
            },
            action: Some("Reconcile".to_owned()),
            event_time: Some(now),
            note: Some(correlated.note.clone()),
            reason: Some(pending.reason.clone()),
            regarding: Some(pending.about.clone()),
            reporting_controller: Some(self.controller.clone()),
            reporting_instance: Some(self.instance.clone()),
            type_: Some(type_.to_owned()),
            ..Event::default()
        }
    }
}
