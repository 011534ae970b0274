//! What is set from outside, and what comes of it before there is a cluster.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::support::{Ran, run};
use crate::{Cases, Stage};

pub const CASES: Cases = &[
    ("variables_are_read_as_people_write_them", variables),
    ("what_cannot_be_is_refused", refused),
    ("the_missing_half_of_a_pod_is_named", half_a_pod),
    ("the_end_is_a_line_of_the_log", end),
];

/// The operator with these variables and no cluster.
fn operator(stage: &Stage, variables: &[(&str, &str)]) -> Ran {
    let nowhere = Path::new("/nonexistent");
    run(Command::new(&stage.project().binary)
        .arg("--health-probe-bind-address=0")
        .env_clear()
        .env("HOME", nowhere)
        .env("LOG_FORMAT", "text")
        .envs(variables.iter().copied()))
}

/// Where nothing is wrong with the variables, a cluster is what it lacks.
fn variables(stage: &Stage) {
    for variables in [
        [("LEADER_ELECT", "1"), ("METRICS_SECURE", "0")],
        [("LEADER_ELECT", "True"), ("METRICS_SECURE", "no")],
        [("LEADER_ELECT", ""), ("METRICS_SECURE", "")],
        [("WATCH_NAMESPACE", ""), ("LEADER_ELECTION_ID", "")],
        [("WEBHOOK_PORT", ""), ("WEBHOOK_HOST", "")],
        [("LOG_FORMAT", ""), ("RUST_LOG", "")],
    ] {
        let ran = operator(stage, &variables);
        assert_eq!(ran.code, Some(1), "{variables:?}: {}", ran.stderr);
        assert!(
            ran.stderr.contains("no cluster to talk to"),
            "{}",
            ran.stderr
        );
    }
}

fn refused(stage: &Stage) {
    for (name, value) in [
        ("LEADER_ELECT", "maybe"),
        ("WATCH_NAMESPACE", "good,Team_A"),
        ("LEADER_ELECTION_NAMESPACE", "a.b"),
        ("LEADER_ELECTION_ID", "Lolcow Operator"),
    ] {
        let ran = operator(stage, &[(name, value)]);
        let bad = value.rsplit(',').next().unwrap();
        assert_eq!(ran.code, Some(2), "{name}={value}: {}", ran.stderr);
        assert!(ran.stderr.contains(bad), "{}", ran.stderr);
    }
}

fn half_a_pod(stage: &Stage) {
    let (host, port) = ("KUBERNETES_SERVICE_HOST", "KUBERNETES_SERVICE_PORT");
    for (variables, missing) in [
        (&[(host, "127.0.0.1")][..], "KUBERNETES_SERVICE_PORT is not"),
        (&[(port, "443")], "KUBERNETES_SERVICE_HOST is not"),
        (
            &[(host, "127.0.0.1"), (port, "443")],
            "serviceaccount/token",
        ),
    ] {
        let ran = operator(stage, variables);
        assert_eq!(ran.code, Some(1), "{variables:?}: {}", ran.stderr);
        assert!(ran.stderr.contains(missing), "{}", ran.stderr);
    }
}

fn end(stage: &Stage) {
    let ran = operator(stage, &[("LOG_FORMAT", "json")]);
    let lines = ran.stderr.lines().map(serde_json::from_str::<Value>);
    let lines: Vec<Value> = lines.map(|line| line.expect(&ran.stderr)).collect();
    let last = lines.last().unwrap();
    assert_eq!(
        (&last["level"], &last["reason"]),
        (&"ERROR".into(), &"NoCluster".into())
    );
}
