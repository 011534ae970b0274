//! The exchange of one request: forwards it to the API server, or injects a fault.

use std::sync::Arc;

use http::header::CONTENT_TYPE;
use http_body_util::{BodyExt as _, Either};
use hyper::body::Bytes;
use kube::client::Body;
use serde_json::{Value, json};
use tokio::sync::mpsc;

use crate::torture::api::call::Verb;
use crate::torture::fault::WriteFault;
use crate::torture::fault::injector::Interception;
use crate::torture::journal::RecordedRequest;
use crate::torture::proxy::other_namespaces::OtherNamespaces;
use crate::torture::proxy::response::{
    Disconnected, ProxyResponse, StreamBody, answer, error_status,
};
use crate::torture::proxy::watch_stream::{PendingGuard, WatchForwarder};
use crate::torture::proxy::{NO_RESPONSE_AFTER, Proxy, lock};
use crate::torture::redaction::redact_rejection;
use crate::torture::snapshot::fields::TOUCH_ANNOTATION;

/// A request of the operator in progress.
pub struct Exchange {
    pub proxy: Arc<Proxy>,
    /// The request as the operator sent it, without its body.
    pub head: http::request::Parts,
    /// The request to the API server, whose response is recorded here, too.
    pub recorded: RecordedRequest,
    /// The index of the request in the journal.
    pub number: usize,
    /// The incarnation of the operator that sent the request: the number of times that it was
    /// killed before.
    pub incarnation: u64,
    /// True if the request was narrowed from all namespaces to one.
    pub is_narrowed: bool,
}

impl Exchange {
    /// Treats the request as the injector has decided, except for a
    /// [`WriteFault::TakenOver`]. `body` is the request's. Returns the response for the operator.
    ///
    /// # Errors
    /// Returns [`Disconnected`] if the connection must be closed without a response.
    pub async fn execute(
        mut self,
        interception: Interception,
        body: Bytes,
    ) -> Result<ProxyResponse, Disconnected> {
        let proxy = self.proxy.clone();
        match interception {
            Interception::Respond(status) => return Ok(self.refuse(status)),
            Interception::Write(WriteFault::Conflict) => return Ok(self.refuse(409)),
            Interception::Write(WriteFault::TooManyRequests) => return Ok(self.refuse(429)),
            Interception::Write(WriteFault::ServerError) => return Ok(self.refuse(500)),
            Interception::Write(WriteFault::CrashBefore) => {
                proxy.kill();
                return Err(Disconnected);
            }
            Interception::Write(
                at @ (WriteFault::Changed | WriteFault::Removed | WriteFault::Overtaken),
            ) => {
                self.interfere(at).await;
            }
            Interception::FirstPage => self.recorded.call.set_parameter("limit", "1"),
            _ => {}
        }
        if proxy.faults(|faults| faults.is_behind()) {
            self.serve_stale_list();
        }
        let answer = self.pass(body).await?;
        match interception {
            Interception::Write(WriteFault::CrashAfter) => {
                proxy.kill();
                return Err(Disconnected);
            }
            Interception::Write(WriteFault::Unanswered) => {
                tokio::time::sleep(NO_RESPONSE_AFTER).await;
                return Err(Disconnected);
            }
            _ => {}
        }
        proxy.check_alive(self.incarnation)?;
        Ok(answer)
    }

    /// Forwards the request, records the response and returns it. That of a watch is a stream of
    /// its events.
    pub async fn pass(&mut self, body: Bytes) -> Result<ProxyResponse, Disconnected> {
        // An operator that waits for a response has not settled.
        let _held =
            (self.recorded.call.verb != Verb::Watch).then(|| PendingGuard::new(&self.proxy));
        let (body, target) = (self.outgoing(body), self.recorded.call.target());
        let answered = self.proxy.forward(&self.head, &target, body).await?.0;
        if self.recorded.call.verb == Verb::Watch && answered.status().is_success() {
            self.record(answered.status().as_u16(), Value::Null);
            return Ok(self.follow(answered));
        }
        self.whole(answered).await
    }

    /// Records the response in the journal and in the injector. `answer` is its body; that of a
    /// successful list or watch does not stay in the journal.
    fn record(&mut self, status: u16, answer: Value) {
        self.recorded.status = status;
        self.recorded.answer = answer;
        if self.recorded.call.is_work() && self.recorded.succeeded() {
            let call = &self.recorded.call;
            let done = (self.incarnation, call.verb, call.resource.clone());
            lock(&self.proxy.operator).writes.insert(done);
        }
        lock(&self.proxy.injector).observe(&self.recorded);
        let mut kept = match self.recorded.call.verb {
            Verb::List | Verb::Watch if self.recorded.succeeded() => Value::Null,
            _ => std::mem::take(&mut self.recorded.answer),
        };
        if !self.recorded.succeeded() {
            redact_rejection(&self.recorded.call, &mut kept);
        }
        self.proxy
            .journal
            .record_response(self.number, status, kept, false);
    }

    /// Returns an error response instead of forwarding the request, and records it as injected.
    fn refuse(&self, status: u16) -> ProxyResponse {
        let body = error_status(status);
        self.proxy
            .journal
            .record_response(self.number, status, body.clone(), true);
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

    /// Acts as another client before the operator's write arrives.
    async fn interfere(&self, at: WriteFault) {
        let mut object = self.recorded.call.clone();
        object.query.clear();
        let request = match at {
            WriteFault::Overtaken => lock(&self.proxy.step).next_request.take(),
            WriteFault::Removed => http::Request::delete(object.target()).body(Vec::new()).ok(),
            _ => {
                let now = self.proxy.journal.elapsed().as_nanos().to_string();
                let body = json!({ "metadata": { "annotations": { TOUCH_ANNOTATION: now } } });
                http::Request::patch(object.target())
                    .header(CONTENT_TYPE, "application/merge-patch+json")
                    .body(body.to_string().into_bytes())
                    .ok()
            }
        };
        if let Some(request) = request {
            // The object may be deleted already.
            let _ = self.proxy.upstream.admin.request_text(request).await;
        }
    }

    /// Makes a list that may be served from the cache return the state before the step.
    fn serve_stale_list(&mut self) {
        let past = lock(&self.proxy.step).version_before.clone();
        let call = &mut self.recorded.call;
        let is_cached = call.parameter("resourceVersion") == Some("0");
        if call.verb == Verb::List && is_cached && !past.is_empty() {
            call.set_parameter("resourceVersion", &past);
            call.set_parameter("resourceVersionMatch", "Exact");
        }
    }

    /// Returns the body with the node ports of the run.
    fn outgoing(&self, body: Bytes) -> Bytes {
        let mut object = self.recorded.body.clone();
        if self
            .proxy
            .ports
            .outgoing(&self.recorded.call.resource, &mut object)
        {
            return Bytes::from(object.to_string());
        }
        body
    }

    /// Reads the whole response. Adds the operator's objects in other namespaces to a narrowed
    /// list, and maps the node ports back.
    async fn whole(
        &mut self,
        answered: http::Response<Body>,
    ) -> Result<ProxyResponse, Disconnected> {
        let (head, body) = answered.into_parts();
        let mut body = body.collect().await.map_err(|_| Disconnected)?.to_bytes();
        let mut value: Value = serde_json::from_slice(&body).unwrap_or_default();
        let more = match self.elsewhere() {
            Some(elsewhere) => elsewhere.objects().await,
            None => Vec::new(),
        };
        let mut is_changed = !more.is_empty();
        if let Some(items) = value["items"].as_array_mut() {
            items.extend(more);
        }
        let resource = &self.recorded.call.resource;
        is_changed |= self.proxy.ports.incoming(resource, &mut value);
        if is_changed {
            body = Bytes::from(value.to_string());
        }
        self.record(head.status.as_u16(), value);
        Ok(answer(head.status.as_u16(), &head.headers, body))
    }

    /// Returns the request for the other namespaces, if it is a read that was narrowed.
    fn elsewhere(&self) -> Option<OtherNamespaces> {
        let call = &self.recorded.call;
        let reads = matches!(call.verb, Verb::List | Verb::Watch);
        let is_meant = self.is_narrowed && reads;
        is_meant.then(|| OtherNamespaces::of(&self.proxy, &self.head, call))?
    }

    /// Forwards the events of a watch, each after its delay.
    fn follow(&self, answered: http::Response<Body>) -> ProxyResponse {
        let (head, body) = answered.into_parts();
        let (pieces, feed) = mpsc::unbounded_channel();
        let (lines, elsewhere) = mpsc::unbounded_channel();
        if let Some(question) = self.elsewhere() {
            tokio::spawn(question.follow(lines));
        }
        let follower = WatchForwarder {
            elsewhere,
            proxy: self.proxy.clone(),
            resource: self.recorded.call.resource.clone(),
            incarnation: self.incarnation,
        };
        tokio::spawn(follower.run(body, pieces));
        let mut answer = http::Response::builder().status(head.status);
        if let Some(kind) = head.headers.get(CONTENT_TYPE) {
            answer = answer.header(CONTENT_TYPE, kind);
        }
        answer
            .body(Either::Right(StreamBody(feed)))
            .expect("a status and a header that came this way")
    }
}
