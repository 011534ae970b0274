//! The end-to-end tests of a project. Its operator runs as two processes next to the control plane,
//! since no kubelet runs its image. Nodes report that the Pods of its Deployment run, so that it
//! rolls out as in a real cluster.

use std::fs;

use crate::deployed::{Replica, SOON, rights};
use crate::story::{command, on_cluster, replay, rustop, turn};
use crate::support::{Sandbox, address, run, until};

#[test]
fn the_suite_passes_with_the_operator_as_a_process() {
    let _turn = turn("lolcow");
    let sandbox = Sandbox::new();
    let dir = replay("lolcow");
    let created = rustop(&dir, &["create", "e2e", "-q"]);
    assert_eq!(created.code, Some(0), "{}", created.stderr);
    let line = "build --locked --quiet --workspace --all-targets";
    let built = run(command(&dir, "cargo").args(line.split(' ')));
    assert_eq!(built.code, Some(0), "{}", built.stderr);
    sandbox.ok("cluster start");
    let make = |line: &str, variables: &[(&str, String)]| {
        let mut make = on_cluster(&sandbox, &dir, "make");
        let variables = variables.iter().map(|(name, value)| (name, value));
        run(make.args(line.split(' ')).envs(variables))
    };
    // The release before had another image.
    let deployed = make("deploy", &[]);
    assert_eq!(deployed.code, Some(0), "{}", deployed.stderr);
    let install = fs::read_to_string(dir.join("dist/install.yaml")).unwrap();
    let from = sandbox.path().join("install.yaml");
    let before = install.replace("image: controller:latest", "image: localhost/lolcow:v0.0.1");
    assert_ne!(before, install);
    fs::write(&from, before).unwrap();

    let kubeconfig = rights(&sandbox, &dir);
    let servers = address();
    let metrics = format!("{servers}:8443");
    let first = Replica::start(&sandbox, &dir, &kubeconfig, ["first", &servers]);
    until("the first leads", SOON, || first.says("\"leading\""));
    let second = Replica::start(&sandbox, &dir, &kubeconfig, ["second", &address()]);
    until("the second stands by", SOON, || second.says("standby:"));
    let variables = [
        ("FROM", from.display().to_string()),
        ("E2E_METRICS", format!("https://{metrics}/metrics")),
        ("E2E_KILL", format!("kill -KILL {}", first.pid())),
    ];
    let ran = make("test-e2e", &variables);
    let said = format!("{}{}", ran.stdout, ran.stderr);
    assert_eq!(ran.code, Some(0), "{said}");
    assert!(said.contains("test end_to_end ... "), "{said}");
    assert!(said.contains("1 passed; 0 failed"), "{said}");
    assert!(second.says("reconciling"));

    // And it can fail: the metrics of the first are gone.
    let ran = make("test-e2e", &variables[1..2]);
    assert_eq!(ran.code, Some(2), "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stderr.contains("\"curl\""), "{}", ran.stderr);
}
