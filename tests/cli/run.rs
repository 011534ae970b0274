//! `rustop run` with an operator that is a script, so that nothing is compiled: what reaches the
//! terminal of its log, and who can read what is written.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use crate::dsl::{Place, rustop, state};

/// Builds nothing, and names the script `operator` as the project's program.
const CARGO: &str = r#"#!/bin/sh
echo '{"target":{"name":"lolcow-operator","kind":["bin"]},"executable":"'"$PWD"'/bin/operator"}'
"#;

/// Writes its arguments at once, not in parts.
const BROWSER: &str = "#!/bin/sh\nprintf '%s' \"$*\" > opened.new\nmv opened.new opened\n";

/// The kubeconfig of a cluster that no test connects to.
const KUBECONFIG: &str = r#"{
  "apiVersion": "v1", "kind": "Config", "current-context": "c",
  "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}],
  "clusters": [{"name": "c", "cluster": {"server": "http://127.0.0.1:1"}}],
  "users": [{"name": "u", "user": {}}]
}"#;

/// A project whose operator is this script.
fn place(operator: &str) -> Place {
    let place = Place::project();
    for (name, text) in [
        ("cargo", CARGO),
        ("operator", operator),
        ("xdg-open", BROWSER),
        ("open", BROWSER),
    ] {
        let path = format!("bin/{name}");
        place.write(&path, text);
        let mode = fs::Permissions::from_mode(0o755);
        fs::set_permissions(place.path(&path), mode).unwrap();
    }
    place.write(".kube/config", KUBECONFIG);
    place
}

/// Runs a line to its end, with a umask that protects nothing.
fn run(place: &Place, line: &str) -> Output {
    let program = rustop(place.dir());
    let path = std::env::var("PATH").unwrap();
    Command::new("/bin/sh")
        .args(["-c", "umask 000; exec \"$0\" \"$@\""])
        .arg(program.get_program())
        .args(line.split(' '))
        .current_dir(place.dir())
        .env_clear()
        .env("RUSTOP_STATE", state(place.dir()))
        .env("HOME", place.dir())
        .env("PATH", format!("{}:{path}", place.path("bin").display()))
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

#[test]
fn no_control_character_of_the_log_reaches_the_terminal() {
    let place = place(
        r#"#!/bin/sh
printf '%s\n' '{"timestamp":"2026-01-02T03:04:05Z","level":"WARN","target":"t","message":"a\u001b]0;t\u0007\nhelp: forged","f":"\u001b[31mred\n  caused by: forged","span":{"name":"r\u009b2J","object":"o\u202e"}}'
printf 'plain \033]52;c;eA==\007\033[2J\r\033[31mred\n'
"#,
    );
    for page in ["--no-page", "--record run.jsonl"] {
        let output = run(&place, &format!("run {page} --color always"));
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success(), "{stderr}");
        let lines: Vec<_> = stderr.lines().map(without_colors).collect();
        let of_json = "2026-01-02T03:04:05.000000Z  WARN r\\u{9b}2J{object=o\\u{202e}}: t: \
                       a\\u{1b}]0;t\\u{7}\\nhelp: forged f=\\u{1b}[31mred\\n  caused by: forged";
        let plain = "plain \\u{1b}]52;c;eA==\\u{7}\\u{1b}[2J\\rred";
        for line in [of_json, plain] {
            assert!(lines.iter().any(|it| it == line), "{page}: {stderr:?}");
        }
    }
}

/// Removes the sequences that set colors, which rustop passes on.
fn without_colors(line: &str) -> String {
    let mut parts = line.split("\u{1b}[");
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let end = part
            .find(|c: char| !c.is_ascii_digit() && c != ';')
            .unwrap();
        assert!(part[end..].starts_with('m'), "{line:?}");
        text.push_str(&part[end + 1..]);
    }
    text
}

/// A cargo that waits for another one does not end by itself.
#[test]
#[cfg(target_os = "linux")]
fn a_signal_to_rustop_alone_ends_the_build() {
    let waits = "#!/bin/sh\necho $$ > started.new; mv started.new started; exec sleep 60\n";
    let place = place("");
    place.write("bin/cargo", waits);
    let program = rustop(place.dir());
    // A script starts programs in the background with SIGINT ignored.
    let mut shell = Command::new("/bin/sh");
    shell
        .args(["-c", "trap '' INT; exec \"$0\" run --no-page"])
        .arg(program.get_program())
        .current_dir(place.dir())
        .env_clear()
        .env("RUSTOP_STATE", state(place.dir()));
    let (mut child, has_started) = started(&mut shell, &place);
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    within(|| child.try_wait().unwrap().is_some());
    let _ = child.kill();
    let status = child.wait().unwrap();
    assert!(has_started);
    assert_eq!(status.code(), Some(130));
    assert!(within(|| has_ended(&place)), "cargo outlives rustop");
}

/// Starts a command with the programs in `bin`, and waits for the one that writes `started`.
/// Returns false if it does not in time.
fn started(command: &mut Command, place: &Place) -> (Child, bool) {
    let path = std::env::var("PATH").unwrap();
    let child = command
        .env("PATH", format!("{}:{path}", place.path("bin").display()))
        .env("HOME", place.dir())
        .env_remove("KUBECONFIG")
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    (child, within(|| place.has("started")))
}

/// Waits until a condition holds, and returns false if it does not in time.
fn within(mut is_done: impl FnMut() -> bool) -> bool {
    let begin = Instant::now();
    while !is_done() && begin.elapsed() < Duration::from_secs(20) {
        std::thread::sleep(Duration::from_millis(20));
    }
    is_done()
}

/// Reports whether the process whose ID is in `started` has ended. It may be left as a zombie.
fn has_ended(place: &Place) -> bool {
    let status = format!("/proc/{}/status", place.read("started").trim());
    fs::read_to_string(&status)
        .ok()
        .is_none_or(|it| it.contains("State:\tZ"))
}

#[test]
#[cfg(target_os = "linux")]
fn the_operator_ends_with_a_killed_rustop() {
    let place = place("#!/bin/sh\necho $$ > started.new; mv started.new started; exec sleep 60\n");
    let mut command = rustop(place.dir());
    let (mut child, has_started) = started(command.args(["run", "--no-page"]), &place);
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(has_started);
    assert!(within(|| has_ended(&place)), "it outlives rustop");
}

#[test]
fn without_a_kubeconfig_nothing_is_built() {
    let place = place("");
    for path in [".kube/config", "bin/cargo"] {
        fs::remove_file(place.path(path)).unwrap();
    }
    let output = run(&place, "run --no-page");
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1));
    let help = "help: choose a kubeconfig: `export KUBECONFIG=FILE`; or start a local cluster: \
                `rustop cluster start`\n";
    for says in ["`~/.kube/config` does not exist\n", help] {
        assert!(stderr.contains(says), "{stderr}");
    }
}

/// Returns the paths below a directory.
fn paths(dir: &Path) -> BTreeSet<PathBuf> {
    let entries = walkdir::WalkDir::new(dir).into_iter().flatten();
    entries.map(|entry| entry.path().to_owned()).collect()
}

#[test]
fn only_the_owner_reads_what_run_and_show_write() {
    let place = place("#!/bin/sh\nsleep 0.3\n");
    let state = state(place.dir());
    for (line, written) in [
        ("run --open --record run.jsonl", &["run.jsonl"][..]),
        ("show run.jsonl --open", &[]),
    ] {
        let _ = fs::remove_dir_all(&state);
        let before = paths(place.dir());
        if line.starts_with("show") {
            show(&place, line);
        } else {
            let output = run(&place, line);
            assert!(output.status.success(), "{output:?}");
        }
        let after = paths(place.dir());
        let new: Vec<_> = after.difference(&before).collect();
        let expected: Vec<_> = written.iter().map(|name| place.path(name)).collect();
        let own = new.iter().filter(|path| !path.ends_with("opened"));
        let own: Vec<_> = own.copied().cloned().collect();
        assert_eq!(own, expected, "{line}");
        let stored = paths(&state);
        // The port of the page, and the file that leads a browser to it.
        let files = stored.iter().filter(|path| path.is_file()).count();
        assert!(files >= 2, "{line}: {stored:?}");
        for path in stored.iter().chain(&own) {
            let mode = path.metadata().unwrap().permissions().mode() & 0o777;
            assert_eq!(mode & 0o077, 0, "{line}: {}: {mode:o}", path.display());
        }
    }
}

/// Runs `rustop show` until it has opened a browser, and ends it.
fn show(place: &Place, line: &str) {
    let _ = fs::remove_file(place.path("opened"));
    let script = format!(
        "umask 000; \"$0\" {line} & n=0; \
         while [ ! -e opened ] && [ $n -lt 300 ]; do sleep 0.1; n=$((n+1)); done; kill -TERM $!; wait $!"
    );
    let path = std::env::var("PATH").unwrap();
    let output = Command::new("/bin/sh")
        .args(["-c", &script])
        .arg(rustop(place.dir()).get_program())
        .current_dir(place.dir())
        .env_clear()
        .env("RUSTOP_STATE", state(place.dir()))
        .env("HOME", place.dir())
        .env("PATH", format!("{}:{path}", place.path("bin").display()))
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert!(place.has("opened"), "{output:?}");
}
