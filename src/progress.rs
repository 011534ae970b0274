//! The progress of long steps on stderr: a line that is updated on a terminal, a line every 15
//! seconds elsewhere.

use std::time::{Duration, Instant};

use indicatif::{HumanBytes, ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::terminal::{Terminal, escaped, hide_progress, show_progress};

/// Interval between lines in output that is not a terminal, such as the log of a CI job.
const EVERY: Duration = Duration::from_secs(15);
/// Interval between updates of the line on a terminal.
const TICK: Duration = Duration::from_millis(100);
/// Minimum elapsed time for an estimate of the remaining time.
const ESTIMATED_FROM: Duration = Duration::from_secs(5);

/// The progress of one step. It is removed from the terminal when this value is dropped.
pub struct Progress {
    terminal: Terminal,
    /// `Building`, in the column of the status lines.
    verb: &'static str,
    /// `None` if the output is not a terminal.
    bar: Option<ProgressBar>,
    start: Instant,
    /// The time of the last update of the line.
    shown: Instant,
    /// The length of the bar; `None` if unknown.
    total: Option<u64>,
    /// The completed part, in the unit of `total`.
    done: u64,
}

impl Progress {
    /// Starts the progress of a step of length `total`, in any unit; `None` if the length is
    /// unknown. Shows nothing in output that is not a terminal before 15 seconds have passed.
    pub fn new(terminal: Terminal, verb: &'static str, total: Option<u64>) -> Self {
        let start = Instant::now();
        let bar = terminal.is_interactive().then(|| {
            let template = match total {
                Some(_) => "{prefix:>12.green.bold} [{bar:25}] {wide_msg}",
                None => "{prefix:>12.green.bold} {wide_msg}",
            };
            let bar = ProgressBar::with_draw_target(total, ProgressDrawTarget::stderr());
            if let Ok(style) = ProgressStyle::with_template(template) {
                bar.set_style(style.progress_chars("=> "));
            }
            bar.set_prefix(verb);
            show_progress(&bar);
            bar
        });
        Self {
            terminal,
            verb,
            bar,
            start,
            shown: start,
            total,
            done: 0,
        }
    }

    /// Adds `count` bytes to the progress of a download. `what` is its name in the line, such as
    /// `kube-apiserver`.
    pub fn advance(&mut self, count: usize, what: &str) {
        let done = self.done + count as u64;
        let total = self.total;
        self.set(done, || bytes(what, done, total));
    }

    /// Sets the completed part of the total. `counted` describes it in words, and is called only if
    /// the line is due for an update. Callers call this at least every [`TICK`], because the line
    /// contains the elapsed time.
    pub fn set(&mut self, done: u64, counted: impl FnOnce() -> String) {
        self.done = done;
        let now = Instant::now();
        if !self.is_due(now) {
            return;
        }
        let text = line(&counted(), done, self.total, now - self.start);
        match &self.bar {
            Some(bar) => {
                bar.set_message(escaped(&text));
                bar.set_position(done.min(self.total.unwrap_or(done)));
            }
            None => self.terminal.status(self.verb, text),
        }
    }

    /// Returns true if the line must be updated at `now`, and then records `now` as the time of the
    /// last update.
    fn is_due(&mut self, now: Instant) -> bool {
        let every = if self.bar.is_some() { TICK } else { EVERY };
        let is_due = now.saturating_duration_since(self.shown) >= every;
        if is_due {
            self.shown = now;
        }
        is_due
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.bar.is_some() {
            hide_progress();
        }
    }
}

/// Formats the progress of a download: `kube-apiserver, 34.00 MiB of 105.00 MiB`.
fn bytes(what: &str, done: u64, total: Option<u64>) -> String {
    match total {
        Some(total) => format!("{what}, {} of {}", HumanBytes(done), HumanBytes(total)),
        None => format!("{what}, {}", HumanBytes(done)),
    }
}

/// Formats the completed part, the elapsed time, and the remaining time at the same rate.
fn line(counted: &str, done: u64, total: Option<u64>, elapsed: Duration) -> String {
    let left = total.and_then(|total| remaining(done, total, elapsed));
    let left = left.map_or_else(String::new, |left| {
        format!(", about {} left", duration(left))
    });
    format!("{counted}, {} so far{left}", duration(elapsed))
}

/// Estimates the remaining time. Returns `None` during the first 5 seconds, if less than 2 % is
/// done, or if everything is done.
fn remaining(done: u64, total: u64, elapsed: Duration) -> Option<Duration> {
    let is_enough = elapsed >= ESTIMATED_FROM && done * 50 >= total;
    if !is_enough || done >= total {
        return None;
    }
    #[expect(clippy::cast_precision_loss, reason = "it is an estimate")]
    let ratio = (total - done) as f64 / done as f64;
    Some(elapsed.mul_f64(ratio))
}

fn duration(time: Duration) -> String {
    let seconds = time.as_secs();
    match seconds / 60 {
        0 => format!("{seconds} s"),
        minutes => format!("{minutes} min {} s", seconds % 60),
    }
}

#[cfg(test)]
mod tests {
    use anstream::ColorChoice;

    use super::*;

    #[test]
    fn a_line_says_how_far_it_is_and_how_long_the_rest_takes() {
        let seconds = Duration::from_secs;
        for (done, total, elapsed, expected) in [
            (20, Some(80), 30, "x, 30 s so far, about 1 min 30 s left"),
            (20, Some(80), 4, "x, 4 s so far"),
            (1, Some(80), 30, "x, 30 s so far"),
            (0, Some(80), 30, "x, 30 s so far"),
            (80, Some(80), 125, "x, 2 min 5 s so far"),
            (20, None, 30, "x, 30 s so far"),
        ] {
            assert_eq!(line("x", done, total, seconds(elapsed)), expected);
        }
    }

    #[test]
    fn bytes_are_counted_in_units_that_people_read() {
        let mib = 1 << 20;
        assert_eq!(
            bytes("etcd", 3 * mib, Some(25 * mib)),
            "etcd, 3.00 MiB of 25.00 MiB"
        );
        assert_eq!(bytes("etcd", 512, None), "etcd, 512 B");
    }

    #[test]
    fn without_a_terminal_a_line_is_due_every_15_seconds() {
        let quiet = Terminal::new(-1, ColorChoice::Never);
        let mut progress = Progress::new(quiet, "Building", Some(9));
        let mut due = |second| {
            let now = progress.start + Duration::from_secs(second);
            progress.is_due(now)
        };
        let found: Vec<u64> = (0..50).filter(|second| due(*second)).collect();
        assert_eq!(found, [15, 30, 45]);
    }
}
