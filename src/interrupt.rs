//! Handling of Ctrl-C and similar signals: they set a flag instead of ending the process, so that the run can clean up.

use std::fmt::{self, Display, Formatter};
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

use crate::error::Failure;

/// The last signal that was received and not yet taken.
#[derive(Clone, Debug, Default)]
pub struct Interrupt(Arc<AtomicUsize>);

impl Interrupt {
    /// Installs handlers for SIGINT, SIGTERM and SIGHUP, which no longer end the process.
    pub fn install() -> Self {
        let interrupt = Self::default();
        for signal in [SIGINT, SIGTERM, SIGHUP] {
            let number = usize::try_from(signal).unwrap_or_default();
            // Registration fails only for signals that cannot be caught.
            let _: io::Result<_> =
                signal_hook::flag::register_usize(signal, Arc::clone(&interrupt.0), number);
        }
        interrupt
    }

    /// Returns the last signal since the previous call, and resets it.
    pub fn take(&self) -> Option<i32> {
        match self.0.swap(0, Ordering::SeqCst) {
            0 => None,
            signal => i32::try_from(signal).ok(),
        }
    }

    /// Reports whether a signal was received and not yet taken.
    pub fn came(&self) -> bool {
        self.0.load(Ordering::SeqCst) != 0
    }

    /// Returns an error if a signal was received since the last call, and resets it.
    pub fn check(&self) -> Result<(), Interrupted> {
        match self.take() {
            Some(signal) => Err(Interrupted { signal }),
            None => Ok(()),
        }
    }
}

/// The error of a run that was ended by Ctrl-C or another signal.
#[derive(Clone, Copy, Debug)]
pub struct Interrupted {
    pub signal: i32,
}

impl std::error::Error for Interrupted {}

impl Failure for Interrupted {
    fn exit_code(&self) -> u8 {
        u8::try_from(128 + self.signal).unwrap_or(u8::MAX)
    }
}

impl Display for Interrupted {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.signal {
            SIGHUP => f.write_str("stopped by SIGHUP"),
            SIGINT => f.write_str("stopped by Ctrl-C"),
            SIGTERM => f.write_str("stopped by SIGTERM"),
            other => write!(f, "stopped by signal {other}"),
        }
    }
}
