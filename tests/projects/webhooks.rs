//! Webhooks on the real API server: what they say, with whose certificate, and what holds while there is
//! nobody to say anything. The operators run beside the cluster, so their Service is `localhost`.

use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use crate::story::{alone, command, on_cluster, replay, rustop, target};
use crate::support::{Ran, Sandbox, run, until};

const SOON: Duration = Duration::from_secs(60);
/// A renewal takes a minute of overlap, and each replica looks every 10 s.
const RENEWED: Duration = Duration::from_secs(120);

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
fn project() -> PathBuf {
    let dir = replay("webhooks");
    for (file, source) in [
        ("defaulting", include_str!("webhooks/defaulting.rs")),
        ("validation", include_str!("webhooks/validation.rs")),
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

struct Place {
    sandbox: Sandbox,
    dir: PathBuf,
}

impl Place {
    fn sh(&self, line: &str) -> Ran {
        run(on_cluster(&self.sandbox, &self.dir, "sh").args(["-c", line]))
    }

    fn ok(&self, line: &str) -> String {
        let ran = self.sh(line);
        assert_eq!(ran.code, Some(0), "{line}\n{}{}", ran.stdout, ran.stderr);
        ran.stdout
    }

    /// `kubectl` with a Lolcow that says `message`.
    fn lolcow(&self, kubectl: &str, name: &str, message: &str) -> Ran {
        let object = format!(
            r#"{{"apiVersion": "my.domain/v1alpha1", "kind": "Lolcow", "metadata": {{"name": "{name}"}}, "spec": {{{message}}}}}"#
        );
        self.sh(&format!("echo '{object}' | $KUBECTL {kubectl} -f -"))
    }

    fn certificate(&self) -> String {
        self.ok("$KUBECTL -n webhooks-operator-system get secret webhooks-operator-webhook-certificate -o 'jsonpath={.data.tls\\.crt}'")
    }

    /// Makes the API server ask the replica at `port`.
    fn ask(&self, port: u16) {
        let ports: Vec<_> = [0, 1]
            .iter()
            .map(|n| format!(r#"{{"op": "add", "path": "/webhooks/{n}/clientConfig/service/port", "value": {port}}}"#))
            .collect();
        for (kind, ports) in [("mutating", &ports[..1]), ("validating", &ports[..])] {
            let ports = ports.join(",");
            self.ok(&format!("$KUBECTL patch {kind}webhookconfiguration webhooks-operator-{kind}-webhook-configuration --type json -p '[{ports}]'"));
        }
    }

    /// Waits until a request is answered as the webhooks do, by whichever replica is asked now.
    fn answers(&self) {
        until("an answer of the webhooks", SOON, || {
            let ran = self.lolcow("create --dry-run=server", "x", "");
            ran.code == Some(0)
        });
    }
}

/// A replica of the operator, with the rights of the cluster's admin.
struct Replica {
    child: Child,
    webhooks: u16,
    probes: u16,
}

impl Replica {
    fn start(place: &Place) -> Self {
        let ports = [(); 2].map(|()| TcpListener::bind("127.0.0.1:0").unwrap());
        let [webhooks, probes] = ports.map(|port| port.local_addr().unwrap().port());
        let binary = target().join("debug/webhooks-operator");
        let mut command = on_cluster(&place.sandbox, &place.dir, binary.to_str().unwrap());
        let child = command
            .env("POD_NAMESPACE", "webhooks-operator-system")
            .env("LEADER_ELECT", "true")
            .env("WEBHOOK_HOST", "127.0.0.1")
            .env("WEBHOOK_PORT", webhooks.to_string())
            .env("HEALTH_PROBE_BIND_ADDRESS", format!("127.0.0.1:{probes}"))
            .stdin(Stdio::null())
            .stderr(Stdio::null());
        Self {
            child: child.spawn().unwrap(),
            webhooks,
            probes,
        }
    }

    fn becomes_ready(&self) {
        until("readiness", SOON, || {
            ureq::get(format!("http://127.0.0.1:{}/readyz", self.probes))
                .call()
                .is_ok()
        });
    }

    fn kill(&mut self) {
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

fn build(dir: &Path) {
    let line = "build --locked --quiet --workspace --bin webhooks-operator";
    let ran = run(command(dir, "cargo").args(line.split(' ')));
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
}

#[test]
fn two_replicas_default_and_refuse_through_a_renewal_and_a_restart() {
    let _alone = alone();
    let place = Place {
        dir: project(),
        sandbox: Sandbox::new(),
    };
    build(&place.dir);
    place.sandbox.ok("cluster start");
    fs::create_dir(place.dir.join("local")).unwrap();
    fs::write(place.dir.join("local/kustomization.yaml"), OVERLAY).unwrap();
    place.ok("$KUBECTL apply --server-side -k config/crd && $KUBECTL wait --for condition=Established --timeout 60s crd --all");
    place.ok("$KUBECTL create namespace webhooks-operator-system");
    place.ok("$KUBECTL apply --server-side --force-conflicts -k local");
    let denied = place.lolcow("create", "early", "");
    assert!(
        denied.stderr.contains("failed calling webhook"),
        "{}",
        denied.stderr
    );

    // Both find an empty Secret, and one of them fills it.
    let (mut one, mut other) = (Replica::start(&place), Replica::start(&place));
    for replica in [&one, &other] {
        replica.becomes_ready();
        place.ask(replica.webhooks);
        place.answers();
    }
    let first = place.certificate();

    let (over, asked) = (AtomicBool::new(false), AtomicUsize::new(0));
    let failures = std::thread::scope(|scope| {
        let load = scope.spawn(|| {
            let mut failures = Vec::new();
            while !over.load(Ordering::Relaxed) {
                let ran = place.lolcow("create --dry-run=server", "load", "");
                asked.fetch_add(1, Ordering::Relaxed);
                failures.extend((ran.code != Some(0)).then_some(ran.stderr));
            }
            failures
        });
        place.ok("$KUBECTL -n webhooks-operator-system annotate secret webhooks-operator-webhook-certificate webhook-certificate/due=now --overwrite");
        what_they_say(&place);
        until("a renewal", RENEWED, || place.certificate() != first);
        // Who shows the old one still is trusted, and so is who shows the new one.
        for port in [one.webhooks, other.webhooks, one.webhooks] {
            place.ask(port);
            place.answers();
        }
        over.store(true, Ordering::Relaxed);
        load.join().unwrap()
    });
    assert!(failures.is_empty(), "{failures:#?}");
    assert!(asked.load(Ordering::Relaxed) > 20, "{asked:?}");

    one.kill();
    other.kill();
    let denied = place.lolcow("create", "late", "");
    assert!(
        denied.stderr.contains("failed calling webhook"),
        "{}",
        denied.stderr
    );
    let one = Replica::start(&place);
    one.becomes_ready();
    place.ask(one.webhooks);
    place.answers();
}

/// Defaults, refusals with every field, warnings, rules for updates and deletions, and a panic.
fn what_they_say(place: &Place) {
    assert_eq!(place.lolcow("create", "silent", "").code, Some(0));
    let message = place.ok("$KUBECTL get lolcow silent -o 'jsonpath={.spec.message}'");
    assert_eq!(message, "Moo, says silent");

    let refused = place.lolcow("create", "bull", r#""message": "damn""#);
    assert_eq!(
        refused.stderr,
        "The Lolcow \"bull\" is invalid: \n* spec.message: Invalid value: \"damn\": must be polite\n* metadata.name: Forbidden: bulls are no cows\n"
    );
    let loud = place.lolcow("create", "loud", r#""message": "moo!""#);
    assert_eq!(
        (loud.code, loud.stderr.as_str()),
        (Some(0), "Warning: this cow is loud\n")
    );
    let changed = place.lolcow("apply", "loud", r#""message": "hush""#);
    assert!(
        changed
            .stderr
            .contains("spec.message: Forbidden: is said already"),
        "{}",
        changed.stderr
    );

    assert_eq!(
        place
            .lolcow("create", "keeper", r#""message": "stay""#)
            .code,
        Some(0)
    );
    let kept = place.sh("$KUBECTL delete lolcow keeper");
    assert!(
        kept.stderr.contains("(Kept)") && kept.stderr.contains("it stays, "),
        "{}",
        kept.stderr
    );
    place.ok("$KUBECTL delete lolcow loud");

    let panicked = place.lolcow("create", "p", r#""message": "panic""#);
    assert!(
        panicked.stderr.contains("(InternalError)")
            && panicked.stderr.contains("the webhook panicked"),
        "{}",
        panicked.stderr
    );
    let pod = "$KUBECTL run pod --image=moo --dry-run=server";
    assert_eq!(place.sh(pod).code, Some(0));
}

/// With the rights that the manifests give it, and nothing set up.
#[test]
fn dev_calls_them_and_takes_them_away() {
    let _alone = alone();
    let sandbox = Sandbox::new();
    let dir = project();
    let dev = |line: &str| {
        let mut command: Command = command(&dir, "rustop");
        run(command
            .args(line.split(' '))
            .env("RUSTOP_STATE", sandbox.state()))
    };
    sandbox.ok("cluster start --name webhooks-operator");
    let ran = dev("dev --once --timeout 120s");
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let left = sandbox.kubectl(
        "webhooks-operator",
        "get mutatingwebhookconfigurations,validatingwebhookconfigurations -o name",
    );
    assert_eq!(left.stdout, "");
    let report = dev("rbac report --check");
    assert_eq!(report.code, Some(0), "{}{}", report.stdout, report.stderr);
    assert!(!report.stdout.contains("forbidden:"), "{}", report.stdout);
}
