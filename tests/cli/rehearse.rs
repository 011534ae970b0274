//! `rustop torture --upgrade-from` and `--from-command` before a control plane is started.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Child, Command};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process, test_kill_process};

use crate::dsl::{Place, Run, toolchain};

/// A project in a git repository with one commit, which has generated manifests.
fn project() -> Place {
    let place = Place::project();
    place.write("config/crd/bases/my.domain_lolcows.yaml", "{}\n");
    for line in [
        "init -q",
        "add -A",
        "-c user.name=a -c user.email=a@b.c commit -q -m one",
    ] {
        let ran = Command::new("git")
            .args(line.split(' '))
            .current_dir(place.dir())
            .status();
        assert!(ran.unwrap().success(), "git {line}");
    }
    place
}

fn torture<'a>(place: &'a Place, arguments: &[&str]) -> Run<'a> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let arguments = ["torture"].iter().chain(arguments);
    place
        .run(arguments)
        .env("PATH", path)
        .env("RUSTOP_CACHE", place.path("cache"))
}

#[test]
fn without_an_old_version_the_error_names_the_other_way() {
    let place = Place::project();
    torture(&place, &["--upgrade-from", "HEAD"])
        .says(&["not a git repository", "--from-command and --from-crds"])
        .lacks("git fetch")
        .fails(2);
    let place = project();
    torture(&place, &["--upgrade-from", "HEAD"])
        .env("PATH", place.dir())
        .says(&["cannot run git", "--from-command and --from-crds"])
        .fails(2);
    let command = [
        "--from-command",
        "./bin/old --flag",
        "--from-crds",
        "config",
    ];
    torture(&place, &command)
        .says(&["cannot run `./bin/old`"])
        .fails(2);
}

fn within(limit: Duration, mut is_done: impl FnMut() -> bool) -> bool {
    let since = Instant::now();
    while since.elapsed() < limit {
        if is_done() {
            return true;
        }
        thread::sleep(Duration::from_millis(20));
    }
    is_done()
}

fn pid(text: &str) -> Option<Pid> {
    text.trim().parse().ok().and_then(Pid::from_raw)
}

fn script(path: &Path, text: &str) {
    fs::write(path, format!("#!/bin/sh\n{text}\n")).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

/// Only rustop gets the signal, as from a CI runner, and not the whole process group, as from a
/// terminal.
#[test]
fn a_signal_ends_the_build_of_the_old_version() {
    const SOON: Duration = Duration::from_secs(20);
    let place = project();
    let beside = place.dir().with_extension("cargo");
    fs::create_dir(&beside).unwrap();
    let (cargo, builds) = (beside.join("cargo"), beside.join("builds"));
    let text = format!("echo $$ > {}; exec sleep 120", builds.display());
    script(&cargo, &text);
    let mut rustop: Child = crate::dsl::rustop(place.dir())
        .args(["torture", "--upgrade-from", "HEAD"])
        .envs(toolchain())
        .env("RUSTOP_CACHE", beside.join("cache"))
        .env("CARGO", &cargo)
        .spawn()
        .unwrap();
    let building = || fs::read_to_string(&builds).ok().as_deref().and_then(pid);
    let begins = within(SOON, || building().is_some());
    let process = Pid::from_raw(rustop.id().cast_signed()).unwrap();
    kill_process(process, Signal::TERM).unwrap();
    let ends = within(SOON, || rustop.try_wait().unwrap().is_some());
    let goes = building().is_some_and(|pid| within(SOON, || test_kill_process(pid).is_err()));
    if !goes && let Some(pid) = building() {
        let _ = kill_process(pid, Signal::KILL);
    }
    let status = rustop.wait().unwrap();
    assert!(begins && ends && goes, "{begins} {ends} {goes}");
    assert_eq!(status.code(), Some(143));
}
