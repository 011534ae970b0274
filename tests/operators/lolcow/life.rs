//! The life of the lolcow operator.

use std::fs;

use serde_json::{Value, json};
use similar::{ChangeTag, TextDiff};

use crate::operator::Operator;
use crate::project;
use crate::stage::{SOON, Stage, condition, is_ready};
use crate::support::until;

const COWS: &str = "/apis/my.domain/v1alpha1/namespaces/lolcow/lolcows";
const DEPLOYMENTS: &str = "/apis/apps/v1/namespaces/lolcow/deployments";
const SERVICES: &str = "/api/v1/namespaces/lolcow/services";
const CRD: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/lolcows.my.domain";

fn cow(name: &str, greeting: &str, port: u16) -> Value {
    json!({
        "apiVersion": "my.domain/v1alpha1", "kind": "Lolcow", "metadata": {"name": name},
        "spec": {"greeting": greeting, "port": port},
    })
}

fn says(deployment: &Value) -> &Value {
    &deployment["spec"]["template"]["spec"]["containers"][0]["args"][0]
}

fn port(service: &Value) -> &Value {
    &service["spec"]["ports"][0]["nodePort"]
}

#[test]
fn lives() {
    let stage = Stage::new();
    let mut operator = Operator::install(&stage, "lolcow");
    stage.namespace("lolcow");
    waits_for_its_definition(&stage, &mut operator);
    greets_from_the_sample(&stage, &operator);
    refuses_what_is_no_greeting(&stage);
    tells_each_change_once(&stage, &operator);
    two_live_side_by_side(&stage, &operator);
    mends_what_others_break(&stage);
    does_nothing_when_nothing_changed(&stage, &mut operator);
    takes_over_from_an_older_version(&stage, &mut operator);
    leaves_nothing_behind(&stage);
    operator.stop();
    operator.assert_its_role_fits(&stage);
}

fn waits_for_its_definition(stage: &Stage, operator: &mut Operator) {
    let mut crd = stage.get(CRD);
    stage.delete(CRD);
    stage.gone(CRD);
    operator.launch();
    until("it says what is missing", SOON, || {
        operator.readiness().contains("make install")
    });
    crd["metadata"] = json!({"name": crd["metadata"]["name"]});
    stage.create(
        "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
        &crd,
    );
    until("it goes on by itself", SOON, || {
        operator.readiness().starts_with("ok")
    });
    let at_once = "controller_runtime_max_concurrent_reconciles{controller=\"lolcow\"}";
    assert!((operator.figure(at_once) - 1.0).abs() < f64::EPSILON);
}

fn greets_from_the_sample(stage: &Stage, operator: &Operator) {
    let samples = operator.dir.join("config/samples");
    let line = format!("apply -n lolcow -k {}", samples.display());
    assert_eq!(
        stage.kubectl_ok(&line),
        "lolcow.my.domain/lolcow-pod created\n"
    );
    let cow = stage.wait("ready", &format!("{COWS}/lolcow-pod"), is_ready);
    let deployment = stage.get(&format!("{DEPLOYMENTS}/lolcow-pod"));
    assert_eq!(says(&deployment), &cow["spec"]["greeting"]);
    assert_eq!(deployment["status"]["availableReplicas"], 1);
    let service = stage.get(&format!("{SERVICES}/lolcow-pod"));
    assert_eq!(port(&service), 30685);
    assert_eq!(service["spec"]["type"], "NodePort");
    let columns = stage.kubectl_ok("get lolcows -n lolcow");
    assert!(columns.starts_with("NAME         GREETING"), "{columns}");
}

fn refuses_what_is_no_greeting(stage: &Stage) {
    for (greeting, port, why) in [
        ("hi", 80, "spec.port"),
        ("", 30700, "spec.greeting"),
        ("  ", 30700, "must not be blank"),
    ] {
        let refused = stage.ask("POST", COWS, Some(&cow("refused", greeting, port)));
        let message = refused.unwrap_err();
        assert!(message.contains(why), "{message}");
    }
}

/// Returns the number of times that the operator wrote each kind of child of a Lolcow:
/// (Deployments, Services).
fn written(stage: &Stage, operator: &Operator, name: &str) -> (usize, usize) {
    let writes = stage.writes(&operator.user());
    let count = |resource: &str| {
        let of_name = writes.iter().filter(|write| write.name == name);
        of_name.filter(|write| write.resource == resource).count()
    };
    (count("deployments"), count("services"))
}

/// The lines of the log with that message, each with the old and the new value.
fn told(operator: &Operator, message: &str) -> Vec<(Value, Value)> {
    let log = operator.log();
    let lines = log.lines().filter(|line| line.contains(message));
    let line = |line: &str| {
        let line: Value = serde_json::from_str(line).unwrap();
        let fields = if line["fields"].is_null() {
            &line
        } else {
            &line["fields"]
        };
        (fields["old"].clone(), fields["new"].clone())
    };
    lines.map(line).collect()
}

fn tells_each_change_once(stage: &Stage, operator: &Operator) {
    let (path, child) = (format!("{COWS}/lolcow-pod"), "lolcow-pod");
    assert_eq!(written(stage, operator, child), (1, 1));
    let before = stage.get(&format!("{DEPLOYMENTS}/{child}"));

    stage.patch(&path, &json!({"spec": {"greeting": "Moo"}}));
    let rolled = stage.wait("another greeting", &format!("{DEPLOYMENTS}/{child}"), |d| {
        says(d) == "Moo"
    });
    let generation = |deployment: &Value| deployment["metadata"]["generation"].as_i64().unwrap();
    assert_eq!(generation(&rolled), generation(&before) + 1);
    stage.wait("ready again", &path, is_ready);
    assert_eq!(written(stage, operator, child), (2, 1));

    stage.patch(&path, &json!({"spec": {"port": 30686}}));
    stage.wait("another port", &format!("{SERVICES}/{child}"), |s| {
        port(s) == 30686
    });
    stage.wait("seen", &path, is_ready);
    assert_eq!(written(stage, operator, child), (2, 2));

    let greeting = json!("Hello from your friendly cow");
    assert_eq!(told(operator, "New greeting"), [(greeting, json!("Moo"))]);
    assert_eq!(told(operator, "New port"), [(json!(30685), json!(30686))]);
}

fn two_live_side_by_side(stage: &Stage, operator: &Operator) {
    stage.create(COWS, &cow("second", "Me too", 30700));
    stage.wait("ready", &format!("{COWS}/second"), is_ready);
    let first = stage.get(&format!("{SERVICES}/lolcow-pod"));
    let second = stage.get(&format!("{SERVICES}/second"));
    assert_ne!(first["spec"]["selector"], second["spec"]["selector"]);
    assert_eq!(written(stage, operator, "lolcow-pod"), (2, 2));

    // A port that another one has: the API server says so, the Lolcow tells, and no other suffers.
    stage.create(COWS, &cow("third", "And I", 30700));
    let third = stage.wait("told", &format!("{COWS}/third"), |cow| {
        condition(cow, "Ready", "False")
            && crate::stage::message(cow, "Ready").contains("already allocated")
    });
    assert!(!is_ready(&third));
    assert!(is_ready(&stage.get(&format!("{COWS}/second"))));
    let free = json!({"spec": {"port": 30701}});
    stage.patch(&format!("{COWS}/third"), &free);
    stage.wait("no old error stays", &format!("{COWS}/third"), is_ready);
}

fn mends_what_others_break(stage: &Stage) {
    let path = format!("{DEPLOYMENTS}/second");
    let uid = stage.get(&path)["metadata"]["uid"].clone();
    stage.delete(&path);
    stage.wait("made anew", &path, |d| {
        !d.is_null() && d["metadata"]["uid"] != uid
    });
    stage.wait("ready again", &format!("{COWS}/second"), is_ready);

    let path = format!("{SERVICES}/second");
    let moved = json!({"spec": {"ports": [{"port": 8080, "nodePort": 30702}]}});
    stage.patch(&path, &moved);
    stage.wait("moved back", &path, |service| port(service) == 30700);

    // What the operator never set is left to others.
    let path = format!("{DEPLOYMENTS}/second");
    stage.patch(&path, &json!({"spec": {"replicas": 2}}));
    let both = |d: &Value| d["status"]["availableReplicas"] == 2;
    stage.wait("as somebody else wants it", &path, both);
    assert_eq!(stage.get(&path)["spec"]["replicas"], 2);
}

fn does_nothing_when_nothing_changed(stage: &Stage, operator: &mut Operator) {
    let writes = stage.writes(&operator.user()).len();
    let lines = told(operator, "New ").len();
    operator.stop();
    operator.start();
    until("it has looked at all three", SOON, || {
        operator.reconciled("lolcow") >= 3.0
    });
    operator.stop();
    assert_eq!(stage.writes(&operator.user()).len(), writes);
    assert_eq!(told(operator, "New ").len(), lines);
}

fn takes_over_from_an_older_version(stage: &Stage, operator: &mut Operator) {
    operator.upgrade();
    let before = written(stage, operator, "second");
    operator.start();
    for name in ["lolcow-pod", "second", "third"] {
        stage.wait("new image", &format!("{DEPLOYMENTS}/{name}"), |d| {
            d["spec"]["template"]["spec"]["containers"][0]["image"]
                == "registry.my.domain/lolcow:v2"
        });
        stage.wait("ready", &format!("{COWS}/{name}"), is_ready);
    }
    let after = written(stage, operator, "second");
    assert_eq!(after, (before.0 + 1, before.1), "one roll, and no more");
}

fn leaves_nothing_behind(stage: &Stage) {
    // Kubernetes has no renaming: it is another object with the same content.
    stage.delete(&format!("{COWS}/third"));
    stage.gone(&format!("{SERVICES}/third"));
    stage.create(COWS, &cow("renamed", "And I", 30701));
    stage.wait("ready", &format!("{COWS}/renamed"), is_ready);
    stage.gone(&format!("{DEPLOYMENTS}/third"));
    for name in ["lolcow-pod", "second", "renamed"] {
        stage.delete(&format!("{COWS}/{name}"));
    }
    for kind in [DEPLOYMENTS, SERVICES] {
        until(&format!("{kind} are gone"), SOON, || {
            stage.list(kind).is_empty()
        });
    }
}

/// The lines that a user writes: those that `rustop` did not generate.
#[test]
fn is_written_in_less_than_200_lines() {
    let files = project::files("lolcow");
    let scaffold = tempfile::tempdir().unwrap();
    let scaffold = scaffold.path().join("lolcow");
    crate::story::play(&project::home().join("lolcow/story.txt"), &scaffold);
    let written: usize = files
        .iter()
        .map(|(path, text)| {
            let made = fs::read_to_string(scaffold.join(path)).unwrap_or_default();
            let diff = TextDiff::from_lines(made.as_str(), text.as_str());
            let added = diff.iter_all_changes();
            added
                .filter(|change| change.tag() == ChangeTag::Insert)
                .count()
        })
        .sum();
    assert!(written < 200, "{written} lines");
}
