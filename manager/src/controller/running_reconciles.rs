//! Running reconciles. One that does not return is reported in the log and on `/readyz`, as the
//! reason why a controller does nothing.
//!
//! The check runs outside the thread of the controllers, because such a reconcile may block it.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::Instant;
use tracing::Span;

use crate::{client::pending_waits::Waits, http::health::Health};

/// A reconcile that takes longer is reported, and again each time its age has doubled.
const LONG: Duration = Duration::from_secs(30);

/// The running reconciles of one controller. Clones share their state.
#[derive(Clone, Debug)]
pub(crate) struct RunningReconciles {
    controller: Arc<str>,
    entries: Arc<Mutex<Entries>>,
}

#[derive(Debug, Default)]
struct Entries {
    /// The number of the next reconcile.
    next: u64,
    started: BTreeMap<u64, RunningReconcile>,
}

#[derive(Debug)]
struct RunningReconcile {
    /// `namespace/name`, or `name` for a cluster-scoped object.
    object: String,
    start: Instant,
    /// The span of the reconcile, for its log lines.
    span: Span,
    waits: Waits,
    /// The age at which it is logged next.
    patience: Duration,
}

/// A guard of a running reconcile, which counts as running until the guard is dropped.
pub(crate) struct Ticket {
    of: RunningReconciles,
    number: u64,
}

impl RunningReconciles {
    pub fn new(controller: &str) -> Self {
        Self {
            controller: controller.into(),
            entries: Arc::default(),
        }
    }

    /// Returns the name of the controller.
    pub fn controller(&self) -> &str {
        &self.controller
    }

    /// Registers a reconcile as running until the returned guard is dropped. `object` is the object
    /// as `namespace/name`, and `waits` contains the operations that the reconcile waits for.
    pub fn begin(&self, object: String, waits: Waits) -> Ticket {
        let mut entries = self.entries.lock();
        let number = entries.next;
        entries.next += 1;
        let entry = RunningReconcile {
            object,
            start: Instant::now(),
            span: Span::current(),
            waits,
            patience: LONG,
        };
        entries.started.insert(number, entry);
        Ticket {
            of: self.clone(),
            number,
        }
    }

    /// Returns the age of the oldest running reconcile, and the sum of all ages.
    pub fn ages(&self) -> (Duration, Duration) {
        let entries = self.entries.lock();
        let ages = entries.started.values().map(|entry| entry.start.elapsed());
        ages.fold(Default::default(), |(longest, all), age| {
            (age.max(longest), all + age)
        })
    }

    /// Logs reconciles that run for long, and lists them on `/readyz` as a remark, which does not
    /// affect readiness. Call it periodically.
    pub fn report_long(&self, now: Instant, health: &Health) {
        let mut long = Vec::new();
        for entry in self.entries.lock().started.values_mut() {
            let took = now.duration_since(entry.start);
            if took >= entry.patience {
                entry.patience *= 2;
                let waits = entry.waits.describe(now);
                entry.span.in_scope(|| {
                    tracing::warn!("reconcile has been running for {} s{waits}", took.as_secs());
                });
            }
            if took >= LONG {
                long.push(format!("{} for {} s", entry.object, took.as_secs()));
            }
        }
        let who = format!("{}/reconcile", self.controller);
        let long = long.join(", ");
        let remark = (!long.is_empty()).then(|| format!("still running: {long}"));
        health.remark(&who, remark);
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        let Some(entry) = self.of.entries.lock().started.remove(&self.number) else {
            return;
        };
        if entry.patience > LONG {
            let took = entry.start.elapsed().as_secs();
            tracing::info!("slow reconcile returned after {took} s");
        }
    }
}

#[cfg(test)]
mod tests {
    use http::StatusCode;

    use super::*;

    #[test]
    fn slow_reconciles_are_reported_until_they_return() {
        let (running, health) = (RunningReconciles::new("lolcow"), Health::default());
        let waits = Waits::default();
        let ticket = running.begin("ns/cow".to_owned(), waits.clone());
        let start = Instant::now();
        let answer = |after: Duration| {
            running.report_long(start + after, &health);
            health.answer("/readyz")
        };
        assert_eq!(answer(LONG / 2).1, "ok\n");
        let (code, text) = answer(LONG + Duration::from_secs(1));
        assert_eq!(code, StatusCode::OK);
        let wanted = "ok\nlolcow/reconcile: still running: ns/cow for 31 s\n";
        assert_eq!(text, wanted);
        assert!(running.ages().0 > Duration::ZERO);
        drop(ticket);
        assert_eq!(answer(LONG * 2).1, "ok\n");
        assert_eq!(running.ages().0, Duration::ZERO);
    }

    #[test]
    fn slow_reconciles_are_logged_at_doubling_intervals() {
        let running = RunningReconciles::new("lolcow");
        let _ticket = running.begin("ns/cow".to_owned(), Waits::default());
        let start = Instant::now();
        let patience = |seconds| {
            running.report_long(start + Duration::from_secs(seconds), &Health::default());
            running.entries.lock().started[&0].patience.as_secs()
        };
        let answer = [29, 31, 59, 61, 119, 121].map(patience);
        assert_eq!(answer, [30, 60, 60, 120, 120, 240]);
    }
}
