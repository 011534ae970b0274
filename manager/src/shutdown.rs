//! Stop requests: SIGTERM from the kubelet, Ctrl-C from a user.

use tokio::signal::unix::{Signal, SignalKind, signal};

/// Starts to listen for SIGTERM and Ctrl-C. The returned future completes at the first signal. A
/// second signal ends the process at once, with the exit code of a process that does not handle it.
///
/// # Errors
/// Returns an error if the system does not let the process listen for signals.
pub(crate) fn requested() -> std::io::Result<impl Future<Output = ()> + Send> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    Ok(async move {
        let (name, _) = next(&mut terminate, &mut interrupt).await;
        tracing::info!("{name}: stopping");
        tokio::spawn(async move {
            let (name, number) = next(&mut terminate, &mut interrupt).await;
            tracing::warn!("{name} again: exiting immediately");
            exit(128 + number);
        });
    })
}

/// Ends the process at once.
#[allow(
    clippy::disallowed_methods,
    reason = "the process must end without running the rest of `main`"
)]
pub(crate) fn exit(code: i32) -> ! {
    std::process::exit(code)
}

/// Waits for the next signal and returns its name and number.
async fn next(terminate: &mut Signal, interrupt: &mut Signal) -> (&'static str, i32) {
    tokio::select! {
        _ = terminate.recv() => ("SIGTERM", SignalKind::terminate().as_raw_value()),
        _ = interrupt.recv() => ("Ctrl-C", SignalKind::interrupt().as_raw_value()),
    }
}
