//! The connection to the API server: kube's, with the fence of `fence.rs` in it.

use std::time::Duration;

use kube::{
    Client, Config,
    client::{ClientBuilder, retry::RetryPolicy},
};
use tower::{buffer::BufferLayer, retry::RetryLayer, timeout::TimeoutLayer};

use crate::{
    error::{Error, Result},
    fence::{FenceLayer, Leadership},
};

/// For an answer to begin. An API server takes a minute at most; one that is silent for longer is out
/// of reach, and without this a reconcile would wait for it for as long as the kernel does.
const ANSWER: Duration = Duration::from_secs(65);
/// Requests waiting for the connection.
const BUFFER: usize = 1024;

/// The configuration of the environment: `KUBECONFIG`, `~/.kube/config`, or the `ServiceAccount`
/// of the Pod.
pub(crate) async fn config() -> Result<Config> {
    Config::infer().await.map_err(|error| {
        let hint = "set KUBECONFIG, or start a cluster and its kubeconfig";
        Error::new(
            "NoCluster",
            format!(
                "no cluster to talk to ({hint}): {}",
                crate::error::describe(&error)
            ),
        )
    })
}

/// A client whose writes pass the fence: the fence innermost, kube's retries around it. A watch may
/// stay silent for as long as it likes, once it has been granted.
pub(crate) fn fenced(config: Config, leadership: &Leadership) -> Result<Client> {
    fenced_within(config, leadership, ANSWER)
}

fn fenced_within(mut config: Config, leadership: &Leadership, answer: Duration) -> Result<Client> {
    config.default_retry = false;
    let builder = ClientBuilder::try_from(config)?
        .with_layer(&FenceLayer(leadership.clone()))
        .with_layer(&TimeoutLayer::new(answer))
        .with_layer(&BufferLayer::new(BUFFER))
        .with_layer(&RetryLayer::new(RetryPolicy::server_retry()));
    Ok(builder.build())
}

/// A client for the election itself, which writes before it leads and never waits for retries.
pub(crate) fn unfenced(mut config: Config) -> Result<Client> {
    config.default_retry = false;
    Ok(Client::try_from(config)?)
}

#[cfg(test)]
mod tests {
    use std::{
        io::{BufRead, BufReader, Write},
        net::{Ipv4Addr, TcpListener, TcpStream},
        thread,
        time::Instant,
    };

    use futures::{FutureExt, StreamExt};
    use k8s_openapi::api::core::v1::ConfigMap;
    use kube::{
        Api,
        api::{ListParams, WatchParams},
    };

    use super::*;

    const SOON: Duration = Duration::from_millis(200);

    /// An API server that begins to answer watches and says nothing else.
    fn silent_server() -> Config {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let address = listener.local_addr().unwrap();
        thread::spawn(move || {
            let mut open = Vec::new();
            for stream in listener.incoming() {
                let stream = stream.unwrap();
                open.push(stream.try_clone().unwrap());
                thread::spawn(move || begin(stream));
            }
        });
        Config::new(format!("http://{address}").parse().unwrap())
    }

    fn begin(mut stream: TcpStream) {
        let mut request = String::new();
        BufReader::new(&stream).read_line(&mut request).unwrap();
        if request.contains("watch=true") {
            let head = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";
            stream.write_all(head.as_bytes()).unwrap();
        }
    }

    fn maps() -> Api<ConfigMap> {
        let leadership = Leadership::unlimited();
        Api::default_namespaced(fenced_within(silent_server(), &leadership, SOON).unwrap())
    }

    #[tokio::test]
    async fn a_silent_api_server_is_given_up() {
        let start = Instant::now();
        let error = maps().list(&ListParams::default()).await.unwrap_err();
        assert_eq!(Error::from(error).reason(), "Unreachable");
        assert!(start.elapsed() >= SOON);
    }

    #[tokio::test]
    async fn a_watch_that_was_granted_may_be_silent() {
        let watch = maps().watch(&WatchParams::default(), "0").await.unwrap();
        let mut watch = std::pin::pin!(watch);
        tokio::time::sleep(SOON * 3).await;
        assert!(watch.next().now_or_never().is_none());
    }
}
