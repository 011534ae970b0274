//! Deterministic simulation: thousands of histories of an operator in virtual time, each of which
//! can be replayed.
//!
//! A history is one run of the operator on the in-memory API server of [`testing`](crate::testing).
//! A user creates, edits and deletes samples, the objects that the operator reconciles; actors
//! stand in for the other controllers of the cluster; and faults occur: the operator is killed
//! between two writes, requests fail or get lost, watch events arrive late;
//! [`Fault`](crate::testing::Fault) lists them all. A [`Schedule`] with its seed determines
//! everything else: latencies, the order of events, random numbers, and the order of this crate's
//! own hash maps. After each step of the user, the cluster must settle in the same state as in a
//! history without faults.
//!
//! ```
//! use std::sync::Arc;
//!
//! use k8s_openapi::api::core::v1::{ConfigMap, Namespace};
//! use rustop_manager::{Action, Context, Controller, Manager, Result};
//! use rustop_manager::simulation::{Simulation, workloads};
//! use serde_json::json;
//!
//! async fn reconcile(namespace: Arc<Namespace>, ctx: Context<Namespace>) -> Result<Action> {
//!     let mut notes = ConfigMap::default();
//!     notes.metadata.name = Some("notes".to_owned());
//!     notes.metadata.namespace = namespace.metadata.name.clone();
//!     ctx.apply(notes).await?;
//!     Ok(Action::await_change())
//! }
//!
//! fn register(manager: Manager) -> Manager {
//!     manager.controller(Controller::new(reconcile).owns::<ConfigMap>())
//! }
//!
//! let farm = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "farm"}});
//! Simulation::new(register)
//!     .samples([farm])
//!     .actors([workloads()])
//!     .eventually("each namespace has notes", |world| {
//!         world.count::<ConfigMap>() == world.count::<Namespace>()
//!     })
//!     .test(20);
//! ```
//!
//! [`Simulation::test`] is for a `#[test]`. `rustop simulate` runs such a test for longer, and
//! stores what it finds.
//!
//! # What is checked
//!
//! | class of finding | meaning |
//! |---|---|
//! | `always`, `eventually` | a check of your own does not hold: [`Simulation::always`], [`Simulation::eventually`] |
//! | `missing`, `too-many`, `not-updated`, `wrong-status`, `created-twice` | the cluster settles in another state than without faults |
//! | `leftover`, `stuck-deletion` | something is left after the samples were deleted |
//! | `adopted` | the operator changes or deletes an object of another owner, which has the name or the labels of a child |
//! | `hot-loop` | the operator writes or reconciles again and again, or the cluster never settles |
//! | `forbidden` | the roles of [`Simulation::rbac`] do not allow a request |
//! | `panic`, `exit` | a reconcile, a predicate or a mapper panics, or the operator exits |
//! | `two-leaders` | a replica writes while another one holds the Lease, or that of the object's shard: [`Simulation::replicas`] |
//! | `observed-generation` | a status has an outdated `observedGeneration` after the cluster has settled |
//! | `slow-retry` | the delays before the retries of a failed object do not start again after a success |
//!
//! # Rules for the operator
//!
//! A history can be replayed only if the operator does the same again. So its code takes the time
//! from [`Context::now`](crate::Context::now) and random numbers from
//! [`Context::random`](crate::Context::random), waits with `tokio::time`, starts no threads of its
//! own, and does not depend on the iteration order of a `HashMap` or of
//! [`Context::store`](crate::Context::store). [`Simulation::run`] runs some histories twice, and
//! returns an error that names the first difference if they are not the same.
//!
//! # Limits
//!
//! The API server is that of [`testing`](crate::testing), with the limits that its documentation
//! lists. Code that blocks its thread is not interrupted. An injected HTTP error is not retried: it
//! is the response after all retries of the operator's client.

mod actors;
mod campaign;
mod cluster_view;
mod foreign_objects;
mod history;
mod instructions;
mod minimize;
mod oracle;
mod plan;
mod report;
mod retries;
mod runs;
mod scene;
mod schedule;
mod snapshot;

#[cfg(test)]
mod tests;

use std::path::Path;
use std::sync::Arc;
use std::{fmt, thread};

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::Resource;
use serde::Serialize;
use serde_json::{Value, json};

use crate::error::Result;
use crate::manager::Manager;
use crate::testing::{Permissions, webhook_configurations};
pub use actors::{Actor, workloads};
use campaign::{Campaign, Limits, Notice, Observer};
pub use cluster_view::World;
use instructions::{Event, Instructions, Output};
use oracle::Baseline;
pub use oracle::{Class, Finding};
pub use report::{Replay, Report};
use runs::{run_once, run_twice};
use scene::{BASELINE_SEED, Scene};
pub use schedule::{Injection, Schedule, Step};

/// A simulation of an operator. See the [module](self).
#[must_use = "a simulation does nothing until `run` or `test` is called"]
pub struct Simulation {
    scene: Scene,
    seed: u64,
    threads: Option<usize>,
}

impl Simulation {
    /// Creates a simulation of the operator that `register` adds to a manager. `register` is called
    /// for each start of the operator, on several threads.
    pub fn new(register: impl Fn(Manager) -> Manager + Send + Sync + 'static) -> Self {
        Self {
            scene: Scene {
                register: Arc::new(register),
                crds: Vec::new(),
                webhooks: Vec::new(),
                samples: Vec::new(),
                edits: Vec::new(),
                actors: Vec::new(),
                permissions: None,
                replicas: 1,
                shards: None,
                always: Vec::new(),
                eventually: Vec::new(),
            },
            seed: 0,
            threads: None,
        }
    }

    /// Installs CRDs in the API server: those of the operator, and those of other kinds that it
    /// uses.
    pub fn crds(mut self, crds: impl IntoIterator<Item = CustomResourceDefinition>) -> Self {
        self.scene.crds.extend(crds);
        self
    }

    /// Adds objects that the user creates, in this order, and deletes. Without a namespace, an
    /// object of a namespaced kind gets `default`. If all are in the same namespace, one history
    /// without faults also creates them in a second one.
    ///
    /// # Panics
    /// If an object cannot be serialized to JSON.
    pub fn samples(mut self, samples: impl IntoIterator<Item = impl Serialize>) -> Self {
        let samples = samples.into_iter();
        let to_value =
            |sample| serde_json::to_value(sample).expect("a sample can be serialized to JSON");
        self.scene.samples.extend(samples.map(to_value));
        self
    }

    /// Adds an edit: a merge patch of the sample of kind `K` with this name, as one step of the
    /// user. Edits are made in the order of these calls, after the samples were created. An edit
    /// that the API server rejects, for example because no sample has this name, makes the
    /// simulation fail.
    pub fn edit<K: Resource<DynamicType = ()>>(mut self, name: &str, patch: Value) -> Self {
        let object = json!({
            "apiVersion": K::api_version(&()), "kind": K::kind(&()), "metadata": {"name": name},
        });
        self.scene.edits.push((object, patch));
        self
    }

    /// Adds actors, which stand in for the other controllers of the cluster. Default: none.
    pub fn actors(mut self, actors: impl IntoIterator<Item = Arc<dyn Actor>>) -> Self {
        self.scene.actors.extend(actors);
        self
    }

    /// Authorizes the requests of the operator with the roles that the YAML files of a directory
    /// bind, such as `config/rbac`; see [`Cluster::rbac`](crate::testing::Cluster::rbac). The
    /// default is that the operator may do everything.
    ///
    /// # Panics
    /// If a file cannot be read or parsed, or if the role of a binding is missing.
    pub fn rbac(mut self, dir: impl AsRef<Path>) -> Self {
        self.scene.permissions = Some(Permissions::of_dir(dir.as_ref()));
        self
    }

    /// Installs the webhook configurations in the YAML files of a directory, such as
    /// `config/webhook`; see [`Cluster::webhooks`](crate::testing::Cluster::webhooks). A write then
    /// calls the webhooks that the operator registers, with the same faults as its other parts. The
    /// user and the actors repeat a write while a webhook cannot be called.
    ///
    /// # Panics
    /// If a file cannot be read or parsed.
    pub fn webhooks(mut self, dir: impl AsRef<Path>) -> Self {
        let configurations = webhook_configurations(dir.as_ref());
        self.scene.webhooks.extend(configurations);
        self
    }

    /// Sets the number of replicas of the operator, as in a Deployment; 0 counts as 1. Default: 1.
    /// Several replicas elect a leader with a Lease. Then a history can also have a fault that
    /// freezes the process of one replica for 30 s, so that another one leads when it continues.
    ///
    /// The tasks that the operator's own code starts with `tokio::spawn` are not frozen. Roles of
    /// [`Simulation::rbac`] must allow leader election.
    ///
    /// ```
    /// # use rustop_manager::simulation::Simulation;
    /// # let simulation = Simulation::new(|manager| manager);
    /// simulation.replicas(2);
    /// ```
    pub fn replicas(mut self, replicas: usize) -> Self {
        self.scene.replicas = replicas.max(1);
        self
    }

    /// Divides the objects of each controller into this many shards, which the
    /// [replicas](Self::replicas) divide among themselves, as with `--shards`; 0 counts as 1. The
    /// default is that one replica leads.
    ///
    /// ```
    /// # use rustop_manager::simulation::Simulation;
    /// # let simulation = Simulation::new(|manager| manager);
    /// simulation.replicas(2).shards(4);
    /// ```
    pub fn shards(mut self, shards: u32) -> Self {
        self.scene.shards = Some(shards.max(1));
        self
    }

    /// Adds a check that must hold after each change of an object. `holds` returns true if it does;
    /// `name` is the name in reports. A check that panics does not hold.
    pub fn always(
        mut self,
        name: &str,
        holds: impl Fn(&World) -> bool + Send + Sync + 'static,
    ) -> Self {
        self.scene.always.push((name.to_owned(), Arc::new(holds)));
        self
    }

    /// Adds a check that must hold when the cluster has settled after each step, except the
    /// deletion of the samples. `holds` returns true if it does; `name` is the name in reports. A
    /// check that panics does not hold.
    pub fn eventually(
        mut self,
        name: &str,
        holds: impl Fn(&World) -> bool + Send + Sync + 'static,
    ) -> Self {
        self.scene
            .eventually
            .push((name.to_owned(), Arc::new(holds)));
        self
    }

    /// Sets the seed from which the seeds and the faults of all histories follow, except the
    /// baseline runs. Default: 0. Has no effect on [`Simulation::replay`].
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Sets the number of threads, each of which runs one history at a time; 0 counts as 1.
    /// Default: the number of cores.
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = Some(threads.max(1));
        self
    }

    /// Adds the objects of YAML manifests: installs the CRDs, and adds the other objects as
    /// [samples](Self::samples).
    ///
    /// ```
    /// # use rustop_manager::simulation::Simulation;
    /// # let simulation = Simulation::new(|manager| manager);
    /// simulation.manifests(["{apiVersion: v1, kind: Namespace, metadata: {name: farm}}"]);
    /// ```
    ///
    /// # Panics
    /// If a manifest is not valid YAML, or if a CRD in it is not valid.
    pub fn manifests(mut self, manifests: impl IntoIterator<Item = impl AsRef<str>>) -> Self {
        let documents = manifests
            .into_iter()
            .flat_map(|manifest| yaml(manifest.as_ref()))
            .filter(|document| !document.is_null());
        for document in documents {
            if document["kind"] == "CustomResourceDefinition" {
                let crd = serde_json::from_value(document);
                let crd =
                    crd.unwrap_or_else(|error| panic!("a manifest has an invalid CRD: {error}"));
                self.scene.crds.push(crd);
            } else {
                self.scene.samples.push(document);
            }
        }
        self
    }

    /// Runs a number of histories like [`Simulation::run`], for a `#[test]`. If `rustop simulate`
    /// runs the test, it chooses the number, and reports the findings.
    ///
    /// # Panics
    /// If there is a finding, or if the simulation cannot run. The message is the report.
    pub fn test(self, histories: usize) {
        if let Some(instructions) = Instructions::from_env() {
            self.carry_out(&instructions);
            return;
        }
        match self.run(histories) {
            Ok(report) if report.findings.is_empty() => {}
            Ok(report) => panic!("{report}"),
            Err(error) => panic!("{error}"),
        }
    }

    /// Runs a number of histories and returns the findings, each minimized. About every eleventh
    /// history has no fault, because other latencies alone show some bugs. Baseline runs come
    /// first; if the cluster does not settle in them, no other history is run.
    ///
    /// # Errors
    /// Returns `Rejected` if the API server rejects a sample or an edit, `NotDeterministic` if a
    /// history differs from its repetition, `Panicked` if an actor or `register` panics, and
    /// `NeedsIo` if a reconcile opens a connection.
    pub fn run(self, histories: usize) -> Result<Report> {
        let limits = Limits {
            histories: Some(histories),
            budget: None,
        };
        self.campaign(limits, &|_| {})
    }

    /// Runs the campaign or the replay of the instructions of `rustop simulate`, and writes the
    /// result to the file that it reads.
    fn carry_out(mut self, instructions: &Instructions) {
        let output = Output::open(&instructions.output);
        output.write(Event::Started {
            samples: &self.scene.samples,
            edits: &self.scene.edits,
        });
        if let Some(seed) = instructions.seed {
            self.seed = seed;
        }
        let observe = |notice: Notice<'_>| output.write(notice.into());
        let result = match &instructions.replay {
            Some(schedule) => self
                .replay(schedule)
                .map(|replay| output.write(Event::Replayed { replay: &replay })),
            None => self
                .campaign(instructions.limits(), &observe)
                .map(|report| output.write(Event::Finished { report: &report })),
        };
        if let Err(error) = result {
            output.write(Event::Failed {
                reason: error.reason(),
                message: error.to_string(),
            });
        }
    }

    /// Runs histories within limits, and notifies `observe`.
    fn campaign(self, limits: Limits, observe: &Observer<'_>) -> Result<Report> {
        let (seed, threads) = (self.seed, self.thread_count());
        let scene = Arc::new(self.scene);
        Campaign {
            steps: steps(&scene),
            scene,
            seed,
            threads,
            limits,
            observe,
        }
        .run()
    }

    /// Runs the history of a schedule, and returns its findings, which are not minimized, and its
    /// timeline. A report contains the schedule of each finding as JSON: parse it with
    /// `serde_json::from_str`.
    ///
    /// # Errors
    /// Returns the errors of [`Simulation::run`].
    pub fn replay(self, schedule: &Schedule) -> Result<Replay> {
        let scene = Arc::new(self.scene);
        let baseline = run_once(&scene, &schedule.without_faults(BASELINE_SEED))?;
        let other = run_once(&scene, &schedule.without_faults(BASELINE_SEED + 1))?;
        let baseline = Baseline::new(baseline, &other);
        let history = run_twice(&scene, schedule)?;
        let findings = baseline.check(&schedule.steps, &history).into_iter();
        let findings = findings.map(|finding| finding.with_schedule(schedule, &history));
        Ok(Replay {
            findings: findings.collect(),
            timeline: history.trace.iter().map(ToString::to_string).collect(),
            unused: history.unused,
        })
    }

    fn thread_count(&self) -> usize {
        let cores = || thread::available_parallelism().map_or(1, usize::from);
        self.threads.unwrap_or_else(cores)
    }
}

impl fmt::Debug for Simulation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Simulation")
            .field("samples", &self.scene.samples)
            .field("seed", &self.seed)
            .finish_non_exhaustive()
    }
}

/// Returns the steps of a history: the samples are created, edited and deleted.
fn steps(scene: &Scene) -> Vec<Step> {
    let edits = (0..scene.edits.len()).map(Step::Edit);
    let mut steps: Vec<_> = std::iter::once(Step::Create).chain(edits).collect();
    steps.push(Step::Delete);
    steps
}

/// Parses the documents of a YAML manifest.
fn yaml(manifest: &str) -> Vec<Value> {
    serde_saphyr::from_multiple(manifest)
        .unwrap_or_else(|error| panic!("a manifest is not valid YAML: {error}"))
}
