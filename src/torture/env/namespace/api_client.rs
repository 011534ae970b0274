//! Requests of a run to the API server. A request that fails because a webhook does not respond is
//! repeated, up to three times, 500 ms apart.

use std::time::Duration;

use http::{Method, Request};
use serde_json::Value;

use super::{ApiAnswer, RunNamespace};
use crate::torture::api::call::Resource;
use crate::torture::api::rejection::unreachable_webhook;
use crate::torture::env::cluster_view::ServedKind;
use crate::torture::env::namespace::request::request;
use crate::torture::error::{Error, Result};

/// The number of tries if a webhook does not respond.
const TRIES: usize = 4;
const BETWEEN: Duration = Duration::from_millis(500);

impl RunNamespace<'_> {
    /// Waits until the cluster view contains the object that the API server returned for a write,
    /// for 5 s at most. Does nothing if the API server rejected the write.
    pub(super) async fn wait_until_in_view(&self, kind: &ServedKind, answer: &ApiAnswer) {
        if let Ok(object) = answer
            && object["metadata"]["name"].is_string()
        {
            self.cluster_view.wait_until_contains(kind, object).await;
        }
    }

    /// Returns the URL path of the scenario's object.
    pub(super) fn subject_path(&self) -> String {
        let name = self.scenario.subject["metadata"]["name"]
            .as_str()
            .unwrap_or_default();
        self.path_of(&self.subject, name)
    }

    /// Returns the URL path of an object, in the run's namespace if the kind is namespaced. With an
    /// empty name, it is the path of the collection.
    pub(super) fn path_of(&self, kind: &ServedKind, name: &str) -> String {
        let namespace = kind.namespaced.then_some(self.namespace.as_str());
        format!("{}/{name}", Resource::from(&kind.resource).path(namespace))
            .trim_end_matches('/')
            .to_owned()
    }

    /// Patches the object at `path`: with a JSON patch if `change` is an array, otherwise with a
    /// merge patch. Returns the same as [`Self::send`].
    pub(super) async fn patch(&self, path: &str, change: &Value) -> Result<ApiAnswer> {
        self.send_json(Method::PATCH, path, change).await
    }

    /// Sends a request with a JSON body; `Value::Null` sends none. Returns the same as
    /// [`Self::send`].
    pub(super) async fn send_json(
        &self,
        method: Method,
        path: &str,
        body: &Value,
    ) -> Result<ApiAnswer> {
        let request = request(method, path, body);
        self.send(&request).await
    }

    /// Reads the object at `path`. Returns `None` only if it does not exist: a rejection by the API
    /// server is an error.
    pub(super) async fn find(&self, path: &str) -> Result<Option<Value>> {
        let request = request(Method::GET, path, &Value::Null);
        let answer = self.client.request::<Value>(request).await;
        none_if_missing(answer).map_err(Error::api(format!("GET {path}")))
    }

    /// Sends a request, and repeats it up to three times if a webhook does not respond. The inner
    /// `Err` is the message with which the API server rejected the request; the outer `Err` is any
    /// other failure, such as a lost connection.
    pub(super) async fn send(&self, request: &Request<Vec<u8>>) -> Result<ApiAnswer> {
        let action = format!("{} {}", request.method(), request.uri());
        let mut tries = 1;
        loop {
            match self.client.request::<Value>(request.clone()).await {
                Ok(answer) => return Ok(Ok(answer)),
                Err(kube::Error::Api(status)) => {
                    if unreachable_webhook(&status.message).is_none() || tries == TRIES {
                        return Ok(Err(status.message.clone()));
                    }
                }
                Err(error) => return Err(Error::api(action)(error)),
            }
            tries += 1;
            tokio::time::sleep(BETWEEN).await;
        }
    }
}

/// Returns `None` for a 404, which is no error.
fn none_if_missing(answer: kube::Result<Value>) -> kube::Result<Option<Value>> {
    match answer {
        Ok(object) => Ok(Some(object)),
        Err(kube::Error::Api(status)) if status.code == 404 => Ok(None),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use kube::core::Status;
    use serde_json::json;

    use super::*;

    #[test]
    fn only_an_object_that_is_not_found_is_gone() {
        let rejected = |code: u16| {
            let status = Status {
                code,
                ..Status::default()
            };
            none_if_missing(Err(kube::Error::Api(Box::new(status))))
        };
        assert!(matches!(rejected(404), Ok(None)));
        for code in [403, 429, 500] {
            assert!(rejected(code).is_err(), "{code}");
        }
        let found = none_if_missing(Ok(json!({"kind": "Cow"})));
        assert!(matches!(found, Ok(Some(_))));
    }
}
