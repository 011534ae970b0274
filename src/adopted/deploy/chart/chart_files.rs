//! The files of a chart that are not templates, which templates read through `.Files`.

use std::path::{Component, Path, PathBuf};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Map, Value};
use walkdir::DirEntry;

use super::functions::to_yaml;
use super::value::text;
use crate::adopted::paths;
use crate::disk::regular;

/// The files of a chart. A template can only read those of the chart, since a repository that a
/// user has cloned must not read other files of the machine.
pub struct ChartFiles {
    root: PathBuf,
    chart: PathBuf,
}

impl ChartFiles {
    /// Creates the files of a chart whose directory is `chart`, relative to the repository `root`.
    pub fn new(root: &Path, chart: &Path) -> Self {
        let (root, chart) = (root.to_owned(), chart.to_owned());
        Self { root, chart }
    }

    /// Returns the text of a file; `None` if there is none, if the path leads out of the chart as
    /// `..` does, or if a link leads out of the repository.
    pub fn text(&self, path: &str) -> Option<String> {
        let is_name = |part| matches!(part, Component::Normal(_) | Component::CurDir);
        if !Path::new(path).components().all(is_name) {
            return None;
        }
        let file = self.chart.join(path);
        regular::check_in(&self.root, &file).ok()?;
        regular::text(&self.root.join(file)).ok()
    }

    /// Returns the files that a pattern matches, as a JSON map from their paths in the chart to
    /// their texts: `*` matches within a path component, and `**` any number of them.
    pub fn glob(&self, pattern: &str) -> Value {
        let is_deep = pattern.contains("**");
        let pattern = pattern.replace("**/", "*").replace("**", "*");
        let depth = |path: &str| path.matches('/').count();
        let paths = listed(&self.root, &self.chart).into_iter();
        let paths = paths.filter_map(|path| {
            let path = path.strip_prefix(&self.chart).ok()?;
            Some(path.display().to_string())
        });
        // `fits` lets `*` match `/`, too.
        let is_match = |path: &String| {
            paths::fits(&pattern, path) && (is_deep || depth(path) == depth(&pattern))
        };
        let entries = paths
            .filter(is_match)
            .filter_map(|path| Some((path.clone(), self.text(&path)?.into())));
        Value::Object(entries.collect())
    }
}

/// Calls a method of the files that `Glob` has found: `AsConfig` and `AsSecrets` return them as the
/// YAML of a `ConfigMap`'s or a Secret's `data`. `None` for other methods.
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

/// Returns all files below a directory of the repository `dir`, sorted and relative to `dir`,
/// without those to which a link leads out of it.
pub fn listed(dir: &Path, below: &Path) -> Vec<PathBuf> {
    let walk = walkdir::WalkDir::new(dir.join(below))
        .follow_links(true)
        .sort_by_file_name();
    let is_inside = |entry: &DirEntry| {
        let path = entry.path().strip_prefix(dir);
        !entry.path_is_symlink() || path.is_ok_and(|path| regular::check_in(dir, path).is_ok())
    };
    let files = walk
        .into_iter()
        .filter_entry(is_inside)
        .flatten()
        .filter(|entry| entry.file_type().is_file());
    files
        .filter_map(|entry| Some(entry.path().strip_prefix(dir).ok()?.to_owned()))
        .collect()
}
