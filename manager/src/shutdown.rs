//! The wish to stop: SIGTERM from the kubelet, Ctrl-C from a person.

use tokio::signal::unix::{Signal, SignalKind, signal};

/// Listens from now on, and returns what is done when the process is asked to stop. Whoever asks a second
/// time is in a hurry: then the process ends at once, as if it had not listened.
///
/// # Errors
/// When the system does not let the process listen for signals.
pub(crate) fn requested() -> std::io::Result<impl Future<Output = ()> + Send> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    Ok(async move {
        let (name, _) = next(&mut terminate, &mut interrupt).await;
        tracing::info!("{name}: stopping");
        tokio::spawn(async move {
            let (name, number) = next(&mut terminate, &mut interrupt).await;
            tracing::warn!("{name} again: ending at once");
            exit(128 + number);
        });
    })
}

/// Ends the process.
#[allow(
    clippy::disallowed_methods,
    reason = "what `main` would do is too late, or too much"
)]
pub(crate) fn exit(code: i32) -> ! {
    std::process::exit(code)
}

/// The name and the number of the next signal.
async fn next(terminate: &mut Signal, interrupt: &mut Signal) -> (&'static str, i32) {
    tokio::select! {
        _ = terminate.recv() => ("SIGTERM", SignalKind::terminate().as_raw_value()),
        _ = interrupt.recv() => ("Ctrl-C", SignalKind::interrupt().as_raw_value()),
    }
}
