//! Settings from flags and environment variables, and their errors before the operator connects to
//! a cluster.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::operator::Launch;
use crate::proxy::Proxy;
use crate::support::{Ran, run};
use crate::tunnel::Tunnel;
use crate::{Cases, Stage};

pub const CASES: Cases = &[
    ("variables_are_read_as_people_write_them", variables),
    ("what_cannot_be_is_refused", refused),
    ("the_missing_half_of_a_pod_is_named", half_a_pod),
    ("the_end_is_a_line_of_the_log", end),
    ("what_is_set_reaches_the_api_server", numbers),
    ("the_proxy_and_the_ca_of_the_environment_are_used", proxied),
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

/// With valid variables, the operator fails only because it has no cluster.
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
            ran.stderr.contains("cannot load a cluster configuration"),
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
        ("LEADER_ELECTION_LEASE_SECONDS", "4"),
        ("LIST_PAGE_SIZE", "0"),
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

fn numbers(stage: &Stage) {
    let place = stage.place();
    let proxy = Proxy::start(&place.cluster.dir, &place.cluster.api.server);
    for number in 0..8 {
        place.create("lolcows", &format!("cow-{number}"), "moo");
    }
    let launch = Launch {
        server: Some(proxy.url.clone()),
        ..Launch::replica()
    };
    let launch = launch.with("LEADER_ELECTION_LEASE_SECONDS", &30);
    let _operator = place.operator("alpha", launch.with("LIST_PAGE_SIZE", &3));
    place.converges();
    let lease = place.get("leases", "faults-operator").unwrap();
    assert_eq!(lease["spec"]["leaseDurationSeconds"], 30);
    let of_lolcows = proxy.exchanges().into_iter();
    let of_lolcows = of_lolcows.filter(|it| it.target.contains("/lolcows?"));
    let pages = of_lolcows.filter(|it| it.target.contains("limit=3"));
    assert_eq!(pages.count(), 3, "{:#?}", proxy.exchanges());
}

/// Only the proxy can resolve the name of the API server, for which the certificate is valid.
fn proxied(stage: &Stage) {
    let place = stage.place();
    let address = place.cluster.api.server.trim_start_matches("https://");
    let tunnel = Tunnel::start(address);
    let (_, port) = address.rsplit_once(':').unwrap();
    let name = format!("kubernetes.default.svc:{port}");
    let ca = place.cluster.dir.join("pki/ca.crt");
    let launch = Launch::through(&format!("https://{name}"));
    let launch = launch.with("SSL_CERT_FILE", &ca.display());
    let launch = launch.with("NO_PROXY", &"127.0.0.1,.example.org");
    let launch = launch.with("HTTPS_PROXY", &tunnel.url);
    let alpha = place.operator("alpha", launch);
    place.create("lolcows", "cow", "moo");
    place.converges();
    // Two operators without leader election would conflict over the object.
    drop(alpha);
    let asked = tunnel.asked();
    let connect = format!("CONNECT {name} ");
    assert!(
        asked.iter().all(|line| line.starts_with(&connect)),
        "{asked:?}"
    );
    assert!(!asked.is_empty());

    // The next one is on this machine, where that proxy is not asked.
    let of_nobody = Tunnel::start("127.0.0.1:1");
    let launch = Launch::default().with("HTTPS_PROXY", &of_nobody.url);
    let _beta = place.operator("beta", launch);
    place.create("lolcows", "calf", "moo");
    place.converges();
    assert!(of_nobody.asked().is_empty());
    let log = fs::read_to_string(place.cluster.dir.join("logs/audit.log")).unwrap();
    assert!(log.contains("\"userAgent\":\"faults-operator/0.1.0 (linux/"));
}
