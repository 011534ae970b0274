//! The threads for reconciles, if one thread is not enough.

use std::io;

use tokio::runtime::{Builder, Handle, Runtime};

/// A separate runtime that runs only reconciles. Queues, watches and connections stay on the thread
/// that created it, so that a reconcile that computes or blocks cannot delay them. `None` if
/// reconciles run on that thread, too.
pub(crate) struct Workers(Option<Runtime>);

impl Workers {
    /// Starts the threads. With one thread, reconciles run on the runtime of the caller.
    pub fn start(threads: usize) -> io::Result<Self> {
        if threads <= 1 {
            return Ok(Self(None));
        }
        let mut runtime = Builder::new_multi_thread();
        let runtime = runtime.worker_threads(threads).thread_name("reconciles");
        Ok(Self(Some(runtime.enable_all().build()?)))
    }

    /// Returns the runtime on which to spawn reconciles.
    pub fn handle(&self) -> Handle {
        let own = self.0.as_ref().map(|runtime| runtime.handle().clone());
        own.unwrap_or_else(Handle::current)
    }
}

impl Drop for Workers {
    /// Does not wait: blocking tasks may run until the process ends.
    fn drop(&mut self) {
        if let Some(runtime) = self.0.take() {
            runtime.shutdown_background();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;
    use std::time::Duration;

    use super::*;

    /// Returns true if a task that blocks until another task runs sees that task run.
    async fn one_leaves_the_other(threads: usize) -> bool {
        let workers = Workers::start(threads).unwrap();
        let (unblock, blocked) = channel();
        let second = Duration::from_secs(1);
        let blocks = async move { blocked.recv_timeout(second).is_ok() };
        let blocks = workers.handle().spawn(blocks);
        let other = workers.handle().spawn(async move { unblock.send(()) });
        let seen = blocks.await.unwrap();
        other.await.unwrap().ok();
        seen
    }

    #[tokio::test]
    async fn a_blocked_thread_does_not_block_the_others() {
        assert!(!one_leaves_the_other(1).await);
        assert!(one_leaves_the_other(2).await);
    }
}
