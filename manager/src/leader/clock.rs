//! The clock of leases. No user can set it, and it continues while the machine sleeps.
//!
//! No clock of the standard library does both: `Instant` stops during sleep, and `SystemTime` jumps
//! when it is set, which must not affect a lease. On Linux this reads the uptime, which includes
//! sleep. Elsewhere, where operators only run for development, it uses the wall clock.

use std::fs::File;
use std::ops::Add;
use std::os::unix::fs::FileExt;
use std::sync::LazyLock;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use tokio::time::Instant;

/// A point in time on two clocks: one that stops while the machine sleeps, and one that does not.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moment {
    /// On the clock that stops while the machine sleeps.
    awake: Instant,
    /// On the clock that does not: the time since the start of that clock.
    sleepless: Duration,
}

impl Moment {
    pub fn now() -> Self {
        Self {
            awake: Instant::now(),
            sleepless: sleepless(),
        }
    }

    /// Returns true if either clock has reached this moment: a lease counts as run out rather too
    /// early than too late.
    pub fn has_come(self) -> bool {
        Instant::now() >= self.awake || sleepless() >= self.sleepless
    }
}

impl Add<Duration> for Moment {
    type Output = Self;

    fn add(self, time: Duration) -> Self {
        Self {
            awake: self.awake + time,
            sleepless: self.sleepless.saturating_add(time),
        }
    }
}

/// Kept open: the time must be readable even if the process has no file descriptor left.
static UPTIME: LazyLock<Option<File>> = LazyLock::new(|| File::open("/proc/uptime").ok());

/// Returns the time of the clock that continues while the machine sleeps.
fn sleepless() -> Duration {
    #[cfg(feature = "testing")]
    if let Some(elapsed) = crate::clock::virtual_time::elapsed() {
        return elapsed;
    }
    let read = match &*UPTIME {
        Some(file) => uptime(file),
        None => SystemTime::now().duration_since(UNIX_EPOCH).ok(),
    };
    // Without a clock, every moment counts as reached.
    read.unwrap_or(Duration::MAX)
}

/// Reads the uptime from `/proc/uptime`, whose first word is the number of seconds.
fn uptime(file: &File) -> Option<Duration> {
    let mut text = [0; 64];
    let length = file.read_at(&mut text, 0).ok()?;
    let text = std::str::from_utf8(&text[..length]).ok()?;
    let seconds: f64 = text.split(' ').next()?.parse().ok()?;
    Duration::try_from_secs_f64(seconds).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINUTE: Duration = Duration::from_secs(60);

    #[test]
    fn either_clock_brings_a_moment() {
        let now = Moment::now();
        assert!(now.has_come());
        assert!(!(now + MINUTE).has_come());
        let slept = Moment {
            sleepless: now.sleepless,
            ..now + MINUTE
        };
        assert!(slept.has_come(), "only one clock runs in a sleep");
        let stood_still = Moment {
            awake: now.awake,
            ..now + MINUTE
        };
        assert!(stood_still.has_come());
    }

    /// The uptime counts from the boot of the machine, so no user can set it.
    #[test]
    #[cfg(target_os = "linux")]
    fn the_wall_clock_plays_no_part() {
        let years = Duration::from_secs(20 * 365 * 24 * 3600);
        assert!(sleepless() < years, "{:?} since 1970?", sleepless());
    }

    #[test]
    fn the_clock_advances() {
        let before = sleepless();
        while sleepless() == before {
            std::thread::yield_now();
        }
        assert!(sleepless() > before);
    }
}
