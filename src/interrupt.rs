//! Ctrl-C and its kin, noticed instead of obeyed, so that there is time to tear down.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

use crate::cluster::Error;

/// The last signal that came, if any.
#[derive(Clone, Debug, Default)]
pub struct Interrupt(Arc<AtomicUsize>);

impl Interrupt {
    /// From now on SIGINT, SIGTERM and SIGHUP do not end this process.
    pub fn install() -> Self {
        let interrupt = Self::default();
        for signal in [SIGINT, SIGTERM, SIGHUP] {
            let number = usize::try_from(signal).unwrap_or_default();
            // It fails only for signals that cannot be caught.
            let _: io::Result<_> =
                signal_hook::flag::register_usize(signal, Arc::clone(&interrupt.0), number);
        }
        interrupt
    }

    /// The signal that came since the last call.
    pub fn take(&self) -> Option<i32> {
        match self.0.swap(0, Ordering::SeqCst) {
            0 => None,
            signal => i32::try_from(signal).ok(),
        }
    }

    /// Whether a signal came that nobody has taken.
    pub fn came(&self) -> bool {
        self.0.load(Ordering::SeqCst) != 0
    }

    /// An error if a signal came.
    pub fn check(&self) -> Result<(), Error> {
        match self.take() {
            Some(signal) => Err(Error::Interrupted { signal }),
            None => Ok(()),
        }
    }
}
