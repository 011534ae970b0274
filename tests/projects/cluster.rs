//! The manifests and the Makefile of the golden projects, on the real control plane.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use rustix::process::Signal;

use crate::page;
use crate::story::{on_cluster, replay, turn};
use crate::support::{ESTABLISHED, Sandbox, kill, run, until};

/// The time limit for any reaction of the API server and the controllers.
const SOON: Duration = Duration::from_secs(60);

/// Runs a line of shell in a project and expects success.
fn sh(sandbox: &Sandbox, dir: &Path, line: &str) -> String {
    let ran = run(on_cluster(sandbox, dir, "sh").args(["-ec", line]));
    assert_eq!(ran.code, Some(0), "{line}\n{}{}", ran.stdout, ran.stderr);
    ran.stdout
}

/// Everything is accepted, by a dry run and for good, and the operator's pods may run in a
/// namespace that enforces the `restricted` Pod Security Standard.
fn accepted(dir: &Path, project: &str) {
    let sandbox = Sandbox::new();
    sandbox.ok("cluster start");
    let sh = |line: &str| sh(&sandbox, dir, line);
    sh("$KUBECTL apply --server-side -k config/crd");
    sh(ESTABLISHED);
    sh(&format!("$KUBECTL create namespace {project}-system"));
    for dry_run in ["--dry-run=server", ""] {
        sh(&format!(
            "$KUBECTL apply --server-side --force-conflicts {dry_run} -k config/default"
        ));
        sh(&format!(
            "$KUBECTL apply --server-side {dry_run} -k config/samples"
        ));
        // config/default would put the optional part into the operator's namespace.
        if dir.join("config/network-policy").exists() {
            sh(&format!(
                "$KUBECTL kustomize config/network-policy | sed 's/namespace: system/namespace: {project}-system/' \
                 | $KUBECTL apply --server-side {dry_run} -f -"
            ));
        }
    }
    let label = r"{.metadata.labels.pod-security\.kubernetes\.io/enforce}";
    let enforced = sh(&format!(
        "$KUBECTL get namespace {project}-system -o 'jsonpath={label}'"
    ));
    assert_eq!(enforced, "restricted");
    sh(&format!(
        "$KUBECTL -n {project}-system rollout status deployment {project}-controller-manager --timeout 60s"
    ));
}

#[test]
fn lolcow_is_accepted() {
    let _turn = turn("lolcow");
    accepted(&replay("lolcow"), "lolcow-operator");
}

#[test]
fn fleet_is_accepted() {
    let _turn = turn("fleet");
    accepted(&replay("fleet"), "fleet-operator");
}

#[test]
fn namespaced_is_accepted() {
    let _turn = turn("namespaced");
    accepted(&replay("namespaced"), "namespaced-operator");
}

/// A program in the background and what it says; it ends with the test.
struct Background {
    child: Child,
    log: tempfile::NamedTempFile,
}

impl Background {
    fn start(mut command: Command) -> Self {
        let log = tempfile::NamedTempFile::new().unwrap();
        command.env("HEALTH_PROBE_BIND_ADDRESS", "0");
        let child = command
            .stdin(Stdio::null())
            .stdout(log.reopen().unwrap())
            .stderr(log.reopen().unwrap())
            .spawn()
            .unwrap();
        Self { child, log }
    }

    fn says(&self, text: &str) -> bool {
        self.said().contains(text)
    }

    fn said(&self) -> String {
        fs::read_to_string(self.log.path()).unwrap()
    }
}

impl Drop for Background {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        if std::thread::panicking() {
            eprintln!(
                "{}",
                fs::read_to_string(self.log.path()).unwrap_or_default()
            );
        }
    }
}

/// The operator starts before the CRD is installed, logs the fix, and continues after it.
#[test]
fn make_run_waits_for_the_crd_and_then_reconciles() {
    let _turn = turn("lolcow");
    let sandbox = Sandbox::new();
    let dir = replay("lolcow");
    sandbox.ok("cluster start --no-controllers");
    let mut command = on_cluster(&sandbox, &dir, "make");
    command.arg("run");
    let operator = Background::start(command);
    until(
        "the operator names the command",
        Duration::from_secs(600),
        || operator.says("make install"),
    );
    sh(&sandbox, &dir, "make install");
    sh(&sandbox, &dir, "$KUBECTL apply -k config/samples");
    sh(
        &sandbox,
        &dir,
        "$KUBECTL wait --for condition=Ready --timeout 60s lolcow/lolcow-sample",
    );
    let told = |word: &'static str| {
        page::wait_for_event(&operator.said(), move |told| {
            page::is_object(told, "Lolcow", word)
        })
    };
    assert_eq!(told("Ready")["name"], "lolcow-sample");
    let columns = sh(&sandbox, &dir, "$KUBECTL get lolcows");
    assert!(
        columns.contains("READY") && columns.contains("True"),
        "{columns}"
    );
    let of_operator = |(_, command): &(u32, String)| {
        command.contains("lolcow-operator") && !command.contains("make")
    };
    let pids: Vec<_> = sandbox
        .processes()
        .into_iter()
        .filter(of_operator)
        .collect();
    assert!(!pids.is_empty(), "{:?}", sandbox.processes());
    for (pid, _) in pids {
        kill(pid, Signal::TERM);
    }
    until("the operator stops", SOON, || {
        operator.says("stopping") && !sandbox.processes().iter().any(of_operator)
    });
}

/// The Lease is held by a replica that no longer renews it. The test checks that the operator waits
/// for the right Lease.
#[test]
fn run_takes_over_from_the_operator_in_the_cluster() {
    let _turn = turn("lolcow");
    let sandbox = Sandbox::new();
    let dir = replay("lolcow");
    sandbox.ok("cluster start --no-controllers");
    let sh = |line: &str| sh(&sandbox, &dir, line);
    sh("make install");
    sh("$KUBECTL create namespace lolcow-operator-system");
    let lease = r#"{"apiVersion": "coordination.k8s.io/v1", "kind": "Lease",
        "metadata": {"name": "lolcow-operator", "namespace": "lolcow-operator-system"},
        "spec": {"holderIdentity": "pod_1", "leaseDurationSeconds": 5, "renewTime": "2099-01-01T00:00:00.000000Z"}}"#;
    fs::write(sandbox.path().join("lease.json"), lease).unwrap();
    let file = sandbox.path().join("lease.json");
    sh(&format!("$KUBECTL apply -f {}", file.display()));
    let mut command = on_cluster(&sandbox, &dir, "rustop");
    command.args(["run", "--takeover"]);
    let operator = Background::start(command);
    let holder = "$KUBECTL -n lolcow-operator-system get lease lolcow-operator -o 'jsonpath={.spec.holderIdentity}'";
    until("it leads", Duration::from_secs(600), || {
        operator.says("leading") && operator.says("taking over")
    });
    assert_ne!(sh(holder), "pod_1");
    kill(operator.child.id(), Signal::INT);
    until("it is given back", SOON, || sh(holder).is_empty());
}

/// The targets of the Makefile delete user data only on request.
#[test]
fn make_takes_away_only_what_is_meant() {
    let _turn = turn("lolcow");
    let sandbox = Sandbox::new();
    let dir = replay("lolcow");
    sandbox.ok("cluster start --no-controllers");
    let sh = |line: &str| sh(&sandbox, &dir, line);
    sh("make deploy IMG=localhost:5000/lolcow:v1");
    let image = "$KUBECTL -n lolcow-operator-system get deploy -o 'jsonpath={.items[*].spec.template.spec.containers[*].image}'";
    assert_eq!(sh(image), "localhost:5000/lolcow:v1");
    sh("$KUBECTL apply -k config/samples");
    sh("make undeploy");
    assert!(sh("$KUBECTL get lolcows -o name").contains("lolcow-sample"));
    elsewhere(&sandbox, &dir);
    let refused = run(on_cluster(&sandbox, &dir, "make").arg("uninstall"));
    assert_eq!(refused.code, Some(2));
    assert!(
        refused.stdout.contains("objects: 1") && refused.stderr.contains("CONFIRM=yes"),
        "{refused:?}"
    );
    sh("make uninstall CONFIRM=yes");
    assert_eq!(sh("$KUBECTL get crd -o name"), "");
    sh("make build-installer IMG=example.com/x@sha256:0123");
    assert!(
        fs::read_to_string(dir.join("dist/install.yaml"))
            .unwrap()
            .contains("image: example.com/x@sha256:0123")
    );
    fs::remove_dir_all(dir.join("dist")).unwrap();
}

/// The namespace that remains is the one in `config/default`.
fn elsewhere(sandbox: &Sandbox, dir: &Path) {
    let other = sandbox.path().join("other");
    fs::create_dir(&other).unwrap();
    sh(
        sandbox,
        dir,
        &format!("cp -r Makefile config {}", other.display()),
    );
    let file = "config/default/kustomization.yaml";
    sh(
        sandbox,
        &other,
        &format!("sed -i 's/^namespace: .*/namespace: other/' {file}"),
    );
    let said = sh(sandbox, &other, "make --silent undeploy");
    assert!(said.contains("delete namespace other\n"), "{said}");
}

/// The generated tests pass on a cluster of their own.
#[test]
fn make_test_passes() {
    let _turn = turn("lolcow");
    let sandbox = Sandbox::new();
    let ran = run(crate::story::command(&replay("lolcow"), "make")
        .arg("test")
        .env("RUSTOP_STATE", sandbox.state()));
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
    assert!(
        ran.stdout.contains("becomes_ready_and_says_so ... ok"),
        "{}",
        ran.stdout
    );
    sandbox.assert_no_processes();
}

/// Those of operators of an image, too, which are checked as they are.
#[test]
fn make_check_and_test_pass_for_operators_of_an_image() {
    let _turn = turn("page");
    let sandbox = Sandbox::new();
    let ran = run(crate::story::command(&replay("page"), "make")
        .args(["check", "test"])
        .env("RUSTOP_STATE", sandbox.state()));
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
    let passed = |test: &str| ran.stdout.matches(&format!("{test} ... ok")).count();
    assert_eq!(passed("is_ready_when_all_pods_are"), 2);
    assert_eq!(passed("becomes_ready_and_follows_the_spec"), 2);
    assert_eq!(passed("rejects_an_image_without_a_tag"), 2);
}

/// Those of a kind with two versions, too.
#[test]
fn the_tests_of_a_kind_with_two_versions_pass() {
    let _turn = turn("webhooks");
    let sandbox = Sandbox::new();
    let line = "cluster exec -- cargo test --locked --package webhooks-operator";
    let ran = run(crate::story::command(&replay("webhooks"), "rustop")
        .args(line.split(' '))
        .env("RUSTOP_STATE", sandbox.state()));
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
    for test in [
        "becomes_ready_and_says_so",
        "nothing_is_lost_between_versions",
        "webhooks::lolcow::defaulting::tests::a_second_call_changes_nothing",
        "webhooks::lolcow::validation::tests::accepts_an_object_that_breaks_no_rule",
        "webhooks::core_pod::validation::tests::accepts_an_object_that_breaks_no_rule",
    ] {
        assert!(
            ran.stdout.contains(&format!("{test} ... ok")),
            "{}",
            ran.stdout
        );
    }
    sandbox.assert_no_processes();
}

/// The harness of generated tests has the API server call the operator's webhooks, conversion
/// included, and runs one operator at a time. The CRDs are computed once.
#[test]
fn the_harness_serves_webhooks() {
    let _turn = turn("webhooks");
    let sandbox = Sandbox::new();
    let dir = replay("webhooks");
    let rules = dir.join("src/webhooks/lolcow/validation.rs");
    let text = fs::read_to_string(&rules).unwrap();
    let rule = "if new.spec.message.as_deref() == Some(\"forbidden\") {
            let mut errors = rustop_manager::webhook::FieldErrors::new();
            errors.invalid(\"spec.message\", \"forbidden\", \"is not said here\");
            return errors.into_result();
        }
        let _ = request;";
    let refusing = text.replace("let _ = (new, request);", rule);
    assert_ne!(refusing, text);
    fs::write(rules, refusing).unwrap();
    let types = dir.join("api/src/v1/lolcow.rs");
    let text = fs::read_to_string(&types).unwrap();
    let field = "    pub message: Option<String>,";
    assert_eq!(text.matches(field).count(), 1, "{text}");
    let counted = format!("    #[schemars(schema_with = \"counted\")]\n{field}");
    fs::write(types, text.replace(field, &counted) + COUNTED).unwrap();
    fs::write(dir.join("tests/served.rs"), SERVED).unwrap();
    let line = "cluster exec -- cargo test --locked --package webhooks-operator --test served";
    let ran = run(crate::story::command(&dir, "rustop")
        .args(line.split(' '))
        .env("RUSTOP_STATE", sandbox.state()));
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stdout.contains("4 passed"), "{}", ran.stdout);
    sandbox.assert_no_processes();
}

/// A schema that counts how often it is computed.
const COUNTED: &str = r#"
/// The number of times that the schema was computed.
pub static COMPUTED: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);

fn counted(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    COMPUTED.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
    schemars::json_schema!({"type": "string", "nullable": true})
}
"#;

const SERVED: &str = r#"
#[path = "harness/mod.rs"]
mod harness;

use api::{v1, v1alpha1};
use kube::Api;
use kube::api::{DeleteParams, PostParams};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

static RUNNING: AtomicUsize = AtomicUsize::new(0);

/// Checks that no other test has an operator, which must be so for a while.
async fn is_alone() {
    assert_eq!(RUNNING.fetch_add(1, Ordering::SeqCst), 0, "two operators run at once");
    tokio::time::sleep(Duration::from_secs(2)).await;
    RUNNING.fetch_sub(1, Ordering::SeqCst);
}

#[test]
fn crds_are_computed_once() {
    api::crds().unwrap();
    let before = v1::lolcow::COMPUTED.load(Ordering::SeqCst);
    api::crds().unwrap();
    assert!(before > 0);
    assert_eq!(v1::lolcow::COMPUTED.load(Ordering::SeqCst), before);
}

fn cow(name: &str, message: &str) -> v1alpha1::lolcow::Lolcow {
    let mut cow = v1alpha1::lolcow::Lolcow::new(name, Default::default());
    cow.spec.message = Some(message.to_owned());
    cow
}

#[tokio::test]
async fn an_object_that_breaks_a_rule_is_refused() {
    let operator = harness::Operator::start().await;
    let cows: Api<v1alpha1::lolcow::Lolcow> = Api::default_namespaced(operator.client.clone());
    let created = cows.create(&PostParams::default(), &cow("refused", "forbidden")).await;
    let refused = created.unwrap_err().to_string();
    assert!(refused.contains("is not said here"), "{refused}");
    is_alone().await;
    operator.stop().await;
}

#[tokio::test]
async fn an_object_is_converted() {
    let operator = harness::Operator::start().await;
    let old: Api<v1alpha1::lolcow::Lolcow> = Api::default_namespaced(operator.client.clone());
    let new: Api<v1::lolcow::Lolcow> = Api::default_namespaced(operator.client.clone());
    old.create(&PostParams::default(), &cow("converted", "moo")).await.unwrap();
    let read = new.get("converted").await.unwrap();
    assert_eq!(read.spec.message.as_deref(), Some("moo"));
    new.delete("converted", &DeleteParams::default()).await.unwrap();
    is_alone().await;
    operator.stop().await;
}

#[tokio::test]
#[should_panic = "the operator ended with an error: two controllers have the name `lolcow`"]
async fn a_wait_ends_with_the_error_of_the_operator() {
    let _operator = harness::Operator::start_with(webhooks_operator::controllers::register).await;
    harness::soon(std::future::pending::<()>()).await;
}
"#;
