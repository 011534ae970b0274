//! rustop killed at any moment: the tree is as before or complete, but for what rustop itself
//! keeps, and the same command run again gives the tree of an undisturbed run.

use std::process::Stdio;
use std::time::{Duration, Instant, SystemTime};
use std::{env, thread};

use crate::dsl::{Place, Snapshot, rustop, snapshot};
use crate::import::place as go_project;

/// Numbers that look random, from a seed that can be given again.
struct Random(u64);

impl Random {
    fn new() -> Self {
        let now = SystemTime::UNIX_EPOCH.elapsed().unwrap().subsec_nanos();
        let seed =
            env::var("RUSTOP_SEED").map_or_else(|_| u64::from(now), |seed| seed.parse().unwrap());
        eprintln!("again with the same moments: RUSTOP_SEED={seed} cargo test --test cli kill");
        Self(seed | 1)
    }

    /// From 0 to 1.
    fn next(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        f64::from(u32::try_from(self.0 >> 32).unwrap()) / f64::from(u32::MAX)
    }
}

fn is_ours(path: &str) -> bool {
    path.split('/').any(|name| name.starts_with(".rustop-"))
}

/// Separates rustop's own directory from the tree. Returns the rest, and true if the directory
/// exists.
fn split(all: Snapshot) -> (Snapshot, bool) {
    let ours = all.keys().any(|path| is_ours(path));
    (
        all.into_iter().filter(|(path, _)| !is_ours(path)).collect(),
        ours,
    )
}

/// Asserts that every path has its text from before or after the change. Without a journal from
/// which to finish, all paths must have the same one of the two.
fn assert_whole(found: Snapshot, before: &Snapshot, after: &Snapshot) {
    let (tree, ours) = split(found);
    if !ours {
        assert!(
            tree == *before || tree == *after,
            "neither as before nor complete: {:#?}",
            tree.keys()
        );
    }
    for (path, text) in &tree {
        let known = [before.get(path), after.get(path)].contains(&Some(text));
        assert!(known, "{path} is neither old nor new");
    }
}

fn run_again(place: &Place, words: &[&str], done: &str, complete: bool) {
    let output = rustop(place.dir()).args(words).output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    if complete && !done.is_empty() {
        assert!(
            output.status.code() == Some(1) && stderr.contains(done),
            "{stderr}"
        );
    } else {
        assert_eq!(output.status.code(), Some(0), "{stderr}");
    }
}

/// `done` is what a second run complains of; empty where it has nothing to complain of.
fn kill_at_random(start: &Place, rounds: u32, words: &[&str], done: &str) {
    let place = start.copy();
    let before = snapshot(place.dir());
    let mut times: Vec<Duration> = Vec::new();
    for _ in 0..5 {
        let place = start.copy();
        let begin = Instant::now();
        place.run(words).ok();
        times.push(begin.elapsed());
    }
    place.run(words).ok();
    let after = snapshot(place.dir());
    times.sort();
    let (mut random, mut seen) = (Random::new(), [0; 3]);
    for _ in 0..rounds {
        let place = start.copy();
        let mut child = rustop(place.dir())
            .args(words)
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        // Most of the run is over before the first file is written: look closer at its second half.
        thread::sleep(times[2].mul_f64(0.3 + random.next()));
        child.kill().unwrap();
        child.wait().unwrap();
        let found = snapshot(place.dir());
        assert_whole(found.clone(), &before, &after);
        let complete = found == after;
        seen[if complete {
            2
        } else {
            usize::from(found != before)
        }] += 1;
        run_again(&place, words, done, complete);
        assert_eq!(snapshot(place.dir()), after);
    }
    eprintln!("of {rounds} killed runs of {words:?}, {seen:?} were not begun, half done, done");
}

#[test]
fn init() {
    let words = ["init", "--domain=my.domain", "-q"];
    kill_at_random(&Place::empty(), 200, &words, "already contains a project");
}

#[test]
fn create_api() {
    let words = ["create", "api", "--kind=Cow", "-q"];
    kill_at_random(&Place::project(), 200, &words, "Cow exists in this project");
}

#[test]
fn create_a_second_version() {
    let place = Place::project();
    place
        .rustop("create api --kind Fish --plural fish --cluster-scoped -q")
        .ok();
    let words = ["create", "api", "--kind=Fish", "--version=v1", "-q"];
    kill_at_random(&place, 50, &words, "v1 Fish exists in this project");
}

#[test]
fn edit() {
    let place = Place::project();
    place.rustop("create api --kind Cow -q").ok();
    let words = ["edit", "--domain=other.org", "--project-name=cows", "-q"];
    kill_at_random(&place, 30, &words, "");
}

#[test]
fn upgrade() {
    kill_at_random(&Place::of_first_release(), 30, &["upgrade", "-q"], "");
}

#[test]
fn create_api_from_crd() {
    let place = Place::project();
    place.write("crds.yaml", include_str!("../golden/imported.yaml"));
    let words = ["create", "api", "--from-crd=crds.yaml", "--kind=Wolf", "-q"];
    kill_at_random(&place, 30, &words, "");
}

#[test]
fn adopt() {
    let place = Place::empty();
    place.write("crd.yaml", include_str!("../golden/imported.yaml"));
    place.write(
        "rustop.yaml",
        "layout: [rustop.dev/adopted-v1]\nprojectName: old\n",
    );
    let words = ["adopt", "--force", "-q"];
    kill_at_random(&place, 50, &words, "");
}

#[test]
fn import() {
    let words = ["import", "go", "rust", "-q"];
    kill_at_random(&go_project(), 30, &words, "already contains a project");
}
