//! Metrics of the process, with the standard names of Prometheus clients. They are read from Linux'
//! `/proc` for each scrape. Other platforms have none.

use std::{fmt, fs};

use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric};
use prometheus_client::metrics::{counter::ConstCounter, gauge::ConstGauge};

/// The unit in which Linux reports CPU time to user space, on every architecture that Rust
/// supports.
const TICKS_PER_SECOND: f64 = 100.0;

/// A collector of the metrics of this process, which reads them when it is encoded.
#[derive(Debug)]
pub(crate) struct Process;

impl Collector for Process {
    fn encode(&self, mut encoder: DescriptorEncoder) -> fmt::Result {
        let Some(used) = Used::now() else {
            return Ok(());
        };
        let cpu = ConstCounter::new(used.cpu_seconds);
        let name = "process_cpu_seconds";
        let help = "User and system CPU time in seconds";
        cpu.encode(encoder.encode_descriptor(name, help, None, cpu.metric_type())?)?;
        for (name, help, value) in [
            (
                "resident_memory_bytes",
                "Resident memory in bytes",
                used.resident_bytes,
            ),
            (
                "virtual_memory_bytes",
                "Virtual memory in bytes",
                used.virtual_bytes,
            ),
            (
                "start_time_seconds",
                "Start time of the process, in seconds since the Unix epoch",
                used.started,
            ),
            (
                "open_fds",
                "Number of open file descriptors",
                used.open_files,
            ),
            (
                "max_fds",
                "Maximum number of open file descriptors",
                used.max_files,
            ),
            ("threads", "Number of threads", used.threads),
        ] {
            let (name, gauge) = (format!("process_{name}"), ConstGauge::new(value));
            gauge.encode(encoder.encode_descriptor(&name, help, None, gauge.metric_type())?)?;
        }
        Ok(())
    }
}

struct Used {
    cpu_seconds: f64,
    resident_bytes: f64,
    virtual_bytes: f64,
    /// In seconds since the Unix epoch.
    started: f64,
    open_files: f64,
    /// Infinity if it is not limited.
    max_files: f64,
    threads: f64,
}

impl Used {
    fn now() -> Option<Self> {
        // proc_pid_stat(5): the name may contain spaces; the text after it starts with field 3
        let stat = fs::read_to_string("/proc/self/stat").ok()?;
        let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
        let ticks =
            |field: usize| Some(fields.get(field - 3)?.parse::<f64>().ok()? / TICKS_PER_SECOND);
        let status = fs::read_to_string("/proc/self/status").ok()?;
        let kilobytes = |name| Some(number_after(&status, name)? * 1024.0);
        let boot = number_after(&fs::read_to_string("/proc/stat").ok()?, "btime ")?;
        let limits = fs::read_to_string("/proc/self/limits").ok()?;
        let files = fs::read_dir("/proc/self/fd").ok()?.count();
        Some(Self {
            cpu_seconds: ticks(14)? + ticks(15)?,
            resident_bytes: kilobytes("VmRSS:")?,
            virtual_bytes: kilobytes("VmSize:")?,
            started: boot + ticks(22)?,
            open_files: f64::from(u32::try_from(files).ok()?),
            max_files: number_after(&limits, "Max open files").unwrap_or(f64::INFINITY),
            threads: number_after(&status, "Threads:")?,
        })
    }
}

/// Returns the first number on the line that starts with `name`.
fn number_after(text: &str, name: &str) -> Option<f64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant, UNIX_EPOCH};

    use super::*;

    #[test]
    fn the_figures_are_those_of_this_process() {
        let before = Used::now().unwrap();
        let files = [(); 3].map(|()| fs::File::open("/proc/self/stat").unwrap());
        let memory = vec![1_u8; 64 << 20];
        let start = Instant::now();
        while start.elapsed() < Duration::from_millis(200)
            || Used::now().unwrap().cpu_seconds < 0.05
        {}
        let after = Used::now().unwrap();
        assert!(after.cpu_seconds > before.cpu_seconds);
        assert!(after.resident_bytes > f64::from(32 << 20) && memory[1] == 1);
        assert!(after.virtual_bytes > after.resident_bytes);
        assert!(after.open_files >= 3.0 && after.open_files < after.max_files && files.len() == 3);
        assert!(after.threads >= 1.0);
        let now = UNIX_EPOCH.elapsed().unwrap().as_secs_f64();
        assert!(after.started <= now + 1.0 && after.started > now - 3600.0);
    }

    #[test]
    fn a_limit_may_be_unlimited() {
        let line = "Max open files            unlimited            unlimited            files";
        assert_eq!(number_after(line, "Max open files"), None);
        assert_eq!(number_after("Threads:\t7\n", "Threads:"), Some(7.0));
    }
}
