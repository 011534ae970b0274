//! Idle connections. If there are too many connections, one of the idle ones is closed: preferably
//! one whose last request did not succeed, and of these the one that has been idle longest. So a
//! client cannot lock out others by doing nothing, or little.

use std::{collections::BTreeMap, sync::Arc};

use parking_lot::{Mutex, MutexGuard};
use tokio_util::sync::CancellationToken;

/// The idle connections of a server.
#[derive(Default)]
pub(crate) struct Idle(Mutex<IdleSet>);

/// The order in which idle connections are closed, lowest first: whether the last request
/// succeeded, and a counter that increases over time.
type IdleRank = (bool, u64);

#[derive(Default)]
struct IdleSet {
    next: u64,
    by_rank: BTreeMap<IdleRank, CancellationToken>,
}

impl Idle {
    /// Closes the idle connection with the lowest rank, if there is one.
    pub fn evict_one(&self) {
        if let Some((_, evicted)) = self.lock().by_rank.pop_first() {
            evicted.cancel();
        }
    }

    fn lock(&self) -> MutexGuard<'_, IdleSet> {
        self.0.lock()
    }
}

/// A connection that counts as idle between its requests. The server may close it while it is idle.
pub(crate) struct Connection {
    idle: Arc<Idle>,
    /// The rank among the idle connections; `None` while the connection is busy.
    rank: Mutex<Option<IdleRank>>,
    /// Cancelled when the connection must be closed to make room.
    pub evicted: CancellationToken,
}

impl Connection {
    /// Returns a new connection, which is idle until its first request has been read completely; a
    /// TLS handshake counts as idle, too.
    pub fn new(idle: Arc<Idle>) -> Self {
        let connection = Self {
            idle,
            rank: Mutex::default(),
            evicted: CancellationToken::new(),
        };
        connection.mark_idle(false);
        connection
    }

    /// Marks the connection as busy, because its request has been read completely.
    pub fn mark_busy(&self) {
        if let Some(rank) = self.rank().take() {
            self.idle.lock().by_rank.remove(&rank);
        }
    }

    /// Marks the connection as idle after a response. `succeeded` is true if the request succeeded.
    pub fn mark_idle(&self, succeeded: bool) {
        self.mark_busy();
        let mut set = self.idle.lock();
        let rank = (succeeded, set.next);
        set.next += 1;
        set.by_rank.insert(rank, self.evicted.clone());
        *self.rank() = Some(rank);
    }

    fn rank(&self) -> MutexGuard<'_, Option<IdleRank>> {
        self.rank.lock()
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.mark_busy();
    }
}
