//! The tracer provider, which sends spans in batches from its own thread.

use std::env;
use std::sync::OnceLock;
use std::time::Duration;

use opentelemetry::{KeyValue, trace::TracerProvider};
use opentelemetry_otlp::{SpanExporter, WithHttpConfig};
use opentelemetry_sdk::resource::{EnvResourceDetector, TelemetryResourceDetector};
use opentelemetry_sdk::{
    Resource,
    trace::{SdkTracer, SdkTracerProvider},
};
use tracing::Subscriber;
use tracing_opentelemetry::OpenTelemetryLayer;
use tracing_subscriber::registry::LookupSpan;

use crate::otel::{collector::Collector, settings::Settings};

/// The part of the shutdown time that is reserved for the last spans.
pub(crate) const FLUSH: Duration = Duration::from_millis(500);

static PROVIDER: OnceLock<SdkTracerProvider> = OnceLock::new();

/// Returns the tracer of this crate. `None` if no spans are sent, also before [`start`].
pub(crate) fn tracer() -> Option<SdkTracer> {
    Some(PROVIDER.get()?.tracer("rustop-manager"))
}

/// Starts to send spans if the environment specifies a collector. `operator` and `version` become
/// the service name and version of the spans. A second call does nothing. Must be called on a tokio
/// runtime.
///
/// # Errors
/// Returns an error if the configuration is invalid. The caller logs it and starts the operator
/// anyway.
pub(crate) fn start(operator: &str, version: &str) -> Result<(), String> {
    if PROVIDER.get().is_some() {
        return Ok(());
    }
    let variable = |name: &str| env::var(name).ok();
    let Some(settings) = Settings::of(variable)? else {
        return Ok(());
    };
    let exporter = SpanExporter::builder()
        .with_http()
        .with_http_client(Collector::new(&settings)?)
        .build()
        .map_err(|error| error.to_string())?;
    let provider = SdkTracerProvider::builder()
        .with_batch_exporter(exporter)
        .with_resource(resource(operator, version, variable))
        .build();
    // if another thread was faster, its provider is kept
    let _ = PROVIDER.set(provider);
    Ok(())
}

/// Returns the attributes of the sender. Those from the environment take precedence.
fn resource(operator: &str, version: &str, variable: impl Fn(&str) -> Option<String>) -> Resource {
    let place = [
        ("k8s.namespace.name", "POD_NAMESPACE"),
        ("k8s.pod.name", "POD_NAME"),
    ];
    let place = place.into_iter().filter_map(|(key, name)| {
        let value = variable(name).filter(|value| !value.is_empty())?;
        Some(KeyValue::new(key, value))
    });
    let own = [
        KeyValue::new("service.name", operator.to_owned()),
        KeyValue::new("service.version", version.to_owned()),
    ];
    let resource = Resource::builder_empty()
        .with_attributes(own.into_iter().chain(place))
        .with_detector(Box::new(TelemetryResourceDetector))
        .with_detector(Box::new(EnvResourceDetector::new()));
    match variable("OTEL_SERVICE_NAME").filter(|name| !name.is_empty()) {
        Some(name) => resource.with_service_name(name).build(),
        None => resource.build(),
    }
}

/// Returns a layer that converts `tracing` spans of this crate and of the user to OpenTelemetry
/// spans. `None` if no spans are sent.
pub(crate) fn layer<S>() -> Option<OpenTelemetryLayer<S, SdkTracer>>
where
    S: Subscriber + for<'a> LookupSpan<'a>,
{
    let layer = tracing_opentelemetry::layer().with_tracer(tracer()?);
    Some(
        layer
            .with_location(false)
            .with_target(false)
            .with_threads(false)
            .with_tracked_inactivity(false),
    )
}

/// Sends the last spans, for at most [`FLUSH`], and ends the export.
pub(crate) async fn end() {
    let Some(provider) = PROVIDER.get() else {
        return;
    };
    let ended = tokio::task::spawn_blocking(|| provider.shutdown_with_timeout(FLUSH));
    if !matches!(ended.await, Ok(Ok(()))) {
        tracing::warn!("some traces were not sent before shutdown");
    }
}

#[cfg(test)]
mod tests {
    use opentelemetry::Key;

    use super::*;

    #[test]
    fn the_service_name_defaults_to_the_operators_name() {
        let name = |variables: &[(&str, &str)]| {
            let resource = resource("cow-operator", "1.0.0", |name| {
                let found = variables.iter().find(|(known, _)| *known == name);
                found.map(|(_, value)| (*value).to_owned())
            });
            let get = |key: &'static str| resource.get(&Key::new(key)).map(|it| it.to_string());
            assert_eq!(get("service.version").as_deref(), Some("1.0.0"));
            (get("service.name").unwrap(), get("k8s.pod.name"))
        };
        assert_eq!(name(&[]), ("cow-operator".to_owned(), None));
        let said = [("OTEL_SERVICE_NAME", "cows"), ("POD_NAME", "cow-0")];
        assert_eq!(name(&said), ("cows".to_owned(), Some("cow-0".to_owned())));
    }
}
