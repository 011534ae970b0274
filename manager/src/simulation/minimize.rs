//! Minimizes a finding: removes faults and steps without which the bug still shows.

use std::sync::Arc;

use crate::simulation::history::History;
use crate::simulation::oracle::{Baseline, Finding};
use crate::simulation::scene::{FIRST, Scene};
use crate::simulation::schedule::{Schedule, Step};

/// Returns the finding with as few faults and steps as it needs.
pub(super) fn minimize(scene: &Arc<Scene>, finding: Finding) -> Finding {
    let mut best = finding;
    let mut index = 0;
    while index < best.schedule.faults.len() {
        let mut fewer = best.schedule.clone();
        fewer.faults.remove(index);
        match shows(scene, &fewer, &best) {
            Some(found) => best = found,
            None => index += 1,
        }
    }
    let mut index = 0;
    while index < best.schedule.steps.len() {
        let mut fewer = best.schedule.clone();
        let step = fewer.steps.remove(index);
        let without = matches!(step, Step::Edit(_)).then(|| shows(scene, &fewer, &best));
        match without.flatten() {
            Some(found) => best = found,
            None => index += 1,
        }
    }
    best
}

/// Runs a schedule, and returns the finding if the bug still shows.
fn shows(scene: &Arc<Scene>, schedule: &Schedule, wanted: &Finding) -> Option<Finding> {
    let plain = |seed| Schedule {
        seed,
        faults: Vec::new(),
        ..schedule.clone()
    };
    let [one, other] = [FIRST, FIRST + 1].map(|seed| History::run(scene, &plain(seed)));
    let baseline = Baseline::new(one, &other);
    let history = History::run(scene, schedule);
    let mut findings = baseline.check(&schedule.steps, &history).into_iter();
    let found = findings.find(|it| it.cause() == wanted.cause())?;
    Some(found.with_schedule(schedule, &history))
}
