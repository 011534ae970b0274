//! An operator as a process: what it used, as Linux counts it.

use std::fs;
use std::net::{Ipv4Addr, TcpListener};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

/// In which Linux counts CPU time for user space.
const TICKS_PER_SECOND: u64 = 100;
/// The time limit for an operator to stop.
const STOP: Duration = Duration::from_secs(10);

/// An operator that runs; it ends with this value.
pub struct Process {
    child: Child,
    metrics: String,
}

/// CPU time, of user and system, and the highest resident memory.
pub struct Usage {
    pub cpu: Duration,
    pub peak_kib: u64,
}

impl Usage {
    /// The CPU time since an earlier moment; the peak is that of the whole life.
    pub fn since(&self, earlier: &Self) -> Self {
        Self {
            cpu: self.cpu.saturating_sub(earlier.cpu),
            peak_kib: self.peak_kib,
        }
    }
}

impl Process {
    /// With more flags, such as those that say where webhooks are served; without, there are none.
    pub fn start(program: &Path, kubeconfig: &Path, flags: &[String]) -> Self {
        Self::logging(program, kubeconfig, flags, None)
    }

    /// With variables, too.
    pub fn start_with(
        program: &Path,
        kubeconfig: &Path,
        flags: &[String],
        variables: &[(&str, &str)],
    ) -> Self {
        Self::spawn(program, kubeconfig, flags, variables, None)
    }

    /// The same, with a file for what it says, each reconcile included.
    pub fn logging(
        program: &Path,
        kubeconfig: &Path,
        flags: &[String],
        log: Option<&Path>,
    ) -> Self {
        Self::spawn(program, kubeconfig, flags, &[], log)
    }

    fn spawn(
        program: &Path,
        kubeconfig: &Path,
        flags: &[String],
        variables: &[(&str, &str)],
        log: Option<&Path>,
    ) -> Self {
        let said = log.map_or_else(Stdio::null, |log| fs::File::create(log).unwrap().into());
        let level = log.map_or(
            "info",
            |_| "info,rustop_manager::controller::reconcile=debug",
        );
        let port = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))
            .unwrap()
            .local_addr()
            .unwrap()
            .port();
        let child = Command::new(program)
            .arg(format!("--metrics-bind-address=127.0.0.1:{port}"))
            .args(flags)
            .env("RUST_LOG", level)
            .envs([
                ("METRICS_SECURE", "false"),
                ("WEBHOOK_PORT", "0"),
                ("HEALTH_PROBE_BIND_ADDRESS", "0"),
                ("LOG_FORMAT", "json"),
            ])
            .envs(variables.iter().copied())
            .env("KUBECONFIG", kubeconfig)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(said)
            .spawn()
            .unwrap();
        Self {
            child,
            metrics: format!("http://127.0.0.1:{port}/metrics"),
        }
    }

    pub fn used(&self) -> Usage {
        let proc = Path::new("/proc").join(self.child.id().to_string());
        let stat = fs::read_to_string(proc.join("stat")).unwrap();
        // after the name, which may have blanks in it: utime and stime are the fields 14 and 15
        let fields: Vec<_> = stat
            .rsplit_once(')')
            .unwrap()
            .1
            .split_whitespace()
            .collect();
        let ticks: u64 = fields[11..13]
            .iter()
            .map(|ticks| ticks.parse::<u64>().unwrap())
            .sum();
        let status = fs::read_to_string(proc.join("status")).unwrap();
        let peak = status
            .lines()
            .find_map(|line| line.strip_prefix("VmHWM:"))
            .unwrap();
        Usage {
            cpu: Duration::from_millis(ticks * 1000 / TICKS_PER_SECOND),
            peak_kib: peak.trim().trim_end_matches(" kB").parse().unwrap(),
        }
    }

    /// Waits until that many reconciles have succeeded.
    pub async fn reconciled(&self, objects: u64) {
        while self.reconciles() < objects {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// Returns the number of successful reconciles.
    pub fn reconciles(&self) -> u64 {
        self.figure(|name| {
            name.starts_with("controller_runtime_reconcile_total")
                && name.contains("result=\"success\"")
        })
    }

    /// The sum of the figures that are called so; 0 where there is none yet.
    pub fn figure(&self, is_called: impl Fn(&str) -> bool) -> u64 {
        let answer = ureq::get(&self.metrics).call();
        let text = answer.and_then(|mut answer| answer.body_mut().read_to_string());
        let text = text.unwrap_or_default();
        let figures = text.lines().filter_map(|line| line.rsplit_once(' '));
        let called = figures.filter(|(name, _)| is_called(name));
        called.map(|(_, value)| value.parse::<u64>().unwrap()).sum()
    }

    pub fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Resident memory now, in MiB.
    pub fn memory(&self) -> f64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let kib = line.unwrap().trim().trim_end_matches(" kB");
        kib.parse::<f64>().unwrap() / 1024.0
    }

    pub fn stop(mut self) {
        let pid = Pid::from_child(&self.child);
        kill_process(pid, Signal::TERM).unwrap();
        let start = Instant::now();
        while self.child.try_wait().unwrap().is_none() && start.elapsed() < STOP {
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
