//! Serves the page, on loopback alone, to who knows its key. It answers GET and nothing else, and changes nothing.

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
use super::web::{FILES, File};
use crate::error::Io;

/// How often pages are told what is new.
const FLUSH: Duration = Duration::from_millis(50);
/// Each so many times, connections are tried that nothing was told.
const BEAT: u32 = 100;
/// How long a request may take to come in.
const PATIENCE: Duration = Duration::from_secs(10);
/// What every answer says: nothing but this server's own files, in no other page, and for no other site.
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

type Answer = Response<Either<Full<Bytes>, Feed>>;

/// Serves on a thread of its own until the program ends; the address. The port is the one of the last time, as the file
/// `memory` has it, or another one where that is taken. The key is new.
pub fn start(hub: Hub, memory: Option<&Path>) -> Result<String> {
    let before = memory.and_then(Address::remembered);
    let again = before.and_then(|socket| Some((Listener::bind(socket).ok()?, socket)));
    let (listener, address) = match again {
        Some((listener, socket)) => (listener, Address::new(socket)?),
        None => begin()?,
    };
    if let Some(memory) = memory {
        // Without, the next one has another address.
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

/// An address that was never used.
fn begin() -> Result<(Listener, Address)> {
    let place = || Ipv4Addr::LOCALHOST.to_string();
    let listener =
        Listener::bind((Ipv4Addr::LOCALHOST, 0)).map_err(Io::on("listen on", place()))?;
    let socket = listener
        .local_addr()
        .map_err(Io::on("listen on", place()))?;
    Ok((listener, Address::new(socket)?))
}

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
    http.timer(TokioTimer::new()).header_read_timeout(PATIENCE);
    let _ = http.serve_connection(TokioIo::new(stream), service).await;
}

fn answer(hub: &Hub, address: &Address, request: &Request<Incoming>) -> Answer {
    let (path, query) = (request.uri().path(), request.uri().query());
    if request.method() != Method::GET {
        return refusal(StatusCode::METHOD_NOT_ALLOWED, "the page changes nothing\n");
    }
    let is_led = path == "/" && address.is_known(query) && address.is_led_here(request.headers());
    if !is_led && !address.is_from_here(request.headers()) {
        return refusal(StatusCode::FORBIDDEN, "the page is only for itself\n");
    }
    // The other files are the same for everybody, and a script cannot be asked for with a key.
    let is_open = path != "/" && FILES.iter().any(|File(one, ..)| *one == path);
    if !is_open && !address.is_known(query) {
        return refusal(
            StatusCode::FORBIDDEN,
            "a wrong key: take the address that rustop prints\n",
        );
    }
    if let Some(File(_, kind, text)) = FILES.iter().find(|File(one, ..)| *one == path) {
        return whole(StatusCode::OK, kind, Bytes::from_static(text.as_bytes()));
    }
    match path {
        "/events" => made(
            StatusCode::OK,
            "text/event-stream",
            Either::Right(Feed(hub.listen())),
        ),
        "/object" => json(detail(hub, query)),
        _ => refusal(StatusCode::NOT_FOUND, "there is nothing\n"),
    }
}

/// All states of an object, or what changed between two.
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
        None => refusal(StatusCode::NOT_FOUND, "it is not known any more\n"),
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
