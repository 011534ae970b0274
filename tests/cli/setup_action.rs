//! The installation of rustop in a project's workflows: the scripts of the action and of
//! `test.yml`, with a `cargo` that records its arguments and releases on loopback.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::process::{Command, Output};

use serde_json::Value;

use crate::dsl::Place;
use crate::install::serve;

const ACTION: &str = ".github/actions/setup-rustop/action.yml";
/// A replacement of the release's script, which prints its arguments and its environment.
const INSTALL: &str = "echo \"$RUSTOP_RELEASES $*\" > called\n";

/// A project whose workflow calls the action with `inputs`.
struct Runner {
    place: Place,
    inputs: BTreeMap<&'static str, String>,
}

impl Runner {
    fn new(inputs: &[(&'static str, &str)]) -> Self {
        let place = Place::project();
        place.rustop("create ci -q").ok();
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

    /// Changes the version in PROJECT to the one of [`serve`].
    fn of_served_version(self) -> Self {
        let line = |version: &str| format!("cliVersion: \"{version}\"\n");
        let current = line(env!("CARGO_PKG_VERSION"));
        self.place.edit("PROJECT", &current, &line("1.2.3"));
        self
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

    /// Returns the script of a step with the values that a runner would insert.
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

    /// Returns the value of `${{ inputs.NAME }}`, or of an output of the first step.
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

    /// Returns the recorded call, with `ROOT` for the directory into which rustop is installed.
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
fn the_action_builds_a_commit() {
    let address = "https://example.com/rustop";
    let commit = Runner::new(&[("version", "latest"), ("git", address), ("rev", "abc")]);
    assert_eq!(
        commit.calls(),
        format!("cargo install rustop-cli --locked --root ROOT --git {address} --rev abc")
    );
    assert_eq!(commit.output("key"), "abc");
}

#[test]
fn nothing_is_installed_from_crates_io() {
    for inputs in [&[][..], &[("version", "latest")]] {
        let runner = Runner::new(inputs);
        let ran = runner.run();
        assert!(!ran.status.success());
        let said = String::from_utf8_lossy(&ran.stdout);
        assert!(said.contains("RUSTOP_GIT and RUSTOP_REV"), "{said}");
        assert!(!runner.place.has("called"));
    }
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
    // Without an input, the version is the one that PROJECT names.
    let runner = Runner::new(&[("releases", &releases)]).of_served_version();
    assert_eq!(
        runner.calls(),
        format!("{releases} --version 1.2.3 --to ROOT/bin")
    );
    assert_eq!(runner.output("key"), "1.2.3");
    // A missing release ends the action with an error.
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
        assert!(said.contains("set both or neither"), "{said}");
        assert!(!runner.place.has("called"));
    }
}

#[test]
fn workflows_of_optional_parts_use_the_action() {
    let place = Place::project();
    for part in ["ci", "e2e", "release"] {
        place.rustop(&format!("create {part} -q")).ok();
    }
    let dir = place.path(".github/workflows");
    let mut count = 0;
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.ends_with("test.yml") {
            continue;
        }
        count += 1;
        let text = fs::read_to_string(&path).unwrap();
        assert!(!text.contains("cargo install"), "{}", path.display());
        let used = steps(&text)
            .iter()
            .any(|step| step["uses"] == "./.github/actions/setup-rustop");
        assert!(used, "{}", path.display());
    }
    assert_eq!(count, 5);
}

/// Returns the steps of all jobs of a workflow.
fn steps(workflow: &str) -> Vec<Value> {
    let workflow: Value = serde_yaml::from_str(workflow).unwrap();
    let jobs = workflow["jobs"].as_object().unwrap().values();
    jobs.flat_map(|job| job["steps"].as_array().unwrap().clone())
        .collect()
}

/// Runs the step of `test.yml` that installs rustop, with these variables of the repository.
fn test_workflow(variables: &[(&'static str, &str)]) -> (Output, Runner) {
    let runner = Runner::new(&[]).of_served_version();
    let text = runner.place.read(".github/workflows/test.yml");
    let steps = steps(&text);
    let step = steps
        .iter()
        .find(|step| step["name"] == "Install rustop")
        .unwrap();
    let bin = runner.place.path("bin");
    let mut bash = Command::new("bash");
    bash.args(["-e", "-c", step["run"].as_str().unwrap()])
        .current_dir(runner.place.dir())
        .env_clear()
        .env("PATH", format!("{}:/usr/bin:/bin", bin.display()))
        .env("RUNNER_TEMP", runner.place.path("temp"))
        .env("HOME", "/HOME");
    for name in step["env"].as_object().unwrap().keys() {
        bash.env(name, "");
    }
    bash.envs(variables.iter().copied());
    (bash.output().unwrap(), runner)
}

#[test]
fn the_test_workflow_installs_rustop_without_the_action() {
    let git = [
        ("RUSTOP_GIT", "https://example.com/rustop"),
        ("RUSTOP_REV", "abc"),
    ];
    let (ran, runner) = test_workflow(&git);
    assert!(ran.status.success(), "{ran:?}");
    assert_eq!(
        runner.place.read("called"),
        "cargo install rustop-cli --locked --git https://example.com/rustop --rev abc\n"
    );
    let script = "install.sh".to_owned();
    let releases = serve(BTreeMap::from([(script, INSTALL.as_bytes().to_vec())]));
    let (ran, runner) = test_workflow(&[("RUSTOP_RELEASES", &releases)]);
    assert!(ran.status.success(), "{ran:?}");
    assert_eq!(
        runner.place.read("called"),
        format!("{releases} --version 1.2.3 --to /HOME/.cargo/bin\n")
    );
    for (variables, said) in [
        (&[][..], "set the variables RUSTOP_GIT and RUSTOP_REV"),
        (&git[..1], "RUSTOP_REV: is the commit"),
    ] {
        let (ran, runner) = test_workflow(variables);
        assert!(!ran.status.success(), "{said}");
        let output = [ran.stdout, ran.stderr].concat();
        assert!(String::from_utf8_lossy(&output).contains(said), "{said}");
        assert!(!runner.place.has("called"));
    }
}
