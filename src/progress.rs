//! Progress indicators on stderr, displayed only on an interactive terminal.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::terminal::{Terminal, escaped};

/// A line with a progress indicator on stderr. Dropping it erases the line.
pub struct Progress(ProgressBar);

impl Progress {
    /// Creates a progress bar for `total` bytes, or a byte counter if the total is unknown.
    pub fn bytes(terminal: Terminal, what: &str, total: Option<u64>) -> Self {
        let template = match total {
            Some(_) => "{msg:>40} [{bar:30}] {bytes}/{total_bytes} {bytes_per_sec} {eta}",
            None => "{msg:>40} {bytes} {bytes_per_sec}",
        };
        Self::new(terminal, what, template, total)
    }

    /// Creates a spinner with the elapsed time, for operations without measurable progress.
    pub fn clock(terminal: Terminal, what: &str) -> Self {
        let progress = Self::new(terminal, what, "{msg:>40} {spinner} {elapsed}", None);
        if !progress.0.is_hidden() {
            progress.0.enable_steady_tick(Duration::from_millis(200));
        }
        progress
    }

    /// Adds `count` bytes to the progress.
    pub fn advance(&self, count: usize) {
        self.0.inc(count as u64);
    }

    fn new(terminal: Terminal, what: &str, template: &str, total: Option<u64>) -> Self {
        let target = if terminal.is_interactive() {
            ProgressDrawTarget::stderr()
        } else {
            ProgressDrawTarget::hidden()
        };
        let bar = ProgressBar::with_draw_target(total, target);
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style.progress_chars("=> "));
        }
        bar.set_message(escaped(what));
        Self(bar)
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
