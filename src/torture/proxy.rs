//! Between an operator and the API server: sees each request, each answer and each event of a watch, and
//! does faults.
//!
//! The operator is shown one namespace as if there were no other: what it asks of all namespaces is asked of
//! that one. So any operator can run beside others on one control plane, knowing nothing of it.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use http::header::{
    ACCEPT, ACCEPT_ENCODING, CONNECTION, CONTENT_LENGTH, CONTENT_TYPE, HOST, TRANSFER_ENCODING,
};
use http_body_util::{BodyExt as _, Either};
use hyper::body::{Bytes, Incoming};
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use kube::Client;
use kube::client::Body;
use serde_json::{Value, json};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{mpsc, watch};

use super::answer::{Answer, Cut, Feed, Upstreamed, answer, refusal};
use super::call::{Call, Resource, Verb};
use super::error::Result;
use super::fault::AtWrite;
use super::fields::TOUCHED;
use super::injector::{Injector, Verdict};
use super::journal::{Journal, Request, What};
use super::ports::Ports;
use super::world::Kinds;
use crate::error::Io;

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

/// One request on its way.
struct Exchange<'a> {
    proxy: &'a Proxy,
    head: &'a http::request::Parts,
    asked: Request,
    number: usize,
    life: u64,
}

impl Exchange<'_> {
    async fn carry(mut self, verdict: Verdict, body: Bytes) -> Result<Answer, Cut> {
        let proxy = self.proxy;
        match verdict {
            Verdict::Answer(status) => return Ok(self.refuse(status)),
            Verdict::Write(AtWrite::Conflict) => return Ok(self.refuse(409)),
            Verdict::Write(AtWrite::TooManyRequests) => return Ok(self.refuse(429)),
            Verdict::Write(AtWrite::ServerError) => return Ok(self.refuse(500)),
            Verdict::Write(AtWrite::CrashBefore) => {
                proxy.kill();
                return Err(Cut);
            }
            Verdict::Write(AtWrite::Changed | AtWrite::Removed) => self.interfere(verdict).await,
            Verdict::FirstPage => self.asked.call.set_parameter("limit", "1"),
            _ => {}
        }
        if proxy.faults(|faults| faults.is_behind()) {
            self.turn_back();
        }
        let body = self.outgoing(body);
        let answered = proxy
            .forward(self.head, &self.asked.call.target(), body)
            .await?;
        let answer = if self.asked.call.verb == Verb::Watch && answered.0.status().is_success() {
            self.record(answered.0.status().as_u16(), Value::Null);
            self.follow(answered.0)
        } else {
            self.whole(answered.0).await?
        };
        match verdict {
            Verdict::Write(AtWrite::CrashAfter) => {
                proxy.kill();
                return Err(Cut);
            }
            Verdict::Write(AtWrite::Unanswered) => {
                tokio::time::sleep(IN_VAIN).await;
                return Err(Cut);
            }
            _ => {}
        }
        proxy.is_alive(self.life)?;
        Ok(answer)
    }

    fn record(&mut self, status: u16, answer: Value) {
        self.asked.status = status;
        self.asked.answer = answer;
        lock(&self.proxy.0.injector).learn(&self.asked);
        let kept = match self.asked.call.verb {
            Verb::List | Verb::Watch => Value::Null,
            _ => std::mem::take(&mut self.asked.answer),
        };
        self.proxy
            .0
            .journal
            .answer(self.number, status, kept, false);
    }

    fn refuse(&self, status: u16) -> Answer {
        let body = refusal(status);
        self.proxy
            .0
            .journal
            .answer(self.number, status, body.clone(), true);
        let mut headers = http::HeaderMap::new();
        headers.insert(
            CONTENT_TYPE,
            http::HeaderValue::from_static("application/json"),
        );
        if status == 429 {
            headers.insert(
                http::header::RETRY_AFTER,
                http::HeaderValue::from_static("1"),
            );
        }
        answer(status, &headers, Bytes::from(body.to_string()))
    }

    /// Somebody else is faster.
    async fn interfere(&self, verdict: Verdict) {
        let mut object = self.asked.call.clone();
        object.query.clear();
        let request = if verdict == Verdict::Write(AtWrite::Removed) {
            http::Request::delete(object.target()).body(Vec::new())
        } else {
            let body = json!({ "metadata": { "annotations": { TOUCHED: self.proxy.0.journal.now().as_nanos().to_string() } } });
            let request = http::Request::patch(object.target());
            let request = request.header(CONTENT_TYPE, "application/merge-patch+json");
            request.body(body.to_string().into_bytes())
        };
        if let Ok(request) = request {
            // What is not there any more is not changed.
            let _ = self.proxy.0.upstream.admin.request_text(request).await;
        }
    }

    /// Asks an API server for what it may have in its cache for what it had there before the step.
    fn turn_back(&mut self) {
        let past = lock(&self.proxy.0.past).clone();
        let call = &mut self.asked.call;
        let is_cached = call.parameter("resourceVersion") == Some("0");
        if call.verb == Verb::List && is_cached && !past.is_empty() {
            call.set_parameter("resourceVersion", &past);
            call.set_parameter("resourceVersionMatch", "Exact");
        }
    }

    /// With the ports that the run has.
    fn outgoing(&self, body: Bytes) -> Bytes {
        let mut object = self.asked.body.clone();
        if self
            .proxy
            .0
            .ports
            .outgoing(&self.asked.call.resource, &mut object)
        {
            return Bytes::from(object.to_string());
        }
        body
    }

    async fn whole(&mut self, answered: http::Response<Body>) -> Result<Answer, Cut> {
        let (head, body) = answered.into_parts();
        let mut body = body.collect().await.map_err(|_| Cut)?.to_bytes();
        let mut value: Value = serde_json::from_slice(&body).unwrap_or_default();
        if self
            .proxy
            .0
            .ports
            .incoming(&self.asked.call.resource, &mut value)
        {
            body = Bytes::from(value.to_string());
        }
        self.record(head.status.as_u16(), value);
        Ok(answer(head.status.as_u16(), &head.headers, body))
    }

    /// Passes on the events of a watch, each when it is due.
    fn follow(&self, answered: http::Response<Body>) -> Answer {
        let (head, body) = answered.into_parts();
        let (pieces, feed) = mpsc::unbounded_channel();
        let follower = Follower {
            proxy: self.proxy.clone(),
            resource: self.asked.call.resource.clone(),
            life: self.life,
        };
        tokio::spawn(follower.run(body, pieces));
        let mut answer = http::Response::builder().status(head.status);
        if let Some(kind) = head.headers.get(CONTENT_TYPE) {
            answer = answer.header(CONTENT_TYPE, kind);
        }
        answer
            .body(Either::Right(Feed(feed)))
            .expect("a status and a header that came this way")
    }
}

/// Follows one watch.
struct Follower {
    proxy: Proxy,
    resource: Resource,
    life: u64,
}

impl Follower {
    async fn run(self, mut body: Body, pieces: mpsc::UnboundedSender<Bytes>) {
        let (due, queue) = mpsc::unbounded_channel();
        let mut breaks = self.proxy.0.breaks.subscribe();
        let deliver = tokio::spawn(deliver(
            self.proxy.clone(),
            self.resource.clone(),
            queue,
            pieces.clone(),
        ));
        let mut rest = Vec::new();
        loop {
            let frame = tokio::select! {
                frame = body.frame() => frame,
                () = pieces.closed() => break,
                _ = breaks.changed() => {
                    let broken = breaks.borrow_and_update().as_ref() == Some(&self.resource);
                    if broken || self.proxy.is_alive(self.life).is_err() {
                        deliver.abort();
                        break;
                    }
                    continue;
                }
            };
            let Some(Ok(frame)) = frame else { break };
            rest.extend_from_slice(frame.data_ref().map_or(&[][..], |data| data));
            while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
                let line: Vec<u8> = rest.drain(..=end).collect();
                let delay = self.proxy.faults(|faults| faults.delay(&self.resource));
                let piece = Piece {
                    due: Instant::now() + delay,
                    line,
                    _held: Held::new(&self.proxy),
                };
                if due.send(piece).is_err() {
                    break;
                }
            }
        }
    }
}

/// A line of a watch, and when it is to be told.
struct Piece {
    due: Instant,
    line: Vec<u8>,
    _held: Held,
}

/// News that is held back as long as this is there.
struct Held(Arc<Shared>);

impl Held {
    fn new(proxy: &Proxy) -> Self {
        proxy.0.held.fetch_add(1, Ordering::SeqCst);
        Self(proxy.0.clone())
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.0.held.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Tells news when it is due.
async fn deliver(
    proxy: Proxy,
    resource: Resource,
    mut queue: mpsc::UnboundedReceiver<Piece>,
    pieces: mpsc::UnboundedSender<Bytes>,
) {
    while let Some(piece) = queue.recv().await {
        tokio::time::sleep_until(piece.due.into()).await;
        let mut event: Value = serde_json::from_slice(&piece.line).unwrap_or_default();
        let translated = proxy.0.ports.incoming(&resource, &mut event["object"]);
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        if event["type"] != "BOOKMARK" {
            proxy.0.journal.add(What::News {
                resource: resource.to_string(),
                change: text(&event["type"]),
                name: text(&event["object"]["metadata"]["name"]),
            });
        }
        let line = if translated {
            format!("{event}\n").into_bytes()
        } else {
            piece.line
        };
        if pieces.send(Bytes::from(line)).is_err() {
            return;
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
