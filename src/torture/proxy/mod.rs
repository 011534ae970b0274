//! Between an operator and the API server: sees each request, each answer and each event of a watch, and
//! does faults.
//!
//! The operator is shown one namespace as if there were no other: what it asks of all namespaces is asked of
//! that one. So any operator can run beside others on one control plane, knowing nothing of it.

mod exchange;
mod news;

use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use http::header::{ACCEPT, ACCEPT_ENCODING, CONNECTION, CONTENT_LENGTH, HOST, TRANSFER_ENCODING};
use http_body_util::BodyExt as _;
use hyper::body::{Bytes, Incoming};
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use kube::Client;
use kube::client::Body;
use serde_json::Value;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

use crate::error::Io;
use crate::torture::answer::{Answer, Cut, Upstreamed};
use crate::torture::call::{Call, Resource, Verb};
use crate::torture::error::Result;
use crate::torture::injector::Injector;
use crate::torture::journal::{Journal, Request, What};
use crate::torture::ports::Ports;
use crate::torture::world::Kinds;
use exchange::Exchange;

/// How long a client waits in vain for the answer that never comes.
const IN_VAIN: Duration = Duration::from_secs(1);

/// What a proxy is in front of.
#[derive(Clone)]
pub struct Upstream {
    /// To the API server as nobody: the operator says who it is.
    pub operator: Client,
    /// To the API server as its administrator.
    pub admin: Client,
    /// What it serves.
    pub kinds: Arc<Kinds>,
}

/// A proxy for one run.
#[derive(Clone)]
pub struct Proxy(Arc<Shared>);

struct Shared {
    upstream: Upstream,
    /// The only namespace that there is; none where all of the cluster is shown.
    scope: Option<String>,
    journal: Journal,
    injector: Mutex<Injector>,
    ports: Ports,
    /// What the API server was at when the step began: its resource version.
    past: Mutex<String>,
    /// The process of the operator.
    process: Mutex<Option<rustix::process::Pid>>,
    /// Connections of an operator that was killed are dead as well.
    life: AtomicU64,
    /// News that is held back.
    held: AtomicUsize,
    /// When the operator last asked for something other than news.
    active: Mutex<Instant>,
    /// The kind whose watches break, each time that it changes.
    breaks: watch::Sender<Option<Resource>>,
}

impl Proxy {
    /// Listens on loopback; its address.
    pub async fn start(
        upstream: Upstream,
        scope: Option<String>,
        journal: Journal,
        injector: Injector,
        ports: Ports,
    ) -> Result<(Self, SocketAddr)> {
        let failed = || Io::on("listen on", "127.0.0.1");
        let listener = TcpListener::bind("127.0.0.1:0").await.map_err(failed())?;
        let address = listener.local_addr().map_err(failed())?;
        let proxy = Self(Arc::new(Shared {
            upstream,
            scope,
            journal,
            injector: Mutex::new(injector),
            ports,
            past: Mutex::default(),
            process: Mutex::default(),
            life: AtomicU64::new(0),
            held: AtomicUsize::new(0),
            active: Mutex::new(Instant::now()),
            breaks: watch::channel(None).0,
        }));
        // It ends when the run has let go of it.
        let weak = Arc::downgrade(&proxy.0);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let Some(shared) = weak.upgrade() else { return };
                tokio::spawn(Self(shared).serve(stream));
            }
        });
        Ok((proxy, address))
    }

    /// The scenario goes on; `past` is where the API server is before.
    pub fn begin(&self, step: usize, past: String) {
        *lock(&self.0.past) = past;
        let broken = lock(&self.0.injector).begin(step);
        for resource in broken {
            self.0
                .journal
                .add(What::Fault(format!("the watches of {resource} break")));
            self.0.breaks.send_replace(Some(resource));
        }
    }

    /// Asks the faults of the run something.
    pub fn faults<T>(&self, ask: impl FnOnce(&mut Injector) -> T) -> T {
        ask(&mut lock(&self.0.injector))
    }

    /// The operator is this process now.
    pub fn runs(&self, process: Option<rustix::process::Pid>) {
        *lock(&self.0.process) = process;
    }

    /// Kills the operator, and with it all that it is about to ask.
    pub fn kill(&self) {
        self.0.life.fetch_add(1, Ordering::SeqCst);
        if let Some(process) = lock(&self.0.process).take() {
            let _ = rustix::process::kill_process(process, rustix::process::Signal::KILL);
            self.0.journal.add(What::Operator("killed".into()));
        }
    }

    /// How many pieces of news are held back.
    pub fn held(&self) -> usize {
        self.0.held.load(Ordering::SeqCst)
    }

    /// When the operator last asked for something other than news.
    pub fn active(&self) -> Instant {
        *lock(&self.0.active)
    }

    /// Ends all connections.
    pub fn close(&self) {
        self.0.life.fetch_add(1, Ordering::SeqCst);
        self.0.breaks.send_replace(None);
    }

    async fn serve(self, stream: TcpStream) {
        let _ = stream.set_nodelay(true);
        let life = self.0.life.load(Ordering::SeqCst);
        let mut breaks = self.0.breaks.subscribe();
        let service = service_fn(|request| {
            let proxy = self.clone();
            async move { proxy.handle(request, life).await }
        });
        let connection = hyper::server::conn::http1::Builder::new()
            .serve_connection(TokioIo::new(stream), service);
        let mut connection = std::pin::pin!(connection);
        loop {
            tokio::select! {
                _ = connection.as_mut() => return,
                changed = breaks.changed() => {
                    if changed.is_err() || self.0.life.load(Ordering::SeqCst) != life {
                        return;
                    }
                }
            }
        }
    }

    fn is_alive(&self, life: u64) -> Result<(), Cut> {
        if self.0.life.load(Ordering::SeqCst) == life {
            Ok(())
        } else {
            Err(Cut)
        }
    }

    async fn handle(&self, request: http::Request<Incoming>, life: u64) -> Result<Answer, Cut> {
        self.is_alive(life)?;
        let (head, body) = request.into_parts();
        let body = body.collect().await.map_err(|_| Cut)?.to_bytes();
        let target = head
            .uri
            .path_and_query()
            .map_or("/", |target| target.as_str());
        let Some(mut call) = Call::parse(head.method.as_str(), target) else {
            return self.forward(&head, target, body).await?.whole().await;
        };
        self.scope(&mut call);
        let is_news = call.verb == Verb::Watch;
        if !is_news && call.resource.group != "coordination.k8s.io" {
            *lock(&self.0.active) = Instant::now();
        }
        let asked = Request {
            // A kube client sends JSON also where it says YAML.
            body: serde_json::from_slice(&body).unwrap_or_default(),
            call,
            status: 0,
            answer: Value::Null,
            injected: false,
        };
        let (verdict, fault) = lock(&self.0.injector).judge(&asked);
        let number = self.0.journal.add(What::Request(Box::new(asked.clone())));
        if let Some(fault) = fault {
            self.0.journal.add(What::Fault(fault.to_string()));
        }
        let exchange = Exchange {
            proxy: self,
            head: &head,
            asked,
            number,
            life,
        };
        exchange.carry(verdict, body).await
    }

    /// Shows the operator one namespace only.
    fn scope(&self, call: &mut Call) {
        let Some(scope) = &self.0.scope else { return };
        let namespaced = self
            .0
            .upstream
            .kinds
            .of(&call.resource)
            .is_some_and(|kind| kind.namespaced);
        let all = call.namespace.is_none() && call.name.is_none();
        if namespaced
            && all
            && matches!(call.verb, Verb::List | Verb::Watch | Verb::DeleteCollection)
        {
            call.namespace = Some(scope.clone());
        }
    }

    async fn forward(
        &self,
        head: &http::request::Parts,
        target: &str,
        body: Bytes,
    ) -> Result<Upstreamed, Cut> {
        let mut request = http::Request::builder().method(&head.method).uri(target);
        for (name, value) in &head.headers {
            let is_hop = [
                ACCEPT_ENCODING,
                CONNECTION,
                CONTENT_LENGTH,
                HOST,
                TRANSFER_ENCODING,
            ]
            .contains(name);
            // All that is read here is JSON; a client reads that as well as the binary form.
            let binary =
                *name == ACCEPT && value.as_bytes().windows(8).any(|part| part == b"protobuf");
            if !is_hop && !binary {
                request = request.header(name, value);
            }
        }
        let request = request.body(Body::from(body)).map_err(|_| Cut)?;
        self.0
            .upstream
            .operator
            .send(request)
            .await
            .map(Upstreamed)
            .map_err(|_| Cut)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
