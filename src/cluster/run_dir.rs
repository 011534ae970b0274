//! A private directory for the secrets of one run: the operator's token, its kubeconfig, the key of
//! its webhook server.
//!
//! It is below the state directory and never in the shared temporary one. The process that created
//! it holds a lock in it. After SIGKILL the janitor of `rustop dev`, or the next run of rustop,
//! finds a directory that no process holds, revokes the token and removes the directory.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use tokio::runtime::Builder;

use super::dirs::{Dirs, remove};
use super::error::{Error, Result};
use super::lock::{self, is_same_file};
use crate::client::Grant;
use crate::disk::private;

const LOCK: &str = "lock";
const GRANT: &str = "grant.json";
/// Time limit for an API server to revoke the token of a run that was killed.
const REVOKED_WITHIN: Duration = Duration::from_secs(5);
/// After this time a token has expired, and there is nothing left to revoke.
const EXPIRED_AFTER: Duration = Duration::from_secs(24 * 3600);

/// The directory, locked for this process. Dropping this value removes the secrets, revokes the
/// token if its grant is still recorded, and removes the directory. If the API server cannot be
/// reached, the directory remains with the record, for a later run.
#[derive(Debug)]
pub struct RunDir {
    path: PathBuf,
    _lock: File,
}

impl RunDir {
    /// Creates the directory, and removes those of killed runs.
    ///
    /// # Errors
    /// If the state directory cannot be written to.
    pub fn create(dirs: &Dirs) -> Result<Self> {
        sweep(dirs);
        let parent = runs_dir(dirs);
        private::create_dir(&parent)?;
        loop {
            let path = tempfile::Builder::new()
                .prefix(&prefix(std::process::id()))
                .rand_bytes(8)
                .tempdir_in(&parent)
                .map_err(Error::io("create a directory in", &parent))?
                .keep();
            // The sweep of another process may have removed the empty directory.
            private::create_dir(&path)?;
            let lock = path.join(LOCK);
            let file = lock::open(&lock)?;
            if lock::take(&file, &lock)? && is_same_file(&file, &lock) {
                return Ok(Self { path, _lock: file });
            }
        }
    }

    /// Returns the path of the directory. Only the user who runs rustop can access it.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Records the grant, which names the Secret that the operator's token is bound to, so that the
    /// token is revoked also if this process is killed. Call this before the Secret is created.
    ///
    /// # Errors
    /// If the record cannot be written.
    pub fn record(&self, grant: &Grant) -> Result<()> {
        let text = serde_json::to_string(grant).unwrap_or_default();
        Ok(private::write(&self.path.join(GRANT), &text)?)
    }

    /// Forgets the grant, which has been revoked.
    ///
    /// # Errors
    /// If the record cannot be removed.
    pub fn forget(&self) -> Result<()> {
        let path = self.path.join(GRANT);
        fs::remove_file(&path).map_err(Error::io("remove", path))
    }
}

impl Drop for RunDir {
    fn drop(&mut self) {
        let _ = dispose(&self.path);
    }
}

/// Removes the directories of the process `pid`. It must have ended, or be about to end: this waits
/// for its lock without a time limit.
pub fn remove_those_of(dirs: &Dirs, pid: u32) {
    for path in paths(dirs) {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if !name.starts_with(&prefix(pid)) {
            continue;
        }
        // The kernel closes the files of a killed process one after the other.
        if let Ok(file) = open(&path)
            && file.lock().is_ok()
        {
            let _ = dispose(&path);
        }
    }
}

/// Removes the directories of all runs that were killed.
pub fn sweep(dirs: &Dirs) {
    for path in paths(dirs) {
        let Ok(file) = open(&path) else {
            // Killed before it was locked, or about to be locked. Removes an empty directory only.
            let _ = fs::remove_dir(&path);
            continue;
        };
        if file.try_lock().is_ok() && is_same_file(&file, &path.join(LOCK)) {
            let _ = dispose(&path);
        }
    }
}

/// Removes the secrets at once. If the token cannot be revoked, the record stays for the next run,
/// until the token has expired.
fn dispose(path: &Path) -> Result<()> {
    let record = path.join(GRANT);
    let Some(grant) = fs::read(&record)
        .ok()
        .and_then(|text| serde_json::from_slice(&text).ok())
    else {
        return remove(path);
    };
    for entry in fs::read_dir(path).into_iter().flatten().flatten() {
        let secret = entry.path();
        if secret != record && secret != path.join(LOCK) {
            if secret.is_dir() {
                remove(&secret)?;
            } else {
                fs::remove_file(&secret).map_err(Error::io("remove", secret))?;
            }
        }
    }
    if is_revoked(&grant) || is_expired(&record) {
        remove(path)?;
    }
    Ok(())
}

fn is_revoked(grant: &Grant) -> bool {
    // A thread of its own, because the caller may be in an asynchronous context already.
    let revoke = || {
        let runtime = Builder::new_current_thread().enable_all().build().ok()?;
        let revoked = async { tokio::time::timeout(REVOKED_WITHIN, grant.revoke_later()).await };
        runtime.block_on(revoked).ok()?.ok()
    };
    std::thread::scope(|scope| scope.spawn(revoke).join().ok().flatten().is_some())
}

fn is_expired(record: &Path) -> bool {
    let written = record.metadata().and_then(|found| found.modified());
    let age = written.map(|written| SystemTime::now().duration_since(written));
    age.is_ok_and(|age| age.is_ok_and(|age| age > EXPIRED_AFTER))
}

fn open(path: &Path) -> std::io::Result<File> {
    File::options().append(true).open(path.join(LOCK))
}

fn runs_dir(dirs: &Dirs) -> PathBuf {
    dirs.state.join("run")
}

fn prefix(pid: u32) -> String {
    format!("{pid}-")
}

fn paths(dirs: &Dirs) -> Vec<PathBuf> {
    let entries = fs::read_dir(runs_dir(dirs)).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).collect()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    fn dirs(place: &Path) -> Dirs {
        Dirs {
            cache: place.join("cache"),
            state: place.join("state"),
        }
    }

    #[test]
    fn a_run_directory_is_private_and_ends_with_the_run() {
        let place = tempfile::tempdir().unwrap();
        let dirs = dirs(place.path());
        let run = RunDir::create(&dirs).unwrap();
        for dir in [run.path(), &dirs.state, &dirs.state.join("run")] {
            let mode = dir.metadata().unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o700, "{}", dir.display());
        }
        let path = run.path().to_owned();
        sweep(&dirs);
        assert!(path.is_dir(), "the directory of a live run remains");
        drop(run);
        assert!(!path.exists());
    }

    #[test]
    fn the_next_run_removes_the_directory_of_a_killed_run() {
        let place = tempfile::tempdir().unwrap();
        let dirs = dirs(place.path());
        let left = place.path().join("state/run/4000000-killed");
        private::create_dir(&left).unwrap();
        for file in [LOCK, "token"] {
            fs::write(left.join(file), "").unwrap();
        }
        drop(RunDir::create(&dirs).unwrap());
        assert!(!left.exists());
    }

    #[test]
    fn a_token_that_cannot_be_revoked_is_removed_and_revoked_later() {
        let place = tempfile::tempdir().unwrap();
        let dirs = dirs(place.path());
        let run = RunDir::create(&dirs).unwrap();
        let path = run.path().to_owned();
        fs::write(path.join("token"), "x").unwrap();
        run.record(&Grant {
            kubeconfig: Some(place.path().join("none")),
            namespace: "ns".into(),
            secret: "one".into(),
        })
        .unwrap();
        drop(run);
        assert!(path.join(GRANT).exists() && !path.join("token").exists());
        let long_ago = SystemTime::now() - EXPIRED_AFTER - Duration::from_secs(60);
        let record = File::options().append(true).open(path.join(GRANT)).unwrap();
        record.set_modified(long_ago).unwrap();
        remove_those_of(&dirs, std::process::id());
        assert!(!path.exists(), "it has expired");
    }
}
