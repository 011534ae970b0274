//! Runs jobs in parallel.

use std::future::Future;

use tokio::task::JoinSet;

/// Starts jobs in order, and runs at most `width` of them in parallel. Calls `done` with each
/// result, in the order in which the jobs end. When `is_over` returns true, jobs that have not
/// started stay in the iterator. Returns when all started jobs have ended.
///
/// # Panics
/// Panics if a job panics.
pub async fn run_jobs<J, T, F>(
    jobs: &mut impl Iterator<Item = J>,
    width: usize,
    is_over: impl Fn() -> bool,
    work: impl Fn(J) -> F,
    mut done: impl FnMut(T),
) where
    T: Send + 'static,
    F: Future<Output = T> + Send + 'static,
{
    let mut running = JoinSet::new();
    loop {
        while running.len() < width && !is_over() {
            let Some(job) = jobs.next() else { break };
            running.spawn(work(job));
        }
        match running.join_next().await {
            Some(Ok(result)) => done(result),
            Some(Err(error)) => std::panic::resume_unwind(error.into_panic()),
            None => return,
        }
    }
}
