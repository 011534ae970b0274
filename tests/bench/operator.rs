//! The cost of a generated operator: N Lolcows, each with a Deployment and a Service, on a fresh
//! kube-apiserver and etcd, next to a Go operator on controller-runtime that does the same. Both
//! reconcile one object at a time; ours does so while the status of the previous one is being
//! written.
//!
//! `lolcow/` is copied over a new project, `go-peer/` is the other operator; `RUSTOP_BENCH_PEER`
//! replaces it with another program, such as the operator of the same project by an older rustop.
//! Everything is measured from outside: by a watch, by /proc, and by the API server's own counters.
//! `cargo bench -- operator 10000 1` uses another number of objects than 1000, and another number
//! of rounds than 3.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use crate::beside::{self, Figure};
use crate::process::{Process, Usage};
use crate::world::{Counters, World};
use crate::{Bench, runtime, timed};

pub fn operator(bench: &Bench) {
    let other = std::env::var_os("RUSTOP_BENCH_PEER").map(PathBuf::from);
    let (rust, peer) = (rust_operator(bench), other.or_else(go_operator));
    let mut rounds = [vec![], vec![]];
    for _ in 0..bench.rounds {
        rounds[0].push(measure(bench, "rust", &rust));
        rounds[1].extend(peer.as_ref().map(|peer| measure(bench, "peer", peer)));
    }
    let title = format!(
        "operator, {} objects, {} rounds",
        bench.objects, bench.rounds
    );
    beside::head(&title, peer.is_some());
    let [rust, peer] = &rounds;
    for n in 0..rust[0].len() {
        let figures = |rounds: &[[Phase; 4]]| {
            let figures = rounds.iter().map(|phases| phases[n].figures().to_vec());
            figures.collect::<Vec<_>>()
        };
        beside::print(rust[0][n].name, &figures(rust), &figures(peer));
        for (whose, rounds) in [("rustop", rust), ("peer", peer)] {
            if let Some(last) = rounds.last() {
                last[n].print_writes(whose);
            }
        }
    }
}

/// The measurements of one phase.
struct Phase {
    name: &'static str,
    time: Duration,
    used: Usage,
    server: Counters,
    objects: u64,
}

impl Phase {
    /// The figures that are compared.
    fn figures(&self) -> [Figure; 6] {
        let count = |writes: u64| f64::from(u32::try_from(writes).unwrap());
        let status = self
            .server
            .writes
            .iter()
            .filter(|(what, _)| what.ends_with("lolcows/status"));
        let status = count(status.map(|(_, writes)| writes).sum());
        [
            ("time", self.time.as_secs_f64(), "s"),
            ("CPU", self.used.cpu.as_secs_f64(), "s"),
            ("peak memory", count(self.used.peak_kib) / 1024.0, "MiB"),
            ("CPU of the API server", self.server.cpu_seconds, "s"),
            ("writes", count(self.server.writes.values().sum()), ""),
            (
                "status writes for each object",
                status / count(self.objects),
                "",
            ),
        ]
    }

    fn print_writes(&self, whose: &str) {
        let each: Vec<_> = self
            .server
            .writes
            .iter()
            .map(|(what, writes)| format!("{writes} {what}"))
            .collect();
        if !each.is_empty() {
            println!("    {whose}: {}", each.join(", "));
        }
    }
}

/// A cluster that ends with this value.
pub struct Cluster<'a> {
    bench: &'a Bench,
    name: &'a str,
}

impl<'a> Cluster<'a> {
    /// A new one: etcd and kube-apiserver alone.
    pub fn start(bench: &'a Bench, name: &'a str) -> Self {
        let cluster = Self { bench, name };
        timed(&mut cluster.rustop("start --fresh --no-controllers"));
        cluster
    }

    pub fn kubeconfig(&self) -> PathBuf {
        let path = self.rustop("kubeconfig").output().unwrap().stdout;
        PathBuf::from(String::from_utf8(path).unwrap().trim())
    }

    fn rustop(&self, line: &str) -> Command {
        let line = format!("-q cluster {line} --name {}", self.name);
        self.bench.rustop(self.bench.dir.path(), &line)
    }
}

impl Drop for Cluster<'_> {
    fn drop(&mut self) {
        let _ = self.rustop("stop").output();
    }
}

/// The phases of one operator on a cluster of its own.
fn measure(bench: &Bench, name: &str, program: &Path) -> [Phase; 4] {
    let cluster = Cluster::start(bench, name);
    let kubeconfig = cluster.kubeconfig();
    let runtime = runtime();
    runtime.block_on(phases(bench.objects, program, &kubeconfig))
}

async fn phases(objects: u64, program: &Path, kubeconfig: &Path) -> [Phase; 4] {
    let world = World::connect(kubeconfig).await;
    world.install(&fs::read_to_string(crd()).unwrap()).await;
    world.create(objects, "hello").await;

    let before = world.settled().await;
    let start = Instant::now();
    let operator = Process::start(program, kubeconfig, &[]);
    world.converged(objects, 1).await;
    let time = start.elapsed();
    let created = world.settled().await;
    world.check_children(objects, "hello").await;
    let create = Phase {
        name: "create",
        time,
        used: operator.used(),
        server: created.clone().since(&before, ("", 0)),
        objects,
    };

    let start = Instant::now();
    tokio::join!(world.converged(objects, 2), world.greet(objects, "moo"));
    let time = start.elapsed();
    let updated = world.settled().await;
    world.check_children(objects, "moo").await;
    let update = Phase {
        name: "update",
        time,
        used: operator.used().since(&create.used),
        server: updated.since(&created, ("PATCH lolcows", objects)),
        objects,
    };

    operator.stop();
    let before = world.settled().await;
    let start = Instant::now();
    let operator = Process::start(program, kubeconfig, &[]);
    operator.reconciled(objects).await;
    let time = start.elapsed();
    let restart = Phase {
        name: "restart",
        time,
        used: operator.used(),
        server: world.settled().await.since(&before, ("", 0)),
        objects,
    };
    operator.stop();

    // All others are still to be looked at.
    let before = world.settled().await;
    let start = Instant::now();
    let operator = Process::start(program, kubeconfig, &[]);
    operator.reconciled(1).await;
    world.change_last(objects, 3, "neigh").await;
    let time = start.elapsed();
    let change = Phase {
        name: "restart to a change",
        time,
        used: operator.used(),
        server: (world.settled().await).since(&before, ("PATCH lolcows", 1)),
        objects: 1,
    };
    operator.stop();
    [create, update, restart, change]
}

/// Returns the directory of the project. It is always the same one, so that cargo reuses earlier
/// builds.
fn project() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("bench-operator")
}

pub fn crd() -> PathBuf {
    project().join("config/crd/bases/my.domain_lolcows.yaml")
}

/// A generated project with `lolcow/` laid over it, built for release.
pub fn rust_operator(bench: &Bench) -> PathBuf {
    let dir = project();
    if dir.exists() {
        fs::remove_dir_all(&dir).unwrap();
    }
    fs::create_dir_all(&dir).unwrap();
    bench.ok(
        &dir,
        "-q init --domain my.domain --project-name bench-operator",
    );
    bench.ok(&dir, "-q create api --kind Lolcow");
    bench.ok(&dir, "-q create webhook --kind Lolcow --validation");
    let files = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bench/lolcow");
    for file in [
        "api/src/v1alpha1/lolcow.rs",
        "src/controllers/lolcow.rs",
        "src/webhooks/lolcow/validation.rs",
    ] {
        fs::copy(files.join(file), dir.join(file)).unwrap();
    }
    built(bench, &dir)
}

/// The operator of a project, built for release as in the image.
pub fn built(bench: &Bench, dir: &Path) -> PathBuf {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("projects");
    let mut manifests = bench.rustop(dir, "-q manifests");
    timed(manifests.env("CARGO_TARGET_DIR", &target));
    let mut build = Command::new("cargo");
    build
        .args(["build", "--locked", "--release", "--workspace"])
        .env("CARGO_INCREMENTAL", "0")
        .current_dir(dir);
    timed(build.env("CARGO_TARGET_DIR", &target));
    target.join("release/bench-operator")
}

/// The Go operator, where Go is installed.
pub fn go_operator() -> Option<PathBuf> {
    Command::new("go").arg("version").output().ok()?;
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join("go-peer");
    let mut build = Command::new("go");
    build.args(["build", "-o"]).arg(&program).arg(".");
    build.current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bench/go-peer"));
    timed(build.env("CGO_ENABLED", "0"));
    Some(program)
}
