//! Temporary directories for tests that write and remove whole projects, again and again. In memory
//! this takes a tenth of the system time of ext4, which searches longer for each new file the more
//! were removed shortly before.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use rustix::fs::{StatVfs, StatVfsMountFlags, statvfs};
use tempfile::TempDir;

/// The directory in memory that Linux has.
const MEMORY: &str = "/dev/shm";
/// Containers often have 64 MiB, in which several tests at once do not fit.
const ENOUGH: u64 = 1 << 30;

/// Creates a temporary directory: in memory if scripts can be run there, or the usual one if not,
/// or if `TMPDIR` names a place.
pub fn scratch() -> TempDir {
    let is_free = std::env::var_os("TMPDIR").is_none();
    if is_free && statvfs(MEMORY).is_ok_and(|found| is_usable(&found)) {
        tempfile::tempdir_in(MEMORY).unwrap()
    } else {
        tempfile::tempdir().unwrap()
    }
}

fn is_usable(found: &StatVfs) -> bool {
    let runs_scripts = !found.f_flag.contains(StatVfsMountFlags::NOEXEC);
    runs_scripts && found.f_bavail.saturating_mul(found.f_frsize) >= ENOUGH
}

#[test]
fn memory_without_scripts_or_space_is_not_usable() {
    let mut found = statvfs("/").unwrap();
    (found.f_flag, found.f_bavail, found.f_frsize) = (StatVfsMountFlags::empty(), ENOUGH, 1);
    assert!(is_usable(&found));
    found.f_bavail -= 1;
    assert!(!is_usable(&found));
    (found.f_flag, found.f_bavail) = (StatVfsMountFlags::NOEXEC, ENOUGH);
    assert!(!is_usable(&found));
}
