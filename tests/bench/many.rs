//! The resources that an operator with 30 kinds uses, each with a controller and one object.

use std::process::Command;
use std::time::Duration;

use crate::operator::{Cluster, built};
use crate::process::Process;
use crate::support::ESTABLISHED;
use crate::{Bench, runtime, timed};

const KINDS: u64 = 30;
/// After the last reconcile, before its memory is looked at.
const SETTLED: Duration = Duration::from_secs(5);

pub fn many(bench: &Bench) {
    let dir = bench.project("many");
    for kind in 1..KINDS {
        bench.ok(&dir, &format!("-q create api --kind Kind{kind}"));
    }
    let program = built(bench, &dir);
    let cluster = Cluster::start(bench, "many");
    let kubeconfig = cluster.kubeconfig();
    let kubectl = |line: &str| {
        let mut kubectl = Command::new("kubectl");
        kubectl.args(line.split(' ')).current_dir(&dir);
        timed(kubectl.env("KUBECONFIG", &kubeconfig));
    };
    kubectl("apply --server-side -f config/crd/bases");
    let mut established = Command::new("sh");
    established
        .args(["-c", ESTABLISHED])
        .env("KUBECTL", "kubectl");
    timed(established.env("KUBECONFIG", &kubeconfig));
    kubectl("apply -k config/samples");
    let runtime = runtime();
    let operator = Process::start(&program, &kubeconfig, &[]);
    runtime.block_on(operator.reconciled(KINDS));
    std::thread::sleep(SETTLED);
    println!(
        "{:<44} {:>6.1} MiB, {} reconciles",
        format!("an operator of {KINDS} kinds with an object each"),
        operator.memory(),
        operator.reconciles()
    );
}
