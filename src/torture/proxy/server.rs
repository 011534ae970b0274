//! The HTTP server of the proxy, to which the operator connects.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use http_body_util::BodyExt as _;
use hyper::body::{Bytes, Incoming};
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::net::{TcpListener, TcpStream};

use crate::error::Io;
use crate::torture::api::call::{ApiCall, Verb};
use crate::torture::api::field_manager::FieldManager;
use crate::torture::error::Result;
use crate::torture::fault::WriteFault;
use crate::torture::fault::injector::Interception;
use crate::torture::journal::{JournalEvent, RecordedRequest};
use crate::torture::proxy::exchange::Exchange;
use crate::torture::proxy::late_write;
use crate::torture::proxy::protobuf::json_of;
use crate::torture::proxy::response::{Disconnected, ProxyResponse};
use crate::torture::proxy::{Proxy, lock};

/// Listens on loopback for the requests of a run and returns the address. The server ends when
/// the proxy is dropped.
pub async fn listen(proxy: &Arc<Proxy>) -> Result<SocketAddr> {
    let listener = TcpListener::bind("127.0.0.1:0")
        .await
        .map_err(Io::on("listen on", "127.0.0.1"))?;
    accept(proxy, listener)
}

/// Serves the requests of a run on a socket, which may belong to another network namespace, and
/// returns the address.
pub fn listen_on(proxy: &Arc<Proxy>, listener: std::net::TcpListener) -> Result<SocketAddr> {
    let listener = TcpListener::from_std(listener).map_err(Io::on("listen on", "127.0.0.1"))?;
    accept(proxy, listener)
}

fn accept(proxy: &Arc<Proxy>, listener: TcpListener) -> Result<SocketAddr> {
    let address = listener
        .local_addr()
        .map_err(Io::on("listen on", "127.0.0.1"))?;
    let weak = Arc::downgrade(proxy);
    let mut breaks = proxy.broken_watches.subscribe();
    tokio::spawn(async move {
        loop {
            tokio::select! {
                accepted = listener.accept() => {
                    let (Ok((stream, _)), Some(proxy)) = (accepted, weak.upgrade()) else { return };
                    tokio::spawn(serve(proxy, stream));
                }
                // The sender is dropped with the proxy.
                changed = breaks.changed() => if changed.is_err() { return },
            }
        }
    });
    Ok(address)
}

async fn serve(proxy: Arc<Proxy>, stream: TcpStream) {
    let _ = stream.set_nodelay(true);
    let incarnation = proxy.incarnation.load(Ordering::SeqCst);
    let mut breaks = proxy.broken_watches.subscribe();
    let service = service_fn(|request| {
        let proxy = proxy.clone();
        async move { handle(&proxy, request, incarnation).await }
    });
    let connection =
        hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(stream), service);
    let mut connection = std::pin::pin!(connection);
    loop {
        tokio::select! {
            _ = connection.as_mut() => return,
            // `Proxy::close` sends a message on this channel, too.
            changed = breaks.changed() => {
                if changed.is_err() || proxy.incarnation.load(Ordering::SeqCst) != incarnation {
                    return;
                }
            }
        }
    }
}

async fn handle(
    proxy: &Arc<Proxy>,
    request: http::Request<Incoming>,
    incarnation: u64,
) -> Result<ProxyResponse, Disconnected> {
    proxy.check_alive(incarnation)?;
    let (head, body) = request.into_parts();
    let body = body.collect().await.map_err(|_| Disconnected)?.to_bytes();
    let target = head
        .uri
        .path_and_query()
        .map_or("/", |target| target.as_str());
    let Some(mut call) = ApiCall::parse(head.method.as_str(), target) else {
        return discover(proxy, &head, target, body).await;
    };
    let is_narrowed = proxy.scope(&mut call);
    // An idle operator still watches and renews its lease.
    let is_work = call.verb != Verb::Watch && call.resource.group != "coordination.k8s.io";
    if is_work {
        lock(&proxy.operator).last_request = Instant::now();
    }
    let recorded = RecordedRequest {
        manager: FieldManager::of(&call, &head.headers),
        ..RecordedRequest::new(call, json_of(&body))
    };
    let (interception, fault) = lock(&proxy.injector).intercept(&recorded);
    let number = proxy
        .journal
        .add(JournalEvent::Request(Box::new(recorded.clone())));
    if let Some(fault) = fault {
        proxy.journal.add(JournalEvent::Fault(fault.to_string()));
    }
    let exchange = Exchange {
        proxy: proxy.clone(),
        head,
        recorded,
        number,
        incarnation,
        is_narrowed,
    };
    // The write of a former leader, which arrives after its successor has made a similar one.
    if interception == Interception::Write(WriteFault::TakenOver) {
        proxy.kill();
        tokio::spawn(late_write::deliver(exchange, body));
        return Err(Disconnected);
    }
    let answered = exchange.execute(interception, body).await;
    if is_work {
        lock(&proxy.operator).last_request = Instant::now();
    }
    answered
}

/// Forwards a request without a resource, such as discovery. Records the group and version if the
/// API server does not serve them.
async fn discover(
    proxy: &Arc<Proxy>,
    head: &http::request::Parts,
    target: &str,
    body: Bytes,
) -> Result<ProxyResponse, Disconnected> {
    let answer = proxy.forward(head, target, body).await?.buffered().await?;
    let group = target
        .strip_prefix("/apis/")
        .filter(|_| answer.status() == 404);
    if let Some(group) = group {
        let group = group.split('?').next().unwrap_or(group).to_owned();
        lock(&proxy.operator).missing_group_versions.insert(group);
    }
    Ok(answer)
}
