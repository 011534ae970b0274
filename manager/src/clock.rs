//! The clock for timestamps in objects.
//!
//! It is the machine's clock, except in a test with virtual time. There it starts at the time given
//! to the in-memory cluster and advances with tokio's clock, so that an hour of `sleep` makes a
//! condition an hour older.

#[cfg(not(feature = "testing"))]
use jiff::Timestamp;

#[cfg(feature = "testing")]
pub(crate) use virtual_time::now;

/// Returns the machine's time.
#[cfg(not(feature = "testing"))]
pub(crate) fn now() -> Timestamp {
    Timestamp::now()
}

#[cfg(feature = "testing")]
pub(crate) mod virtual_time {
    use std::cell::Cell;
    use std::time::Duration;

    use jiff::{SignedDuration, Timestamp};
    use tokio::time::Instant;

    /// The time of a cluster when tokio's clock showed `at`.
    #[derive(Clone, Copy)]
    struct Start {
        time: Timestamp,
        at: Instant,
    }

    thread_local! {
        /// The start of this thread's cluster. A test with virtual time has one thread.
        static START: Cell<Option<Start>> = const { Cell::new(None) };
    }

    /// Returns the time of this thread.
    pub(crate) fn now() -> Timestamp {
        let Some(Start { time, at }) = START.get() else {
            return Timestamp::now();
        };
        let passed = SignedDuration::try_from(at.elapsed()).unwrap_or_default();
        time.checked_add(passed).unwrap_or(time)
    }

    /// Returns the time since the start of this thread's cluster. `None` on a thread without a
    /// cluster.
    pub(crate) fn elapsed() -> Option<Duration> {
        START.get().map(|start| start.at.elapsed())
    }

    /// Sets the time of this thread, which continues from `time`.
    pub(crate) fn set(time: Timestamp) {
        let at = Instant::now();
        START.set(Some(Start { time, at }));
    }

    /// Sets the time of this thread forward, or back, by so many milliseconds. Does nothing on a
    /// thread without a cluster.
    pub(crate) fn jump(millis: i64) {
        if let Some(start) = START.get() {
            let time = start.time + SignedDuration::from_millis(millis);
            START.set(Some(Start { time, ..start }));
        }
    }

    /// Sets the time of this thread to the machine's.
    pub(crate) fn reset() {
        set(Timestamp::now());
    }
}
