//! Reviews as API servers send them: over TLS and HTTP/1.1, which is all that they speak to
//! webhooks, on connections that stay, one review at a time on each.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustls::pki_types::ServerName;
use rustls::{ClientConfig, ClientConnection, StreamOwned};

/// The number of connections that client-go keeps open to one host.
const CONNECTIONS: u32 = 25;

/// The request to send, and its target.
pub struct Load {
    pub port: u16,
    pub tls: Arc<ClientConfig>,
    /// A whole HTTP request.
    pub request: Vec<u8>,
}

/// The responses to the load.
pub struct Answers {
    /// For each second.
    pub rate: f64,
    /// Longer than it was to take when the answers did not keep up.
    pub took: Duration,
    /// Sorted.
    latencies: Vec<Duration>,
}

impl Answers {
    /// Returns the time within which a part of all reviews was answered; `part` is from 0 to 1.
    pub fn within(&self, part: f64) -> Duration {
        #[allow(
            clippy::cast_possible_truncation,
            clippy::cast_precision_loss,
            clippy::cast_sign_loss,
            reason = "a position in the list"
        )]
        let at = (self.latencies.len() as f64 * part) as usize;
        self.latencies[at.min(self.latencies.len() - 1)]
    }
}

impl Load {
    /// Sends `rate` reviews a second, all in all, or as many as are answered. A review that has to
    /// wait for the answer to the one before counts from when it was due.
    pub fn send(&self, rate: Option<u32>, time: Duration) -> Answers {
        let every = rate.map(|rate| Duration::from_secs(1) * CONNECTIONS / rate);
        let start = Instant::now() + Duration::from_millis(200);
        let latencies: Vec<_> = std::thread::scope(|scope| {
            let connections: Vec<_> = (0..CONNECTIONS)
                .map(|n| {
                    let begin = start + every.unwrap_or_default() * n / CONNECTIONS;
                    scope.spawn(move || self.converse(begin, every, start + time))
                })
                .collect();
            let latencies = connections.into_iter();
            latencies
                .flat_map(|connection| connection.join().unwrap())
                .collect()
        });
        let mut latencies = latencies;
        latencies.sort_unstable();
        let count = u32::try_from(latencies.len()).unwrap();
        let took = start.elapsed();
        Answers {
            rate: f64::from(count) / took.as_secs_f64(),
            took,
            latencies,
        }
    }

    /// One connection; each latency.
    fn converse(&self, begin: Instant, every: Option<Duration>, end: Instant) -> Vec<Duration> {
        let mut stream = self.connect();
        let mut latencies = Vec::new();
        self.ask(&mut stream);
        let mut due = begin;
        while due < end {
            let free = Instant::now();
            if due > free {
                std::thread::sleep(due - free);
            }
            let from = if due > free || every.is_none() {
                Instant::now()
            } else {
                due
            };
            self.ask(&mut stream);
            let now = Instant::now();
            latencies.push(now - from);
            due = every.map_or(now, |every| due + every);
        }
        latencies
    }

    fn connect(&self) -> Connection {
        let name = ServerName::try_from("localhost").unwrap();
        let client = ClientConnection::new(self.tls.clone(), name).unwrap();
        let stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_nodelay(true).unwrap();
        BufReader::new(StreamOwned::new(client, stream))
    }

    /// Sends the review and expects a yes.
    fn ask(&self, stream: &mut Connection) {
        stream.get_mut().write_all(&self.request).unwrap();
        let (mut line, mut length) = (String::new(), 0);
        stream.read_line(&mut line).unwrap();
        assert!(line.starts_with("HTTP/1.1 200"), "{line}");
        while line != "\r\n" {
            line.clear();
            stream.read_line(&mut line).unwrap();
            let lower = line.to_ascii_lowercase();
            if let Some(value) = lower.strip_prefix("content-length:") {
                length = value.trim().parse().unwrap();
            }
        }
        let mut body = vec![0; length];
        stream.read_exact(&mut body).unwrap();
        let yes = br#""allowed":true"#;
        assert!(body.windows(yes.len()).any(|part| part == yes));
    }
}

type Connection = BufReader<StreamOwned<ClientConnection, TcpStream>>;
