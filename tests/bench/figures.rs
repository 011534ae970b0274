//! `cargo bench`: measures the figures of README.md on this machine. Each line has the median of
//! several runs, the fastest and the slowest; builds are measured once.
//!
//! `cargo bench -- WORD` measures only the figures whose name contains the word, `cargo bench --
//! operator 10000` uses that number of objects, and `10000 1` also that number of rounds.

#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a program that measures and prints"
)]

use std::cmp::Ordering;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use tokio::runtime::{Builder, Runtime};

mod beside;
#[path = "../support/browser/mod.rs"]
mod browser;
mod first_run;
mod handover;
mod import;
mod kinds;
mod load;
mod many;
mod operator;
mod page;
mod process;
mod references;
mod shards;
#[path = "../page/show.rs"]
#[allow(dead_code, reason = "no server goes away here")]
mod show;
mod simulate;
#[path = "../page/story.rs"]
#[allow(dead_code, reason = "a part of the story is enough")]
mod story;
#[path = "../support/mod.rs"]
mod support;
mod torture;
mod webhooks;
mod world;
mod years;

type Figure = (&'static str, fn(&Bench));

const FIGURES: [Figure; 21] = [
    ("size", size),
    ("init", init),
    ("create api", create_api),
    ("markers", markers),
    ("adopt", adopt),
    ("manifests", manifests),
    ("manifests of 50 kinds", kinds::kinds),
    ("upgrade of 50 kinds", years::upgrade),
    ("compat check of 500 CRDs", years::compat),
    ("import of a CRD of 1.5 MB", import::import),
    ("first-run", first_run::first_run),
    ("cluster", cluster),
    ("operator", operator::operator),
    ("many controllers", many::many),
    ("handover", handover::handover),
    ("shards", shards::shards),
    ("references", references::references),
    ("webhooks", webhooks::webhooks),
    ("simulate", simulate::simulate),
    ("torture", torture::torture),
    ("page", page::page),
];

fn main() {
    let words = std::env::args()
        .skip(1)
        .filter(|word| !word.starts_with('-'));
    let (numbers, words): (Vec<_>, Vec<_>) = words.partition(|word| word.parse::<u64>().is_ok());
    let number = |n: usize, default| {
        let given = numbers.get(n);
        given.map_or(default, |number: &String| number.parse().unwrap())
    };
    let bench = Bench {
        dir: tempfile::tempdir().unwrap(),
        objects: number(0, 1000),
        rounds: number(1, 3),
    };
    println!("{:<44} {:>9} {:>9} {:>9}", "", "median", "min", "max");
    for (name, measure) in FIGURES {
        if words.is_empty() || words.iter().any(|word| name.contains(word.as_str())) {
            measure(&bench);
        }
    }
}

struct Bench {
    dir: tempfile::TempDir,
    /// The number of objects of each operator.
    objects: u64,
    /// The number of rounds, in each of which every operator is measured once.
    rounds: u64,
}

impl Bench {
    fn rustop(&self, dir: &Path, line: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_rustop"));
        command
            .args(line.split(' '))
            .current_dir(dir)
            .stdin(Stdio::null());
        command.env("RUSTOP_STATE", self.dir.path().join("state"));
        command
    }

    fn ok(&self, dir: &Path, line: &str) -> Duration {
        timed(&mut self.rustop(dir, line))
    }

    /// A project with one kind.
    fn project(&self, name: &str) -> PathBuf {
        let dir = self.dir.path().join(name);
        fs::create_dir_all(&dir).unwrap();
        self.ok(
            &dir,
            "-q init --domain my.domain --project-name bench-operator",
        );
        self.ok(&dir, "-q create api --kind Lolcow");
        dir
    }
}

/// In which a benchmark waits for a cluster.
fn runtime() -> Runtime {
    Builder::new_current_thread().enable_all().build().unwrap()
}

/// Runs a command to its successful end.
fn timed(command: &mut Command) -> Duration {
    let start = Instant::now();
    let output = command.output().unwrap();
    let time = start.elapsed();
    assert!(
        output.status.success(),
        "{command:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    time
}

/// The lowest, the median and the highest.
fn spread<T: Copy + PartialOrd>(mut values: Vec<T>) -> (T, T, T) {
    values.sort_by(|one, other| one.partial_cmp(other).unwrap_or(Ordering::Equal));
    (
        values[0],
        values[values.len() / 2],
        values[values.len() - 1],
    )
}

fn print(what: &str, times: Vec<Duration>) {
    let ms = |time: Duration| format!("{:.1} ms", time.as_secs_f64() * 1000.0);
    let (min, median, max) = spread(times);
    println!("{what:<44} {:>9} {:>9} {:>9}", ms(median), ms(min), ms(max));
}

fn size(_: &Bench) {
    let bytes = fs::metadata(env!("CARGO_BIN_EXE_rustop")).unwrap().len();
    println!("{:<44} {:>6} KiB", "the binary", bytes >> 10);
}

fn init(bench: &Bench) {
    let run = |n| {
        let dir = bench.dir.path().join(format!("init-{n}"));
        fs::create_dir(&dir).unwrap();
        bench.ok(
            &dir,
            "-q init --domain my.domain --project-name bench-operator",
        )
    };
    print("rustop init", (0..21).map(run).collect());
}

fn create_api(bench: &Bench) {
    let dir = bench.project("create");
    let run = |n| bench.ok(&dir, &format!("-q create api --kind Kind{n}"));
    print("rustop create api", (0..21).map(run).collect());
}

/// A project without kinds needs no cargo: what is left is reading its sources.
fn markers(bench: &Bench) {
    let dir = bench.dir.path().join("markers");
    fs::create_dir(&dir).unwrap();
    bench.ok(
        &dir,
        "-q init --domain my.domain --project-name bench-operator",
    );
    let code =
        "    let text = format!(\"{} // {}\", 'a', items.len()); // what it says\n".repeat(999);
    for n in 0..1000 {
        let marker = "// +kubebuilder:rbac:groups=apps,resources=deployments,verbs=get\n";
        fs::write(dir.join(format!("src/m{n}.rs")), format!("{marker}{code}")).unwrap();
    }
    let run = |_| bench.ok(&dir, "-q manifests");
    print(
        "rustop manifests, 1,000,000 lines of source",
        (0..11).map(run).collect(),
    );
}

/// Measures the time from `rustop adopt` to the first report, which compiles nothing.
fn adopt(bench: &Bench) {
    const LIMIT: Duration = Duration::from_secs(5);
    let dir = bench.dir.path().join("adopt");
    fs::create_dir_all(dir.join("src")).unwrap();
    let write = |path: &str, text: String| fs::write(dir.join(path), text).unwrap();
    let manifest =
        "[package]\nname = \"herd\"\nversion = \"0.1.0\"\n[dependencies]\nkube = \"3\"\n";
    write("Cargo.toml", manifest.to_owned());
    let each = |line: fn(usize) -> String| (0..100).map(line).collect::<Vec<_>>().concat();
    let modules = each(|n| format!("mod m{n};\n"));
    let calls = each(|n| format!("    m{n}::run(&client);\n"));
    write("src/main.rs", format!("{modules}fn main() {{\n{calls}}}\n"));
    let api = "kube::Api::<k8s_openapi::api::core::v1::Pod>::all(client.clone())";
    for n in 0..100 {
        let function = |at| {
            format!(
                "fn f{at}(count: usize) -> String {{\n    let text = format!(\"{{count}}\");\n    log(&text);\n    text\n}}\n"
            )
        };
        let functions = (0..199).map(function).collect::<Vec<_>>().concat();
        let run = format!(
            "pub fn run(client: &Client) {{\n    kube::runtime::watcher({api}, f0(1));\n}}\n"
        );
        write(&format!("src/m{n}.rs"), functions + &run);
    }
    let run = |_| {
        let adopt = bench.ok(&dir, "-q adopt --force");
        let report = bench.ok(&dir, "-q rbac report");
        let both = adopt + report;
        assert!(both < LIMIT, "adopt and rbac report take {both:?}");
        both
    };
    print(
        "rustop adopt and rbac report, 100,000 lines",
        (0..11).map(run).collect(),
    );
}

fn manifests(bench: &Bench) {
    let dir = bench.project("manifests");
    let in_project = |line: &str| {
        let mut command = bench.rustop(&dir, line);
        command.env("CARGO_TARGET_DIR", dir.join("target"));
        timed(&mut command)
    };
    let cargo = |line: &str| {
        let mut command = Command::new("cargo");
        timed(
            command
                .args(line.split(' '))
                .current_dir(&dir)
                .env("CARGO_TARGET_DIR", dir.join("target")),
        )
    };
    cargo("fetch --locked");
    let crds = in_project("manifests");
    let operator = cargo("build");
    print("rustop manifests, cold", vec![crds]);
    print("then cargo build, cold", vec![operator]);
    print(
        "rustop manifests, nothing changed",
        (0..11).map(|_| in_project("manifests")).collect(),
    );
    let edit = |file: &str, n: u32| {
        let path = dir.join(file);
        let text = fs::read_to_string(&path).unwrap();
        fs::write(&path, format!("{text}// {n}\n")).unwrap();
    };
    let after_type = |n| {
        edit("api/src/v1alpha1/lolcow.rs", n);
        in_project("manifests")
    };
    print(
        "rustop manifests, after an edit to a type",
        (0..5).map(after_type).collect(),
    );
    cargo("build");
    let after_controller = |n| {
        edit("src/controllers/lolcow.rs", n);
        cargo("build")
    };
    print(
        "cargo build, after an edit to a controller",
        (0..5).map(after_controller).collect(),
    );
}

fn cluster(bench: &Bench) {
    let dir = bench.dir.path();
    let start = |arguments: &str| {
        let time = bench.ok(dir, &format!("-q cluster start --fresh{arguments}"));
        bench.ok(dir, "-q cluster stop");
        time
    };
    print(
        "rustop cluster start, to /readyz",
        (0..5).map(|_| start(" --no-controllers")).collect(),
    );
    print(
        "rustop cluster start, to a Ready node",
        (0..5).map(|_| start("")).collect(),
    );
    let exec = |_| bench.ok(dir, "-q cluster exec -- true");
    print("rustop cluster exec -- true", (0..5).map(exec).collect());
}
