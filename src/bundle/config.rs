//! Access to the files of `config/` as JSON objects.

use serde_json::Value;

use super::error::Error;
use super::subject::BundleFiles;
use crate::yaml;

/// An object of the manifests from which the bundle is built.
#[derive(Debug)]
pub struct ConfigObject {
    /// The whole object as JSON.
    pub json: Value,
}

impl ConfigObject {
    /// Returns the string at a JSON pointer, or an empty string.
    pub fn text(&self, pointer: &str) -> &str {
        text(&self.json, pointer)
    }
}

/// Returns the string at a JSON pointer of a value, or an empty string.
pub fn text<'a>(value: &'a Value, pointer: &str) -> &'a str {
    let found = value.pointer(pointer).and_then(Value::as_str);
    found.unwrap_or_default()
}

/// Returns the items of the array at a JSON pointer of a value, or an empty slice.
pub fn items<'a>(value: &'a Value, pointer: &str) -> &'a [Value] {
    let found = value.pointer(pointer).and_then(Value::as_array);
    found.map(Vec::as_slice).unwrap_or_default()
}

/// Parses the files whose paths begin with `dir`, such as `config/rbac/`. Empty documents are
/// skipped.
///
/// # Errors
/// Returns an error if a file is not YAML.
pub fn below(files: &BundleFiles, dir: &str) -> Result<Vec<ConfigObject>, Error> {
    let mut objects = Vec::new();
    for path in files.keys().filter(|path| path.starts_with(dir)) {
        objects.extend(all_of(files, path)?);
    }
    Ok(objects)
}

/// Parses a file, and returns its documents without empty ones; none if the file does not exist.
///
/// # Errors
/// Returns an error if the file is not YAML.
pub fn all_of(files: &BundleFiles, path: &str) -> Result<Vec<ConfigObject>, Error> {
    let Some(text) = files.get(path) else {
        return Ok(Vec::new());
    };
    let unreadable = |source| Error::NoYaml {
        path: path.to_owned(),
        source: Box::new(source),
    };
    let documents: Vec<Value> = yaml::documents(text).map_err(unreadable)?;
    let documents = documents.into_iter().filter(|json| !json.is_null());
    Ok(documents.map(|json| ConfigObject { json }).collect())
}

/// Parses a file, and returns its first document, or `Null` if the file does not exist.
///
/// # Errors
/// Returns an error if the file is not YAML.
pub fn one(files: &BundleFiles, path: &str) -> Result<Value, Error> {
    let first = all_of(files, path)?.into_iter().next();
    Ok(first.map(|object| object.json).unwrap_or_default())
}
