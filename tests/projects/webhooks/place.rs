//! The test environment of webhooks: a cluster, and replicas of an operator next to it. Their
//! Service is `localhost`.

use std::fs;
use std::net::TcpListener;
use std::path::PathBuf;
use std::process::{Child, Stdio};
use std::time::Duration;

use crate::story::{command, on_cluster, replay, rustop, target};
use crate::support::{ESTABLISHED, Ran, Sandbox, run, until};

pub const SOON: Duration = Duration::from_secs(60);
/// Leads the webhooks to this machine, and leaves out the Deployment.
const OVERLAY: &str = r#"
resources: [../config/default]
patches:
- target: {kind: Deployment}
  patch: '{"$patch": "delete", "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "any"}}'
- target: {kind: Service, name: webhooks-operator-webhook-service}
  patch: '[{"op": "replace", "path": "/spec", "value": {"type": "ExternalName", "externalName": "localhost"}}]'
"#;

/// The webhooks project with rules of its own, its manifests written.
pub fn project() -> PathBuf {
    let dir = replay("webhooks");
    for (file, source) in [
        ("defaulting", include_str!("rules/defaulting.rs")),
        ("validation", include_str!("rules/validation.rs")),
    ] {
        let path = dir.join(format!("src/webhooks/lolcow/{file}.rs"));
        let skeleton = fs::read_to_string(&path).unwrap();
        let marker = skeleton.lines().find(|line| line.contains("+kubebuilder"));
        let marker = marker.unwrap();
        let marker = match file {
            "validation" => marker.replace("create;update", "create;update;delete"),
            _ => marker.to_owned(),
        };
        fs::write(&path, source.replace("// MARKER", &marker)).unwrap();
    }
    let ran = rustop(&dir, &["manifests"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    dir
}

pub struct Place {
    pub sandbox: Sandbox,
    pub dir: PathBuf,
}

impl Place {
    /// Starts a cluster that calls the webhooks on this machine, where no operator runs yet.
    pub fn new() -> Self {
        let place = Self {
            dir: project(),
            sandbox: Sandbox::new(),
        };
        let line = "build --locked --quiet --workspace --bin webhooks-operator";
        let ran = run(command(&place.dir, "cargo").args(line.split(' ')));
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        place.sandbox.ok("cluster start");
        fs::create_dir(place.dir.join("local")).unwrap();
        fs::write(place.dir.join("local/kustomization.yaml"), OVERLAY).unwrap();
        place.ok("$KUBECTL apply --server-side -k config/crd");
        place.ok(ESTABLISHED);
        place.ok("$KUBECTL create namespace webhooks-operator-system");
        place.ok("$KUBECTL apply --server-side --force-conflicts -k local");
        place
    }

    pub fn sh(&self, line: &str) -> Ran {
        run(on_cluster(&self.sandbox, &self.dir, "sh").args(["-c", line]))
    }

    pub fn ok(&self, line: &str) -> String {
        let ran = self.sh(line);
        assert_eq!(ran.code, Some(0), "{line}\n{}{}", ran.stdout, ran.stderr);
        ran.stdout
    }

    /// `kubectl` with a Lolcow that says `message`.
    pub fn lolcow(&self, kubectl: &str, name: &str, message: &str) -> Ran {
        let object = format!(
            r#"{{"apiVersion": "my.domain/v1alpha1", "kind": "Lolcow", "metadata": {{"name": "{name}"}}, "spec": {{{message}}}}}"#
        );
        self.sh(&format!("echo '{object}' | $KUBECTL {kubectl} -f -"))
    }

    pub fn certificate(&self) -> String {
        self.ok("$KUBECTL -n webhooks-operator-system get secret webhooks-operator-webhook-certificate -o 'jsonpath={.data.tls\\.crt}'")
    }

    /// Makes the API server ask the replica at `port`.
    pub fn ask(&self, port: u16) {
        let ports: Vec<_> = [0, 1]
            .iter()
            .map(|n| format!(r#"{{"op": "add", "path": "/webhooks/{n}/clientConfig/service/port", "value": {port}}}"#))
            .collect();
        for (kind, ports) in [("mutating", &ports[..1]), ("validating", &ports[..])] {
            let ports = ports.join(",");
            self.ok(&format!("$KUBECTL patch {kind}webhookconfiguration webhooks-operator-{kind}-webhook-configuration --type json -p '[{ports}]'"));
        }
        let port = format!(
            r#"[{{"op": "add", "path": "/spec/conversion/webhook/clientConfig/service/port", "value": {port}}}]"#
        );
        self.ok(&format!(
            "$KUBECTL patch crd lolcows.my.domain --type json -p '{port}'"
        ));
    }

    /// Waits until a replica responds to a request as the webhooks do.
    pub fn answers(&self) {
        until("an answer of the webhooks", SOON, || {
            let ran = self.lolcow("create --dry-run=server", "x", "");
            ran.code == Some(0)
        });
    }
}

/// A replica of the operator, with the rights of the cluster's admin.
pub struct Replica {
    pub child: Child,
    pub webhooks: u16,
    metrics: u16,
    probes: u16,
}

impl Replica {
    pub fn start(place: &Place) -> Self {
        let ports = [(); 3].map(|()| TcpListener::bind("127.0.0.1:0").unwrap());
        let [webhooks, metrics, probes] = ports.map(|port| port.local_addr().unwrap().port());
        let binary = target(&place.dir).join("debug/webhooks-operator");
        let mut command = on_cluster(&place.sandbox, &place.dir, binary.to_str().unwrap());
        let child = command
            .env("POD_NAMESPACE", "webhooks-operator-system")
            .env("LEADER_ELECT", "true")
            .env("WEBHOOK_HOST", "127.0.0.1")
            .env("WEBHOOK_PORT", webhooks.to_string())
            .env("METRICS_BIND_ADDRESS", format!("127.0.0.1:{metrics}"))
            .env("METRICS_SECURE", "false")
            .env("HEALTH_PROBE_BIND_ADDRESS", format!("127.0.0.1:{probes}"))
            .stdin(Stdio::null())
            .stderr(Stdio::null());
        Self {
            child: child.spawn().unwrap(),
            webhooks,
            metrics,
            probes,
        }
    }

    pub fn becomes_ready(&self) {
        until("readiness", SOON, || {
            ureq::get(format!("http://127.0.0.1:{}/readyz", self.probes))
                .call()
                .is_ok()
        });
    }

    /// Returns its metrics.
    pub fn figures(&self) -> String {
        let answer = ureq::get(format!("http://127.0.0.1:{}/metrics", self.metrics)).call();
        answer.unwrap().body_mut().read_to_string().unwrap()
    }

    pub fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for Replica {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
