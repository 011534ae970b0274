//! The threads that reconciles run on, where one is not enough.

use std::io;

use tokio::runtime::{Builder, Handle, Runtime};

/// A runtime of their own for reconciles, and nothing else: queues, watches and connections stay with the thread
/// that made it, so that a reconcile that computes or blocks never has one of them waiting behind it.
pub(crate) struct Workers(Option<Runtime>);

impl Workers {
    /// With one thread it is the caller's.
    pub fn start(threads: usize) -> io::Result<Self> {
        if threads <= 1 {
            return Ok(Self(None));
        }
        let mut runtime = Builder::new_multi_thread();
        let runtime = runtime.worker_threads(threads).thread_name("reconciles");
        Ok(Self(Some(runtime.enable_all().build()?)))
    }

    /// Where to spawn.
    pub fn handle(&self) -> Handle {
        let own = self.0.as_ref().map(|runtime| runtime.handle().clone());
        own.unwrap_or_else(Handle::current)
    }
}

impl Drop for Workers {
    /// What still blocks may go on until the process ends.
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

    /// Whether one that blocks until another one runs sees that.
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
    async fn what_blocks_one_of_several_threads_leaves_the_others() {
        assert!(!one_leaves_the_other(1).await);
        assert!(one_leaves_the_other(2).await);
    }
}
