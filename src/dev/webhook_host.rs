//! The host name or address at which the API server reaches the operator's webhook server on this
//! machine.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener, ToSocketAddrs as _};
use std::str::FromStr;

use k8s_openapi::api::discovery::v1::EndpointSlice;
use kube::api::Api;
use kube::{Client, Config};

use crate::names::subdomain;

/// A host name or IP address of this machine.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Host(String);

impl Host {
    /// Returns the loopback address, for an API server on this machine.
    pub fn loopback() -> Self {
        Self(Ipv4Addr::LOCALHOST.to_string())
    }

    /// Returns the name or address as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the IP address if it is a loopback address. The operator's webhook server then
    /// listens only there.
    pub fn loopback_address(&self) -> Option<IpAddr> {
        self.0
            .parse()
            .ok()
            .filter(|address: &IpAddr| address.is_loopback())
    }
}

impl FromStr for Host {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text.parse::<IpAddr>().is_err() {
            subdomain(text)?;
        }
        Ok(Self(text.to_owned()))
    }
}

/// Formats the host as in a URL, with brackets around an IPv6 address.
impl fmt::Display for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.parse() {
            Ok(IpAddr::V6(address)) => write!(f, "[{address}]"),
            _ => f.write_str(&self.0),
        }
    }
}

/// Reports whether the API server runs on this machine. The address in the kubeconfig does not show
/// this: that of a kind cluster, which runs in a container, is 127.0.0.1, too. Compares the
/// addresses that the API server publishes in its `EndpointSlice` with those of this machine. If
/// they cannot be read, decides by the URL.
pub async fn is_api_server_local(client: &Client, config: &Config) -> bool {
    let slices: Api<EndpointSlice> = Api::namespaced(client.clone(), "default");
    let slice = slices.get_opt("kubernetes").await.ok().flatten();
    let endpoints = slice.and_then(|slice| slice.endpoints).unwrap_or_default();
    let published: Vec<_> = endpoints
        .into_iter()
        .flat_map(|each| each.addresses)
        .collect();
    if published.is_empty() {
        let host = config.cluster_url.host().unwrap_or_default();
        let address = host.trim_matches(['[', ']']).parse::<IpAddr>();
        return host == "localhost" || address.is_ok_and(|address| address.is_loopback());
    }
    published
        .iter()
        .all(|address| address.parse().is_ok_and(is_own))
}

/// Reports whether all addresses of the host in `host:port` belong to this machine. Only then does
/// a refused connection show that nothing listens there: a firewall also refuses connections to
/// other machines.
pub fn is_on_this_machine(address: &str) -> bool {
    let addresses: Vec<_> = address.to_socket_addrs().into_iter().flatten().collect();
    !addresses.is_empty() && addresses.iter().all(|address| is_own(address.ip()))
}

/// Reports whether an address belongs to this machine, by binding a socket to it. A loopback
/// address does even if this machine has no IPv6.
fn is_own(address: IpAddr) -> bool {
    address.is_loopback() || TcpListener::bind(SocketAddr::new(address, 0)).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_parsed_from_names_and_ip_addresses() {
        for (text, shown) in [
            ("host.docker.internal", "host.docker.internal"),
            ("192.168.49.1", "192.168.49.1"),
            ("fd00::1", "[fd00::1]"),
        ] {
            assert_eq!(text.parse::<Host>().unwrap().to_string(), shown);
        }
        for text in ["", "https://here", "here:8443", "Here"] {
            assert!(text.parse::<Host>().is_err(), "{text}");
        }
        assert_eq!(
            Host::loopback().loopback_address(),
            Some(Ipv4Addr::LOCALHOST.into())
        );
        assert_eq!(
            "192.168.49.1".parse::<Host>().unwrap().loopback_address(),
            None
        );
    }

    #[test]
    fn only_addresses_of_this_machine_are_own() {
        assert!(is_on_this_machine("127.0.0.1:1"));
        assert!(is_on_this_machine("localhost:1"));
        assert!(
            !is_on_this_machine("192.0.2.1:1"),
            "that one is for documentation"
        );
        assert!(!is_on_this_machine("nonsense"));
    }
}
