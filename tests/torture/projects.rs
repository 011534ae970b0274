//! The projects that are tested elsewhere, and are right: torture finds nothing in them. For the
//! nights.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::PoisonError;

use serde_json::{Value, json};

use crate::cloud::Cloud;
use crate::story::{command, golden, play, replay, replayed, rustop, turn};
use crate::support::{Ran, Sandbox, progress, run};
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

/// One of the operators of `tests/operators`: its story, and its files laid over what came out, in
/// a directory of this name. Returns the directory.
fn lay_out(name: &str, dir: &str) -> PathBuf {
    let home = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/operators")
        .join(name);
    let dir = replayed("tortured").join(dir);
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
    dir
}

fn operator(name: &str) {
    is_right(&lay_out(name, name));
}

fn commit(dir: &Path) {
    for line in [
        "init -q",
        "add -A",
        "-c user.name=a -c user.email=a@b.c commit -q -m one",
    ] {
        let ran = run(command(dir, "git").args(line.split(' ')));
        assert_eq!(ran.code, Some(0), "git {line}: {}", ran.stderr);
    }
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

#[test]
#[ignore = "for the nights"]
fn a_new_project_of_a_cluster_scoped_kind() {
    let dir = replayed("tortured").join("fleet");
    let _ = fs::remove_dir_all(&dir);
    fs::create_dir_all(&dir).unwrap();
    for line in [
        "init --domain my.domain --project-name fleet",
        "create api --kind Fleet --cluster-scoped",
        "manifests",
    ] {
        let ran = rustop(&dir, &line.split(' ').collect::<Vec<_>>());
        assert_eq!(ran.code, Some(0), "{line}: {}", ran.stderr);
    }
    is_right(&dir);
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

/// A project with two versions, and its conversion in the next release.
fn rehearse_conversion(name: &str, wrong: [&str; 2]) -> (Sandbox, Ran) {
    let versions = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/projects/versions");
    let text = |file: &str| fs::read_to_string(versions.join(file)).unwrap();
    let dir = replayed("tortured").join(name);
    play(&golden("versions.txt"), &dir);
    let write = |file: &str, text: &str| fs::write(dir.join(file), text).unwrap();
    let conversion = text("conversion.rs");
    write("api/src/v1/lolcow_from_v1alpha1.rs", &conversion);
    for (version, storage, field) in [
        ("v1alpha1", "", "message"),
        ("v1", "storage = false,", "text"),
    ] {
        let types = text(&format!("{version}.rs")).replace("// STORAGE", storage);
        write(&format!("api/src/{version}/lolcow.rs"), &types);
        let sample = format!(
            "apiVersion: my.domain/{version}\nkind: Lolcow\nmetadata:\n  name: lolcow-sample\nspec:\n  {field}: Hello\n"
        );
        write(&format!("config/samples/{version}_lolcow.yaml"), &sample);
    }
    let ran = rustop(&dir, &["manifests"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    commit(&dir);
    let [right, wrong] = wrong;
    assert!(conversion.contains(right), "{conversion}");
    write(
        "api/src/v1/lolcow_from_v1alpha1.rs",
        &conversion.replacen(right, wrong, 1),
    );
    let sandbox = Sandbox::new();
    let ran = run(command(&dir, "rustop")
        .args("torture --upgrade-from HEAD --budget 2m --seed 1 --out".split(' '))
        .arg(sandbox.path().join("target/torture"))
        .env("RUSTOP_STATE", sandbox.state()));
    assert_eq!(ran.code, Some(1), "{}\n{}", ran.stdout, ran.stderr);
    sandbox.assert_no_processes();
    (sandbox, ran)
}

/// Returns the report of a rehearsal.
fn upgrade_report(sandbox: &Sandbox) -> Value {
    let report = sandbox.path().join("target/torture/upgrade/report.json");
    serde_json::from_str(&fs::read_to_string(report).unwrap()).unwrap()
}

/// Returns the changes in the report of a rehearsal.
fn changes(sandbox: &Sandbox) -> Vec<Value> {
    let report = upgrade_report(sandbox);
    report["changes"].as_array().unwrap().clone()
}

/// While one object is not converted, nobody can list the kind.
#[test]
#[ignore = "for the nights"]
fn a_conversion_that_refuses_a_stored_object_is_named() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let wrong = ["Some(\"unspeakable\")", "Some(\"Hello\")"];
    let (sandbox, ran) = rehearse_conversion("refusing", wrong);
    let changes = changes(&sandbox);
    let [change] = &changes[..] else {
        panic!("{changes:?}\n{}", ran.stderr)
    };
    assert_eq!(change["effect"], "unreadable");
    assert_eq!(change["object"], "lolcow/lolcow-sample");
    let reason = change["reason"].as_str().unwrap();
    assert!(
        reason.contains("cannot return it in v1: ") && reason.contains("cannot be expressed"),
        "{reason}"
    );
}

#[test]
#[ignore = "for the nights"]
fn a_conversion_that_loses_a_value_is_named() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let wrong = ["text: message,", "text: message.filter(|it| it.len() < 5),"];
    let (sandbox, ran) = rehearse_conversion("losing", wrong);
    let changes = changes(&sandbox);
    let lost = changes.iter().find(|it| {
        (it["effect"].as_str(), it["field"].as_str()) == (Some("deletes-data"), Some("spec.text"))
    });
    let lost = lost.unwrap_or_else(|| panic!("{changes:?}\n{}", ran.stderr));
    assert_eq!(lost["object"], "lolcow/lolcow-sample");
    assert!(lost["reason"].as_str().unwrap().starts_with("in v1: "));
}

/// While two replicas of different versions run, only the leader writes: no value changes to and
/// fro, and the new version gets the Lease.
#[test]
#[ignore = "for the nights"]
fn a_rolling_update_of_two_replicas_has_one_writer() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    progress("rehearses a rolling update of a project");
    let dir = lay_out("lolcow", "rolling");
    let ran = rustop(&dir, &["manifests"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    commit(&dir);
    for (file, old, new) in [
        ("config/manager/manager.yaml", "replicas: 1", "replicas: 2"),
        ("src/controllers/lolcow.rs", "lolcow:v1", "lolcow:v2"),
    ] {
        let file = dir.join(file);
        let text = fs::read_to_string(&file).unwrap();
        assert!(text.contains(old), "{text}");
        fs::write(file, text.replacen(old, new, 1)).unwrap();
    }
    let sandbox = Sandbox::new();
    let ran = run(command(&dir, "rustop")
        .args("torture --upgrade-from HEAD --budget 4m --seed 1 --out".split(' '))
        .arg(sandbox.path().join("target/torture"))
        .env("RUSTOP_STATE", sandbox.state()));
    assert_eq!(ran.code, Some(1), "{}\n{}", ran.stdout, ran.stderr);
    let report = upgrade_report(&sandbox);
    let rehearsed = &report["rollingUpdates"];
    assert_eq!(rehearsed["rehearsed"], rehearsed["of"], "{rehearsed}");
    assert_ne!(rehearsed["of"], 0, "{}", ran.stderr);
    let changes = report["changes"].as_array().unwrap().iter();
    let harmful = changes.filter(|it| it["effect"] != "harmless");
    let harmful: Vec<_> = harmful.map(|it| (&it["effect"], &it["object"])).collect();
    let expected = (&json!("restarts-pods"), &json!("deployment/lolcow-pod"));
    assert_eq!(harmful, [expected], "{}", ran.stdout);
    sandbox.assert_no_processes();
}
