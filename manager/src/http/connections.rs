//! Idle connections. If there are too many connections, one of the idle ones is closed: preferably
//! one whose last request did not succeed, and of these the one that has been idle longest. So a
//! client cannot lock out others by doing nothing, or little.

use std::{collections::BTreeMap, sync::Arc};

use parking_lot::{Mutex, MutexGuard};
use tokio_util::sync::CancellationToken;

/// The idle connections of a server.
#[derive(Default)]
pub(crate) struct Idle(Mutex<Seats>);

/// The order in which idle connections are closed: whether the last request succeeded, and a
/// counter that increases over time.
type Seat = (bool, u64);

#[derive(Default)]
struct Seats {
    next: u64,
    taken: BTreeMap<Seat, CancellationToken>,
}

impl Idle {
    /// Closes one idle connection, if there is one.
    pub fn make_room(&self) {
        if let Some((_, leave)) = self.seats().taken.pop_first() {
            leave.cancel();
        }
    }

    fn seats(&self) -> MutexGuard<'_, Seats> {
        self.0.lock()
    }
}

/// A connection that counts as idle between its requests. The server may close it while it is idle.
pub(crate) struct Guest {
    idle: Arc<Idle>,
    seat: Mutex<Option<Seat>>,
    /// Cancelled when the connection must be closed to make room.
    pub leave: CancellationToken,
}

impl Guest {
    /// Returns a new connection, which is idle until its first request.
    pub fn new(idle: Arc<Idle>) -> Self {
        let guest = Self {
            idle,
            seat: Mutex::default(),
            leave: CancellationToken::new(),
        };
        guest.sits_down(false);
        guest
    }

    /// Marks the connection as busy, because its request has been read completely.
    pub fn gets_up(&self) {
        if let Some(seat) = self.seat().take() {
            self.idle.seats().taken.remove(&seat);
        }
    }

    /// Marks the connection as idle after a response. `was_good` is true if the request succeeded.
    pub fn sits_down(&self, was_good: bool) {
        self.gets_up();
        let mut seats = self.idle.seats();
        let seat = (was_good, seats.next);
        seats.next += 1;
        seats.taken.insert(seat, self.leave.clone());
        *self.seat() = Some(seat);
    }

    fn seat(&self) -> MutexGuard<'_, Option<Seat>> {
        self.seat.lock()
    }
}

impl Drop for Guest {
    fn drop(&mut self) {
        self.gets_up();
    }
}
