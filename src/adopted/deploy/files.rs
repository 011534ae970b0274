//! Manifests as plain files, and the parsing of rendered ones.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::rendered::Rendered;
use crate::adopted::documents::{split, value};
use crate::adopted::{Error, paths};
use crate::disk::regular;
use crate::error::Io;

/// Reads the objects in the files below `dir` that the patterns match. `key` is the field of
/// `rustop.yaml` with the patterns, for the error: `deploy.files` or `samples`. If a pattern
/// matches a directory, reads the manifests directly in it, except for its kustomization.
///
/// # Errors
/// Returns an error if a pattern matches nothing, or if a file cannot be read or parsed.
pub fn read(dir: &Path, patterns: &[String], key: &'static str) -> Result<Vec<Rendered>, Error> {
    let mut objects = Vec::new();
    for pattern in patterns {
        let files: Vec<PathBuf> = paths::matching(dir, pattern)
            .into_iter()
            .flat_map(|path| manifests(dir, path))
            .collect();
        if files.is_empty() {
            return Err(Error::NoFile {
                key,
                pattern: pattern.clone(),
            });
        }
        for file in files {
            let path = dir.join(&file);
            let text = regular::text(&path).map_err(Io::on("read", &path))?;
            objects.extend(parse(&file, &text)?);
        }
    }
    Ok(objects)
}

/// Returns the path of a file itself, or the sorted manifests directly in a directory, except for
/// its kustomization.
fn manifests(dir: &Path, path: PathBuf) -> Vec<PathBuf> {
    let full = dir.join(&path);
    if !full.is_dir() {
        return vec![path];
    }
    let entries = full.read_dir().into_iter().flatten().flatten();
    let mut found: Vec<_> = entries
        .filter(|entry| entry.path().is_file() && paths::is_manifest(&entry.path()))
        .map(|entry| path.join(entry.file_name()))
        .filter(|path| path.file_stem().is_none_or(|name| name != "kustomization"))
        .collect();
    found.sort();
    found
}

/// Parses the documents of a text, and the items of lists, each with the line of its list. Skips
/// empty documents and those without a kind. `file` is the path for results and errors; it is not
/// read.
///
/// # Errors
/// Returns an error if a document is not valid YAML.
pub fn parse(file: &Path, text: &str) -> Result<Vec<Rendered>, Error> {
    let mut objects = Vec::new();
    for (line, document) in split(text) {
        let value = value(document, line).map_err(|(line, reason)| Error::Manifest {
            place: format!("{}:{line}", file.display()),
            reason,
        })?;
        let skipped = document
            .lines()
            .take_while(|line| line.trim().is_empty() || line.trim_start().starts_with('#'))
            .count();
        flatten(value, &mut |object| {
            objects.push(Rendered {
                file: file.to_owned(),
                line: line + skipped,
                object,
            });
        });
    }
    Ok(objects)
}

/// Parses the output of `helm template`, which names the template of each document in a comment.
/// `chart` is the path of the chart, relative to the project. The objects have line 0, since their
/// lines in the template are not known.
///
/// # Errors
/// Returns an error if a document is not valid YAML. Its line is that in the rendered document.
pub fn of_helm(chart: &str, text: &str) -> Result<Vec<Rendered>, Error> {
    let mut objects = Vec::new();
    for (_, document) in split(text) {
        // `# Source: barn/templates/role.yaml`: the name of the chart may differ from its
        // directory.
        let source = document
            .lines()
            .find_map(|line| line.strip_prefix("# Source: "))
            .and_then(|source| source.split_once('/'));
        let file = source.map_or_else(|| chart.into(), |(_, path)| Path::new(chart).join(path));
        let of_document = parse(&file, document)?;
        objects.extend(
            of_document
                .into_iter()
                .map(|object| Rendered { line: 0, ..object }),
        );
    }
    Ok(objects)
}

fn flatten(value: Value, found: &mut impl FnMut(Value)) {
    match value {
        Value::Array(items) => items.into_iter().for_each(|item| flatten(item, found)),
        Value::Object(mut object) => {
            let kind = object.get("kind").and_then(Value::as_str);
            if kind.is_some_and(|kind| kind.ends_with("List")) && object.contains_key("items") {
                flatten(object.remove("items").unwrap_or_default(), found);
            } else if kind.is_some() {
                found(Value::Object(object));
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_of_equal_keys_wins() {
        let text = "kind: A\nlabels:\n  app: a\n  app: b\n";
        let objects = parse("x.yaml".as_ref(), text).unwrap();
        assert_eq!(objects[0].object["labels"]["app"], "b");
    }

    #[test]
    fn each_object_has_the_line_at_which_it_begins() {
        let text = "# head\nkind: A\n---\n\nkind: List\nitems: [{kind: B}, {kind: C}]\n--- # next\nkind: D\n---\n";
        let objects = parse("x.yaml".as_ref(), text).unwrap();
        let found: Vec<_> = objects.iter().map(|it| (it.kind(), it.line)).collect();
        assert_eq!(found, [("A", 2), ("B", 5), ("C", 5), ("D", 8)]);
    }

    #[test]
    fn invalid_yaml_is_reported_at_its_line() {
        let error = parse("x.yaml".as_ref(), "kind: A\n---\nkind: B\na: [\n").unwrap_err();
        let text = error.to_string();
        assert!(
            text.starts_with("x.yaml:4: ") || text.starts_with("x.yaml:5: "),
            "{text}"
        );
    }
}
