//! `rustop torture --from-command` on releases of the operator `mill`, each of which changes one
//! thing.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::PoisonError;

use serde_json::Value;

use crate::support::{Ran, Sandbox, progress, run};
use crate::{ALONE, build_go, example};

fn home() -> PathBuf {
    crate::flock().with_file_name("mill")
}

/// Rehearses the upgrade from the first release. `crds` are the directories of the old and the new
/// CRDs. Both releases elect a leader with `--elect`.
fn rehearse(sandbox: &Sandbox, (old, new): (&str, &str), release: &str, election: &[&str]) -> Ran {
    let (program, home) = (example("mill"), home());
    let mut command = sandbox.rustop("torture --seed 1 --budget 4m");
    let old_command: Vec<_> = [program.to_str().unwrap()]
        .iter()
        .chain(election)
        .copied()
        .collect();
    command
        .arg("--from-command")
        .arg(old_command.join(" "))
        .arg("--from-crds")
        .arg(home.join(old))
        .arg("--crds")
        .arg(home.join(new));
    for what in ["samples", "rbac"] {
        command.arg(format!("--{what}")).arg(home.join(what));
    }
    command.arg("--").arg(&program).args(election);
    if !release.is_empty() {
        command.args(["--release", release]);
    }
    run(&mut command)
}

/// Checks that the upgrade to a release fails because of these effects on these objects and no
/// others, or passes without any change if there are none.
fn shows(crds: (&str, &str), release: &str, expected: &[(&str, &str)]) {
    rehearsal_shows(crds, release, &[], expected);
}

fn rehearsal_shows(
    crds: (&str, &str),
    release: &str,
    election: &[&str],
    expected: &[(&str, &str)],
) {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    progress(&format!("rehearses the upgrade to {release}"));
    let sandbox = Sandbox::new();
    let ran = rehearse(&sandbox, crds, release, election);
    check(&sandbox, &ran, expected);
}

/// Checks the report of a rehearsal: these effects on these objects and no others.
fn check(sandbox: &Sandbox, ran: &Ran, expected: &[(&str, &str)]) {
    let code = i32::from(!expected.is_empty());
    assert_eq!(ran.code, Some(code), "{}\n{}", ran.stdout, ran.stderr);
    let report = sandbox.path().join("target/torture/upgrade/report.json");
    let report: Value = serde_json::from_str(&fs::read_to_string(report).unwrap()).unwrap();
    let changes = report["changes"].as_array().unwrap();
    let harmful: BTreeSet<_> = changes
        .iter()
        .filter(|it| it["effect"] != "harmless")
        .map(|it| {
            (
                it["effect"].as_str().unwrap(),
                it["object"].as_str().unwrap(),
            )
        })
        .collect();
    if expected.is_empty() {
        assert_eq!(*changes, [Value::Null; 0], "{}", ran.stdout);
    }
    let expected = expected.iter().copied().collect();
    assert_eq!(harmful, expected, "{}\n{}", ran.stdout, ran.stderr);
    sandbox.assert_no_processes();
}

/// The CRDs of both releases, if they do not change.
const SAME: (&str, &str) = ("crds", "crds");

macro_rules! releases {
    ($($test:ident: $release:literal in $crds:expr => $expected:expr;)*) => {
        $(#[test] #[ignore = "for the nights"] fn $test() { shows($crds, $release, $expected); })*
    };
}

releases! {
    a_renamed_selector_is_refused: "renamed-selector" in SAME => &[("refused-as-immutable", "deployment/old-mill")];
    a_changed_claim_template_is_refused: "claim-template" in SAME => &[("refused-as-immutable", "statefulset/old-mill-store")];
    a_renamed_finalizer_blocks_the_deletion: "renamed-finalizer" in SAME => &[("orphaned", "mill/old-mill"), ("one-way", "mill/old-mill")];
    a_renamed_child_is_orphaned: "renamed-child" in SAME => &[("orphaned", "configmap/old-mill-config")];
    a_new_password_deletes_data: "new-password" in SAME => &[("deletes-data", "secret/old-mill-password"), ("one-way", "secret/old-mill-password")];
    a_required_field_makes_objects_unreadable: "required-field" in ("crds", "crds-required") => &[("unreadable", "mill/old-mill"), ("refused", "mill/old-mill")];
    a_dropped_version_is_rejected: "" in ("crds-with-v1alpha1", "crds") => &[("unreadable", "customresourcedefinition.apiextensions.k8s.io/mills.upgrades.example.com")];
    a_dropped_field_loses_its_values: "" in ("crds", "crds-without-grain") => &[("deletes-data", "mill/old-mill")];
    the_same_release_changes_nothing: "" in SAME => &[];
    a_log_line_changes_nothing: "log-line" in SAME => &[];
}

/// One planted upgrade is rehearsed in every run of the suite.
#[test]
fn a_new_default_restarts_pods() {
    let expected = [
        ("restarts-pods", "deployment/old-mill"),
        ("conflicting-writes", "deployment/old-mill"),
    ];
    shows(SAME, "new-default", &expected);
}

#[test]
#[ignore = "for the nights"]
fn leader_election_prevents_conflicting_writes() {
    let expected = [("restarts-pods", "deployment/old-mill")];
    rehearsal_shows(SAME, "new-default", &["--elect"], &expected);
}

#[test]
#[ignore = "for the nights"]
fn a_changed_field_manager_leaves_its_fields() {
    leaves_fields("field-manager", "mill -> mill-controller");
}

#[test]
#[ignore = "for the nights"]
fn an_update_instead_of_an_apply_leaves_fields() {
    leaves_fields("merge-patch", "mill (Apply) -> mill-controller (Update)");
}

/// Checks that the upgrade to a release leaves a label and the fields of the old field manager.
fn leaves_fields(release: &str, managers: &str) {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let sandbox = Sandbox::new();
    let ran = rehearse(&sandbox, SAME, release, &[]);
    assert_eq!(ran.code, Some(1), "{}\n{}", ran.stdout, ran.stderr);
    for line in [
        "orphaned: nothing removes an object or a field of the old version: configmap/old-mill-config\n",
        "  metadata.labels.first: yes; the field of the old version stays\n",
        &format!("  metadata.managedFields: {managers}; "),
    ] {
        assert!(ran.stdout.contains(line), "{line}: {}", ran.stdout);
    }
    sandbox.assert_no_processes();
}

/// Operators on controller-runtime, each with a release that changes one thing.
#[test]
#[ignore = "for the nights"]
fn upgrades_of_operators_in_go() {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let flock = tests.join("torture/flock");
    rehearse_go(
        &tests.join("torture/flock-go"),
        (
            "main.go",
            r#"owner, "song", song"#,
            r#"owner, "tune", song"#,
        ),
        (&flock.join("crds"), &flock.join("samples")),
        &[("orphaned", "configmap/merino-song")],
    );
    let place = tempfile::tempdir().unwrap();
    let dirs = [("crds", LOLCOW_CRD), ("samples", LOLCOW)].map(|(name, text)| {
        let dir = place.path().join(name);
        fs::create_dir(&dir).unwrap();
        fs::write(dir.join("lolcow.yaml"), text).unwrap();
        dir
    });
    rehearse_go(
        &tests.join("bench/go-peer"),
        ("controller.go", "lolcow/lolcow:1.0", "lolcow/lolcow:1.1"),
        (&dirs[0], &dirs[1]),
        &[
            ("restarts-pods", "deployment/lolcow"),
            ("conflicting-writes", "deployment/lolcow"),
        ],
    );
}

const LOLCOW_CRD: &str = "
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: lolcows.my.domain}
spec:
  group: my.domain
  names: {kind: Lolcow, plural: lolcows, singular: lolcow, listKind: LolcowList}
  scope: Namespaced
  versions:
  - name: v1alpha1
    served: true
    storage: true
    subresources: {status: {}}
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec: {type: object, properties: {greeting: {type: string}}}
          status: {type: object, x-kubernetes-preserve-unknown-fields: true}
";

const LOLCOW: &str = "
apiVersion: my.domain/v1alpha1
kind: Lolcow
metadata: {name: lolcow}
spec: {greeting: moo}
";

/// Rehearses the upgrade from the Go program in `source` to the same one with an edit: the file,
/// the text to replace, and the new one.
fn rehearse_go(
    source: &Path,
    (file, from, to): (&str, &str, &str),
    (crds, samples): (&Path, &Path),
    expected: &[(&str, &str)],
) {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    progress(&format!("rehearses an upgrade of {}", source.display()));
    let place = tempfile::tempdir().unwrap();
    let copy = place.path().join("source");
    fs::create_dir(&copy).unwrap();
    for entry in fs::read_dir(source).unwrap() {
        let path = entry.unwrap().path();
        fs::copy(&path, copy.join(path.file_name().unwrap())).unwrap();
    }
    let text = fs::read_to_string(copy.join(file)).unwrap();
    assert!(text.contains(from), "{file}");
    fs::write(copy.join(file), text.replace(from, to)).unwrap();
    let [old, new] = [(source, "old"), (&copy, "new")].map(|(source, name)| {
        let program = place.path().join(name);
        build_go(source, &program);
        program
    });
    let sandbox = Sandbox::new();
    let mut command = sandbox.rustop("torture --seed 1 --budget 4m");
    command
        .arg("--from-command")
        .arg(&old)
        .arg("--from-crds")
        .arg(crds)
        .arg("--crds")
        .arg(crds)
        .arg("--samples")
        .arg(samples)
        .arg("--")
        .arg(&new);
    let ran = run(&mut command);
    check(&sandbox, &ran, expected);
}
