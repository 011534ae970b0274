//! An operator as a process, with a ServiceAccount of its own.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rustix::process::Signal;
use serde_json::{Value, json};
use tempfile::TempDir;
use ureq::Agent;
use ureq::tls::{RootCerts, TlsConfig};

use crate::beliefs;
use crate::cluster::{Cluster, SOON};
use crate::place::Place;
use crate::support::{address, kill, until};

/// The settings with which an operator is started.
#[derive(Clone, Default)]
pub struct Launch {
    pub leader_election: bool,
    /// Instead of the API server itself.
    pub server: Option<String>,
    /// Instead of the namespace of the case.
    pub watch: Option<String>,
    /// Instead of a token that holds as long as the case.
    pub token: Option<String>,
    /// Instead of one of its own.
    pub address: Option<String>,
    pub variables: Vec<(&'static str, String)>,
    pub arguments: Vec<String>,
}

impl Launch {
    /// One of several replicas.
    pub fn replica() -> Self {
        Self {
            leader_election: true,
            ..Self::default()
        }
    }

    /// With a proxy between the operator and the API server.
    pub fn through(server: &str) -> Self {
        Self {
            server: Some(server.to_owned()),
            ..Self::default()
        }
    }

    /// With one more variable.
    pub fn with(mut self, name: &'static str, value: &impl ToString) -> Self {
        self.variables.push((name, value.to_string()));
        self
    }
}

pub struct Operator {
    pub name: String,
    /// The loopback address of its servers, which no other program uses.
    pub address: String,
    cluster: Arc<Cluster>,
    child: Child,
    dir: TempDir,
    /// The names of objects that do not fit their type.
    pub unreadable: Vec<String>,
}

impl Operator {
    pub fn start(place: &Place, name: &str, launch: Launch) -> Self {
        let dir = tempfile::tempdir().unwrap();
        account(place, name);
        let token = launch
            .token
            .unwrap_or_else(|| token(place, name, &Value::Null));
        fs::write(dir.path().join("token"), token).unwrap();
        let server = launch.server.as_ref().unwrap_or(&place.cluster.api.server);
        let mut names = launch.variables.iter().map(|(name, _)| *name);
        let ca = names.all(|name| name != "SSL_CERT_FILE");
        let ca = ca.then(|| place.cluster.dir.join("pki/ca.crt"));
        let kubeconfig = kubeconfig(ca.as_deref(), server, dir.path());
        fs::write(dir.path().join("kubeconfig"), kubeconfig).unwrap();
        let log = fs::File::create(dir.path().join("log")).unwrap();
        let address = launch.address.unwrap_or_else(address);
        let child = Command::new(&place.cluster.project.binary)
            .args([
                format!("--leader-elect={}", launch.leader_election),
                format!("--health-probe-bind-address={address}:8081"),
                format!("--metrics-bind-address={address}:8443"),
            ])
            .args(launch.arguments)
            .env("KUBECONFIG", dir.path().join("kubeconfig"))
            .env("POD_NAME", name)
            .env("POD_NAMESPACE", &place.namespace)
            .env(
                "WATCH_NAMESPACE",
                launch.watch.as_ref().unwrap_or(&place.namespace),
            )
            .env("INSPECT", format!("{address}:8082"))
            .env("LOG_FORMAT", "text")
            .env(
                "RUST_LOG",
                std::env::var("RUSTOP_TEST_LOG").unwrap_or_else(|_| "info".into()),
            )
            .envs(launch.variables)
            .stdin(Stdio::null())
            .stdout(log.try_clone().unwrap())
            .stderr(log)
            .spawn()
            .unwrap();
        Self {
            name: name.to_owned(),
            address,
            cluster: place.cluster.clone(),
            child,
            dir,
            unreadable: Vec::new(),
        }
    }

    pub fn token_file(&self) -> PathBuf {
        self.dir.path().join("token")
    }

    pub fn signal(&self, signal: Signal) {
        kill(self.child.id(), signal);
    }

    pub fn log(&self) -> String {
        fs::read_to_string(self.dir.path().join("log")).unwrap()
    }

    /// Waits until the log contains a text.
    pub fn says(&self, text: &str) {
        until(&format!("{} says {text}", self.name), SOON, || {
            self.log().contains(text)
        });
    }

    /// Waits until `/readyz` says so, and that nothing is missing.
    pub fn is_ready(&self) {
        until(&format!("{} is ready", self.name), SOON, || {
            let (status, text) = self.ready_text();
            status == 200 && text.lines().count() == 1
        });
    }

    /// Returns the status of `/readyz`, or 0 if there is no response.
    pub fn readiness(&self) -> u16 {
        self.ready_text().0
    }

    /// The same with what it says.
    pub fn ready_text(&self) -> (u16, String) {
        let url = format!("http://{}:8081/readyz", self.address);
        let agent = Agent::config_builder()
            .http_status_as_error(false)
            .timeout_global(Some(Duration::from_secs(5)))
            .build()
            .new_agent();
        let Ok(mut response) = agent.get(url).call() else {
            return (0, String::new());
        };
        let text = response.body_mut().read_to_string().unwrap_or_default();
        (response.status().as_u16(), text)
    }

    /// The figure called `name`, of which the labels are part.
    pub fn metric(&self, name: &str) -> Option<f64> {
        let tls = TlsConfig::builder().disable_verification(true).build();
        let text = self.get_metrics(tls, "text/plain").ok()?;
        let line = text.lines().find(|line| line.starts_with(name))?;
        line.rsplit_once(' ')?.1.parse().ok()
    }

    /// Requests `/metrics` with a client that trusts only `roots`.
    pub fn scrape(&self, roots: RootCerts) -> Result<String, ureq::Error> {
        self.get_metrics(TlsConfig::builder().root_certs(roots).build(), "text/plain")
    }

    /// `/metrics`, as Prometheus asks for it where it wants examples, too.
    pub fn open_metrics(&self) -> String {
        let tls = TlsConfig::builder().disable_verification(true).build();
        let figures = self.get_metrics(tls, "application/openmetrics-text");
        figures.unwrap()
    }

    fn get_metrics(&self, tls: TlsConfig, accept: &str) -> Result<String, ureq::Error> {
        let token = fs::read_to_string(self.token_file()).unwrap();
        let config = Agent::config_builder()
            .tls_config(tls)
            .timeout_global(Some(Duration::from_secs(10)));
        let request = config
            .build()
            .new_agent()
            .get(format!("https://{}:8443/metrics", self.address));
        let answer = request
            .header("authorization", format!("Bearer {token}"))
            .header("accept", accept)
            .call();
        answer?.body_mut().read_to_string()
    }

    /// Waits for the end; how it ended, and when.
    pub fn ends(&mut self) -> (ExitStatus, Instant) {
        let mut ended = None;
        until(&format!("{} ends", self.name), SOON, || {
            ended = self.child.try_wait().unwrap();
            ended.is_some()
        });
        (ended.unwrap(), Instant::now())
    }

    /// Its memory in MiB.
    pub fn memory(&self) -> f64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let kib: f64 = line
            .unwrap()
            .trim()
            .trim_end_matches(" kB")
            .parse()
            .unwrap();
        kib / 1024.0
    }

    pub fn has_ended(&mut self) -> bool {
        self.child.try_wait().unwrap().is_some()
    }

    /// Asserts that its caches match the objects of the API server.
    pub fn believes_what_is_so(&self) {
        let address = format!("{}:8082", self.address);
        beliefs::are_true(&address, &self.cluster.api, &self.unreadable);
    }

    pub fn kill(mut self) {
        self.signal(Signal::KILL);
        self.child.wait().unwrap();
    }
}

/// Checks at the end of a case that the caches of a running operator match the API server.
impl Drop for Operator {
    fn drop(&mut self) {
        let runs = self.child.try_wait().is_ok_and(|ended| ended.is_none());
        let wrong = (runs && !std::thread::panicking()).then(|| {
            let check = std::panic::AssertUnwindSafe(|| self.believes_what_is_so());
            std::panic::catch_unwind(check).err()
        });
        let _ = self.child.kill();
        let _ = self.child.wait();
        let wrong = wrong.flatten();
        if wrong.is_some() || std::thread::panicking() {
            eprintln!("--- {} said:\n{}", self.name, self.log());
        }
        if let Some(wrong) = wrong {
            std::panic::resume_unwind(wrong);
        }
    }
}

/// Makes sure that there is a ServiceAccount.
pub fn account(place: &Place, name: &str) {
    let account = json!({"metadata": {"name": name}});
    place
        .cluster
        .api
        .call("POST", &place.path("serviceaccounts", ""), Some(&account));
}

/// Returns a token of a ServiceAccount, which is valid while the object that it is bound to exists.
pub fn token(place: &Place, name: &str, bound: &Value) -> String {
    let request =
        json!({"spec": {"expirationSeconds": 3600, "audiences": [], "boundObjectRef": bound}});
    let path = format!("{}/token", place.path("serviceaccounts", name));
    let answer = place.cluster.api.post(&path, &request);
    answer["status"]["token"].as_str().unwrap().to_owned()
}

fn kubeconfig(ca: Option<&Path>, server: &str, dir: &Path) -> String {
    let mut of_cluster = json!({"server": server});
    if let Some(ca) = ca.filter(|_| server.starts_with("https")) {
        of_cluster["certificate-authority-data"] = STANDARD.encode(fs::read(ca).unwrap()).into();
    }
    let config = json!({
        "apiVersion": "v1", "kind": "Config", "current-context": "it",
        "clusters": [{"name": "it", "cluster": of_cluster}],
        "users": [{"name": "it", "user": {"tokenFile": dir.join("token")}}],
        "contexts": [{"name": "it", "context": {"cluster": "it", "user": "it"}}],
    });
    config.to_string()
}
