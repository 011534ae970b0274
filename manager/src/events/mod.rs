//! Events, which `kubectl describe` shows below an object.
//!
//! They are sent in the background, one after the other, so that no reconcile waits for them. If the cluster rejects
//! them (because of a missing permission, for example), a warning is logged and nothing else happens.

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

pub(crate) struct Events(mpsc::Sender<Item>);

enum Item {
    Publish(Box<PendingEvent>),
    Flushed(oneshot::Sender<()>),
}

impl Events {
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
                    Item::Publish(news) => {
                        if let Some(report) = correlator.correlate(&news, Instant::now()) {
                            recorder.publish(&news, &report).await;
                        } else {
                            let (object, reason) = (news.about.name, news.reason);
                            tracing::debug!(object, reason, "event suppressed by the rate limit");
                        }
                    }
                    Item::Flushed(done) => drop(done.send(())),
                }
            }
        }));
        Self(queue)
    }

    pub fn publish(&self, about: ObjectReference, type_: EventType, reason: &str, note: &str) {
        let news = PendingEvent {
            about,
            type_,
            reason: shorten(reason, LONGEST_WORD),
            note: note.to_owned(),
        };
        if self.0.try_send(Item::Publish(Box::new(news))).is_err() {
            tracing::warn!(reason, "event dropped: too many events are queued");
        }
    }

    /// Waits until all events queued so far are sent. The caller sets the deadline.
    pub async fn flush(&self) {
        let (done, flushed) = oneshot::channel();
        if self.0.send(Item::Flushed(done)).await.is_ok() {
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
    async fn publish(&self, news: &PendingEvent, report: &CorrelatedEvent) {
        if let Err(error) = self.try_publish(news, report).await {
            let error = Error::from(error);
            let object = news.about.name.as_deref().unwrap_or_default();
            tracing::warn!(%error, object, reason = news.reason, "failed to publish an event");
        }
    }

    async fn try_publish(&self, news: &PendingEvent, report: &CorrelatedEvent) -> kube::Result<()> {
        let namespace = news.about.namespace.as_deref().unwrap_or("default");
        let api: Api<Event> = Api::namespaced(self.client.clone(), namespace);
        let now = MicroTime(crate::clock::now());
        if report.count > 1 {
            let series = EventSeries {
                count: report.count,
                last_observed_time: now.clone(),
            };
            let patch = Patch::Merge(json!({ "series": series }));
            let params = PatchParams::default();
            match api.patch(&report.name, &params, &patch).await {
                // The event object has expired, or was never created.
                Err(kube::Error::Api(status)) if status.is_not_found() => {}
                result => return result.map(drop),
            }
        }
        let event = self.event(news, report, now, namespace);
        api.create(&PostParams::default(), &event).await.map(drop)
    }

    fn event(
        &self,
        news: &PendingEvent,
        report: &CorrelatedEvent,
        now: MicroTime,
        namespace: &str,
    ) -> Event {
        let type_ = match news.type_ {
            EventType::Normal => "Normal",
            EventType::Warning => "Warning",
        };
        Event {
            metadata: ObjectMeta {
                name: Some(report.name.clone()),
                namespace: Some(namespace.to_owned()),
                ..ObjectMeta::default()
            },
            action: Some("Reconcile".to_owned()),
            event_time: Some(now),
            note: Some(report.note.clone()),
            reason: Some(news.reason.clone()),
            regarding: Some(news.about.clone()),
            reporting_controller: Some(self.controller.clone()),
            reporting_instance: Some(self.instance.clone()),
            type_: Some(type_.to_owned()),
            ..Event::default()
        }
    }
}
