//! The action by which a project's workflows get rustop: its scripts, step by step, where `cargo` only says how it was
//! called and releases are on loopback.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::process::{Command, Output};

use serde_json::Value;

use crate::dsl::Place;
use crate::install::serve;

const ACTION: &str = ".github/actions/setup-rustop/action.yml";
/// In place of the release's script: it says how it was called, and what it was told.
const INSTALL: &str = "echo \"$RUSTOP_RELEASES $*\" > called\n";

/// A project whose workflow calls the action with `inputs`.
struct Runner {
    place: Place,
    inputs: BTreeMap<&'static str, String>,
}

impl Runner {
    fn new(inputs: &[(&'static str, &str)]) -> Self {
        let place = Place::project();
        place.write(
            "bin/cargo",
            "#!/bin/sh\necho \"cargo $*\" > \"${0%/*}/../called\"\n",
        );
        let cargo = place.path("bin/cargo");
        fs::set_permissions(cargo, fs::Permissions::from_mode(0o755)).unwrap();
        place.write("output", "").write("path", "");
        fs::create_dir(place.path("temp")).unwrap();
        let inputs = inputs
            .iter()
            .map(|(key, value)| (*key, (*value).to_owned()));
        Self {
            inputs: inputs.collect(),
            place,
        }
    }

    /// Runs the scripts one after the other, until one fails.
    fn run(&self) -> Output {
        let action: Value = serde_yaml::from_str(&self.place.read(ACTION)).unwrap();
        let steps = action["runs"]["steps"].as_array().unwrap().iter();
        let scripts: Vec<_> = steps.filter(|step| step["run"].is_string()).collect();
        assert_eq!(scripts.len(), 2);
        let mut output = None;
        for step in scripts {
            let ran = self.script(step);
            let failed = !ran.status.success();
            output = Some(ran);
            if failed {
                break;
            }
        }
        output.unwrap()
    }

    /// As a runner calls it.
    fn script(&self, step: &Value) -> Output {
        let path = |name: &str| self.place.path(name);
        let bin = path("bin");
        let mut bash = Command::new("bash");
        bash.args(["--noprofile", "--norc", "-eo", "pipefail", "-c"])
            .arg(step["run"].as_str().unwrap())
            .current_dir(self.place.dir())
            .env_clear()
            .env("PATH", format!("{}:/usr/bin:/bin", bin.display()))
            .env("RUNNER_TEMP", path("temp"))
            .env("GITHUB_OUTPUT", path("output"))
            .env("GITHUB_PATH", path("path"));
        for (name, value) in step["env"].as_object().unwrap() {
            bash.env(name, self.value(value.as_str().unwrap()));
        }
        bash.output().unwrap()
    }

    /// Of `${{ inputs.NAME }}`, or of an output of the first step.
    fn value(&self, expression: &str) -> String {
        let inner = expression
            .trim_start_matches("${{ ")
            .trim_end_matches(" }}");
        if let Some(input) = inner.strip_prefix("inputs.") {
            return self.inputs.get(input).cloned().unwrap_or_default();
        }
        let output = inner.strip_prefix("steps.wanted.outputs.").unwrap();
        self.output(output)
    }

    fn output(&self, name: &str) -> String {
        let outputs = self.place.read("output");
        let mut values = outputs.lines().filter_map(|line| line.split_once('='));
        let (_, value) = values.find(|(key, _)| *key == name).unwrap();
        value.to_owned()
    }

    /// What was called in the end, where rustop goes to `ROOT`.
    fn calls(&self) -> String {
        let ran = self.run();
        let said = String::from_utf8_lossy(&ran.stderr);
        assert!(ran.status.success(), "{said}");
        let root = self.output("root");
        assert_eq!(self.place.read("path"), format!("{root}/bin\n"));
        let called = self.place.read("called");
        called.trim_end().replace(&root, "ROOT")
    }
}

#[test]
fn it_gets_the_version_that_the_project_is_of() {
    let runner = Runner::new(&[]);
    let version = env!("CARGO_PKG_VERSION");
    assert_eq!(
        runner.calls(),
        format!("cargo install rustop-cli --locked --root ROOT --version {version}")
    );
    assert_eq!(runner.output("key"), version);
}

#[test]
fn or_the_latest_or_a_commit() {
    let latest = Runner::new(&[("version", "latest")]);
    assert_eq!(
        latest.calls(),
        "cargo install rustop-cli --locked --root ROOT"
    );
    let address = "https://example.com/rustop";
    let commit = Runner::new(&[("version", "latest"), ("git", address), ("rev", "abc")]);
    assert_eq!(
        commit.calls(),
        format!("cargo install rustop-cli --locked --root ROOT --git {address} --rev abc")
    );
    assert_eq!(commit.output("key"), "abc");
}

#[test]
fn from_releases_it_takes_seconds() {
    let script = "install.sh".to_owned();
    let releases = serve(BTreeMap::from([(script, INSTALL.as_bytes().to_vec())]));
    let runner = Runner::new(&[("version", "1.2.3"), ("releases", &releases)]);
    assert_eq!(
        runner.calls(),
        format!("{releases} --version 1.2.3 --to ROOT/bin")
    );
    // A release that is not there is no reason to go on.
    let runner = Runner::new(&[("version", "9.9.9"), ("releases", &releases)]);
    assert!(!runner.run().status.success());
    assert!(!runner.place.has("called"));
}

#[test]
fn a_repository_without_a_commit_is_an_error() {
    for half in ["git", "rev"] {
        let runner = Runner::new(&[(half, "x")]);
        let ran = runner.run();
        assert!(!ran.status.success());
        let said = String::from_utf8_lossy(&ran.stdout);
        assert!(said.contains("say both git and rev"), "{said}");
        assert!(!runner.place.has("called"));
    }
}

/// Every workflow of a project that calls rustop gets it by the action.
#[test]
fn workflows_use_it() {
    let place = Place::project();
    let dir = place.path(".github/workflows");
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        let text = fs::read_to_string(&path).unwrap();
        assert!(!text.contains("cargo install"), "{}", path.display());
        let workflow: Value = serde_yaml::from_str(&text).unwrap();
        let jobs = workflow["jobs"].as_object().unwrap();
        let mut steps = jobs
            .values()
            .flat_map(|job| job["steps"].as_array().unwrap());
        let used = steps.any(|step| step["uses"] == "./.github/actions/setup-rustop");
        assert!(used, "{}", path.display());
    }
}
