//! Ctrl-C and its kin, noticed instead of obeyed, so that there is time to tear down.

use std::fmt::{self, Display, Formatter};
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

use crate::error::Failure;

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
    pub fn check(&self) -> Result<(), Interrupted> {
        match self.take() {
            Some(signal) => Err(Interrupted { signal }),
            None => Ok(()),
        }
    }
}

/// Ctrl-C or a signal.
#[derive(Clone, Copy, Debug)]
pub struct Interrupted {
    /// The signal's number.
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
