//! Work that is done beside other work.

use std::future::Future;

use tokio::task::JoinSet;

/// Does work for each job, some of it at the same time, and in the order of the jobs. Those that were not begun
/// when it is over stay.
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
