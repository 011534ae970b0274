//! One seed is one order of faults, on a machine that is busy as well.

use std::sync::PoisonError;

use serde_json::Value;

use crate::support::{Sandbox, progress};
use crate::{ALONE, program, report, torture};

/// Returns the journal of a run with a seed.
fn done(seed: u32) -> Vec<Value> {
    progress(&format!("tortures with seed {seed}"));
    let sandbox = Sandbox::new();
    let line = format!("--budget 10m --faults 12 --seed {seed}");
    let ran = torture(&sandbox, &program(), &line, &[]);
    assert_eq!(ran.code, Some(0), "{}\n{}", ran.stdout, ran.stderr);
    let report = report(&sandbox);
    let done = report["faults"]["inOrder"].as_array().unwrap();
    assert_eq!(done.len(), 12, "{report}");
    done.clone()
}

#[test]
#[ignore = "for the nights"]
fn a_second_run_with_a_seed_does_what_the_first_did() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let first = done(7);
    assert_eq!(first, done(7));
    assert_ne!(first, done(8));
}
