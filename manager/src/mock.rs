//! An API server for unit tests: the test receives each request and sends the answer.

use http::{Request, Response};
use kube::{Client, client::Body};
use tokio::sync::{mpsc, oneshot};

/// A request, and where its answer goes.
pub(crate) type Call = (Request<Body>, oneshot::Sender<Response<Body>>);

/// The receiver ends when the last clone of the client is gone. Without a receiver, or without an
/// answer, a request fails.
pub(crate) fn client() -> (Client, mpsc::UnboundedReceiver<Call>) {
    let (calls, server) = mpsc::unbounded_channel();
    let service = tower::service_fn(move |request| {
        let (answer, answered) = oneshot::channel();
        let sent = calls.send((request, answer));
        async move {
            sent.map_err(|_| "nobody receives requests")?;
            answered.await.map_err(tower::BoxError::from)
        }
    });
    (Client::new(service, "ns"), server)
}
