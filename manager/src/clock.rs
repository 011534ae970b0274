//! The clock for timestamps in objects.
//!
//! It is the machine's clock, except in a test with virtual time. There it starts at the time given to the in-memory
//! cluster and advances with tokio's clock, so that an hour of `sleep` makes a condition an hour older.

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

    use jiff::{SignedDuration, Timestamp};

    thread_local! {
        /// Offset of this thread's cluster from the machine's clock. A test with virtual time has one thread.
        static AHEAD: Cell<SignedDuration> = const { Cell::new(SignedDuration::ZERO) };
    }

    /// Returns the time of this thread.
    pub(crate) fn now() -> Timestamp {
        let machine = Timestamp::now();
        machine.checked_add(AHEAD.get()).map_or(machine, advanced)
    }

    /// Sets the time of this thread, which continues from `time`.
    pub(crate) fn set(time: Timestamp) {
        AHEAD.set(time.duration_since(advanced(Timestamp::now())));
    }

    /// Removes the offset: the time of this thread is the machine's when tokio's clock started.
    pub(crate) fn reset() {
        AHEAD.set(SignedDuration::ZERO);
    }

    /// Adds the difference between tokio's clock and the machine's: a paused tokio clock stands still, or jumps.
    fn advanced(time: Timestamp) -> Timestamp {
        let machine = std::time::Instant::now();
        let tokio = tokio::time::Instant::now().into_std();
        let added = tokio.saturating_duration_since(machine);
        let missing = machine.saturating_duration_since(tokio);
        let added = SignedDuration::try_from(added).unwrap_or_default();
        let missing = SignedDuration::try_from(missing).unwrap_or_default();
        time.checked_add(added - missing).unwrap_or(time)
    }
}
