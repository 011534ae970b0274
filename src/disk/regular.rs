//! Reading of files from untrusted sources, such as a clone, an archive or another tool.
//!
//! A clone can contain links to `/dev/zero`, named pipes and endless files. Only regular files are
//! read, and only up to a limit.

use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Read};
use std::os::unix::fs::{FileTypeExt as _, OpenOptionsExt as _};
use std::path::{Component, Path};

use rustix::fs::OFlags;

use crate::error::Advised;

/// The maximum size of a file in bytes: ten times the largest known CRD, and more than any Rust
/// source file.
pub const LIMIT: u64 = 16 << 20;
/// The help for a link that leads out of the project.
const LINK: &str = "replace the link by a copy of its target";

/// Opens a regular file. Does not block on a named pipe.
///
/// # Errors
/// Returns an error if the file is not a regular file or cannot be opened.
pub fn open(path: &Path) -> io::Result<File> {
    let flags = OFlags::NONBLOCK.bits();
    let file = OpenOptions::new()
        .read(true)
        .custom_flags(i32::try_from(flags).unwrap_or_default())
        .open(path)?;
    let kind = file.metadata()?.file_type();
    if kind.is_file() {
        return Ok(file);
    }
    if kind.is_dir() {
        return Err(ErrorKind::IsADirectory.into());
    }
    let kind = if kind.is_fifo() {
        "a named pipe"
    } else if kind.is_char_device() || kind.is_block_device() {
        "a device"
    } else {
        "a special file"
    };
    Err(Advised::io(
        ErrorKind::Other,
        format!("it is {kind}, not a regular file"),
        "write its text into a file, and use that",
    ))
}

/// Returns the contents of a regular file of at most `limit` bytes.
///
/// # Errors
/// Returns an error if the file is not a regular file, is larger, or cannot be read.
pub fn bytes(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    let file = open(path)?;
    let size = file.metadata()?.len();
    if size > limit {
        return Err(too_large(size, limit));
    }
    let bytes = Vec::with_capacity(usize::try_from(size).unwrap_or_default());
    // Files in /proc report the size 0, and a file may grow while it is read.
    read_limited(file, limit, bytes)
}

/// Appends all bytes of a reader to `bytes`, and returns an error if that then has more than
/// `limit` bytes.
fn read_limited(reader: impl Read, limit: u64, mut bytes: Vec<u8>) -> io::Result<Vec<u8>> {
    reader.take(limit + 1).read_to_end(&mut bytes)?;
    match bytes.len() as u64 {
        read if read > limit => Err(too_large(read, limit)),
        _ => Ok(bytes),
    }
}

/// Returns the text of a regular file of at most [`LIMIT`] bytes. Follows links; [`text_in`] is for
/// files whose text is shown.
///
/// # Errors
/// Returns an error if the file is not a regular file, is larger, is not UTF-8, or cannot be read.
pub fn text(path: &Path) -> io::Result<String> {
    decoded(bytes(path, LIMIT)?)
}

/// Returns the text of a reader, such as the standard input, of at most [`LIMIT`] bytes.
///
/// # Errors
/// Returns an error if the text is larger, is not UTF-8, or cannot be read.
pub fn text_from(reader: impl Read) -> io::Result<String> {
    decoded(read_limited(reader, LIMIT, Vec::new())?)
}

fn decoded(bytes: Vec<u8>) -> io::Result<String> {
    String::from_utf8(bytes).map_err(|error| {
        Advised::io(
            ErrorKind::InvalidData,
            format!("it is not UTF-8: {}", error.utf8_error()),
            "save the file as UTF-8; `iconv -f ISO-8859-1 -t UTF-8` converts one of ISO 8859-1",
        )
    })
}

/// Returns the text of the file `name` in a project's directory, which may be a link to another
/// file of the project. A clone can contain a link to a private file elsewhere, whose text would be
/// shown in a difference or an error. Directories in `name` are not checked.
///
/// # Errors
/// Returns the errors of [`text`], and an error if the file is a link that leads out of `dir`.
pub fn text_in(dir: &Path, name: &str) -> io::Result<String> {
    let path = dir.join(name);
    // A special file is named as such, wherever it is.
    drop(open(&path)?);
    if path.is_symlink() && leads_out(dir, &path)? {
        return Err(Advised::io(
            ErrorKind::Other,
            "it is a link to a file outside of the project",
            LINK,
        ));
    }
    text(&path)
}

/// Checks that `name`, a path within a project's directory, does not lead out of it through a link,
/// which a clone can contain. A path that the user has given from outside, absolute or with `..`,
/// may lead anywhere.
///
/// # Errors
/// Returns an error if it leads out of `dir`, or if it does not exist.
pub fn check_in(dir: &Path, name: &Path) -> io::Result<()> {
    let is_within = name
        .components()
        .all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
    if is_within && leads_out(dir, &dir.join(name))? {
        return Err(Advised::io(
            ErrorKind::Other,
            "a link leads out of the project",
            LINK,
        ));
    }
    Ok(())
}

/// Reports whether a path leads out of `dir` when its links are followed.
fn leads_out(dir: &Path, path: &Path) -> io::Result<bool> {
    Ok(!path.canonicalize()?.starts_with(dir.canonicalize()?))
}

fn too_large(size: u64, limit: u64) -> io::Error {
    let limit = limit >> 20;
    Advised::io(
        ErrorKind::Other,
        format!("it has {size} bytes, and at most {limit} MiB are read"),
        "use a smaller file, with only what is needed from this one",
    )
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn special_and_large_files_are_refused_at_once() {
        let dir = tempfile::tempdir().unwrap();
        let [zero, pipe, large] = ["zero", "pipe", "large"].map(|name| dir.path().join(name));
        symlink("/dev/zero", &zero).unwrap();
        let made = std::process::Command::new("mkfifo").arg(&pipe).status();
        assert!(made.unwrap().success());
        let file = File::create(&large).unwrap();
        file.set_len(LIMIT + 1).unwrap();
        let says = |path: &Path| text(path).unwrap_err().to_string();
        assert_eq!(says(&zero), "it is a device, not a regular file");
        assert_eq!(says(&pipe), "it is a named pipe, not a regular file");
        assert_eq!(
            says(&large),
            "it has 16777217 bytes, and at most 16 MiB are read"
        );
        let directory = text(dir.path()).unwrap_err();
        assert_eq!(directory.kind(), ErrorKind::IsADirectory);
        file.set_len(LIMIT).unwrap();
        assert_eq!(text(&large).unwrap().len() as u64, LIMIT);
        fs::write(&large, b"\xff").unwrap();
        assert_eq!(text(&large).unwrap_err().kind(), ErrorKind::InvalidData);
        assert_eq!(
            text(&dir.path().join("none")).unwrap_err().kind(),
            ErrorKind::NotFound
        );
    }

    #[test]
    fn a_link_of_a_project_leads_to_its_own_files_only() {
        let dir = tempfile::tempdir().unwrap();
        let project = dir.path().join("project");
        fs::create_dir(&project).unwrap();
        fs::write(dir.path().join("secret"), "secret").unwrap();
        fs::write(project.join("own"), "own").unwrap();
        for (name, target) in [
            ("inside", "own"),
            ("outside", "../secret"),
            ("dangling", "none"),
        ] {
            symlink(target, project.join(name)).unwrap();
        }
        assert_eq!(text_in(&project, "own").unwrap(), "own");
        assert_eq!(text_in(&project, "inside").unwrap(), "own");
        let outside = text_in(&project, "outside").unwrap_err().to_string();
        assert!(outside.contains("outside of the project"), "{outside}");
        for name in ["dangling", "none"] {
            let missing = text_in(&project, name).unwrap_err();
            assert_eq!(missing.kind(), ErrorKind::NotFound, "{name}");
        }
    }

    #[test]
    fn a_file_that_does_not_tell_its_size_is_read_up_to_the_limit() {
        let maps = Path::new("/proc/self/smaps");
        if maps.exists() {
            assert!(bytes(maps, 1 << 20).is_ok());
            assert!(bytes(maps, 100).is_err());
        }
    }
}
