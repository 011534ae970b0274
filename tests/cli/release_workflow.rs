//! The workflow that makes a release of a project: its scripts, step by step, where each program
//! only says how it was called.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::process::{Command, Output};

use serde_json::Value;

use crate::dsl::Place;

const PROGRAMS: [&str; 11] = [
    "cargo",
    "cosign",
    "docker",
    "gh",
    "git",
    "helm",
    "jq",
    "kustomize",
    "make",
    "rustop",
    "yq",
];

/// A script that stands for any program of the workflow: it prints its arguments, and writes the
/// files that the next step needs.
const PROGRAM: &str = r#"#!/bin/sh
echo "${0##*/} $*" >> "$CALLED"
case "${0##*/} $1" in
    'cargo pkgid') echo 'path+file:///src#cow-operator@0.1.0' ;;
    'git describe') [ ! -e first ] && echo v0.0.9 ;;
    'git log') echo 1700000000 ;;
    'jq --raw-output') cat image.json ;;
    'make build-installer') echo all > dist/install.yaml ;;
    'docker buildx') echo sha256:abc > image.json ;;
esac
"#;

/// A project whose workflow runs for a reference.
struct Runner {
    place: Place,
    kind: &'static str,
    name: &'static str,
}

impl Runner {
    fn new(kind: &'static str, name: &'static str) -> Self {
        let place = Place::project();
        place.rustop("create release -q").ok();
        for program in PROGRAMS {
            let path = format!("bin/{program}");
            place.write(&path, PROGRAM);
            let executable = fs::Permissions::from_mode(0o755);
            fs::set_permissions(place.path(&path), executable).unwrap();
        }
        place.write("env", "").write("called", "");
        Self { place, kind, name }
    }

    /// Runs the scripts of the release until one fails, and returns the output of the last.
    fn run(&self) -> Output {
        self.job("release")
    }

    /// Runs the scripts of a job until one fails, and returns the output of the last.
    fn job(&self, job: &str) -> Output {
        let text = self.place.read(".github/workflows/release.yml");
        let workflow: Value = serde_yaml::from_str(&text).unwrap();
        let steps = workflow["jobs"][job]["steps"].as_array().unwrap();
        let mut output = None;
        for step in steps.iter().filter(|step| self.is_for(step)) {
            let Some(script) = step["run"].as_str() else {
                continue;
            };
            if script.starts_with("rustup ") {
                continue;
            }
            let ran = self.script(script);
            let failed = !ran.status.success();
            output = Some(ran);
            if failed {
                break;
            }
        }
        output.unwrap()
    }

    /// Evaluates the condition of a step.
    fn is_for(&self, step: &Value) -> bool {
        match step["if"].as_str() {
            // A project has samples.
            None | Some("${{ !cancelled() }}" | "hashFiles('config/samples/*_*.yaml') != ''") => {
                true
            }
            Some("env.PUBLISH == 'true'") => self.kind == "tag",
            Some("hashFiles('charts/*/Chart.yaml') != ''") => self.place.has("charts"),
            Some("hashFiles('bundle.Dockerfile') != ''") => self.place.has("bundle.Dockerfile"),
            Some(other) => panic!("{other}"),
        }
    }

    fn script(&self, script: &str) -> Output {
        let path = |name: &str| self.place.path(name);
        let told = self.place.read("env");
        let told = told.lines().filter_map(|line| line.split_once('='));
        let mut bash = Command::new("bash");
        bash.args(["--noprofile", "--norc", "-eo", "pipefail", "-c", script])
            .current_dir(self.place.dir())
            .env_clear()
            .env("PATH", format!("{}:/usr/bin:/bin", path("bin").display()))
            .env("CALLED", path("called"))
            .env("GITHUB_ENV", path("env"))
            .env("GITHUB_REF_TYPE", self.kind)
            .env("GITHUB_REF_NAME", self.name)
            .env("GITHUB_REPOSITORY", "Farm/Cow-Operator")
            .env("GITHUB_ACTOR", "farmer")
            .env("GITHUB_SERVER_URL", "https://github.com")
            .env("TOKEN", "secret")
            .env("PUBLISH", (self.kind == "tag").to_string())
            .envs(told);
        bash.output().unwrap()
    }

    fn calls(&self) -> Vec<String> {
        let called = self.place.read("called");
        called.lines().map(str::to_owned).collect()
    }
}

const IMAGE: &str = "ghcr.io/farm/cow-operator";

#[test]
fn a_tag_is_built_for_both_architectures_signed_and_published() {
    let runner = Runner::new("tag", "v0.1.0");
    let ran = runner.run();
    let said = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success(), "{said}");
    let calls = runner.calls();
    for call in [
        format!("cosign sign --yes {IMAGE}@sha256:abc"),
        format!("make build-installer IMG={IMAGE}:v0.1.0@sha256:abc"),
        "gh release create v0.1.0 dist/release/install.yaml --verify-tag --generate-notes --notes-file notes.md"
            .to_owned(),
    ] {
        assert!(calls.contains(&call), "{call}: {calls:#?}");
    }
    let builds: Vec<_> = calls
        .iter()
        .filter(|call| call.contains("buildx build "))
        .collect();
    assert_eq!(builds.len(), 1, "{calls:#?}");
    for part in [
        "--platform linux/amd64,linux/arm64",
        "--provenance=mode=max --sbom=true",
        &format!("name={IMAGE}:v0.1.0,push=true"),
    ] {
        assert!(builds[0].contains(part), "{builds:?}");
    }
    let notes = runner.place.read("notes.md");
    assert!(
        notes.contains(&format!("`{IMAGE}:v0.1.0@sha256:abc`")),
        "{notes}"
    );
    assert!(
        runner
            .place
            .read("env")
            .contains("SOURCE_DATE_EPOCH=1700000000\n")
    );
}

#[test]
fn the_chart_and_the_bundle_have_its_image() {
    let runner = Runner::new("tag", "v0.1.0");
    runner.place.rustop("create chart -q").ok();
    runner.place.rustop("create bundle -q").ok();
    let ran = runner.run();
    assert!(ran.status.success(), "{:#?}", runner.calls());
    let calls = runner.calls();
    let chart = "charts/lolcow-operator";
    for call in [
        format!(
            "yq -i .image.repository = strenv(image) | .image.digest = strenv(digest) {chart}/values.yaml"
        ),
        format!(
            "helm package {chart} --version 0.1.0 --app-version v0.1.0 --destination dist/release"
        ),
        "helm registry login ghcr.io --username farmer --password-stdin".to_owned(),
        format!("helm push dist/release/lolcow-operator-0.1.0.tgz oci://{IMAGE}/charts"),
        format!("kustomize edit set image controller={IMAGE}@sha256:abc"),
        "rustop manifests".to_owned(),
        format!(
            "docker buildx build --file bundle.Dockerfile --output type=image,name={IMAGE}-bundle:v0.1.0,push=true bundle"
        ),
    ] {
        assert!(calls.contains(&call), "{call}: {calls:#?}");
    }
}

#[test]
fn a_tag_that_is_not_the_version_is_refused_before_anything_is_built() {
    let runner = Runner::new("tag", "v0.2.0");
    let ran = runner.run();
    assert!(!ran.status.success());
    let said = String::from_utf8_lossy(&ran.stdout);
    let told = "::error::the tag is v0.2.0, and Cargo.toml says v0.1.0";
    assert!(said.contains(told), "{said}");
    assert_eq!(runner.calls().len(), 1, "{:?}", runner.calls());
}

#[test]
fn by_hand_nothing_is_published() {
    let runner = Runner::new("branch", "main");
    runner.place.rustop("create chart -q").ok();
    let ran = runner.run();
    assert!(ran.status.success(), "{:?}", runner.calls());
    let calls = runner.calls();
    let published = |call: &&String| {
        let words = ["push=true", "helm push", "helm registry"];
        words.iter().any(|word| call.contains(word)) || call.starts_with("gh ")
    };
    assert_eq!(calls.iter().find(published), None);
    assert!(calls.iter().any(|call| call.contains("push=false")));
    assert!(!calls.iter().any(|call| call.starts_with("cosign ")));
}

#[test]
fn a_release_is_rehearsed_from_the_last_one() {
    let runner = Runner::new("tag", "v0.1.0");
    let ran = runner.job("rehearse-upgrade");
    assert!(ran.status.success(), "{:?}", runner.calls());
    assert_eq!(
        runner.calls(),
        [
            "git describe --tags --abbrev=0 --match v* HEAD^",
            "rustop cluster install",
            "make rehearse-upgrade FROM=v0.0.9"
        ]
    );
}

#[test]
fn the_first_release_has_no_upgrade_to_rehearse() {
    let runner = Runner::new("tag", "v0.1.0");
    runner.place.write("first", "");
    let ran = runner.job("rehearse-upgrade");
    assert!(ran.status.success(), "{:?}", runner.calls());
    assert_eq!(runner.calls().len(), 1, "{:?}", runner.calls());
}
