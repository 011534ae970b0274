//! TLS certificates of the operator's servers: files, which are read again when they change, or a
//! self-signed one. `webhook/certificate/rotate.rs` provides them from a Secret.

mod not_after;

use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use futures::{FutureExt, future::BoxFuture};
use parking_lot::RwLock;
use prometheus_client::{
    metrics::{family::Family, gauge::Gauge},
    registry::Registry,
};
use rustls::ServerConfig;
use rustls::crypto::ring;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject};
use rustls::server::{ClientHello, ResolvesServerCert};
use rustls::sign::CertifiedKey;
use tokio::net::TcpStream;
use tokio_rustls::{TlsAcceptor, server::TlsStream};

use crate::error::{Error, Result};
use crate::metrics::{Labels, register};

/// Interval between checks of the files.
const CHECK_INTERVAL: Duration = Duration::from_secs(10);

/// Returns a function that performs the TLS handshake of a connection with the current certificate.
/// It returns `None` if the handshake fails.
pub(crate) fn handshake(
    certificate: &Arc<Certificate>,
) -> Result<impl Fn(TcpStream) -> Accepted + Clone + Send + Sync + 'static> {
    let acceptor = TlsAcceptor::from(config(certificate)?);
    Ok(move |connection: TcpStream| {
        let accepted = acceptor.accept(connection);
        async { accepted.await.ok() }.boxed()
    })
}

type Accepted = BoxFuture<'static, Option<TlsStream<TcpStream>>>;

/// Returns the TLS configuration. It offers only HTTP/1.1: API servers use nothing else for
/// webhooks, and HTTP/2 offers clients more ways to keep a server busy.
pub(crate) fn config(certificate: &Arc<Certificate>) -> Result<Arc<ServerConfig>> {
    let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()?
        .with_no_client_auth()
        .with_cert_resolver(certificate.clone());
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(Arc::new(config))
}

/// The metric of the expiration times of certificates, one series per server. It creates the
/// [`Certificate`] of each server, which then reports to it. Clones share the metric.
#[derive(Clone, Debug, Default)]
pub(crate) struct Expirations(Family<Labels<1>, Gauge>);

impl Expirations {
    pub fn register(registry: &mut Registry) -> Self {
        let help = "Expiration time of a server's certificate, in seconds since the Unix epoch";
        Self(register(
            registry,
            "certificate_expiration_timestamp_seconds",
            help,
        ))
    }

    /// Returns an empty [`Certificate`] for a server, whose name becomes a label of the metric.
    /// [`Certificate::replace`] fills it.
    pub fn of(&self, server: &'static str) -> Arc<Certificate> {
        Arc::new(Certificate {
            current: RwLock::default(),
            expirations: self.clone(),
            server,
        })
    }
}

/// A slot for the current certificate of a server. It is empty at first, and new connections fail
/// until [`Self::replace`] is called.
#[derive(Debug, Default)]
pub(crate) struct Certificate {
    /// `None` before the first certificate.
    current: RwLock<Option<Arc<CertifiedKey>>>,
    expirations: Expirations,
    /// The value of the metric's label, such as `metrics` or `webhooks`.
    server: &'static str,
}

impl Certificate {
    /// Replaces the certificate for new connections, and sets the metric to its expiration time.
    pub fn replace(&self, pair: CertifiedKey) {
        if let Some(end) = pair.end_entity_cert().ok().and_then(|it| not_after::of(it)) {
            let by = [("server", self.server.to_owned())];
            self.expirations.0.get_or_create(&by).set(end);
        }
        *self.current.write() = Some(Arc::new(pair));
    }

    fn current(&self) -> Option<Arc<CertifiedKey>> {
        self.current.read().clone()
    }
}

impl ResolvesServerCert for Certificate {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        self.current()
    }
}

/// Returns a new self-signed certificate for `localhost` and `name` that never expires. It provides
/// only encryption: clients must disable verification.
pub(crate) fn self_signed(name: &str) -> Result<CertifiedKey> {
    let names = ["localhost".to_owned(), name.to_owned()];
    let made = rcgen::generate_simple_self_signed(names)?;
    pair(&made.cert.pem(), &made.signing_key.serialize_pem())
        .map_err(|error| Error::new("NoCertificate", error))
}

/// Parses a certificate chain and its private key, both in PEM. The error describes what is wrong,
/// for example that they do not belong together.
pub(crate) fn pair(chain: &str, key: &str) -> Result<CertifiedKey, String> {
    let chain = CertificateDer::pem_slice_iter(chain.as_bytes()).collect::<Result<Vec<_>, _>>();
    let chain = chain.map_err(|error| error.to_string())?;
    let key = PrivateKeyDer::from_pem_slice(key.as_bytes()).map_err(|error| error.to_string())?;
    CertifiedKey::from_der(chain, key, &ring::default_provider()).map_err(|error| error.to_string())
}

/// The certificate and key files, and the flag that specifies them.
pub(crate) struct Files {
    flag: &'static str,
    chain: PathBuf,
    key: PathBuf,
    /// The modification times of the files when they were last read; `None` before that.
    seen: Option<[Option<SystemTime>; 2]>,
}

impl Files {
    /// Returns the files `chain` and `key` in `dir`, the value of the command-line flag `flag`.
    pub fn new(flag: &'static str, dir: &Path, chain: &str, key: &str) -> Self {
        Self {
            flag,
            chain: dir.join(chain),
            key: dir.join(key),
            seen: None,
        }
    }

    /// Reads the certificate chain and the key, both in PEM. The error names the flag and the file.
    pub fn read(&mut self) -> Result<CertifiedKey> {
        // Before the files are read: a replacement in the meantime must be noticed.
        let now = self.modified();
        let wrong = |path: &Path, error: &dyn Display| {
            let text = format!("{}: {}: {error}", self.flag, path.display());
            Error::new("BadCertificate", text)
        };
        let text = |path: &Path| std::fs::read_to_string(path).map_err(|error| wrong(path, &error));
        let pair = pair(&text(&self.chain)?, &text(&self.key)?);
        let pair = pair.map_err(|error| wrong(&self.key, &error))?;
        self.seen = Some(now);
        Ok(pair)
    }

    /// Checks the files every [`CHECK_INTERVAL`] and replaces the certificate if one of them has
    /// changed since [`Self::read`]. An invalid pair of files, for example a partly written one, is
    /// ignored until it is complete. Never returns.
    pub async fn follow(mut self, certificate: Arc<Certificate>) {
        loop {
            tokio::time::sleep(CHECK_INTERVAL).await;
            if self.seen != Some(self.modified()) {
                self.take_over(&certificate);
            }
        }
    }

    /// Replaces the certificate if the files are valid.
    fn take_over(&mut self, certificate: &Certificate) {
        let flag = self.flag;
        match self.read() {
            Ok(new) => {
                certificate.replace(new);
                tracing::info!("{flag}: the certificate was replaced");
            }
            Err(error) => {
                tracing::warn!(%error, "{flag}: the new certificate is invalid, keeping the old one");
            }
        }
    }

    fn modified(&self) -> [Option<SystemTime>; 2] {
        [modified(&self.chain), modified(&self.key)]
    }
}

/// Returns the modification time of the file, not of a symbolic link to it: a mounted Secret is
/// updated by changing a link.
fn modified(path: &Path) -> Option<SystemTime> {
    std::fs::metadata(path)
        .and_then(|data| data.modified())
        .ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(dir: &Path) -> Files {
        Files::new("--metrics-cert-path", dir, "tls.crt", "tls.key")
    }

    fn write_pair(dir: &Path) -> Vec<u8> {
        let made = rcgen::generate_simple_self_signed(["op".to_owned()]).unwrap();
        std::fs::write(dir.join("tls.crt"), made.cert.pem()).unwrap();
        std::fs::write(dir.join("tls.key"), made.signing_key.serialize_pem()).unwrap();
        made.cert.der().to_vec()
    }

    fn der(certificate: &Certificate) -> Vec<u8> {
        certificate.current().unwrap().cert[0].to_vec()
    }

    #[test]
    fn without_files_one_is_made() {
        let certificate = Arc::new(Certificate::default());
        assert!(certificate.current().is_none());
        certificate.replace(self_signed("op").unwrap());
        assert!(!der(&certificate).is_empty());
        config(&certificate).unwrap();
    }

    #[test]
    fn a_missing_file_is_named() {
        let error = files(Path::new("/nowhere")).read().unwrap_err().to_string();
        assert!(error.contains("/nowhere/tls.crt"), "{error}");
    }

    #[test]
    fn replaced_files_are_taken_over() {
        let dir = std::env::temp_dir().join(format!("manager-tls-{}", std::process::id()));
        std::fs::create_dir_all(&dir).unwrap();
        let first = write_pair(&dir);
        let (mut files, certificate) = (files(&dir), Certificate::default());
        certificate.replace(files.read().unwrap());
        assert_eq!(der(&certificate), first);

        std::fs::write(&files.chain, "half").unwrap();
        files.take_over(&certificate);
        assert_eq!(der(&certificate), first, "a broken file changes nothing");

        let second = write_pair(&dir);
        files.take_over(&certificate);
        assert_eq!(der(&certificate), second);
        std::fs::remove_dir_all(dir).unwrap();
    }

    #[tokio::test(start_paused = true)]
    async fn files_replaced_before_the_first_check_are_taken_over() {
        let dir = std::env::temp_dir().join(format!("manager-tls-early-{}", std::process::id()));
        std::fs::create_dir_all(&dir).unwrap();
        write_pair(&dir);
        let long_ago = SystemTime::UNIX_EPOCH + CHECK_INTERVAL;
        for name in ["tls.crt", "tls.key"] {
            let file = std::fs::File::options().append(true).open(dir.join(name));
            file.unwrap().set_modified(long_ago).unwrap();
        }
        let (mut files, certificate) = (files(&dir), Arc::new(Certificate::default()));
        certificate.replace(files.read().unwrap());
        let second = write_pair(&dir);
        let followed =
            tokio::time::timeout(2 * CHECK_INTERVAL, files.follow(certificate.clone())).await;
        followed.unwrap_err();
        assert_eq!(der(&certificate), second);
        std::fs::remove_dir_all(dir).unwrap();
    }
}
