//! Traces of an operator, received as a collector receives them.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::{KeyValue, any_value::Value};
use opentelemetry_proto::tonic::trace::v1::{Span, span::SpanKind, status::StatusCode};
use prost::Message as _;
use rustix::process::Signal;

use crate::cluster::SOON;
use crate::operator::Launch;
use crate::support::until;
use crate::{Cases, Stage};

pub const CASES: Cases = &[
    ("each_reconcile_has_a_trace", tree),
    ("a_collector_that_is_away_harms_nobody", away),
];

const ENDPOINT: &str = "OTEL_EXPORTER_OTLP_ENDPOINT";

/// The attributes of the sender, and the spans.
type Sent = (BTreeMap<String, String>, Vec<Span>);

/// A collector, and what it got.
#[derive(Clone, Default)]
struct Collector(Arc<Mutex<Sent>>);

impl Collector {
    /// Listens until the process ends.
    fn listen(&self, listener: TcpListener) {
        let this = self.clone();
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let this = this.clone();
                thread::spawn(move || while this.answer(&stream).is_some() {});
            }
        });
    }

    /// Responds to one request. Returns `None` at the end of the connection.
    fn answer(&self, mut stream: &TcpStream) -> Option<()> {
        let mut reader = BufReader::new(stream);
        let mut lines = Vec::new();
        loop {
            let mut line = String::new();
            reader.read_line(&mut line).ok().filter(|read| *read > 0)?;
            match line.trim_end() {
                "" => break,
                line => lines.push(line.to_ascii_lowercase()),
            }
        }
        let header = |name: &str| lines.iter().find_map(|line| line.strip_prefix(name));
        assert!(lines[0].starts_with("post /v1/traces "), "{lines:?}");
        assert_eq!(header("content-type: "), Some("application/x-protobuf"));
        assert_eq!(header("x-tenant: "), Some("cows"));
        let length = header("content-length: ").unwrap().parse().unwrap();
        let mut body = vec![0; length];
        reader.read_exact(&mut body).ok()?;
        let sent = ExportTraceServiceRequest::decode(&body[..]).unwrap();
        let mut got = self.0.lock().unwrap();
        for of_one in sent.resource_spans {
            got.0.extend(named(&of_one.resource.unwrap().attributes));
            let spans = of_one.scope_spans.into_iter();
            got.1.extend(spans.flat_map(|scope| scope.spans));
        }
        drop(got);
        write!(stream, "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n").ok()
    }

    fn spans(&self) -> Vec<Span> {
        self.0.lock().unwrap().1.clone()
    }
}

fn named(attributes: &[KeyValue]) -> BTreeMap<String, String> {
    let named = attributes.iter().map(|attribute| {
        let value = attribute.value.clone().and_then(|it| it.value);
        let text = match value {
            Some(Value::StringValue(text)) => text,
            Some(Value::IntValue(number)) => number.to_string(),
            other => format!("{other:?}"),
        };
        (attribute.key.clone(), text)
    });
    named.collect()
}

fn hex(id: &[u8]) -> String {
    id.iter()
        .fold(String::new(), |text, byte| format!("{text}{byte:02x}"))
}

fn is_error(span: &Span) -> bool {
    let status = span.status.as_ref();
    status.is_some_and(|status| status.code() == StatusCode::Error)
}

/// A batch is sent only at the end: the last spans are not lost.
fn tree(stage: &Stage) {
    let place = stage.place();
    let collector = Collector::default();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let endpoint = format!("http://{}", listener.local_addr().unwrap());
    collector.listen(listener);
    let launch = Launch::default()
        .with(ENDPOINT, &endpoint)
        .with("OTEL_EXPORTER_OTLP_HEADERS", &"x-tenant=cows")
        .with("OTEL_RESOURCE_ATTRIBUTES", &"team=cows")
        .with("OTEL_BSP_SCHEDULE_DELAY", &3_600_000)
        .with("LOG_FORMAT", &"json");
    let mut operator = place.operator("alpha", launch);
    operator.is_ready();
    place.create("lolcows", "cow", "moo");
    until("cow is answered", SOON, || place.is_converged());
    place.say("lolcows", "cow", "fail please");
    operator.says("reconcile failed: the message says so");
    let figures = operator.open_metrics();
    operator.signal(Signal::TERM);
    operator.ends();

    let spans = collector.spans();
    let who = collector.0.lock().unwrap().0.clone();
    assert_eq!(who["service.name"], "faults-operator");
    assert_eq!((&*who["team"], &*who["k8s.pod.name"]), ("cows", "alpha"));

    let object = format!("{}/cow", place.namespace);
    let is_of_cow = |span: &&Span| named(&span.attributes).get("object") == Some(&object);
    let roots = spans.iter().filter(|span| span.parent_span_id.is_empty());
    let roots: Vec<&Span> = roots.filter(is_of_cow).collect();
    let first = roots.iter().find(|root| root.name == "lolcow changed");
    let first = first.expect("one that somebody's change led to");
    assert_eq!(first.kind(), SpanKind::Consumer);
    let below = |parent: &Span| {
        let below = spans
            .iter()
            .filter(|span| span.parent_span_id == parent.span_id);
        let mut below: Vec<&Span> = below.collect();
        below.sort_by_key(|span| (span.start_time_unix_nano, span.name != "queue"));
        below
    };
    let children = below(first);
    let [queue, reconcile] = &children[..] else {
        panic!("{children:#?}");
    };
    assert_eq!((&*queue.name, &*reconcile.name), ("queue", "reconcile"));
    let times = [
        first.start_time_unix_nano,
        queue.end_time_unix_nano,
        reconcile.start_time_unix_nano,
        reconcile.end_time_unix_nano,
        first.end_time_unix_nano,
    ];
    assert!(times.is_sorted(), "{times:?}");
    assert_eq!(queue.start_time_unix_nano, first.start_time_unix_nano);
    let requests = below(reconcile);
    let names: Vec<_> = requests.iter().map(|span| &*span.name).collect();
    assert_eq!(names, ["PATCH configmaps", "PATCH lolcows/status"]);
    for request in requests {
        assert_eq!(request.trace_id, first.trace_id);
        assert_eq!(request.kind(), SpanKind::Client);
        let status = named(&request.attributes)["http.response.status_code"].clone();
        assert!(["200", "201"].contains(&&*status), "{status}");
        assert!(!is_error(request), "{request:#?}");
    }

    // The log lines of a failed reconcile contain the id of its trace.
    let of_failed = |span: &&Span| span.name == "reconcile" && is_error(span);
    let failed = spans.iter().find(of_failed).expect("one that failed");
    assert_eq!(named(&failed.attributes)["error.type"], "Told");
    let log = operator.log();
    let line = log.lines().find(|line| line.contains("reconcile failed"));
    let id = format!("\"trace_id\":\"{}\"", hex(&failed.trace_id));
    assert!(line.unwrap().contains(&id), "{id} is not in {line:?}");

    // And of those that took that long one is named.
    let examples = figures.lines().filter_map(|line| {
        let of_time = line.strip_prefix("controller_runtime_reconcile_time_seconds_bucket{")?;
        of_time.split_once(" # {trace_id=\"")?.1.split_once('"')
    });
    let examples: Vec<&str> = examples.map(|(id, _)| id).collect();
    let is_known = |id: &&str| spans.iter().any(|span| hex(&span.trace_id) == **id);
    assert!(!examples.is_empty() && examples.iter().all(is_known));
}

/// Without a collector, the operator works, logs it once, and ends in time.
fn away(stage: &Stage) {
    let place = stage.place();
    let free = TcpListener::bind("127.0.0.1:0").unwrap();
    let nobody = format!("http://{}", free.local_addr().unwrap());
    drop(free);
    let launch = Launch::default()
        .with(ENDPOINT, &nobody)
        .with("OTEL_BSP_SCHEDULE_DELAY", &100);
    let mut operator = place.operator("alpha", launch);
    operator.is_ready();
    place.create("lolcows", "cow", "moo");
    place.converges();
    operator.says("cannot send traces to");
    for message in ["maa", "baa", "moo"] {
        place.say("lolcows", "cow", message);
        place.converges();
    }
    assert!(
        operator
            .metric("controller_runtime_reconcile_time_seconds_bucket")
            .is_some()
    );
    operator.signal(Signal::TERM);
    let (status, _) = operator.ends();
    assert!(status.success(), "{status}");
    let log = operator.log();
    assert_eq!(log.matches("cannot send traces to").count(), 1, "{log}");
    drop(operator);

    let launch = Launch::default()
        .with(ENDPOINT, &"http://collector:4317")
        .with("OTEL_EXPORTER_OTLP_PROTOCOL", &"grpc");
    let operator = place.operator("beta", launch);
    operator.is_ready();
    operator
        .says("tracing is disabled: unsupported protocol `grpc` in OTEL_EXPORTER_OTLP_PROTOCOL");
}
