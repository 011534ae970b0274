//! Dashboards and alerts: promtool reads all queries and tries the alerts, and a running operator
//! has every figure that they ask for.

use std::collections::BTreeSet;
use std::fs;
use std::process::Command;

use regex::Regex;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::story::{golden, turn};
use crate::support::{Ran, run, until};
use crate::tool;
use crate::webhooks::place::{Place, Replica, SOON};

const RULES: &str = "config/prometheus/rules.yaml";

/// The metrics in the queries of kubebuilder's two dashboards.
const KUBEBUILDERS: [&str; 12] = [
    "controller_runtime_active_workers",
    "controller_runtime_reconcile_errors_total",
    "controller_runtime_reconcile_total",
    "process_cpu_seconds_total",
    "process_resident_memory_bytes",
    "rest_client_requests_total",
    "workqueue_adds_total",
    "workqueue_depth",
    "workqueue_longest_running_processor_seconds",
    "workqueue_queue_duration_seconds_bucket",
    "workqueue_retries_total",
    "workqueue_unfinished_work_seconds",
];

/// A file of the golden project that has dashboards.
fn read(path: &str) -> String {
    fs::read_to_string(golden("webhooks").join(path)).unwrap()
}

fn rules() -> Value {
    let rule: Value = serde_yaml::from_str(&read(RULES)).unwrap();
    rule["spec"].clone()
}

fn alerts() -> Vec<Value> {
    rules()["groups"][0]["rules"].as_array().unwrap().clone()
}

/// All queries of the dashboards, with a value for each of their variables.
fn queries() -> Vec<String> {
    let mut queries = Vec::new();
    for path in ["grafana/runtime.json", "grafana/controllers/lolcow.json"] {
        let dashboard: Value = serde_json::from_str(&read(path)).unwrap();
        for panel in dashboard["panels"].as_array().unwrap() {
            let targets = panel["targets"].as_array().into_iter().flatten();
            queries.extend(targets.map(|it| it["expr"].as_str().unwrap().to_owned()));
        }
    }
    assert!(queries.len() > 40, "{}", queries.len());
    let filled = |query: String| query.replace("$__rate_interval", "5m");
    queries.into_iter().map(filled).collect()
}

/// promtool with rules, in a directory that has the tests of the alerts, too.
fn promtool(arguments: &[&str], rules: &Value) -> Ran {
    let package = "github.com/prometheus/prometheus/cmd/promtool";
    let program = tool::installed_or_go("dashboard/promtool", package);
    let dir = TempDir::new().unwrap();
    fs::write(dir.path().join("rules.yaml"), rules.to_string()).unwrap();
    let tests = include_str!("dashboard/rules_test.yaml");
    fs::write(dir.path().join("rules_test.yaml"), tests).unwrap();
    run(Command::new(program)
        .args(arguments)
        .current_dir(dir.path()))
}

#[test]
fn every_alert_fires_when_it_should_and_not_before() {
    let test = ["test", "rules", "rules_test.yaml"];
    let ran = promtool(&test, &rules());
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
    // The test of the rules detects each alert that never fires.
    for (at, alert) in alerts().iter().enumerate() {
        let mut broken = rules();
        broken["groups"][0]["rules"][at]["expr"] = json!("vector(1) > 2");
        let ran = promtool(&test, &broken);
        let name = alert["alert"].as_str().unwrap();
        let said = format!("{}{}", ran.stdout, ran.stderr);
        assert_eq!(ran.code, Some(1), "{name}");
        assert!(said.contains(&format!("alertname: {name}")), "{said}");
    }
}

#[test]
fn prometheus_understands_every_query() {
    let as_rules = |queries: &[String]| {
        let rules = queries.iter().enumerate();
        let rules = rules.map(|(at, it)| json!({ "record": format!("query:{at}"), "expr": it }));
        let rules: Vec<_> = rules.collect();
        json!({ "groups": [{ "name": "queries", "rules": rules }] })
    };
    let check = ["check", "rules", "rules.yaml"];
    let ran = promtool(&check, &as_rules(&queries()));
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
    let ran = promtool(&check, &as_rules(&["rate(up".to_owned()]));
    assert_ne!(ran.code, Some(0));
}

#[test]
fn every_alert_has_a_page_and_every_page_an_alert() {
    let pages = golden("webhooks").join("docs/runbooks");
    let pages = fs::read_dir(pages).unwrap();
    let pages = pages.map(|page| page.unwrap().file_name().into_string().unwrap());
    let asked = alerts().into_iter().map(|alert| {
        let url = alert["annotations"]["runbook_url"].as_str().unwrap();
        let (_, page) = url.rsplit_once("/docs/runbooks/").unwrap();
        assert_eq!(page, format!("{}.md", alert["alert"].as_str().unwrap()));
        page.to_owned()
    });
    let (asked, pages): (BTreeSet<_>, BTreeSet<_>) = (asked.collect(), pages.collect());
    assert_eq!(asked, pages);
}

/// The names of figures in a query: each has its labels in braces.
fn named(query: &str) -> BTreeSet<String> {
    let figure = Regex::new(r"([a-z_]+)\{").unwrap();
    let names = figure.captures_iter(query).map(|it| it[1].to_owned());
    let names: BTreeSet<_> = names.collect();
    assert!(!names.is_empty(), "{query}");
    names
}

#[test]
fn a_running_operator_has_every_figure_that_is_asked_for() {
    let _turn = turn("webhooks");
    let place = Place::new();
    let operator = Replica::start(&place);
    operator.becomes_ready();
    // What led to a reconcile is known once there is one.
    place.ask(operator.webhooks);
    place.answers();
    assert_eq!(place.lolcow("create", "cow", "").code, Some(0));
    let shown = || -> BTreeSet<String> {
        let name = Regex::new(r"(?m)^([a-z_]+)[ {]").unwrap();
        let figures = operator.figures();
        let names = name.captures_iter(&figures).map(|it| it[1].to_owned());
        names.collect()
    };
    let alerts = alerts().into_iter();
    let alerts = alerts.map(|alert| alert["expr"].as_str().unwrap().to_owned());
    let mut asked: BTreeSet<_> = queries()
        .into_iter()
        .chain(alerts)
        .flat_map(|query| named(&query))
        .collect();
    asked.extend(KUBEBUILDERS.map(str::to_owned));
    // That is Prometheus' own.
    assert!(asked.remove("up"));
    let missing = || -> Vec<String> { asked.difference(&shown()).cloned().collect() };
    // The leader reconciles, and has the metrics of controllers.
    until("an object that is ready, or not", SOON, || {
        shown().contains("resource_conditions")
    });
    assert_eq!(missing(), Vec::<String>::new());
}
