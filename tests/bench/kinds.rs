//! The generation of the CRDs of a project with many kinds after an edit of one, next to
//! controller-gen on the same kinds. The two run alternately, so that both have the same load of
//! the machine.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use super::{Bench, print, spread, timed};

const KINDS: usize = 50;
const ROUNDS: usize = 7;
const CONTROLLER_GEN: &str = "sigs.k8s.io/controller-tools/cmd/controller-gen@v0.23.0";
const APIMACHINERY: &str = "k8s.io/apimachinery v0.37.0";

pub fn kinds(bench: &Bench) {
    let ours = Ours::new(bench);
    let theirs = Theirs::new(bench);
    let mut times = [vec![], vec![], vec![], vec![]];
    for round in 0..ROUNDS {
        times[0].push(ours.run());
        times[1].extend(theirs.as_ref().map(Theirs::run));
        edit(&ours.dir.join("api/src/v1alpha1/kind7.rs"), round);
        times[2].push(ours.run());
        if let Some(theirs) = &theirs {
            edit(&theirs.dir.join("v1alpha1/kind7.go"), round);
            times[3].push(theirs.run());
        }
    }
    let [same, same_go, edited, edited_go] = times;
    print(
        &format!("rustop manifests, {KINDS} kinds, nothing changed"),
        same.clone(),
    );
    print(
        &format!("rustop manifests, {KINDS} kinds, one edited"),
        edited.clone(),
    );
    if theirs.is_none() {
        println!("controller-gen v0.23.0: there is no Go on this machine to compare with");
        return;
    }
    print(
        &format!("controller-gen, {KINDS} kinds, nothing changed"),
        same_go.clone(),
    );
    print(
        &format!("controller-gen, {KINDS} kinds, one edited"),
        edited_go.clone(),
    );
    let ratio = |ours: Vec<Duration>, theirs: Vec<Duration>| {
        spread(ours).1.as_secs_f64() / spread(theirs).1.as_secs_f64()
    };
    println!(
        "{:<44} {:>9.2} {:>9.2}",
        "rustop / controller-gen: unchanged, edited",
        ratio(same, same_go),
        ratio(edited, edited_go)
    );
}

/// An edit that changes the CRD: a word of a description.
fn edit(file: &Path, round: usize) {
    let text = fs::read_to_string(file).unwrap();
    let word = |n: usize| format!("What to say{}", "!".repeat(n));
    let edited = text.replace(
        &format!("{},", word(round)),
        &format!("{},", word(round + 1)),
    );
    assert_ne!(text, edited, "{}", file.display());
    fs::write(file, edited).unwrap();
}

/// A project of ours.
struct Ours<'a> {
    bench: &'a Bench,
    dir: PathBuf,
}

impl<'a> Ours<'a> {
    fn new(bench: &'a Bench) -> Self {
        let dir = bench.dir.path().join("kinds");
        fs::create_dir(&dir).unwrap();
        bench.ok(
            &dir,
            "-q init --domain my.domain --project-name kinds-operator",
        );
        for n in 0..KINDS {
            bench.ok(
                &dir,
                &format!("-q create api --kind Kind{n} --no-controller"),
            );
        }
        let ours = Self { bench, dir };
        // Builds what the types need.
        ours.run();
        ours
    }

    fn run(&self) -> Duration {
        let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("projects");
        timed(
            self.bench
                .rustop(&self.dir, "-q manifests")
                .env("CARGO_TARGET_DIR", target),
        )
    }
}

/// The same kinds in Go, and controller-gen.
struct Theirs {
    dir: PathBuf,
    controller_gen: PathBuf,
}

impl Theirs {
    /// Returns `None` if Go is not installed.
    fn new(bench: &Bench) -> Option<Self> {
        Command::new("go").arg("version").output().ok()?;
        let bin = Path::new(env!("CARGO_TARGET_TMPDIR")).join("go-bin");
        timed(
            Command::new("go")
                .args(["install", CONTROLLER_GEN])
                .env("GOBIN", &bin),
        );
        let dir = bench.dir.path().join("kinds-go");
        fs::create_dir_all(dir.join("v1alpha1")).unwrap();
        fs::write(
            dir.join("go.mod"),
            format!("module kinds\n\ngo 1.25.0\n\nrequire {APIMACHINERY}\n"),
        )
        .unwrap();
        let package = "// +groupName=my.domain\npackage v1alpha1\n";
        fs::write(dir.join("v1alpha1/doc.go"), package).unwrap();
        for n in 0..KINDS {
            let text = include_str!("kind.go.txt").replace("Kind", &format!("Kind{n}"));
            fs::write(dir.join(format!("v1alpha1/kind{n}.go")), text).unwrap();
        }
        timed(Command::new("go").args(["mod", "tidy"]).current_dir(&dir));
        let theirs = Self {
            dir,
            controller_gen: bin.join("controller-gen"),
        };
        theirs.run();
        let crds = fs::read_dir(theirs.dir.join("crds")).unwrap();
        assert_eq!(crds.count(), KINDS);
        Some(theirs)
    }

    fn run(&self) -> Duration {
        let mut command = Command::new(&self.controller_gen);
        timed(
            command
                .args(["crd", "paths=./...", "output:crd:dir=crds"])
                .current_dir(&self.dir),
        )
    }
}
