//! The tutorials of the book, followed on one project: their chapters in the order of the table of
//! contents, with every block of code as a file or a part of one.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use regex::Regex;
use rustix::process::Signal;

use crate::dev::Dev;
use crate::steps::{Step, steps};
use crate::story::{command, in_project, keeping_times, replayed, turn};
use crate::support::{Ran, Sandbox, progress, run, until};

/// The beginning of the name of each sample.
const SAMPLE: &str = "cronjob.batch.example.com/";

/// Builds and runs only the finished project of both tutorials, without the removal of the first
/// version. A project that is the same as in an earlier run is not compiled again.
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
                    succeeds(line, &shell(&sandbox, &dir, line));
                }
            }
        }
        remove(&dir.join(".git"));
    });
    let ok = |line: &str| {
        let ran = shell(&sandbox, &dir, line);
        succeeds(line, &ran);
        ran.stdout + &ran.stderr
    };
    ok("rustop manifests");
    let tested = ok("cargo test --lib --test batch_cron_job_conversion --test simulation");
    for test in [
        "a_stale_cache_starts_no_job_too_many",
        "nothing_is_lost_between_versions",
        "faults_do_not_change_the_result",
    ] {
        assert!(tested.contains(test), "{tested}");
    }
    let ran = ok("rustop dev --once");
    for sample in ["cronjob-sample", "nightly"] {
        let ready = ready().replace("cronjob-sample", sample);
        assert!(ran.contains(&ready), "{ran}");
    }
    sandbox.assert_no_processes();
}

#[test]
#[ignore = "builds after each chapter, waits for a minute of the schedule, injects faults: for the nights"]
fn commands_of_the_chapters_work_in_order() {
    let _turn = turn("tutorial");
    let sandbox = Sandbox::new();
    let dir = project();
    remove(&dir);
    let mut reader = Reader {
        sandbox: &sandbox,
        dir: &dir,
        dev: None,
        printed: String::new(),
    };
    for chapter in chapters() {
        progress(&chapter);
        let steps = steps(&chapter);
        for (n, step) in steps.iter().enumerate() {
            let is_shown = matches!(steps.get(n + 1), Some(Step::Output(_)));
            reader.follow(step, is_shown);
        }
    }
    assert!(reader.dev.is_none(), "the last chapter stops the operator");
    sandbox.assert_no_processes();
}

/// A reader of the tutorials, who does what they describe.
struct Reader<'a> {
    sandbox: &'a Sandbox,
    dir: &'a Path,
    /// `rustop dev` in the first terminal, while it runs.
    dev: Option<Dev>,
    /// The output of the last line.
    printed: String,
}

impl Reader<'_> {
    /// Follows a step. If `is_shown`, the page shows what the last line prints, which may be an
    /// error.
    fn follow(&mut self, step: &Step, is_shown: bool) {
        step.write(self.dir);
        match step {
            Step::Shell(lines) => {
                for (n, line) in lines.iter().enumerate() {
                    progress(line);
                    let is_last = n + 1 == lines.len();
                    self.type_line(line, is_shown && is_last);
                }
            }
            Step::Output(text) => {
                assert!(
                    self.printed.contains(text.trim()),
                    "{text}\n{}",
                    self.printed
                );
            }
            Step::Interrupt => self.interrupt(),
            Step::File(..) | Step::Part(..) | Step::Change(..) => {}
        }
    }

    fn type_line(&mut self, line: &str, may_fail: bool) {
        if line == "rustop dev" {
            self.interrupt();
            let dev = Dev::until_ready(self.sandbox, self.dir, &["--no-page"], SAMPLE);
            self.printed = dev.said();
            self.dev = Some(dev);
            return;
        }
        if line.starts_with("export KUBECONFIG") {
            return;
        }
        let ran = shell(self.sandbox, self.dir, line);
        if !may_fail {
            succeeds(line, &ran);
        }
        if line == "kubectl get jobs" {
            assert!(ran.stdout.contains("cronjob-sample-"), "{}", ran.stdout);
            until("a Pod succeeds", Duration::from_secs(60), || {
                let pods = shell(self.sandbox, self.dir, "kubectl get pods");
                pods.stdout.contains("Completed")
            });
        }
        self.printed = ran.stdout + &ran.stderr;
    }

    /// Presses Ctrl-C in the first terminal, if `rustop dev` runs there.
    fn interrupt(&mut self) {
        if let Some(mut dev) = self.dev.take() {
            assert_eq!(dev.end(Signal::INT), Some(0), "{}", dev.said());
        }
    }
}

/// Returns the chapters of both tutorials, below `docs/`, without the introduction of the first
/// one.
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

/// Reports whether a command changes files without building the project, and leaves both versions
/// in it.
fn is_edit(line: &str) -> bool {
    [
        "mkdir ",
        "rustop init ",
        "rustop create ",
        "rustop delete webhook ",
        "rustop edit ",
        "cargo add ",
        "git ",
        "sed ",
        "mv ",
    ]
    .iter()
    .any(|start| line.starts_with(start))
}

/// Returns the line that `rustop dev` prints for the first sample, as the page shows it.
fn ready() -> String {
    steps("tutorial/running.md")
        .into_iter()
        .find_map(|step| match step {
            Step::Output(text) if text.contains("Ready ") => Some(text.trim().to_owned()),
            _ => None,
        })
        .unwrap()
}

/// Runs a line of a page in the project. A project that does not exist yet is created by the line.
fn shell(sandbox: &Sandbox, dir: &Path, line: &str) -> Ran {
    let place = if dir.exists() {
        dir
    } else {
        dir.parent().unwrap()
    };
    let mut shell = command(place, "sh");
    shell
        .args(["-ec", line])
        .env("RUSTOP_STATE", sandbox.state());
    for role in ["AUTHOR", "COMMITTER"] {
        shell.env(format!("GIT_{role}_NAME"), "Reader");
        shell.env(format!("GIT_{role}_EMAIL"), "reader@example.com");
    }
    if line.starts_with("kubectl ") || line.starts_with("rustop migrate") {
        let kubeconfig = in_project(sandbox, dir, "cluster kubeconfig").stdout;
        shell.env("KUBECONFIG", kubeconfig.trim());
    }
    run(&mut shell)
}

/// Panics if a line failed. Without a finding, `torture` may have tested too little for a verdict.
fn succeeds(line: &str, ran: &Ran) {
    let is_expected =
        ran.code == Some(0) || line.starts_with("rustop torture") && ran.code == Some(2);
    assert!(is_expected, "{line}\n{}{}", ran.stdout, ran.stderr);
}
