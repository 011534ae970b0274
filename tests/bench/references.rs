//! An operator whose objects name Secrets, in a cluster with 30,000 Secrets that no object names,
//! of 20 KiB each: its memory and the time of its start, next to the same operator without
//! references. `cargo bench -- references 3000` takes another number of Secrets. With fewer than
//! 10,000, an operator that watches all of them is measured, too.

use std::fs;
use std::time::{Duration, Instant};

use crate::operator::{Cluster, crd, rust_operator};
use crate::process::Process;
use crate::world::World;
use crate::{Bench, runtime};

const FOREIGN: u64 = 30_000;
/// The number of objects that are measured if none is given.
const NOT_GIVEN: u64 = 1000;
const BYTES: usize = 20 << 10;
/// The objects that name a Secret.
const OWNERS: u64 = 10;
/// The time after the last reconcile at which memory is read.
const SETTLED: Duration = Duration::from_secs(5);

pub fn references(bench: &Bench) {
    let program = rust_operator(bench);
    let foreign = if bench.objects == NOT_GIVEN {
        FOREIGN
    } else {
        bench.objects
    };
    let cluster = Cluster::start(bench, "references");
    let kubeconfig = cluster.kubeconfig();
    let runtime = runtime();
    let world = runtime.block_on(async {
        let world = World::connect(&kubeconfig).await;
        world.install(&fs::read_to_string(crd()).unwrap()).await;
        world.create_secrets(foreign, BYTES).await;
        world.create(OWNERS, "foreign-0").await;
        world
    });
    println!("references, {foreign} foreign Secrets of 20 KiB");
    let run = |secrets: &str| {
        let begun = Instant::now();
        let operator = Process::start_with(&program, &kubeconfig, &[], &[("SECRETS", secrets)]);
        runtime.block_on(operator.reconciled(OWNERS));
        let start = begun.elapsed();
        runtime.block_on(world.settled());
        std::thread::sleep(SETTLED);
        let memory = operator.memory();
        operator.stop();
        println!(
            "  {secrets:<8} start {:.2} s, memory {memory:.1} MiB",
            start.as_secs_f64()
        );
        memory
    };
    // The first one creates the children.
    run("none");
    let without = run("none");
    println!(
        "  more memory with references by name: {:.1} MiB",
        run("named") - without
    );
    if foreign < 10_000 {
        println!(
            "  more memory with a watch of all: {:.1} MiB",
            run("all") - without
        );
    }
}
