//! Where the operator connects to.

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
use crate::torture::error::Result;
use crate::torture::fault::WriteFault;
use crate::torture::fault::injector::Interception;
use crate::torture::journal::{JournalEvent, RecordedRequest};
use crate::torture::proxy::exchange::Exchange;
use crate::torture::proxy::late_write;
use crate::torture::proxy::protobuf::json_of;
use crate::torture::proxy::response::{Answer, Cut};
use crate::torture::proxy::{Proxy, lock};

/// Listens on loopback for the requests of a run; the address.
pub async fn listen(proxy: &Proxy) -> Result<SocketAddr> {
    let failed = || Io::on("listen on", "127.0.0.1");
    let listener = TcpListener::bind("127.0.0.1:0").await.map_err(failed())?;
    let address = listener.local_addr().map_err(failed())?;
    // It ends when the run has let go of it.
    let weak = Arc::downgrade(&proxy.0);
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let Some(shared) = weak.upgrade() else { return };
            tokio::spawn(serve(Proxy(shared), stream));
        }
    });
    Ok(address)
}

async fn serve(proxy: Proxy, stream: TcpStream) {
    let _ = stream.set_nodelay(true);
    let life = proxy.0.life.load(Ordering::SeqCst);
    let mut breaks = proxy.0.breaks.subscribe();
    let service = service_fn(|request| {
        let proxy = proxy.clone();
        async move { handle(&proxy, request, life).await }
    });
    let connection =
        hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(stream), service);
    let mut connection = std::pin::pin!(connection);
    loop {
        tokio::select! {
            _ = connection.as_mut() => return,
            changed = breaks.changed() => {
                if changed.is_err() || proxy.0.life.load(Ordering::SeqCst) != life {
                    return;
                }
            }
        }
    }
}

async fn handle(proxy: &Proxy, request: http::Request<Incoming>, life: u64) -> Result<Answer, Cut> {
    proxy.is_alive(life)?;
    let (head, body) = request.into_parts();
    let body = body.collect().await.map_err(|_| Cut)?.to_bytes();
    let target = head
        .uri
        .path_and_query()
        .map_or("/", |target| target.as_str());
    let Some(mut call) = ApiCall::parse(head.method.as_str(), target) else {
        return discover(proxy, &head, target, body).await;
    };
    let is_narrowed = proxy.scope(&mut call);
    let is_work = call.verb != Verb::Watch && call.resource.group != "coordination.k8s.io";
    if is_work {
        *lock(&proxy.0.active) = Instant::now();
    }
    let asked = RecordedRequest::new(call, json_of(&body));
    let (interception, fault) = lock(&proxy.0.injector).intercept(&asked);
    let number = proxy
        .0
        .journal
        .add(JournalEvent::Request(Box::new(asked.clone())));
    if let Some(fault) = fault {
        proxy.0.journal.add(JournalEvent::Fault(fault.to_string()));
    }
    let exchange = Exchange {
        proxy: proxy.clone(),
        head,
        asked,
        number,
        life,
        is_narrowed,
    };
    if interception == Interception::Write(WriteFault::TakenOver) {
        proxy.kill();
        tokio::spawn(late_write::arrive(exchange, body));
        return Err(Cut);
    }
    let answered = exchange.carry(interception, body).await;
    if is_work {
        *lock(&proxy.0.active) = Instant::now();
    }
    answered
}

/// What is about no resource, such as which there are.
async fn discover(
    proxy: &Proxy,
    head: &http::request::Parts,
    target: &str,
    body: Bytes,
) -> Result<Answer, Cut> {
    let answer = proxy.forward(head, target, body).await?.whole().await?;
    let group = target
        .strip_prefix("/apis/")
        .filter(|_| answer.status() == 404);
    if let Some(group) = group {
        let group = group.split('?').next().unwrap_or(group).to_owned();
        lock(&proxy.0.missing).insert(group);
    }
    Ok(answer)
}
