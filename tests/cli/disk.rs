//! Disks that refuse, and two rustops at once.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::process::{Command, Output};

use crate::dsl::{Place, rustop, snapshot};

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
    // The superuser may write anywhere, so somebody else tries.
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
