//! Extraction of programs from a release archive.

use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Component, Path};

use flate2::read::GzDecoder;
use tar::{Archive, EntryType};

use super::error::{Error, Result};

/// The maximum size of the files of an archive in bytes, about ten times the largest known one. A
/// small archive can hold files without an end.
const LIMIT: u64 = 2 << 30;

/// Unpacks `programs` of the gzipped tar archive at `path` into `dir`, from any directory of the
/// archive. `origin` names the source of the archive in errors.
///
/// # Errors
/// Returns an error if the archive has an entry that would be written outside of `dir`, or that is
/// neither a regular file nor a directory, even if that entry is not one of `programs`, or if its
/// files have more than [`LIMIT`] bytes.
pub fn unpack(path: &Path, origin: &str, programs: &[&'static str], dir: &Path) -> Result<()> {
    let broken = |source| Error::Archive {
        archive: origin.into(),
        source,
    };
    let file = File::open(path).map_err(Error::io("open", path))?;
    let mut archive = Archive::new(GzDecoder::new(file));
    let mut found = Vec::new();
    let mut left = LIMIT;
    for entry in archive.entries().map_err(broken)? {
        let mut entry = entry.map_err(broken)?;
        let entry_path = entry.path().map_err(broken)?.into_owned();
        let kind = entry.header().entry_type();
        let rest = left.checked_sub(entry.size());
        let is_too_large = rest.is_none().then_some("makes it larger than 2 GiB");
        left = rest.unwrap_or_default();
        if let Some(why) = objection(&entry_path, kind).or(is_too_large) {
            return Err(Error::ArchiveEntry {
                archive: origin.into(),
                entry: entry_path.display().to_string(),
                why,
            });
        }
        let program = programs
            .iter()
            .find(|program| entry_path.file_name() == Some(program.as_ref()));
        if let Some(program) = program
            && kind == EntryType::Regular
        {
            write_program(&mut entry, &dir.join(program), broken)?;
            found.push(*program);
        }
    }
    // The checksum of the gzip stream follows the last entry.
    io::copy(&mut archive.into_inner().take(LIMIT), &mut io::sink()).map_err(broken)?;
    match programs.iter().find(|program| !found.contains(program)) {
        Some(program) => Err(Error::ArchiveIncomplete {
            archive: origin.into(),
            program,
        }),
        None => Ok(()),
    }
}

fn objection(path: &Path, kind: EntryType) -> Option<&'static str> {
    let climbs = path
        .components()
        .any(|part| !matches!(part, Component::Normal(_) | Component::CurDir));
    match kind {
        _ if climbs => Some("would be written outside of the directory"),
        EntryType::Regular | EntryType::Directory => None,
        EntryType::Symlink | EntryType::Link => Some("is a link"),
        _ => Some("is neither a file nor a directory"),
    }
}

fn write_program(
    from: &mut impl Read,
    path: &Path,
    broken: impl Fn(io::Error) -> Error,
) -> Result<()> {
    let mut to = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o755)
        .open(path)
        .map_err(Error::io("create", path))?;
    let mut buffer = vec![0; 64 << 10];
    loop {
        let count = from.read(&mut buffer).map_err(&broken)?;
        if count == 0 {
            return to.sync_all().map_err(Error::io("write", path));
        }
        io::Write::write_all(&mut to, &buffer[..count]).map_err(Error::io("write", path))?;
    }
}

#[cfg(test)]
mod tests {
    use flate2::Compression;
    use flate2::write::GzEncoder;
    use tar::Header;

    use super::*;

    #[test]
    fn an_archive_of_endless_files_is_refused_at_once() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("archive.tar.gz");
        let mut header = Header::new_ustar();
        header.set_path("bin/etcd").unwrap();
        header.set_mode(0o755);
        header.set_entry_type(EntryType::Regular);
        header.set_size(LIMIT + 1);
        header.set_cksum();
        let mut to = GzEncoder::new(File::create(&path).unwrap(), Compression::fast());
        io::Write::write_all(&mut to, header.as_bytes()).unwrap();
        to.finish().unwrap();
        let error = unpack(&path, "here", &["etcd"], dir.path()).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the archive `here` contains `bin/etcd`, which makes it larger than 2 GiB"
        );
        assert!(!dir.path().join("etcd").exists());
    }
}
