//! `rustop simulate`.

use clap::Args;

use super::format::Format;
use crate::ops;

/// Find bugs of the operator in thousands of simulated histories
///
/// Builds tests/simulation.rs and runs its simulations on all cores: the operator runs on an
/// in-memory API server in virtual time, while it is killed between two writes, requests fail or
/// get lost, and watch events are late. The samples must converge to the same state as without
/// faults. Each finding is minimized and stored in a file, from which `--replay` repeats it step by
/// step.
///
/// Exits with 1 if it found a bug, and with 2 if there is no verdict: the simulation could not run,
/// or it found no bug but tried fewer than 80 % of the faults.
///
/// The simulation needs no control plane. `rustop torture` tests what the in-memory API server
/// lacks: validation by schemas, webhooks and conversion.
#[derive(Args, Debug)]
#[group(skip)]
#[command(after_help = "Examples:
  rustop simulate
  rustop simulate --budget 10m
  rustop simulate --seeds 10000 --seed 7
  rustop simulate --replay target/simulation/created-twice-pods-3f2a91c4.json")]
pub struct Simulate {
    #[command(flatten)]
    pub format: Format,
    #[command(flatten)]
    pub operation: ops::Simulate,
}
