//! Deterministic simulation: thousands of histories of an operator in virtual time, each of which can be replayed.
//!
//! A history is one run of the operator on the in-memory API server of [`testing`](crate::testing). A user creates, edits and
//! deletes samples, the objects that the operator reconciles; actors stand in for the other controllers of the cluster; and
//! faults occur: the operator is killed between two writes, requests fail or get lost, watch events arrive late. A [`Schedule`]
//! with its seed determines everything else: latencies, the order of events, random numbers, and the order of this crate's own
//! hash maps. After each step of the user, the cluster must settle in the same state as in a history without faults.
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
//! # What is checked
//!
//! | class of finding | meaning |
//! |---|---|
//! | `always`, `eventually` | a check of your own does not hold: [`Simulation::always`], [`Simulation::eventually`] |
//! | `missing`, `too-many`, `not-updated`, `wrong-status`, `created-twice` | the cluster settles in another state than without faults |
//! | `leftover`, `stuck-deletion` | something is left after the samples were deleted |
//! | `hot-loop` | the operator writes or reconciles again and again, or the cluster never settles |
//! | `panic`, `exit` | a reconcile panics, or the operator exits |
//! | `observed-generation` | a status has an outdated `observedGeneration` after the cluster has settled |
//!
//! # Rules for the operator
//!
//! A history can be replayed only if the operator does the same again. So its code takes the time from
//! [`Context::now`](crate::Context::now) and random numbers from [`Context::random`](crate::Context::random), waits with
//! `tokio::time`, starts no threads of its own, and does not depend on the iteration order of a `HashMap` or of
//! [`Context::store`](crate::Context::store). [`Simulation::run`] runs some histories twice, and returns an error that
//! names the first difference if they are not the same.
//!
//! # Limits
//!
//! The API server is that of [`testing`](crate::testing), with the limits that its documentation lists. Each history
//! has one replica of the operator, without leader election and webhooks. Code that blocks its thread is not
//! interrupted. An injected HTTP error is not retried: it is the response after all retries of
//! the operator's client.

mod actors;
mod history;
mod minimize;
mod oracle;
mod plan;
mod report;
mod scene;
mod schedule;
mod snapshot;
mod world;

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;
use std::{fmt, thread};

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::Resource;
use parking_lot::Mutex;
use serde::Serialize;
use serde_json::{Value, json};

use crate::error::{Error, Result};
use crate::manager::Manager;
pub use actors::{Actor, workloads};
use history::History;
use oracle::Baseline;
pub use oracle::{Class, Finding};
use plan::Plan;
pub use report::Report;
use scene::{FIRST, Scene};
pub use schedule::{Injection, Schedule, Step};
pub use world::World;

/// Maximum number of histories with faults that are run twice, to check that they are deterministic. The baseline runs are always
/// run twice.
const TWICE: usize = 5;

/// A simulation of an operator. See the [module](self).
#[must_use = "a simulation does nothing until `run` or `test` is called"]
pub struct Simulation {
    scene: Scene,
    seed: u64,
    threads: Option<usize>,
}

impl Simulation {
    /// Creates a simulation of the operator that `register` adds to a manager.
    pub fn new(register: impl Fn(Manager) -> Manager + Send + Sync + 'static) -> Self {
        Self {
            scene: Scene {
                register: Arc::new(register),
                crds: Vec::new(),
                samples: Vec::new(),
                edits: Vec::new(),
                actors: Vec::new(),
                always: Vec::new(),
                eventually: Vec::new(),
            },
            seed: 0,
            threads: None,
        }
    }

    /// Installs CRDs in the API server: those of the operator, and those of other kinds that it uses.
    pub fn crds(mut self, crds: impl IntoIterator<Item = CustomResourceDefinition>) -> Self {
        self.scene.crds.extend(crds);
        self
    }

    /// Adds objects that the user creates, in this order, and deletes. Without a namespace, an object of a namespaced kind gets
    /// `default`. If all are in the same namespace, one history without faults also creates them in a second one.
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

    /// Adds an edit: a merge patch of the sample of kind `K` with this name, as one step of the user. Edits are made in the
    /// order of these calls, after the samples were created.
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

    /// Adds a check that must hold after each change of an object. A check that panics does not hold.
    pub fn always(
        mut self,
        name: &str,
        holds: impl Fn(&World) -> bool + Send + Sync + 'static,
    ) -> Self {
        self.scene.always.push((name.to_owned(), Arc::new(holds)));
        self
    }

    /// Adds a check that must hold when the cluster has settled after each step, except the deletion of the samples. A check that
    /// panics does not hold.
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

    /// Sets the seed from which the seeds and the faults of all histories follow, except the baseline runs. Default: 0. Has no
    /// effect on [`Simulation::replay`].
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Sets the number of threads; 0 counts as 1. Default: the number of cores.
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = Some(threads.max(1));
        self
    }

    /// Runs a number of histories like [`Simulation::run`], for a `#[test]`.
    ///
    /// # Panics
    /// If there is a finding, or if the simulation cannot run. The message is the report.
    pub fn test(self, histories: usize) {
        match self.run(histories) {
            Ok(report) if report.findings.is_empty() => {}
            Ok(report) => panic!("{report}"),
            Err(error) => panic!("{error}"),
        }
    }

    /// Runs a number of histories and returns the findings, each minimized. About every eleventh history has no fault, because
    /// other latencies alone show some bugs. Baseline runs come first; if the cluster does not settle in them, no other history
    /// is run.
    ///
    /// # Errors
    /// Returns `Rejected` if the API server rejects a sample or an edit, and `NotDeterministic` if a history differs
    /// from its repetition.
    pub fn run(self, histories: usize) -> Result<Report> {
        let begun = Instant::now();
        let threads = self.thread_count();
        let (scene, seed) = (Arc::new(self.scene), self.seed);
        let steps = steps(&scene);
        let first = Schedule {
            seed: FIRST,
            steps: steps.clone(),
            faults: Vec::new(),
        };
        let second = first.without_faults(FIRST + 1);
        let (history, other) = (run_twice(&scene, &first)?, run_twice(&scene, &second)?);
        let plan = Plan::new(&history, &scene.samples, seed);
        let pairs = plan.pairs();
        let baseline = Baseline::new(history.clone(), &other);
        let mut found = Vec::new();
        for (schedule, history) in [(first, &history), (second, &other)] {
            let findings = oracle::check_alone(&steps, history).into_iter();
            found.extend(findings.map(|finding| finding.with_schedule(&schedule, history)));
        }
        if scene
            .samples
            .iter()
            .all(|sample| scene.home() == scene::home(sample))
        {
            found.extend(check_twins(&scene));
        }

        // Without a settled state, there is nothing to compare with.
        let is_settled = [&history, &other].iter().all(|it| it.is_settled());
        let faults = plan.faults(if is_settled { histories } else { 0 });
        let schedules: Vec<_> = faults
            .into_iter()
            .enumerate()
            .map(|(index, faults)| Schedule {
                seed: seed.wrapping_add(100 + index as u64),
                steps: steps.clone(),
                faults,
            })
            .collect();
        let covered: BTreeSet<_> = schedules
            .iter()
            .flat_map(|schedule| plan::covered(&schedule.faults))
            .collect();
        let twice = schedules.len().div_ceil(TWICE).max(1);
        let results = Mutex::new(Vec::new());
        let next = AtomicUsize::new(0);
        let work = || {
            loop {
                let index = next.fetch_add(1, Ordering::Relaxed);
                let Some(schedule) = schedules.get(index) else {
                    return;
                };
                let result = if index.is_multiple_of(twice) {
                    run_twice(&scene, schedule)
                } else {
                    run_once(&scene, schedule)
                };
                let result = result.map(|history| {
                    let findings = baseline.check(&steps, &history).into_iter();
                    findings
                        .map(|finding| finding.with_schedule(schedule, &history))
                        .collect::<Vec<_>>()
                });
                results.lock().push((index, result));
            }
        };
        thread::scope(|scope| {
            for _ in 0..threads.min(schedules.len()) {
                scope.spawn(work);
            }
        });
        let mut results = results.into_inner();
        results.sort_by_key(|(index, _)| *index);
        for (_, result) in results {
            found.extend(result?);
        }
        let took = begun.elapsed();
        let mut report = Report::new(schedules.len(), took, covered.len(), pairs);
        for finding in found {
            let known = report.findings.iter_mut();
            let known = known
                .into_iter()
                .any(|known| known.cause() == finding.cause());
            if !known {
                let finding = minimize::minimize(&scene, finding);
                report.findings.push(finding);
            }
        }
        Ok(report)
    }

    /// Runs the history of a schedule, and returns its findings, which are not minimized, and its timeline. A report contains the
    /// schedule of each finding as JSON: parse it with `serde_json::from_str`.
    ///
    /// # Errors
    /// Returns the errors of [`Simulation::run`].
    pub fn replay(self, schedule: &Schedule) -> Result<(Vec<Finding>, Vec<String>)> {
        let scene = Arc::new(self.scene);
        let baseline = run_once(&scene, &schedule.without_faults(FIRST))?;
        let other = run_once(&scene, &schedule.without_faults(FIRST + 1))?;
        let baseline = Baseline::new(baseline, &other);
        let history = run_twice(&scene, schedule)?;
        let findings = baseline.check(&schedule.steps, &history).into_iter();
        let findings = findings.map(|finding| finding.with_schedule(schedule, &history));
        let timeline = history.trace.iter().map(ToString::to_string).collect();
        Ok((findings.collect(), timeline))
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

/// Runs a history without faults in which the samples also exist in a second namespace. Returns no findings if the API server
/// rejects that, for example because a sample is cluster-scoped.
fn check_twins(scene: &Arc<Scene>) -> Vec<Finding> {
    let schedule = Schedule {
        seed: FIRST,
        steps: vec![Step::CreateTwins, Step::Delete],
        faults: Vec::new(),
    };
    let history = History::run(scene, &schedule);
    if history.rejected.is_some() {
        return Vec::new();
    }
    let findings = oracle::check_alone(&schedule.steps, &history).into_iter();
    findings
        .map(|finding| finding.with_schedule(&schedule, &history))
        .collect()
}

/// Runs a history. Returns `Rejected` if the API server rejects a step.
fn run_once(scene: &Arc<Scene>, schedule: &Schedule) -> Result<History> {
    let history = History::run(scene, schedule);
    match &history.rejected {
        Some(rejected) => Err(Error::new("Rejected", rejected.clone())),
        None => Ok(history),
    }
}

/// Runs a history twice. Returns `NotDeterministic` if the traces differ.
fn run_twice(scene: &Arc<Scene>, schedule: &Schedule) -> Result<History> {
    let (one, other) = (run_once(scene, schedule)?, run_once(scene, schedule)?);
    let pairs = one.trace.iter().zip(&other.trace);
    let same = pairs.take_while(|(one, other)| one == other).count();
    if same == one.trace.len() && same == other.trace.len() {
        return Ok(one);
    }
    let entry = |trace: &[crate::recorder::Entry]| {
        let entry = trace.get(same);
        entry.map_or_else(|| "the end of the history".to_owned(), ToString::to_string)
    };
    let text = format!(
        "two runs of the history with seed {} differ at entry {same}:\n  {}\n  {}\nhelp: take the time from `ctx.now()` \
         and random numbers from `ctx.random()`, wait with `tokio::time`, start no threads, and sort what comes from a \
         `HashMap` or from `ctx.store()`",
        schedule.seed,
        entry(&one.trace),
        entry(&other.trace),
    );
    Err(Error::new("NotDeterministic", text))
}
