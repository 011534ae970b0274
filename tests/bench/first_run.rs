//! The first hour with a new project: from `init` to a Ready sample, then edits, next to
//! kubebuilder if Go is installed.
//!
//! Everything is built in empty directories. Programs and downloads that are installed once per
//! machine (the control plane, crates and Go modules) are reused.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use crate::{Bench, print, timed};

const KUBEBUILDER: &str = "sigs.k8s.io/kubebuilder/v4@v4.16.0";
/// The longest that an edit may take to show.
const EDIT_TIMEOUT: Duration = Duration::from_secs(120);

/// Measures each step once, except for edits.
pub fn first_run(bench: &Bench) {
    let ours = Ours::new(bench);
    let once = |what: &str, time| print(what, vec![time]);
    once(
        "first run: rustop init",
        ours.run("-q init --domain my.domain --project-name first-operator"),
    );
    once(
        "first run: rustop create api",
        ours.run("-q create api --kind Lolcow"),
    );
    ours.fetch();
    once(
        "first run: rustop manifests, cold",
        ours.run("-q manifests"),
    );
    once("first run: rustop dev --once", ours.run("-q dev --once"));
    once("rustop dev --once, again", ours.run("-q dev --once"));
    print(
        "dev --watch: an edit of the controller to Ready",
        ours.edits_under_watch(),
    );
    let of_type = |round| {
        ours.edit("api/src/v1alpha1/lolcow.rs", round);
        ours.run("-q manifests")
    };
    print(
        "an edit of a type to its CRD",
        (0..5).map(of_type).collect(),
    );
    once("make test, after dev", ours.make("test"));
    if Command::new("go").arg("version").output().is_ok() {
        kubebuilder(bench);
    }
}

/// A project of ours, with a target directory of its own.
struct Ours<'a> {
    bench: &'a Bench,
    dir: PathBuf,
}

impl<'a> Ours<'a> {
    fn new(bench: &'a Bench) -> Self {
        let dir = bench.dir.path().join("first-operator");
        fs::create_dir(&dir).unwrap();
        Self { bench, dir }
    }

    fn command(&self, line: &str) -> Command {
        let mut command = self.bench.rustop(&self.dir, line);
        command.env("CARGO_TARGET_DIR", self.dir.join("target"));
        command
    }

    fn run(&self, line: &str) -> Duration {
        timed(&mut self.command(line))
    }

    fn fetch(&self) {
        timed(
            Command::new("cargo")
                .args(["fetch", "--locked"])
                .current_dir(&self.dir),
        );
    }

    fn make(&self, goal: &str) -> Duration {
        let program = Path::new(env!("CARGO_BIN_EXE_rustop"));
        let state = self.bench.dir.path().join("state");
        timed(
            Command::new("make")
                .args([goal, &format!("RUSTOP={}", program.display())])
                .current_dir(&self.dir)
                .env("CARGO_TARGET_DIR", self.dir.join("target"))
                .env("RUSTOP_STATE", state),
        )
    }

    /// Appends a comment to a file.
    fn edit(&self, file: &str, round: usize) {
        let path = self.dir.join(file);
        let text = fs::read_to_string(&path).unwrap();
        fs::write(&path, format!("{text}// {round}\n")).unwrap();
    }

    /// The times from an edit of the controller until the sample is Ready under the new operator.
    fn edits_under_watch(&self) -> Vec<Duration> {
        let dev = Dev::start(self.command("dev --watch"));
        dev.says("Ready");
        let controller = self.dir.join("src/controllers/lolcow.rs");
        let mut reason = "Reconciled".to_owned();
        let edit = |round| {
            let text = fs::read_to_string(&controller).unwrap();
            let next = format!("Reconciled{round}");
            let edited = text.replace(&format!("\"{reason}\""), &format!("\"{next}\""));
            assert_ne!(text, edited, "the controller has no \"{reason}\"");
            let start = Instant::now();
            fs::write(&controller, edited).unwrap();
            dev.says(&format!("({next}:"));
            reason = next;
            start.elapsed()
        };
        (0..3).map(edit).collect()
    }
}

/// A running `rustop dev`. Dropping it stops the control plane.
struct Dev {
    child: Child,
    lines: Receiver<String>,
}

impl Dev {
    fn start(mut command: Command) -> Self {
        let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
        let stderr = BufReader::new(child.stderr.take().unwrap());
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in stderr.lines().map_while(Result::ok) {
                // The receiver is gone once the measurement is over.
                let _ = sender.send(line);
            }
        });
        Self { child, lines }
    }

    /// Waits for a line with `text`.
    fn says(&self, text: &str) {
        let deadline = Instant::now() + EDIT_TIMEOUT;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let line = self.lines.recv_timeout(left);
            if line
                .unwrap_or_else(|_| panic!("dev did not say `{text}`"))
                .contains(text)
            {
                return;
            }
        }
    }
}

impl Drop for Dev {
    fn drop(&mut self) {
        if let Some(pid) = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw) {
            let _ = kill_process(pid, Signal::INT);
        }
        let _ = self.child.wait();
    }
}

/// The same steps with kubebuilder, as far as it has them.
fn kubebuilder(bench: &Bench) {
    let bin = Path::new(env!("CARGO_TARGET_TMPDIR")).join("go-bin");
    timed(
        Command::new("go")
            .args(["install", KUBEBUILDER])
            .env("GOBIN", &bin),
    );
    let dir = bench.dir.path().join("first-go");
    fs::create_dir(&dir).unwrap();
    let cache = bench.dir.path().join("go-cache");
    let run = |program: &Path, line: &str| {
        let mut command = Command::new(program);
        timed(
            command
                .args(line.split(' '))
                .current_dir(&dir)
                .env("GOCACHE", &cache),
        )
    };
    let (program, make) = (bin.join("kubebuilder"), Path::new("make"));
    let init = run(&program, "init --domain my.domain --repo my.domain/first");
    print("first run: kubebuilder init", vec![init]);
    let line = "create api --group barn --version v1alpha1 --kind Lolcow --resource --controller";
    print(
        "first run: kubebuilder create api",
        vec![run(&program, line)],
    );
    print(
        "first run: kubebuilder's make manifests",
        vec![run(make, "manifests")],
    );
    print(
        "first run: kubebuilder's make build",
        vec![run(make, "build")],
    );
    let of_type = |round: usize| {
        let path = dir.join("api/v1alpha1/lolcow_types.go");
        let text = fs::read_to_string(&path).unwrap();
        fs::write(&path, format!("{text}// {round}\n")).unwrap();
        run(make, "manifests")
    };
    print(
        "kubebuilder: an edit of a type to its CRD",
        (0..5).map(of_type).collect(),
    );
}
