//! Input errors of `rustop torture`: each is reported in one line with the fix, and with exit code
//! 2.

use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::sync::PoisonError;
use std::thread;

use crate::support::{Ran, Sandbox, progress, run};
use crate::{ALONE, command, flock, program, torture};

/// Asserts that a run ends without a verdict, with this reason and this help.
#[track_caller]
fn is_refused(ran: &Ran, why: &str, mends: &str) {
    assert_eq!(ran.code, Some(2), "{}\n{}", ran.stdout, ran.stderr);
    let mut lines = ran.stderr.lines();
    let says = lines.any(|line| line.starts_with("error: ") && line.contains(why));
    assert!(says, "`{why}` is not said: {}", ran.stderr);
    assert!(
        ran.stderr.contains(mends),
        "`{mends}` is not said: {}",
        ran.stderr
    );
}

/// Returns flags with the samples and scenarios of these directories, and everything else of the
/// flock.
fn flags(samples: &str, scenarios: &str) -> String {
    let flock = flock();
    let flock = flock.display();
    format!("torture --crds {flock}/crds --samples {samples} --scenarios {scenarios}")
}

#[test]
fn what_cannot_be_tortured_is_told_why() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let sandbox = Sandbox::new();
    let dir = |name: &str| -> PathBuf {
        let dir = sandbox.path().join(name);
        fs::create_dir(&dir).unwrap();
        dir
    };
    let of_flock = |line: &str| run(sandbox.rustop(line).arg("--").arg(program()));

    let ran = torture(&sandbox, &program(), "", &["--bug", "no-such-bug"]);
    is_refused(
        &ran,
        "exited during startup",
        "flags that it needs after `--`",
    );
    assert!(ran.stderr.contains("no bug is called"), "{}", ran.stderr);

    dir("empty");
    is_refused(
        &of_flock(&flags("empty", "none")),
        "found no sample",
        "write one",
    );
    is_refused(&of_flock(&flags("nowhere", "none")), "nowhere", "");

    let stories = dir("stories");
    fs::write(stories.join("story.yaml"), "steps:\n- set: {}\n").unwrap();
    let samples = flock().join("samples");
    let samples = samples.to_str().unwrap();
    let ran = of_flock(&flags(samples, "stories"));
    is_refused(&ran, "story.yaml", "`create: {}`");

    let ran = run(&mut sandbox.rustop(&format!(
        "{} --replay nothing -- true",
        flags("empty", "none")
    )));
    is_refused(
        &ran,
        "there is no finding `nothing`",
        "`rustop torture` searches for findings again",
    );

    let ran = run(sandbox
        .rustop(&flags(samples, "none"))
        .args(["--", "./bin/manager"]));
    is_refused(&ran, "`./bin/manager`", "");
    assert!(!ran.stderr.contains("Started"), "{}", ran.stderr);

    // An invalid project is an input error, too.
    let broken = dir("broken");
    fs::write(broken.join("PROJECT"), "no project").unwrap();
    let ran = run(sandbox.rustop("torture").current_dir(&broken));
    is_refused(&ran, "PROJECT", "");

    let text = fs::read_to_string(flock().join("samples/flock.yaml")).unwrap();
    let wrong = text.replace("sheep: 2", "sheep: 9");
    fs::write(dir("wrong").join("flock.yaml"), wrong).unwrap();
    let ran = of_flock(&flags("wrong", "none"));
    is_refused(
        &ran,
        "rejects the sample flock/merino",
        "kubectl apply --dry-run=server",
    );

    let ran = torture(&sandbox, &program(), "--count barns", &[]);
    is_refused(&ran, "does not serve barns", "--crds DIR");
    sandbox.assert_no_processes();
}

/// Each of these is waited for as long as an operator may take to start, so all at once.
#[test]
#[ignore = "for the nights"]
fn an_operator_that_never_begins_is_told_why() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    progress("tortures five operators that never begin");
    let elsewhere = tempfile::tempdir().unwrap();
    let kubeconfig = elsewhere.path().join("kubeconfig");
    let config = "{apiVersion: v1, kind: Config, current-context: a, contexts: [{name: a, context: {cluster: a, user: a}}], \
                  clusters: [{name: a, cluster: {server: 'http://127.0.0.1:1'}}], users: [{name: a}]}";
    fs::write(&kubeconfig, config).unwrap();
    let other = format!("KUBECONFIG={}", kubeconfig.display());
    let flock = program();
    let flock = flock.to_str().unwrap();
    let cases: [(&str, &[&str], &str, &str); 5] = [
        (
            "",
            &["sleep", "60"],
            "sent no request to the API server of its kubeconfig",
            "KUBECONFIG",
        ),
        (
            "",
            &["env", &other, flock],
            "sent no request to the API server of its kubeconfig",
            "KUBECONFIG",
        ),
        (
            "",
            &[flock, "--bug", "needs-barns"],
            "does not serve barns.bugs.example.com",
            "--crds DIR",
        ),
        (
            "",
            &[flock, "--bug", "never-ready"],
            "does not watch flocks.bugs.example.com",
            "a controller for",
        ),
        // More time would not help, although the time ends before the limit of a busy machine.
        (
            "--budget 100s",
            &[flock, "--bug", "never-ready"],
            "does not watch flocks.bugs.example.com",
            "a controller for",
        ),
    ];
    thread::scope(|scope| {
        for (line, operator, why, mends) in cases {
            scope.spawn(move || {
                let sandbox = Sandbox::new();
                let mut rustop: Command =
                    command(&sandbox, operator[0].as_ref(), line, &operator[1..]);
                is_refused(&run(&mut rustop), why, mends);
                sandbox.assert_no_processes();
            });
        }
    });
}
