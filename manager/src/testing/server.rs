//! The state shared by requests and watches.

use std::{
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

use parking_lot::{Mutex, MutexGuard};
use tokio::{sync::watch, time::sleep};

use super::state::State;

/// Upper limit of the latency of a response, in milliseconds.
const LATENCY: u64 = 5;

pub(super) struct Server {
    state: Mutex<State>,
    /// The newest revision, sent to the watches.
    news: watch::Sender<u64>,
    /// Number of requests so far.
    requests: AtomicU64,
}

impl Server {
    pub fn new(seed: u64) -> Self {
        Self {
            state: Mutex::new(State::new(seed)),
            news: watch::Sender::new(0),
            requests: AtomicU64::new(0),
        }
    }

    pub fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }

    /// Waits for a time that the seed determines.
    pub async fn pause(&self) {
        let time = self.state().random.below(LATENCY);
        sleep(Duration::from_millis(time)).await;
    }

    /// Counts a request.
    pub fn asked(&self) {
        self.requests.fetch_add(1, Ordering::Relaxed);
    }

    /// Returns the number of requests and the revision, which change with any activity.
    pub fn activity(&self) -> (u64, u64) {
        (self.requests.load(Ordering::Relaxed), self.state().revision)
    }

    /// Notifies the watches if there is a new revision.
    pub fn tell(&self) {
        let revision = self.state().revision;
        self.news
            .send_if_modified(|known| std::mem::replace(known, revision) != revision);
    }

    /// Returns a receiver of new revisions.
    pub fn listen(&self) -> watch::Receiver<u64> {
        self.news.subscribe()
    }
}
