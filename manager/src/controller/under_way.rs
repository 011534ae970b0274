//! Reconciles under way, and those that do not return: told in the log and on `/readyz`, so that nobody wonders
//! why a controller does nothing.
//!
//! It is looked at from outside of the controllers' thread, which such a reconcile may block.

use std::{
    collections::BTreeMap,
    convert::Infallible,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use tracing::Span;

use crate::http::{health::Health, metrics::Metrics};

/// A reconcile that takes longer is told, and again each time it has taken twice as long.
const LONG: Duration = Duration::from_secs(30);
/// How often they are looked at.
const LOOK: Duration = Duration::from_secs(1);

/// Those of one controller. Cheap to clone; all clones are one.
#[derive(Clone, Debug)]
pub(crate) struct UnderWay {
    controller: Arc<str>,
    entries: Arc<Mutex<Entries>>,
}

#[derive(Debug, Default)]
struct Entries {
    next: u64,
    started: BTreeMap<u64, Entry>,
}

#[derive(Debug)]
struct Entry {
    object: String,
    start: Instant,
    /// Where its lines in the log belong.
    span: Span,
    /// It is told when it has taken so long.
    patience: Duration,
}

/// A reconcile, which is under way until this is dropped.
pub(crate) struct Ticket {
    of: UnderWay,
    number: u64,
}

impl UnderWay {
    pub fn new(controller: &str) -> Self {
        Self {
            controller: controller.into(),
            entries: Arc::default(),
        }
    }

    /// The name of the controller.
    pub fn controller(&self) -> &str {
        &self.controller
    }

    /// The reconcile of an object begins.
    pub fn begin(&self, object: String) -> Ticket {
        let mut entries = self.lock();
        let number = entries.next;
        entries.next += 1;
        let entry = Entry {
            object,
            start: Instant::now(),
            span: Span::current(),
            patience: LONG,
        };
        entries.started.insert(number, entry);
        Ticket {
            of: self.clone(),
            number,
        }
    }

    /// For how long the oldest has been under way.
    pub fn longest(&self, now: Instant) -> Duration {
        let entries = self.lock();
        let oldest = entries.started.values().next();
        oldest.map_or(Duration::ZERO, |oldest| now.duration_since(oldest.start))
    }

    /// Tells of those that take long.
    fn look(&self, now: Instant, health: &Health) {
        let mut told = Vec::new();
        for entry in self.lock().started.values_mut() {
            let took = now.duration_since(entry.start);
            if took >= entry.patience {
                entry.patience *= 2;
                entry.span.in_scope(|| {
                    tracing::warn!("reconcile has not returned for {} s", took.as_secs());
                });
            }
            if took >= LONG {
                told.push(format!("{} for {} s", entry.object, took.as_secs()));
            }
        }
        let who = format!("{}/reconcile", self.controller);
        let told = told.join(", ");
        let remark = (!told.is_empty()).then(|| format!("has not returned: {told}"));
        health.remark(&who, remark);
    }

    fn lock(&self) -> MutexGuard<'_, Entries> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        let Some(entry) = self.of.lock().started.remove(&self.number) else {
            return;
        };
        if entry.patience > LONG {
            let took = entry.start.elapsed().as_secs();
            tracing::info!("reconcile has returned after {took} s");
        }
    }
}

/// Looks after the reconciles of all controllers, for as long as it is polled.
pub(crate) async fn watch(metrics: Arc<Metrics>, health: Health) -> Infallible {
    let mut interval = tokio::time::interval(LOOK);
    loop {
        let _ = interval.tick().await;
        for under_way in metrics.under_way() {
            under_way.look(Instant::now(), &health);
        }
    }
}

#[cfg(test)]
mod tests {
    use http::StatusCode;

    use super::*;

    #[test]
    fn what_takes_long_is_told_until_it_returns() {
        let (under_way, health) = (UnderWay::new("lolcow"), Health::default());
        let ticket = under_way.begin("ns/cow".to_owned());
        let start = Instant::now();
        let told = |after: Duration| {
            under_way.look(start + after, &health);
            health.answer("/readyz")
        };
        assert_eq!(told(LONG / 2).1, "ok\n");
        let (code, text) = told(LONG + LOOK);
        assert_eq!(code, StatusCode::OK);
        let wanted = "ok\nlolcow/reconcile: has not returned: ns/cow for 31 s\n";
        assert_eq!(text, wanted);
        assert!(under_way.longest(start + LONG) > LONG / 2);
        drop(ticket);
        assert_eq!(told(LONG * 2).1, "ok\n");
        assert_eq!(under_way.longest(start + LONG), Duration::ZERO);
    }

    #[test]
    fn it_is_logged_each_time_it_has_taken_twice_as_long() {
        let under_way = UnderWay::new("lolcow");
        let _ticket = under_way.begin("ns/cow".to_owned());
        let start = Instant::now();
        let patience = |seconds| {
            under_way.look(start + Duration::from_secs(seconds), &Health::default());
            under_way.lock().started[&0].patience.as_secs()
        };
        let told = [29, 31, 59, 61, 119, 121].map(patience);
        assert_eq!(told, [30, 60, 60, 120, 120, 240]);
    }
}
