//! The cost of a validation: reviews of updates of a Lolcow, 5000 per second and then as many as
//! possible, with the load generator on the same cores. Compared with a Go operator with the same
//! rules.

use std::fs;
use std::net::{Ipv4Addr, TcpListener};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustls::crypto::ring;
use rustls::{ClientConfig, RootCertStore};
use serde_json::{Value, json};

use crate::beside::{self, Figure};
use crate::load::{Answers, Load};
use crate::operator::{Cluster, crd, go_operator, rust_operator};
use crate::process::{Process, Usage};
use crate::world::World;
use crate::{Bench, runtime};

const RATE: u32 = 5000;
const TIME: Duration = Duration::from_secs(10);

pub fn webhooks(bench: &Bench) {
    let rust = measure(bench, "rust", &rust_operator(bench));
    let go = go_operator().map(|go| measure(bench, "go", &go));
    let bytes = review().len();
    beside::head(&format!("validation of {bytes} bytes"), go.is_some());
    for (n, phase) in rust.iter().enumerate() {
        let peer = go.iter().map(|go| go[n].figures.to_vec());
        beside::print(
            phase.name,
            &[phase.figures.to_vec()],
            &peer.collect::<Vec<_>>(),
        );
    }
}

struct Phase {
    name: &'static str,
    figures: [Figure; 5],
}

/// A server with a certificate of its own, at a pace and flat out.
fn measure(bench: &Bench, name: &str, program: &Path) -> [Phase; 2] {
    let cluster = Cluster::start(bench, name);
    let kubeconfig = cluster.kubeconfig();
    let runtime = runtime();
    runtime.block_on(async {
        let world = World::connect(&kubeconfig).await;
        world.install(&fs::read_to_string(crd()).unwrap()).await;
    });
    let dir = bench.dir.path().join(format!("certificate-{name}"));
    fs::create_dir(&dir).unwrap();
    let port = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))
        .and_then(|listener| listener.local_addr())
        .unwrap()
        .port();
    let load = Load {
        port,
        tls: certificate(&dir),
        request: request(),
    };
    let flags = [
        "--webhook-host=127.0.0.1".to_owned(),
        format!("--webhook-port={port}"),
        format!("--webhook-cert-path={}", dir.display()),
    ];
    let operator = Process::start(program, &kubeconfig, &flags);
    serves(port);
    load.send(Some(RATE), Duration::from_secs(2));
    let phases = [("5000 a second", Some(RATE)), ("flat out", None)].map(|(name, rate)| {
        let before = operator.used();
        let answers = load.send(rate, TIME);
        Phase {
            name,
            figures: figures(&answers, &operator.used().since(&before)),
        }
    });
    operator.stop();
    phases
}

fn figures(answers: &Answers, used: &Usage) -> [Figure; 5] {
    let milliseconds = |part| answers.within(part).as_secs_f64() * 1000.0;
    let peak = f64::from(u32::try_from(used.peak_kib).unwrap()) / 1024.0;
    let cores = used.cpu.as_secs_f64() / answers.took.as_secs_f64();
    [
        ("answers", answers.rate, "/s"),
        ("p50", milliseconds(0.5), "ms"),
        ("p99", milliseconds(0.99), "ms"),
        ("cores in use", cores, ""),
        ("peak memory", peak, "MiB"),
    ]
}

/// Waits until a server listens on the port.
fn serves(port: u16) {
    let start = Instant::now();
    while std::net::TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_err() {
        assert!(start.elapsed() < Duration::from_secs(30), "no webhooks");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Writes `tls.crt` and `tls.key` into `dir`; who asks trusts them.
fn certificate(dir: &Path) -> Arc<ClientConfig> {
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    fs::write(dir.join("tls.crt"), made.cert.pem()).unwrap();
    fs::write(dir.join("tls.key"), made.signing_key.serialize_pem()).unwrap();
    let mut roots = RootCertStore::empty();
    roots.add(made.cert.der().clone()).unwrap();
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    Arc::new(config)
}

fn request() -> Vec<u8> {
    let body = review();
    let head = format!(
        "POST /validate-my-domain-v1alpha1-lolcow?timeout=10s HTTP/1.1\r\nHost: localhost\r\n\
         User-Agent: kube-apiserver-admission\r\nAccept: application/json, */*\r\n\
         Content-Type: application/json\r\nAccept-Encoding: gzip\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    [head.as_bytes(), &body].concat()
}

/// An update as `kubectl apply` makes it, of an object that the operator has seen.
fn review() -> Vec<u8> {
    let kind = json!({"group": "my.domain", "version": "v1alpha1", "kind": "Lolcow"});
    let resource = json!({"group": "my.domain", "version": "v1alpha1", "resource": "lolcows"});
    let review = json!({
        "kind": "AdmissionReview",
        "apiVersion": "admission.k8s.io/v1",
        "request": {
            "uid": "705ab4f5-6393-11e8-b7cc-42010a800002",
            "kind": kind, "resource": resource, "requestKind": kind, "requestResource": resource,
            "name": "cow-1", "namespace": "default", "operation": "UPDATE",
            "userInfo": {
                "username": "jane@example.com",
                "uid": "014fbff9a07c",
                "groups": ["farmers", "system:authenticated"],
                "extra": {"authentication.kubernetes.io/credential-id": ["X509SHA256=0f4c"]}
            },
            "object": lolcow("moo, said the cow", 2),
            "oldObject": lolcow("hello", 1),
            "dryRun": false,
            "options": {"kind": "PatchOptions", "apiVersion": "meta.k8s.io/v1", "fieldManager": "kubectl"}
        }
    });
    serde_json::to_vec(&review).unwrap()
}

fn lolcow(greeting: &str, generation: i64) -> Value {
    let labels: serde_json::Map<_, _> = (0..8)
        .map(|n| {
            (
                format!("example.com/label-{n}"),
                json!("a value of its own"),
            )
        })
        .collect();
    let owned: serde_json::Map<_, _> = labels
        .keys()
        .map(|key| (format!("f:{key}"), json!({})))
        .collect();
    let time = "2026-01-01T00:00:00Z";
    json!({
        "apiVersion": "my.domain/v1alpha1",
        "kind": "Lolcow",
        "metadata": {
            "name": "cow-1", "namespace": "default", "generation": generation,
            "uid": "0a1b2c3d-0000-4000-8000-000000000001", "resourceVersion": "12345",
            "creationTimestamp": time,
            "labels": labels,
            "annotations": {"kubectl.kubernetes.io/last-applied-configuration": "x".repeat(400)},
            "managedFields": [
                {"manager": "kubectl", "operation": "Apply", "apiVersion": "my.domain/v1alpha1",
                 "time": time, "fieldsType": "FieldsV1",
                 "fieldsV1": {"f:metadata": {"f:labels": owned}, "f:spec": {"f:greeting": {}}}},
                {"manager": "lolcow", "operation": "Update", "apiVersion": "my.domain/v1alpha1",
                 "time": time, "fieldsType": "FieldsV1", "subresource": "status",
                 "fieldsV1": {"f:status": {"f:conditions": {"k:{\"type\":\"Ready\"}": {
                    ".": {}, "f:lastTransitionTime": {}, "f:message": {}, "f:reason": {},
                    "f:status": {}, "f:type": {}}}, "f:observedGeneration": {}}}}
            ]
        },
        "spec": {"greeting": greeting},
        "status": {
            "observedGeneration": 1,
            "conditions": [{"type": "Ready", "status": "True", "reason": "Reconciled",
                "message": "the greeting is on show", "lastTransitionTime": time,
                "observedGeneration": 1}]
        }
    })
}
