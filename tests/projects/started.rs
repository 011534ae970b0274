//! The project of every story is started, with the permissions that it grants, until its samples
//! are Ready. The one with the manager from the registry has a separate test: until the manager is
//! published, it uses a path instead.

use std::fs;

use crate::build::cargo;
use crate::story::{command, golden, replay, replayed, rustop, turn};
use crate::support::{Sandbox, run};

/// Those whose files are in the repository.
#[test]
fn every_golden_comes_up_and_its_samples_are_ready() {
    let mut projects = stories();
    projects.retain(|name| golden(name).is_dir());
    assert!(projects.len() > 4, "{projects:?}");
    all_come_up(&projects);
}

#[test]
#[ignore = "a dozen builds: for the nights"]
fn every_other_project_comes_up_and_its_samples_are_ready() {
    let mut projects = stories();
    projects.retain(|name| !golden(name).is_dir() && name != "registry");
    assert!(projects.len() > 8, "{projects:?}");
    all_come_up(&projects);
}

/// The models of Kubernetes differ in the types of some fields.
#[test]
#[ignore = "compiles k8s-openapi four times: for the nights"]
fn a_workload_compiles_for_each_version_of_kubernetes() {
    let _turn = turn("kubernetes");
    let dir = replayed("kubernetes");
    for minor in 33..37 {
        if dir.exists() {
            fs::remove_dir_all(&dir).unwrap();
        }
        fs::create_dir_all(&dir).unwrap();
        for line in [
            &format!("init --domain my.domain --kubernetes-version 1.{minor}"),
            "create api --kind Page --image nginx:1.29",
        ] {
            let words: Vec<_> = line.split(' ').collect();
            let ran = rustop(&dir, &words);
            assert_eq!(ran.code, Some(0), "{line}\n{}", ran.stderr);
        }
        cargo(&dir, "check --quiet --workspace --all-targets");
    }
}

fn stories() -> Vec<String> {
    let mut stories: Vec<String> = fs::read_dir(golden(""))
        .unwrap()
        .filter_map(|entry| {
            let name = entry.unwrap().file_name().into_string().unwrap();
            Some(name.strip_suffix(".txt")?.to_owned())
        })
        .collect();
    stories.sort();
    stories
}

fn all_come_up(projects: &[String]) {
    let failures: Vec<_> = projects.iter().filter_map(|name| start(name)).collect();
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
}

/// Returns the output if the project did not become ready.
fn start(name: &str) -> Option<String> {
    let _turn = turn(name);
    let sandbox = Sandbox::new();
    let dir = replay(name);
    let ran = run(command(&dir, "rustop")
        .args(["dev", "--once", "--timeout", "300s"])
        .env("RUSTOP_STATE", sandbox.state()));
    let files = |below: &str| fs::read_dir(dir.join(below)).unwrap().count() - 1;
    let ready = ran.stderr.matches("Ready=True").count();
    // Besides the kustomization and `mod.rs`, which are always there.
    let has_to_be = files("config/samples") > 0 && files("src/controllers") > 0;
    let came_up = ran.code == Some(0) && (ready > 0 || !has_to_be);
    eprintln!("{name}: {ready} samples are Ready");
    (!came_up).then(|| format!("{name}: {:?}\n{}", ran.code, ran.stderr))
}
