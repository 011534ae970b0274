//! Two operators that were not scaffolded, from `rustop adopt` to `rustop torture`.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::project::home;
use crate::story::{in_project, keeping_times, times};
use crate::support::{Ran, Sandbox, progress};

/// A copy of an operator's repository, which has the same path in every run, so that cargo finds what it built before.
struct Repository {
    dir: PathBuf,
    sandbox: Sandbox,
}

impl Repository {
    fn new(name: &str) -> Self {
        let dir = Path::new(env!("CARGO_TARGET_TMPDIR"))
            .join("operators")
            .join(format!("adopted-{name}"));
        keeping_times(&dir, || {
            let _ = fs::remove_dir_all(&dir);
            for (path, (text, _)) in times(&home().join("adopted").join(name)) {
                let to = dir.join(path);
                fs::create_dir_all(to.parent().unwrap()).unwrap();
                fs::write(to, text).unwrap();
            }
            // The versions of rustop's own dependencies, so that nothing else is compiled.
            let lock = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.lock");
            fs::copy(lock, dir.join("Cargo.lock")).unwrap();
        });
        Self {
            dir,
            sandbox: Sandbox::new(),
        }
    }

    /// Runs `rustop` in the repository and expects an exit code.
    fn rustop(&self, line: &str, code: i32) -> Ran {
        progress(&format!("runs rustop {line}"));
        let ran = in_project(&self.sandbox, &self.dir, line);
        assert_eq!(
            ran.code,
            Some(code),
            "rustop {line}\n{}{}",
            ran.stdout,
            ran.stderr
        );
        ran
    }

    fn config(&self) -> Value {
        let text = fs::read_to_string(self.dir.join("rustop.yaml")).unwrap();
        serde_yaml::from_str(&text).unwrap()
    }

    /// Runs torture until a few faults were injected, and returns the classes of the findings.
    fn torture(&self, line: &str) -> Vec<String> {
        progress(&format!("runs rustop {line}"));
        let ran = in_project(&self.sandbox, &self.dir, line);
        assert!(
            matches!(ran.code, Some(0..=2)) && ran.stderr.contains("faults"),
            "rustop {line}\n{}{}",
            ran.stdout,
            ran.stderr
        );
        let report = fs::read_to_string(self.dir.join("target/torture/report.json")).unwrap();
        let report: Value = serde_json::from_str(&report).unwrap();
        let findings = report["findings"].as_array().unwrap().iter();
        findings
            .map(|it| it["class"].as_str().unwrap().to_owned())
            .collect()
    }
}

/// One crate with a chart, a fixed port, and a mounted `ConfigMap`.
#[test]
fn a_crate_with_a_chart_and_a_fixed_port() {
    let notes = Repository::new("notes");
    notes.rustop("adopt", 0);
    let config = notes.config();
    assert_eq!(config["crds"]["command"], "cargo run -q --bin crdgen");
    assert_eq!(config["deploy"]["chart"], "chart");
    notes.rustop("manifests --check", 0);
    notes.rustop("lint", 0);
    notes.rustop("rbac report --check", 0);
    let ran = notes.rustop("dev --once", 0);
    assert!(
        ran.stderr.contains("note.notes.example.com/hello"),
        "{}",
        ran.stderr
    );
    let ran = notes.rustop("rbac report --check", 0);
    assert!(
        ran.stdout.contains("requests in the audit log"),
        "{}",
        ran.stdout
    );
    assert!(!ran.stdout.contains("forbidden:"), "{}", ran.stdout);
    let found = notes.torture("torture --budget 60s --faults 4 --lanes 2 --seed 1");
    assert_eq!(found, [""; 0]);
}

/// A workspace with two programs, a macro that sends requests, and a kustomization whose role lacks a rule.
#[test]
fn a_workspace_with_two_programs_and_a_kustomization() {
    let barns = Repository::new("barns");
    barns.rustop("adopt", 0);
    let config = barns.config();
    assert_eq!(config["deploy"]["kustomize"], "deploy/base");
    assert_eq!(
        config["operator"]["command"][0],
        "target/debug/barn-operator"
    );
    barns.rustop("manifests --check", 0);
    barns.rustop("lint", 0);
    let lacks = "missing: delete secrets";
    let ran = barns.rustop("rbac report --check", 1);
    assert!(ran.stdout.contains(lacks), "{}", ran.stdout);
    let ran = barns.rustop("dev --once", 0);
    assert!(
        ran.stderr.contains("forbidden: delete secrets"),
        "{}",
        ran.stderr
    );
    let ran = barns.rustop("rbac report", 0);
    for part in [
        lacks,
        "add to deploy/base:\n  - {apiGroups: [\"\"], resources: [secrets], verbs: [delete]}",
        "- {apiGroups: [farm.example.com], resources: [barns], verbs: [delete]}",
    ] {
        assert!(ran.stdout.contains(part), "{part}: {}", ran.stdout);
    }
    let found = barns.torture("torture --budget 60s --faults 4 --lanes 2 --seed 1");
    assert_eq!(found, ["forbidden"]);
}
