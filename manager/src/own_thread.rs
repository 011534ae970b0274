//! Runs a future on its own thread.

use std::thread;

use tokio::{runtime::Builder, sync::oneshot};

use crate::error::{Error, Result};

/// Runs `work` on a new thread and returns its result. If the returned future is dropped, `work` is
/// dropped at its next `await`.
///
/// # Errors
/// Returns the error of `work`, and an error if the thread cannot be started or `work` panics.
pub(crate) async fn run<T: Send + 'static>(
    name: &str,
    work: impl Future<Output = Result<T>> + Send + 'static,
) -> Result<T> {
    run_on(thread::Builder::new().name(name.to_owned()), name, work).await
}

/// Does the same as [`run`], on the thread that `thread` starts.
async fn run_on<T: Send + 'static>(
    thread: thread::Builder,
    name: &str,
    work: impl Future<Output = Result<T>> + Send + 'static,
) -> Result<T> {
    let (mut result, awaited) = oneshot::channel();
    // The thread creates the runtime: if the thread cannot be started, its closure is dropped here,
    // where the drop of a runtime would panic.
    let start = move || {
        let runtime = match Builder::new_current_thread().enable_all().build() {
            Ok(runtime) => runtime,
            Err(error) => return drop(result.send(Err(error.into()))),
        };
        runtime.block_on(async {
            tokio::select! {
                done = work => drop(result.send(done)),
                () = result.closed() => {}
            }
        });
        // Blocking tasks may run until the process ends.
        runtime.shutdown_background();
    };
    thread.spawn(start)?;
    let panicked = |_| Error::new("Panicked", format!("the thread `{name}` panicked"));
    awaited.await.map_err(panicked)?
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[tokio::test]
    async fn blocking_work_does_not_block_other_tasks() {
        let (unblock, blocked) = std::sync::mpsc::channel();
        let work = async move {
            blocked.recv().unwrap();
            Ok(1)
        };
        let other = async {
            tokio::time::sleep(Duration::from_millis(20)).await;
            unblock.send(()).unwrap();
        };
        let (result, ()) = tokio::join!(run("test", work), other);
        assert_eq!(result.unwrap(), 1);
    }

    #[tokio::test]
    async fn a_thread_that_cannot_be_started_is_an_error() {
        let thread = thread::Builder::new().stack_size(1 << 60);
        let error = run_on(thread, "test", async { Ok(()) }).await.unwrap_err();
        assert_eq!(error.reason(), "ReconcileFailed");
    }

    #[tokio::test]
    async fn abandoned_work_is_dropped() {
        let (kept, dropped) = oneshot::channel::<()>();
        let work = async move {
            let _kept = kept;
            std::future::pending::<Result<()>>().await
        };
        let waiting = tokio::time::timeout(Duration::from_millis(20), run("test", work));
        assert!(waiting.await.is_err());
        assert!(dropped.await.is_err());
    }

    #[tokio::test]
    async fn a_panic_is_an_error() {
        let work = async { panic!("oh") };
        let error = run::<()>("test", work).await.unwrap_err();
        assert!(
            error.to_string().contains("the thread `test` panicked"),
            "{error}"
        );
    }
}
