//! Access control: only a client with the key, in a browser on this machine, and not through a page
//! of another site.

use std::fs::File;
use std::io::Read as _;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;

use http::HeaderMap;
use http::header::{HOST, ORIGIN};

use crate::disk::{private, regular};
use crate::error::Io;

const RANDOM: &str = "/dev/urandom";
/// Length of the key in bytes.
const KEY: usize = 16;

/// The socket address and the access key of the page.
#[derive(Clone, Debug)]
pub struct Address {
    socket: SocketAddr,
    key: String,
}

impl Address {
    /// Creates an address with a random key.
    pub fn new(socket: SocketAddr) -> Result<Self, Io> {
        let mut bytes = [0_u8; KEY];
        let read = File::open(RANDOM).and_then(|mut file| file.read_exact(&mut bytes));
        read.map_err(Io::on("read", RANDOM))?;
        let key = format!("{:032x}", u128::from_be_bytes(bytes));
        Ok(Self { socket, key })
    }

    /// Reads the address of the last run from the file `memory`; `None` if the file is missing or
    /// holds something else. The key is not stored: other users may have seen it, for example in
    /// the arguments of a browser process.
    pub fn remembered(memory: &Path) -> Option<SocketAddr> {
        let text = regular::text(memory).ok()?;
        let port = text.trim_end().parse().ok()?;
        Some((Ipv4Addr::LOCALHOST, port).into())
    }

    /// Stores the port in the file `memory` for the next run.
    pub fn remember(&self, memory: &Path) -> Result<(), Io> {
        private::create_dir(memory.parent().unwrap_or(Path::new(".")))?;
        private::write(memory, &format!("{}\n", self.socket.port()))
    }

    /// Returns the URL for the browser.
    pub fn url(&self) -> String {
        format!("http://{}/?key={}", self.socket, self.key)
    }

    /// Returns true if a request is addressed to this server and comes from its own page. This
    /// prevents DNS rebinding: another site's name may resolve to 127.0.0.1, but it does not match
    /// the `Host` header.
    pub fn is_from_own_page(&self, headers: &HeaderMap) -> bool {
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

    /// Returns true if a local file navigates the browser to the page, as `--open` does. Such a
    /// request has no origin. A page of another site could send the same request if it knew the
    /// key, but it could not read the response.
    pub fn is_local_navigation(&self, headers: &HeaderMap) -> bool {
        let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
        let is_whole = text("sec-fetch-mode") == Some("navigate")
            && text("sec-fetch-dest") == Some("document");
        let mut plain = headers.clone();
        plain.remove("sec-fetch-site");
        is_whole && self.is_from_own_page(&plain)
    }

    /// Returns true if a query contains the key.
    pub fn has_key(&self, query: Option<&str>) -> bool {
        let given = parameter(query, "key").unwrap_or_default();
        // Compares in constant time.
        let differ = given
            .bytes()
            .zip(self.key.bytes())
            .fold(0, |all, (a, b)| all | (a ^ b));
        given.len() == self.key.len() && differ == 0
    }
}

/// Returns a parameter of a query, without percent-decoding: no value in use needs it.
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
    fn only_the_complete_key_is_accepted() {
        let known = address();
        let url = known.url();
        let (_, query) = url.split_once('?').unwrap();
        assert!(known.has_key(Some(query)));
        assert!(!address().has_key(Some(query)), "each has its own");
        for wrong in [
            None,
            Some(""),
            Some("key="),
            Some(&query[..query.len() - 1]),
        ] {
            assert!(!known.has_key(wrong), "{wrong:?}");
        }
    }

    #[test]
    fn a_port_is_remembered_and_no_key() {
        use std::fs;
        use std::os::unix::fs::PermissionsExt as _;
        let dir = tempfile::tempdir().unwrap();
        let memory = dir.path().join("pages/one");
        assert!(Address::remembered(&memory).is_none());
        let known = address();
        known.remember(&memory).unwrap();
        assert_eq!(Address::remembered(&memory), Some(known.socket));
        let text = fs::read_to_string(&memory).unwrap();
        assert!(!text.contains(&known.key), "{text}");
        let mode = memory.metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        for nonsense in ["", "4000 ff", "x", "70000"] {
            fs::write(&memory, nonsense).unwrap();
            assert!(Address::remembered(&memory).is_none(), "{nonsense}");
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
            address().is_from_own_page(&headers.collect())
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
