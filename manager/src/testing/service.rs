//! The API server as a tower service, which a `kube::Client` calls without a socket.

use std::{
    convert::Infallible,
    future,
    hash::{DefaultHasher, Hash, Hasher},
    io,
    sync::Arc,
};

use http::{HeaderMap, Method, Request, Response, StatusCode, header};
use http_body_util::{BodyExt, Full, StreamBody, combinators::UnsyncBoxBody};
use hyper::body::Bytes;
use kube::{Client, client::Body};
use serde_json::{Value, json};
use tokio::{task::yield_now, time::sleep};
use tower::{BoxError, Layer, Service, timeout::Timeout};

use super::{
    delete::{Deletion, Propagation},
    fault::{Fault, Label, Operation},
    kinds::Kind,
    permissions::{Access, resource_with_group},
    read::{self, Scope},
    refusal::Refusal,
    route::{Query, Route},
    selector::Selectors,
    sent::remove,
    server::{Latency, Server},
    state::{Key, State},
    target::Target,
    watching::Watching,
    write::{FORMATS, Format, Write},
};
use crate::{
    client::{self, connection::InMemory},
    clock,
    leader::fence::{FenceLayer, Leadership},
    rbac, recorder,
    tasks::process::Process,
};

/// An HTTP response: a JSON document, or the events of a watch.
pub(super) type Answer = Response<UnsyncBoxBody<Bytes, Infallible>>;

/// The default namespace of clients.
const NAMESPACE: &str = "default";

/// A parsed request.
#[derive(Clone)]
struct Call<'a> {
    method: &'a Method,
    headers: &'a HeaderMap,
    query: Query,
    route: Route<'a>,
    body: &'a [u8],
    /// The shard of the object that the request is about, if the operator has shards.
    shard: Option<u32>,
}

/// A response: a value, or a watch.
enum Reply {
    Value(StatusCode, Value),
    Watch(Box<Watching>),
}

impl Server {
    /// Responds to a request of a process. Never returns if the process crashes first.
    async fn answer(
        self: Arc<Self>,
        process: Arc<Process>,
        request: Request<Body>,
    ) -> Result<Answer, BoxError> {
        let crashed = process.clone();
        tokio::select! {
            biased;
            () = crashed.wait_for_crash() => future::pending().await,
            answer = self.handle(process, request) => answer,
        }
    }

    /// Responds to a request, with its latency and its fault. The error is that of a connection
    /// that broke.
    async fn handle(
        self: Arc<Self>,
        process: Arc<Process>,
        request: Request<Body>,
    ) -> Result<Answer, BoxError> {
        self.count_request();
        let (head, body) = request.into_parts();
        let body = body
            .collect()
            .await
            .map(http_body_util::Collected::to_bytes)
            .unwrap_or_default();
        let path: Vec<&str> = head
            .uri
            .path()
            .split('/')
            .filter(|part| !part.is_empty())
            .collect();
        let Latency { there, back } = self.latency();
        let Some(route) = Route::of(&path) else {
            sleep(there + back).await;
            return Ok(self.page(&path));
        };
        let call = Call {
            method: &head.method,
            headers: &head.headers,
            query: Query::of(&head.uri),
            route,
            body: &body,
            shard: shard(&head.extensions),
        };
        let label = call.label();
        // status 0 means that no response arrives, or not yet
        let log = |status: u16, changed: bool, answer: Option<&Result<Reply, Refusal>>| {
            recorder::note(|| call.record(&process, label.as_ref(), status, changed, answer));
        };
        let fault = label.as_ref().and_then(|label| self.fault(&process, label));
        if let Some((fault, label)) = fault.zip(label.as_ref()) {
            recorder::note(|| label.fails(fault));
        }
        sleep(there).await;
        match fault {
            Some(Fault::CrashBefore) => {
                process.crash();
                return future::pending().await;
            }
            Some(Fault::LostRequest) => {
                log(0, false, None);
                return Err(reset());
            }
            Some(Fault::Status(code)) => {
                sleep(back).await;
                log(code, false, None);
                let refusal = Refusal::injected(code);
                return Ok(whole(refusal.code, refusal.text()));
            }
            Some(fault) => self.disturb(fault, &process, &call).await,
            None => {}
        }
        let mut changed = false;
        let reply = if fault == Some(Fault::BrokenList) {
            self.first_page(&process, &call).await
        } else {
            self.authorized(&process, &call, &mut changed).await
        };
        self.notify_watches();
        match fault {
            Some(Fault::CrashAfter) => {
                log(0, changed, Some(&reply));
                process.crash();
                return future::pending().await;
            }
            Some(Fault::LostResponse) => {
                log(0, changed, Some(&reply));
                return Err(reset());
            }
            Some(Fault::TimedOut) => {
                log(504, changed, Some(&reply));
                sleep(back).await;
                let refusal = Refusal::injected(504);
                return Ok(whole(refusal.code, refusal.text()));
            }
            Some(Fault::DelayedResponse(millis)) => {
                log(0, changed, Some(&reply));
                self.delay(millis).await;
            }
            _ => {
                let status = match &reply {
                    Ok(Reply::Value(status, _)) => *status,
                    Ok(Reply::Watch(_)) => StatusCode::OK,
                    Err(refusal) => refusal.code,
                };
                log(status.as_u16(), changed, Some(&reply));
            }
        }
        sleep(back).await;
        Ok(match reply {
            Ok(Reply::Value(status, value)) => whole(status, value.to_string()),
            Ok(Reply::Watch(watching)) => {
                let body = StreamBody::new(watching.events(self.clone(), process));
                answer(StatusCode::OK, UnsyncBoxBody::new(body))
            }
            Err(refusal) => whole(refusal.code, refusal.text()),
        })
    }

    /// Causes a fault that happens just before a request takes effect.
    async fn disturb(self: &Arc<Self>, fault: Fault, process: &Arc<Process>, call: &Call<'_>) {
        match fault {
            Fault::Freeze(millis) => {
                self.freeze(process, millis);
                // The process is frozen from its next `await` on.
                yield_now().await;
            }
            Fault::ForeignEdit | Fault::ForeignDelete => {
                self.meddle(call, fault == Fault::ForeignDelete).await;
            }
            Fault::Restore => self.state().restore(),
            Fault::ClockJump(millis) => clock::virtual_time::jump(millis),
            _ => {}
        }
    }

    /// Responds to a list with one object and, if there are more, a continue token that has
    /// expired.
    async fn first_page(
        self: &Arc<Self>,
        process: &Process,
        call: &Call<'_>,
    ) -> Result<Reply, Refusal> {
        let first = Call {
            query: call.query.with("limit", "1"),
            ..call.clone()
        };
        let reply = self.authorized(process, &first, &mut false).await;
        self.state().expire();
        reply
    }

    /// Responds to a path that is not about objects, such as `/version`.
    fn page(&self, path: &[&str]) -> Answer {
        match self.state().other(path) {
            Ok(found) => whole(StatusCode::OK, found.to_string()),
            Err(refusal) => whole(refusal.code, refusal.text()),
        }
    }

    /// Edits the object of a request, or deletes it if `deletes` is true, as another client.
    async fn meddle(self: &Arc<Self>, call: &Call<'_>, deletes: bool) {
        let Ok(kind) = self.kind(call) else {
            return;
        };
        let mut target = Target {
            manager: "kubectl-annotate",
            ..Target::of_cluster(&kind, call.target(&kind, "", 0).key)
        };
        // An object that does not exist needs no delete, and one that cannot be edited stays.
        if deletes {
            let deletion = Deletion::default();
            let _ = self.delete(&target, &deletion, &mut false).await;
        } else {
            let edit = json!({"metadata": {"annotations": {"edited": "true"}}});
            let edit = Write::Patch(Format::Merge, edit);
            let _ = self.write(&mut target, &edit, &mut false).await;
        }
        self.notify_watches();
    }

    /// Responds to a request if the permissions of the process allow it. Sets `changed` to true if
    /// the request changes something.
    async fn authorized(
        self: &Arc<Self>,
        process: &Process,
        call: &Call<'_>,
        changed: &mut bool,
    ) -> Result<Reply, Refusal> {
        let denied = self.permissions(process).and_then(|permissions| {
            let mut needed = call.accesses(&self.state()).into_iter();
            needed.find(|access| !permissions.allow(access))
        });
        if let Some(access) = &denied {
            recorder::note(|| access.denied());
        }
        match denied {
            _ if call.is_review() => Ok(Reply::Value(
                StatusCode::CREATED,
                call.reviewed(denied.is_none())?,
            )),
            Some(access) => Err(Refusal::denied(&access)),
            None => self.reply(process, call, changed).await,
        }
    }

    /// Responds to a request without checking permissions.
    async fn reply(
        self: &Arc<Self>,
        process: &Process,
        call: &Call<'_>,
        changed: &mut bool,
    ) -> Result<Reply, Refusal> {
        let kind = self.kind(call)?;
        let partial = accepts_partial(call.headers);
        let manager = manager(call);
        let mut target = call.target(&kind, &manager, process.number);
        let ok = |status, object: &Value| {
            let shown = read::represent(&self.state(), object, &kind, partial)?;
            Ok(Reply::Value(status, shown))
        };
        let write = match (call.method.as_str(), call.route.name) {
            ("GET", Some(_)) => {
                let object = self.state().get(&kind, &target.key)?.clone();
                return ok(StatusCode::OK, &object);
            }
            ("GET", None) => return look(&self.state(), call, kind.clone(), partial),
            ("DELETE", Some(_)) => {
                let deletion = call.deletion()?;
                let deleted = self.delete(&target, &deletion, changed).await?;
                return Ok(Reply::Value(StatusCode::OK, deleted));
            }
            ("DELETE", None) => return self.delete_all(call, target, changed).await,
            ("POST", None) => Write::Create(call.json()?),
            ("PUT", Some(_)) => Write::Update(call.json()?),
            ("PATCH", Some(_)) => Write::Patch(call.format()?, call.json()?),
            _ => return Err(Refusal::no_method()),
        };
        let (is_new, object) = self.write(&mut target, &write, changed).await?;
        let status = if is_new {
            StatusCode::CREATED
        } else {
            StatusCode::OK
        };
        let reply = ok(status, &object)?;
        Ok(match reply {
            Reply::Value(status, mut object) if is_new && target.dry_run => {
                remove(&mut object["metadata"], "resourceVersion");
                Reply::Value(status, object)
            }
            reply => reply,
        })
    }

    /// Returns the kind of the resource that a request is about. The error is a 404, or a 501 for a
    /// subresource other than the status.
    fn kind(&self, call: &Call<'_>) -> Result<Arc<Kind>, Refusal> {
        let route = &call.route;
        let state = self.state();
        let Some(kind) = state.kinds.find(route.group, route.version, route.plural) else {
            let group = if route.group.is_empty() {
                vec!["api", route.version]
            } else {
                vec!["apis", route.group, route.version]
            };
            state.other(&group)?;
            return Err(Refusal::no_resource());
        };
        match route.subresource {
            "" => Ok(kind),
            "status" if kind.status => Ok(kind),
            other => Err(Refusal::not_in_memory(&format!(
                "the subresource `{}/{other}`",
                kind.plural
            ))),
        }
    }

    /// Deletes the objects that the selectors of a request match, and returns their list.
    async fn delete_all(
        self: &Arc<Self>,
        call: &Call<'_>,
        target: Target<'_>,
        changed: &mut bool,
    ) -> Result<Reply, Refusal> {
        let kinds = &self.kind(call)?;
        let looked = look(&self.state(), call, kinds.clone(), false)?;
        let Reply::Value(status, list) = looked else {
            return Err(Refusal::no_method());
        };
        let deletion = call.deletion()?;
        for item in list["items"].as_array().into_iter().flatten() {
            let text = |name: &str| item["metadata"][name].as_str().unwrap_or_default();
            let key = Key::new(target.kind, text("namespace"), text("name"));
            // the garbage collector may have deleted it with its owner
            if self.state().objects.contains_key(&key) {
                let target = Target { key, ..target };
                self.delete(&target, &deletion, changed).await?;
            }
        }
        Ok(Reply::Value(status, list))
    }
}

/// The connection of a process to this server. Its clients time out like those of a real one.
#[derive(Clone)]
pub(crate) struct Connection {
    pub(super) server: Arc<Server>,
    pub(super) process: Arc<Process>,
}

impl InMemory for Connection {
    fn unfenced(&self) -> Client {
        Client::new(Timeout::new(self.service(), client::ANSWER), NAMESPACE)
    }

    fn fenced(&self, leadership: &Leadership) -> Client {
        let fenced = FenceLayer(leadership.clone()).layer(self.service());
        Client::new(Timeout::new(fenced, client::ANSWER), NAMESPACE)
    }
}

impl Connection {
    /// Returns the server as a tower service for the requests of the process.
    fn service(
        &self,
    ) -> impl Service<Request<Body>, Response = Answer, Error = BoxError, Future: Send + 'static>
    + Send
    + 'static {
        let Self { server, process } = self.clone();
        tower::service_fn(move |request: Request<Body>| {
            server.clone().answer(process.clone(), request)
        })
    }
}

/// Returns the shard of a request. `None` if the operator has no shards.
fn shard(extensions: &http::Extensions) -> Option<u32> {
    let of_request = extensions.get::<crate::shards::ShardOfRequest>();
    of_request.map(|shard| shard.0)
}

/// Returns the error of a connection that broke.
fn reset() -> BoxError {
    io::Error::from(io::ErrorKind::ConnectionReset).into()
}

/// Returns a response with a complete body.
fn whole(status: StatusCode, text: String) -> Answer {
    answer(status, UnsyncBoxBody::new(Full::from(text)))
}

fn answer(status: StatusCode, body: UnsyncBoxBody<Bytes, Infallible>) -> Answer {
    let mut answer = Response::new(body);
    *answer.status_mut() = status;
    let json = header::HeaderValue::from_static("application/json");
    answer.headers_mut().insert(header::CONTENT_TYPE, json);
    answer
}

impl State {
    /// Responds to paths that are not resources: the version and discovery.
    fn other(&self, path: &[&str]) -> Result<Value, Refusal> {
        let version = json!({"major": "1", "minor": "37", "gitVersion": "v1.37.0+manager-testing"});
        match path {
            ["version"] => Ok(version),
            _ => self.kinds.discovery(path).ok_or_else(Refusal::no_page),
        }
    }
}

/// Returns a page of a list, or starts a watch, as the query specifies.
fn look(state: &State, call: &Call<'_>, kind: Arc<Kind>, partial: bool) -> Result<Reply, Refusal> {
    let query = &call.query;
    let get = |name| query.get(name).unwrap_or_default();
    let selected = Selectors::parse(get("labelSelector"), get("fieldSelector"), &kind)?;
    let namespace = call.route.namespace;
    if query.is_set("watch") {
        let namespace = namespace.map(str::to_owned);
        let watching = Watching::begin(state, kind, namespace, selected, partial, query)?;
        return Ok(Reply::Watch(Box::new(watching)));
    }
    let scope = Scope {
        kind: &kind,
        namespace,
        selected: &selected,
        partial,
    };
    Ok(Reply::Value(
        StatusCode::OK,
        read::list(state, &scope, query)?,
    ))
}

/// Returns the field manager of a request: the parameter, or else the start of the `User-Agent`, as
/// in a real API server. Empty for an apply without the parameter, which is then rejected.
fn manager(call: &Call<'_>) -> String {
    let agent = || {
        let agent = call.headers.get(header::USER_AGENT)?.to_str().ok()?;
        agent.split('/').next().map(str::to_owned)
    };
    match call.query.get("fieldManager") {
        Some(given) => given.to_owned(),
        None if call.is_apply() => String::new(),
        None => agent().unwrap_or_else(|| "unknown".to_owned()),
    }
}

/// Returns true if the client requests only metadata.
fn accepts_partial(headers: &HeaderMap) -> bool {
    let accept = headers.get(header::ACCEPT).and_then(|it| it.to_str().ok());
    accept.is_some_and(|accept| accept.contains("as=PartialObjectMetadata"))
}

impl Access {
    /// Returns the entry for the recorder of a request that is not allowed, with the marker that
    /// would allow it.
    fn denied(&self) -> recorder::What {
        let resource = self.resource_in_rules();
        let request = format!("{} {}", self.verb, self.resource_with_group());
        let object = [&*self.namespace, &*self.name];
        recorder::What::Denied {
            request,
            object: object.join("/").trim_matches('/').to_owned(),
            marker: rbac::marker_for_request(&self.group, &resource, &self.verb),
        }
    }
}

impl Call<'_> {
    /// Returns the target of the request, which the process with the number `process` sends.
    fn target<'a>(&self, kind: &'a Kind, manager: &'a str, process: usize) -> Target<'a>
    where
        Self: 'a,
    {
        let route = &self.route;
        let (namespace, name) = (route.namespace, route.name);
        Target {
            kind,
            key: Key::new(
                kind,
                namespace.unwrap_or_default(),
                name.unwrap_or_default(),
            ),
            subresource: if route.subresource.is_empty() {
                ""
            } else {
                "status"
            },
            manager,
            force: self.query.is_set("force"),
            dry_run: self.is_dry_run(),
            process,
        }
    }

    /// Returns the format of a patch. The error is a 415.
    fn format(&self) -> Result<Format, Refusal> {
        let media_type = self.headers.get(header::CONTENT_TYPE);
        let media_type = media_type.and_then(|it| it.to_str().ok());
        let found = FORMATS.iter().find(|(name, _)| media_type == Some(name));
        let names = || FORMATS.map(|(name, _)| name).join(", ");
        let (_, format) = found.ok_or_else(|| Refusal::unsupported_patch(&names()))?;
        Ok(*format)
    }

    /// Returns the permissions that the request needs. An apply that creates an object needs two.
    /// An access review needs none: its answer depends on the permission in its body, which is
    /// returned instead.
    fn accesses(&self, state: &State) -> Vec<Access> {
        if self.is_review() {
            let review = self.json().unwrap_or_default();
            let asked = serde_json::from_value(review["spec"]["resourceAttributes"].clone());
            return asked.into_iter().collect();
        }
        let Some(operation) = self.operation() else {
            return Vec::new();
        };
        let route = &self.route;
        let [group, resource, subresource, namespace, name] = [
            route.group,
            route.plural,
            route.subresource,
            route.namespace.unwrap_or_default(),
            route.name.unwrap_or_default(),
        ]
        .map(str::to_owned);
        let access = Access {
            verb: operation.verb().to_owned(),
            group,
            resource,
            subresource,
            namespace,
            name,
        };
        let exists = || {
            let kind = state.kinds.find(route.group, route.version, route.plural)?;
            let key = Key::new(&kind, &access.namespace, &access.name);
            Some(state.objects.contains_key(&key))
        };
        let creates = operation == Operation::Apply && exists() == Some(false);
        let create = Access {
            verb: "create".to_owned(),
            ..access.clone()
        };
        std::iter::once(access)
            .chain(creates.then_some(create))
            .collect()
    }

    /// Returns true if the request asks whether another one is allowed.
    fn is_review(&self) -> bool {
        let reviews = [
            "selfsubjectaccessreviews",
            "subjectaccessreviews",
            "localsubjectaccessreviews",
        ];
        self.route.group == "authorization.k8s.io" && reviews.contains(&self.route.plural)
    }

    /// Returns an access review with its answer.
    fn reviewed(&self, is_allowed: bool) -> Result<Value, Refusal> {
        let mut review = self.json()?;
        review["status"] = json!({"allowed": is_allowed});
        Ok(review)
    }

    /// Returns true if the request has the option `dryRun`: in the query, or in the body of a
    /// delete.
    fn is_dry_run(&self) -> bool {
        let in_body = || {
            let options = self.json().unwrap_or_default();
            options["dryRun"]
                .as_array()
                .is_some_and(|it| !it.is_empty())
        };
        self.query.get("dryRun").is_some() || *self.method == Method::DELETE && in_body()
    }

    fn is_apply(&self) -> bool {
        let media_type = self.headers.get(header::CONTENT_TYPE);
        media_type.is_some_and(|it| it == "application/apply-patch+yaml")
    }

    /// Returns the operation. `None` if the API server has no operation for the method and the
    /// path.
    fn operation(&self) -> Option<Operation> {
        Some(match (self.method.as_str(), self.route.name) {
            ("GET", Some(_)) => Operation::Get,
            ("GET", None) if self.query.is_set("watch") => Operation::Watch,
            ("GET", None) => Operation::List,
            ("POST", _) => Operation::Create,
            ("PUT", _) => Operation::Update,
            ("PATCH", _) if self.is_apply() => Operation::Apply,
            ("PATCH", _) => Operation::Patch,
            ("DELETE", Some(_)) => Operation::Delete,
            ("DELETE", None) => Operation::DeleteCollection,
            _ => return None,
        })
    }

    /// Returns the operation and its object. `None` for a request that is not about stored objects.
    fn label(&self) -> Option<Label> {
        let route = &self.route;
        if route.group == "authorization.k8s.io" {
            return None;
        }
        let operation = self.operation()?;
        let resource = resource_with_group(route.plural, route.group, route.subresource);
        let posted = || {
            let object: Value = serde_json::from_slice(self.body).unwrap_or_default();
            object["metadata"]["name"].as_str().map(str::to_owned)
        };
        let name = match route.name {
            Some(name) => name.to_owned(),
            None if operation == Operation::Create => posted().unwrap_or_default(),
            None => String::new(),
        };
        Some(Label {
            operation,
            resource,
            namespace: route.namespace.unwrap_or_default().to_owned(),
            name,
        })
    }

    /// Returns the entry of the request for the recorder. `status` is 0 and `answer` is `None` if
    /// the client gets no response.
    fn record(
        &self,
        process: &Process,
        label: Option<&Label>,
        status: u16,
        changed: bool,
        answer: Option<&Result<Reply, Refusal>>,
    ) -> recorder::What {
        let (operation, resource, mut object) = match label {
            Some(label) => (
                label.operation.name(),
                label.resource.clone(),
                label.object(),
            ),
            None => ("create", self.route.plural.to_owned(), String::new()),
        };
        let mut version = String::new();
        if let Some(Ok(Reply::Value(_, value))) = answer {
            let text = |name: &str| value["metadata"][name].as_str().unwrap_or_default();
            text("resourceVersion").clone_into(&mut version);
            if object.ends_with('/') {
                object.push_str(text("name"));
            }
        }
        let message = match answer {
            Some(Err(refusal)) => refusal.to_string(),
            _ => String::new(),
        };
        let mut body = DefaultHasher::new();
        self.body.hash(&mut body);
        recorder::What::Request(Box::new(recorder::Request {
            process: process.number,
            shard: self.shard,
            operation,
            resource,
            object,
            status,
            version,
            changed,
            body: body.finish(),
            message,
        }))
    }

    fn json(&self) -> Result<Value, Refusal> {
        let error = |error| Refusal::bad_request(format!("the request body is not JSON: {error}"));
        serde_json::from_slice(self.body).map_err(error)
    }

    /// Returns the options of a delete, from its body or its query. [`Call::is_dry_run`] reads
    /// `dryRun`.
    fn deletion(&self) -> Result<Deletion, Refusal> {
        let options = if self.body.is_empty() {
            Value::Null
        } else {
            self.json()?
        };
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let policy = text(&options["propagationPolicy"]);
        let policy = policy.or_else(|| self.query.get("propagationPolicy").map(str::to_owned));
        let propagation = match policy.as_deref() {
            Some("Foreground") => Some(Propagation::Foreground),
            Some("Orphan") => Some(Propagation::Orphan),
            _ => None,
        };
        let checks = &options["preconditions"];
        Ok(Deletion {
            propagation,
            uid: text(&checks["uid"]),
            resource_version: text(&checks["resourceVersion"]),
        })
    }
}
