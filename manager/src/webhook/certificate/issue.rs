//! Certificates for the webhooks. Each is signed by its own CA, whose private key is discarded, so
//! that the CA can never sign another certificate.

use std::time::{Duration, SystemTime};

use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, DistinguishedName, DnType,
    ExtendedKeyUsagePurpose, IsCa, KeyPair, KeyUsagePurpose,
};

/// Validity starts this much earlier, because clocks differ.
const EARLIER: Duration = Duration::from_secs(60 * 60);

/// A serving certificate with its private key, and its CA certificate, in PEM.
pub(crate) struct Issued {
    /// The CA certificate.
    pub authority: String,
    /// The serving certificate, which the CA signed directly.
    pub chain: String,
    /// The private key of the serving certificate.
    pub key: String,
}

/// Issues a certificate for `names`, DNS names or IP addresses. It expires `lifetime` after `now`,
/// as its CA does. The first name becomes the common name.
pub(crate) fn issue(
    names: &[String],
    now: SystemTime,
    lifetime: Duration,
) -> Result<Issued, rcgen::Error> {
    let params = |names: &[String], called: String| {
        let mut params = CertificateParams::new(names)?;
        params.distinguished_name = DistinguishedName::new();
        params.distinguished_name.push(DnType::CommonName, called);
        params.not_before = (now - EARLIER).into();
        params.not_after = (now + lifetime).into();
        Ok::<_, rcgen::Error>(params)
    };
    let called = names.first().cloned().unwrap_or_default();

    let mut authority = params(&[], format!("{called} authority"))?;
    // 0: the CA signs only the serving certificate, no other CA
    authority.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
    authority.key_usages = vec![KeyUsagePurpose::KeyCertSign];
    let authority = CertifiedIssuer::self_signed(authority, KeyPair::generate()?)?;

    let mut server = params(names, called)?;
    server.key_usages = vec![KeyUsagePurpose::DigitalSignature];
    server.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
    let key = KeyPair::generate()?;
    let server = server.signed_by(&key, &authority)?;
    Ok(Issued {
        authority: authority.pem(),
        chain: server.pem(),
        key: key.serialize_pem(),
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use rustls::crypto::ring;
    use rustls::pki_types::{CertificateDer, ServerName, pem::PemObject};
    use rustls::{ClientConfig, ClientConnection, RootCertStore, ServerConnection};

    use super::*;
    use crate::http::tls::{self, Certificate};

    const DAY: Duration = Duration::from_secs(24 * 60 * 60);

    /// Returns `Ok` if a client that trusts `authority` completes a TLS handshake with a server
    /// that uses `issued`.
    fn handshake(authority: &str, issued: &Issued, name: &str) -> Result<(), rustls::Error> {
        let mut roots = RootCertStore::empty();
        roots.add(CertificateDer::from_pem_slice(authority.as_bytes()).unwrap())?;
        let provider = Arc::new(ring::default_provider());
        let client = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()?
            .with_root_certificates(roots)
            .with_no_client_auth();
        let certificate = Arc::new(Certificate::default());
        certificate.replace(tls::pair(&issued.chain, &issued.key).unwrap());
        let config = tls::config(&certificate).unwrap();
        let name = ServerName::try_from(name.to_owned()).unwrap();
        let mut client = ClientConnection::new(Arc::new(client), name)?;
        let mut server = ServerConnection::new(config)?;
        while client.is_handshaking() || server.is_handshaking() {
            let mut bytes = Vec::new();
            client.write_tls(&mut bytes).unwrap();
            server.read_tls(&mut &bytes[..]).unwrap();
            server.process_new_packets()?;
            bytes.clear();
            server.write_tls(&mut bytes).unwrap();
            client.read_tls(&mut &bytes[..]).unwrap();
            client.process_new_packets()?;
        }
        Ok(())
    }

    #[test]
    fn the_authority_verifies_only_its_own_certificate() {
        let names = [
            "hooks.ns.svc".to_owned(),
            "hooks.ns.svc.cluster.local".to_owned(),
        ];
        let (one, other) = (
            issue(&names, SystemTime::now(), DAY).unwrap(),
            issue(&names, SystemTime::now(), DAY).unwrap(),
        );
        for name in &names {
            handshake(&one.authority, &one, name).unwrap();
        }
        assert!(handshake(&one.authority, &one, "elsewhere.ns.svc").is_err());
        assert!(handshake(&other.authority, &one, &names[0]).is_err());
    }

    #[test]
    fn one_that_has_ended_is_not_trusted() {
        let ended = issue(&["hooks".to_owned()], SystemTime::now() - DAY * 2, DAY).unwrap();
        assert!(handshake(&ended.authority, &ended, "hooks").is_err());
    }
}
