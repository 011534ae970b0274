//! The files of a chart that are no templates, as `.Files` shows them.

use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Map, Value};

use super::functions::to_yaml;
use super::value::text;
use crate::adopted::paths;
use crate::disk::regular;

/// The directory of a chart.
pub struct ChartFiles {
    dir: PathBuf,
}

impl ChartFiles {
    pub fn new(dir: PathBuf) -> Self {
        Self { dir }
    }

    /// Returns the text of a file.
    pub fn text(&self, path: &str) -> Option<String> {
        regular::text(&self.dir.join(path)).ok()
    }

    /// Returns the texts of the files that a pattern matches, by their paths: `*` matches within a
    /// path component, and `**` any number of them.
    pub fn glob(&self, pattern: &str) -> Value {
        let is_deep = pattern.contains("**");
        let pattern = pattern.replace("**/", "*").replace("**", "*");
        let depth = |path: &str| path.matches('/').count();
        let paths = listed(&self.dir, Path::new("")).into_iter();
        let paths = paths.map(|path| path.display().to_string());
        let is_match = |path: &String| {
            paths::fits(&pattern, path) && (is_deep || depth(path) == depth(&pattern))
        };
        let entries = paths
            .filter(is_match)
            .filter_map(|path| Some((path.clone(), self.text(&path)?.into())));
        Value::Object(entries.collect())
    }
}

/// Calls a method of the files that `Glob` has found. `None` if it has no method of that name.
pub fn method(name: &str, files: &Value) -> Option<Value> {
    let data = |encode: &dyn Fn(String) -> String| {
        let files = files.as_object().into_iter().flatten();
        let entries = files.map(|(path, contents)| {
            let name = path.rsplit('/').next().unwrap_or(path);
            (name.to_owned(), encode(text(contents)).into())
        });
        to_yaml(&Value::Object(entries.collect::<Map<_, _>>())).into()
    };
    match name {
        "AsConfig" => Some(data(&|text| text)),
        "AsSecrets" => Some(data(&|text| BASE64_STANDARD.encode(text))),
        _ => None,
    }
}

/// Returns all files below a directory, sorted.
pub fn listed(dir: &Path, below: &Path) -> Vec<PathBuf> {
    let walk = walkdir::WalkDir::new(dir.join(below))
        .follow_links(true)
        .sort_by_file_name();
    let files = walk
        .into_iter()
        .flatten()
        .filter(|entry| entry.file_type().is_file());
    files
        .filter_map(|entry| Some(entry.path().strip_prefix(dir).ok()?.to_owned()))
        .collect()
}
