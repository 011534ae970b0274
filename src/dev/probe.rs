//! Whether an operator watches its kinds, as it says itself.

use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::time::Duration;

use super::error::Result;
use crate::error::Io;

/// How long it may take to answer, on the same machine.
const PATIENCE: Duration = Duration::from_secs(2);

/// Where an operator is asked, on this machine alone.
#[derive(Debug)]
pub struct Probe(SocketAddr);

impl Probe {
    /// At a port that is free.
    ///
    /// # Errors
    /// When there is none.
    pub fn new() -> Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0));
        let address = listener.and_then(|listener| listener.local_addr());
        Ok(Self(address.map_err(Io::on(
            "listen on",
            Ipv4Addr::LOCALHOST.to_string(),
        ))?))
    }

    /// Where the operator is to answer.
    pub fn address(&self) -> SocketAddr {
        self.0
    }

    /// Whether all controllers have their caches filled and none of them waits for anything.
    pub fn is_answered(&self) -> bool {
        let config = ureq::Agent::config_builder().timeout_global(Some(PATIENCE));
        let agent = config.build().new_agent();
        let answer = agent.get(format!("http://{}/readyz", self.0)).call();
        let text = answer.and_then(|mut answer| answer.body_mut().read_to_string());
        text.is_ok_and(|text| text.trim_end() == "ok")
    }
}
