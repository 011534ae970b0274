//! The source location of a sample, which kustomize does not report.

use std::path::Path;

use walkdir::WalkDir;

use super::error::Error;
use crate::client;
use crate::disk::regular;

const DIR: &str = "config/samples";

/// Adds the location of a sample in the project to an error of the API server about it.
pub fn located(root: &Path, error: Error) -> Error {
    let Error::Client(source) = error else {
        return error;
    };
    let client::Error::Refused { object, .. } = &source else {
        return source.into();
    };
    match place(root, object) {
        Some(place) => Error::Sample { place, source },
        None => source.into(),
    }
}

/// Returns the location of a sample, such as `config/samples/v1_lolcow.yaml:2` for `lolcow/lolcow-sample`, with the
/// line of the kind. Returns `None` if two files match: kustomize may have changed a name.
fn place(root: &Path, object: &str) -> Option<String> {
    let (kind, name) = object.split_once('/')?;
    let mut places = WalkDir::new(root.join(DIR))
        .sort_by_file_name()
        .into_iter()
        .flatten()
        .filter(|entry| {
            let extension = entry.path().extension();
            extension.is_some_and(|extension| extension == "yaml" || extension == "yml")
        })
        .filter_map(|entry| {
            let line = line(&regular::text(entry.path()).ok()?, kind, name)?;
            let path = entry.path().strip_prefix(root).ok()?;
            Some(format!("{}:{line}", path.display()))
        });
    let found = places.next()?;
    places.next().is_none().then_some(found)
}

/// Returns the line of the `kind` of the object with this kind, in lower case, and name. Matches a part of the name,
/// since kustomize may have added a prefix or suffix.
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
        let place = |object| place(dir.path(), object);
        let found = |line| Some(format!("{DIR}/cows.yaml:{line}"));
        assert_eq!(place("lolcow/one"), found(2));
        assert_eq!(place("lolcow/my-two"), found(7));
        assert_eq!(place("lolcow/three"), None);
        assert_eq!(place("cow/one"), None);
        fs::write(samples.join("again.yml"), two).unwrap();
        assert_eq!(place("lolcow/one"), None, "either may be meant");
    }
}
