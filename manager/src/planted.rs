//! Bugs planted in the manager, each of which the tests of the simulation must find: this proves
//! that the simulation can find bugs of that kind. The code that has a bug calls [`is_planted`] at
//! its place.
//!
//! Only the unit tests of this crate can plant a bug. In every other build, [`is_planted`] is
//! constantly false.

/// A bug of the manager.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Bug {
    /// A replica takes the Lease from its holder without waiting until it has run out.
    StaleLease,
    /// A failed reconcile is not repeated.
    LostRequeue,
    /// A change of another client that arrives during a write of the operator is dropped as if it
    /// were that write.
    ForeignChangeDropped,
    /// The finalizer is removed before the cleanup.
    EarlyFinalizerRemoval,
    /// A replica writes without the Lease.
    FenceRemoved,
    /// The last shard has no owner.
    ShardOfNobody,
    /// A watch starts at a later version than that of the list before it, so it misses changes.
    EventAfterListDropped,
    /// Children that are no longer in the set are deleted before the others are applied.
    PruneBeforeApply,
    /// A list discards what the operator has written since the list began.
    WritesForgottenByRelist,
    /// The failures before a success still count when a reconcile fails again, however long ago
    /// they were.
    BackoffNeverReset,
}

/// Returns true if the test that runs on this thread has planted the bug.
#[cfg(not(all(test, feature = "testing")))]
pub(crate) const fn is_planted(_: Bug) -> bool {
    false
}

#[cfg(all(test, feature = "testing"))]
pub(crate) use planting::{is_planted, plant};

#[cfg(all(test, feature = "testing"))]
mod planting {
    use std::cell::Cell;

    use super::Bug;

    thread_local! {
        static PLANTED: Cell<Option<Bug>> = const { Cell::new(None) };
    }

    pub(crate) fn is_planted(bug: Bug) -> bool {
        PLANTED.get() == Some(bug)
    }

    /// Plants a bug in the manager on this thread, or removes it.
    pub(crate) fn plant(bug: Option<Bug>) {
        PLANTED.set(bug);
    }
}
