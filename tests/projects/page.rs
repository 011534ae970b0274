//! The page of `rustop dev` with a real control plane and a real operator, through the events that
//! a browser receives.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Instant;

use rustix::process::Signal;
use serde_json::Value;

use crate::browser::{LONG, Tab};
use crate::dev::Dev;
use crate::story::{cluster_of, command, keeping_times, replay, replayed, rustop, turn};
use crate::support::{Sandbox, kill, until};

/// The host and the query of the address that was printed.
fn address(said: &str) -> (String, String) {
    let (_, rest) = said.split_once("Page http://").expect("it says where");
    let line = rest.lines().next().unwrap();
    let (host, query) = line.split_once("/?").unwrap();
    (host.to_owned(), query.to_owned())
}

fn get(host: &str, path: &str) -> String {
    let mut stream = TcpStream::connect(host).unwrap();
    write!(
        stream,
        "GET {path} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\r\n"
    )
    .unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    text
}

/// Collects the events of a page until one of them satisfies a condition, and returns it.
pub fn wait_for_event(said: &str, is_it: impl Fn(&Value) -> bool) -> Value {
    let (host, query) = address(said);
    let mut stream = TcpStream::connect(&host).unwrap();
    stream.set_read_timeout(Some(LONG)).unwrap();
    write!(
        stream,
        "GET /events?{query} HTTP/1.1\r\nhost: {host}\r\n\r\n"
    )
    .unwrap();
    let deadline = Instant::now() + LONG;
    for line in BufReader::new(stream).lines() {
        let line = line.expect("the page goes on");
        let updates = line
            .strip_prefix("data: ")
            .map(serde_json::from_str::<Value>);
        let Some(Ok(Value::Array(all))) = updates else {
            assert!(Instant::now() < deadline, "the page did not receive it");
            continue;
        };
        if let Some(found) = all.into_iter().find(&is_it) {
            return found;
        }
    }
    panic!("the page ended");
}

pub fn is_object(event: &Value, kind: &str, word: &str) -> bool {
    event["t"] == "object" && event["kind"] == kind && event["state"]["word"] == word
}

#[test]
fn a_run_is_shown_and_its_recording_shows_the_same_without_a_cluster() {
    let _turn = turn("lolcow");
    let sandbox = Sandbox::new();
    let recording = sandbox.path().join("run.jsonl");
    let record = ["--record", recording.to_str().unwrap()];
    let mut dev = Dev::start(&sandbox, &replay("lolcow"), &record);
    let cow = wait_for_event(&dev.said(), |event| is_object(event, "Lolcow", "Ready"));
    assert_eq!(cow["name"], "lolcow-sample");
    let is_reconcile = |event: &Value| {
        event["t"] == "reconcile" && event["outcome"] == "ok" && event["uid"] == cow["uid"]
    };
    let reconcile = wait_for_event(&dev.said(), is_reconcile);
    assert!(
        reconcile["end"].as_u64() >= reconcile["start"].as_u64(),
        "{reconcile}"
    );
    // The Event about the same object may be the first write that is logged.
    let is_status_write = |event: &Value| {
        event["t"] == "call"
            && event["call"]["resource"] == "lolcows/status"
            && event["uid"] == cow["uid"]
    };
    let write = wait_for_event(&dev.said(), is_status_write);
    assert_eq!(write["call"]["code"], 200, "{write}");
    assert_eq!(write["writes"], true, "{write}");
    wait_for_event(&dev.said(), |event| {
        event["t"] == "figures" && event["figures"]["reconciles"].as_f64() > Some(0.0)
    });

    let (host, query) = address(&dev.said());
    assert!(get(&host, &format!("/?{query}")).starts_with("HTTP/1.1 200"));
    assert!(get(&host, "/?key=0").starts_with("HTTP/1.1 403"));
    let uid = cow["uid"].as_str().unwrap();
    let detail = get(&host, &format!("/object?uid={uid}&{query}"));
    assert!(
        detail.contains("lolcows.v1alpha1.my.domain lolcow-sample"),
        "{detail}"
    );

    // What only the page asked for is not on the terminal, and the rest is as it always was.
    assert!(
        dev.said()
            .contains(" INFO rustop_manager::manager: starting operator="),
        "{}",
        dev.said()
    );
    assert!(!dev.said().contains("reconciled took="), "{}", dev.said());
    assert_eq!(dev.end(Signal::INT), Some(0), "{}", dev.said());
    sandbox.assert_no_processes();

    let said = show(&sandbox, &recording, |said| {
        let again = wait_for_event(said, |event| is_object(event, "Lolcow", "Ready"));
        assert_eq!(again["uid"], cow["uid"]);
        assert_eq!(wait_for_event(said, is_reconcile)["id"], reconcile["id"]);
    });
    assert!(said.contains("Ctrl-C stops"), "{said}");
}

/// Shows a recording while `look` runs, and returns the output.
fn show(sandbox: &Sandbox, recording: &Path, look: impl FnOnce(&str)) -> String {
    let log = sandbox.path().join("shown");
    let mut command = command(sandbox.path(), "rustop");
    command
        .arg("show")
        .arg(recording)
        .stdin(Stdio::null())
        .stderr(fs::File::create(&log).unwrap());
    let mut child = command.spawn().unwrap();
    let said = || fs::read_to_string(&log).unwrap();
    let looked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        until("it is shown", LONG, || said().contains("Ctrl-C stops"));
        look(&said());
    }));
    kill(child.id(), Signal::INT);
    let status = child.wait().unwrap();
    if let Err(panic) = looked {
        std::panic::resume_unwind(panic);
    }
    assert!(status.success(), "{}", said());
    said()
}

/// The problems of the Lolcows of this test, each with the words by which the page names the cause.
const FAULTS: [(&str, &[&str]); 5] = [
    (
        "permission",
        &[
            "services \"permission\" is forbidden",
            "Fix: src/controllers/lolcow.rs: // +kubebuilder:rbac:groups=\"\",resources=services,verbs=get;create;patch",
        ],
    ),
    (
        "image",
        &["is ImagePullBackOff: container cow: Back-off pulling image \"cow:v9\""],
    ),
    ("loop", &["hot loop: reconciled"]),
    (
        "webhook",
        &[
            "failed calling webhook \"gate.my.domain\"",
            "check the webhook",
        ],
    ),
    (
        "finalizer",
        &[
            "the cleanup of finalizer my.domain/account fails",
            "the bank does not answer",
        ],
    ),
];

/// A user who opens the page for the first time sees at each sample why it is not Ready.
#[test]
fn the_page_names_the_cause_of_each_of_six_faults() {
    let _turn = turn("deployments");
    let sandbox = Sandbox::new();
    let dir = planted();
    let mut dev = Dev::says_first(&sandbox, &dir, "Running ");
    let cluster = cluster_of(&sandbox, &dir)["name"].clone();
    let kubectl = |line: &str| {
        let ran = sandbox.kubectl(cluster.as_str().unwrap(), line);
        let why = || format!("{line}: {}\n{}", ran.stderr, dev.said());
        assert_eq!(ran.code, Some(0), "{}", why());
        ran.stdout
    };
    let objects = sandbox.path().join("objects.json");
    fs::write(&objects, objects_with_faults().to_string()).unwrap();
    kubectl(&format!("create -f {}", objects.display()));

    let said = dev.said();
    let (_, address) = said.split_once("Page ").expect("it says where");
    let tab = Tab::open(address.lines().next().unwrap().trim());
    let shows = |name: &str, words: &[&str]| {
        tab.until(&format!(
            "(([row]) => row && {}.every((word) => row.innerText.includes(word)))([...document.querySelectorAll('#objects .tree > li')].filter((row) => row.querySelector('.row').innerText.includes('default/{name}')))",
            serde_json::json!(words)
        ));
    };
    // Nothing but the page of a kubelet tells it.
    until("there is a Pod", LONG, || {
        kubectl("get pods -l lolcow=image -o name").contains("pod/")
    });
    let pod = kubectl("get pods -l lolcow=image -o name");
    let waits = r#"{"status":{"phase":"Pending","conditions":[{"type":"Ready","status":"False","reason":"ContainersNotReady"},{"type":"ContainersReady","status":"False","reason":"ContainersNotReady"}],"containerStatuses":[{"name":"cow","image":"cow:v9","imageID":"","ready":false,"restartCount":0,"state":{"waiting":{"reason":"ImagePullBackOff","message":"Back-off pulling image \"cow:v9\""}}}]}}"#;
    let waiting = sandbox.path().join("waiting.json");
    fs::write(&waiting, waits).unwrap();
    kubectl(&format!(
        "patch {} --subresource=status --type=merge --patch-file {}",
        pod.trim(),
        waiting.display()
    ));
    kubectl("delete lolcow finalizer --wait=false");
    for (name, words) in FAULTS {
        shows(name, words);
    }
    shows(
        "barn-sample",
        &["the controller cannot start", "silos.storage.example"],
    );
    let text = tab.text("#objects");
    assert!(
        text.contains("default/lolcow-sample") && text.contains("▲ 6 of"),
        "{text}"
    );
    // A sample that is Ready has no explanation.
    shows("lolcow-sample", &["Ready"]);
    assert_eq!(
        tab.eval("[...document.querySelectorAll('#objects .tree > li')].find((row) => row.innerText.includes('default/lolcow-sample')).querySelectorAll('.cause').length"),
        0
    );
    tab.press(&["4"]);
    tab.says(
        "#permissions",
        &["get services", "resources=services,verbs=get"],
    );
    tab.press(&["5"]);
    tab.says("#health", &["Memory: ", "Reconciles: "]);
    tab.assert_well(&[]);
    // `rustop dev` ends after SIGINT in any state, and the page reports it.
    assert_eq!(dev.end(Signal::INT), Some(0), "{}", dev.said());
    tab.says("#connection", &["rustop does not respond"]);
    sandbox.assert_no_processes();
}

/// The project, with an operator of many faults.
fn planted() -> PathBuf {
    let dir = replayed("deployments");
    keeping_times(&dir, || {
        replay("deployments");
        let created = rustop(&dir, &["create", "api", "--kind", "Barn", "-q"]);
        assert_eq!(created.code, Some(0), "{}", created.stderr);
        for (path, text) in [
            ("src/controllers/lolcow.rs", include_str!("planted.rs")),
            ("src/controllers/barn.rs", include_str!("planted_barn.rs")),
        ] {
            fs::write(dir.join(path), text).unwrap();
        }
        let manifest = dir.join("Cargo.toml");
        let text = fs::read_to_string(&manifest).unwrap();
        let more = "[dependencies]\nschemars.workspace = true\nserde.workspace = true\nserde_json.workspace = true\n";
        fs::write(manifest, text.replacen("[dependencies]\n", more, 1)).unwrap();
    });
    dir
}

fn objects_with_faults() -> Value {
    let lolcow = |(name, _): &(&str, _)| serde_json::json!({"apiVersion": "my.domain/v1alpha1", "kind": "Lolcow", "metadata": {"name": name}, "spec": {"message": name}});
    let mut all: Vec<Value> = FAULTS.iter().map(lolcow).collect();
    all.push(
        serde_json::json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "pasture"}}),
    );
    // Nothing listens there.
    all.push(serde_json::json!({"apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingWebhookConfiguration",
        "metadata": {"name": "gate"}, "webhooks": [{"name": "gate.my.domain", "clientConfig": {"url": "https://127.0.0.1:1/"},
            "rules": [{"apiGroups": [""], "apiVersions": ["v1"], "operations": ["*"], "resources": ["configmaps"]}],
            "objectSelector": {"matchLabels": {"lolcow": "webhook"}},
            "failurePolicy": "Fail", "sideEffects": "None", "timeoutSeconds": 1, "admissionReviewVersions": ["v1"]}]}));
    serde_json::json!({"apiVersion": "v1", "kind": "List", "items": all})
}
