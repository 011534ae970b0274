//! A client of the in-memory API server: the test, or one process of an operator, which can be killed.

use std::sync::Arc;

use tokio_util::sync::CancellationToken;

/// A client process. After its crash it receives no more responses.
#[derive(Debug)]
pub(super) struct Process {
    /// 0 for the test, then counted from 1.
    pub number: usize,
    crashed: CancellationToken,
}

impl Process {
    pub fn new(number: usize) -> Arc<Self> {
        Arc::new(Self {
            number,
            crashed: CancellationToken::new(),
        })
    }

    /// Returns true if faults apply to the requests of this process.
    pub fn is_operator(&self) -> bool {
        self.number > 0
    }

    pub fn crash(&self) {
        self.crashed.cancel();
    }

    /// Waits until the process has crashed.
    pub async fn has_crashed(&self) {
        self.crashed.cancelled().await;
    }
}
