//! The wish to stop: SIGTERM from the kubelet, Ctrl-C from a person.

use tokio::signal::unix::{SignalKind, signal};

/// Listens from now on, and returns what is done when the process is asked to stop.
///
/// # Errors
/// When the system does not let the process listen for signals.
pub(crate) fn requested() -> std::io::Result<impl Future<Output = ()> + Send> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    Ok(async move {
        let name = tokio::select! {
            _ = terminate.recv() => "SIGTERM",
            _ = interrupt.recv() => "Ctrl-C",
        };
        tracing::info!("{name}: stopping");
    })
}
