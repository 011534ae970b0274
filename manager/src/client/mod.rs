//! The client of the API server: kube's, with the write fence of `leader/fence.rs`.

pub(crate) mod client_runtime;
pub(crate) mod connection;
pub(crate) mod pending_waits;
pub(crate) mod requests;

use std::{env, fs::File, net::IpAddr, path::Path, sync::Arc, time::Duration};

use http::{
    HeaderValue, Method, Request, Uri,
    header::{ACCEPT, USER_AGENT},
};
use hyper_util::client::proxy::matcher::Matcher;
use kube::{
    Client, Config,
    client::{Body, ClientBuilder, retry::RetryPolicy},
};
use tokio::runtime::Handle;
use tower::service_fn;
use tower::{buffer::BufferLayer, layer::layer_fn, retry::RetryLayer, timeout::TimeoutLayer};

use crate::client::client_runtime::AtHome;
use crate::client::requests::{RequestHook, RequestMetrics};
use crate::error::{self, Error, Result};
use crate::leader::fence::{FenceLayer, Leadership};
#[cfg(feature = "otel")]
use crate::otel::requests::Traced;

/// Time limit until a response begins. An API server takes a minute at most. One that is silent for
/// longer is unreachable, and without this limit a reconcile would wait for as long as the kernel
/// does.
pub(crate) const ANSWER: Duration = Duration::from_secs(65);
/// Maximum number of requests that wait for the connection.
const BUFFER: usize = 1024;

/// Returns the configuration of the environment: `KUBECONFIG`, `~/.kube/config`, or the
/// `ServiceAccount` of the Pod.
///
/// # Errors
/// Returns `NoCluster` if there is none, or if its token file cannot be read.
pub(crate) async fn config() -> Result<Config> {
    let none = |why: String| {
        Error::new(
            "NoCluster",
            format!("cannot load a cluster configuration: {why}"),
        )
    };
    let mut config = Config::infer().await.map_err(|error| {
        let variable = |name: &str| std::env::var(name).ok();
        let why = half_a_pod(variable, Path::new(SERVICE_ACCOUNT)).unwrap_or_else(|| {
            let hint = "set `KUBECONFIG` to the kubeconfig of a running cluster";
            format!("{}; help: {hint}", error::describe(&error))
        });
        none(why)
    })?;
    find_proxy(&mut config, &Matcher::from_env(), |name| {
        env::var(name).ok()
    });
    // kube would read it with the first request, and a missing response does not say why.
    if let Some(token) = &config.auth_info.token_file {
        File::open(token)
            .map_err(|error| none(format!("cannot read the token {token}: {error}")))?;
    }
    Ok(config)
}

/// Sets the proxy from the environment, as Go does: unless the kubeconfig sets one, `NO_PROXY`
/// contains the cluster, or the cluster is on this machine. (kube looks for the proxy's own address
/// in `NO_PROXY`, and uses no proxy in a Pod.)
fn find_proxy(
    config: &mut Config,
    environment: &Matcher,
    variable: impl Fn(&str) -> Option<String>,
) {
    let mut proxies = ["HTTPS_PROXY", "https_proxy"]
        .into_iter()
        .filter_map(variable);
    let proxy = proxies.find(|proxy| !proxy.is_empty());
    let Some(proxy) = proxy.and_then(|proxy| proxy.parse::<Uri>().ok()) else {
        return;
    };
    // kube may already have set this proxy from the environment; another one is the kubeconfig's
    if config.proxy_url.as_ref().is_none_or(|own| *own == proxy) {
        let host = config.cluster_url.host().unwrap_or_default();
        let address = host.trim_matches(['[', ']']).parse::<IpAddr>();
        let is_here = host == "localhost" || address.is_ok_and(|address| address.is_loopback());
        let is_meant = !is_here && environment.intercept(&config.cluster_url).is_some();
        config.proxy_url = is_meant.then_some(proxy);
    }
}

/// Sets the `User-Agent` of the operator `name` as Go clients do, unless `config` contains one.
pub(crate) fn introduce(config: &mut Config, name: &str, version: &str) {
    let (os, architecture) = (env::consts::OS, env::consts::ARCH);
    let agent = format!("{name}/{version} ({os}/{architecture})");
    let is_named = config.headers.iter().any(|(name, _)| name == USER_AGENT);
    if let Ok(agent) = HeaderValue::try_from(agent)
        && !is_named
    {
        config.headers.push((USER_AGENT, agent));
    }
}

const SERVICE_ACCOUNT: &str = "/var/run/secrets/kubernetes.io/serviceaccount";

/// Returns a message about the part of a Pod's environment that is missing, if another part exists:
/// then the operator runs in a Pod, and a message about kubeconfig files would mislead. `variable`
/// returns an environment variable; `files` is the directory of the `ServiceAccount`.
fn half_a_pod(variable: impl Fn(&str) -> Option<String>, files: &Path) -> Option<String> {
    const HOST: &str = "KUBERNETES_SERVICE_HOST";
    const PORT: &str = "KUBERNETES_SERVICE_PORT";
    let set = |name: &str| variable(name).filter(|value| !value.is_empty());
    let port = match (set(HOST), set(PORT)) {
        (None, None) => return None,
        (Some(_), None) => return Some(format!("{HOST} is set, but {PORT} is not")),
        (None, Some(_)) => return Some(format!("{PORT} is set, but {HOST} is not")),
        (Some(_), Some(port)) => port,
    };
    if port.parse::<u16>().is_err() {
        return Some(format!("invalid port `{port}` in {PORT}"));
    }
    ["token", "ca.crt", "namespace"].iter().find_map(|name| {
        let file = files.join(name);
        let error = File::open(&file).err()?;
        let hint =
            "give the Pod a ServiceAccount, and remove `automountServiceAccountToken: false`";
        Some(format!(
            "cannot read {}: {error}; help: {hint}",
            file.display()
        ))
    })
}

/// Creates a client whose write requests pass the fence. From the inside out: the connection stays
/// on one runtime, requests are counted, the fence, the response timeout, and kube's retries. The
/// timeout covers only the beginning of the response: a watch may then stay silent for as long as
/// it likes. The layer above them records what a reconcile waits for, because the task of the
/// reconcile is only known there.
pub(crate) fn fenced(
    config: Config,
    leadership: &Leadership,
    requests: &Arc<RequestMetrics>,
) -> Result<Client> {
    fenced_within(config, leadership, requests, ANSWER)
}

fn fenced_within(
    mut config: Config,
    leadership: &Leadership,
    requests: &Arc<RequestMetrics>,
    answer: Duration,
) -> Result<Client> {
    config.default_retry = false;
    let requests = requests.clone();
    let host = config.cluster_url.authority().map(ToString::to_string);
    #[cfg(feature = "otel")]
    let traced = host.clone().unwrap_or_default();
    let home = Handle::current();
    let builder = ClientBuilder::try_from(config)?
        .with_layer(&layer_fn(move |inner| AtHome {
            inner,
            home: home.clone(),
        }))
        .with_layer(&layer_fn(move |inner| {
            let (requests, host) = (requests.clone(), host.clone().unwrap_or_default());
            let begin = move |method: &Method, _: &Uri| requests.begin(method, &host);
            RequestHook { inner, begin }
        }))
        .with_layer(&FenceLayer(leadership.clone()))
        .with_layer(&TimeoutLayer::new(answer))
        .with_layer(&BufferLayer::new(BUFFER))
        .with_layer(&RetryLayer::new(RetryPolicy::server_retry()))
        .with_layer(&layer_fn(|inner| {
            let begin = pending_waits::begin_request;
            RequestHook { inner, begin }
        }));
    #[cfg(feature = "otel")]
    let builder = builder.with_layer(&layer_fn(move |inner| Traced {
        inner,
        host: traced.clone(),
    }));
    Ok(builder.build())
}

/// Returns a client whose lists and watches contain only the metadata of objects. For no other
/// requests.
pub(crate) fn of_metadata(client: &Client) -> Client {
    wrap(client, |request| {
        let query = request.uri().query().unwrap_or_default();
        let form = if query.contains("watch=true") {
            "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"
        } else {
            "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"
        };
        let headers = request.headers_mut();
        headers.insert(ACCEPT, HeaderValue::from_static(form));
    })
}

/// Returns a client that changes each request before it is sent.
pub(crate) fn wrap(
    client: &Client,
    change: impl Fn(&mut Request<Body>) + Send + 'static,
) -> Client {
    let (namespace, inner) = (client.default_namespace().to_owned(), client.clone());
    let service = service_fn(move |mut request: Request<Body>| {
        change(&mut request);
        let inner = inner.clone();
        async move { inner.send(request).await }
    });
    Client::new(service, namespace)
}

/// Creates a client whose writes do not need the leadership and which does not retry requests: for
/// leader election, which writes before it leads, and for the servers of standby replicas.
pub(crate) fn unfenced(mut config: Config) -> Result<Client> {
    config.default_retry = false;
    Ok(Client::try_from(config)?)
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead, BufReader, Write};
    use std::net::{Ipv4Addr, TcpListener, TcpStream};
    use std::thread;
    use std::time::Instant;

    use futures::{FutureExt, StreamExt};
    use k8s_openapi::api::core::v1::ConfigMap;
    use kube::{
        Api,
        api::{ListParams, WatchParams},
    };
    use prometheus_client::registry::Registry;

    use super::*;

    const SOON: Duration = Duration::from_millis(200);

    /// Starts an API server that accepts watches and then stays silent.
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
        let requests = Arc::new(RequestMetrics::register(&mut Registry::default()));
        let client = fenced_within(silent_server(), &leadership, &requests, SOON);
        Api::default_namespaced(client.unwrap())
    }

    #[test]
    fn an_incomplete_pod_environment_names_the_missing_part() {
        let dir = std::env::temp_dir().join(format!("manager-{}", std::process::id()));
        std::fs::create_dir_all(&dir).unwrap();
        let missing = |set: &[(&str, &str)]| {
            let variable = |name: &str| {
                let found = set.iter().find(|(known, _)| *known == name);
                found.map(|(_, value)| (*value).to_owned())
            };
            half_a_pod(variable, &dir)
        };
        let (host, port) = ("KUBERNETES_SERVICE_HOST", "KUBERNETES_SERVICE_PORT");
        assert_eq!(missing(&[]), None);
        assert_eq!(missing(&[(host, ""), (port, "")]), None);
        let names = |set: &[(&str, &str)], text: &str| {
            let reason = missing(set).unwrap();
            assert!(reason.contains(text), "{reason}");
        };
        names(&[(host, "10.0.0.1")], "KUBERNETES_SERVICE_PORT is not");
        names(&[(port, "443")], "KUBERNETES_SERVICE_HOST is not");
        names(
            &[(host, "10.0.0.1"), (port, "tcp://x")],
            "invalid port `tcp://x` in KUBERNETES_SERVICE_PORT",
        );
        let both = [(host, "10.0.0.1"), (port, "443")];
        for file in ["token", "ca.crt", "namespace"] {
            names(&both, &dir.join(file).display().to_string());
            std::fs::write(dir.join(file), "").unwrap();
        }
        assert_eq!(missing(&both), None);
        std::fs::remove_dir_all(dir).unwrap();
    }

    #[test]
    fn a_proxy_is_for_those_clusters_that_it_is_meant_for() {
        let of_environment = "http://proxy.example.org:3128";
        let asked = |cluster: &str, own: Option<&str>, no: &str| {
            let mut config = Config::new(cluster.parse().unwrap());
            config.proxy_url = own.map(|own| own.parse().unwrap());
            let environment = Matcher::builder().https(of_environment).no(no).build();
            let variable = |name: &str| (name == "HTTPS_PROXY").then(|| of_environment.to_owned());
            find_proxy(&mut config, &environment, variable);
            config.proxy_url.map(|proxy| proxy.to_string())
        };
        let far = "https://cluster.example.com:6443";
        for found_by_kube in [None, Some(of_environment)] {
            let is_asked = |cluster: &str, no: &str| asked(cluster, found_by_kube, no).is_some();
            // kube would drop it, because it compares `NO_PROXY` with the proxy's own name.
            assert!(is_asked(far, ".example.org"));
            assert!(!is_asked(far, ".example.com"));
            assert!(!is_asked(far, "*"));
            assert!(!is_asked("https://10.1.2.3:6443", "10.0.0.0/8"));
            for here in ["127.0.0.1", "localhost", "[::1]"] {
                assert!(!is_asked(&format!("https://{here}:6443"), ""));
            }
        }
        let other = "http://other.example.org:3128/";
        let of_kubeconfig = asked(far, Some(other), "*");
        assert_eq!(of_kubeconfig.as_deref(), Some(other));
    }

    #[test]
    fn every_request_says_who_asks() {
        let mut config = Config::new("https://example.org".parse().unwrap());
        introduce(&mut config, "lolcow-operator", "1.0.0");
        let agent = config.headers[0].1.to_str().unwrap().to_owned();
        assert!(agent.starts_with("lolcow-operator/1.0.0 ("), "{agent}");
        introduce(&mut config, "other", "2");
        assert_eq!(config.headers.len(), 1, "a configured user agent is kept");
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
