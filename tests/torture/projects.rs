//! The projects that are tested elsewhere, and are right: torture finds nothing in them. For the
//! nights.

use std::fs;
use std::path::Path;
use std::sync::PoisonError;

use serde_json::json;

use crate::cloud::Cloud;
use crate::story::{command, golden, play, replay, replayed, turn};
use crate::support::{Sandbox, progress, run};
use crate::{ALONE, report};

/// Nothing is found in a project, whatever the order of the faults.
fn is_right(dir: &Path) {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    // One of the operators works for one.
    let cloud = Cloud::open(1);
    for seed in 1..=3 {
        progress(&format!("tortures {}, seed {seed}", dir.display()));
        let sandbox = Sandbox::new();
        let line = format!("torture --budget 2m --seed {seed} --out");
        let ran = run(command(dir, "rustop")
            .args(line.split(' '))
            .arg(sandbox.path().join("target/torture"))
            .env("RUSTOP_STATE", sandbox.state())
            .env("CLOUD_URL", &cloud.url));
        assert_eq!(
            ran.code,
            Some(0),
            "seed {seed}: {}\n{}",
            ran.stdout,
            ran.stderr
        );
        let report = report(&sandbox);
        assert_eq!(report["findings"], json!([]));
        let tried = report["faults"]["tried"].as_u64().unwrap();
        assert!(tried > 0, "{report}");
        progress(&format!("seed {seed}: {tried} faults, no finding"));
        sandbox.assert_no_processes();
    }
}

/// One of the operators of `tests/operators`: its story, and its files laid over what came out.
fn operator(name: &str) {
    let home = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/operators")
        .join(name);
    let dir = replayed("tortured").join(name);
    play(&home.join("story.txt"), &dir);
    let files = home.join("files");
    for entry in walkdir::WalkDir::new(&files) {
        let entry = entry.unwrap();
        let to = dir.join(entry.path().strip_prefix(&files).unwrap());
        if entry.file_type().is_dir() {
            fs::create_dir_all(to).unwrap();
        } else {
            fs::copy(entry.path(), to).unwrap();
        }
    }
    is_right(&dir);
}

macro_rules! operators {
    ($($test:ident: $name:literal;)*) => {
        $(#[test] #[ignore = "for the nights"] fn $test() { operator($name); })*
    };
}

operators! {
    lolcow: "lolcow";
    pod_set: "pod-set";
    pulsar_consumer: "pulsar-consumer";
    multi_secret: "multi-secret";
    cloud_instance: "cloud-instance";
}

#[test]
#[ignore = "for the nights"]
fn the_golden_lolcow() {
    let _turn = turn("lolcow");
    is_right(&replay("lolcow"));
}

#[test]
#[ignore = "for the nights"]
fn the_golden_that_watches_one_namespace() {
    let _turn = turn("namespaced");
    is_right(&replay("namespaced"));
}

#[test]
#[ignore = "for the nights"]
fn the_golden_with_webhooks() {
    let _turn = turn("webhooks");
    is_right(&replay("webhooks"));
}

/// The webhooks are called: a rejection by one is not a finding, and a panic in one is.
#[test]
#[ignore = "for the nights"]
fn a_webhook_that_panics() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    progress("tortures a project whose webhook panics");
    let dir = replayed("tortured").join("panicking");
    play(&golden("webhooks.txt"), &dir);
    let file = dir.join("src/webhooks/lolcow/validation.rs");
    let text = fs::read_to_string(&file).unwrap();
    let rules = "        let message = new.spec.message.as_deref().unwrap_or_default();
        assert!(!message.contains('/'), \"no slashes\");
        let mut errors = rustop_manager::webhook::FieldErrors::new();
        if message.ends_with('x') {
            errors.invalid(\"spec.message\", message, \"must not end with an x\");
        }
        let _ = request;
        errors.into_result()\n";
    let nothing = "        let _ = (new, request);\n        Ok(())\n";
    assert!(text.contains(nothing), "{text}");
    fs::write(&file, text.replacen(nothing, rules, 1)).unwrap();
    let sandbox = Sandbox::new();
    let torture = |line: &str| {
        run(command(&dir, "rustop")
            .args(line.split(' '))
            .arg("--out")
            .arg(sandbox.path().join("target/torture"))
            .env("RUSTOP_STATE", sandbox.state()))
    };
    let ran = torture("torture --budget 10m --faults 0 --seed 1");
    assert_eq!(ran.code, Some(1), "{}\n{}", ran.stdout, ran.stderr);
    let report = report(&sandbox);
    let findings = report["findings"].as_array().unwrap();
    let [found] = &findings[..] else {
        panic!("{report}");
    };
    assert_eq!(found["class"], "webhook-failed", "{report}");
    let refused = "refuses 1 value of lolcow/lolcow-sample, by its schema or a webhook";
    assert!(report["notes"].to_string().contains(refused), "{report}");
    let id = found["id"].as_str().unwrap();
    let again = torture(&format!("torture --replay {id}"));
    assert_eq!(again.code, Some(1), "{}\n{}", again.stdout, again.stderr);
    sandbox.assert_no_processes();
}
