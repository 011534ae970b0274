//! Webhooks of an operator on a developer's machine: nothing to set up, and nothing left
//! afterwards.

use std::fs::{self, File};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Stdio};

use rustix::process::{Pid, Signal, kill_process_group};

use super::place::{Place, SOON, project};
use crate::story::{cluster_of, in_project, on_cluster, turn};
use crate::support::{Sandbox, until};

const CONFIGURATIONS: &str =
    "get mutatingwebhookconfigurations,validatingwebhookconfigurations -o name";

/// Some say where the API server runs. This one runs elsewhere: the address is for documentation.
const ELSEWHERE: &str = "
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {name: kubernetes, namespace: default}
addressType: IPv4
endpoints: [{addresses: [192.0.2.1]}]
ports: []
";

/// `make run` in a terminal of its own.
struct MakeRun(Child);

impl MakeRun {
    fn start(place: &Place, arguments: &[&str]) -> Self {
        let log = File::create(place.dir.join("run.log")).unwrap();
        let mut command = on_cluster(&place.sandbox, &place.dir, "make");
        command.arg("run").args(arguments);
        command
            .env("HEALTH_PROBE_BIND_ADDRESS", "0")
            .env("HOME", place.sandbox.path());
        command
            .stdin(Stdio::null())
            .stdout(log.try_clone().unwrap())
            .stderr(log);
        Self(command.process_group(0).spawn().unwrap())
    }

    fn interrupt(&mut self) {
        kill_process_group(Pid::from_child(&self.0), Signal::INT).unwrap();
        self.ends();
    }

    fn ends(&mut self) -> bool {
        until("the end of make", SOON, || {
            self.0.try_wait().unwrap().is_some()
        });
        self.0.wait().unwrap().success()
    }
}

impl Drop for MakeRun {
    fn drop(&mut self) {
        let _ = kill_process_group(Pid::from_child(&self.0), Signal::KILL);
        let _ = self.0.wait();
    }
}

/// Makes the operator wait at its start while the file `WAIT_FOR` exists.
fn let_the_operator_wait(place: &Place) {
    let path = place.dir.join("src/main.rs");
    let text = fs::read_to_string(&path).unwrap();
    let begin = "async fn main() -> ExitCode {\n";
    let waits = r#"    while std::env::var_os("WAIT_FOR").is_some_and(|file| std::path::Path::new(&file).exists()) {
        eprintln!("waits");
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
"#;
    assert!(text.contains(begin), "{text}");
    fs::write(path, text.replace(begin, &format!("{begin}{waits}"))).unwrap();
}

impl Place {
    fn says(&self, text: &str) -> bool {
        let log = fs::read_to_string(self.dir.join("run.log")).unwrap();
        log.contains(text)
    }

    fn is_polite(&self) -> bool {
        let ran = self.lolcow("create --dry-run=server", "rude", r#""message": "damn""#);
        ran.stderr.contains("must be polite")
    }

    fn serves(&self) {
        until("a review", SOON * 3, || {
            self.says("Serving") && self.is_polite()
        });
    }

    fn nothing_is_left(&self) {
        assert_eq!(self.ok(&format!("$KUBECTL {CONFIGURATIONS}")), "");
        let services = "$KUBECTL get services --namespace webhooks-operator-system -o name";
        assert_eq!(self.ok(services), "");
        assert!(!self.is_polite());
    }
}

#[test]
fn make_run_calls_them_and_takes_them_away() {
    let _turn = turn("webhooks");
    let place = Place {
        dir: project(),
        sandbox: Sandbox::new(),
    };
    place.sandbox.ok("cluster start");
    let_the_operator_wait(&place);
    place.ok("make install");
    let conversion = "$KUBECTL get crd lolcows.my.domain -o 'jsonpath={.spec.conversion}'";
    let installed = place.ok(conversion);

    let mut make = MakeRun::start(&place, &[]);
    place.serves();
    place.ok("$KUBECTL apply -k config/samples");
    for version in ["v1alpha1", "v1"] {
        place.ok(&format!(
            "$KUBECTL get lolcows.{version}.my.domain lolcow-sample"
        ));
    }
    make.interrupt();
    place.nothing_is_left();
    assert_eq!(place.ok(conversion), installed);

    // An operator that does not even start.
    let mut make = MakeRun::start(&place, &["ARGS=--no-such-flag"]);
    assert!(!make.ends() && place.says("--no-such-flag"));
    place.nothing_is_left();

    // The webhooks that a killed run left behind are taken over; those that a user deployed are
    // not.
    let killed = MakeRun::start(&place, &[]);
    place.serves();
    // A run of another account does not take over the webhooks of this one. Accounts do not share
    // locks, as they have state directories of their own.
    let state = format!(
        "RUSTOP_STATE={}",
        place.sandbox.path().join("of-another").display()
    );
    let mut other = MakeRun::start(&place, &[&state]);
    assert!(!other.ends() && place.says("leads to a running operator at 127.0.0.1:"));
    assert!(place.is_polite());

    // Nor does one whose operator took long to start, and did so while no other one served.
    drop(killed);
    place.ok("echo > gate");
    let mut slow = MakeRun::start(&place, &[&state, "WAIT_FOR=gate"]);
    until("the operator", SOON * 3, || place.says("waits"));
    let killed = MakeRun::start(&place, &[]);
    place.serves();
    place.ok("rm gate");
    assert!(!slow.ends() && place.says("leads to a running operator at 127.0.0.1:"));
    assert!(place.is_polite());
    drop(killed);
    assert_ne!(place.ok(&format!("$KUBECTL {CONFIGURATIONS}")), "");
    let mut make = MakeRun::start(&place, &[]);
    place.serves();
    make.interrupt();
    place.nothing_is_left();
    place.ok("$KUBECTL apply --server-side --force-conflicts -k config/default");
    let mut make = MakeRun::start(&place, &[]);
    assert!(!make.ends() && place.says("make undeploy"));
    assert_ne!(place.ok(&format!("$KUBECTL {CONFIGURATIONS}")), "");
    place.ok("make undeploy");

    // An API server on another machine needs the address of this one.
    place.ok(&format!("$KUBECTL apply -f - <<END{ELSEWHERE}END"));
    let mut make = MakeRun::start(&place, &[]);
    until("the operator", SOON, || place.says("starting"));
    assert!(place.says("pass its address: make run REACHED_AT=HOST"));
    make.interrupt();
    place.nothing_is_left();
    let mut make = MakeRun::start(&place, &["REACHED_AT=localhost"]);
    place.serves();
    make.interrupt();
    place.nothing_is_left();
}

/// With the rights that the manifests give it, and nothing set up.
#[test]
fn dev_calls_them_and_takes_them_away() {
    let _turn = turn("webhooks");
    let sandbox = Sandbox::new();
    let dir = project();
    let dev = |line: &str| in_project(&sandbox, &dir, line);
    assert_eq!(dev("cluster start").code, Some(0));
    let ran = dev("dev --once --timeout 120s");
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let cluster = cluster_of(&sandbox, &dir);
    let left = sandbox.kubectl(cluster["name"].as_str().unwrap(), CONFIGURATIONS);
    assert_eq!(left.stdout, "");
    let report = dev("rbac report --check");
    assert_eq!(report.code, Some(0), "{}{}", report.stdout, report.stderr);
    assert!(!report.stdout.contains("forbidden:"), "{}", report.stdout);
}
