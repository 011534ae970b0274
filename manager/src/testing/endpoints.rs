//! The processes that serve webhooks. A real API server reaches them through a Service; here each
//! call goes to one of them in process.

use std::fmt;
use std::sync::Arc;

#[cfg(feature = "webhook")]
use futures::FutureExt as _;
use futures::future::BoxFuture;
use http::{Request, Response};
use http_body_util::Full;
use hyper::body::Bytes;
use parking_lot::Mutex;
use serde_json::Value;

use super::refusal::Refusal;
use crate::tasks::process::Process;
#[cfg(feature = "webhook")]
use crate::webhook::WebhookServer;

/// The webhooks of one process.
pub(super) trait Webhooks: Send + Sync {
    /// Responds to an `AdmissionReview`.
    fn review(
        self: Arc<Self>,
        review: Request<Full<Bytes>>,
    ) -> BoxFuture<'static, Response<Full<Bytes>>>;

    /// Converts an object to another version, given as `my.domain/v1`.
    ///
    /// # Errors
    /// Returns the reason if it cannot be converted.
    fn convert(&self, object: &Value, version: &str) -> Result<Value, String>;
}

#[cfg(feature = "webhook")]
impl Webhooks for WebhookServer {
    fn review(
        self: Arc<Self>,
        review: Request<Full<Bytes>>,
    ) -> BoxFuture<'static, Response<Full<Bytes>>> {
        async move { self.answer(review).await }.boxed()
    }

    fn convert(&self, object: &Value, version: &str) -> Result<Value, String> {
        self.convert(object, version)
    }
}

/// A process with its webhooks.
#[derive(Clone)]
pub(super) struct Endpoint {
    pub process: Arc<Process>,
    pub webhooks: Arc<dyn Webhooks>,
}

/// The processes that serve webhooks. Clones share them.
#[derive(Clone, Default)]
pub(super) struct Endpoints(Arc<Mutex<Vec<Endpoint>>>);

impl Endpoints {
    /// Adds a process, until the returned value is dropped.
    #[cfg(feature = "webhook")]
    pub fn add(&self, process: Arc<Process>, webhooks: Arc<dyn Webhooks>) -> Serving {
        let number = process.number;
        self.0.lock().push(Endpoint { process, webhooks });
        Serving {
            endpoints: self.clone(),
            number,
        }
    }

    /// Returns the processes that have not crashed. A frozen process is one of them.
    pub fn alive(&self) -> Vec<Endpoint> {
        let all = self.0.lock();
        let alive = all.iter().filter(|it| !it.process.is_dead());
        alive.cloned().collect()
    }

    /// Converts an object to another version, given as `my.domain/v1`.
    ///
    /// # Errors
    /// Returns 500 if no process serves webhooks, or if it cannot convert the object.
    pub fn convert(&self, object: &Value, version: &str) -> Result<Value, Refusal> {
        let alive = self.alive();
        let converted = match alive.first() {
            Some(endpoint) => endpoint.webhooks.convert(object, version),
            None => Err("connect: connection refused".to_owned()),
        };
        converted.map_err(|why| Refusal::not_converted(object, &why))
    }
}

impl fmt::Debug for Endpoints {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all = self.0.lock();
        let processes = all.iter().map(|it| it.process.number);
        f.debug_list().entries(processes).finish()
    }
}

/// A process that serves webhooks until this is dropped.
#[cfg(feature = "webhook")]
pub(super) struct Serving {
    endpoints: Endpoints,
    number: usize,
}

#[cfg(feature = "webhook")]
impl Drop for Serving {
    fn drop(&mut self) {
        let mut all = self.endpoints.0.lock();
        all.retain(|it| it.process.number != self.number);
    }
}
