//! Files and directories with secrets, such as tokens, private keys, kubeconfigs and recordings.
//! Only the owner can read them, independent of the umask.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io::Write as _;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::Path;

use crate::error::Io;

const DIRECTORY: u32 = 0o700;
const FILE: u32 = 0o600;

/// Creates `dir` and its missing parents with mode 0700. Sets this mode on an existing `dir`, too.
///
/// # Errors
/// Returns an error if the directory cannot be created or belongs to another user.
pub fn create_dir(dir: &Path) -> Result<(), Io> {
    fs::DirBuilder::new()
        .recursive(true)
        .mode(DIRECTORY)
        .create(dir)
        .map_err(Io::on("create", dir))?;
    fs::set_permissions(dir, Permissions::from_mode(DIRECTORY)).map_err(Io::on("protect", dir))
}

/// Replaces `path` atomically with a file of mode 0600.
///
/// # Errors
/// Returns an error if the directory of `path` does not exist or is not writable.
pub fn write(path: &Path, text: &str) -> Result<(), Io> {
    write_bytes(path, text.as_bytes())
}

/// Replaces `path` as [`write()`] does, with content that need not be text.
///
/// # Errors
/// Returns an error if the directory of `path` does not exist or is not writable.
pub fn write_bytes(path: &Path, content: &[u8]) -> Result<(), Io> {
    let dir = path.parent().unwrap_or(Path::new("."));
    // `tempfile` creates files with mode 0600.
    let mut file = tempfile::NamedTempFile::new_in(dir).map_err(Io::on("write", path))?;
    file.write_all(content).map_err(Io::on("write", path))?;
    file.persist(path)
        .map_err(|error| Io::on("write", path)(error.error))?;
    Ok(())
}

/// Writes files of mode 0600 into a directory, which is created if it does not exist: reports,
/// which cite what the API server stores. A link in place of a file is replaced and not followed.
///
/// # Errors
/// Returns an error if the directory cannot be created, or if a file cannot be written.
pub fn write_all(
    dir: &Path,
    files: impl IntoIterator<Item = (impl AsRef<Path>, String)>,
) -> Result<(), Io> {
    fs::create_dir_all(dir).map_err(Io::on("create", dir))?;
    for (name, text) in files {
        write(&dir.join(name), &text)?;
    }
    Ok(())
}

/// Opens `path` for appending, and creates it if needed. Sets mode 0600 on an existing file, too.
///
/// # Errors
/// Returns an error if the file cannot be opened or belongs to another user.
pub fn append(path: &Path) -> Result<File, Io> {
    let file = OpenOptions::new()
        .append(true)
        .create(true)
        .mode(FILE)
        .open(path)
        .map_err(Io::on("write", path))?;
    let mode = file
        .metadata()
        .map(|found| found.permissions().mode() & 0o777);
    if mode.is_ok_and(|mode| mode != FILE) {
        file.set_permissions(Permissions::from_mode(FILE))
            .map_err(Io::on("protect", path))?;
    }
    Ok(file)
}

/// Asserts that only their user reads the files in `dir`.
#[cfg(test)]
pub fn assert_closed(dir: &Path) {
    for entry in fs::read_dir(dir).unwrap() {
        let entry = entry.unwrap();
        let mode = entry.metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, FILE, "{}", entry.path().display());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mode(path: &Path) -> u32 {
        path.metadata().unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn private_files_and_directories_are_closed_to_other_users() {
        let place = tempfile::tempdir().unwrap();
        let dir = place.path().join("a/b");
        create_dir(&dir).unwrap();
        assert_eq!([mode(&dir), mode(&place.path().join("a"))], [0o700; 2]);
        let [fresh, open, log] = ["fresh", "open", "log"].map(|name| dir.join(name));
        fs::write(&open, "").unwrap();
        fs::write(&log, "1").unwrap();
        for path in [&dir, &open, &log] {
            fs::set_permissions(path, Permissions::from_mode(0o755)).unwrap();
        }
        create_dir(&dir).unwrap();
        write(&fresh, "x").unwrap();
        write(&open, "x").unwrap();
        append(&log).unwrap().write_all(b"2").unwrap();
        append(&dir.join("new")).unwrap();
        write_all(&dir, [("report", "x".to_owned())]).unwrap();
        assert_eq!(mode(&dir), 0o700);
        for name in ["fresh", "open", "log", "new", "report"] {
            assert_eq!(mode(&dir.join(name)), 0o600, "{name}");
        }
        assert_eq!(fs::read_to_string(&log).unwrap(), "12");
    }
}
