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

    /// Requests `/readyz`, and reports whether the answer is exactly `ok`: nothing is missing, and
    /// no remark such as a slow reconcile is listed. With leader election it is never true, since
    /// the answer is `ok (leading)`. Blocks for up to 2 s.
    pub fn is_operator_ready(&self) -> bool {
        let config = ureq::Agent::config_builder().timeout_global(Some(REQUEST_TIMEOUT));
        let agent = config.build().new_agent();
        let answer = agent.get(format!("http://{}/readyz", self.0)).call();
        let text = answer.and_then(|mut answer| answer.body_mut().read_to_string());
        text.is_ok_and(|text| text.trim_end() == "ok")
    }
}
