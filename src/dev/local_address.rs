//! The address of a local operator's health or metrics server, and its readiness.

use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::time::Duration;

use super::error::Result;
use crate::error::Io;

/// The timeout of a request. It is short because the operator runs on the same machine.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(2);

/// The loopback address on which a local operator serves its probes or its metrics.
#[derive(Debug)]
pub struct LocalAddress(SocketAddr);

impl LocalAddress {
    /// Chooses a free port. The port is not reserved: another process may take it before the
    /// operator listens.
    ///
    /// # Errors
    /// Returns an error if no port is free.
    pub fn new() -> Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0));
        let address = listener.and_then(|listener| listener.local_addr());
        Ok(Self(address.map_err(Io::on(
            "listen on",
            Ipv4Addr::LOCALHOST.to_string(),
        ))?))
    }

    /// Returns the address that the operator should listen on.
    pub fn address(&self) -> SocketAddr {
        self.0
    }

    /// Requests `/readyz`. Returns `None` if nothing answers within 2 s.
    pub fn readiness(&self) -> Option<Readiness> {
        let config = ureq::Agent::config_builder()
            .timeout_global(Some(REQUEST_TIMEOUT))
            .http_status_as_error(false);
        let agent = config.build().new_agent();
        let mut answer = agent.get(format!("http://{}/readyz", self.0)).call().ok()?;
        let text = answer.body_mut().read_to_string().ok()?;
        Some(Readiness::read(&text))
    }
}

/// The state of an operator after its start, as its `/readyz` reports it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Readiness {
    /// It has not filled all of its caches: an object's status may be from an earlier run.
    Starting,
    /// All components have started, but one waits, for example for a permission, or has a
    /// remark such as a slow reconcile.
    Started,
    /// It watches all of its kinds.
    Ready,
}

impl Readiness {
    /// Reads the answer of `/readyz`: `ok`, which only an operator that can work writes, and one
    /// line for each component that is not ready.
    fn read(answer: &str) -> Self {
        let mut lines = answer.lines();
        let first = lines.next().unwrap_or_default();
        if !first.starts_with("ok") || lines.clone().any(|line| line.ends_with(": is starting")) {
            Self::Starting
        } else if matches!(first, "ok" | "ok (leading)") && lines.next().is_none() {
            Self::Ready
        } else {
            Self::Started
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_operator_has_started_when_no_component_is_starting() {
        for (answer, expected) in [
            ("", Readiness::Starting),
            ("lolcow: is starting\n", Readiness::Starting),
            ("ok\nlolcow: is starting\n", Readiness::Starting),
            ("ok\nlolcow: waits for pages\n", Readiness::Started),
            ("ok (standby)\n", Readiness::Started),
            ("ok\n", Readiness::Ready),
            ("ok (leading)\n", Readiness::Ready),
        ] {
            assert_eq!(Readiness::read(answer), expected, "{answer:?}");
        }
    }
}
