//! The in-memory API server of `rustop_manager::testing`, by a script of requests. `tests/cluster`
//! runs the same script on the real API server and compares the answers.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod script;
#[path = "../support/mod.rs"]
mod support;

use script::{in_memory, script};

/// The script mostly succeeds, so a server that refuses every request would not pass. The seed
/// decides in which order things happen and not what is answered.
#[test]
fn the_answers_do_not_depend_on_the_seed() {
    let script = script();
    let answers = in_memory(&script, 0);
    let succeeded = answers
        .iter()
        .filter(|answer| answer["code"].as_u64().is_some_and(|code| code < 300))
        .count();
    assert!(succeeded > answers.len() / 2, "{succeeded}");
    for seed in 1..4 {
        let others = in_memory(&script, seed);
        for ((step, first), other) in script.iter().zip(&answers).zip(&others) {
            assert_eq!(first, other, "seed {seed}: {}", step.request);
        }
    }
}
