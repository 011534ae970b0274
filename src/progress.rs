//! Progress on a terminal; nothing where nobody watches.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::terminal::{Terminal, escaped};

/// A line on stderr that moves, and is gone when this value is.
pub struct Progress(ProgressBar);

impl Progress {
    /// A bar for `total` bytes, or a count of bytes where the total is not known.
    pub fn bytes(terminal: Terminal, what: &str, total: Option<u64>) -> Self {
        let template = match total {
            Some(_) => "{msg:>40} [{bar:30}] {bytes}/{total_bytes} {bytes_per_sec} {eta}",
            None => "{msg:>40} {bytes} {bytes_per_sec}",
        };
        Self::new(terminal, what, template, total)
    }

    /// A clock, for what does not tell how far it is.
    pub fn clock(terminal: Terminal, what: &str) -> Self {
        let progress = Self::new(terminal, what, "{msg:>40} {spinner} {elapsed}", None);
        if !progress.0.is_hidden() {
            progress.0.enable_steady_tick(Duration::from_millis(200));
        }
        progress
    }

    /// `count` bytes more.
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
