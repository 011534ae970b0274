//! `rustop upgrade` and `rustop edit` where a project is not as they would have it.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::process::Command;

use crate::dsl::{Place, snapshot};

const COMMANDS: [&str; 3] = ["upgrade", "upgrade --check", "edit --domain other.org"];

/// A project of this release with a kind.
fn project() -> Place {
    let place = Place::project();
    place.rustop("create api --kind Lolcow -q").ok();
    place
}

/// Every command refuses, says why, and changes nothing.
fn refused(place: &Place, said: &[&str]) {
    for command in COMMANDS {
        place.rustop(command).says(said).unchanged().fails(1);
    }
}

#[test]
fn without_project_what_makes_one_is_named() {
    refused(&Place::empty(), &["rustop init"]);
}

#[test]
fn a_project_file_that_was_edited_by_hand_is_told_with_what_is_wrong() {
    let place = project();
    place.edit("PROJECT", "kind: Lolcow", "kind: lol cow");
    refused(&place, &["PROJECT", "lol cow"]);
    let place = project();
    place.edit("PROJECT", "license: apache2", "licence: apache2");
    refused(&place, &["PROJECT", "licence"]);
}

#[test]
fn a_project_in_the_middle_of_a_git_merge_is_left_alone() {
    let place = project();
    let marked = "<<<<<<< HEAD\nlicense: apache2\n=======\nlicense: mit\n>>>>>>> theirs\n";
    place.edit("PROJECT", "license: apache2\n", marked);
    refused(&place, &["PROJECT", "merge that is not finished"]);

    let place = Place::of_first_release();
    let makefile = place.read("Makefile");
    place.write("Makefile", format!("{makefile}<<<<<<< HEAD\n"));
    let line = format!("Makefile:{}", makefile.lines().count() + 1);
    place
        .rustop("upgrade")
        .says(&["a merge is not finished", &line])
        .unchanged()
        .fails(1);
}

#[test]
fn a_project_from_the_future_names_the_rustop_that_it_wants() {
    let place = project();
    let version = env!("CARGO_PKG_VERSION");
    place.edit("PROJECT", &format!("\"{version}\""), "\"9.1.0\"");
    refused(
        &place,
        &["in a checkout of v9.1.0: cargo install --path . --locked"],
    );
}

#[test]
fn a_project_of_an_earlier_release_is_upgraded_before_it_is_edited() {
    Place::of_first_release()
        .rustop("edit --domain other.org")
        .says(&["the project is of rustop 0.1.0", "rustop upgrade"])
        .unchanged()
        .fails(1);
}

/// As somebody leaves it who upgraded by hand: files of both releases, and PROJECT of the earlier one.
#[test]
fn a_project_that_is_half_upgraded_becomes_as_one_that_is_upgraded() {
    let whole = Place::of_first_release();
    whole.rustop("upgrade -q").ok();
    let half = Place::of_first_release();
    for path in ["Makefile", "src/main.rs", "api/src/lib.rs", "Cargo.toml"] {
        half.write(path, whole.read(path));
    }
    half.rustop("upgrade -q").ok();
    assert_eq!(snapshot(half.dir()), snapshot(whole.dir()));
}

#[test]
fn files_that_may_not_be_written_are_upgraded_as_well() {
    let place = Place::of_first_release();
    for path in ["Makefile", "PROJECT"] {
        let permissions = fs::Permissions::from_mode(0o444);
        fs::set_permissions(place.path(path), permissions).unwrap();
    }
    place.rustop("upgrade -q").ok();
    place.rustop("upgrade --check -q").ok();
}

#[test]
fn files_with_dos_line_breaks_keep_them_through_an_upgrade() {
    let (unix, dos) = (Place::of_first_release(), Place::of_first_release());
    for path in ["Makefile", "src/main.rs"] {
        dos.write(path, dos.read(path).replace('\n', "\r\n"));
    }
    for place in [&unix, &dos] {
        place.rustop("upgrade -q").ok();
    }
    for path in ["Makefile", "src/main.rs"] {
        assert_eq!(
            dos.read(path),
            unix.read(path).replace('\n', "\r\n"),
            "{path}"
        );
    }
}

/// What GitHub's program does of which the weekly workflow makes use: it writes down what it is told, lists a pull request
/// that was opened, and opens none where that is not allowed.
const GH: &str = r#"#!/bin/sh
echo "$@" >> "$RUNNER_TEMP/gh.txt"
case "$2" in
  list) cat "$RUNNER_TEMP/opened.txt" 2>/dev/null || true ;;
  create) [ ! -e "$RUNNER_TEMP/forbidden" ] && echo https://example.org/1 > "$RUNNER_TEMP/opened.txt" ;;
esac
"#;

/// The weekly workflow's script, with a repository beside it.
#[test]
fn the_weekly_workflow_opens_one_pull_request_and_none_when_there_is_nothing_to_do() {
    let current = project();
    let script = scripts(&current.read(".github/workflows/upgrade.yml"));
    let place = Place::of_first_release();
    let temporary = tempfile::tempdir().unwrap();
    let (bin, origin) = (
        temporary.path().join("bin"),
        temporary.path().join("origin"),
    );
    fs::create_dir(&bin).unwrap();
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_rustop"), bin.join("rustop")).unwrap();
    let gh = bin.join("gh");
    fs::write(&gh, GH).unwrap();
    fs::set_permissions(&gh, fs::Permissions::from_mode(0o755)).unwrap();
    let run = |place: &Place, script: &str| {
        let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
        let mut command = Command::new("bash");
        command.args(["-e", "-c", script]).current_dir(place.dir());
        command
            .env("PATH", path)
            .env("RUNNER_TEMP", temporary.path())
            .env("GITHUB_OUTPUT", temporary.path().join("output.txt"));
        command
            .env("HOME", temporary.path())
            .env("GIT_CONFIG_NOSYSTEM", "1");
        command.output().unwrap()
    };
    let sh = |place: &Place, script: &str| {
        let output = run(place, script);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{said}");
        String::from_utf8(output.stdout).unwrap()
    };
    let begin = format!(
        "git init -q -b main . && git add -A && git -c user.name=me -c user.email=me@example.com commit -qm one
        git init -q --bare {0} && git remote add origin {0} && git push -q origin main",
        origin.display()
    );
    sh(&current, &format!("git init -q -b main .\n{script}"));
    assert!(!temporary.path().join("gh.txt").exists());

    let told = || fs::read_to_string(temporary.path().join("gh.txt")).unwrap();
    let again = || {
        let line = "git switch -q main && git branch -qD $(git branch --format '%(refname:short)' | grep -v main)";
        sh(&place, line);
        run(&place, &script)
    };
    // GitHub lets no workflow open one, until somebody changes the settings.
    let forbidden = temporary.path().join("forbidden");
    fs::write(&forbidden, "").unwrap();
    sh(&place, &begin);
    for run in [run(&place, &script), again()] {
        assert!(!run.status.success(), "it is not silent: {run:?}");
    }
    fs::remove_file(&forbidden).unwrap();
    assert!(again().status.success(), "{}", told());

    let version = env!("CARGO_PKG_VERSION");
    let title = format!(
        "pr create --head rustop-{version} --title Upgrade to rustop {version} --body-file "
    );
    assert_eq!(told().matches(&title).count(), 3, "{}", told());
    let body = fs::read_to_string(temporary.path().join("upgrade/log.txt")).unwrap();
    assert!(
        body.starts_with("```\n") && body.ends_with("```\n"),
        "{body}"
    );
    assert!(body.contains(&format!("New in {version}")), "{body}");
    let pushed = sh(&place, &format!("git show origin/rustop-{version}:PROJECT"));
    assert!(
        pushed.contains(&format!("cliVersion: \"{version}\"")),
        "{pushed}"
    );
    assert_eq!(sh(&place, "git status --porcelain"), "");

    // The week after, while it is open.
    let run = again();
    let said = String::from_utf8_lossy(&run.stdout);
    let there = "::notice::there is a pull request already: https://example.org/1";
    assert!(run.status.success() && said.contains(there), "{run:?}");
    assert_eq!(told().matches(&title).count(), 3, "no second one");
}

/// The scripts of the two jobs of the workflow, the second one in a fresh checkout as GitHub has it.
fn scripts(workflow: &str) -> String {
    let workflow: serde_json::Value = serde_yaml::from_str(workflow).unwrap();
    let jobs = &workflow["jobs"];
    let script = |job: &str| {
        let steps = jobs[job]["steps"].as_array().unwrap();
        let named = steps.iter().find(|step| !step["name"].is_null());
        named.unwrap()["run"].as_str().unwrap().to_owned()
    };
    // The job that runs rustop has the workflow's token, which may only read.
    assert_eq!(
        workflow["permissions"],
        serde_json::json!({"contents": "read"})
    );
    assert!(jobs["upgrade"]["permissions"].is_null());
    assert!(!script("propose").contains("rustop upgrade"));
    format!(
        "rm -rf \"$RUNNER_TEMP/upgrade\" \"$GITHUB_OUTPUT\"\n{}\ngit reset -q --hard\ngit clean -qfd\n\
         VERSION=$(sed -n 's/^version=//p' \"$GITHUB_OUTPUT\")\n{}",
        script("upgrade"),
        script("propose")
    )
}
