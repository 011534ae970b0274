//! `rustop torture`.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::Args;

use super::format::Format;
use crate::ops::values::seconds;
use crate::ops::{self, ExternalOperator, OldVersion, Result};
use crate::session::Session;

/// Find bugs of the operator by fault injection
///
/// Creates each sample on a local control plane and applies the changes that its schema allows,
/// first without faults and then with one fault per run: the operator is killed between two writes,
/// a write fails, or a watch event is late. The objects must converge to the same state in each
/// run.
///
/// Exits with 1 if it found a bug, and with 2 if there is no verdict: torture could not run, or it
/// found no bug but tested fewer than 10 % of the scenarios or injected faults into fewer than 80 %
/// of the operator's kinds of write. The last line summarizes what was tested and what was not.
///
/// The command after `--` can be an operator in any language that connects to the API server in
/// KUBECONFIG. Several instances run in parallel, so it must not listen on fixed ports.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  rustop torture
  rustop torture --budget 20m --seed 7
  rustop torture --replay leftover-configmap-3f2a
  rustop torture --replay leftover-configmap-3f2a --times 10
  rustop torture --upgrade-from v1.2.0
  rustop torture --crds config/crd --samples config/samples --rbac config/rbac -- \\
    ./bin/manager --metrics-bind-address=0 --health-probe-bind-address=0")]
pub struct Torture {
    #[command(flatten)]
    pub format: Format,
    /// Time limit for fault injection
    #[arg(long, value_name = "DURATION", default_value = "5m", value_parser = seconds)]
    budget: Duration,
    /// Seed for the order of the faults [default: random]
    #[arg(long, value_name = "NUMBER")]
    seed: Option<u64>,
    /// Maximum number of faults to inject
    #[arg(long, value_name = "NUMBER")]
    faults: Option<usize>,
    /// Number of operator instances to run in parallel
    #[arg(long, value_name = "NUMBER", default_value = "6")]
    lanes: usize,
    /// Kind whose objects must not be created twice, in addition to Pods and persistent volume
    /// claims: `deployments.apps` or `Deployment`
    #[arg(long, value_name = "KIND")]
    count: Vec<String>,
    /// Directory with your own scenarios: additional objects that a sample needs, and changes to it
    #[arg(long, value_name = "DIR", default_value = "tests/torture")]
    scenarios: PathBuf,
    /// Replay a finding, and print the operator's log next to its writes
    #[arg(long, value_name = "ID")]
    replay: Option<String>,
    /// Rehearse the upgrade from this commit of the project, instead of injecting faults. The old
    /// version converges on each sample and on each change of it, then the new version takes over.
    /// Reports what it writes although no spec changed, and exits with 1 if Pods restart, data is
    /// deleted, old objects stay, or a write is rejected
    #[arg(long, value_name = "COMMIT", conflicts_with_all = ["faults", "count", "replay"])]
    upgrade_from: Option<String>,
    /// Old version in any language, as a shell command, instead of a commit
    #[arg(long, value_name = "COMMAND", requires = "from_crds",
          conflicts_with_all = ["upgrade_from", "faults", "count", "replay"])]
    from_command: Option<String>,
    /// Directory with the CRDs of the old version in `--from-command`
    #[arg(long, value_name = "DIR", requires = "from_command")]
    from_crds: Option<PathBuf>,
    /// Directory with the roles and the ServiceAccount of the old version in `--from-command`;
    /// without it, that version has full permissions
    #[arg(long, value_name = "DIR", requires = "from_command")]
    from_rbac: Option<PathBuf>,
    /// Number of times to replay it; prints how often it occurred
    #[arg(long, value_name = "NUMBER", requires = "replay", default_value = "1",
          value_parser = clap::value_parser!(u32).range(1..))]
    times: u32,
    /// Directory of the report
    #[arg(long, value_name = "DIR", default_value = "target/torture")]
    out: PathBuf,
    /// Keep the data and logs of the control plane (60 MiB or more) at exit
    #[arg(long)]
    keep: bool,
    /// Directory with the CRDs of the operator in COMMAND
    #[arg(long, value_name = "DIR", requires = "command")]
    crds: Option<PathBuf>,
    /// Directory with its samples
    #[arg(long, value_name = "DIR", requires = "command")]
    samples: Option<PathBuf>,
    /// Directory with its roles and its ServiceAccount [default: full permissions]
    #[arg(long, value_name = "DIR", requires = "command")]
    rbac: Option<PathBuf>,
    /// Operator to test instead of the project's, and its arguments
    #[arg(last = true, value_name = "COMMAND", requires_all = ["crds", "samples"])]
    command: Vec<OsString>,
}

impl Torture {
    pub fn run(self, session: &Session) -> Result<ExitCode> {
        let foreign = match (self.crds, self.samples) {
            (Some(crds), Some(samples)) => Some(ExternalOperator {
                crds,
                samples,
                rbac: self.rbac,
                command: self.command,
            }),
            _ => None,
        };
        let command = self.from_command.as_deref().map(old_command);
        let from = match (self.upgrade_from, command.zip(self.from_crds)) {
            (Some(commit), _) => Some(OldVersion::Commit(commit)),
            (None, Some((command, crds))) => Some(OldVersion::Command(ExternalOperator {
                crds,
                samples: PathBuf::new(),
                rbac: self.from_rbac,
                command,
            })),
            (None, None) => None,
        };
        if let Some(from) = from {
            let operation = ops::UpgradeRehearsal {
                from,
                budget: self.budget,
                seed: self.seed,
                lanes: self.lanes.max(1),
                scenarios: self.scenarios,
                out: session.dir.join(self.out),
                keep: self.keep,
                foreign,
            };
            return operation.run(session);
        }
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

/// Returns the command line that runs a shell command in the process of the shell, so that it can
/// be killed.
fn old_command(line: &str) -> Vec<OsString> {
    vec!["/bin/sh".into(), "-c".into(), format!("exec {line}").into()]
}
