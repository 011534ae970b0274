//! The number of histories of `rustop simulate` per second and core, and its memory, for the
//! operators of `tests/operators`. The histories of two runs with the same seed must have the same
//! result.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::thread::{available_parallelism, sleep};
use std::time::Duration;

use serde_json::Value;

use super::{Bench, spread};

const OPERATORS: [&str; 2] = ["lolcow", "cloud-instance"];
/// The interval between two looks at the memory of the test.
const PAUSE: Duration = Duration::from_millis(50);

pub fn simulate(bench: &Bench) {
    let cores = available_parallelism().map_or(1, usize::from);
    for operator in OPERATORS {
        let dir = project(bench, operator);
        // The first run also builds the project.
        let runs: Vec<_> = (0..2).map(|_| simulated(bench, &dir)).collect();
        let [first, second] = &runs[..] else {
            unreachable!("two runs")
        };
        assert_eq!(
            without_times(&first.simulation),
            without_times(&second.simulation),
            "{operator}: the same seed"
        );
        let pace = |run: &Run| {
            let figure = |name: &str| run.simulation[name].as_f64().unwrap();
            figure("histories") / figure("seconds") / f64::from(u32::try_from(cores).unwrap())
        };
        let (min, median, max) = spread(runs.iter().map(pace).collect());
        let what = format!("simulate {operator}, histories/s and core");
        println!("{what:<44} {median:>9.1} {min:>9.1} {max:>9.1}");
        let (min, median, max) = spread(runs.iter().map(|run| run.memory >> 10).collect());
        let what = format!("simulate {operator}, MiB");
        println!("{what:<44} {median:>9} {min:>9} {max:>9}");
    }
}

/// The result of one run.
struct Run {
    simulation: Value,
    /// The most memory that the test had, in KiB.
    memory: u64,
}

/// Returns the project of an operator of `tests/operators`.
fn project(bench: &Bench, operator: &str) -> PathBuf {
    let home = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/operators");
    let home = home.join(operator);
    // The project is named after its directory, and files of the operator name it.
    let dir = bench.dir.path().join("simulate").join(operator);
    fs::create_dir_all(&dir).unwrap();
    let story = fs::read_to_string(home.join("story.txt")).unwrap();
    for line in story.lines().filter_map(|it| it.strip_prefix("rustop ")) {
        bench.ok(&dir, line);
    }
    let files = home.join("files");
    for file in walkdir::WalkDir::new(&files) {
        let file = file.unwrap();
        if file.file_type().is_file() {
            let path = file.path().strip_prefix(&files).unwrap();
            fs::copy(file.path(), dir.join(path)).unwrap();
        }
    }
    bench.ok(&dir, "-q manifests");
    dir
}

/// Runs 1,000 histories.
fn simulated(bench: &Bench, dir: &Path) -> Run {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("projects");
    let mut command = bench.rustop(
        dir,
        "simulate --release --seeds 1000 --seed 1 --output json",
    );
    let output = dir.join("output.json");
    let file = fs::File::create(&output).unwrap();
    let mut running = command
        .env("CARGO_TARGET_DIR", &target)
        .stdout(file)
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut memory = 0;
    while running.try_wait().unwrap().is_none() {
        memory = memory.max(peak_of_test(dir));
        sleep(PAUSE);
    }
    let text = fs::read_to_string(output).unwrap();
    let output: Value = serde_json::from_str(&text).unwrap();
    let simulation = output["report"]["simulations"][0].clone();
    assert_eq!(simulation["histories"], 1000, "{output:#}");
    Run { simulation, memory }
}

/// Returns the most memory in KiB that the running test of a project had; 0 if none runs.
fn peak_of_test(dir: &Path) -> u64 {
    let processes = fs::read_dir("/proc").unwrap().flatten();
    let peak = |process: &Path| {
        let program = fs::read_link(process.join("exe")).ok()?;
        let is_test = program.file_name()?.to_str()?.starts_with("simulation-");
        let is_here = fs::read_link(process.join("cwd")).ok()?.starts_with(dir);
        let status = fs::read_to_string(process.join("status")).ok()?;
        let line = status.lines().find_map(|it| it.strip_prefix("VmHWM:"))?;
        let kib = line.trim().trim_end_matches(" kB").parse().ok()?;
        (is_test && is_here).then_some(kib)
    };
    let peaks = processes.filter_map(|process| peak(&process.path()));
    peaks.max().unwrap_or_default()
}

/// Returns the result of a simulation without what depends on the machine.
fn without_times(simulation: &Value) -> Value {
    let mut simulation = simulation.clone();
    simulation.as_object_mut().unwrap().remove("seconds");
    simulation
}
