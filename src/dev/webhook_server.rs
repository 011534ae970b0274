//! A webhook server outside of the cluster to which objects in the cluster lead: that of another
//! run of rustop, which may belong to another account or machine.

use std::io::ErrorKind;
use std::time::{Duration, Instant};

use k8s_openapi::ByteString;
use kube::api::DynamicObject;
use serde::Deserialize as _;
use serde_json::Value;
use ureq::Agent;
use ureq::tls::{Certificate, RootCerts, TlsConfig};

use super::served_from::is_served_elsewhere;
use super::webhook_host::is_on_this_machine;

/// The timeout of a request. A server that takes longer does not serve the API server either.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(2);
/// The time that the operator of a killed run has to end.
const ENDS_WITHIN: Duration = Duration::from_secs(5);
/// The polling interval while an operator ends.
const TICK: Duration = Duration::from_millis(100);

/// A webhook server, as the API server calls it.
#[derive(Debug)]
pub struct WebhookServer {
    /// The host and port: `127.0.0.1:40123`.
    pub address: String,
    /// The certificate in PEM, by which the server is recognised: each run has its own.
    authority: Vec<u8>,
    /// True if the object that leads to the server says that it runs on another machine, or in
    /// another network namespace, where the address is that of another server.
    is_elsewhere: bool,
}

impl WebhookServer {
    /// Returns the servers that a webhook configuration names by URL.
    pub fn of_configuration(configuration: &DynamicObject) -> Vec<Self> {
        let webhooks = configuration.data["webhooks"].as_array();
        let clients = webhooks.into_iter().flatten();
        clients
            .filter_map(|webhook| {
                let client = &webhook["clientConfig"];
                let rest = client["url"].as_str()?.strip_prefix("https://")?;
                let address = rest.split('/').next()?.to_owned();
                Self::new(address, client, configuration)
            })
            .collect()
    }

    /// Returns the server at `address` with the certificate of a webhook's client configuration;
    /// `None` if there is no certificate. `object` is the one that leads to it.
    pub fn new(address: String, client: &Value, object: &DynamicObject) -> Option<Self> {
        let authority = ByteString::deserialize(&client["caBundle"]).ok()?.0;
        let is_elsewhere = is_served_elsewhere(object);
        Some(Self {
            address,
            authority,
            is_elsewhere,
        })
    }

    /// Returns the state of the server, after the time that the operator of a killed run needs to
    /// end.
    pub fn state(&self) -> ServerState {
        let deadline = Instant::now() + ENDS_WITHIN;
        loop {
            let state = self.state_now();
            if state == ServerState::Ended || Instant::now() > deadline {
                return state;
            }
            std::thread::sleep(TICK);
        }
    }

    fn state_now(&self) -> ServerState {
        let Ok(authority) = Certificate::from_pem(&self.authority) else {
            return ServerState::Ended;
        };
        let tls = TlsConfig::builder()
            .root_certs(RootCerts::new_with_certs(&[authority]))
            .build();
        let config = Agent::config_builder()
            .timeout_global(Some(REQUEST_TIMEOUT))
            .http_status_as_error(false)
            .proxy(None)
            .tls_config(tls)
            .build();
        let url = format!("https://{}/", self.address);
        match config.new_agent().get(url).call() {
            Ok(_) => ServerState::Answers,
            Err(error) if is_of_another_server(&error) && self.is_on_this_machine() => {
                ServerState::Ended
            }
            Err(_) => ServerState::Unknown,
        }
    }

    /// Reports whether the port at the address is the one on which the server would listen: a
    /// firewall refuses connections to other machines, too.
    fn is_on_this_machine(&self) -> bool {
        !self.is_elsewhere && is_on_this_machine(&self.address)
    }
}

/// Reports whether an error shows that nothing listens on the port, or that the server there has
/// another certificate or does not speak TLS.
fn is_of_another_server(error: &ureq::Error) -> bool {
    match error {
        ureq::Error::ConnectionFailed | ureq::Error::Rustls(_) | ureq::Error::Tls(_) => true,
        ureq::Error::Io(error) => matches!(
            error.kind(),
            ErrorKind::ConnectionRefused
                | ErrorKind::ConnectionReset
                | ErrorKind::InvalidData
                | ErrorKind::UnexpectedEof
        ),
        _ => false,
    }
}

/// The state of a webhook server, as far as this machine can tell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ServerState {
    /// It answers with its certificate.
    Answers,
    /// Nothing listens on its port of this machine, or another server.
    Ended,
    /// It cannot be reached from here, or does not answer: it may be stopped by a debugger, or run
    /// on a machine or in a network that only the API server reaches.
    Unknown,
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};
    use std::net::{Ipv4Addr, TcpListener};
    use std::sync::Arc;

    use rustls::pki_types::PrivatePkcs8KeyDer;
    use serde_json::json;

    use super::*;

    type Certified = rcgen::CertifiedKey<rcgen::KeyPair>;

    fn certified() -> Certified {
        rcgen::generate_simple_self_signed(["127.0.0.1".to_owned()]).unwrap()
    }

    /// Answers one request with the certificate, and returns the address.
    fn serve(certified: &Certified) -> String {
        let chain = vec![certified.cert.der().clone()];
        let key = PrivatePkcs8KeyDer::from(certified.signing_key.serialize_der());
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = rustls::ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(chain, key.into())
            .unwrap();
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let address = listener.local_addr().unwrap().to_string();
        std::thread::spawn(move || {
            let (client, _) = listener.accept().unwrap();
            let connection = rustls::ServerConnection::new(Arc::new(config)).unwrap();
            let mut stream = rustls::StreamOwned::new(connection, client);
            let _ = stream.read(&mut [0; 1024]);
            let _ = stream.write_all(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n");
        });
        address
    }

    #[test]
    fn only_a_server_that_certainly_ended_counts_as_ended() {
        let made = certified();
        let authority = json!(ByteString(made.cert.pem().into_bytes()));
        let server = |address: &str| {
            let client = json!({"url": format!("https://{address}/a"), "caBundle": authority});
            let object = json!({"apiVersion": "admissionregistration.k8s.io/v1",
                "kind": "ValidatingWebhookConfiguration", "metadata": {"name": "v"},
                "webhooks": [{"clientConfig": client}]});
            let object = serde_json::from_value(object).unwrap();
            WebhookServer::of_configuration(&object).remove(0)
        };
        assert_eq!(server(&serve(&made)).state_now(), ServerState::Answers);
        let other = serve(&certified());
        assert_eq!(server(&other).state_now(), ServerState::Ended);
        let silent = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let address = silent.local_addr().unwrap().to_string();
        assert_eq!(server(&address).state_now(), ServerState::Unknown);
        assert_eq!(
            server("no-such-host.invalid:9443").state_now(),
            ServerState::Unknown
        );
        drop(silent);
        assert_eq!(server(&address).state_now(), ServerState::Ended);
        let mut elsewhere = server(&address);
        elsewhere.is_elsewhere = true;
        assert_eq!(elsewhere.state_now(), ServerState::Unknown);
        let other = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let address = other.local_addr().unwrap().to_string();
        let answers = std::thread::spawn(move || {
            let (mut client, _) = other.accept().unwrap();
            client.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        });
        assert_eq!(server(&address).state_now(), ServerState::Ended);
        answers.join().unwrap().unwrap();
    }
}
