//! Configuration from the standard OpenTelemetry environment variables.

use std::time::Duration;

use http::Uri;

/// The collector and the connection to it.
#[derive(Debug, PartialEq)]
pub(crate) struct Settings {
    /// The URL of the collector, with only scheme, host and port. The exporter itself reads the
    /// path from the environment.
    pub collector: Uri,
    /// Timeout of a request.
    pub timeout: Duration,
    /// Path of a PEM file with the CA certificates for the collector. `None` for those of the
    /// system.
    pub certificate: Option<String>,
}

/// The default timeout in the OpenTelemetry specification.
const TIMEOUT: Duration = Duration::from_secs(10);

const PROTOCOL: &str = "http/protobuf";

impl Settings {
    /// Reads the settings. `variable` returns the value of an environment variable. `None` if the
    /// export is disabled or no endpoint is set.
    ///
    /// # Errors
    /// Returns an error that names the variable with an invalid endpoint or an unsupported
    /// protocol.
    pub fn of(variable: impl Fn(&str) -> Option<String>) -> Result<Option<Self>, String> {
        let set = |name: &str| variable(name).filter(|value| !value.trim().is_empty());
        let is_off = set("OTEL_SDK_DISABLED").is_some_and(|off| off.eq_ignore_ascii_case("true"))
            || set("OTEL_TRACES_EXPORTER").is_some_and(|exporter| exporter == "none");
        let found = |end: &str| {
            let names = ["OTEL_EXPORTER_OTLP_TRACES_", "OTEL_EXPORTER_OTLP_"];
            let mut names = names.map(|begin| format!("{begin}{end}")).into_iter();
            names.find_map(|name| Some((set(&name)?, name)))
        };
        let Some((endpoint, name)) = found("ENDPOINT").filter(|_| !is_off) else {
            return Ok(None);
        };
        if let Some((protocol, name)) = found("PROTOCOL").filter(|(it, _)| it != PROTOCOL) {
            return Err(format!(
                "unsupported protocol `{protocol}` in {name}; help: set it to `{PROTOCOL}`, and use the port \
                 for that protocol in the endpoint, usually 4318"
            ));
        }
        let collector = origin(&endpoint).ok_or_else(|| {
            format!(
                "invalid endpoint `{endpoint}` in {name}; help: use a URL such as \
                 `http://collector.tracing:4318`"
            )
        })?;
        let timeout = found("TIMEOUT").and_then(|(millis, _)| millis.parse().ok());
        Ok(Some(Self {
            collector,
            timeout: timeout.map_or(TIMEOUT, Duration::from_millis),
            certificate: found("CERTIFICATE").map(|(file, _)| file),
        }))
    }
}

/// Returns the scheme, host and port of an endpoint.
fn origin(endpoint: &str) -> Option<Uri> {
    let uri: Uri = endpoint.trim().parse().ok()?;
    let (scheme, authority) = (uri.scheme_str()?, uri.authority()?);
    let is_http = ["http", "https"].contains(&scheme);
    is_http.then(|| format!("{scheme}://{authority}/").parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENDPOINT: &str = "OTEL_EXPORTER_OTLP_ENDPOINT";

    fn settings(variables: &[(&str, &str)]) -> Result<Option<Settings>, String> {
        Settings::of(|name| {
            let found = variables.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn nothing_is_exported_without_an_endpoint() {
        let there = (ENDPOINT, "http://here:4318");
        for variables in [
            &[][..],
            &[(ENDPOINT, " ")],
            &[there, ("OTEL_SDK_DISABLED", "True")],
            &[there, ("OTEL_TRACES_EXPORTER", "none")],
        ] {
            assert_eq!(settings(variables), Ok(None), "{variables:?}");
        }
        let found = settings(&[there, ("OTEL_SDK_DISABLED", "false")]).unwrap();
        assert_eq!(found.unwrap().collector, "http://here:4318/");
    }

    #[test]
    fn variables_for_traces_take_precedence() {
        let found = settings(&[
            (ENDPOINT, "http://all:4318/base"),
            (
                "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
                "https://traces/v1/traces",
            ),
            ("OTEL_EXPORTER_OTLP_TIMEOUT", "250"),
            ("OTEL_EXPORTER_OTLP_CERTIFICATE", "/ca.pem"),
            ("OTEL_EXPORTER_OTLP_PROTOCOL", PROTOCOL),
        ]);
        let expected = Settings {
            collector: "https://traces/".parse().unwrap(),
            timeout: Duration::from_millis(250),
            certificate: Some("/ca.pem".to_owned()),
        };
        assert_eq!(found, Ok(Some(expected)));
    }

    #[test]
    fn unsupported_settings_are_named() {
        let grpc = ("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc");
        let refused = settings(&[(ENDPOINT, "http://here:4317"), grpc]).unwrap_err();
        assert!(
            refused.starts_with("unsupported protocol `grpc` in OTEL_EXPORTER_OTLP_PROTOCOL"),
            "{refused}"
        );
        for endpoint in ["here:4318", "http://", "ftp://here", "unix:///run/x"] {
            let refused = settings(&[(ENDPOINT, endpoint)]).unwrap_err();
            assert!(refused.contains(ENDPOINT), "{refused}");
        }
    }
}
