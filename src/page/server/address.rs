//! Who may look: whoever knows the key, in a browser on this machine, and no other site's page.

use std::fs::File;
use std::io::Read as _;
use std::net::SocketAddr;

use http::HeaderMap;
use http::header::{HOST, ORIGIN};

use crate::error::Io;

const RANDOM: &str = "/dev/urandom";
/// The bytes of a key.
const KEY: usize = 16;

/// Where the page is, and its key.
#[derive(Clone, Debug)]
pub struct Address {
    socket: SocketAddr,
    key: String,
}

impl Address {
    /// With a key that nobody can guess.
    pub fn new(socket: SocketAddr) -> Result<Self, Io> {
        let mut bytes = [0_u8; KEY];
        let read = File::open(RANDOM).and_then(|mut file| file.read_exact(&mut bytes));
        read.map_err(Io::on("read", RANDOM))?;
        let key = format!("{:032x}", u128::from_be_bytes(bytes));
        Ok(Self { socket, key })
    }

    /// As a browser is told.
    pub fn url(&self) -> String {
        format!("http://{}/?key={}", self.socket, self.key)
    }

    /// Whether a request is meant for this server and comes from its own page. Another site may have a name that
    /// leads to 127.0.0.1, but not this one.
    pub fn is_from_here(&self, headers: &HeaderMap) -> bool {
        let text = |name: &str| headers.get(name).map(|value| value.to_str().unwrap_or("?"));
        let hosts = [
            self.socket.to_string(),
            format!("localhost:{}", self.socket.port()),
        ];
        let is_host = |host: &str| hosts.iter().any(|one| one == host);
        let is_meant = text(HOST.as_str()).is_some_and(is_host);
        let origin = text(ORIGIN.as_str())
            .is_none_or(|origin| origin.strip_prefix("http://").is_some_and(is_host));
        let site = text("sec-fetch-site").is_none_or(|site| matches!(site, "same-origin" | "none"));
        is_meant && origin && site
    }

    /// Whether a query has the key.
    pub fn is_known(&self, query: Option<&str>) -> bool {
        let given = parameter(query, "key").unwrap_or_default();
        // It takes as long, however much of it is right.
        let differ = given
            .bytes()
            .zip(self.key.bytes())
            .fold(0, |all, (a, b)| all | (a ^ b));
        given.len() == self.key.len() && differ == 0
    }
}

/// A parameter of a query. None that is asked for here has anything to decode.
pub fn parameter<'a>(query: Option<&'a str>, name: &str) -> Option<&'a str> {
    let mut pairs = query?.split('&').filter_map(|pair| pair.split_once('='));
    pairs.find(|(key, _)| *key == name).map(|(_, value)| value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address() -> Address {
        Address::new("127.0.0.1:4000".parse().unwrap()).unwrap()
    }

    #[test]
    fn only_the_whole_key_opens() {
        let known = address();
        let url = known.url();
        let (_, query) = url.split_once('?').unwrap();
        assert!(known.is_known(Some(query)));
        assert!(!address().is_known(Some(query)), "each has its own");
        for wrong in [
            None,
            Some(""),
            Some("key="),
            Some(&query[..query.len() - 1]),
        ] {
            assert!(!known.is_known(wrong), "{wrong:?}");
        }
    }

    #[test]
    fn other_hosts_and_other_sites_are_turned_away() {
        let from = |headers: &[(&'static str, &'static str)]| {
            let headers = headers.iter().map(|(name, value)| {
                (
                    http::HeaderName::from_static(name),
                    http::HeaderValue::from_static(value),
                )
            });
            address().is_from_here(&headers.collect())
        };
        let host = ("host", "127.0.0.1:4000");
        assert!(from(&[host]) && from(&[("host", "localhost:4000")]));
        assert!(from(&[
            host,
            ("origin", "http://127.0.0.1:4000"),
            ("sec-fetch-site", "same-origin")
        ]));
        assert!(
            !from(&[])
                && !from(&[("host", "evil.example:4000")])
                && !from(&[("host", "127.0.0.1")])
        );
        assert!(!from(&[host, ("origin", "http://evil.example")]));
        assert!(!from(&[host, ("origin", "null")]));
        assert!(!from(&[host, ("sec-fetch-site", "cross-site")]));
    }
}
