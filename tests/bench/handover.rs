//! The time from the moment in which a replica gets the Lease to its first reconcile, with caches
//! filled as a standby and without; and the resources that a standby uses. `cargo bench -- handover
//! 10000` uses another number of objects than 1000.
//!
//! Both moments are taken from the replica's log, so that nothing else is included.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use k8s_openapi::jiff::Timestamp;
use serde_json::Value;

use crate::operator::{Cluster, crd, rust_operator};
use crate::process::Process;
use crate::world::World;
use crate::{Bench, print, runtime, spread};

/// The way in which the leader ends: its name, and the function that ends it.
type End = (&'static str, fn(Process));

const ENDS: [End; 2] = [
    ("it was killed", Process::kill),
    ("it was stopped", Process::stop),
];

pub fn handover(bench: &Bench) {
    let program = rust_operator(bench);
    let cluster = Cluster::start(bench, "handover");
    let kubeconfig = cluster.kubeconfig();
    let runtime = runtime();
    runtime.block_on(measure(bench, &program, &kubeconfig));
}

async fn measure(bench: &Bench, program: &Path, kubeconfig: &Path) {
    let world = World::connect(kubeconfig).await;
    world.install(&fs::read_to_string(crd()).unwrap()).await;
    world.create(bench.objects, "hello").await;
    for warm_up in [true, false] {
        let replicas = Replicas {
            dir: bench.dir.path(),
            program,
            kubeconfig,
            warm_up,
        };
        let (mut leader, _) = replicas.start();
        world.converged(bench.objects, 1).await;
        leader.reconciled(bench.objects).await;
        for (how, end) in ENDS {
            let mut times = Vec::new();
            let (mut memory, mut of_leader) = (Vec::new(), Vec::new());
            for _ in 0..bench.rounds {
                let (next, log) = replicas.start();
                until(&log, replicas.waits()).await;
                memory.push(next.memory());
                of_leader.push(leader.memory());
                end(std::mem::replace(&mut leader, next));
                let first = until(&log, "reconciling").await;
                let lease = until(&log, "leading").await;
                times.push(Duration::try_from(first - lease).unwrap_or_default());
                leader.reconciled(bench.objects).await;
            }
            let (objects, waits) = (bench.objects, replicas.waits());
            println!("handover, {objects} objects, after {how}; the next one: {waits}");
            print("  from the Lease to the first reconcile", times);
            let (memory, of_leader) = (spread(memory).1, spread(of_leader).1);
            println!("  its memory {memory:.1} MiB, of the one that leads {of_leader:.1} MiB");
        }
        leader.stop();
    }
}

struct Replicas<'a> {
    dir: &'a Path,
    program: &'a Path,
    kubeconfig: &'a Path,
    warm_up: bool,
}

impl Replicas<'_> {
    /// One more, and what it says.
    fn start(&self) -> (Process, PathBuf) {
        let mut numbers = 0..;
        let mut log = || {
            self.dir
                .join(format!("log-{}", numbers.next().unwrap_or_default()))
        };
        let log = std::iter::repeat_with(&mut log)
            .find(|log| !log.exists())
            .unwrap();
        let flags = [
            "--leader-elect".to_owned(),
            format!("--leader-election-warm-up={}", self.warm_up),
        ];
        let process = Process::logging(self.program, self.kubeconfig, &flags, Some(&log));
        (process, log)
    }

    /// Returns the log line of a standby.
    fn waits(&self) -> &str {
        if self.warm_up {
            "caches are filled, waiting for the lease"
        } else {
            "standby: another replica is the leader"
        }
    }
}

/// When the first line was written that says this.
async fn until(log: &Path, words: &str) -> Timestamp {
    loop {
        let text = fs::read_to_string(log).unwrap();
        let lines = text
            .lines()
            .filter_map(|line| serde_json::from_str(line).ok());
        let said = |line: &Value| line["message"] == words;
        if let Some(line) = lines.into_iter().find(said) {
            return line["timestamp"].as_str().unwrap().parse().unwrap();
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}
