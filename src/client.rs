//! Connection to an API server, which may be that of any cluster, and the errors of requests to it.

mod grant;

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

use http::Response;
use http_body_util::Limited;
use kube::client::ClientBuilder;
use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::{Client, Config};
use tower::BoxError;
use tower::util::{MapErrLayer, MapResponseLayer};

use crate::disk::regular;
use crate::error::{Advised, Failure};
use crate::text::without_secrets;
pub use grant::Grant;

/// The maximum size of an answer in bytes: a page of 500 objects has up to 750 MiB, but hardly ever
/// more than this.
const ANSWER_LIMIT: usize = 256 << 20;

/// The time limit for each part of an answer.
const ANSWER_WITHIN: Duration = Duration::from_secs(60);

/// An error of a request to the API server, or of the connection.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The kubeconfig cannot be used.
    #[error("cannot use the kubeconfig `{}`", path.display())]
    Kubeconfig {
        path: PathBuf,
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// No kubeconfig exists, and rustop does not run in a Pod.
    #[error("there is no cluster to connect to: `{}` does not exist", path.display())]
    NoKubeconfig { path: PathBuf },
    /// The API server does not serve a kind.
    #[error("the API server does not serve {kind}")]
    NotServed {
        /// The kind, or the name of its CRD.
        kind: String,
    },
    /// The API server rejected a request, or gave no answer that can be read.
    #[error("the API server {} {object}", match **source {
        kube::Error::Api(_) => "rejected",
        _ => "did not give a valid answer to a request for",
    })]
    Refused {
        /// The object of the request: `lolcow/lolcow-sample`, or the name of a CRD.
        object: String,
        /// The answer of the API server, or the connection error.
        source: Box<kube::Error>,
    },
}

impl Failure for Error {
    fn help(&self) -> Option<String> {
        let help = match self {
            Self::Kubeconfig { .. } | Self::Refused { .. } => return None,
            Self::NoKubeconfig { .. } => {
                "choose a kubeconfig: `export KUBECONFIG=FILE`; or start a local cluster: `rustop cluster start`"
            }
            Self::NotServed { .. } => "make install, or rustop dev, installs the project's CRDs",
        };
        Some(help.into())
    }
}

impl Error {
    /// Returns a function for `map_err` that wraps an error about the kubeconfig.
    pub fn unusable<E: std::error::Error + Send + Sync + 'static>(
        kubeconfig: &Path,
    ) -> impl FnOnce(E) -> Self {
        let path = kubeconfig.to_owned();
        move |source| Self::Kubeconfig {
            path,
            source: Box::new(source),
        }
    }

    /// Returns the object that the API server rejected; `None` for an error of the connection.
    pub fn rejected(&self) -> Option<&str> {
        match self {
            Self::Refused { object, source } if matches!(**source, kube::Error::Api(_)) => {
                Some(object)
            }
            _ => None,
        }
    }

    /// Returns a function for `map_err` that wraps an error about a request for `object`.
    pub fn refused(object: impl Into<String>) -> impl FnOnce(kube::Error) -> Self {
        let object = object.into();
        move |source| Self::Refused {
            object,
            source: Box::new(source),
        }
    }
}

/// Returns a client for the cluster of a kubeconfig, and its configuration. Without a kubeconfig,
/// uses `KUBECONFIG`, `~/.kube/config`, or the service account of the Pod that rustop runs in.
///
/// # Errors
/// Returns an error if the file cannot be read or used.
pub async fn connect(kubeconfig: Option<&Path>) -> Result<(Client, Config), Error> {
    let (path, config) = config_of(kubeconfig).await?;
    let builder = ClientBuilder::try_from(config.clone()).map_err(Error::unusable(&path))?;
    let client = builder.with_layer(&unreached(&config)).build();
    Ok((client, config))
}

/// Checks that the kubeconfig that [`connect`] uses without one can be read, without a request to
/// its cluster.
///
/// # Errors
/// Returns the errors of [`connect`].
pub async fn check_usual() -> Result<(), Error> {
    config_of(None).await.map(drop)
}

/// Returns a client like [`connect`], for single requests: an answer must begin within 60 s,
/// continue at least once in 60 s, and have at most 256 MiB. A watch would fail.
///
/// # Errors
/// Returns an error if the file cannot be read or used.
pub async fn connect_limited(kubeconfig: Option<&Path>) -> Result<(Client, Config), Error> {
    let (path, mut config) = config_of(kubeconfig).await?;
    config.read_timeout = Some(ANSWER_WITHIN);
    let client = limited(config.clone(), ANSWER_LIMIT).map_err(Error::unusable(&path))?;
    Ok((client, config))
}

/// Returns a client whose requests fail if the answer has more than `limit` bytes.
fn limited(config: Config, limit: usize) -> kube::Result<Client> {
    let unreached = unreached(&config);
    let builder = ClientBuilder::try_from(config)?.with_layer(&unreached);
    let layer = MapResponseLayer::new(move |response: Response<_>| {
        response.map(|body| Limited::new(body, limit))
    });
    Ok(builder.with_layer(&layer).build())
}

/// Returns the URL of the API server for messages, without user and password.
pub fn address(config: &Config) -> String {
    without_secrets(&config.cluster_url.to_string())
}

/// Returns the layer that names the API server in the errors of requests that it does not answer.
fn unreached(config: &Config) -> MapErrLayer<impl Fn(BoxError) -> BoxError + Clone + use<>> {
    let server = address(config);
    MapErrLayer::new(move |source| no_answer(&server, source))
}

fn no_answer(server: &str, source: BoxError) -> BoxError {
    // Errors of kube itself are about the user's credentials, not about the connection.
    if source.is::<kube::Error>() {
        return source;
    }
    Box::new(Advised {
        reason: format!("the API server at {server} does not answer"),
        help: "start its cluster, or choose another one: `export KUBECONFIG=FILE`",
        source: Some(source),
    })
}

/// Returns the path of the kubeconfig, and the configuration in it. The path is for error messages
/// only: it may be a list of files in `KUBECONFIG`, or begin with `~`.
async fn config_of(kubeconfig: Option<&Path>) -> Result<(PathBuf, Config), Error> {
    let given = || std::env::var_os("KUBECONFIG").map(PathBuf::from);
    let usual = || given().unwrap_or_else(|| "~/.kube/config".into());
    let path = kubeconfig.map_or_else(usual, Path::to_owned);
    let config = if kubeconfig.is_none() {
        let usual = usual_kubeconfigs();
        for path in &usual {
            check(path)?;
        }
        if !usual.iter().any(|path| path.exists()) && !is_in_pod() {
            return Err(Error::NoKubeconfig { path });
        }
        Config::infer().await.map_err(Error::unusable(&path))?
    } else {
        let config = read_kubeconfig(&path)?;
        let config = Config::from_custom_kubeconfig(config, &KubeConfigOptions::default()).await;
        config.map_err(Error::unusable(&path))?
    };
    if config.cluster_url.scheme().is_none() {
        let reason = format!(
            "the server `{}` has no scheme, such as https://",
            config.cluster_url
        );
        return Err(Error::Kubeconfig {
            path,
            source: reason.into(),
        });
    }
    Ok((path, config))
}

/// Reads a kubeconfig.
///
/// # Errors
/// Returns an error if the file is not a regular file of limited size, or not a kubeconfig.
pub fn read_kubeconfig(path: &Path) -> Result<Kubeconfig, Error> {
    check(path)?;
    Kubeconfig::read_from(path).map_err(Error::unusable(path))
}

/// Returns the files that kube reads if no kubeconfig is given.
fn usual_kubeconfigs() -> Vec<PathBuf> {
    let list = std::env::var_os("KUBECONFIG").unwrap_or_default();
    let listed: Vec<_> = std::env::split_paths(&list)
        .filter(|path| !path.as_os_str().is_empty())
        .collect();
    let home = || std::env::home_dir().map(|home| home.join(".kube/config"));
    if listed.is_empty() {
        home().into_iter().collect()
    } else {
        listed
    }
}

/// Reports whether the process runs in a Pod, by the variable from which kube takes the address of
/// the API server.
fn is_in_pod() -> bool {
    std::env::var_os("KUBERNETES_SERVICE_HOST").is_some()
}

/// Checks that a kubeconfig is a regular file of limited size before kube reads it. kube would wait
/// for a named pipe, and read a device without an end. A file that does not exist is left to kube,
/// which may do without it.
fn check(kubeconfig: &Path) -> Result<(), Error> {
    match regular::text(kubeconfig) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(Error::unusable(kubeconfig)(error))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
pub mod tests {
    use std::io::{Read as _, Write as _};
    use std::net::{Ipv4Addr, SocketAddr, TcpListener};
    use std::thread;

    use k8s_openapi::api::core::v1::ConfigMap;
    use kube::Api;

    use super::*;

    /// Answers one request with `head` and then with `chunk` again and again, until the client
    /// closes the connection.
    pub fn serve_endlessly(head: &'static str, chunk: String) -> SocketAddr {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let address = listener.local_addr().unwrap();
        thread::spawn(move || {
            let (mut client, _) = listener.accept().unwrap();
            let _ = client.read(&mut [0; 4096]);
            let mut sent = client.write_all(head.as_bytes());
            while sent.is_ok() {
                sent = client.write_all(chunk.as_bytes());
            }
        });
        address
    }

    #[tokio::test]
    async fn an_endless_answer_is_an_error() {
        let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n\"";
        let address = serve_endlessly(head, "x".repeat(1024));
        let url = format!("http://{address}").parse().unwrap();
        let client = limited(Config::new(url), 1 << 20).unwrap();
        let maps: Api<ConfigMap> = Api::namespaced(client, "default");
        let error = maps.get("a").await.unwrap_err();
        let error = Error::refused("configmap/a")(error);
        assert_eq!(
            error.to_string(),
            "the API server did not give a valid answer to a request for configmap/a"
        );
    }
}
