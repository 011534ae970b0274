//! The content of the certificate's Secret, and its changes over time.
//!
//! A certificate is replaced in two steps, so that no replica ever serves one that an API server
//! does not trust. First, the new certificate is stored in addition to the old one, and both CA
//! certificates are published. Some time after all configurations trust both, the new certificate
//! replaces the old one. As long as a configuration cannot be updated, the old certificate is
//! served, until a day before it expires. The old CA certificate stays published until the next
//! renewal.

use std::{collections::BTreeMap, time::Duration};

use jiff::Timestamp;
use k8s_openapi::{ByteString, api::core::v1::Secret};

use super::issue::{Issued, issue};
use crate::http::tls;

/// The age at which a certificate is renewed.
const RENEW: Duration = days(60);
/// The remaining lifetime at that age, in case no replica is running to renew it.
const SPARE: Duration = days(30);
const LIFETIME: Duration = days(90);
/// Minimum time during which both CA certificates are published before the new certificate is
/// served. Every replica and every API server has noticed them by then.
const OVERLAP: Duration = Duration::from_secs(60);
/// Maximum time that the new certificate waits for that, if a configuration cannot be updated: a
/// day less than [`SPARE`].
const MAX_WAIT: Duration = days(29);

const fn days(days: u64) -> Duration {
    Duration::from_secs(days * 24 * 60 * 60)
}

/// The annotation with the time of the next step of the rotation (RFC 3339). If it is not a valid
/// time, the step is due at once.
const DUE: &str = "webhook-certificate/due";

/// The keys of the Secret: the published CA certificates, the current key pair, and the next one.
const AUTHORITIES: &str = "ca.crt";
const CURRENT: (&str, &str) = ("tls.crt", "tls.key");
const NEXT: (&str, &str) = ("next.crt", "next.key");

/// The content of the Secret.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct CertificateSecret {
    /// The CA certificates, newest first, in PEM.
    pub authorities: String,
    /// The certificate and private key that are served.
    pub current: Pair,
    /// The certificate and private key that will be served next. `None` unless a renewal is in
    /// progress.
    next: Option<Pair>,
    /// The time of the next step.
    due: Timestamp,
}

/// A certificate with its private key.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Pair {
    /// The certificate chain, in PEM.
    pub chain: String,
    /// The private key, in PEM.
    pub key: String,
}

impl CertificateSecret {
    /// Parses `secret`. `None` if it has no CA certificates, or no certificate with a matching
    /// private key. `now` replaces a missing time of the next step.
    pub fn read(secret: &Secret, now: Timestamp) -> Option<Self> {
        let data = secret.data.as_ref()?;
        let text = |key: &str| String::from_utf8(data.get(key)?.0.clone()).ok();
        let pair = |(chain, key): (&str, &str)| {
            let pair = Pair {
                chain: text(chain)?,
                key: text(key)?,
            };
            tls::pair(&pair.chain, &pair.key).ok().map(|_| pair)
        };
        let annotations = secret.metadata.annotations.as_ref();
        let due = annotations.and_then(|all| all.get(DUE)?.parse().ok());
        Some(Self {
            authorities: text(AUTHORITIES).filter(|text| !text.is_empty())?,
            current: pair(CURRENT)?,
            next: pair(NEXT),
            due: due.unwrap_or(now),
        })
    }

    /// Replaces the data of `secret` by this content, and sets the annotation with the time of the
    /// next step.
    pub fn write(&self, secret: &mut Secret) {
        let mut data = BTreeMap::new();
        let mut put = |key: &str, text: &str| {
            data.insert(key.to_owned(), ByteString(text.as_bytes().to_vec()));
        };
        put(AUTHORITIES, &self.authorities);
        put(CURRENT.0, &self.current.chain);
        put(CURRENT.1, &self.current.key);
        if let Some(next) = &self.next {
            put(NEXT.0, &next.chain);
            put(NEXT.1, &next.key);
        }
        secret.data = Some(data);
        let annotations = secret.metadata.annotations.get_or_insert_default();
        annotations.insert(DUE.to_owned(), self.due.to_string());
    }

    /// Issues a first certificate for the DNS names `names`, or a replacement for unusable content.
    /// It is served at once.
    pub fn first(names: &[String], now: Timestamp) -> Result<Self, rcgen::Error> {
        let Issued {
            authority,
            chain,
            key,
        } = issue(names, now.into(), LIFETIME)?;
        Ok(Self {
            authorities: authority,
            current: Pair { chain, key },
            next: None,
            due: now + RENEW,
        })
    }

    /// Returns the content after the next step of the rotation: with a new certificate in addition
    /// to the old one, or with the new one in its place. `None` if no step is due. `trusted_for` is
    /// the time for which all configurations have trusted the CA certificates.
    pub fn step(
        &self,
        names: &[String],
        now: Timestamp,
        trusted_for: Duration,
    ) -> Result<Option<Self>, rcgen::Error> {
        if now < self.due {
            return Ok(None);
        }
        if let Some(next) = self.next.clone() {
            if trusted_for < OVERLAP && now < self.due + MAX_WAIT {
                return Ok(None);
            }
            return Ok(Some(Self {
                authorities: self.authorities.clone(),
                current: next,
                next: None,
                due: now + RENEW,
            }));
        }
        if now > self.due + SPARE {
            // the certificate has expired, so it cannot be replaced in two steps
            return Self::first(names, now).map(Some);
        }
        let Issued {
            authority,
            chain,
            key,
        } = issue(names, now.into(), LIFETIME)?;
        Ok(Some(Self {
            authorities: authority + newest(&self.authorities),
            current: self.current.clone(),
            next: Some(Pair { chain, key }),
            due: now + OVERLAP,
        }))
    }
}

/// Returns the first of several certificates in PEM.
fn newest(authorities: &str) -> &str {
    const END: &str = "-----END CERTIFICATE-----";
    let end = authorities.find(END).map(|at| at + END.len());
    end.map_or("", |end| &authorities[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names() -> Vec<String> {
        vec!["hooks.ns.svc".to_owned()]
    }

    fn certificates(pem: &str) -> usize {
        pem.matches("BEGIN CERTIFICATE").count()
    }

    fn step(content: &CertificateSecret, now: Timestamp) -> Option<CertificateSecret> {
        content.step(&names(), now, OVERLAP).unwrap()
    }

    #[test]
    fn a_renewal_publishes_first_and_serves_later() {
        let now = Timestamp::now();
        let old = CertificateSecret::first(&names(), now).unwrap();
        assert_eq!(certificates(&old.authorities), 1);
        assert_eq!(step(&old, now + RENEW / 2), None);

        let both = step(&old, now + RENEW).unwrap();
        assert_eq!(both.current, old.current);
        assert_eq!(certificates(&both.authorities), 2);
        assert!(both.authorities.ends_with(old.authorities.trim_end()));
        assert_eq!(step(&both, now + RENEW + OVERLAP / 2), None);

        let new = step(&both, now + RENEW + OVERLAP).unwrap();
        assert_eq!(Some(&new.current), both.next.as_ref());
        assert_eq!(
            new.authorities, both.authorities,
            "old pairs are trusted still"
        );
        assert_eq!(new.next, None);

        let again = step(&new, now + RENEW * 2 + OVERLAP).unwrap();
        assert_eq!(certificates(&again.authorities), 2, "the oldest is dropped");
        assert!(!again.authorities.contains(old.authorities.trim_end()));
    }

    #[test]
    fn a_new_certificate_is_served_only_after_clients_trust_it() {
        let now = Timestamp::now();
        let old = CertificateSecret::first(&names(), now).unwrap();
        let both = step(&old, now + RENEW).unwrap();
        let is_served = |now, trusted_for| {
            let next = both.step(&names(), now, trusted_for).unwrap();
            next.is_some_and(|new| new.current != old.current)
        };
        let due = now + RENEW + OVERLAP;
        assert!(!is_served(due, Duration::ZERO));
        assert!(
            !is_served(due + days(1), OVERLAP / 2),
            "published a moment ago"
        );
        assert!(is_served(due + days(1), OVERLAP));
        assert!(
            is_served(now + LIFETIME - days(1) + OVERLAP, Duration::ZERO),
            "the old one is no longer of use"
        );
    }

    #[test]
    fn one_that_ended_is_replaced_at_once() {
        let now = Timestamp::now();
        let old = CertificateSecret::first(&names(), now).unwrap();
        let new = step(&old, now + LIFETIME + OVERLAP).unwrap();
        assert_ne!(new.current, old.current);
    }

    #[test]
    fn the_secret_keeps_all_of_it() {
        let now = Timestamp::now();
        let both = step(
            &CertificateSecret::first(&names(), now).unwrap(),
            now + RENEW,
        )
        .unwrap();
        let mut secret = Secret::default();
        assert_eq!(
            CertificateSecret::read(&secret, now),
            None,
            "an empty one holds nothing"
        );
        both.write(&mut secret);
        assert_eq!(CertificateSecret::read(&secret, now), Some(both.clone()));

        let annotations = secret.metadata.annotations.as_mut().unwrap();
        annotations.insert(DUE.to_owned(), "now".to_owned());
        assert_eq!(CertificateSecret::read(&secret, now).unwrap().due, now);

        let data = secret.data.as_mut().unwrap();
        data.insert("tls.key".to_owned(), ByteString(b"damaged".to_vec()));
        assert_eq!(CertificateSecret::read(&secret, now), None);
    }
}
