//! `rustop simulate`.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::Args;

use super::format::Format;
use crate::ops::values::seconds;
use crate::ops::{self, Result};
use crate::session::Session;

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
/// lacks: webhooks, permissions, leader election.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  rustop simulate
  rustop simulate --budget 10m
  rustop simulate --seeds 10000 --seed 7
  rustop simulate --replay target/simulation/created-twice-pods-3f2a.json")]
pub struct Simulate {
    #[command(flatten)]
    pub format: Format,
    /// Number of histories of each simulation
    #[arg(long, value_name = "NUMBER", conflicts_with = "budget")]
    seeds: Option<usize>,
    /// Time limit of each simulation
    #[arg(long, value_name = "DURATION", default_value = "60s", value_parser = seconds)]
    budget: Duration,
    /// Seed from which all histories follow [default: random]
    #[arg(long, value_name = "NUMBER")]
    seed: Option<u64>,
    /// Replay the finding in FILE, and print its history
    #[arg(long, value_name = "FILE", conflicts_with_all = ["seeds", "budget", "seed"])]
    replay: Option<PathBuf>,
    /// Directory of the report
    #[arg(long, value_name = "DIR", default_value = "target/simulation")]
    out: PathBuf,
}

impl Simulate {
    pub fn run(self, session: &Session) -> Result<ExitCode> {
        let operation = ops::Simulate {
            histories: self.seeds,
            budget: self.budget,
            seed: self.seed,
            replay: self.replay.map(|path| session.here.join(path)),
            out: session.dir.join(self.out),
        };
        operation.run(session)
    }
}
