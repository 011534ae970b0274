//! Location of the project's directory.

use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use super::{ADOPTED, Error, FILE, Result};
use crate::disk::regular;

/// Returns the directory of the project that contains `dir`: the nearest directory from `dir`
/// upwards with a `PROJECT` or a `rustop.yaml`, as Cargo finds a workspace. Returns `dir` itself if
/// there is none, or if the nearest one above it belongs to another user.
pub fn root(dir: &Path) -> PathBuf {
    match above(dir) {
        Some(found) if found == dir || is_trusted(&found, &users()) => found,
        _ => dir.to_owned(),
    }
}

/// Returns true if a directory has an adopted project: a `rustop.yaml`, and no `PROJECT` of rustop.
pub fn is_adopted(dir: &Path) -> bool {
    let path = dir.join(ADOPTED);
    (path.is_file() || path.is_symlink()) && !is_at(dir)
}

/// Checks that the project in `dir`, if there is one, belongs to the user, to root or to the user
/// of sudo: rustop runs commands that it names and builds its code. git refuses such a directory,
/// too. Not called for a directory that the user has passed explicitly.
///
/// # Errors
/// Returns an error if the project belongs to another user.
pub fn check_owner(dir: &Path) -> Result<()> {
    match above(dir) {
        Some(found) if found == dir && !is_trusted(dir, &users()) => Err(Error::Foreign {
            root: dir.canonicalize().unwrap_or(found),
        }),
        _ => Ok(()),
    }
}

/// Returns the project of another user that contains `dir`. rustop uses such a project only if its
/// directory is passed explicitly: otherwise, rustop would build and run code that anyone could
/// have put into `/tmp`.
pub(super) fn foreign(dir: &Path) -> Option<PathBuf> {
    above(dir).filter(|found| found != dir && !is_trusted(found, &users()))
}

/// Returns the nearest directory from `dir` upwards that has a `PROJECT` or a `rustop.yaml`.
fn above(dir: &Path) -> Option<PathBuf> {
    let has = |dir: &Path| {
        [FILE, ADOPTED].iter().any(|name| {
            let path = dir.join(name);
            path.is_file() || path.is_symlink()
        })
    };
    if has(dir) {
        return Some(dir.to_owned());
    }
    let whole = dir.canonicalize().ok()?;
    whole
        .ancestors()
        .find(|above| has(above))
        .map(Path::to_owned)
}

/// Returns the users whose projects are trusted: the one who runs rustop, root, and the one who ran
/// sudo.
fn users() -> Vec<u32> {
    let sudo = std::env::var("SUDO_UID").ok();
    let sudo = sudo.and_then(|uid| uid.parse().ok());
    let own = [rustix::process::geteuid().as_raw(), 0];
    own.into_iter().chain(sudo).collect()
}

/// Reports whether a project's directory and its `PROJECT` or `rustop.yaml` belong to one of these
/// users.
fn is_trusted(dir: &Path, users: &[u32]) -> bool {
    let owner = |path: &Path| path.symlink_metadata().map(|found| found.uid());
    let files = [FILE, ADOPTED].map(|name| dir.join(name));
    let found = files
        .iter()
        .map(PathBuf::as_path)
        .filter(|path| path.symlink_metadata().is_ok());
    let mut all = found.chain([dir]);
    all.all(|path| owner(path).is_ok_and(|owner| users.contains(&owner)))
}

/// Reports whether `dir` contains a `PROJECT` of rustop, even an invalid one. Neither a `PROJECT`
/// of kubebuilder nor an adopted project counts.
pub fn is_at(dir: &Path) -> bool {
    regular::text(&dir.join(FILE)).is_ok_and(|text| text.contains(OF_RUSTOP))
}

/// The prefix of every layout of rustop.
pub(super) const OF_RUSTOP: &str = "rustop.dev/";

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::project::Project;

    #[test]
    fn a_project_of_another_user_is_not_used_from_below() {
        let place = tempfile::tempdir().unwrap();
        let top = place.path().canonicalize().unwrap();
        let below = top.join("a");
        fs::create_dir(&below).unwrap();
        fs::write(top.join(FILE), "layout: [rustop.dev/v1]").unwrap();
        let own = top.metadata().unwrap().uid();
        assert!(is_trusted(&top, &[own]) && !is_trusted(&top, &[own + 1]));
        // Only root can change the owner of a file.
        if std::os::unix::fs::chown(top.join(FILE), Some(own + 1), None).is_ok() {
            assert!(!is_trusted(&top, &[own]));
            assert_eq!(root(&below), below);
            assert_eq!(foreign(&below), Some(top.clone()));
            assert_eq!(root(&top), top, "it was named");
            assert_eq!(foreign(&top), None);
            let error = check_owner(&top).unwrap_err().to_string();
            assert!(error.ends_with("belongs to another user"), "{error}");
            assert!(check_owner(&below).is_ok(), "no project is used from here");
            let error = Project::load(&below).unwrap_err();
            assert!(
                error.to_string().contains("belongs to another user"),
                "{error}"
            );
            let help = crate::error::Failure::help(&error).unwrap();
            assert!(help.contains(&format!("-C {}", top.display())), "{help}");
        }
    }

    #[test]
    fn a_project_is_found_from_below_and_the_nearest_one_is_meant() {
        let place = tempfile::tempdir().unwrap();
        let top = place.path().canonicalize().unwrap();
        let below = top.join("a/b");
        fs::create_dir_all(&below).unwrap();
        assert_eq!(root(&below), below, "no project is above it");
        assert_eq!(root(&top.join("none")), top.join("none"));
        fs::write(top.join(FILE), "layout: [rustop.dev/v1]").unwrap();
        assert_eq!(root(&below), top);
        assert_eq!(root(&below.join("..")), top);
        assert!(is_at(&top) && !is_at(&below));
        fs::write(top.join("a").join(FILE), "layout: [go.kubebuilder.io/v4]").unwrap();
        assert_eq!(root(&below), top.join("a"));
        assert!(!is_at(&top.join("a")), "another tool's");
    }
}
