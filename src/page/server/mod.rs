//! The HTTP server of the page. It listens on loopback only, requires an access key, and is
//! read-only: it answers only GET.

mod address;
mod feed;
#[cfg(test)]
mod tests;

use std::convert::Infallible;
use std::net::{Ipv4Addr, TcpListener as Listener};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use http::header::CONTENT_TYPE;
use http::{Method, Request, Response, StatusCode};
use http_body_util::{Either, Full};
use hyper::body::{Bytes, Incoming};
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use serde_json::Value;
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Builder;

use self::address::{Address, parameter};
use self::feed::Feed;
use super::error::Result;
use super::hub::Hub;
use super::web::{EmbeddedFile, FILES};
use crate::error::Io;

/// Interval at which changes are sent to the pages.
const FLUSH: Duration = Duration::from_millis(50);
/// Number of flushes after which a comment is sent, to detect closed connections.
const BEAT: u32 = 100;
/// Timeout for reading the headers of a request.
const HEADER_TIMEOUT: Duration = Duration::from_secs(10);
/// Headers of every response: the page may load only this server's files, and no other site may
/// embed or read it.
const HEADERS: [(&str, &str); 6] = [
    (
        "content-security-policy",
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    ),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
    ("referrer-policy", "no-referrer"),
    ("x-content-type-options", "nosniff"),
    ("cache-control", "no-store"),
];

/// A response: a whole text, or the event stream.
type Answer = Response<Either<Full<Bytes>, Feed>>;

/// Starts the server on its own thread, where it runs until the program ends, and returns the URL.
/// Uses the port stored in the file `memory` if it is free, otherwise any free port. The key is
/// always new.
pub fn start(hub: Hub, memory: Option<&Path>) -> Result<String> {
    let before = memory.and_then(Address::remembered);
    let again = before.and_then(|socket| Some((Listener::bind(socket).ok()?, socket)));
    let (listener, address) = match again {
        Some((listener, socket)) => (listener, Address::new(socket)?),
        None => begin()?,
    };
    if let Some(memory) = memory {
        // If this fails, the next run uses a different port.
        let _ = address.remember(memory);
    }
    let (url, address) = (address.url(), Arc::new(address));
    let runtime = Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(Io::on("start", "tokio"))?;
    let thread = std::thread::Builder::new().name("page".into());
    let serve = move || runtime.block_on(serve(listener, hub, address));
    thread.spawn(serve).map_err(Io::on("start", "a thread"))?;
    Ok(url)
}

/// Listens on any free port.
fn begin() -> Result<(Listener, Address)> {
    let place = || Ipv4Addr::LOCALHOST.to_string();
    let listener =
        Listener::bind((Ipv4Addr::LOCALHOST, 0)).map_err(Io::on("listen on", place()))?;
    let socket = listener
        .local_addr()
        .map_err(Io::on("listen on", place()))?;
    Ok((listener, Address::new(socket)?))
}

/// Accepts connections, and sends changes to the connected browsers. Never returns.
async fn serve(listener: Listener, hub: Hub, address: Arc<Address>) {
    let ready = listener.set_nonblocking(true);
    let Ok(listener) = ready.and_then(|()| TcpListener::from_std(listener)) else {
        return;
    };
    let mut flush = tokio::time::interval(FLUSH);
    let mut beats = 0;
    loop {
        tokio::select! {
            accepted = listener.accept() => if let Ok((stream, _)) = accepted {
                tokio::spawn(connection(stream, hub.clone(), address.clone()));
            } else {
                tokio::time::sleep(FLUSH).await;
            },
            _ = flush.tick() => {
                hub.flush();
                beats += 1;
                if beats % BEAT == 0 {
                    hub.beat();
                }
            }
        }
    }
}

async fn connection(stream: TcpStream, hub: Hub, address: Arc<Address>) {
    let _ = stream.set_nodelay(true);
    let service = service_fn(|request| {
        let answer = answer(&hub, &address, &request);
        async move { Ok::<_, Infallible>(answer) }
    });
    let mut http = hyper::server::conn::http1::Builder::new();
    http.timer(TokioTimer::new())
        .header_read_timeout(HEADER_TIMEOUT);
    let _ = http.serve_connection(TokioIo::new(stream), service).await;
}

fn answer(hub: &Hub, address: &Address, request: &Request<Incoming>) -> Answer {
    let (path, query) = (request.uri().path(), request.uri().query());
    if request.method() != Method::GET {
        return refusal(StatusCode::METHOD_NOT_ALLOWED, "the page is read-only\n");
    }
    let is_local_navigation =
        path == "/" && address.has_key(query) && address.is_local_navigation(request.headers());
    if !is_local_navigation && !address.is_from_own_page(request.headers()) {
        return refusal(
            StatusCode::FORBIDDEN,
            "requests from other sites are rejected\n",
        );
    }
    // The other files contain no secrets, and the browser requests scripts without the key.
    let is_open = path != "/" && FILES.iter().any(|EmbeddedFile(one, ..)| *one == path);
    if !is_open && !address.has_key(query) {
        return refusal(
            StatusCode::FORBIDDEN,
            "invalid key: open the address that rustop prints\n",
        );
    }
    if let Some(EmbeddedFile(_, kind, text)) =
        FILES.iter().find(|EmbeddedFile(one, ..)| *one == path)
    {
        return whole(StatusCode::OK, kind, Bytes::from_static(text.as_bytes()));
    }
    match path {
        "/events" => made(
            StatusCode::OK,
            "text/event-stream",
            Either::Right(Feed(hub.listen())),
        ),
        "/object" => json(detail(hub, query)),
        _ => refusal(StatusCode::NOT_FOUND, "not found\n"),
    }
}

/// Returns all states of an object or, if the query has `from` and `to`, the difference between
/// two.
fn detail(hub: &Hub, query: Option<&str>) -> Option<Value> {
    let uid = parameter(query, "uid")?;
    let number = |name: &str| parameter(query, name)?.parse().ok();
    match (number("from"), number("to")) {
        (Some(from), Some(to)) => hub.difference(uid, from, to),
        _ => hub.detail(uid),
    }
}

fn json(value: Option<Value>) -> Answer {
    match value {
        Some(value) => whole(StatusCode::OK, "application/json", value.to_string().into()),
        None => refusal(
            StatusCode::NOT_FOUND,
            "the object or its state is no longer in memory\n",
        ),
    }
}

fn refusal(status: StatusCode, says: &'static str) -> Answer {
    whole(status, "text/plain", Bytes::from_static(says.as_bytes()))
}

fn whole(status: StatusCode, kind: &str, body: Bytes) -> Answer {
    made(status, kind, Either::Left(Full::new(body)))
}

fn made(status: StatusCode, kind: &str, body: Either<Full<Bytes>, Feed>) -> Answer {
    let mut answer = Response::builder()
        .status(status)
        .header(CONTENT_TYPE, kind);
    for (name, value) in HEADERS {
        answer = answer.header(name, value);
    }
    answer.body(body).expect("headers that are written here")
}
