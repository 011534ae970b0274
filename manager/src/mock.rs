//! An API server for unit tests: the test receives each request and sends the answer.

use http::{Request, Response};
use hyper::body::Bytes;
use kube::{Client, client::Body};
use tokio::sync::{mpsc, oneshot};

/// A request, and where its answer goes.
pub(crate) type Call<B = Body> = (Request<Body>, oneshot::Sender<Response<B>>);

/// The receiver ends when the last clone of the client is gone. Without a receiver, or without an
/// answer, a request fails.
pub(crate) fn client() -> (Client, mpsc::UnboundedReceiver<Call>) {
    client_of()
}

/// The same, for other bodies.
pub(crate) fn client_of<B>() -> (Client, mpsc::UnboundedReceiver<Call<B>>)
where
    B: hyper::body::Body<Data = Bytes, Error: Into<tower::BoxError>> + Send + 'static,
{
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
