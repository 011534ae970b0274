//! Test doubles for unit tests: a client whose requests the test receives and answers, and metrics
//! and log lines whose text the test reads.

use std::io::Read;
use std::sync::Arc;

use http::{Request, Response};
use hyper::body::Bytes;
use kube::{Client, client::Body};
use prometheus_client::registry::Registry;
use tokio::sync::{mpsc, oneshot};
use tracing::instrument::WithSubscriber;
use tracing_subscriber::layer::SubscriberExt;

use crate::cache::interruption::Interruptions;
use crate::controller::metrics::Metrics;
use crate::metrics;
use crate::telemetry::json_lines;

/// A request, and the sender for its response.
pub(crate) type Call<B = Body> = (Request<Body>, oneshot::Sender<Response<B>>);

/// Returns a client and the receiver of its requests. The receiver ends when the last clone of the
/// client is dropped. A request fails if the receiver or the sender for its response is dropped.
pub(crate) fn client() -> (Client, mpsc::UnboundedReceiver<Call>) {
    client_of()
}

/// Like [`client`], for another body type.
pub(crate) fn client_of<B>() -> (Client, mpsc::UnboundedReceiver<Call<B>>)
where
    B: hyper::body::Body<Data = Bytes, Error: Into<tower::BoxError>> + Send + 'static,
{
    let (calls, server) = mpsc::unbounded_channel();
    let service = tower::service_fn(move |request| {
        let (answer, answered) = oneshot::channel();
        let sent = calls.send((request, answer));
        async move {
            sent.map_err(|_| "no test receives requests")?;
            answered.await.map_err(tower::BoxError::from)
        }
    });
    (Client::new(service, "ns"), server)
}

/// Awaits a future, and returns the lines that it logs, in JSON.
pub(crate) async fn logged<T>(work: impl Future<Output = T>) -> String {
    // With a single subscriber, tracing caches a log line as disabled if another test reaches it
    // first, on a thread without the subscriber. With a second, global subscriber, tracing asks all
    // of them.
    let _ = tracing::subscriber::set_global_default(tracing_subscriber::registry());
    let (mut log, writer) = std::io::pipe().unwrap();
    let lines = tracing_subscriber::registry().with(json_lines(Arc::new(writer)));
    work.with_subscriber(lines).await;
    let mut text = String::new();
    log.read_to_string(&mut text).unwrap();
    text
}

/// The metrics of controllers and watches.
pub(crate) struct MockMetrics {
    pub controllers: Arc<Metrics>,
    pub interruptions: Interruptions,
    registry: Registry,
}

impl MockMetrics {
    pub fn new() -> Self {
        let mut registry = Registry::default();
        Self {
            controllers: Arc::new(Metrics::register(&mut registry)),
            interruptions: Interruptions::register(&mut registry),
            registry,
        }
    }

    /// Returns all metrics in the `OpenMetrics` format.
    pub fn text(&self) -> String {
        metrics::text(&self.registry)
    }
}
