//! Projects of an earlier release come up to date with one command, are built and run.

use std::fs;
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;

use crate::story::{command, keeping_times, replayed, rustop, turn};
use crate::support::{Ran, Sandbox, run};

/// An operator of `tests/operators` as rustop 0.1.0 made it and its user had edited it then. Of the manager two files
/// are enough: they go.
struct Operator {
    name: &'static str,
    project: &'static [u8],
    /// What the notes leave to the user: a file, what is in it, and what takes its place.
    by_hand: Option<[&'static str; 3]>,
}

/// With a dependency and a target of make, too.
const LOLCOW: Operator = Operator {
    name: "lolcow",
    project: include_bytes!("upgraded/lolcow-0.1.0.tar.gz"),
    by_hand: Some(["src/controllers/lolcow.rs", ">(name)?;", ">(name).ok()??;"]),
};

const OTHERS: [Operator; 4] = [
    Operator {
        name: "pod-set",
        project: include_bytes!("upgraded/pod-set-0.1.0.tar.gz"),
        by_hand: Some([
            "src/controllers/batch_pod_set.rs",
            "store.ok_or_else(|| Error::new(\"NoCache\", \"the controller watches no Pods\"))?",
            "store?",
        ]),
    },
    Operator {
        name: "pulsar-consumer",
        project: include_bytes!("upgraded/pulsar-consumer-0.1.0.tar.gz"),
        by_hand: None,
    },
    Operator {
        name: "multi-secret",
        project: include_bytes!("upgraded/multi-secret-0.1.0.tar.gz"),
        by_hand: Some([
            "src/controllers/multi_multi_secret.rs",
            "ctx.store()\n        .ok_or_else(|| Error::new(\"NoCache\", \"the controller does not watch this kind\"))",
            "ctx.store()",
        ]),
    },
    Operator {
        name: "cloud-instance",
        project: include_bytes!("upgraded/cloud-instance-0.1.0.tar.gz"),
        by_hand: None,
    },
];

#[test]
fn an_operator_of_the_first_release_comes_up_to_date_and_its_sample_is_ready() {
    let _turn = turn("lolcow-0.1.0");
    let dir = LOLCOW.upgraded(|dir| {
        let ran = rustop(dir, &["create", "api", "--kind", "Cow"]);
        assert_eq!(ran.code, Some(1), "{}", ran.stderr);
        let said = "the project is of rustop 0.1.0, and this is rustop";
        assert!(
            ran.stderr.contains(said) && ran.stderr.contains("rustop upgrade"),
            "{}",
            ran.stderr
        );
        let ran = rustop(dir, &["upgrade", "--check"]);
        assert_eq!(ran.code, Some(1), "{}", ran.stderr);
        assert!(
            dir.join("manager/Cargo.toml").exists(),
            "nothing is written"
        );
    });
    holds(&dir, "Makefile", "greet: ## Ours");
    holds(
        &dir,
        "Cargo.toml",
        "# To write greetings down.\nserde_json.workspace = true",
    );
    holds(&dir, "Cargo.toml", "rustop-manager.workspace = true");
    holds(&dir, "src/controllers/lolcow.rs", "fn tell_what_changes");
    assert!(!dir.join("manager/Cargo.toml").exists());
    let ran = rustop(&dir, &["upgrade", "--check"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    is_ready(&dir);
}

#[test]
#[ignore = "four builds: for the nights"]
fn so_do_the_other_operators() {
    for operator in &OTHERS {
        let story = format!("{}-0.1.0", operator.name);
        let _turn = turn(&story);
        let dir = operator.upgraded(|_| {});
        if operator.name == "cloud-instance" {
            // It says so in its own words.
            let ran = once(&dir, "30s");
            let said = "Ready=False (CloudUnreachable: the cloud at http://localhost:8000";
            assert!(ran.stderr.contains(said), "{}", ran.stderr);
        } else {
            is_ready(&dir);
        }
    }
}

impl Operator {
    /// Its project, after `before`, one command and what that leaves to the user.
    fn upgraded(&self, before: impl FnOnce(&Path)) -> PathBuf {
        let dir = replayed(&format!("{}-0.1.0", self.name));
        keeping_times(&dir, || {
            let _ = fs::remove_dir_all(&dir);
            let above = dir.parent().unwrap();
            let mut project = tar::Archive::new(GzDecoder::new(self.project));
            project.set_preserve_mtime(false);
            project.unpack(above).unwrap();
            before(&dir);
            let ran = rustop(&dir, &["upgrade"]);
            assert_eq!(ran.code, Some(0), "{}", ran.stderr);
            // What is built lies beside what is built of the operator of today, and cargo tells them apart by name.
            let name = format!("earlier-{}", self.name);
            let edited = rustop(&dir, &["edit", "--project-name", &name]);
            assert_eq!(edited.code, Some(0), "{}", edited.stderr);
            if let Some([file, old, new]) = self.by_hand {
                assert!(
                    ran.stderr.contains("By hand, where the compiler asks"),
                    "{}",
                    ran.stderr
                );
                let file = dir.join(file);
                let text = fs::read_to_string(&file).unwrap();
                assert!(text.contains(old), "{text}");
                fs::write(&file, text.replace(old, new)).unwrap();
            }
        });
        dir
    }
}

fn is_ready(dir: &Path) {
    let ran = once(dir, "300s");
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(ran.stderr.contains("Ready=True"), "{}", ran.stderr);
}

fn once(dir: &Path, timeout: &str) -> Ran {
    let sandbox = Sandbox::new();
    run(command(dir, "rustop")
        .args(["dev", "--once", "--timeout", timeout])
        .env("RUSTOP_STATE", sandbox.state()))
}

fn holds(dir: &Path, file: &str, part: &str) {
    let text = fs::read_to_string(dir.join(file)).unwrap();
    assert!(text.contains(part), "{file} has no `{part}`:\n{text}");
}
