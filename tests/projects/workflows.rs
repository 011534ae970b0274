//! Workflows, rustop's own and those that projects get, by actionlint; scripts, also those in
//! workflows, by shellcheck; and what neither asks for: actions are pinned, and a job has the
//! rights that it needs.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use regex::Regex;
use serde_json::Value;
use tempfile::TempDir;

use crate::story::{golden, tree};
use crate::support::{Ran, run};
use crate::tool;

/// The projects whose workflows differ.
const PROJECTS: [&str; 3] = ["lolcow", "webhooks", "fleet"];

#[test]
fn actionlint_and_shellcheck_find_nothing() {
    let mut places = PROJECTS.map(golden).to_vec();
    places.push(root());
    for place in places {
        let ran = actionlint(&workflows(&place));
        assert_eq!(ran.code, Some(0), "{}\n{}", place.display(), ran.stdout);
    }
    // Were they there at all?
    let wrong = [
        ("runs-on: ubuntu-latest", "runs-on: ubuntu-of-old", "label"),
        ("run: .ci/run", "run: cat $HOME", "shellcheck"),
    ];
    for (right, wrong, why) in wrong {
        let mut files = workflows(&root());
        let ci = files.get_mut("workflows/ci.yml").unwrap();
        assert!(ci.contains(right));
        *ci = ci.replace(right, wrong);
        let ran = actionlint(&files);
        assert_eq!(ran.code, Some(1), "{}", ran.stderr);
        assert!(ran.stdout.contains(why), "{}", ran.stdout);
    }
}

#[test]
fn shellcheck_finds_nothing_in_scripts() {
    let mut scripts: Vec<PathBuf> = fs::read_dir(root().join(".ci"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_none())
        .collect();
    scripts.push(root().join("install.sh"));
    assert!(scripts.len() > 4, "{scripts:?}");
    let ran = run(Command::new(shellcheck()).args(scripts));
    assert_eq!(ran.code, Some(0), "{}", ran.stdout);
}

/// actionlint does not look into the scripts of actions.
#[test]
fn shellcheck_finds_nothing_in_actions() {
    let action = golden("webhooks").join(".github/actions/setup-rustop/action.yml");
    let action: Value = serde_yaml::from_str(&fs::read_to_string(action).unwrap()).unwrap();
    let steps = action["runs"]["steps"].as_array().unwrap().iter();
    let scripts: Vec<_> = steps.filter_map(|step| step["run"].as_str()).collect();
    assert!(!scripts.is_empty());
    let dir = TempDir::new().unwrap();
    let file = dir.path().join("script");
    for script in scripts {
        fs::write(&file, script).unwrap();
        let mut command = Command::new(shellcheck());
        // The variables are the step's.
        let ran = run(command
            .args(["--shell=bash", "--exclude=SC2154"])
            .arg(&file));
        assert_eq!(ran.code, Some(0), "{}", ran.stdout);
    }
}

/// And to one release of each: Dependabot moves rustop's own, and the templates have to follow.
#[test]
fn every_action_is_pinned() {
    let mut pins = BTreeMap::new();
    for (file, text) in all() {
        for (action, pin) in actions(&text) {
            assert!(is_pinned(&pin), "{file}: {action} is not pinned: {pin}");
            let (first, other) = pins
                .entry(action.clone())
                .or_insert_with(|| (file.clone(), pin.clone()));
            assert_eq!(*other, pin, "{action} in {first} and in {file}");
        }
    }
    assert!(pins.len() > 5, "{pins:?}");
    for bad in ["v6", "v6 # v6.1.0", &"a".repeat(40)] {
        assert!(!is_pinned(bad), "{bad}");
    }
}

#[test]
fn a_workflow_may_read_and_a_job_what_it_needs() {
    for (file, text) in all()
        .into_iter()
        .filter(|(file, _)| file.contains("workflows/"))
    {
        let workflow: Value = serde_yaml::from_str(&text).unwrap();
        let granted = &workflow["permissions"];
        assert_eq!(*granted, serde_json::json!({"contents": "read"}), "{file}");
        for (job, workflow) in workflow["jobs"].as_object().unwrap() {
            assert!(workflow["timeout-minutes"].is_u64(), "{file}: {job}");
            for step in workflow["steps"].as_array().unwrap() {
                let uses = step["uses"].as_str().unwrap_or_default();
                let with = &step["with"];
                // What is checked out with a token of its own is pushed to.
                let keeps = with["persist-credentials"] != false && with["token"].is_null();
                let leaks = uses.starts_with("actions/checkout@") && keeps;
                assert!(!leaks, "{file}: {job} leaves a token behind");
            }
        }
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_owned()
}

/// And actions, by their paths below `.github`.
fn workflows(place: &Path) -> BTreeMap<String, String> {
    let mut files = tree(&place.join(".github"));
    files.retain(|path, _| path.starts_with("workflows/") || path.starts_with("actions/"));
    assert!(!files.is_empty(), "{}", place.display());
    files
}

/// All of all, by what they are called in messages.
fn all() -> Vec<(String, String)> {
    let mut all = Vec::new();
    let places = PROJECTS.map(|name| (name, golden(name)));
    for (name, place) in places.into_iter().chain([("rustop", root())]) {
        let files = workflows(&place).into_iter();
        all.extend(files.map(|(file, text)| (format!("{name}: {file}"), text)));
    }
    all
}

/// Each action that a workflow uses, and what of it, with the comment.
fn actions(workflow: &str) -> Vec<(String, String)> {
    let uses = Regex::new(r"(?m)\buses: ([^@\s]+)(?:@(.*))?$").unwrap();
    uses.captures_iter(workflow)
        .filter(|found| !found[1].starts_with("./"))
        .map(|found| {
            let pin = found.get(2).map_or("", |pin| pin.as_str());
            (found[1].to_owned(), pin.to_owned())
        })
        .collect()
}

fn is_pinned(pin: &str) -> bool {
    let pinned = Regex::new(r"^[0-9a-f]{40} # v\d+\.\d+\.\d+$").unwrap();
    pinned.is_match(pin)
}

/// It reads a repository, so it gets one.
fn actionlint(workflows: &BTreeMap<String, String>) -> Ran {
    let program = tool::go(
        "workflows/actionlint",
        "github.com/rhysd/actionlint/cmd/actionlint",
    );
    let dir = TempDir::new().unwrap();
    fs::create_dir(dir.path().join(".git")).unwrap();
    for (path, text) in workflows {
        let path = dir.path().join(".github").join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    run(Command::new(program)
        .args(["-no-color", "-pyflakes=", "-shellcheck"])
        .arg(shellcheck())
        .current_dir(dir.path()))
}

fn shellcheck() -> PathBuf {
    tool::python("workflows/shellcheck.txt", "shellcheck")
}
