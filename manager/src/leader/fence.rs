//! The write fence: a layer around the HTTP client that lets write requests pass only while this
//! process holds the lease.
//!
//! It is below kube's retries, so a request is checked again after it has waited for a retry or for
//! its connection. It guards every write, including those that a reconcile makes through a plain
//! `Api`. `clock.rs` measures the lease.
//!
//! One window remains: a process that is frozen after the connection has taken over a request, and
//! before the request is on the network, sends it when it wakes up.

use std::future;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use futures::{FutureExt, future::BoxFuture};
use http::{Method, Request};
use parking_lot::RwLock;
use tower::{BoxError, Layer, Service};

use crate::error::NotLeader;
use crate::leader::clock::Moment;
use crate::planted::{Bug, is_planted};

/// The time until which this process may write. Clones share their state.
#[derive(Clone, Debug)]
pub(crate) struct Leadership(Arc<RwLock<WritePermission>>);

#[derive(Clone, Copy, Debug)]
enum WritePermission {
    /// Without leader election, every replica may write.
    Unlimited,
    /// This process may write until this moment.
    Until(Moment),
    /// This process may not write.
    None,
}

impl Leadership {
    /// Returns a leadership that always allows writes, for a process without leader election.
    pub fn unlimited() -> Self {
        Self(Arc::new(RwLock::new(WritePermission::Unlimited)))
    }

    /// Returns a leadership that allows no writes until the first call of [`Leadership::extend`].
    pub fn none() -> Self {
        Self(Arc::new(RwLock::new(WritePermission::None)))
    }

    /// Allows writes for `term` from `start`: the moment before the renewal request was sent.
    pub fn extend(&self, start: Moment, term: Duration) {
        self.set(WritePermission::Until(start + term));
    }

    /// Allows no writes from now on, and cuts off those that are being sent.
    pub fn end(&self) {
        self.set(WritePermission::None);
    }

    /// Returns true if this process may write now.
    pub fn holds(&self) -> bool {
        match self.permission() {
            WritePermission::Unlimited => true,
            WritePermission::Until(end) => !end.has_come(),
            WritePermission::None => false,
        }
    }

    /// Returns true if the lease was held and not renewed in time.
    pub fn has_run_out(&self) -> bool {
        matches!(self.permission(), WritePermission::Until(..)) && !self.holds()
    }

    fn permission(&self) -> WritePermission {
        *self.0.read()
    }

    fn set(&self, permission: WritePermission) {
        *self.0.write() = permission;
    }
}

/// A layer that puts a [`Fence`] around a client's transport.
pub(crate) struct FenceLayer(pub Leadership);

impl<S> Layer<S> for FenceLayer {
    type Service = Fence<S>;

    fn layer(&self, inner: S) -> Fence<S> {
        Fence {
            inner,
            leadership: self.0.clone(),
        }
    }
}

/// A transport whose write requests fail with [`NotLeader`] unless the leadership holds. With
/// sharding, the leadership in the extensions of a request must hold, too.
#[derive(Clone)]
pub(crate) struct Fence<S> {
    inner: S,
    leadership: Leadership,
}

impl<S, B> Service<Request<B>> for Fence<S>
where
    S: Service<Request<B>, Error: Into<BoxError>, Future: Send + 'static>,
{
    type Response = S::Response;
    type Error = BoxError;
    type Future = BoxFuture<'static, Result<S::Response, BoxError>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        self.inner.poll_ready(cx).map_err(Into::into)
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let reads =
            matches!(*request.method(), Method::GET | Method::HEAD) || asks(request.uri().path());
        if reads {
            let sent = self.inner.call(request);
            return sent.map(|result| result.map_err(Into::into)).boxed();
        }
        let leadership = self.leadership.clone();
        // With sharding: the leadership of the shard that the write is about.
        let part = request.extensions().get::<Leadership>().cloned();
        let holds = move || {
            let holds = leadership.holds() && part.as_ref().is_none_or(Leadership::holds);
            holds || is_planted(Bug::FenceRemoved)
        };
        if !holds() {
            return async { Err(NotLeader.into()) }.boxed();
        }
        let sent = self.inner.call(request);
        async move {
            let mut sent = pin!(sent);
            // Checked again at each poll, so that a write is cut off when the lease runs out.
            future::poll_fn(|cx| {
                if holds() {
                    sent.as_mut().poll(cx).map_err(Into::into)
                } else {
                    Poll::Ready(Err(NotLeader.into()))
                }
            })
            .await
        }
        .boxed()
    }
}

/// Returns true for the paths of reviews, which are sent with POST and change nothing, so that a
/// standby may send them, too.
fn asks(path: &str) -> bool {
    [
        "/selfsubjectaccessreviews",
        "/subjectaccessreviews",
        "/tokenreviews",
    ]
    .iter()
    .any(|end| path.ends_with(end))
}

#[cfg(test)]
mod tests {
    use tower::{ServiceExt, service_fn};

    use super::*;

    async fn send(leadership: &Leadership, method: Method) -> Result<(), BoxError> {
        let inner = service_fn(|_: Request<()>| async { Ok::<_, BoxError>(()) });
        let request = Request::builder()
            .method(method)
            .uri("/api/v1/namespaces/a/services")
            .body(())
            .unwrap();
        FenceLayer(leadership.clone())
            .layer(inner)
            .oneshot(request)
            .await
    }

    #[tokio::test]
    async fn reads_pass_and_writes_need_the_lease() {
        let leadership = Leadership::none();
        send(&leadership, Method::GET).await.unwrap();
        assert!(
            send(&leadership, Method::PATCH)
                .await
                .unwrap_err()
                .is::<NotLeader>()
        );
        leadership.extend(Moment::now(), Duration::from_secs(60));
        send(&leadership, Method::PATCH).await.unwrap();
        leadership.end();
        assert!(
            send(&leadership, Method::DELETE)
                .await
                .unwrap_err()
                .is::<NotLeader>()
        );
    }

    #[tokio::test]
    async fn a_write_that_waits_for_its_connection_needs_the_lease_to_the_end() {
        let (connected, connecting) = tokio::sync::oneshot::channel::<()>();
        let leadership = Leadership::none();
        leadership.extend(Moment::now(), Duration::from_secs(60));
        let connecting = connecting.shared();
        let inner = service_fn(|_: Request<()>| connecting.clone().map(|_| Ok::<_, BoxError>(())));
        let request = Request::builder().method(Method::PATCH).body(()).unwrap();
        let mut sent = FenceLayer(leadership.clone()).layer(inner).oneshot(request);
        assert!((&mut sent).now_or_never().is_none());
        leadership.end();
        connected.send(()).unwrap();
        assert!(sent.await.unwrap_err().is::<NotLeader>());
    }
}
