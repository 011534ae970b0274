//! The recording of README's first five minutes: `docs/recording.svg`, an animation that shows what
//! the commands printed, and when. `RUSTOP_OVERWRITE=1 cargo test --test projects recording::` runs
//! them in a new directory and writes it, which takes minutes. The picture names the time that
//! cargo took, so let nothing else run meanwhile.

mod picture;
mod screen;

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use rustix::process::Signal;

use crate::story::command;
use crate::support::{Sandbox, kill, progress};
use picture::{commands, picture};
use screen::{Printed, screen};

/// The limit of the picture's size, in bytes: a reader of README waits for it.
const LARGEST: usize = 200 << 10;

#[test]
fn the_recording_shows_the_commands_of_readme() {
    let file = root().join("docs/recording.svg");
    let lines = five_minutes();
    if std::env::var_os("RUSTOP_OVERWRITE").is_some() {
        fs::write(&file, picture(&screen(&recorded(&lines)))).unwrap();
    }
    let svg = fs::read_to_string(&file).unwrap_or_default();
    assert_eq!(
        commands(&svg),
        lines,
        "RUSTOP_OVERWRITE=1 cargo test --test projects recording::"
    );
    assert!(svg.len() < LARGEST, "{} bytes", svg.len());
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// Returns the lines of the first block of README's "Five minutes", without comments.
fn five_minutes() -> Vec<String> {
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    let (_, section) = readme.split_once("## Five minutes").unwrap();
    let (_, block) = section.split_once("```sh\n").unwrap();
    let (block, _) = block.split_once("```").unwrap();
    block
        .lines()
        .map(|line| line.split("  #").next().unwrap().trim().to_owned())
        .collect()
}

/// Runs the lines in a new directory, and returns what they printed. `rustop dev` is stopped when
/// the sample is Ready. Nothing of the project was compiled before.
fn recorded(lines: &[String]) -> Vec<Printed> {
    let sandbox = Sandbox::new();
    let home = sandbox.path().join("home");
    fs::create_dir(&home).unwrap();
    let mut dir = home.clone();
    let start = Instant::now();
    let mut all = Vec::new();
    for line in lines {
        progress(line);
        all.push(Printed::Command(start.elapsed(), line.clone()));
        run(&sandbox, &dir, line, start, &mut all);
        if let Some((_, below)) = line.split_once("&& cd ") {
            dir = dir.join(below);
        }
    }
    let state = sandbox.state().display().to_string();
    let home = home.display().to_string();
    for printed in &mut all {
        if let Printed::Line(_, text) = printed {
            *text = text
                .replace(&state, "~/.local/state/rustop")
                .replace(&home, "~");
        }
    }
    all
}

fn run(sandbox: &Sandbox, dir: &Path, line: &str, start: Instant, all: &mut Vec<Printed>) {
    let mut shell = command(dir, "sh");
    for shared in [
        "CARGO_BUILD_BUILD_DIR",
        "CARGO_TARGET_DIR",
        "CARGO_INCREMENTAL",
        "CARGO_PROFILE_DEV_DEBUG",
    ] {
        shell.env_remove(shared);
    }
    // `exec` replaces the shell, so that the signal below reaches rustop.
    let exec = if line.starts_with("rustop ") {
        "exec "
    } else {
        ""
    };
    shell
        .args(["-ec", &format!("exec 2>&1; {exec}{line}")])
        .env("RUSTOP_STATE", sandbox.state())
        .env("CLICOLOR_FORCE", "1")
        .env("CARGO_TERM_COLOR", "always")
        .stdin(Stdio::null())
        .stdout(Stdio::piped());
    let mut child = shell.spawn().unwrap();
    for text in BufReader::new(child.stdout.take().unwrap()).lines() {
        let text = text.unwrap();
        let is_ready = text.contains("Ready=True");
        all.push(Printed::Line(start.elapsed(), text));
        if is_ready {
            std::thread::sleep(Duration::from_secs(2));
            all.push(Printed::Line(start.elapsed(), "^C".to_owned()));
            kill(child.id(), Signal::INT);
        }
    }
    let ended = child.wait().unwrap();
    assert!(ended.success(), "{line}: {all:#?}");
}
