//! The line of progress at the bottom of the terminal: everything else is printed above it.

use std::sync::{Mutex, PoisonError};

use indicatif::ProgressBar;

/// A process has one terminal, to which several threads may write.
static SHOWN: Mutex<Option<ProgressBar>> = Mutex::new(None);

/// Keeps `bar` below everything that is printed from now on.
pub fn show_progress(bar: &ProgressBar) {
    *SHOWN.lock().unwrap_or_else(PoisonError::into_inner) = Some(bar.clone());
}

/// Removes the line of progress.
pub fn hide_progress() {
    let shown = SHOWN.lock().unwrap_or_else(PoisonError::into_inner).take();
    if let Some(bar) = shown {
        bar.finish_and_clear();
    }
}

/// Runs `print` while the line of progress is cleared. No other thread prints meanwhile.
pub fn above_progress(print: impl FnOnce()) {
    match &*SHOWN.lock().unwrap_or_else(PoisonError::into_inner) {
        Some(bar) => bar.suspend(print),
        None => print(),
    }
}
