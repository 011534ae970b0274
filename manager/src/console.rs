//! What tokio-console shows of an operator: its tasks, how long each is polled, and what they wait for.
//!
//! With the feature `console`, which a project has after `rustop edit --manager-features console`, in a build in which
//! tokio tells of its tasks:
//!
//! ```sh
//! RUSTFLAGS="--cfg tokio_unstable" cargo run -- --log-level=info
//! tokio-console
//! ```
//!
//! It is served on `127.0.0.1:6669`, or what `TOKIO_CONSOLE_BIND` says; the other variables are those of
//! [`console-subscriber`](https://docs.rs/console-subscriber). It costs memory and time, and is nothing for production.

use std::thread;

use console_subscriber::{ConsoleLayer, Server};
use tokio::runtime::Builder;
use tracing::{Metadata, Subscriber, subscriber::NoSubscriber};
use tracing_subscriber::filter::FilterFn;
use tracing_subscriber::{Layer, registry::LookupSpan};

/// What keeps account of tokio's tasks, unless this build has nothing of them to tell, or logs are set up already.
pub(crate) fn layer<S>() -> Option<impl Layer<S>>
where
    S: Subscriber + for<'a> LookupSpan<'a>,
{
    if !cfg!(tokio_unstable) || tracing::dispatcher::has_been_set() {
        return None;
    }
    let (layer, server) = ConsoleLayer::builder().with_default_env().build();
    let thread = thread::Builder::new().name("console".to_owned());
    match thread.spawn(|| serve(server)) {
        Ok(_) => Some(layer.with_filter(FilterFn::new(is_of_tokio))),
        Err(_) => None,
    }
}

/// Says why there is nothing to see, once there is a log.
pub(crate) fn tell() {
    if !cfg!(tokio_unstable) {
        tracing::warn!(
            "tokio-console has nothing to show: build with RUSTFLAGS=\"--cfg tokio_unstable\""
        );
    }
}

/// Until the process ends. What serves the console is not shown in it.
fn serve(server: Server) {
    let result = tracing::subscriber::with_default(NoSubscriber::default(), || {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        runtime.block_on(server.serve())
    });
    if let Err(error) = result {
        tracing::warn!(%error, "tokio-console cannot be served: is TOKIO_CONSOLE_BIND free?");
    }
}

fn is_of_tokio(metadata: &Metadata<'_>) -> bool {
    let target = metadata.target();
    target.starts_with("tokio") || target.starts_with("runtime")
}

#[cfg(test)]
mod tests {
    use tracing_subscriber::Registry;

    use super::*;

    #[test]
    fn a_build_that_tells_nothing_of_tasks_is_no_reason_to_panic() {
        assert_eq!(layer::<Registry>().is_some(), cfg!(tokio_unstable));
    }
}
