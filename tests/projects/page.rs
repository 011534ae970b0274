//! The page of `rustop dev`, as a browser is told it by the real control plane and a real operator.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use rustix::process::Signal;
use serde_json::Value;

use crate::dev::Dev;
use crate::story::{command, replay, turn};
use crate::support::{Sandbox, kill, until};

/// Upper bound for whatever is waited for.
const LONG: Duration = Duration::from_secs(120);

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

/// What a page is told until one thing of it is as it should be.
pub fn told_until(said: &str, is_it: impl Fn(&Value) -> bool) -> Value {
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
        let news = line
            .strip_prefix("data: ")
            .map(serde_json::from_str::<Value>);
        let Some(Ok(Value::Array(all))) = news else {
            assert!(Instant::now() < deadline, "it was not told");
            continue;
        };
        if let Some(found) = all.into_iter().find(&is_it) {
            return found;
        }
    }
    panic!("the page ended");
}

pub fn is_object(told: &Value, kind: &str, word: &str) -> bool {
    told["t"] == "object" && told["kind"] == kind && told["state"]["word"] == word
}

#[test]
fn a_run_is_shown_and_its_recording_shows_the_same_without_a_cluster() {
    let _turn = turn("lolcow");
    let sandbox = Sandbox::new();
    let recording = sandbox.path().join("run.jsonl");
    let record = ["--record", recording.to_str().unwrap()];
    let mut dev = Dev::start(&sandbox, &replay("lolcow"), &record);
    let cow = told_until(&dev.said(), |told| is_object(told, "Lolcow", "Ready"));
    assert_eq!(cow["name"], "lolcow-sample");
    let is_reconcile = |told: &Value| {
        told["t"] == "reconcile" && told["outcome"] == "ok" && told["uid"] == cow["uid"]
    };
    let reconcile = told_until(&dev.said(), is_reconcile);
    assert!(
        reconcile["end"].as_u64() >= reconcile["start"].as_u64(),
        "{reconcile}"
    );
    let is_write =
        |told: &Value| told["t"] == "call" && told["writes"] == true && told["uid"] == cow["uid"];
    assert_eq!(told_until(&dev.said(), is_write)["call"]["code"], 200);
    told_until(&dev.said(), |told| {
        told["t"] == "figures" && told["figures"]["reconciles"].as_f64() > Some(0.0)
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
            .contains(" INFO manager::manager: starting operator="),
        "{}",
        dev.said()
    );
    assert!(!dev.said().contains("reconciled took="), "{}", dev.said());
    assert_eq!(dev.end(Signal::INT), Some(0), "{}", dev.said());
    sandbox.assert_no_processes();

    let said = show(&sandbox, &recording, |said| {
        let again = told_until(said, |told| is_object(told, "Lolcow", "Ready"));
        assert_eq!(again["uid"], cow["uid"]);
        assert_eq!(told_until(said, is_reconcile)["id"], reconcile["id"]);
    });
    assert!(said.contains("Ctrl-C stops"), "{said}");
}

/// Shows a recording for as long as `look` takes; what was said.
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

/// An operator that makes Deployments and may not: the page says so at the object, with the marker to copy.
#[test]
fn the_page_names_a_permission_that_is_missing() {
    let _turn = turn("deployments");
    let sandbox = Sandbox::new();
    let dir = replay("deployments");
    fs::write(
        dir.join("src/controllers/lolcow.rs"),
        include_str!("deployments.rs"),
    )
    .unwrap();
    let mut dev = Dev::says_first(&sandbox, &dir, "Running ");
    let is_named = |told: &Value| {
        let cause = &told["cause"];
        told["kind"] == "Lolcow"
            && cause["sort"] == "forbidden"
            && cause["mend"]
                .as_str()
                .is_some_and(|mend| mend.contains("groups=apps,resources=deployments"))
    };
    let told = told_until(&dev.said(), is_named);
    assert!(
        told["cause"]["mend"]
            .as_str()
            .unwrap()
            .starts_with("src/controllers/lolcow.rs: // +kubebuilder:rbac"),
        "{told}"
    );
    let refused = told_until(&dev.said(), |told| {
        told["t"] == "permissions" && told["permissions"]["forbidden"][0].is_object()
    });
    assert_eq!(
        refused["permissions"]["forbidden"][0]["resource"],
        "deployments.apps"
    );
    assert_eq!(dev.end(Signal::INT), Some(0), "{}", dev.said());
    sandbox.assert_no_processes();
}
