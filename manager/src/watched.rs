//! How a controller's watches are: told in the log and on `/readyz` when a trouble begins, when it
//! becomes another one, and when it is over.
//!
//! It is over when the API server grants the watch its next request. To wait for an event instead would
//! not do: where nothing happens, there is none.

use std::sync::{Arc, Mutex, PoisonError};

use http::Request;
use kube::{Api, Client, client::Body, runtime::watcher};
use tower::service_fn;

use crate::{
    guard::Guard,
    health::Health,
    kind::Kind,
    object::{self, Object, Scope},
};

/// The troubles of one controller.
#[derive(Clone)]
pub(crate) struct Watched {
    controller: String,
    health: Health,
    last: Arc<Mutex<Vec<String>>>,
}

/// One watch, and where its errors go.
pub(crate) struct Watch<K> {
    pub api: Api<Guard<K>>,
    pub trouble: Arc<Trouble>,
}

impl Watched {
    pub fn new(controller: &str, health: Health) -> Self {
        Self {
            controller: controller.to_owned(),
            health,
            last: Arc::default(),
        }
    }

    /// What keeps the controller from starting; nothing does any more if `troubles` is empty.
    pub fn starting(&self, troubles: &[String]) {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        for trouble in troubles.iter().filter(|trouble| !last.contains(trouble)) {
            tracing::error!(controller = self.controller, "cannot start yet: {trouble}");
        }
        if troubles.is_empty() && !last.is_empty() {
            tracing::info!(
                controller = self.controller,
                "what was missing is there now"
            );
        }
        if !troubles.is_empty() {
            self.health
                .not_ready(&self.controller, &troubles.join("; "));
        }
        troubles.clone_into(&mut last);
    }

    /// The watches by which every object of `K` in `namespaces` is seen: one for each namespace, or a
    /// single one when there is nothing to narrow.
    pub fn watches<K: Object>(&self, client: &Client, namespaces: &[String]) -> Vec<Watch<K>> {
        let kind = Kind::of::<K>(namespaces);
        let watch = |namespace: Option<&str>| {
            let place = namespace.map(|name| format!(" in {name}"));
            let trouble = Arc::new(Trouble {
                check: format!(
                    "{}/{}{}",
                    self.controller,
                    kind.plural,
                    place.unwrap_or_default()
                ),
                controller: self.controller.clone(),
                health: self.health.clone(),
                kind: kind.clone(),
                last: Mutex::default(),
            });
            let client = observed(client, &trouble);
            Watch {
                api: K::Scope::api(client, namespace),
                trouble,
            }
        };
        if namespaces.is_empty() || !object::namespaced::<K>() {
            return vec![watch(None)];
        }
        namespaces.iter().map(|name| watch(Some(name))).collect()
    }
}

/// What troubles one watch, if anything does.
pub(crate) struct Trouble {
    check: String,
    controller: String,
    health: Health,
    kind: Kind,
    last: Mutex<Option<String>>,
}

impl Trouble {
    pub fn begins(&self, error: &watcher::Error) {
        let Some(trouble) = self.kind.diagnose(error) else {
            return;
        };
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if last.as_deref() != Some(trouble.as_str()) {
            tracing::warn!(
                controller = self.controller,
                "watching is interrupted: {trouble}"
            );
            self.health.not_ready(&self.check, &trouble);
            *last = Some(trouble);
        }
    }

    fn is_over(&self) {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if last.take().is_some() {
            let (controller, kind) = (&self.controller, &self.kind.name);
            tracing::info!(controller, kind, "watching again");
            self.health.ready(&self.check);
        }
    }
}

/// A client whose granted requests end a trouble.
fn observed(client: &Client, trouble: &Arc<Trouble>) -> Client {
    let (inner, trouble) = (client.clone(), trouble.clone());
    let service = service_fn(move |request: Request<Body>| {
        let (inner, trouble) = (inner.clone(), trouble.clone());
        async move {
            let response = inner.send(request).await?;
            if response.status().is_success() {
                trouble.is_over();
            }
            Ok::<_, kube::Error>(response)
        }
    });
    Client::new(service, client.default_namespace())
}

#[cfg(test)]
mod tests {
    use http::{Response, StatusCode};
    use k8s_openapi::api::core::v1::ConfigMap;
    use kube::{api::WatchParams, core::Status};

    use super::*;

    /// Watches in the namespaces `a` and `b` of an API server that always answers with `status`.
    fn watches(health: &Health, status: StatusCode) -> Vec<Watch<ConfigMap>> {
        let service = service_fn(move |_: Request<Body>| async move {
            let answer = Response::builder().status(status).body(Body::empty());
            Ok::<_, kube::Error>(answer.unwrap())
        });
        let namespaces = ["a".to_owned(), "b".to_owned()];
        let client = Client::new(service, "ns");
        Watched::new("me", health.clone()).watches(&client, &namespaces)
    }

    fn error(message: &str) -> watcher::Error {
        watcher::Error::WatchError(Box::new(Status {
            code: 500,
            message: message.into(),
            ..Status::default()
        }))
    }

    #[tokio::test]
    async fn a_trouble_is_over_when_the_watch_is_granted() {
        let health = Health::default();
        for (status, over) in [(StatusCode::FORBIDDEN, false), (StatusCode::OK, true)] {
            let watches = watches(&health, status);
            watches[0].trouble.begins(&error("no"));
            let (_, text) = health.answer("/readyz");
            assert_eq!(text, "me/configmaps in a: configmaps: no\n");
            let params = WatchParams::default();
            let _stream = watches[0].api.watch(&params, "0").await;
            assert_eq!(health.answer("/readyz").0 == StatusCode::OK, over);
        }
    }

    #[tokio::test]
    async fn each_namespace_has_its_own_trouble() {
        let health = Health::default();
        let watches = watches(&health, StatusCode::OK);
        watches[0].trouble.begins(&error("no"));
        watches[1].trouble.is_over();
        assert_ne!(health.answer("/readyz").0, StatusCode::OK);
    }
}
