//! An operator at work: on this machine, with the rights of its ServiceAccount and no others.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use rustix::process::Signal;

use crate::late_news;
use crate::project::{self, Made};
use crate::proxy::Proxy;
use crate::stage::{SOON, Stage};
use crate::story;
use crate::support::{address, crds, kill, progress, run, until};

const PROBES: u16 = 8081;
const METRICS: u16 = 8080;

pub struct Operator {
    name: &'static str,
    pub dir: PathBuf,
    binary: PathBuf,
    /// The program after an upgrade.
    next: PathBuf,
    kubeconfig: PathBuf,
    /// The environment variables that the test adds.
    env: Vec<(&'static str, String)>,
    running: Option<Running>,
}

struct Running {
    child: Child,
    address: String,
}

impl Operator {
    /// Builds the operator, installs what `config/default` has, and gets a token of its ServiceAccount.
    pub fn install(stage: &Stage, name: &'static str) -> Self {
        let Made { dir, binary, next } = project::made(name);
        let config = dir.join("config/default");
        let line = format!("apply --server-side -k {}", config.display());
        // A kind whose CRD is in the same directory may not be served yet; the operator waits for it.
        stage.kubectl_ok(&line);
        for crd in crds::written(&dir) {
            let name = crds::name(&crd);
            let path = format!("/apis/apiextensions.k8s.io/v1/customresourcedefinitions/{name}");
            crds::assert_came_back(&crd, &stage.get(&path));
        }
        let token = stage.kubectl_ok(&format!(
            "create token {name}-controller-manager -n {name}-system --duration 2h"
        ));
        let kubeconfig = stage.cluster.sandbox.path().join(format!("{name}.yaml"));
        fs::copy(&stage.cluster.kubeconfig, &kubeconfig).unwrap();
        let file = kubeconfig.display();
        stage.kubectl_ok(&format!(
            "config --kubeconfig {file} set-credentials operator --token {}",
            token.trim()
        ));
        stage.kubectl_ok(&format!(
            "config --kubeconfig {file} set-context --current --user operator"
        ));
        Self {
            name,
            dir,
            binary,
            next,
            kubeconfig,
            env: Vec::new(),
            running: None,
        }
    }

    #[must_use]
    pub fn env(mut self, name: &'static str, value: String) -> Self {
        self.env.push((name, value));
        self
    }

    /// Lets it reach the API server through a proxy, and hear of every change late, of its own as well.
    #[must_use]
    pub fn with_late_news(self, proxy: &Proxy, late: Duration) -> Self {
        let text = fs::read_to_string(&self.kubeconfig).unwrap();
        let server = text.split("server: ").nth(1).unwrap();
        let server = server.split_whitespace().next().unwrap();
        let wire = late_news::wire(proxy.url.trim_start_matches("http://"), late);
        let text = text.replace(server, &format!("http://{wire}"));
        fs::write(&self.kubeconfig, text).unwrap();
        self
    }

    /// Returns its user name at the API server.
    pub fn user(&self) -> String {
        let name = self.name;
        format!("system:serviceaccount:{name}-system:{name}-controller-manager")
    }

    /// Starts it, and does not wait.
    pub fn launch(&mut self) {
        progress("starts its operator");
        let log = fs::File::options()
            .create(true)
            .append(true)
            .open(self.log_path());
        let log = log.unwrap();
        let address = address();
        let child = Command::new(&self.binary)
            .arg(format!("--health-probe-bind-address={address}:{PROBES}"))
            .arg(format!("--metrics-bind-address={address}:{METRICS}"))
            .args(["--metrics-secure=false", "--log-format=json"])
            .env("KUBECONFIG", &self.kubeconfig)
            .env("POD_NAMESPACE", format!("{}-system", self.name))
            .envs(self.env.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::null())
            .stdout(log.try_clone().unwrap())
            .stderr(log)
            .spawn()
            .unwrap();
        self.running = Some(Running { child, address });
    }

    /// Starts it and waits until it works.
    pub fn start(&mut self) {
        self.launch();
        until(&format!("{} is ready", self.name), SOON, || {
            self.readiness().starts_with("ok")
        });
    }

    /// Returns the response of `/readyz`.
    pub fn readiness(&self) -> String {
        fetch(&self.running().address, PROBES, "readyz")
    }

    /// One of the figures that it shows to Prometheus; 0 where there is none.
    pub fn figure(&self, name: &str) -> f64 {
        let figures = fetch(&self.running().address, METRICS, "metrics");
        let line = figures.lines().find_map(|line| line.strip_prefix(name));
        line.map_or(0.0, |value| value.trim().parse().unwrap())
    }

    /// Returns the number of successful reconciles since its last start.
    pub fn reconciled(&self, controller: &str) -> f64 {
        let of = |result: &str| {
            self.figure(&format!(
                "controller_runtime_reconcile_total{{controller=\"{controller}\",result=\"{result}\"}}"
            ))
        };
        of("success") + of("requeue_after")
    }

    /// Sends SIGTERM, as the kubelet does, after which it must end.
    pub fn stop(&mut self) {
        let mut running = self.running.take().unwrap();
        kill(running.child.id(), Signal::TERM);
        let status = running.child.wait().unwrap();
        assert!(status.success(), "{}: {status}", self.name);
    }

    /// Ends it in the middle of whatever it does.
    pub fn crash(&mut self) {
        let mut running = self.running.take().unwrap();
        running.child.kill().unwrap();
        running.child.wait().unwrap();
    }

    /// Selects the next version for all later starts.
    pub fn upgrade(&mut self) {
        self.binary.clone_from(&self.next);
    }

    /// Returns its log since its first start.
    pub fn log(&self) -> String {
        fs::read_to_string(self.log_path()).unwrap_or_default()
    }

    fn log_path(&self) -> PathBuf {
        self.kubeconfig.with_extension("log")
    }

    fn running(&self) -> &Running {
        self.running.as_ref().expect("the operator runs")
    }

    /// `rustop rbac report --check`: no request was forbidden, and all permissions were used.
    pub fn assert_its_role_fits(&self, stage: &Stage) {
        let ran = run(story::command(&self.dir, "rustop")
            .args([
                "rbac",
                "report",
                "--check",
                "--unused",
                "--cluster",
                "default",
            ])
            .env("RUSTOP_STATE", stage.cluster.sandbox.state()));
        assert_eq!(
            ran.stdout, "no request was forbidden, and all permissions were used\n",
            "{}",
            ran.stderr
        );
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    }
}

impl Drop for Operator {
    fn drop(&mut self) {
        if let Some(mut running) = self.running.take() {
            let _ = running.child.kill();
            let _ = running.child.wait();
        }
        if std::thread::panicking() {
            eprintln!("{}", tail(&self.log_path()));
        }
    }
}

fn tail(log: &Path) -> String {
    let log = fs::read_to_string(log).unwrap_or_default();
    let lines: Vec<&str> = log.lines().collect();
    lines[lines.len().saturating_sub(40)..].join("\n")
}

/// Returns the response at a path, whatever its status; empty if no server listens yet.
fn fetch(address: &str, port: u16, path: &str) -> String {
    let agent: ureq::Agent = ureq::Agent::config_builder()
        .http_status_as_error(false)
        .build()
        .into();
    let answer = agent.get(format!("http://{address}:{port}/{path}")).call();
    answer
        .and_then(|mut answer| answer.body_mut().read_to_string())
        .unwrap_or_default()
}
