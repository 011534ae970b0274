//! Disks that refuse, and two rustops at once.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::process::{Command, Output};

use sha2::{Digest as _, Sha256};

use crate::dsl::{Place, rustop, snapshot, state};

/// A script with rustop as `$1`, in namespaces of its own: `-m` for mounts, `-n` for the network.
fn unshared(namespace: &str, place: &Place, script: &str) -> Output {
    // Who is not the superuser is it in a user namespace.
    let options = if is_root() {
        namespace.to_owned()
    } else {
        format!("-r{}", &namespace[1..])
    };
    let mut command = Command::new("unshare");
    command.args([&options, "sh", "-ec", script, "sh"]);
    command.arg(env!("CARGO_BIN_EXE_rustop"));
    let output = command.current_dir(place.dir()).output();
    let output = output.expect("this test needs unshare, of util-linux");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(
        !stderr.contains("unshare: "),
        "this test needs the right to make namespaces: {stderr}"
    );
    output
}

fn is_root() -> bool {
    Command::new("id").arg("-u").output().unwrap().stdout == b"0\n"
}

#[test]
fn a_directory_that_may_not_be_written() {
    let place = Place::project();
    let before = snapshot(place.dir());
    fs::set_permissions(place.dir(), fs::Permissions::from_mode(0o555)).unwrap();
    fs::set_permissions(
        place.dir().parent().unwrap(),
        fs::Permissions::from_mode(0o755),
    )
    .unwrap();
    // Root may write anywhere, so the command runs as another user.
    let mut command = if is_root() {
        let binary = place.dir().parent().unwrap().join("rustop");
        fs::copy(env!("CARGO_BIN_EXE_rustop"), &binary).unwrap();
        let mut command = Command::new("setpriv");
        command
            .args(["--reuid=65534", "--regid=65534", "--clear-groups"])
            .arg(binary);
        command.current_dir(place.dir());
        command
    } else {
        rustop(place.dir())
    };
    let output = command
        .args(["create", "api", "--kind", "Cow"])
        .output()
        .unwrap();
    fs::set_permissions(place.dir(), fs::Permissions::from_mode(0o755)).unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{stderr}");
    assert!(
        stderr
            .starts_with("error: cannot create `./.rustop-draft`\n  caused by: Permission denied"),
        "{stderr}"
    );
    assert_eq!(snapshot(place.dir()), before);
}

#[test]
fn a_full_disk() {
    for kib in [16, 64, 128, 200, 260, 300] {
        let place = Place::empty();
        let script = format!(
            "mount -t tmpfs -o size={kib}k tmpfs . && cd . && cd \"$PWD\" && {{ \"$1\" init --domain a.b -q || echo failed $?; }}; ls -A"
        );
        let output = unshared("-m", &place, &script);
        let (stdout, stderr) = (
            String::from_utf8(output.stdout).unwrap(),
            String::from_utf8(output.stderr).unwrap(),
        );
        assert!(
            stdout == "failed 1\n" && stderr.contains("No space left on device"),
            "{kib}: {stdout}{stderr}"
        );
    }
}

#[test]
fn a_disk_that_fills_up_below_a_project() {
    let place = Place::empty();
    let sum = "find . -type f | sort | xargs cat | cksum; find . | wc -l";
    let script = format!(
        "mount -t tmpfs tmpfs . && cd \"$PWD\" && \"$1\" init --domain a.b -q && {{ {sum}; }} && \
         mount -o remount,nr_inodes=$(($(find . | wc -l) + 8)) . && \
         {{ \"$1\" create api --kind Cow -q || echo failed $?; }}; {sum}"
    );
    let output = unshared("-m", &place, &script);
    let stdout = String::from_utf8(output.stdout).unwrap();
    let lines: Vec<_> = stdout.lines().collect();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(lines[2], "failed 1", "{stdout}{stderr}");
    assert_eq!(lines[..2], lines[3..], "{stdout}");
    assert!(stderr.contains("No space left on device"), "{stderr}");
}

#[test]
fn files_that_may_not_grow() {
    let place = Place::empty();
    // `ulimit -f 1` allows blocks of 512 or 1024 bytes, of which LICENSE needs more.
    let script = "trap '' XFSZ; ulimit -f 1; exec \"$0\" init --domain a.b -q";
    let before = snapshot(place.dir());
    let mut command = Command::new("sh");
    let output = command
        .args(["-c", script, env!("CARGO_BIN_EXE_rustop")])
        .current_dir(place.dir())
        .output()
        .unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{stderr}");
    assert!(
        stderr.contains("error: cannot write `./.rustop-draft/new-")
            && stderr.contains("File too large"),
        "{stderr}"
    );
    assert_eq!(snapshot(place.dir()), before);
}

#[test]
fn without_a_network() {
    let place = Place::empty();
    let script = "\"$1\" init --domain a.b -q && \"$1\" create api --kind Cow -q";
    let output = unshared("-n", &place, script);
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{stderr}");
}

#[test]
fn two_at_once_in_one_project() {
    for _ in 0..10 {
        let place = Place::project();
        let kinds = ["A", "B", "C", "D"];
        let spawn = |kind: &str| {
            rustop(place.dir())
                .args(["create", "api", "-q", "--kind", kind])
                .spawn()
                .unwrap()
        };
        for mut child in kinds.map(spawn) {
            assert!(child.wait().unwrap().success());
        }
        let project: serde_json::Value = serde_yaml::from_str(&place.read("PROJECT")).unwrap();
        assert_eq!(project["resources"].as_array().unwrap().len(), kinds.len());
        let registry = place.read("src/controllers/mod.rs");
        assert!(
            ["a", "b", "c", "d"]
                .iter()
                .all(|name| registry.contains(&format!("({name}::controller())")))
        );
    }
}

#[test]
fn two_projects_at_once_in_one_directory() {
    for _ in 0..10 {
        let place = Place::empty();
        let spawn = |_| {
            rustop(place.dir())
                .args(["init", "new/p", "--domain=a.b", "-q"])
                .stderr(std::process::Stdio::null())
                .spawn()
                .unwrap()
        };
        let mut codes = [0, 1]
            .map(spawn)
            .map(|mut child| child.wait().unwrap().code());
        codes.sort_unstable();
        assert_eq!(codes, [Some(0), Some(1)]);
        place.rustop("-C new/p create api --kind Cow -q").ok();
    }
}

/// A journal that another user can commit to a repository: it creates `../victim`, or removes
/// it.
fn plant(place: &Place, journal: &str, steps: &str) {
    place.write(&format!("{journal}/steps.json"), steps);
    place.write(&format!("{journal}/new-0"), "#!/bin/sh\n");
    let new = place.path(&format!("{journal}/new-0"));
    fs::set_permissions(new, fs::Permissions::from_mode(0o755)).unwrap();
    place.write(&format!("{journal}/old-0"), "old");
}

#[test]
fn a_journal_in_a_clone_changes_nothing() {
    let commands = [
        "create api --kind Cow",
        "create webhook --kind Lolcow --validation",
        "edit --domain other.domain",
        "delete api --kind Lolcow",
        "upgrade",
        "manifests",
    ];
    let journals = [
        r#"[{"path":"../victim","existed":false,"remove":false}]"#,
        r#"[{"path":"../victim","existed":true,"remove":true}]"#,
        r#"{"root":"/","steps":[{"path":"../victim","before":null,"after":"0"}]}"#,
        r#"{"root":"/","steps":[{"path":".git/hooks/post-commit","before":null,"after":"0"}]}"#,
        r#"{"root":"/","steps":[{"path":"Makefile","before":"0","after":null}]}"#,
        "not JSON",
    ];
    let project = Place::project();
    project.rustop("create api --kind Lolcow -q").ok();
    for journal in [".rustop-journal", ".rustop-undo"] {
        for steps in journals {
            let place = project.copy();
            let victim = place.path("../victim");
            fs::write(&victim, "mine").unwrap();
            plant(&place, journal, steps);
            for command in commands {
                place
                    .rustop(command)
                    .says(&[
                        &format!("error: `./{journal}` is not the journal of a run of rustop by this account in this directory"),
                        &format!("help: rustop did not read it; remove it: `rm -r ./{journal}`"),
                    ])
                    .fails(1);
            }
            assert_eq!(fs::read_to_string(&victim).unwrap(), "mine");
        }
    }
}

/// Leaves what a run leaves that was killed before its first step: a journal that replaces a file,
/// and its record.
fn interrupt(place: &Place, path: &str, new: &str) {
    let digest = |text: &str| format!("{:x}", Sha256::digest(text));
    let old = place.read(path);
    let steps = serde_json::json!({
        "root": place.dir(),
        "steps": [{"path": path, "before": digest(&old), "after": digest(new)}],
    })
    .to_string();
    place.write(".rustop-journal/new-0", new);
    place.write(".rustop-journal/old-0", old);
    place.write(".rustop-journal/steps.json", &steps);
    let records = state(place.dir()).join("journals");
    fs::create_dir_all(&records).unwrap();
    fs::write(records.join(digest(&steps)), place.dir().to_str().unwrap()).unwrap();
}

#[test]
fn edits_after_an_interrupted_run_are_kept() {
    let place = Place::project();
    place.rustop("create api --kind Cow -q").ok();
    let file = "src/controllers/cow.rs";
    let old = place.read(file);
    interrupt(&place, file, "// new\n");
    place.write(file, "// mine\n");
    let command = "create webhook --kind Cow --validation";
    place
        .rustop(command)
        .says(&[
            "error: cannot finish an interrupted run of rustop: this file changed after it: `src/controllers/cow.rs`",
            "help: to keep the files as they are and forget that run: `rm -r ./.rustop-journal`",
        ])
        .fails(1);
    assert_eq!(place.read(file), "// mine\n");
    place.write(file, old);
    place
        .rustop(command)
        .says(&["warning: finished an earlier run of rustop that was interrupted"])
        .ok();
    assert_eq!(place.read(file), "// new\n");
    let records = fs::read_dir(state(place.dir()).join("journals")).unwrap();
    assert_eq!(records.count(), 0);
}

#[test]
fn a_check_that_fails_reports_an_interrupted_run() {
    let place = Place::of_first_release();
    interrupt(&place, "README.md", "new\n");
    place
        .rustop("upgrade --check")
        .says(&["warning: an earlier run of rustop in `.` was interrupted before it had changed every file; `rustop upgrade` finishes it"])
        .fails(1);
}

/// Commands that write nothing do not finish an interrupted run.
#[test]
fn every_command_reports_an_interrupted_run() {
    let place = Place::project();
    place.rustop("create api --kind Cow -q").ok();
    interrupt(&place, "src/controllers/cow.rs", "// new\n");
    place
        .rustop("create api --kind Fish --dry-run")
        .says(&["warning: an earlier run of rustop in `.` was interrupted before it had changed every file; `rustop manifests` finishes it"])
        .ok();

    let place = Place::empty();
    place.write("crd.yaml", include_str!("../golden/imported.yaml"));
    place.rustop("adopt -q").ok();
    interrupt(&place, "rustop.yaml", "projectName: new\n");
    place
        .rustop("schema")
        .shows(&[])
        .says(&[
            "warning: an earlier run of rustop in `.` was interrupted",
            "`rustop adopt` finishes it",
        ])
        .ok();
    place
        .rustop("adopt")
        .shows(&["-projectName: new"])
        .says(&["warning: finished an earlier run of rustop that was interrupted"])
        .ok();
    assert_eq!(place.read("rustop.yaml"), "projectName: new\n");
}

#[test]
fn settings_that_link_to_a_file_elsewhere_are_not_read() {
    for (file, commands) in [
        ("PROJECT", ["create api --kind Cow", "manifests"]),
        ("rustop.yaml", ["adopt --dry-run", "manifests"]),
        ("rustop-lint.yaml", ["lint", "lint --baseline"]),
    ] {
        let place = Place::empty();
        place.write("crd.yaml", include_str!("../golden/imported.yaml"));
        if file == "rustop-lint.yaml" {
            place.rustop("adopt -q").ok();
        }
        fs::write(place.path("../private"), "rustop.dev/ hunter2\n").unwrap();
        std::os::unix::fs::symlink("../private", place.path(file)).unwrap();
        for command in commands {
            place
                .rustop(command)
                .says(&[
                    &format!("{file}`"),
                    "caused by: it is a link to a file outside of the project\n",
                    "help: replace the link by a copy of its target",
                ])
                .lacks("hunter2")
                .fails(1);
        }
    }
}

#[test]
fn a_relative_state_directory_is_refused() {
    for variable in ["RUSTOP_STATE", "RUSTOP_CACHE"] {
        Place::empty()
            .rustop("cluster status")
            .env("RUSTOP_CACHE", "/nowhere")
            .env(variable, "state")
            .says(&[
                &format!("error: cannot use `{variable}`"),
                "caused by: `state` is a relative path",
            ])
            .fails(1);
    }
}

/// The interrupted run had written the file, so the journal has its new text no longer.
#[test]
fn a_file_that_is_restored_after_an_interrupted_run_stays_as_it_is() {
    let place = Place::project();
    place.rustop("create api --kind Cow -q").ok();
    let file = "src/controllers/cow.rs";
    let old = place.read(file);
    interrupt(&place, file, "// new\n");
    let new = place.path(".rustop-journal/new-0");
    fs::rename(new, place.path(file)).unwrap();
    place.write(file, &old);
    place
        .rustop("create webhook --kind Cow --validation")
        .says(&[
            "error: cannot finish an interrupted run of rustop: this file changed after it: `src/controllers/cow.rs`",
            "help: to keep the files as they are and forget that run: `rm -r ./.rustop-journal`",
        ])
        .fails(1);
    assert_eq!(place.read(file), old);
}

#[test]
fn directories_that_are_links_are_not_written_through() {
    for dir in ["config", "src", "api", "tests", "src/controllers"] {
        let place = Place::project();
        place.rustop("create api --kind Lolcow -q").ok();
        let outside = place.path("../outside");
        fs::rename(place.path(dir), &outside).unwrap();
        std::os::unix::fs::symlink(&outside, place.path(dir)).unwrap();
        let before = snapshot(&outside);
        place
            .rustop("create api --kind Cow")
            .says(&[
                "error: cannot write `",
                &format!("`./{dir}` is a symbolic link"),
                "help: replace the link",
            ])
            .fails(1);
        assert_eq!(snapshot(&outside), before, "{dir}");
    }
    for (dir, command) in [
        ("charts", "create chart"),
        (".github", "create release"),
        ("docs", "create dashboard"),
        ("src/webhooks", "create webhook --kind Lolcow --validation"),
        ("bundle", "create bundle"),
    ] {
        let place = Place::project();
        place.rustop("create api --kind Lolcow -q").ok();
        let outside = place.path("../outside");
        let link = place.path(dir);
        if link.exists() {
            fs::rename(&link, &outside).unwrap();
        } else {
            fs::create_dir(&outside).unwrap();
        }
        std::os::unix::fs::symlink(&outside, &link).unwrap();
        let before = snapshot(&outside);
        place
            .rustop(command)
            .says(&[&format!("`./{dir}` is a symbolic link")])
            .fails(1);
        assert_eq!(snapshot(&outside), before, "{dir}");
    }
}
