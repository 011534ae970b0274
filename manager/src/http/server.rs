//! A minimal HTTP server for health, metrics and webhooks.

use std::{convert::Infallible, future::Future, sync::Arc, time::Duration};

use http::{Request, Response};
use http_body_util::Full;
use hyper::{
    body::{Body, Bytes, Incoming},
    server::conn::http1,
    service::service_fn,
};
use hyper_util::rt::TokioIo;
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::{TcpListener, TcpStream},
    sync::{Semaphore, watch},
};
use tokio_util::sync::CancellationToken;

use crate::error::{Error, Result};
use crate::http::connections::{Connection, Idle};
use crate::options::BindAddress;

/// Maximum size of a request's head in bytes. An API server sends about 500 bytes.
const LONGEST_HEAD: usize = 32 * 1024;

/// The limits of the number of connections and of the time that they may be idle.
#[derive(Clone, Copy)]
pub(crate) struct Limits {
    /// Maximum number of connections. Another one replaces an idle connection, or waits.
    pub connections: u32,
    /// Maximum duration of the handshake, and then of the wait for the first request.
    pub first: Duration,
    /// Maximum time between two requests on a connection, including the first of them.
    pub silence: Duration,
}

/// Limits for the kubelet and Prometheus.
pub(crate) const FOR_PROBES: Limits = Limits {
    connections: 64,
    first: Duration::from_secs(5),
    silence: Duration::from_secs(60),
};

/// Opens a listener. `None` if the address is off. The error, if the address cannot be used, names
/// `flag`, the command-line flag that sets the address.
pub(crate) async fn listen(address: BindAddress, flag: &str) -> Result<Option<TcpListener>> {
    let bound = match address {
        BindAddress::Off => return Ok(None),
        BindAddress::At(address) => TcpListener::bind(address).await,
        // one socket for IPv6 and IPv4, or only IPv4 if the machine has no IPv6
        BindAddress::Everywhere(port) => match TcpListener::bind(("::", port)).await {
            Ok(listener) => Ok(listener),
            Err(_) => TcpListener::bind(("0.0.0.0", port)).await,
        },
    };
    match bound {
        Ok(listener) => Ok(Some(listener)),
        Err(error) => Err(Error::new(
            "CannotListen",
            format!(
                "{flag}: cannot listen on {address}: {error}; help: choose another address, or `0` to turn \
                 the server off"
            ),
        )),
    }
}

/// Accepts connections until `stop` is cancelled, and returns after running requests have been
/// answered. `handshake` converts a connection to a stream, for example with TLS, or returns `None`
/// to close it. `answer` responds to a request.
///
/// Only HTTP/1.1 is supported. It processes one request at a time per connection, so no further
/// limits are needed.
pub(crate) async fn serve<S, H, HF, A, AF>(
    listener: TcpListener,
    limits: Limits,
    stop: CancellationToken,
    handshake: H,
    answer: A,
) where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    H: Fn(TcpStream) -> HF + Clone + Send + Sync + 'static,
    HF: Future<Output = Option<S>> + Send,
    A: Fn(Request<Incoming>) -> AF + Clone + Send + Sync + 'static,
    AF: Future<Output = Response<Full<Bytes>>> + Send,
{
    let places = Arc::new(Semaphore::new(limits.connections as usize));
    let idle = Arc::new(Idle::default());
    let next = async || {
        let stream = loop {
            match listener.accept().await {
                Ok((stream, _)) => break stream,
                // probably out of file descriptors: waits until other connections are closed
                Err(_) => tokio::time::sleep(Duration::from_millis(100)).await,
            }
        };
        if places.available_permits() == 0 {
            idle.evict_one();
        }
        let place = places.clone().acquire_owned().await.ok()?;
        Some((place, stream))
    };
    while let Some(Some((place, stream))) = stop.run_until_cancelled(next()).await {
        let (stop, handshake, answer) = (stop.clone(), handshake.clone(), answer.clone());
        let connection = Arc::new(Connection::new(idle.clone()));
        tokio::spawn(async move {
            let _place = place;
            let handshake = tokio::time::timeout(limits.first, handshake(stream));
            let stream = connection.evicted.run_until_cancelled(handshake).await;
            if let Some(Ok(Some(stream))) = stream {
                converse(stream, limits, &connection, stop, answer).await;
            }
        });
    }
    // waits until every connection has given its place back
    let _ = places.acquire_many(limits.connections).await;
}

/// Serves requests on one connection until the client closes it or is silent for too long, until
/// the connection must make room, or until the server stops. A handler that reads a request body
/// reports its end to the [`Connection`] in the request's extensions.
async fn converse<S, A, AF>(
    stream: S,
    limits: Limits,
    connection: &Arc<Connection>,
    stop: CancellationToken,
    answer: A,
) where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    A: Fn(Request<Incoming>) -> AF + Send + Sync,
    AF: Future<Output = Response<Full<Bytes>>> + Send,
{
    // `asked` reports each request to `silence`, which then waits again from the start
    let (asked, heard) = watch::channel(());
    let service = service_fn(|mut request: Request<Incoming>| {
        asked.send_replace(());
        // a request without body has been read completely
        if request.body().is_end_stream() {
            connection.mark_busy();
        }
        request.extensions_mut().insert(connection.clone());
        let answer = answer(request);
        async {
            let answer = answer.await;
            connection.mark_idle(answer.status().is_success());
            Ok::<_, Infallible>(answer)
        }
    });
    let mut http = http1::Builder::new();
    http.max_buf_size(LONGEST_HEAD);
    let serving = http.serve_connection(TokioIo::new(stream), service);
    let mut serving = std::pin::pin!(serving);
    let mut silence = std::pin::pin!(silence(heard, limits));
    tokio::select! {
        _ = serving.as_mut() => return,
        () = silence.as_mut() => return,
        () = connection.evicted.cancelled() => return,
        () = stop.cancelled() => serving.as_mut().graceful_shutdown(),
    }
    tokio::select! {
        _ = serving => {}
        () = silence => {}
    }
}

/// Returns when there was no request for too long.
async fn silence(mut heard: watch::Receiver<()>, limits: Limits) {
    let mut patience = limits.first;
    while let Ok(Ok(())) = tokio::time::timeout(patience, heard.changed()).await {
        patience = limits.silence;
    }
}

/// Returns the error response (405) to a request whose method is not in `allowed`, a list such as
/// `GET, HEAD`. `None` if the method is allowed.
pub(crate) fn refuse_method<B>(
    request: &Request<B>,
    allowed: &'static str,
) -> Option<Response<Full<Bytes>>> {
    let method = request.method().as_str();
    if allowed.split(", ").any(|allowed| allowed == method) {
        return None;
    }
    let status = http::StatusCode::METHOD_NOT_ALLOWED;
    let mut response = text(status, format!("allowed: {allowed}\n"));
    let allowed = http::HeaderValue::from_static(allowed);
    response.headers_mut().insert(http::header::ALLOW, allowed);
    Some(response)
}

/// The methods of read-only resources.
pub(crate) const READING: &str = "GET, HEAD";

/// Returns a response with this status and a plain text.
pub(crate) fn text(status: http::StatusCode, body: String) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(Bytes::from(body)));
    *response.status_mut() = status;
    let plain = http::HeaderValue::from_static("text/plain; charset=utf-8");
    response
        .headers_mut()
        .insert(http::header::CONTENT_TYPE, plain);
    response
}

#[cfg(test)]
#[path = "server_tests.rs"]
mod tests;
