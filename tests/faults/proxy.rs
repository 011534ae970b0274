//! A proxy on loopback between an operator and the API server: it answers in its place, delays, or
//! cuts.
//!
//! Each connection carries one request, because it tells the API server to close it afterwards.

use std::io::{Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::path::Path;
use std::sync::mpsc::Receiver;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};
use serde_json::json;

/// The treatment of a request.
pub enum Verdict {
    Pass,
    /// An answer of the proxy's own.
    Answer(u16),
    /// No answer at all, and the end of the connection.
    Cut,
    /// The API server gets it, but its answer is lost.
    Swallow,
    /// The API server grants it, nothing more comes, and the connection stays.
    Freeze,
    Delay(Duration),
    /// The request reaches the API server when the sender is dropped, even if the client no longer
    /// waits for the response.
    Hold(Receiver<()>),
}

/// A request and how it went.
#[derive(Clone, Debug)]
pub struct Exchange {
    pub method: String,
    pub target: String,
    /// 0 where there was no answer.
    pub status: u16,
    /// True if a watch reported that its history is gone.
    pub expired: bool,
    /// The body of the response to a list or watch of a shard.
    pub share: String,
}

type Rule = Box<dyn FnMut(&str, &str) -> Verdict + Send>;

#[derive(Clone)]
pub struct Proxy {
    pub url: String,
    upstream: String,
    tls: Arc<ClientConfig>,
    rule: Arc<Mutex<Rule>>,
    open: Arc<Mutex<Vec<TcpStream>>>,
    exchanges: Arc<Mutex<Vec<Exchange>>>,
}

impl Proxy {
    /// Starts a proxy of the API server at `server`, whose keys are in `dir`. It ends with the
    /// test.
    pub fn start(dir: &Path, server: &str) -> Self {
        let ca = CertificateDer::from_pem_file(dir.join("pki/ca.crt")).unwrap();
        let mut roots = RootCertStore::empty();
        roots.add(ca).unwrap();
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let tls = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_root_certificates(roots)
            .with_no_client_auth();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let proxy = Self {
            url: format!("http://{}", listener.local_addr().unwrap()),
            upstream: server.trim_start_matches("https://").to_owned(),
            tls: Arc::new(tls),
            rule: Arc::new(Mutex::new(Box::new(|_, _| Verdict::Pass))),
            open: Arc::default(),
            exchanges: Arc::default(),
        };
        let copy = proxy.clone();
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let proxy = copy.clone();
                thread::spawn(move || proxy.serve(stream));
            }
        });
        proxy
    }

    /// From now on `rule` decides, by method and target.
    pub fn set(&self, rule: impl FnMut(&str, &str) -> Verdict + Send + 'static) {
        *self.rule.lock().unwrap() = Box::new(rule);
    }

    /// Ends all connections, most of them in the middle of a watch.
    pub fn cut(&self) {
        for stream in self.open.lock().unwrap().drain(..) {
            let _ = stream.shutdown(Shutdown::Both);
        }
    }

    pub fn exchanges(&self) -> Vec<Exchange> {
        self.exchanges.lock().unwrap().clone()
    }

    fn serve(&self, mut client: TcpStream) {
        let Some((head, body)) = read_request(&mut client) else {
            return;
        };
        let mut words = head.split(' ');
        let (method, target) = (
            words.next().unwrap_or_default(),
            words.next().unwrap_or_default(),
        );
        let verdict = (self.rule.lock().unwrap())(method, target);
        let number = {
            let mut exchanges = self.exchanges.lock().unwrap();
            exchanges.push(Exchange {
                method: method.into(),
                target: target.into(),
                status: 0,
                expired: false,
                share: String::new(),
            });
            exchanges.len() - 1
        };
        match verdict {
            Verdict::Cut => {}
            Verdict::Answer(code) => {
                self.exchanges.lock().unwrap()[number].status = code;
                let _ = client.write_all(refusal(code).as_bytes());
            }
            Verdict::Delay(time) => {
                thread::sleep(time);
                self.forward(&head, &body, client, number, true);
            }
            Verdict::Hold(released) => {
                let _ = released.recv();
                self.forward(&head, &body, client, number, true);
            }
            Verdict::Freeze => self.freeze(&head, &client, number),
            Verdict::Swallow => self.forward(&head, &body, client, number, false),
            Verdict::Pass => self.forward(&head, &body, client, number, true),
        }
    }

    /// Stops the transport on a connection without closing it, as if a router had forgotten the
    /// connection.
    fn freeze(&self, head: &str, client: &TcpStream, number: usize) {
        self.exchanges.lock().unwrap()[number].status = 200;
        let granted = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n";
        let mut client = client;
        let _ = client.write_all(granted.as_bytes());
        debug_assert!(head.contains("watch=true"), "{head}");
        self.open.lock().unwrap().push(client.try_clone().unwrap());
        // Until the other side gives up.
        let _ = client.read(&mut [0]);
    }

    fn forward(&self, head: &str, body: &[u8], mut client: TcpStream, number: usize, answer: bool) {
        let Ok(upstream) = TcpStream::connect(&self.upstream) else {
            return;
        };
        let mut open = self.open.lock().unwrap();
        open.extend([client.try_clone().unwrap(), upstream.try_clone().unwrap()]);
        drop(open);
        let name = ServerName::try_from("127.0.0.1").unwrap();
        let session = ClientConnection::new(self.tls.clone(), name).unwrap();
        let mut upstream = StreamOwned::new(session, upstream);
        let head = head.replacen("\r\n", "\r\nconnection: close\r\n", 1);
        if upstream
            .write_all(&[head.as_bytes(), body].concat())
            .is_err()
        {
            return;
        }
        let mut buffer = [0; 16384];
        let mut first = true;
        while let Ok(count @ 1..) = upstream.read(&mut buffer) {
            let text = String::from_utf8_lossy(&buffer[..count]);
            let exchange = &mut self.exchanges.lock().unwrap()[number];
            if first {
                exchange.status = text
                    .get(9..12)
                    .and_then(|code| code.parse().ok())
                    .unwrap_or(0);
            }
            if exchange.target.contains("shardSelector=") {
                exchange.share += &text;
            }
            exchange.expired |= text.contains("\"code\":410");
            first = false;
            if !answer || client.write_all(&buffer[..count]).is_err() {
                break;
            }
        }
        let _ = client.shutdown(Shutdown::Both);
    }
}

/// The head with its last blank line, and the body.
fn read_request(client: &mut TcpStream) -> Option<(String, Vec<u8>)> {
    let mut bytes = Vec::new();
    let mut buffer = [0; 16384];
    loop {
        let count = client.read(&mut buffer).ok().filter(|count| *count > 0)?;
        bytes.extend_from_slice(&buffer[..count]);
        let Some(end) = bytes.windows(4).position(|part| part == b"\r\n\r\n") else {
            continue;
        };
        let head = String::from_utf8_lossy(&bytes[..end + 4]).into_owned();
        let lower = head.to_lowercase();
        let length = lower
            .lines()
            .find_map(|line| line.strip_prefix("content-length: "));
        let length: usize = length.map_or(0, |length| length.trim().parse().unwrap());
        if bytes.len() >= end + 4 + length {
            return Some((head, bytes[end + 4..].to_vec()));
        }
    }
}

fn refusal(code: u16) -> String {
    let reason = match code {
        500 => "InternalError",
        409 => "Conflict",
        410 => "Expired",
        429 => "TooManyRequests",
        _ => "ServiceUnavailable",
    };
    let body = json!({
        "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure",
        "message": "the proxy says so", "reason": reason, "code": code,
    })
    .to_string();
    let length = body.len();
    format!(
        "HTTP/1.1 {code} {reason}\r\ncontent-type: application/json\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}"
    )
}
