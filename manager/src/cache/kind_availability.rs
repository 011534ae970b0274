//! Records whether the API server serves a kind, and whether a controller requires it.

use std::sync::atomic::{AtomicBool, Ordering};

use futures::{Stream, stream};
use tokio::sync::watch;

pub(crate) struct Served {
    now: watch::Sender<bool>,
    required: AtomicBool,
}

impl Default for Served {
    fn default() -> Self {
        Self {
            now: watch::Sender::new(true),
            required: AtomicBool::new(false),
        }
    }
}

impl Served {
    /// Records that a controller requires the kind.
    pub fn require(&self) {
        self.required.store(true, Ordering::Relaxed);
    }

    pub fn is_required(&self) -> bool {
        self.required.load(Ordering::Relaxed)
    }

    /// Returns true if the API server serves the kind, according to its watches. True before their
    /// first request.
    pub fn is(&self) -> bool {
        *self.now.borrow()
    }

    /// Records the result of a request. Returns true if it differs from the previous one.
    pub fn found(&self, served: bool) -> bool {
        self.now
            .send_if_modified(|now| std::mem::replace(now, served) != served)
    }

    /// Returns a stream with one item for each change from now on.
    pub fn changes(&self) -> impl Stream<Item = ()> + Send + use<> {
        stream::unfold(self.now.subscribe(), async |mut now| {
            now.changed().await.ok()?;
            Some(((), now))
        })
    }
}
