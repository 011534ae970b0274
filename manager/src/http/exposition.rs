//! The `/metrics` endpoint, in the `OpenMetrics` format or in the older Prometheus text format,
//! depending on the request.

use std::{collections::HashMap, fmt::Write as _};

use http::{
    HeaderMap, HeaderValue, Request, Response, StatusCode,
    header::{ACCEPT, CONTENT_TYPE},
};
use http_body_util::Full;
use hyper::body::Bytes;
use prometheus_client::{metrics::info::Info, registry::Registry};

use crate::http::{process_metrics::Process, server};
use crate::metrics;

const OPEN_METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";
const CLASSIC: &str = "text/plain; version=0.0.4; charset=utf-8";

/// Returns a registry with the metrics of the process and the operator's version.
pub(crate) fn registry(operator: &str, version: &str) -> Registry {
    let mut registry = Registry::default();
    let labels = vec![
        ("operator", operator.to_owned()),
        ("version", version.to_owned()),
    ];
    let help = "Name and version of the operator";
    registry.register("operator_build", help, Info::new(labels));
    registry.register_collector(Box::new(Process));
    registry
}

/// Responds to a request with the metrics in `figures`: 404 for a path other than `/metrics`, and
/// 405 for a method other than GET and HEAD.
pub(crate) fn answer<B>(figures: &Registry, request: &Request<B>) -> Response<Full<Bytes>> {
    if request.uri().path() != "/metrics" {
        return server::text(
            StatusCode::NOT_FOUND,
            "not found; this server serves /metrics\n".to_owned(),
        );
    }
    if let Some(refused) = server::refuse_method(request, server::READING) {
        return refused;
    }
    let open = metrics::text(figures);
    let (type_, text) = if wants_open_metrics(request.headers()) {
        (OPEN_METRICS, open)
    } else {
        (CLASSIC, classic(&open))
    };
    let mut response = server::text(StatusCode::OK, text);
    let type_ = HeaderValue::from_static(type_);
    response.headers_mut().insert(CONTENT_TYPE, type_);
    response
}

/// Returns true if the `Accept` header has `OpenMetrics` 1.0.0 or of any version, and no other
/// format with a higher `q`.
fn wants_open_metrics(headers: &HeaderMap) -> bool {
    let accepted = headers.get_all(ACCEPT).into_iter();
    let ranges = accepted
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','));
    let (mut open, mut other) = (0.0, 0.0);
    for range in ranges {
        let mut parts = range.split(';').map(str::trim);
        let media = parts.next().unwrap_or_default().to_ascii_lowercase();
        let parameters: HashMap<&str, &str> =
            parts.filter_map(|part| part.split_once('=')).collect();
        let liked: f64 = parameters
            .get("q")
            .map_or(1.0, |q| q.parse().unwrap_or(0.0));
        let version = parameters.get("version");
        if media != "application/openmetrics-text" {
            other = liked.max(other);
        } else if version.is_none_or(|version| *version == "1.0.0") {
            open = liked.max(open);
        }
    }
    open > 0.0 && open >= other
}

/// Removes the exemplar from a sample. Only histogram buckets have exemplars, and the older format
/// does not support them.
#[cfg(feature = "otel")]
fn without_exemplar(line: &str) -> &str {
    match line.rsplit_once(" # {trace_id=") {
        Some((sample, _)) if line.contains("_bucket{") => sample,
        _ => line,
    }
}

/// Converts metrics from `OpenMetrics` to the Prometheus text format: counters and infos are named
/// like their samples, types that do not exist there are replaced, and the end marker is removed.
fn classic(open: &str) -> String {
    let comments = |word: &'static str| {
        let lines = open.lines().filter_map(move |line| line.strip_prefix(word));
        lines.filter_map(|rest| rest.split_once(' '))
    };
    let types: HashMap<&str, &str> = comments("# TYPE ").collect();
    let mut text = String::with_capacity(open.len());
    for line in open.lines() {
        let mut words = line.splitn(4, ' ');
        let (Some("#"), Some(word), Some(name), Some(rest)) =
            (words.next(), words.next(), words.next(), words.next())
        else {
            if !line.starts_with('#') {
                #[cfg(feature = "otel")]
                let line = without_exemplar(line);
                text.push_str(line);
                text.push('\n');
            }
            continue;
        };
        let (end, kind) = match types.get(name) {
            Some(&"counter") => ("_total", "counter"),
            Some(&"info") => ("_info", "gauge"),
            Some(&"stateset") => ("", "gauge"),
            Some(&"unknown") | None => ("", "untyped"),
            Some(known) => ("", *known),
        };
        let rest = match word {
            "HELP" => rest,
            "TYPE" => kind,
            _ => continue,
        };
        // writing to a string does not fail
        let _ = writeln!(text, "# {word} {name}{end} {rest}");
    }
    text
}

#[cfg(test)]
mod tests {
    use http_body_util::BodyExt;
    use prometheus_client::metrics::{counter::Counter, gauge::Gauge, histogram::Histogram};

    use super::*;

    async fn scrape(accept: &[&str]) -> (String, String) {
        let mut figures = registry("lolcow-operator", "1.2.3");
        figures.register("moos", "How often", Counter::<u64>::default());
        figures.register("cows", "How many", Gauge::<i64>::default());
        figures.register("seconds", "How long", Histogram::new([1.0]));
        let mut request = Request::builder().uri("/metrics");
        for accept in accept {
            request = request.header(ACCEPT, *accept);
        }
        let answer = answer(&figures, &request.body(()).unwrap());
        let type_ = answer.headers()[CONTENT_TYPE].to_str().unwrap().to_owned();
        let body = answer.into_body().collect().await.unwrap().to_bytes();
        (type_, String::from_utf8(body.to_vec()).unwrap())
    }

    #[test]
    fn metrics_can_only_be_read() {
        let figures = registry("lolcow-operator", "1.2.3");
        let answer = |method| {
            let request = Request::builder().uri("/metrics").method(method);
            answer(&figures, &request.body(()).unwrap())
        };
        for method in ["POST", "PUT", "DELETE", "PATCH", "OPTIONS"] {
            let answer = answer(method);
            assert_eq!(answer.status(), StatusCode::METHOD_NOT_ALLOWED, "{method}");
            assert_eq!(answer.headers()["allow"], "GET, HEAD");
        }
        for method in ["GET", "HEAD"] {
            assert_eq!(answer(method).status(), StatusCode::OK);
        }
    }

    #[tokio::test]
    async fn open_metrics_are_for_those_who_ask_for_them() {
        let prometheus = "application/openmetrics-text;version=1.0.0;q=0.5,\
                          application/openmetrics-text;version=0.0.1;q=0.4,\
                          text/plain;version=0.0.4;q=0.2,*/*;q=0.1";
        for (accept, type_) in [
            (vec![], CLASSIC),
            (vec!["*/*"], CLASSIC),
            (vec!["text/plain"], CLASSIC),
            (vec!["text/plain;version=0.0.4"], CLASSIC),
            (vec!["application/openmetrics-text;q=0"], CLASSIC),
            (vec!["application/openmetrics-text;version=2.0.0"], CLASSIC),
            (
                vec!["application/openmetrics-text; q=0.3, text/plain; q=0.9"],
                CLASSIC,
            ),
            (vec!["application/openmetrics-text"], OPEN_METRICS),
            (
                vec!["text/plain;q=0.5", "Application/OpenMetrics-Text"],
                OPEN_METRICS,
            ),
            (vec![prometheus], OPEN_METRICS),
        ] {
            assert_eq!(scrape(&accept).await.0, type_, "{accept:?}");
        }
    }

    #[tokio::test]
    async fn a_figure_is_called_like_its_samples() {
        let (_, text) = scrape(&["text/plain"]).await;
        for lines in [
            "# TYPE moos_total counter\nmoos_total 0\n",
            "# TYPE operator_build_info gauge\noperator_build_info{operator=\"lolcow-operator\",version=\"1.2.3\"} 1\n",
            "# TYPE cows gauge\ncows 0\n",
            "# TYPE seconds histogram\nseconds_sum 0.0\n",
            "# HELP process_cpu_seconds_total ",
            "process_cpu_seconds_total ",
            "process_resident_memory_bytes ",
            "process_virtual_memory_bytes ",
            "process_start_time_seconds ",
            "process_open_fds ",
            "process_max_fds ",
            "process_threads ",
        ] {
            assert!(text.contains(lines), "{lines} is not in\n{text}");
        }
        assert!(!text.contains("EOF"), "{text}");
        let samples = |text: &str| text.lines().filter(|line| !line.starts_with('#')).count();
        let (_, open) = scrape(&["application/openmetrics-text"]).await;
        assert_eq!(samples(&text), samples(&open));
        assert!(open.ends_with("# EOF\n"), "{open}");
    }
}
