//! Log lines on standard error: text on a terminal, JSON elsewhere.
//!
//! Each line of a reconcile carries the fields of its span (see `controller/reconcile.rs`): the
//! controller, the object, and an id shared by all lines of this reconcile.

use std::io::IsTerminal;

use tracing::Subscriber;
use tracing_subscriber::fmt::{self, MakeWriter};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::registry::LookupSpan;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, Layer};

#[cfg(feature = "console")]
use crate::console;
use crate::error::{Error, Result, message_of};
use crate::options::{LogFormat, Options};
#[cfg(feature = "otel")]
use crate::otel::provider;

/// Sets up logging and traces for the process. A subscriber that is already set stays. `name` and
/// `version` are those of the operator, for traces.
///
/// # Errors
/// Returns `InvalidOption` if the log level cannot be parsed.
pub(crate) fn init(name: &str, version: &str, options: &Options) -> Result<()> {
    // kube's client logs every rejected request as an error, and the caller reports it anyway. The
    // log lines of kube's controller repeat what this crate's own span contains.
    let quiet = "kube_client::client=off,kube_runtime::controller=warn";
    let filter = EnvFilter::try_new(format!("{quiet},{}", options.log_level))
        .map_err(|error| Error::new("InvalidOption", format!("--log-level: {error}")))?;
    let terminal = std::io::stderr().is_terminal();
    let json = match options.log_format {
        LogFormat::Auto => !terminal,
        LogFormat::Json => true,
        LogFormat::Text => false,
    };
    let layer = if json {
        json_lines(std::io::stderr).boxed()
    } else {
        let lines = fmt::layer().with_ansi(terminal);
        lines.with_writer(std::io::stderr).boxed()
    };
    #[cfg(feature = "otel")]
    let traces = provider::start(name, version);
    #[cfg(feature = "otel")]
    let layer = Layer::and_then(provider::layer(), layer);
    #[cfg(not(feature = "otel"))]
    let _ = (name, version);
    let registry = tracing_subscriber::registry();
    #[cfg(feature = "console")]
    let registry = registry.with(console::layer());
    let set = registry.with(layer.with_filter(filter)).try_init();
    #[cfg(feature = "console")]
    if set.is_ok() {
        console::tell();
    }
    #[cfg(feature = "otel")]
    if let (Ok(()), Err(trouble)) = (&set, traces) {
        tracing::warn!("tracing is disabled: {trouble}");
    }
    // An error means that a subscriber was already set.
    drop(set);
    Ok(())
}

/// Returns the layer that writes each log line as a JSON object, with the fields of its span.
pub(crate) fn json_lines<S, W>(writer: W) -> impl Layer<S>
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    W: for<'a> MakeWriter<'a> + Send + Sync + 'static,
{
    fmt::layer()
        .json()
        .flatten_event(true)
        .with_span_list(false)
        .with_writer(writer)
}

/// Replaces the panic hook of the process: a panic is logged within the current span, which names
/// the object. Without a subscriber it would print nothing, so call [`init`] first.
pub(crate) fn log_panics() {
    std::panic::set_hook(Box::new(|panic| {
        let at = panic
            .location()
            .map(ToString::to_string)
            .unwrap_or_default();
        tracing::error!(at, "panic: {}", message_of(panic.payload()));
    }));
}
