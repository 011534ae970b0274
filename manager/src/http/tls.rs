//! The certificate that a server shows, and how it comes by it: from a directory, read again when it
//! changes, or made here.

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
use crate::metrics::{Labels, shown};

/// How often the files are looked at.
const LOOK: Duration = Duration::from_secs(10);

/// Makes TLS streams of connections; of those that speak something else it makes nothing.
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

/// Only HTTP/1.1 is offered: API servers speak nothing else to webhooks, and HTTP/2 has more ways to
/// keep a server busy.
pub(crate) fn config(certificate: &Arc<Certificate>) -> Result<Arc<ServerConfig>> {
    let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()?
        .with_no_client_auth()
        .with_cert_resolver(certificate.clone());
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(Arc::new(config))
}

/// When the certificates end that servers show. Cheap to clone; all clones are one.
#[derive(Clone, Debug, Default)]
pub(crate) struct Expirations(Family<Labels<1>, Gauge>);

impl Expirations {
    pub fn register(registry: &mut Registry) -> Self {
        let help = "When the certificate of a server ends, in seconds since the Unix epoch";
        Self(shown(
            registry,
            "certificate_expiration_timestamp_seconds",
            help,
        ))
    }

    /// Of the server that is called so.
    pub fn of(&self, server: &'static str) -> Arc<Certificate> {
        Arc::new(Certificate {
            current: RwLock::default(),
            expirations: self.clone(),
            server,
        })
    }
}

/// The certificate of a server. New connections get the one that was shown last; before the first
/// one there are none.
#[derive(Debug, Default)]
pub(crate) struct Certificate {
    current: RwLock<Option<Arc<CertifiedKey>>>,
    expirations: Expirations,
    server: &'static str,
}

impl Certificate {
    /// Shows it to all connections from now on.
    pub fn show(&self, pair: CertifiedKey) {
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

/// One that vouches for itself, for `localhost` and `name`: it encrypts, and a client has to be told
/// not to verify it. It is made anew at each start and never ends.
pub(crate) fn self_signed(name: &str) -> Result<CertifiedKey> {
    let names = ["localhost".to_owned(), name.to_owned()];
    let made = rcgen::generate_simple_self_signed(names)?;
    pair(&made.cert.pem(), &made.signing_key.serialize_pem())
        .map_err(|error| Error::new("NoCertificate", error))
}

/// A certificate with its chain, and its key, both in PEM.
pub(crate) fn pair(chain: &str, key: &str) -> Result<CertifiedKey, String> {
    let chain = CertificateDer::pem_slice_iter(chain.as_bytes()).collect::<Result<Vec<_>, _>>();
    let chain = chain.map_err(|error| error.to_string())?;
    let key = PrivateKeyDer::from_pem_slice(key.as_bytes()).map_err(|error| error.to_string())?;
    CertifiedKey::from_der(chain, key, &ring::default_provider()).map_err(|error| error.to_string())
}

/// The two files of a certificate, and the flag that named them.
pub(crate) struct Files {
    flag: &'static str,
    chain: PathBuf,
    key: PathBuf,
}

impl Files {
    pub fn new(flag: &'static str, dir: &Path, chain: &str, key: &str) -> Self {
        Self {
            flag,
            chain: dir.join(chain),
            key: dir.join(key),
        }
    }

    /// What they hold now.
    pub fn read(&self) -> Result<CertifiedKey> {
        let wrong = |path: &Path, error: &dyn Display| {
            let text = format!("{}: {}: {error}", self.flag, path.display());
            Error::new("BadCertificate", text)
        };
        let text = |path: &Path| std::fs::read_to_string(path).map_err(|error| wrong(path, &error));
        pair(&text(&self.chain)?, &text(&self.key)?).map_err(|error| wrong(&self.key, &error))
    }

    /// Shows what they hold for as long as it is polled. A pair that does not fit (half written,
    /// say) is left aside until it does.
    pub async fn follow(self, certificate: Arc<Certificate>) {
        let mut seen = [modified(&self.chain), modified(&self.key)];
        loop {
            tokio::time::sleep(LOOK).await;
            let now = [modified(&self.chain), modified(&self.key)];
            if now != seen && self.take_over(&certificate) {
                seen = now;
            }
        }
    }

    /// Whether the files hold a pair that fits, which is then shown.
    fn take_over(&self, certificate: &Certificate) -> bool {
        let flag = self.flag;
        match self.read() {
            Ok(new) => {
                certificate.show(new);
                tracing::info!("{flag}: the certificate was replaced");
                true
            }
            Err(error) => {
                tracing::warn!(%error, "{flag}: the new certificate is not usable, keeping the old one");
                false
            }
        }
    }
}

/// Of the file itself, not of a link to it: mounted Secrets are swapped by changing a link.
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
        certificate.show(self_signed("op").unwrap());
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
        let (files, certificate) = (files(&dir), Certificate::default());
        certificate.show(files.read().unwrap());
        assert_eq!(der(&certificate), first);

        std::fs::write(&files.chain, "half").unwrap();
        assert!(!files.take_over(&certificate));
        assert_eq!(der(&certificate), first, "a broken file changes nothing");

        let second = write_pair(&dir);
        assert!(files.take_over(&certificate));
        assert_eq!(der(&certificate), second);
        std::fs::remove_dir_all(dir).unwrap();
    }
}
