//! The source location of a sample, which kustomize does not report.

use std::path::{Path, PathBuf};

use walkdir::WalkDir;

use super::error::Error;
use crate::client;
use crate::disk::regular;

const DIR: &str = "config/samples";

/// Adds the location of a sample of a scaffolded project to an error of the API server about it.
pub fn located(root: &Path, error: Error) -> Error {
    let files = WalkDir::new(root.join(DIR))
        .sort_by_file_name()
        .into_iter()
        .flatten()
        .map(walkdir::DirEntry::into_path)
        .filter(|path| {
            let extension = path.extension();
            extension.is_some_and(|extension| extension == "yaml" || extension == "yml")
        });
    located_in(root, &files.collect::<Vec<_>>(), error)
}

/// Adds the location of a sample in one of these files to an error of the API server about it.
pub fn located_in(root: &Path, files: &[PathBuf], error: Error) -> Error {
    let Error::Client(source) = error else {
        return error;
    };
    let client::Error::Refused { object, .. } = &source else {
        return source.into();
    };
    match location(root, files, object) {
        Some(place) => Error::Sample { place, source },
        None => source.into(),
    }
}

/// Returns the location of a sample, such as `config/samples/v1_lolcow.yaml:2` for
/// `lolcow.my.domain/lolcow-sample`, with the line of the kind. Returns `None` if two files match:
/// kustomize may have changed a name.
fn location(root: &Path, files: &[PathBuf], object: &str) -> Option<String> {
    let (kind, name) = object.split_once('/')?;
    let kind = kind.split('.').next().unwrap_or_default();
    let mut places = files.iter().filter_map(|path| {
        let line = line(&regular::text(path).ok()?, kind, name)?;
        let path = path.strip_prefix(root).ok()?;
        Some(format!("{}:{line}", path.display()))
    });
    let found = places.next()?;
    places.next().is_none().then_some(found)
}

/// Returns the line of the `kind` of the object with this kind, in lower case, and name. Matches a
/// part of the name, since kustomize may have added a prefix or suffix.
fn line(text: &str, kind: &str, name: &str) -> Option<usize> {
    let mut start = 0;
    for document in text.split("\n---") {
        let value: serde_json::Value = serde_yaml::from_str(document).unwrap_or_default();
        let is_kind = value["kind"]
            .as_str()
            .is_some_and(|it| it.to_lowercase() == kind);
        let is_name = value["metadata"]["name"]
            .as_str()
            .is_some_and(|it| name.contains(it));
        if is_kind && is_name {
            let at = document.lines().position(|line| line.starts_with("kind:"));
            return Some(start + at.unwrap_or_default() + 1);
        }
        start += document.matches('\n').count() + 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_sample_is_found_in_its_document_and_under_a_changed_name() {
        let dir = tempfile::tempdir().unwrap();
        let samples = dir.path().join(DIR);
        fs::create_dir_all(&samples).unwrap();
        let two = "apiVersion: a/v1\nkind: Lolcow\nmetadata:\n  name: one\n---\n# The other.\nkind: Lolcow\nmetadata: {name: two}\n";
        fs::write(samples.join("cows.yaml"), two).unwrap();
        fs::write(samples.join("broken.yaml"), "kind: [\n").unwrap();
        let files = ["cows.yaml", "broken.yaml"].map(|it| samples.join(it));
        let location_of = |object| location(dir.path(), &files, object);
        let found = |line| Some(format!("{DIR}/cows.yaml:{line}"));
        assert_eq!(location_of("lolcow.my.domain/one"), found(2));
        assert_eq!(location_of("lolcow/my-two"), found(7));
        assert_eq!(location_of("lolcow/three"), None);
        assert_eq!(location_of("cow/one"), None);
        fs::write(&files[1], two).unwrap();
        assert_eq!(location_of("lolcow/one"), None, "either may be meant");
    }
}
