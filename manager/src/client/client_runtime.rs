//! Keeps connections on the runtime that created the client. If a connection ran on the thread of a
//! reconcile that computes, all other reconciles that share it would have to wait.

use std::future;
use std::pin::pin;
use std::task::{Context, Poll};

use futures::{FutureExt, future::BoxFuture};
use http::Request;
use tokio::runtime::Handle;
use tower::Service;

/// A tower service that passes requests to `inner` within the runtime `home`. The tasks that a
/// request spawns, such as a connection, then run on that runtime, whichever runtime polls the
/// request.
#[derive(Clone)]
pub(crate) struct AtHome<S> {
    pub inner: S,
    pub home: Handle,
}

impl<S, B> Service<Request<B>> for AtHome<S>
where
    S: Service<Request<B>, Future: Send + 'static>,
{
    type Response = S::Response;
    type Error = S::Error;
    type Future = BoxFuture<'static, Result<S::Response, S::Error>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        let _at_home = self.home.enter();
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let sent = {
            let _at_home = self.home.enter();
            self.inner.call(request)
        };
        let home = self.home.clone();
        async move {
            let mut sent = pin!(sent);
            future::poll_fn(|cx| {
                let _at_home = home.enter();
                sent.as_mut().poll(cx)
            })
            .await
        }
        .boxed()
    }
}
