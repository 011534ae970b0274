//! `rustop torture`.

use clap::Args;

use super::format::Format;
use crate::ops;

/// Find bugs of the operator by fault injection
///
/// Creates each sample on a local control plane and applies the changes that its schema allows,
/// first without faults and then with one fault per run: the operator is killed between two writes,
/// a write fails, or a watch event is late. The objects must converge to the same state in each
/// run.
///
/// Without options, the operator is simulated first, as `rustop simulate` does, for a fifth of the
/// time if the project has a simulation, and what that finds is repeated on the control plane.
///
/// Exits with 1 if it found a bug, and with 2 if there is no verdict: torture could not run, or it
/// found no bug but tested fewer than 10 % of the scenarios or injected faults into fewer than 80 %
/// of the operator's kinds of write. The last line summarizes what was tested and what was not.
///
/// The command after `--` can be an operator in any language that connects to the API server in
/// KUBECONFIG. Several instances run in parallel, so it must not listen on fixed ports.
#[derive(Args, Debug)]
#[group(skip)]
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
    #[command(flatten)]
    pub operation: ops::Torture,
}
