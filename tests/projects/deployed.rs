//! The operator with the arguments and the rights of config/: two replicas, of which one leads.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use rustix::process::Signal;

use crate::story::{command, on_cluster, replay, target, turn};
use crate::support::{ESTABLISHED, Sandbox, address, kill, run, until};

const NAMESPACE: &str = "lolcow-operator-system";
pub const SOON: Duration = Duration::from_secs(60);

/// The arguments of the container in config/manager, each server on an address of this machine.
fn arguments(dir: &Path, address: &str) -> Vec<String> {
    let manifest = fs::read_to_string(dir.join("config/manager/manager.yaml")).unwrap();
    let lines = manifest.lines().map(str::trim);
    let arguments = lines.filter_map(|line| line.strip_prefix("- --"));
    let arguments: Vec<_> = arguments
        .map(|argument| match argument.split_once("=:") {
            Some((flag, port)) => format!("--{flag}={address}:{port}"),
            None => format!("--{argument}"),
        })
        .collect();
    assert!(
        arguments.contains(&"--leader-elect".to_owned()),
        "{arguments:?}"
    );
    arguments
}

/// One replica; it ends with the test.
pub struct Replica {
    child: Child,
    log: PathBuf,
}

impl Replica {
    /// Starts the operator, whose servers listen on `address`.
    pub fn start(
        sandbox: &Sandbox,
        dir: &Path,
        kubeconfig: &Path,
        [name, address]: [&str; 2],
    ) -> Self {
        let log = sandbox.path().join(name);
        let child = Command::new(target(dir).join("debug/lolcow-operator"))
            .args(arguments(dir, address))
            .env_clear()
            .env("KUBECONFIG", kubeconfig)
            .env("POD_NAME", name)
            .env("POD_NAMESPACE", NAMESPACE)
            .env("RUSTOP_STATE", sandbox.state())
            .stdin(Stdio::null())
            .stderr(fs::File::create(&log).unwrap())
            .spawn()
            .unwrap();
        Self { child, log }
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    pub fn says(&self, text: &str) -> bool {
        fs::read_to_string(&self.log).unwrap().contains(text)
    }
}

impl Drop for Replica {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A kubeconfig with the rights that config/ grants to the operator, once it is applied.
pub fn rights(sandbox: &Sandbox, dir: &Path) -> PathBuf {
    let kubeconfig = sandbox.path().join("kubeconfig");
    let line = format!(
        "token=$($KUBECTL -n {NAMESPACE} create token lolcow-operator-controller-manager)
         cp $KUBECONFIG $OPERATOR; export KUBECONFIG=$OPERATOR
         $KUBECTL config set-credentials operator --token=$token
         $KUBECTL config set-context --current --user=operator"
    );
    let mut command = on_cluster(sandbox, dir, "sh");
    let ran = run(command.args(["-ec", &line]).env("OPERATOR", &kubeconfig));
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
    kubeconfig
}

#[test]
fn two_replicas_work_with_what_config_grants() {
    let _turn = turn("lolcow");
    let sandbox = Sandbox::new();
    let dir = replay("lolcow");
    sandbox.ok("cluster start --no-controllers");
    let built = run(command(&dir, "cargo").args(["build", "--locked", "--quiet", "--workspace"]));
    assert_eq!(built.code, Some(0), "{}", built.stderr);
    let sh = |line: &str| {
        let mut command = on_cluster(&sandbox, &dir, "sh");
        let ran = run(command.args(["-ec", line]));
        assert_eq!(ran.code, Some(0), "{line}\n{}{}", ran.stdout, ran.stderr);
        ran.stdout
    };
    sh("$KUBECTL apply --server-side -k config/crd");
    sh(ESTABLISHED);
    sh("$KUBECTL apply --server-side -k config/default");
    let kubeconfig = rights(&sandbox, &dir);

    let mut first = Replica::start(&sandbox, &dir, &kubeconfig, ["first", &address()]);
    until("the first leads", SOON, || first.says("\"leading\""));
    let second = Replica::start(&sandbox, &dir, &kubeconfig, ["second", &address()]);
    until("the second stands by", SOON, || second.says("standby:"));
    sh("$KUBECTL apply -k config/samples");
    sh("$KUBECTL wait --for condition=Ready --timeout 60s lolcow/lolcow-sample");
    assert!(!second.says("reconciling"));

    kill(first.child.id(), Signal::TERM);
    assert_eq!(first.child.wait().unwrap().code(), Some(0));
    until("the second takes over", SOON, || second.says("reconciling"));
    sh("$KUBECTL create -f - <<END
apiVersion: my.domain/v1alpha1
kind: Lolcow
metadata: {name: another}
spec: {message: hello}
END
        $KUBECTL wait --for condition=Ready --timeout 60s lolcow/another");
    for replica in [&first, &second] {
        let log = fs::read_to_string(&replica.log).unwrap();
        assert!(!log.contains("orbidden") && !log.contains("permi"), "{log}");
        assert!(log.lines().all(|line| line.starts_with('{')), "JSON: {log}");
    }
}
