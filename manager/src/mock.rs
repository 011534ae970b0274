//! Test doubles for unit tests: a client whose requests the test receives and answers, and metrics
//! whose text the test reads.

use std::sync::Arc;

use http::{Request, Response};
use hyper::body::Bytes;
use kube::{Client, client::Body};
use prometheus_client::registry::Registry;
use tokio::sync::{mpsc, oneshot};

use crate::{cache::interruption::Interruptions, controller::metrics::Metrics, metrics};

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
