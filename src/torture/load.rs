//! The load of the machine, which extends the time limits for the start of an operator and for the
//! first list of each kind in the cluster.

use std::fs;
use std::num::NonZero;
use std::thread::available_parallelism;
use std::time::Duration;

/// The largest factor by which load extends a time limit.
const MOST: f64 = 6.0;
/// The number of runnable processes per processor above which the machine counts as busy.
const BUSY: f64 = 1.5;

/// A meter of the load in `/proc/loadavg`. If that file does not exist, the machine counts as idle.
#[derive(Debug, Default)]
pub struct LoadMeter {
    samples: u32,
    /// The sum of the runnable processes over all samples.
    runnable: f64,
    /// The highest observed average of the last minute.
    average: f64,
}

impl LoadMeter {
    /// Takes a sample of the current load. Call it repeatedly while waiting, and call
    /// [`Self::stretch`] again after each sample.
    pub fn sample(&mut self) {
        let text = fs::read_to_string("/proc/loadavg").unwrap_or_default();
        self.add(&text);
    }

    /// Adds a sample. The average of the last minute lags behind when several operators start at
    /// once. The number of runnable processes is current, but a single value is not significant.
    fn add(&mut self, text: &str) {
        let mut fields = text.split_whitespace();
        let average = fields.next().and_then(|it| it.parse::<f64>().ok());
        let runnable = fields.nth(2).and_then(|it| it.split('/').next());
        let runnable = runnable.and_then(|it| it.parse::<f64>().ok());
        if let Some(average) = average.filter(|it| it.is_finite()) {
            self.average = self.average.max(average);
        }
        if let Some(runnable) = runnable.filter(|it| it.is_finite()) {
            self.samples += 1;
            // rustop itself is running while it takes the sample.
            self.runnable += (runnable - 1.0).max(0.0);
        }
    }

    /// Returns the number of runnable processes per processor.
    fn load(&self, processors: usize) -> f64 {
        let processors = f64::from(u32::try_from(processors).unwrap_or(u32::MAX).max(1));
        let mean = self.runnable / f64::from(self.samples.max(1));
        mean.max(self.average) / processors
    }

    /// Reports whether the load is so high that an error should name it as a possible cause of the
    /// timeout.
    pub fn is_busy(&self) -> bool {
        self.load(processors()) > BUSY
    }

    /// Returns `limit` multiplied by the load per processor, at least by 1 and at most by 6.
    pub fn stretch(&self, limit: Duration) -> Duration {
        stretched(limit, self.load(processors()))
    }
}

fn processors() -> usize {
    available_parallelism().map_or(1, NonZero::get)
}

fn stretched(limit: Duration, load: f64) -> Duration {
    limit.mul_f64(load.clamp(1.0, MOST))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(samples: &[&str]) -> f64 {
        let mut meter = LoadMeter::default();
        for text in samples {
            meter.add(text);
        }
        meter.load(2)
    }

    #[test]
    fn a_busy_machine_gives_processes_more_time() {
        let within = |samples: &[&str]| stretched(Duration::from_secs(30), load(samples)).as_secs();
        assert_eq!(within(&["0.40 0.50 0.60 1/200 4242"]), 30);
        assert_eq!(within(&["6.00 5.00 4.00 1/200 4242"]), 90);
        assert_eq!(within(&["90.00 5.00 4.00 1/200 4242"]), 180, "at most");
        for unreadable in ["", "no number", "NaN inf 0 x/y"] {
            assert_eq!(within(&[unreadable]), 30, "{unreadable}");
        }
    }

    #[test]
    fn load_that_the_average_does_not_show_yet_counts() {
        let sudden = ["0.40 0.50 0.60 9/200 4242", "0.60 0.50 0.60 7/200 4242"];
        assert!((load(&sudden) - 3.5).abs() < 1e-9, "{}", load(&sudden));
        let moment = ["0.40 0.50 0.60 9/200 1", "0.40 0.50 0.60 1/200 1"];
        assert!(load(&[moment[0], moment[1], moment[1], moment[1]]) < BUSY);
    }
}
