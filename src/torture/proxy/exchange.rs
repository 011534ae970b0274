//! One request on its way to the API server, and what becomes of it.

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
use crate::torture::proxy::other_namespaces::Elsewhere;
use crate::torture::proxy::response::{Answer, Cut, Feed, answer, refusal};
use crate::torture::proxy::watch_stream::{Follower, Held};
use crate::torture::proxy::{IN_VAIN, Proxy, lock};
use crate::torture::snapshot::fields::TOUCH_ANNOTATION;

/// One request on its way.
pub struct Exchange {
    pub proxy: Proxy,
    pub head: http::request::Parts,
    pub asked: RecordedRequest,
    pub number: usize,
    pub life: u64,
    /// It is about one namespace, and was about all.
    pub is_narrowed: bool,
}

impl Exchange {
    pub async fn carry(mut self, interception: Interception, body: Bytes) -> Result<Answer, Cut> {
        let proxy = self.proxy.clone();
        match interception {
            Interception::Respond(status) => return Ok(self.refuse(status)),
            Interception::Write(WriteFault::Conflict) => return Ok(self.refuse(409)),
            Interception::Write(WriteFault::TooManyRequests) => return Ok(self.refuse(429)),
            Interception::Write(WriteFault::ServerError) => return Ok(self.refuse(500)),
            Interception::Write(WriteFault::CrashBefore) => {
                proxy.kill();
                return Err(Cut);
            }
            Interception::Write(
                at @ (WriteFault::Changed | WriteFault::Removed | WriteFault::Overtaken),
            ) => {
                self.interfere(at).await;
            }
            Interception::FirstPage => self.asked.call.set_parameter("limit", "1"),
            _ => {}
        }
        if proxy.faults(|faults| faults.is_behind()) {
            self.turn_back();
        }
        let answer = self.pass(body).await?;
        match interception {
            Interception::Write(WriteFault::CrashAfter) => {
                proxy.kill();
                return Err(Cut);
            }
            Interception::Write(WriteFault::Unanswered) => {
                tokio::time::sleep(IN_VAIN).await;
                return Err(Cut);
            }
            _ => {}
        }
        proxy.is_alive(self.life)?;
        Ok(answer)
    }

    /// To the API server, and what it answers.
    pub async fn pass(&mut self, body: Bytes) -> Result<Answer, Cut> {
        // Nobody is at rest who waits for an answer.
        let _held = (self.asked.call.verb != Verb::Watch).then(|| Held::new(&self.proxy));
        let (body, target) = (self.outgoing(body), self.asked.call.target());
        let answered = self.proxy.forward(&self.head, &target, body).await?.0;
        if self.asked.call.verb == Verb::Watch && answered.status().is_success() {
            self.record(answered.status().as_u16(), Value::Null);
            return Ok(self.follow(answered));
        }
        self.whole(answered).await
    }

    fn record(&mut self, status: u16, answer: Value) {
        self.asked.status = status;
        self.asked.answer = answer;
        if self.asked.call.is_work() && self.asked.succeeded() {
            let call = &self.asked.call;
            let done = (self.life, call.verb, call.resource.clone());
            lock(&self.proxy.0.worked).insert(done);
        }
        lock(&self.proxy.0.injector).observe(&self.asked);
        let kept = match self.asked.call.verb {
            Verb::List | Verb::Watch if self.asked.succeeded() => Value::Null,
            _ => std::mem::take(&mut self.asked.answer),
        };
        self.proxy
            .0
            .journal
            .record_response(self.number, status, kept, false);
    }

    fn refuse(&self, status: u16) -> Answer {
        let body = refusal(status);
        self.proxy
            .0
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

    /// Somebody else is faster.
    async fn interfere(&self, at: WriteFault) {
        let mut object = self.asked.call.clone();
        object.query.clear();
        let request = match at {
            WriteFault::Overtaken => lock(&self.proxy.0.next).take(),
            WriteFault::Removed => http::Request::delete(object.target()).body(Vec::new()).ok(),
            _ => {
                let now = self.proxy.0.journal.elapsed().as_nanos().to_string();
                let body = json!({ "metadata": { "annotations": { TOUCH_ANNOTATION: now } } });
                http::Request::patch(object.target())
                    .header(CONTENT_TYPE, "application/merge-patch+json")
                    .body(body.to_string().into_bytes())
                    .ok()
            }
        };
        if let Some(request) = request {
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
        let more = match self.elsewhere() {
            Some(elsewhere) => elsewhere.objects().await,
            None => Vec::new(),
        };
        let mut is_changed = !more.is_empty();
        if let Some(items) = value["items"].as_array_mut() {
            items.extend(more);
        }
        let resource = &self.asked.call.resource;
        is_changed |= self.proxy.0.ports.incoming(resource, &mut value);
        if is_changed {
            body = Bytes::from(value.to_string());
        }
        self.record(head.status.as_u16(), value);
        Ok(answer(head.status.as_u16(), &head.headers, body))
    }

    /// The same question about other namespaces, if the operator asked it.
    fn elsewhere(&self) -> Option<Elsewhere> {
        let call = &self.asked.call;
        let reads = matches!(call.verb, Verb::List | Verb::Watch);
        let is_meant = self.is_narrowed && reads;
        is_meant.then(|| Elsewhere::of(&self.proxy, &self.head, call))?
    }

    /// Passes on the events of a watch, each when it is due.
    fn follow(&self, answered: http::Response<Body>) -> Answer {
        let (head, body) = answered.into_parts();
        let (pieces, feed) = mpsc::unbounded_channel();
        let (lines, elsewhere) = mpsc::unbounded_channel();
        if let Some(question) = self.elsewhere() {
            tokio::spawn(question.follow(lines));
        }
        let follower = Follower {
            elsewhere,
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
