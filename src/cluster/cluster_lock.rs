//! The exclusive right of a rustop process to use a project's cluster, and the cleanup after the
//! process. `rustop dev`, `rustop torture` and `rustop import --shadow` take it.
//!
//! Until it exits, the process holds the lock of a file that contains its process ID and whether
//! the cluster ends with it. A janitor waits for that lock: however the process ends, also by
//! SIGKILL, the janitor then ends the operator and, if it ends with the process, the cluster. If
//! both are killed, the next [`Hold::take`] or `rustop cluster start` finds a file with content
//! whose lock is free, and cleans up.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::Duration;

use super::cleanup_process::CleanupProcess;
use super::dirs::Dirs;
use super::error::{Error, Result};
use super::holder::{Holder, holders_dir};
use super::lifecycle::Cluster;
use super::lock::{self, is_same_file};
use super::process::{self, Process};
use super::run_dir;
use crate::disk::private;
use crate::interrupt::Interrupt;
use crate::terminal::Terminal;

/// The environment variable with the file of the rustop process that has started a process.
const MARK: &str = "RUSTOP_DEV_OF";
/// Time limit for an operator to end after its rustop was killed.
const GRACE: Duration = Duration::from_secs(5);

/// The lock of a cluster that this process uses for a project, with the janitor that cleans up if
/// the process is killed.
#[derive(Debug)]
pub struct Hold {
    /// The locked file, whose lock ends with the process.
    file: File,
    path: PathBuf,
    holder: Holder,
    janitor: CleanupProcess,
}

impl Hold {
    /// Acquires the lock of the cluster `cluster`, which need not exist. First cleans up after any
    /// process with a [`Hold`] that was killed. Returns `Error::Held` if another process holds the
    /// lock.
    pub fn take(
        dirs: &Dirs,
        cluster: &str,
        interrupt: &Interrupt,
        terminal: Terminal,
    ) -> Result<Self> {
        sweep(dirs, terminal);
        let path = holders_dir(dirs).join(cluster);
        private::create_dir(&holders_dir(dirs))?;
        let file = loop {
            let file = lock::open(&path)?;
            if lock::take(&file, &path)? && is_same_file(&file, &path) {
                break file;
            }
            // The lock may be held by the janitor of a `rustop dev` that has ended.
            if let Some(holder) = Holder::read(&path).filter(|holder| holder.process.is_alive()) {
                let pid = Some(holder.process.pid);
                return Err(Error::Held { pid });
            }
            interrupt.check()?;
            sleep(Duration::from_millis(20));
        };
        // Another `rustop dev` may have been killed since the sweep.
        clean(dirs, &path, terminal)?;
        let pid = std::process::id();
        let hold = Self {
            holder: Holder {
                process: Process::with_pid(pid).unwrap_or_else(|| Process::ended(pid)),
                ends_cluster: false,
            },
            janitor: CleanupProcess::start(&[cluster, &pid.to_string()])?,
            file,
            path,
        };
        hold.write_holder()?;
        Ok(hold)
    }

    /// Records that the cluster must be stopped when this process ends.
    pub fn ends_cluster(&mut self) -> Result<()> {
        self.holder.ends_cluster = true;
        self.write_holder()
    }

    /// Returns the name and the value of the environment variable that marks a process as started
    /// by this one. The cleanup ends all processes that have it.
    pub fn mark(&self) -> (&'static str, &Path) {
        (MARK, &self.path)
    }

    /// Releases the lock and stops the janitor. Call this after the operator and the cluster have
    /// been stopped.
    pub fn release(mut self) -> Result<()> {
        self.file
            .set_len(0)
            .map_err(Error::io("empty", &self.path))?;
        self.janitor.kill();
        Ok(())
    }

    /// Writes the process and whether the cluster ends with it into the locked file.
    fn write_holder(&self) -> Result<()> {
        // Written in place, since a new file of this name would not be the one that is locked.
        let text = serde_json::to_string(&self.holder).unwrap_or_default();
        fs::write(&self.path, text).map_err(Error::io("write", &self.path))
    }
}

/// Runs the janitor: waits until the process `pid` has released the project of `cluster`, and
/// cleans up after it.
pub fn clean_up_after_dev(dirs: &Dirs, cluster: &str, pid: u32, terminal: Terminal) -> Result<()> {
    let _ = rustix::process::setsid();
    let path = holders_dir(dirs).join(cluster);
    let Ok(file) = File::options().append(true).open(&path) else {
        return Ok(());
    };
    file.lock().map_err(Error::io("lock", &path))?;
    let is_meant = Holder::read(&path).is_some_and(|holder| holder.process.pid == pid);
    if is_meant && is_same_file(&file, &path) {
        clean(dirs, &path, terminal)?;
    }
    Ok(())
}

/// Cleans up after each process with a [`Hold`] that was killed together with its janitor. A
/// failure becomes a warning.
pub fn sweep(dirs: &Dirs, terminal: Terminal) {
    for entry in fs::read_dir(holders_dir(dirs))
        .into_iter()
        .flatten()
        .flatten()
    {
        let path = entry.path();
        let file = File::options().append(true).open(&path);
        let Some(_lock) = file.ok().filter(|file| file.try_lock().is_ok()) else {
            continue;
        };
        if let Err(error) = clean(dirs, &path, terminal) {
            let left = "cannot end the processes of a killed `rustop dev`";
            terminal.warning(format!("{left}: {error}"));
        }
    }
}

/// Ends the processes and the cluster of a `rustop dev` that was killed, which the file at `path`
/// names. The caller holds the lock of the file.
fn clean(dirs: &Dirs, path: &Path, terminal: Terminal) -> Result<()> {
    let Some(holder) = Holder::read(path) else {
        return Ok(());
    };
    process::end(&process::marked(MARK, path), GRACE);
    run_dir::remove_those_of(dirs, holder.process.pid);
    let cluster = path.file_name().unwrap_or_default().to_string_lossy();
    if holder.ends_cluster && Cluster::stop(dirs, &cluster)? {
        let message = format!("cluster `{cluster}`, which a `rustop dev` that was killed left");
        terminal.status("Stopped", message);
    }
    fs::write(path, "").map_err(Error::io("empty", path))
}
