//! The quick start of the book, followed on a new project: its shell blocks run in order, and each
//! block of code below `Replace FILE:` becomes that file.

use std::fs;
use std::path::Path;
use std::time::Duration;

use rustix::process::Signal;

use crate::dev::Dev;
use crate::steps::{Step, steps};
use crate::story::{command, in_project, replayed, turn};
use crate::support::{Sandbox, progress, run, until};

#[test]
fn commands_of_the_page_work_in_order() {
    // The project has the name of that story's, so the two would replace each other's build
    // results.
    let _turn = turn("lolcow");
    let sandbox = Sandbox::new();
    let dir = replayed("quick-start").join("lolcow-operator");
    let steps = steps("quick-start.md");
    let files = steps.iter().filter(|step| matches!(step, Step::File(..)));
    assert_eq!(files.count(), 2, "{steps:?}");
    if dir.exists() {
        fs::remove_dir_all(&dir).unwrap();
    }
    fs::create_dir_all(dir.parent().unwrap()).unwrap();
    for step in &steps {
        match step {
            Step::Shell(lines) if lines[0].starts_with("export KUBECONFIG") => {
                second_terminal(&sandbox, &dir, &lines[1..]);
            }
            Step::Shell(lines) => {
                for line in lines {
                    first_terminal(&sandbox, &dir, line);
                }
            }
            step => step.write(&dir),
        }
    }
    sandbox.assert_no_processes();
}

/// Runs a line of the page. `rustop dev` ends when the sample is ready.
fn first_terminal(sandbox: &Sandbox, dir: &Path, line: &str) {
    progress(line);
    let above = dir.parent().unwrap();
    let (place, line) = match line {
        "rustop dev" => (dir, "rustop dev --once"),
        line if line.starts_with("mkdir ") => (above, line),
        line => (dir, line),
    };
    let mut shell = command(place, "sh");
    let ran = run(shell
        .args(["-ec", line])
        .env("RUSTOP_STATE", sandbox.state()));
    // Without a finding, a busy machine may have tested too little for a verdict.
    let is_expected =
        ran.code == Some(0) || line.starts_with("rustop torture") && ran.code == Some(2);
    assert!(is_expected, "{line}\n{}{}", ran.stdout, ran.stderr);
    if line.starts_with("rustop dev") {
        let ready = "Ready lolcow.my.domain/lolcow-sample Ready=True";
        assert!(ran.stderr.contains(ready), "{}", ran.stderr);
    }
}

/// Runs lines of the page while `rustop dev` runs. The last one deletes a Deployment that the
/// operator creates again.
fn second_terminal(sandbox: &Sandbox, dir: &Path, lines: &[String]) {
    let mut dev = Dev::start(sandbox, dir, &["--no-page"]);
    let kubeconfig = in_project(sandbox, dir, "cluster kubeconfig").stdout;
    let kubectl = |line: &str| {
        let mut shell = command(dir, "sh");
        run(shell
            .args(["-ec", line])
            .env("KUBECONFIG", kubeconfig.trim()))
    };
    for line in lines {
        progress(line);
        let ran = kubectl(line);
        assert_eq!(ran.code, Some(0), "{line}\n{}{}", ran.stdout, ran.stderr);
    }
    until(
        "the Deployment exists again",
        Duration::from_secs(60),
        || kubectl("kubectl get deployment lolcow-sample").code == Some(0),
    );
    let page = kubectl("kubectl get configmap lolcow-sample -o yaml").stdout;
    assert!(page.contains("more hay"), "{page}");
    assert_eq!(dev.end(Signal::INT), Some(0), "{}", dev.said());
}
