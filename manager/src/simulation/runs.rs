//! Runs of single histories: once, twice, and with the samples in two namespaces.

use std::sync::Arc;

use crate::error::{Error, Result};
use crate::simulation::history::History;
use crate::simulation::oracle::{self, Finding};
use crate::simulation::scene::{BASELINE_SEED, Scene};
use crate::simulation::schedule::{Schedule, Step};

/// Runs a history without faults in which the samples also exist in a second namespace. The caller
/// ensures that all samples are in one namespace. Returns no findings if the API server rejects the
/// twins, for example because a sample is cluster-scoped.
pub(super) fn check_twins(scene: &Arc<Scene>) -> Vec<Finding> {
    let schedule = Schedule {
        seed: BASELINE_SEED,
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

/// Runs histories without faults in which another owner has objects like the children of the
/// operator.
pub(super) fn check_foreign(scene: &Arc<Scene>) -> Vec<Finding> {
    let found = [Step::CreateNamesakes, Step::CreateLookalikes].map(|first| {
        let schedule = Schedule {
            seed: BASELINE_SEED,
            steps: vec![first, Step::Create, Step::Delete],
            faults: Vec::new(),
        };
        let history = History::run(scene, &schedule);
        let findings = oracle::check_alone(&schedule.steps, &history).into_iter();
        let findings = findings.map(|finding| finding.with_schedule(&schedule, &history));
        findings.collect::<Vec<_>>()
    });
    found.concat()
}

/// The text in tokio's panic when a runtime has no driver for I/O.
const NO_IO: &str = "IO is disabled";

/// The end of the message about a webhook that no process serves.
const UNSERVED: &str = "connection refused";

/// Runs a history.
///
/// # Errors
/// Returns `Rejected` if the API server rejects a step, `Panicked` if an actor or the registration
/// of the controllers panics, and `NeedsIo` if a reconcile opens a connection.
pub(super) fn run_once(scene: &Arc<Scene>, schedule: &Schedule) -> Result<History> {
    let history = History::run(scene, schedule);
    if let Some(rejected) = &history.rejected {
        let mut text = rejected.clone();
        if text.contains(UNSERVED) {
            text.push_str(
                "\nhelp: register the webhooks of the operator, too: \
                 `Simulation::new(|manager| webhooks::register(controllers::register(manager)))`",
            );
        }
        return Err(Error::new("Rejected", text));
    }
    if let Some(panicked) = &history.panicked {
        return Err(Error::new("Panicked", panicked.clone()));
    }
    let needs_io = oracle::panics(&history)
        .find(|(_, _, message)| message.contains(NO_IO))
        .map(|(_, object, _)| object.to_owned());
    if let Some(object) = needs_io {
        let text = format!(
            "the reconcile of {object} opens a connection, which a simulation in virtual time cannot repeat\nhelp: pass the \
             client of the other system to the controllers with `Manager::with_state`, and pass an implementation in memory \
             in the simulation"
        );
        return Err(Error::new("NeedsIo", text));
    }
    Ok(history)
}

/// Runs a history twice.
///
/// # Errors
/// Returns `NotDeterministic` if the traces differ.
pub(super) fn run_twice(scene: &Arc<Scene>, schedule: &Schedule) -> Result<History> {
    let (one, other) = (run_once(scene, schedule)?, run_once(scene, schedule)?);
    let pairs = one.trace.iter().zip(&other.trace);
    let same = pairs.take_while(|(one, other)| one == other).count();
    if same == one.trace.len() && same == other.trace.len() {
        return Ok(one);
    }
    let entry = |trace: &[crate::recorder::TraceEntry]| {
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
