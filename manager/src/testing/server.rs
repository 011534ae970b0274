//! What requests and watches share.

use std::{
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

use parking_lot::{Mutex, MutexGuard};
use tokio::{sync::watch, time::sleep};

use super::state::State;

/// An answer takes up to so many milliseconds.
const LATENCY: u64 = 5;

pub(super) struct Server {
    state: Mutex<State>,
    /// The newest revision, for those who watch.
    news: watch::Sender<u64>,
    /// How many requests there were.
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

    /// A moment, of a length that follows from the seed.
    pub async fn pause(&self) {
        let time = self.state().random.below(LATENCY);
        sleep(Duration::from_millis(time)).await;
    }

    /// A request has come.
    pub fn asked(&self) {
        self.requests.fetch_add(1, Ordering::Relaxed);
    }

    /// How much has happened so far.
    pub fn activity(&self) -> (u64, u64) {
        (self.requests.load(Ordering::Relaxed), self.state().revision)
    }

    /// Tells those who watch, if there is something new.
    pub fn tell(&self) {
        let revision = self.state().revision;
        self.news
            .send_if_modified(|known| std::mem::replace(known, revision) != revision);
    }

    /// Hears when something new is there.
    pub fn listen(&self) -> watch::Receiver<u64> {
        self.news.subscribe()
    }
}
