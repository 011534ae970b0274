//! `rustop simulate` in a generated project: without a bug, and with one.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::story::{replay, rustop, turn};

/// Creates a child with a random name whenever the status in the cache is empty. After a crash
/// before the status is written, the child exists twice.
const BUG: &str = r#"
    if lolcow.status.is_none() {
        let mut note = k8s_openapi::api::core::v1::ConfigMap::default();
        note.metadata.generate_name = Some("note-".to_owned());
        note.metadata.owner_references =
            kube::Resource::controller_owner_ref(&*lolcow, &()).map(|owner| vec![owner]);
        let namespace = lolcow.metadata.namespace.clone().unwrap_or_default();
        let notes = kube::Api::namespaced(ctx.client().clone(), &namespace);
        notes.create(&kube::api::PostParams::default(), &note).await?;
    }
"#;

#[test]
fn a_fresh_project_has_no_finding_and_a_planted_bug_is_found() {
    let _turn = turn("lolcow");
    let dir = replay("lolcow");
    let (code, report) = simulate(&dir);
    assert_eq!(code, Some(0), "{report:#}");
    assert_eq!(report["simulations"][0]["histories"], 200);

    let controller = dir.join("src/controllers/lolcow.rs");
    let source = fs::read_to_string(&controller).unwrap();
    let (before, after) = source.split_once("    // TODO(user): your logic").unwrap();
    let planted = format!("{before}{BUG}    // TODO(user): your logic{after}");
    fs::write(&controller, &planted).unwrap();
    let (code, report) = simulate(&dir);
    assert_eq!(code, Some(1), "{report:#}");
    let findings = report["simulations"][0]["findings"].as_array().unwrap();
    assert_eq!(findings[0]["class"], "forbidden", "{report:#}");
    let message = findings[0]["message"].as_str().unwrap();
    let marker = message
        .split('`')
        .find(|part| part.starts_with("// +kubebuilder:rbac"));
    let marker = marker.unwrap_or_else(|| panic!("{message}"));

    fs::write(&controller, format!("{marker}\n{planted}")).unwrap();
    assert_eq!(rustop(&dir, &["manifests"]).code, Some(0));
    let (code, report) = simulate(&dir);
    assert_eq!(code, Some(1), "{report:#}");
    let findings = report["simulations"][0]["findings"].as_array().unwrap();
    let found = findings.iter().find(|it| it["class"] == "created-twice");
    let found = found.unwrap_or_else(|| panic!("{report:#}"));
    assert_eq!(found["confirmation"]["result"], "confirmed", "{found:#}");
    let confirmed_by = found["confirmation"]["finding"].as_str().unwrap();
    assert!(confirmed_by.contains("configmap/note-"), "{found:#}");
    assert!(
        found["object"].as_str().unwrap().starts_with("configmaps"),
        "{found:#}"
    );

    let stored = dir.join(found["file"].as_str().unwrap());
    let histories: Vec<_> = (0..3).map(|_| replayed(&dir, &stored, Some(1))).collect();
    assert!(
        histories[0].contains("create configmaps"),
        "{}",
        histories[0]
    );
    assert!(histories.iter().all(|it| *it == histories[0]));

    fs::write(&controller, source).unwrap();
    assert_eq!(rustop(&dir, &["manifests"]).code, Some(0));
    replayed(&dir, &stored, Some(0));
}

#[test]
#[ignore = "builds five projects, so it runs at night"]
fn the_other_projects_have_no_finding() {
    for story in ["fleet", "imported", "namespaced", "page", "webhooks"] {
        let _turn = turn(story);
        let (_, report) = simulate(&replay(story));
        let simulation = &report["simulations"][0];
        assert_eq!(simulation["histories"], 200, "{story}: {report:#}");
        assert_eq!(simulation["findings"], json!([]), "{story}: {report:#}");
    }
}

/// Simulates 200 histories that are always the same, and repeats findings on a control plane.
/// Returns the exit code and the report.
fn simulate(dir: &Path) -> (Option<i32>, Value) {
    let line = "simulate --seeds 200 --seed 1 --output json";
    let ran = rustop(dir, &line.split(' ').collect::<Vec<_>>());
    let mut output: Value =
        serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("{}", ran.stderr));
    assert!(!output["report"].is_null(), "{output:#}\n{}", ran.stderr);
    (ran.code, output["report"].take())
}

/// Replays a finding, and returns its history.
fn replayed(dir: &Path, stored: &Path, code: Option<i32>) -> String {
    let stored = stored.display().to_string();
    let ran = rustop(dir, &["simulate", "--replay", &stored]);
    assert_eq!(ran.code, code, "{}\n{}", ran.stdout, ran.stderr);
    ran.stdout
}
