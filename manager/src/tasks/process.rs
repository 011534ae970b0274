//! A client of the in-memory API server: the test, or one process of an operator, which can be
//! killed and frozen.

use std::cell::RefCell;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use parking_lot::Mutex;
use tokio_util::sync::CancellationToken;

/// A client process, simulated: a set of Tokio tasks, which are created by [`Process::task`] and
/// [`task_of_current`]. After its crash it receives no more responses.
#[derive(Debug)]
pub(crate) struct Process {
    /// 0 for the test, then counted from 1.
    pub number: usize,
    crashed: CancellationToken,
    frozen: Mutex<Frozen>,
}

#[derive(Debug, Default)]
struct Frozen {
    /// The number of freezes that have not ended. The process is frozen if there is one.
    freezes: usize,
    /// The tasks that wait for the end of the last freeze.
    waiting: Vec<Waker>,
}

thread_local! {
    /// The process whose task runs on this thread.
    static CURRENT: RefCell<Option<Arc<Process>>> = const { RefCell::new(None) };
}

impl Process {
    pub fn new(number: usize) -> Arc<Self> {
        Arc::new(Self {
            number,
            crashed: CancellationToken::new(),
            frozen: Mutex::default(),
        })
    }

    /// Returns true if faults apply to the requests of this process.
    pub fn is_operator(&self) -> bool {
        self.number > 0
    }

    /// Marks the process as crashed. The code that runs its tasks drops them.
    pub fn crash(&self) {
        self.crashed.cancel();
    }

    /// Returns true if the process has crashed.
    pub fn is_dead(&self) -> bool {
        self.crashed.is_cancelled()
    }

    /// Waits until the process has crashed.
    pub async fn wait_for_crash(&self) {
        self.crashed.cancelled().await;
    }

    /// Freezes the tasks of the process, from their next `await` on.
    pub fn freeze(&self) {
        self.frozen.lock().freezes += 1;
    }

    /// Ends a freeze. Returns the wakers of the tasks that waited for it, for the caller to wake in
    /// any order. Empty if another freeze of the process has not ended yet.
    #[must_use]
    pub fn thaw(&self) -> Vec<Waker> {
        let mut frozen = self.frozen.lock();
        frozen.freezes = frozen.freezes.saturating_sub(1);
        if frozen.freezes > 0 {
            return Vec::new();
        }
        std::mem::take(&mut frozen.waiting)
    }

    /// Returns true if the process is frozen. The task of `cx` is then woken at the end of the
    /// freeze.
    fn is_frozen(&self, cx: &Context<'_>) -> bool {
        let mut frozen = self.frozen.lock();
        if frozen.freezes == 0 {
            return false;
        }
        let waiting = &mut frozen.waiting;
        if !waiting.iter().any(|known| known.will_wake(cx.waker())) {
            waiting.push(cx.waker().clone());
        }
        true
    }

    /// Makes `work` a task of this process, which the caller must poll or spawn.
    pub fn task<F: Future>(self: &Arc<Self>, work: F) -> Task<F> {
        Task {
            process: Some(self.clone()),
            work: Box::pin(work),
        }
    }
}

/// Makes `work` a task of the process that calls this function, if there is one.
pub(crate) fn task_of_current<F: Future>(work: F) -> Task<F> {
    Task {
        process: CURRENT.with_borrow(Clone::clone),
        work: Box::pin(work),
    }
}

/// Returns the number of the process whose task runs on this thread; 0 if there is none.
pub(crate) fn current() -> usize {
    CURRENT.with_borrow(|process| process.as_ref().map_or(0, |process| process.number))
}

/// A task of a process. It is not polled while the process is frozen.
pub(crate) struct Task<F> {
    /// `None` if the task was created outside of any process.
    process: Option<Arc<Process>>,
    work: Pin<Box<F>>,
}

impl<F: Future> Future for Task<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
        let Some(process) = self.process.clone() else {
            return self.work.as_mut().poll(cx);
        };
        if process.is_frozen(cx) {
            return Poll::Pending;
        }
        let _current = Current(CURRENT.replace(Some(process)));
        self.work.as_mut().poll(cx)
    }
}

/// Restores the previous process of the thread, also after a panic.
struct Current(Option<Arc<Process>>);

impl Drop for Current {
    fn drop(&mut self) {
        CURRENT.set(self.0.take());
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::task::yield_now;
    use tokio::time::{Instant, sleep, timeout};

    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[tokio::test(start_paused = true)]
    async fn a_frozen_process_continues_where_it_was() {
        let process = Process::new(7);
        let task = process.task(async {
            sleep(SECOND).await;
            let child = tokio::spawn(task_of_current(async { current() }));
            (child.await.unwrap(), Instant::now())
        });
        let start = Instant::now();
        let task = tokio::spawn(task);
        yield_now().await;
        process.freeze();
        sleep(60 * SECOND).await;
        assert!(!task.is_finished());
        process.thaw().into_iter().for_each(Waker::wake);
        let (number, end) = timeout(SECOND, task).await.unwrap().unwrap();
        assert_eq!((number, current()), (7, 0));
        assert!(end - start >= 60 * SECOND);
    }

    #[tokio::test(start_paused = true)]
    async fn a_process_stays_frozen_until_its_last_freeze_ends() {
        let process = Process::new(7);
        process.freeze();
        process.freeze();
        let task = tokio::spawn(process.task(async {}));
        yield_now().await;
        process.thaw().into_iter().for_each(Waker::wake);
        yield_now().await;
        assert!(!task.is_finished());
        process.thaw().into_iter().for_each(Waker::wake);
        timeout(SECOND, task).await.unwrap().unwrap();
    }
}
