//! An operator in Go becomes a project that builds. The project of imported kinds proves by itself
//! that its CRDs are those that came in, and notices where they are not.

use std::fs;
use std::path::{Path, PathBuf};

use crate::build::{cargo, check};
use crate::story::{command, keeping_times, replay, replayed, rustop, turn};
use crate::support::{Ran, run};

#[test]
fn the_types_say_what_the_crds_say_and_lose_nothing() {
    let _turn = turn("imported");
    let dir = replay("imported");
    let tested = || -> Ran {
        run(command(&dir, "cargo").args(["test", "-p", "herd-operator-api", "--test", "imported"]))
    };
    let ran = tested();
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stdout.contains("8 passed"), "{}", ran.stdout);

    cargo(
        &dir,
        "clippy --locked --quiet -p herd-operator-api --all-targets -- -D warnings",
    );

    let file = dir.join("api/src/farm/v1/herd.rs");
    let text = fs::read_to_string(&file).unwrap();
    let edited = text.replace("range(min = 0, max = 5000)", "range(min = 0, max = 4000)");
    let edited = edited.replace(
        "    pub secret: Option<String>,",
        "    #[serde(skip)]\n    pub secret: Option<String>,",
    );
    assert_ne!(text, edited);
    fs::write(&file, edited).unwrap();
    let ran = tested();
    fs::write(&file, text).unwrap();
    assert_eq!(ran.code, Some(101), "{}{}", ran.stdout, ran.stderr);
    for line in [
        "size.maximum: imported 5000, here 4000",
        "properties.secret: imported {",
        "is lost",
    ] {
        assert!(ran.stdout.contains(line), "{line}\n{}", ran.stdout);
    }
}

/// One kind in two groups that begin with the same label, with statuses that are not objects.
#[test]
fn kinds_of_two_groups_and_any_status_build() {
    let _turn = turn("groups");
    let dir = replay("groups");
    check(&dir);
    let said = cargo(&dir, "test --locked -p stamp-operator-api --test imported");
    assert!(said.contains("4 passed"), "{said}");

    // A field of any form is rejected with its path, as in a kind of the project's own.
    let file = dir.join("api/src/stamp/v1/issuer.rs");
    let text = fs::read_to_string(&file).unwrap();
    let field = "    pub authority: Option<String>,\n";
    let edited = text.replace(
        field,
        &format!(
            "{field}    pub seal: serde_json::Value,\n    pub seals: Vec<serde_json::Value>,\n"
        ),
    );
    assert_ne!(text, edited);
    fs::write(&file, edited).unwrap();
    let ran = rustop(&dir, &["manifests"]);
    fs::write(&file, text).unwrap();
    assert_eq!(ran.code, Some(1), "{}", ran.stderr);
    for line in [
        "api/src/stamp/v1/issuer.rs:",
        "spec.seal: the schema has no type",
        "spec.seals[]: the schema has no type",
        "help: `serde_json::Value` can be anything",
    ] {
        assert!(ran.stderr.contains(line), "{line}\n{}", ran.stderr);
    }
}

/// Returns the output of `rustop import` for the Go project of this test.
fn imported() -> PathBuf {
    let go = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/projects/import/go");
    let dir = replayed("import");
    keeping_times(&dir, || {
        drop(fs::remove_dir_all(&dir));
        fs::create_dir_all(&dir).unwrap();
        let ran = rustop(&dir, &[Path::new("import"), &go, Path::new(".")]);
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        let ran = rustop(&dir, &["manifests"]);
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    });
    dir
}

#[test]
fn an_operator_in_go_becomes_a_project_that_builds() {
    let _turn = turn("import");
    let dir = imported();
    check(&dir);
    let read = |path: &str| fs::read_to_string(dir.join(path)).unwrap();

    let said = cargo(&dir, "test --locked --workspace");
    for test in [
        "test farm_barn::no_object_loses_anything ... ok",
        "test farm_gate::the_crd_is_the_imported_one ... ok",
        "test each_sample_matches_its_type ... ok",
        "test nothing_is_lost_between_versions ... ok",
        "test nothing_is_lost_between_versions ... ignored, a conversion is unfinished",
    ] {
        assert!(said.contains(test), "{test}\n{said}");
    }

    let gate = read("api/src/farm/v1/gate_from_v1alpha1.rs");
    assert_eq!(
        gate.matches("todo!(\"convert to ").count(),
        2,
        "of the specs alone: {gate}"
    );
    assert!(gate.contains(": width, lock\")"), "{gate}");
    let webhooks = read("config/webhook/manifests.yaml");
    for name in ["barns", "stalls", "v1-stalls.stalls"] {
        assert!(
            webhooks.contains(&format!("name: {name}.farm.example.org\n")),
            "{webhooks}"
        );
    }

    // A sample that does not fit its type is reported.
    let sample = dir.join("config/samples/farm_v1_barn.yaml");
    let text = fs::read_to_string(&sample).unwrap();
    fs::write(&sample, text.replace("stalls: 3", "stalls: three")).unwrap();
    let ran =
        run(command(&dir, "cargo").args(["test", "-p", "barn-operator-api", "--test", "samples"]));
    fs::write(&sample, text).unwrap();
    assert_eq!(ran.code, Some(101), "{}{}", ran.stdout, ran.stderr);
    assert!(
        ran.stdout
            .contains("farm_v1_barn.yaml: not a valid \"Barn\": "),
        "{}",
        ran.stdout
    );
}
