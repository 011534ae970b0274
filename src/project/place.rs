//! Where a project is.

use std::path::{Path, PathBuf};

use super::FILE;
use crate::disk::regular;

/// The directory of the project that `dir` is in, found as cargo finds a workspace: the nearest one, from
/// `dir` upwards, that has a `PROJECT`. `dir` itself where there is none.
pub fn root(dir: &Path) -> PathBuf {
    let has = |dir: &Path| {
        let path = dir.join(FILE);
        path.is_file() || path.is_symlink()
    };
    if has(dir) {
        return dir.to_owned();
    }
    let whole = dir.canonicalize().unwrap_or_default();
    let found = whole.ancestors().find(|above| has(above));
    found.unwrap_or(dir).to_owned()
}

/// Whether `dir` holds a project of rustop's, whole or broken: kubebuilder's have a `PROJECT`, too.
pub fn is_at(dir: &Path) -> bool {
    regular::text(&dir.join(FILE)).is_ok_and(|text| text.contains(OF_RUSTOP))
}

/// How each layout of rustop's begins.
pub(super) const OF_RUSTOP: &str = "rustop.dev/";

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_project_is_found_from_below_and_the_nearest_one_is_meant() {
        let place = tempfile::tempdir().unwrap();
        let top = place.path().canonicalize().unwrap();
        let below = top.join("a/b");
        fs::create_dir_all(&below).unwrap();
        assert_eq!(root(&below), below, "none is there");
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
