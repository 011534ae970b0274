//! Helm itself, built from its module, which `helm4/go.sum` and `helm3/go.sum` pin.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::support::{Ran, run};
use crate::tool;

/// A program, called with a home of its own.
pub struct Helm {
    program: PathBuf,
}

impl Helm {
    /// Returns Helm of a major version.
    pub fn new(version: u8) -> Self {
        let program = tool::go(
            &format!("chart/helm{version}"),
            &format!("helm.sh/helm/v{version}/cmd/helm"),
        );
        Self { program }
    }

    /// A command in a directory, on no cluster.
    pub fn command(&self, dir: &Path) -> Command {
        let mut command = Command::new(&self.program);
        command
            .current_dir(dir)
            .env("HOME", env!("CARGO_TARGET_TMPDIR"))
            .env("KUBECONFIG", "/dev/null");
        command
    }

    pub fn run(&self, dir: &Path, line: &str) -> Ran {
        run(self.command(dir).args(line.split_whitespace()))
    }

    pub fn ok(&self, dir: &Path, line: &str) -> String {
        let ran = self.run(dir, line);
        assert_eq!(
            ran.code,
            Some(0),
            "helm {line}\n{}{}",
            ran.stdout,
            ran.stderr
        );
        ran.stdout
    }

    /// Returns the objects that the chart of a project renders, with the project's name as that of
    /// the release.
    pub fn template(&self, dir: &Path, project: &str, values: &str) -> Vec<Value> {
        let line =
            format!("template {project} charts/{project} --namespace {project}-system {values}");
        let objects: Vec<Value> = serde_yaml::from_multiple(&self.ok(dir, &line)).unwrap();
        objects
            .into_iter()
            .filter(|object| !object.is_null())
            .collect()
    }
}

/// Copies a golden project to a writable directory, with a chart. Nothing needs to be built, since
/// its manifests exist.
pub fn copy(name: &str, dir: &Path) {
    for (path, text) in crate::story::tree(&crate::story::golden(name)) {
        let path = dir.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    if !dir.join("charts").exists() {
        chart_anew(dir);
    }
}

/// The chart of the manifests as they are now; `values.yaml` and `Chart.yaml` are as they were
/// made.
pub fn chart_anew(dir: &Path) {
    if dir.join("charts").exists() {
        rustop(dir, "delete chart");
    }
    rustop(dir, "create chart");
}

fn rustop(dir: &Path, line: &str) {
    let words: Vec<_> = line.split(' ').collect();
    let ran = crate::story::rustop(dir, &words);
    assert_eq!(ran.code, Some(0), "{line}\n{}", ran.stderr);
}
