//! Downloads with verified checksums.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;
use std::time::Duration;

use sha2::{Digest, Sha256, Sha512};
use ureq::tls::{RootCerts, TlsConfig};
use ureq::{Agent, Body, Timeout, http};

use super::dirs::variable;
use super::error::{Error, Result};
use crate::interrupt::Interrupt;
use crate::progress::Progress;
use crate::terminal::Terminal;
use crate::text::without_secrets;

/// Time limit of a name lookup and of a connection. It is short because the machine may have no
/// network.
const CONNECT: Duration = Duration::from_secs(5);
/// Maximum length of an index or a checksum file, in bytes.
const TEXT_LIMIT: u64 = 32 << 20;
/// The maximum size of a file in bytes, about ten times the largest known one.
const FILE_LIMIT: u64 = 1 << 30;

/// Returns the time limit for each read of a download: the seconds in `RUSTOP_DOWNLOAD_TIMEOUT`, by
/// default 30.
pub fn stall_limit() -> Duration {
    variable("RUSTOP_DOWNLOAD_TIMEOUT")
        .and_then(|seconds| seconds.to_str()?.parse().ok())
        .map_or(Duration::from_secs(30), Duration::from_secs)
}

/// A published checksum, in hexadecimal.
#[derive(Clone, Debug)]
pub enum Checksum {
    /// SHA-256.
    Sha256(String),
    /// SHA-512.
    Sha512(String),
}

/// A client that downloads texts and files.
pub struct Downloader<'a> {
    agent: Agent,
    /// Time limit for each read from a server.
    stall: Duration,
    /// The maximum size of a file in bytes.
    file_limit: u64,
    interrupt: &'a Interrupt,
    terminal: Terminal,
}

impl<'a> Downloader<'a> {
    /// Creates a client that trusts the machine's certificate authorities and uses the proxy of the
    /// environment.
    pub fn new(interrupt: &'a Interrupt, terminal: Terminal) -> Self {
        let stall = stall_limit();
        let tls = TlsConfig::builder()
            .root_certs(RootCerts::PlatformVerifier)
            .build();
        let agent = Agent::config_builder()
            .tls_config(tls)
            .http_status_as_error(false)
            .user_agent(concat!("rustop/", env!("CARGO_PKG_VERSION")))
            .timeout_resolve(Some(CONNECT))
            .timeout_connect(Some(CONNECT))
            .timeout_recv_response(Some(stall))
            .timeout_per_read(Some(stall))
            .build()
            .new_agent();
        Self {
            agent,
            stall,
            file_limit: FILE_LIMIT,
            interrupt,
            terminal,
        }
    }

    /// Downloads a text of at most [`TEXT_LIMIT`] bytes.
    pub fn text(&self, url: &str) -> Result<String> {
        let mut body = self.get(url)?.into_body();
        let reader = body.with_config().limit(TEXT_LIMIT);
        reader
            .read_to_string()
            .map_err(|error| self.broken(url, error))
    }

    /// Downloads a file of at most [`FILE_LIMIT`] bytes to `path`, which must not exist. Returns an
    /// error if the checksum differs. After an error, the file may exist in part; the caller
    /// removes its directory.
    pub fn file(&self, url: &str, checksum: &Checksum, path: &Path) -> Result<()> {
        let response = self.get(url)?;
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let length = response.body().content_length();
        let mut progress = Progress::new(self.terminal, "Downloading", length);
        let mut file = File::create_new(path).map_err(Error::io("create", path))?;
        let mut reader = response
            .into_body()
            .into_with_config()
            .limit(self.file_limit)
            .reader();
        let mut copy = Copy {
            interrupt: self.interrupt,
            path,
            name: &name,
            progress: &mut progress,
        };
        let failed = |error: io::Error| self.broken(url, ureq::Error::from(error));
        let actual = match checksum {
            Checksum::Sha256(_) => copy.hashed::<Sha256>(&mut reader, &mut file, failed),
            Checksum::Sha512(_) => copy.hashed::<Sha512>(&mut reader, &mut file, failed),
        }?;
        let (Checksum::Sha256(expected) | Checksum::Sha512(expected)) = checksum;
        if actual != expected.to_ascii_lowercase() {
            return Err(Error::Checksum {
                url: without_secrets(url),
                expected: expected.clone(),
                actual,
            });
        }
        file.sync_all().map_err(Error::io("write", path))
    }

    fn get(&self, url: &str) -> Result<http::Response<Body>> {
        // A redirect must not lead from https to a server whose answer others can replace.
        let is_secure = url
            .get(..8)
            .is_some_and(|it| it.eq_ignore_ascii_case("https://"));
        let request = self.agent.get(url).config().https_only(is_secure).build();
        let response = request.call().map_err(|error| match error {
            ureq::Error::Timeout(Timeout::RecvResponse | Timeout::RecvBody | Timeout::PerRead) => {
                self.stalled(url)
            }
            error => Error::Unreachable {
                url: without_secrets(url),
                reason: without_secrets(&error.to_string()),
            },
        })?;
        match response.status().as_u16() {
            200 => Ok(response),
            status => Err(Error::HttpStatus {
                url: without_secrets(url),
                status,
            }),
        }
    }

    /// Returns the error for a response that failed after its headers had come.
    fn broken(&self, url: &str, error: ureq::Error) -> Error {
        match error {
            ureq::Error::Timeout(_) => self.stalled(url),
            ureq::Error::BodyExceedsLimit(limit) => Error::TooLarge {
                url: without_secrets(url),
                limit,
            },
            ureq::Error::Io(error) if error.kind() == io::ErrorKind::TimedOut => self.stalled(url),
            ureq::Error::Io(error)
                if matches!(
                    error.kind(),
                    io::ErrorKind::UnexpectedEof | io::ErrorKind::ConnectionReset
                ) =>
            {
                Error::Truncated {
                    url: without_secrets(url),
                }
            }
            error => Error::Unreachable {
                url: without_secrets(url),
                reason: without_secrets(&error.to_string()),
            },
        }
    }

    fn stalled(&self, url: &str) -> Error {
        Error::Stalled {
            url: without_secrets(url),
            seconds: self.stall.as_secs(),
        }
    }
}

struct Copy<'a> {
    interrupt: &'a Interrupt,
    path: &'a Path,
    /// The name in progress lines.
    name: &'a str,
    progress: &'a mut Progress,
}

impl Copy<'_> {
    /// Copies all of `from` and returns its checksum.
    fn hashed<D: Digest>(
        &mut self,
        from: &mut impl Read,
        to: &mut impl Write,
        failed: impl Fn(io::Error) -> Error,
    ) -> Result<String> {
        let mut digest = D::new();
        let mut buffer = vec![0; 64 << 10];
        loop {
            self.interrupt.check()?;
            let count = from.read(&mut buffer).map_err(&failed)?;
            if count == 0 {
                return Ok(hex(&digest.finalize()));
            }
            digest.update(&buffer[..count]);
            to.write_all(&buffer[..count])
                .map_err(Error::io("write", self.path))?;
            self.progress.advance(count, self.name);
        }
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use anstream::ColorChoice;

    use super::*;
    use crate::client::tests::serve_endlessly;
    use crate::error::Failure as _;

    #[test]
    fn an_endless_file_is_refused_at_the_limit() {
        let dir = tempfile::tempdir().unwrap();
        let interrupt = Interrupt::default();
        let mut downloader = Downloader::new(&interrupt, Terminal::new(-1, ColorChoice::Never));
        downloader.file_limit = 1 << 20;
        let head = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";
        let address = serve_endlessly(head, format!("400\r\n{}\r\n", "x".repeat(1024)));
        let url = format!("http://{address}/endless.tar.gz");
        let path = dir.path().join("endless.tar.gz");
        let error = downloader
            .file(&url, &Checksum::Sha256(String::new()), &path)
            .unwrap_err();
        assert_eq!(
            error.to_string(),
            format!("`{url}` sends more than 1048576 bytes, the limit of a download")
        );
        assert!(error.help().unwrap().contains("--from go"));
        assert!(path.metadata().unwrap().len() <= downloader.file_limit);
    }

    #[test]
    fn a_full_disk_error_has_help() {
        let full = Path::new("/dev/full");
        if !full.exists() {
            return;
        }
        let mut progress =
            Progress::new(Terminal::new(-1, ColorChoice::Never), "Downloading", None);
        let mut copy = Copy {
            interrupt: &Interrupt::default(),
            path: full,
            name: "x",
            progress: &mut progress,
        };
        let mut file = File::options().write(true).open(full).unwrap();
        let error = copy
            .hashed::<Sha256>(&mut &b"abc"[..], &mut file, |_| unreachable!())
            .unwrap_err();
        assert_eq!(error.to_string(), "cannot write `/dev/full`");
        assert!(error.help().unwrap().contains("RUSTOP_CACHE"));
    }
}
