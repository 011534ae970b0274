//! Three replicas that share the objects, next to one that has all of them: the objects and
//! resources of each, and the duration of reconciles that compute for 20 ms each. `cargo bench --
//! shards 3000` uses another number of objects than 1000; the part that computes uses a tenth of
//! them.
//!
//! Three replicas on one machine cannot compute faster than its cores allow; it should have four.

use std::fs;
use std::path::Path;
use std::thread::available_parallelism;
use std::time::{Duration, Instant};

use crate::operator::{Cluster, crd, rust_operator};
use crate::process::Process;
use crate::world::World;
use crate::{Bench, runtime};

const SHARDS: u64 = 12;

pub fn shards(bench: &Bench) {
    let program = rust_operator(bench);
    let runtime = runtime();
    let cores = available_parallelism().map_or(0, usize::from);
    println!("shards, {} objects, {cores} cores", bench.objects);
    for replicas in [1, 3] {
        let cluster = Cluster::start(bench, "shards");
        runtime.block_on(hold(bench, &program, &cluster.kubeconfig(), replicas));
    }
    let computing = [1, 3].map(|replicas| {
        let cluster = Cluster::start(bench, "shards");
        let kubeconfig = cluster.kubeconfig();
        let time = runtime.block_on(compute(bench, &program, &kubeconfig, replicas));
        println!(
            "  {} reconciles of 20 ms, {replicas} replicas: {:.1} s",
            bench.objects / 10,
            time.as_secs_f64()
        );
        time.as_secs_f64()
    });
    println!(
        "  throughput of 3: {:.2} times that of 1",
        computing[0] / computing[1]
    );
}

/// Measures the objects and the resources of each replica once all objects have their children.
async fn hold(bench: &Bench, program: &Path, kubeconfig: &Path, replicas: u64) {
    let world = world(bench.objects, kubeconfig).await;
    let replicas = start(program, kubeconfig, replicas, &[]).await;
    world.converged(bench.objects, 1).await;
    world.settled().await;
    for replica in &replicas {
        println!(
            "  {} replicas, one with {} shards: {} reconciles, CPU {:.2} s, memory {:.1} MiB",
            replicas.len(),
            held(replica),
            replica.reconciles(),
            replica.used().cpu.as_secs_f64(),
            replica.memory()
        );
    }
}

/// Measures the time from the distribution of the shards until all objects are reconciled.
async fn compute(bench: &Bench, program: &Path, kubeconfig: &Path, replicas: u64) -> Duration {
    let objects = bench.objects / 10;
    let world = world(0, kubeconfig).await;
    let computes = [("COMPUTE_MS", "20")];
    let _replicas = start(program, kubeconfig, replicas, &computes).await;
    let begun = Instant::now();
    tokio::join!(world.converged(objects, 1), world.create(objects, "hello"));
    begun.elapsed()
}

async fn world(objects: u64, kubeconfig: &Path) -> World {
    let world = World::connect(kubeconfig).await;
    world.install(&fs::read_to_string(crd()).unwrap()).await;
    world.create(objects, "hello").await;
    world
}

/// So many, each of which has its part of the shards.
async fn start(
    program: &Path,
    kubeconfig: &Path,
    replicas: u64,
    variables: &[(&str, &str)],
) -> Vec<Process> {
    let flags = [format!("--shards={SHARDS}")];
    let start = || Process::start_with(program, kubeconfig, &flags, variables);
    let all: Vec<Process> = (0..replicas).map(|_| start()).collect();
    while all.iter().any(|replica| held(replica) != SHARDS / replicas) {
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    all
}

fn held(replica: &Process) -> u64 {
    replica.figure(|name| name == "shards_held")
}
