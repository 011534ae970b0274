//! Support for tokio-console, which shows the tasks of an operator: how long each is polled, and
//! what it waits for.
//!
//! It needs the feature `console`, which `rustop edit --manager-features console` adds to a
//! project, and a build in which tokio reports its tasks:
//!
//! ```sh
//! RUSTFLAGS="--cfg tokio_unstable" cargo run -- --log-level=info
//! tokio-console
//! ```
//!
//! The server listens on `127.0.0.1:6669`, or on `TOKIO_CONSOLE_BIND`; the other variables are
//! documented in [`console-subscriber`](https://docs.rs/console-subscriber). It costs memory and
//! time: do not use it in production.

use std::thread;

use console_subscriber::{ConsoleLayer, Server};
use tokio::runtime::Builder;
use tracing::{Metadata, Subscriber, subscriber::NoSubscriber};
use tracing_subscriber::filter::FilterFn;
use tracing_subscriber::{Layer, registry::LookupSpan};

/// Returns the layer that records tokio's tasks. Returns `None` if this build does not report
/// tasks, if a `tracing` subscriber is already set, or if the server's thread cannot be started.
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

/// Logs a warning if this build does not report tasks. Called once logging is set up.
pub(crate) fn tell() {
    if !cfg!(tokio_unstable) {
        tracing::warn!(
            "tokio-console shows no tasks; help: build with `RUSTFLAGS=\"--cfg tokio_unstable\"`"
        );
    }
}

/// Serves the console until the process ends, without a subscriber, so that the server's own tasks
/// are not shown.
fn serve(server: Server) {
    let result = tracing::subscriber::with_default(NoSubscriber::default(), || {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        runtime.block_on(server.serve())
    });
    if let Err(error) = result {
        tracing::warn!(%error, "cannot serve tokio-console; help: set `TOKIO_CONSOLE_BIND` to a free address");
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
    fn a_build_without_tokio_unstable_does_not_panic() {
        assert_eq!(layer::<Registry>().is_some(), cfg!(tokio_unstable));
    }
}
