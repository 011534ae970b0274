//! Whether the API server serves a kind, and whether anybody minds if it does not.

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
    /// Some controller cannot do without the kind.
    pub fn require(&self) {
        self.required.store(true, Ordering::Relaxed);
    }

    pub fn is_required(&self) -> bool {
        self.required.load(Ordering::Relaxed)
    }

    /// As far as its watches know. True before they have asked.
    pub fn is(&self) -> bool {
        *self.now.borrow()
    }

    /// A watch has asked. Returns whether that is news.
    pub fn found(&self, served: bool) -> bool {
        self.now
            .send_if_modified(|now| std::mem::replace(now, served) != served)
    }

    /// Something at each turn from now on.
    pub fn turns(&self) -> impl Stream<Item = ()> + Send + use<> {
        stream::unfold(self.now.subscribe(), async |mut now| {
            now.changed().await.ok()?;
            Some(((), now))
        })
    }
}
