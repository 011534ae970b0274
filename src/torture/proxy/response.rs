//! Responses to the operator: those of the API server, and injected errors.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use http::header::CONTENT_TYPE;
use http_body_util::{BodyExt as _, Either, Full};
use hyper::body::{Bytes, Frame};
use kube::client::Body;
use serde_json::{Value, json};
use tokio::sync::mpsc;

/// The error by which the server of the proxy closes a connection without a response.
#[derive(Debug)]
pub struct Disconnected;

impl std::fmt::Display for Disconnected {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("cut")
    }
}

impl std::error::Error for Disconnected {}

/// A response to the operator, buffered or streamed.
pub type ProxyResponse = http::Response<Either<Full<Bytes>, StreamBody>>;

/// The body of a watch, sent line by line.
#[derive(Debug)]
pub struct StreamBody(pub mpsc::UnboundedReceiver<Bytes>);

impl http_body::Body for StreamBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        self.0
            .poll_recv(context)
            .map(|piece| piece.map(|piece| Ok(Frame::data(piece))))
    }
}

/// A response of the API server.
pub struct UpstreamResponse(pub http::Response<Body>);

impl UpstreamResponse {
    /// Reads the whole body and returns the response for the operator.
    pub async fn buffered(self) -> Result<ProxyResponse, Disconnected> {
        let (head, body) = self.0.into_parts();
        let body = body.collect().await.map_err(|_| Disconnected)?.to_bytes();
        Ok(answer(head.status.as_u16(), &head.headers, body))
    }
}

/// Builds a response with those of `headers` that Kubernetes clients read.
pub fn answer(status: u16, headers: &http::HeaderMap, body: Bytes) -> ProxyResponse {
    let mut answer = http::Response::builder().status(status);
    for name in [
        CONTENT_TYPE,
        http::header::WARNING,
        http::header::RETRY_AFTER,
    ] {
        for value in headers.get_all(&name) {
            answer = answer.header(&name, value);
        }
    }
    answer
        .body(Either::Left(Full::new(body)))
        .expect("a status and headers that came this way")
}

/// Returns the `Status` object of an injected error: 409, 410, 429, 503, or 500 for any other
/// status.
pub fn error_status(status: u16) -> Value {
    let (reason, message) = match status {
        409 => (
            "Conflict",
            "Operation cannot be fulfilled: the object has been modified; please apply your changes to the latest version and try again",
        ),
        410 => ("Expired", "too old resource version"),
        429 => (
            "TooManyRequests",
            "the server has received too many requests and has asked us to try again later",
        ),
        503 => (
            "ServiceUnavailable",
            "the server is currently unable to handle the request",
        ),
        _ => ("InternalError", "Internal error occurred"),
    };
    let details = if status == 429 {
        json!({ "retryAfterSeconds": 1 })
    } else {
        Value::Null
    };
    json!({ "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure",
        "message": message, "reason": reason, "code": status, "details": details })
}
