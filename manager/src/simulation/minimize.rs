//! Minimizes a finding: removes the faults and the edits without which the same bug still occurs.

use std::sync::Arc;

use crate::simulation::history::History;
use crate::simulation::oracle::{Baseline, Finding};
use crate::simulation::scene::{BASELINE_SEED, Scene};
use crate::simulation::schedule::{Schedule, Step};

/// Removes faults and then edits from the schedule of a finding, one by one, while the same bug
/// still occurs, and returns the finding with the last schedule that shows it. The result is not
/// always the smallest schedule. Each attempt runs three histories.
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

/// Runs a schedule and compares it with new baseline runs of the same steps. Returns the finding
/// with the same cause as `wanted`, if there is one.
fn shows(scene: &Arc<Scene>, schedule: &Schedule, wanted: &Finding) -> Option<Finding> {
    let [one, other] = [BASELINE_SEED, BASELINE_SEED + 1]
        .map(|seed| History::run(scene, &schedule.without_faults(seed)));
    let baseline = Baseline::new(one, &other);
    let history = History::run(scene, schedule);
    let mut findings = baseline.check(&schedule.steps, &history).into_iter();
    let found = findings.find(|it| it.cause() == wanted.cause())?;
    Some(found.with_schedule(schedule, &history))
}
