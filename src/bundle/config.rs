//! The files of `config/` as objects.

use serde_json::Value;

use super::error::Error;
use super::subject::Files;

/// An object of Kubernetes.
#[derive(Debug)]
pub struct Object {
    /// All of it.
    pub json: Value,
}

impl Object {
    /// A string in it; nothing where there is none.
    pub fn text(&self, pointer: &str) -> &str {
        text(&self.json, pointer)
    }
}

/// A string in a value; nothing where there is none.
pub fn text<'a>(value: &'a Value, pointer: &str) -> &'a str {
    let found = value.pointer(pointer).and_then(Value::as_str);
    found.unwrap_or_default()
}

/// The items of a list in a value; none where there is no list.
pub fn items<'a>(value: &'a Value, pointer: &str) -> &'a [Value] {
    let found = value.pointer(pointer).and_then(Value::as_array);
    found.map(Vec::as_slice).unwrap_or_default()
}

/// What is in the files below a directory, but for empty documents.
///
/// # Errors
/// When one is no YAML.
pub fn below(files: &Files, dir: &str) -> Result<Vec<Object>, Error> {
    let mut objects = Vec::new();
    for (path, text) in files.iter().filter(|(path, _)| path.starts_with(dir)) {
        let unreadable = |source| Error::NoYaml {
            path: path.clone(),
            source: Box::new(source),
        };
        let documents: Vec<Value> = serde_yaml::from_multiple(text).map_err(unreadable)?;
        let documents = documents.into_iter().filter(|json| !json.is_null());
        objects.extend(documents.map(|json| Object { json }));
    }
    Ok(objects)
}

/// What a file holds; `Null` where there is none.
///
/// # Errors
/// When it is no YAML.
pub fn one(files: &Files, path: &str) -> Result<Value, Error> {
    let first = below(files, path)?.into_iter().next();
    Ok(first.map(|object| object.json).unwrap_or_default())
}
