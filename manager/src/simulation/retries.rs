//! The delays before the retries of failed reconciles. They grow while an object fails, and must
//! start again after a success.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::recorder::{Reconciled, TraceEntry, What};

/// The number of growing delays that shows how an object is retried.
const GROWING: usize = 3;

/// A retry after a success that is later than all retries before the success.
pub(super) struct SlowRetry {
    /// The index in the trace of the reconcile that failed.
    pub index: usize,
    /// The object as `namespace/name`.
    pub object: String,
    /// The delay before the retry.
    pub delay: Duration,
    /// The longest delay before the success.
    pub longest_before: Duration,
}

/// The consecutive failures of one object.
#[derive(Default)]
struct Failures {
    // All times are since the start of the history.
    /// The start of the reconcile that runs, or of the last one.
    started: Duration,
    /// The start of the last reconcile that failed.
    failed: Duration,
    /// The first success after it.
    recovered: Option<Duration>,
    /// The reason of each failure, and the delay before the retry.
    delays: Vec<(String, Duration)>,
}

impl Failures {
    /// Returns true if a success has lasted as long as the object had waited for it. After a
    /// shorter one, the manager continues the row of delays, because the object had not recovered.
    fn are_over(&self) -> bool {
        self.recovered.is_some_and(|recovered| {
            self.started.saturating_sub(recovered) >= recovered.saturating_sub(self.failed)
        })
    }

    /// Adds a failure with its reason and the delay before its retry. Returns the longest delay
    /// before the last success if this delay is longer.
    fn add(&mut self, reason: &str, delay: Duration) -> Option<Duration> {
        let before = if self.are_over() {
            std::mem::take(&mut self.delays)
        } else {
            Vec::new()
        };
        (self.failed, self.recovered) = (self.started, None);
        // A delay of zero: the object changed during the reconcile, which is therefore repeated at
        // once.
        if delay.is_zero() {
            return None;
        }
        self.delays.push((reason.to_owned(), delay));
        // The delays of other reasons may have other limits.
        let same = before.iter().filter(|(of, _)| of == reason);
        let same: Vec<_> = same.map(|(_, delay)| *delay).collect();
        let has_grown = same.len() >= GROWING && same.is_sorted_by(|one, next| one < next);
        let longest = same.last().copied().filter(|_| has_grown)?;
        (delay > longest).then_some(longest)
    }
}

/// Finds the first retry delay that did not start again after a success.
pub(super) fn slow(trace: &[TraceEntry]) -> Option<SlowRetry> {
    let mut all: BTreeMap<Reconciled, Failures> = BTreeMap::new();
    for (index, entry) in trace.iter().enumerate() {
        let (What::Started {
            process,
            controller,
            object,
            ..
        }
        | What::Ended {
            process,
            controller,
            object,
            ..
        }) = &entry.what
        else {
            continue;
        };
        let key = (*process, controller.clone(), object.clone());
        let failures = all.entry(key).or_default();
        match &entry.what {
            What::Started { .. } => failures.started = entry.at,
            What::Ended { failure: None, .. } => {
                failures.recovered.get_or_insert(entry.at);
            }
            What::Ended {
                failure: Some((reason, _)),
                again: Some(delay),
                ..
            } => {
                if let Some(longest_before) = failures.add(reason, *delay) {
                    return Some(SlowRetry {
                        index,
                        object: object.clone(),
                        delay: *delay,
                        longest_before,
                    });
                }
            }
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the entries of reconciles that start at these seconds and take no time. Each fails
    /// with a reason and is repeated after a delay in seconds, or succeeds.
    fn trace(reconciles: &[(u64, Option<(&str, u64)>)]) -> Vec<TraceEntry> {
        let entries = reconciles.iter().flat_map(|(at, failure)| {
            let (process, controller, object) = (1, "barn".to_owned(), "default/red".to_owned());
            let started = What::Started {
                process,
                controller: controller.clone(),
                object: object.clone(),
                causes: String::new(),
            };
            let ended = What::Ended {
                process,
                controller,
                object,
                failure: failure.map(|(reason, _)| (reason.to_owned(), String::new())),
                again: failure.map(|(_, delay)| Duration::from_secs(delay)),
            };
            let at = Duration::from_secs(*at);
            [started, ended].map(|what| TraceEntry { at, what })
        });
        entries.collect()
    }

    fn delay_found(reconciles: &[(u64, Option<(&str, u64)>)]) -> Option<u64> {
        slow(&trace(reconciles)).map(|found| found.delay.as_secs())
    }

    const FAILED: [(u64, Option<(&str, u64)>); 4] = [
        (0, Some(("Waiting", 1))),
        (1, Some(("Waiting", 2))),
        (3, Some(("Waiting", 4))),
        (7, None),
    ];

    #[test]
    fn a_delay_that_goes_on_growing_after_a_success_is_found() {
        let failing = |at, reason, delay| [&FAILED[..], &[(at, Some((reason, delay)))]].concat();
        assert_eq!(delay_found(&failing(20, "Waiting", 8)), Some(8));
        assert_eq!(delay_found(&failing(20, "Waiting", 1)), None);
        assert_eq!(delay_found(&failing(20, "Other", 8)), None);
        // The success has not lasted.
        assert_eq!(delay_found(&failing(8, "Waiting", 8)), None);
    }

    #[test]
    fn few_failures_do_not_show_how_delays_grow() {
        let few = [&FAILED[1..], &[(20, Some(("Waiting", 8)))]].concat();
        assert_eq!(delay_found(&few), None);
    }
}
