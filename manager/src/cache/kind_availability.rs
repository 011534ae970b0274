//! Availability of a kind: its CRD may be missing, or may be installed or deleted while the
//! operator runs.

use std::sync::atomic::{AtomicBool, Ordering};

use futures::{Stream, stream};
use tokio::sync::watch;

/// The availability of one kind: served by the API server or not, and required by a controller or
/// optional. Initially served and optional.
pub(crate) struct KindAvailability {
    served: watch::Sender<bool>,
    required: AtomicBool,
}

impl Default for KindAvailability {
    fn default() -> Self {
        Self {
            served: watch::Sender::new(true),
            required: AtomicBool::new(false),
        }
    }
}

impl KindAvailability {
    /// Records that a controller requires the kind.
    pub fn require(&self) {
        self.required.store(true, Ordering::Relaxed);
    }

    /// Returns true if at least one controller requires the kind.
    pub fn is_required(&self) -> bool {
        self.required.load(Ordering::Relaxed)
    }

    /// Returns true if the API server serves the kind, according to its watches. True before their
    /// first request.
    pub fn is_served(&self) -> bool {
        *self.served.borrow()
    }

    /// Records that a request has shown the kind to be served or not. Returns true if that differs
    /// from what was recorded before.
    pub fn record(&self, served: bool) -> bool {
        self.served
            .send_if_modified(|before| std::mem::replace(before, served) != served)
    }

    /// Returns a stream with one item for each time from now on that the kind starts or ceases to
    /// be served. Changes that follow each other quickly may yield one item.
    pub fn changes(&self) -> impl Stream<Item = ()> + Send + use<> {
        stream::unfold(self.served.subscribe(), async |mut served| {
            served.changed().await.ok()?;
            Some(((), served))
        })
    }
}
