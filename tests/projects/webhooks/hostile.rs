//! Requests of an attacker who reaches the port of the webhooks: they must not affect the API
//! server's reviews or exhaust the operator's memory.

use std::fmt::Display;
use std::fs;
use std::io::{ErrorKind, Read as _, Write as _};
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use rustls::crypto::ring;
use rustls::pki_types::{CertificateDer, ServerName, pem::PemObject as _};
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};

use super::place::{Place, Replica};
use crate::story::turn;

const HOST: &str = "webhooks-operator-webhook-service.webhooks-operator-system.svc";
const PATH: &str = "/validate-my-domain-v1alpha1-lolcow";
/// More than the server has places for.
const CROWD: usize = 550;
/// The limit of the container in config/manager.
const MEMORY_KIB: u64 = 128 << 10;
const MIB: usize = 1 << 20;

type Stream = StreamOwned<ClientConnection, TcpStream>;

/// An attacker who reaches the port.
struct Attacker {
    port: u16,
    roots: RootCertStore,
}

impl Attacker {
    fn new(place: &Place, port: u16) -> Self {
        let authority = place.ok("$KUBECTL -n webhooks-operator-system get secret webhooks-operator-webhook-certificate -o 'go-template={{index .data \"ca.crt\" | base64decode}}'");
        let mut roots = RootCertStore::empty();
        let authority = CertificateDer::from_pem_slice(authority.as_bytes()).unwrap();
        roots.add(authority).unwrap();
        Self { port, roots }
    }

    fn connect(&self, protocols: &[&[u8]]) -> std::io::Result<Stream> {
        let provider = Arc::new(ring::default_provider());
        let mut config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_root_certificates(self.roots.clone())
            .with_no_client_auth();
        config.alpn_protocols = protocols.iter().map(|name| name.to_vec()).collect();
        let name = ServerName::try_from(HOST).unwrap();
        let mut client = ClientConnection::new(Arc::new(config), name).unwrap();
        let mut stream = TcpStream::connect(("127.0.0.1", self.port))?;
        stream.set_read_timeout(Some(Duration::from_secs(30)))?;
        client.complete_io(&mut stream)?;
        Ok(StreamOwned::new(client, stream))
    }

    /// The first line of the answer to `request`; empty when there is none.
    fn answer(&self, request: &[u8]) -> String {
        let mut stream = self.connect(&[]).unwrap();
        let sent = stream.write_all(request).and_then(|()| stream.flush());
        let mut bytes = [0; 1024];
        // who is refused while he still speaks may find the connection closed
        let length = stream.read(&mut bytes).unwrap_or_default();
        drop(sent);
        let text = String::from_utf8_lossy(&bytes[..length]);
        text.lines().next().unwrap_or_default().to_owned()
    }

    /// Connections that all begin with `opening` and say no more. Some may be closed at once.
    fn crowd(&self, opening: &[u8]) -> Vec<Stream> {
        let connect = |_| {
            let mut stream = self.connect(&[]).ok()?;
            stream.write_all(opening).ok()?;
            Some(stream)
        };
        (0..CROWD).filter_map(connect).collect()
    }

    /// Writes `frames` again and again, and returns how many bytes were taken.
    fn flood(&self, preface: &[u8], frames: &[u8]) -> usize {
        let mut stream = self.connect(&[]).unwrap();
        let end = Instant::now() + Duration::from_secs(3);
        let mut taken = 0;
        let mut send = |bytes: &[u8]| match stream.write_all(bytes) {
            Ok(()) => {
                taken += bytes.len();
                true
            }
            Err(error) => {
                assert_ne!(error.kind(), ErrorKind::WouldBlock, "{error}");
                false
            }
        };
        if send(preface) {
            while Instant::now() < end && send(frames) {}
            assert!(Instant::now() < end, "the server never closed");
        }
        taken
    }
}

fn post(headers: impl Display, body: impl Display) -> Vec<u8> {
    format!("POST {PATH}?timeout=30s HTTP/1.1\r\nHost: {HOST}\r\n{headers}\r\n\r\n{body}").into()
}

fn json(body: &str) -> Vec<u8> {
    let headers = format!(
        "Content-Type: application/json\r\nContent-Length: {}",
        body.len()
    );
    post(headers, body)
}

fn frame(kind: u8, flags: u8, stream: u8, payload: &[u8]) -> Vec<u8> {
    let length = u8::try_from(payload.len()).unwrap();
    [&[0, 0, length, kind, flags, 0, 0, 0, stream][..], payload].concat()
}

#[test]
fn hostile_clients_disturb_nobody() {
    let _turn = turn("webhooks");
    let place = Place::new();
    let replica = Replica::start(&place);
    replica.becomes_ready();
    place.ask(replica.webhooks);
    place.answers();
    let attacker = Attacker::new(&place, replica.webhooks);

    let (over, asked) = (AtomicBool::new(false), AtomicUsize::new(0));
    let failures = std::thread::scope(|scope| {
        let reviews = scope.spawn(|| {
            let mut failures = Vec::new();
            while !over.load(Ordering::Relaxed) {
                let ran = place.lolcow("create --dry-run=server", "load", "");
                asked.fetch_add(1, Ordering::Relaxed);
                failures.extend((ran.code != Some(0)).then_some(ran.stderr));
            }
            failures
        });
        let attacks = scope.spawn(|| {
            refused(&attacker);
            http_2(&attacker);
            crowds(&attacker, &|| asked.load(Ordering::Relaxed));
        });
        let attacks = attacks.join();
        over.store(true, Ordering::Relaxed);
        attacks.unwrap();
        reviews.join().unwrap()
    });
    assert!(failures.is_empty(), "{failures:#?}");
    let peak = peak_kib(replica.child.id());
    assert!(peak < MEMORY_KIB, "{peak} KiB");
}

/// A request that is not a review gets a response that explains the reason.
fn refused(attacker: &Attacker) {
    let chunk = format!("{MIB:x}\r\n{}\r\n", " ".repeat(MIB)).repeat(8);
    let deep = "[".repeat(100_000);
    for (request, status) in [
        (json(""), "400"),
        (json("{"), "400"),
        (json("\u{0}"), "400"),
        (json("{\"kind\": \"Pod\", \"apiVersion\": \"v1\"}"), "400"),
        (json(&deep), "400"),
        (
            post("Content-Type: text/plain\r\nContent-Length: 2", "{}"),
            "415",
        ),
        (post("Content-Length: 2", "{}"), "415"),
        (
            format!("GET {PATH} HTTP/1.1\r\nHost: {HOST}\r\n\r\n").into(),
            "405",
        ),
        (
            format!("POST /elsewhere HTTP/1.1\r\nHost: {HOST}\r\nContent-Length: 0\r\n\r\n").into(),
            "404",
        ),
        (
            post(
                "Content-Type: application/json\r\nContent-Length: 8000000",
                "",
            ),
            "413",
        ),
        (
            post("Content-Type: application/json\r\nContent-Length: 100", "{"),
            "408",
        ),
        (post("Content-Length: -1", ""), "400"),
    ] {
        let answer = attacker.answer(&request);
        let shown = String::from_utf8_lossy(&request[..request.len().min(300)]);
        assert!(
            answer.contains(status),
            "{status} is not {answer:?} for {shown}"
        );
    }
    for request in [
        post(
            "Content-Type: application/json\r\nTransfer-Encoding: chunked",
            chunk,
        ),
        post(format!("X: {}", "x".repeat(MIB)), ""),
        post("X: x\r\n".repeat(1000), ""),
    ] {
        let answer = attacker.answer(&request);
        assert!(answer.is_empty() || answer.contains(" 4"), "{answer}");
    }
}

/// HTTP/2 is not spoken: its floods end with the first frames.
fn http_2(attacker: &Attacker) {
    let refused = attacker.connect(&[b"h2"]).unwrap_err().to_string();
    assert!(refused.contains("NoApplicationProtocol"), "{refused}");
    let preface = [
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        &frame(4, 0, 0, &[])[..],
    ]
    .concat();
    let get = [0x82, 0x84, 0x87];
    let reset = [frame(1, 5, 1, &get), frame(3, 0, 1, &[0, 0, 0, 8])].concat();
    let streams = frame(1, 4, 1, &get);
    let continuation = [frame(1, 0, 1, &get), frame(9, 0, 1, &[0; 200])].concat();
    let settings = frame(4, 0, 0, &[0, 3, 0, 0, 0, 1]);
    for frames in [reset, streams, continuation, settings] {
        let taken = attacker.flood(&preface, &frames.repeat(100));
        // what the system had buffered before the server closed
        assert!(taken < 32 * MIB, "{taken} bytes were taken");
    }
}

/// Crowds that wait: for the first word, within a head, within a body small or large, after an
/// answer.
fn crowds(attacker: &Attacker, asked: &dyn Fn() -> usize) {
    let half = "Content-Type: application/json\r\nContent-Length: 7000000";
    for opening in [
        Vec::new(),
        format!("POST {PATH} HTTP/1.1\r\nHost:").into(),
        post(half, "{"),
        post(half, " ".repeat(100_000)),
        b"GET / HTTP/1.1\r\nHost: x\r\n\r\n".to_vec(),
    ] {
        let crowd = attacker.crowd(&opening);
        assert!(crowd.len() > CROWD / 2, "{}", crowd.len());
        let before = asked();
        std::thread::sleep(Duration::from_secs(6));
        assert!(asked() > before, "no review was answered");
    }
}

fn peak_kib(pid: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    peak.unwrap()
        .trim()
        .trim_end_matches(" kB")
        .parse()
        .unwrap()
}
