//! The number of scenarios and faults of `rustop torture` in five minutes, on a correct operator
//! with a Deployment.

use std::fs;
use std::path::Path;

use serde_json::Value;

use super::{Bench, spread};

/// The files that are copied over a new project: the operator of `tests/operators/lolcow`.
const FILES: [&str; 3] = [
    "api/src/v1alpha1/lolcow.rs",
    "config/samples/v1alpha1_lolcow.yaml",
    "src/controllers/lolcow.rs",
];

pub fn torture(bench: &Bench) {
    let dir = bench.project("torture");
    let home = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/operators/lolcow/files");
    for file in FILES {
        fs::copy(home.join(file), dir.join(file)).unwrap();
    }
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("projects");
    let mut pace = Vec::new();
    for seed in 1..=bench.rounds {
        let mut command = bench.rustop(&dir, &format!("-q torture --seed {seed}"));
        let ran = command.env("CARGO_TARGET_DIR", &target).output().unwrap();
        let said = String::from_utf8_lossy(&ran.stderr);
        assert!(ran.status.success(), "seed {seed}: {said}");
        let report = fs::read_to_string(dir.join("target/torture/report.json")).unwrap();
        let faults = &serde_json::from_str::<Value>(&report).unwrap()["faults"];
        pace.push(faults["tried"].as_f64().unwrap() / faults["seconds"].as_f64().unwrap() * 60.0);
    }
    let (min, median, max) = spread(pace);
    let what = "rustop torture, faults a minute";
    println!("{what:<44} {median:>9.0} {min:>9.0} {max:>9.0}");
}
