//! `rustop torture`.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::Args;

use super::values::seconds;
use crate::ops::{self, Foreign, Result};
use crate::session::Session;

/// Find the bugs of the operator that show when something goes wrong
///
/// Plays each sample through the changes that its schema allows on a control plane on this machine, then
/// again and again with a fault: the operator is killed between two writes, a write fails, a watch event is late. Each
/// time the objects must converge to the same state.
/// Exits with 1 if anything was found, and with 2 if there is no verdict: torture could not run, or it found nothing but
/// played fewer than 10 % of the scenarios or injected faults into fewer than 80 % of the operator's kinds of write.
/// The last line says what was tested and what was not.
/// Everything after `--` is an operator of any language that takes its API server from KUBECONFIG. Several of it run
/// side by side, so it must not listen on fixed ports.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  rustop torture
  rustop torture --budget 20m --seed 7
  rustop torture --replay leftover-configmap-3f2a
  rustop torture --replay leftover-configmap-3f2a --times 10
  rustop torture --crds config/crd --samples config/samples --rbac config/rbac -- \\
    ./bin/manager --metrics-bind-address=0 --health-probe-bind-address=0")]
pub struct Torture {
    /// How long to try faults
    #[arg(long, value_name = "DURATION", default_value = "5m", value_parser = seconds)]
    budget: Duration,
    /// The order in which faults are tried; another one each time by default
    #[arg(long, value_name = "NUMBER")]
    seed: Option<u64>,
    /// Try this many faults at most
    #[arg(long, value_name = "NUMBER")]
    faults: Option<usize>,
    /// How many operators run beside each other
    #[arg(long, value_name = "NUMBER", default_value = "6")]
    lanes: usize,
    /// Objects of which none may be made twice, beside Pods and claims: `deployments.apps` or `Deployment`
    #[arg(long, value_name = "KIND")]
    count: Vec<String>,
    /// Where stories of your own are: what a sample needs beside its schema, and what is done to it
    #[arg(long, value_name = "DIR", default_value = "tests/torture")]
    scenarios: PathBuf,
    /// Show a finding again, with the operator's log beside its writes
    #[arg(long, value_name = "ID")]
    replay: Option<String>,
    /// Show it this many times, and count
    #[arg(long, value_name = "NUMBER", requires = "replay", default_value = "1",
          value_parser = clap::value_parser!(u32).range(1..))]
    times: u32,
    /// Where the report goes
    #[arg(long, value_name = "DIR", default_value = "target/torture")]
    out: PathBuf,
    /// Keep the data and logs of the control plane, 60 MiB and more, when it ends
    #[arg(long)]
    keep: bool,
    /// The CRDs of an operator that is not this project's
    #[arg(long, value_name = "DIR", requires = "command")]
    crds: Option<PathBuf>,
    /// Its samples
    #[arg(long, value_name = "DIR", requires = "command")]
    samples: Option<PathBuf>,
    /// Its roles and its ServiceAccount; without, it may do everything
    #[arg(long, value_name = "DIR", requires = "command")]
    rbac: Option<PathBuf>,
    /// The operator and its arguments
    #[arg(last = true, value_name = "COMMAND", requires_all = ["crds", "samples"])]
    command: Vec<OsString>,
}

impl Torture {
    pub fn run(self, session: &Session) -> Result<ExitCode> {
        let foreign = match (self.crds, self.samples) {
            (Some(crds), Some(samples)) => Some(Foreign {
                crds,
                samples,
                rbac: self.rbac,
                command: self.command,
            }),
            _ => None,
        };
        let operation = ops::Torture {
            budget: self.budget,
            seed: self.seed,
            faults: self.faults.unwrap_or(usize::MAX),
            lanes: self.lanes.max(1),
            counted: self.count.into_iter().collect(),
            scenarios: session.dir.join(self.scenarios),
            replay: self.replay,
            times: self.times,
            out: session.dir.join(self.out),
            keep: self.keep,
            foreign,
        };
        operation.run(session)
    }
}
