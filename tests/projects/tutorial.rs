//! The tutorial of the book, followed on a new project: its chapters in the order of the table of contents, with every block of
//! code as a file or a part of one.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use regex::Regex;
use rustix::process::Signal;

use crate::dev::Dev;
use crate::steps::{Step, steps};
use crate::story::{command, in_project, keeping_times, replayed, turn};
use crate::support::{Ran, Sandbox, progress, run, until};

/// The sample of the tutorial.
const SAMPLE: &str = "cronjob.batch.example.com/cronjob-sample";

/// Builds and runs only the finished project. A project that is the same as in an earlier run is not compiled again.
#[test]
fn the_finished_project_passes_its_tests_and_runs() {
    let _turn = turn("tutorial");
    let sandbox = Sandbox::new();
    let dir = project();
    keeping_times(&dir, || {
        remove(&dir);
        for step in chapters().iter().flat_map(|chapter| steps(chapter)) {
            step.write(&dir);
            if let Step::Shell(lines) = step {
                for line in lines.iter().filter(|line| is_edit(line)) {
                    ok(&sandbox, &dir, line);
                }
            }
        }
    });
    ok(&sandbox, &dir, "rustop manifests");
    for (line, test) in [
        ("cargo test --lib", "a_stale_cache_starts_no_job_too_many"),
        (
            "cargo test --test simulation",
            "faults_do_not_change_the_result",
        ),
    ] {
        let tested = ok(&sandbox, &dir, line).stdout;
        assert!(tested.contains(test), "{tested}");
    }
    let ran = ok(&sandbox, &dir, "rustop dev --once").stderr;
    assert!(ran.contains(ready().as_str()), "{ran}");
    sandbox.assert_no_processes();
}

#[test]
#[ignore = "builds after each chapter, waits for a minute of the schedule, injects faults: for the nights"]
fn commands_of_the_chapters_work_in_order() {
    let _turn = turn("tutorial");
    let sandbox = Sandbox::new();
    let dir = project();
    remove(&dir);
    for chapter in chapters() {
        let mut dev = None;
        for step in steps(&chapter) {
            step.write(&dir);
            let Step::Shell(lines) = step else { continue };
            for line in &lines {
                progress(line);
                match line.as_str() {
                    "rustop dev" => {
                        dev = Some(Dev::until_ready(&sandbox, &dir, &["--no-page"], SAMPLE));
                    }
                    line if line.starts_with("export KUBECONFIG") => {}
                    line if line.starts_with("kubectl ") => second_terminal(&sandbox, &dir, line),
                    line => {
                        ok(&sandbox, &dir, line);
                    }
                }
            }
        }
        if let Some(mut dev) = dev {
            assert_eq!(dev.end(Signal::INT), Some(0), "{}", dev.said());
        }
    }
    sandbox.assert_no_processes();
}

/// Returns the chapters of the tutorial, below `docs/`, without its introduction.
fn chapters() -> Vec<String> {
    let summary = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/SUMMARY.md");
    let summary = fs::read_to_string(summary).unwrap();
    let link = Regex::new(r"\((tutorial/[^)]+)\)").unwrap();
    let chapters: Vec<_> = link
        .captures_iter(&summary)
        .map(|found| found[1].to_owned())
        .filter(|page| page != "tutorial/index.md")
        .collect();
    assert!(chapters.len() > 5, "{chapters:?}");
    chapters
}

fn project() -> PathBuf {
    let dir = replayed("tutorial").join("cronjob-operator");
    fs::create_dir_all(dir.parent().unwrap()).unwrap();
    dir
}

fn remove(dir: &Path) {
    if dir.exists() {
        fs::remove_dir_all(dir).unwrap();
    }
}

/// Reports whether a command changes files without building the project.
fn is_edit(line: &str) -> bool {
    ["mkdir ", "rustop init ", "rustop create ", "cargo add "]
        .iter()
        .any(|start| line.starts_with(start))
}

/// The line that `rustop dev` prints for the sample, as the page shows it.
fn ready() -> String {
    output_of("tutorial/running.md", "Ready ")
}

/// Returns the block of output in a page that contains `text`.
fn output_of(page: &str, text: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("docs")
        .join(page);
    let page = fs::read_to_string(path).unwrap();
    let block = Regex::new(r"(?s)```text\n(.*?)```").unwrap();
    let mut blocks = block.captures_iter(&page).map(|found| found[1].to_owned());
    let found = blocks.find(|block| block.contains(text));
    found.unwrap().trim().to_owned()
}

/// Runs a line of a page in the project. A project that does not exist yet is created by the line.
fn ok(sandbox: &Sandbox, dir: &Path, line: &str) -> Ran {
    let place = if dir.exists() {
        dir
    } else {
        dir.parent().unwrap()
    };
    let mut shell = command(place, "sh");
    let ran = run(shell
        .args(["-ec", line])
        .env("RUSTOP_STATE", sandbox.state()));
    // Without a finding, `torture` may have tested too little for a verdict.
    let is_expected =
        ran.code == Some(0) || line.starts_with("rustop torture") && ran.code == Some(2);
    assert!(is_expected, "{line}\n{}{}", ran.stdout, ran.stderr);
    ran
}

/// Runs a line while `rustop dev` runs. The API server rejects the patch, with the message that the page shows.
fn second_terminal(sandbox: &Sandbox, dir: &Path, line: &str) {
    let kubeconfig = in_project(sandbox, dir, "cluster kubeconfig").stdout;
    let mut shell = command(dir, "sh");
    let shell = shell
        .args(["-ec", line])
        .env("KUBECONFIG", kubeconfig.trim());
    let ran = run(shell);
    if line.starts_with("kubectl patch ") {
        assert_eq!(ran.code, Some(1), "{line}\n{}{}", ran.stdout, ran.stderr);
        let message = output_of("tutorial/running.md", "is invalid");
        assert_eq!(ran.stderr.trim(), message);
    } else {
        assert_eq!(ran.code, Some(0), "{line}\n{}{}", ran.stdout, ran.stderr);
    }
    if line == "kubectl get jobs" {
        assert!(ran.stdout.contains("cronjob-sample-"), "{}", ran.stdout);
        until("a Pod succeeds", Duration::from_secs(60), || {
            let mut kubectl = command(dir, "kubectl");
            let pods = run(kubectl
                .args(["get", "pods"])
                .env("KUBECONFIG", kubeconfig.trim()));
            pods.stdout.contains("Completed")
        });
    }
}
