//! A shared value that several tasks wait for.
//!
//! A channel of tokio wakes its receivers in random order. This value wakes its tasks in the order
//! in which they wait, so that a test can repeat a run.

use parking_lot::RwLock;
use tokio::sync::Notify;

/// A value, and the tasks that wait until it changes.
#[derive(Debug, Default)]
pub(crate) struct Watched<T> {
    value: RwLock<Versioned<T>>,
    changed: Notify,
}

#[derive(Debug, Default)]
struct Versioned<T> {
    value: T,
    /// Number of changes so far.
    version: u64,
}

impl<T> Watched<T> {
    /// Calls a function with the value.
    pub fn read<R>(&self, look: impl FnOnce(&T) -> R) -> R {
        look(&self.value.read().value)
    }

    /// Changes the value. `change` returns false if nothing has changed: then no task is woken, and
    /// the change is not counted.
    pub fn modify(&self, change: impl FnOnce(&mut T) -> bool) {
        {
            let mut value = self.value.write();
            if !change(&mut value.value) {
                return;
            }
            value.version += 1;
        }
        self.changed.notify_waiters();
    }

    /// Waits until `find` returns a result for the value, and returns that result.
    pub async fn until<R>(&self, find: impl Fn(&T) -> Option<R>) -> R {
        self.wait(|versioned| find(&versioned.value)).await
    }

    /// Waits until there have been more changes than `seen`, and returns their number. Returns at
    /// once if `seen` is `None`.
    pub async fn changed_after(&self, seen: Option<u64>) -> u64 {
        self.wait(|versioned| (Some(versioned.version) > seen).then_some(versioned.version))
            .await
    }

    async fn wait<R>(&self, find: impl Fn(&Versioned<T>) -> Option<R>) -> R {
        loop {
            // It receives notifications from its creation on, so none is missed between the check
            // and the wait.
            let changed = self.changed.notified();
            let found = find(&self.value.read());
            if let Some(found) = found {
                return found;
            }
            changed.await;
        }
    }
}
