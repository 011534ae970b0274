//! The little that health, metrics and webhooks need of an HTTP server.

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
use crate::http::connections::{Guest, Idle};
use crate::options::BindAddress;

/// The longest head of a request: what an API server sends has some 500 bytes.
const LONGEST_HEAD: usize = 32 * 1024;

/// What clients may take.
#[derive(Clone, Copy)]
pub(crate) struct Limits {
    /// Connections at a time. One more takes the place of one that keeps the server waiting.
    pub connections: u32,
    /// How long until a new connection must have brought a request.
    pub first: Duration,
    /// How long a connection may stay after a request, that request included.
    pub silence: Duration,
}

/// For the kubelet and Prometheus.
pub(crate) const FOR_PROBES: Limits = Limits {
    connections: 64,
    first: Duration::from_secs(5),
    silence: Duration::from_secs(60),
};

/// Opens a listener, or says which flag is to blame.
pub(crate) async fn listen(address: BindAddress, flag: &str) -> Result<Option<TcpListener>> {
    let bound = match address {
        BindAddress::Off => return Ok(None),
        BindAddress::At(address) => TcpListener::bind(address).await,
        // one socket for IPv6 and IPv4, or IPv4 alone where the machine has no IPv6
        BindAddress::Everywhere(port) => match TcpListener::bind(("::", port)).await {
            Ok(listener) => Ok(listener),
            Err(_) => TcpListener::bind(("0.0.0.0", port)).await,
        },
    };
    match bound {
        Ok(listener) => Ok(Some(listener)),
        Err(error) => Err(Error::new(
            "CannotListen",
            format!("{flag} {address}: {error} (choose another address, or 0 to go without)"),
        )),
    }
}

/// Accepts connections until `stop` is cancelled, and returns when those that are there have got
/// their answers. `handshake` makes a stream of a connection, or nothing when it is not fit to be
/// answered; `answer` answers a request.
///
/// This is HTTP/1.1 alone: one request at a time on a connection needs no further limits.
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
        let connection = loop {
            match listener.accept().await {
                Ok((connection, _)) => break connection,
                // out of file descriptors, most likely: let others finish
                Err(_) => tokio::time::sleep(Duration::from_millis(100)).await,
            }
        };
        if places.available_permits() == 0 {
            idle.make_room();
        }
        let place = places.clone().acquire_owned().await.ok()?;
        Some((place, connection))
    };
    while let Some(Some((place, connection))) = stop.run_until_cancelled(next()).await {
        let (stop, handshake, answer) = (stop.clone(), handshake.clone(), answer.clone());
        let guest = Arc::new(Guest::new(idle.clone()));
        tokio::spawn(async move {
            let _place = place;
            let handshake = tokio::time::timeout(limits.first, handshake(connection));
            let stream = guest.leave.run_until_cancelled(handshake).await;
            if let Some(Ok(Some(stream))) = stream {
                converse(stream, limits, &guest, stop, answer).await;
            }
        });
    }
    let _ = places.acquire_many(limits.connections).await;
}

/// Answers the requests on one connection, until the client closes it or is silent for too long, or
/// it is to make room, or the server stops. Who reads a request with a body says when it is read, to
/// the [`Guest`] among the request's extensions.
async fn converse<S, A, AF>(
    stream: S,
    limits: Limits,
    guest: &Arc<Guest>,
    stop: CancellationToken,
    answer: A,
) where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    A: Fn(Request<Incoming>) -> AF + Send + Sync,
    AF: Future<Output = Response<Full<Bytes>>> + Send,
{
    let (asked, heard) = watch::channel(());
    let service = service_fn(|mut request: Request<Incoming>| {
        asked.send_replace(());
        if request.body().is_end_stream() {
            guest.gets_up();
        }
        request.extensions_mut().insert(guest.clone());
        let answer = answer(request);
        async {
            let answer = answer.await;
            guest.sits_down(answer.status().is_success());
            Ok::<_, Infallible>(answer)
        }
    });
    let mut http = http1::Builder::new();
    http.max_buf_size(LONGEST_HEAD);
    let connection = http.serve_connection(TokioIo::new(stream), service);
    let mut connection = std::pin::pin!(connection);
    let mut silence = std::pin::pin!(silence(heard, limits));
    tokio::select! {
        _ = connection.as_mut() => return,
        () = silence.as_mut() => return,
        () = guest.leave.cancelled() => return,
        () = stop.cancelled() => connection.as_mut().graceful_shutdown(),
    }
    tokio::select! {
        _ = connection => {}
        () = silence => {}
    }
}

/// Returns when nothing was asked for too long.
async fn silence(mut heard: watch::Receiver<()>, limits: Limits) {
    let mut patience = limits.first;
    while let Ok(Ok(())) = tokio::time::timeout(patience, heard.changed()).await {
        patience = limits.silence;
    }
}

/// The answer to a request whose method is not among those that are allowed, such as `GET, HEAD`. `None` if it is.
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

/// The methods of what can only be read.
pub(crate) const READING: &str = "GET, HEAD";

/// A plain text answer.
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
