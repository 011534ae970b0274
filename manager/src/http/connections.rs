//! Connections that keep the server waiting. When there are too many, one of them makes room: of those
//! that were of no use so far the one that waits longest, so that nobody keeps the others out by doing
//! nothing, or little.

use std::{collections::BTreeMap, sync::Arc};

use parking_lot::{Mutex, MutexGuard};
use tokio_util::sync::CancellationToken;

/// The connections that a server waits for.
#[derive(Default)]
pub(crate) struct Idle(Mutex<Seats>);

/// Whether its last request was a good one, and since when it waits.
type Seat = (bool, u64);

#[derive(Default)]
struct Seats {
    next: u64,
    taken: BTreeMap<Seat, CancellationToken>,
}

impl Idle {
    /// Asks one of them to go.
    pub fn make_room(&self) {
        if let Some((_, leave)) = self.seats().taken.pop_first() {
            leave.cancel();
        }
    }

    fn seats(&self) -> MutexGuard<'_, Seats> {
        self.0.lock()
    }
}

/// One connection.
pub(crate) struct Guest {
    idle: Arc<Idle>,
    seat: Mutex<Option<Seat>>,
    /// Cancelled when the connection is to make room.
    pub leave: CancellationToken,
}

impl Guest {
    /// A connection that has asked nothing so far.
    pub fn new(idle: Arc<Idle>) -> Self {
        let guest = Self {
            idle,
            seat: Mutex::default(),
            leave: CancellationToken::new(),
        };
        guest.sits_down(false);
        guest
    }

    /// All of its request is here: from now on the connection waits for the server.
    pub fn gets_up(&self) {
        if let Some(seat) = self.seat().take() {
            self.idle.seats().taken.remove(&seat);
        }
    }

    /// It has got its answer.
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
