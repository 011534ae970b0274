//! The operator's objects in other namespaces than the run's, recognized by the run's namespace in
//! their names. A request across all namespaces returns the objects of the run's namespace and
//! these.

use std::sync::Arc;

use http_body_util::BodyExt as _;
use hyper::body::Bytes;
use kube::client::Body;
use serde_json::Value;
use tokio::sync::mpsc;

use crate::torture::api::call::ApiCall;
use crate::torture::proxy::Proxy;
use crate::torture::proxy::watch_stream::WatchLines;

/// A request across all namespaces, for all but the run's.
pub struct OtherNamespaces {
    proxy: Arc<Proxy>,
    head: http::request::Parts,
    call: ApiCall,
    namespace: String,
}

impl OtherNamespaces {
    /// Returns the request that completes `shown`, a request that was narrowed to the run's
    /// namespace. `head` has its method and headers. Returns `None` for later pages of a list,
    /// since the first one has all of these objects, and if the operator sees the whole cluster.
    pub fn of(proxy: &Arc<Proxy>, head: &http::request::Parts, shown: &ApiCall) -> Option<Self> {
        let namespace = proxy.scope.clone()?;
        if shown.parameter("continue").is_some() {
            return None;
        }
        let mut call = shown.clone();
        call.namespace = None;
        call.set_parameter("limit", "0");
        call.select_fields(&format!("metadata.namespace!%3D{namespace}"));
        Some(Self {
            proxy: proxy.clone(),
            head: head.clone(),
            call,
            namespace,
        })
    }

    /// Returns the operator's objects in other namespaces; none if the request fails.
    pub async fn objects(&self) -> Vec<Value> {
        let Some(answered) = self.ask().await else {
            return Vec::new();
        };
        let body = answered.into_body().collect().await;
        let body = body
            .map(http_body_util::Collected::to_bytes)
            .unwrap_or_default();
        if !self.is_named_in(&body) {
            return Vec::new();
        }
        let mut list: Value = serde_json::from_slice(&body).unwrap_or_default();
        let mut objects = list["items"]
            .as_array_mut()
            .map(std::mem::take)
            .unwrap_or_default();
        objects.retain(|object| self.is_ours(object));
        objects
    }

    /// Sends those lines of a watch that are about the operator's objects, each with its newline,
    /// until the watch ends or the receiver is closed.
    pub async fn follow(self, lines: mpsc::UnboundedSender<Vec<u8>>) {
        let Some(answered) = self.ask().await else {
            return;
        };
        let mut received = WatchLines::of(answered.into_body());
        loop {
            let line = tokio::select! {
                line = received.next() => line,
                () = lines.closed() => return,
            };
            let Some(line) = line else { return };
            if self.is_told_by(&line) && lines.send(line).is_err() {
                return;
            }
        }
    }

    async fn ask(&self) -> Option<http::Response<Body>> {
        let target = self.call.target();
        let answered = self.proxy.forward(&self.head, &target, Bytes::new()).await;
        let answered = answered.ok()?.0;
        answered.status().is_success().then_some(answered)
    }

    fn is_told_by(&self, line: &[u8]) -> bool {
        let event = || serde_json::from_slice::<Value>(line).unwrap_or_default();
        self.is_named_in(line) && self.is_ours(&event()["object"])
    }

    /// Reports whether a text contains the namespace; most do not, and need not be parsed.
    fn is_named_in(&self, text: &[u8]) -> bool {
        std::str::from_utf8(text).is_ok_and(|text| text.contains(&self.namespace))
    }

    fn is_ours(&self, object: &Value) -> bool {
        let name = object["metadata"]["name"].as_str();
        name.is_some_and(|name| name.contains(&self.namespace))
    }
}
