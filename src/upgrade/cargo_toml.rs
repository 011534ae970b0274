//! A merge of `Cargo.toml` files by key. Changes in adjacent lines do not conflict, since the order
//! of keys has no meaning.

use std::collections::BTreeSet;

use toml_edit::{Array, DocumentMut, Item, Key, Table, TableLike, Value};

use super::merged::Merged;

/// Merges three manifests: `base`, as rustop wrote it, `ours`, as the user has changed it, and
/// `theirs`, as the new release of rustop writes it. If both sides have changed a value, the user's
/// value is retained and reported in [`Merged::kept`]. Returns `None` if a text is not TOML, or if
/// a comment of the user's would be removed together with a key.
pub fn merge(base: &str, ours: &str, theirs: &str) -> Option<Merged> {
    let base_text = base;
    let mut base: DocumentMut = base.parse().ok()?;
    let theirs: DocumentMut = theirs.parse().ok()?;
    let mut merged: DocumentMut = ours.parse().ok()?;
    for (old, new) in renamed_dependencies(&base, &theirs) {
        rename_dependency(&mut base, &old, &new);
        rename_dependency(&mut merged, &old, &new);
    }
    let mut kept = Vec::new();
    merge_tables(
        base.as_table(),
        merged.as_table_mut(),
        theirs.as_table(),
        "",
        &mut kept,
    );
    let text = merged.to_string();
    let comments = ours
        .lines()
        .filter_map(|line| Some(&line[line.find('#')?..]));
    let mut added = comments.filter(|comment| !base_text.contains(comment));
    added
        .all(|comment| text.contains(comment))
        .then_some(Merged {
            text,
            kept,
            ..Merged::default()
        })
}

/// The tables of dependencies, by their paths.
const DEPENDENCIES: [&[&str]; 4] = [
    &["workspace", "dependencies"],
    &["dependencies"],
    &["dev-dependencies"],
    &["build-dependencies"],
];

/// Returns the dependencies that have a new key in `theirs`, which names the old one in `package`.
/// Without this step, a dependency that the user has changed would be in the merged file twice.
fn renamed_dependencies(base: &DocumentMut, theirs: &DocumentMut) -> Vec<(String, String)> {
    let tables = DEPENDENCIES.iter().filter_map(|path| {
        let [base, theirs] = [base, theirs].map(|document| {
            path.iter()
                .try_fold(document.as_item(), |item, key| item.get(key))?
                .as_table_like()
        });
        Some((base?, theirs?))
    });
    let of_table = |(base, theirs): (&dyn TableLike, &dyn TableLike)| {
        theirs
            .iter()
            .filter_map(|(key, item)| {
                let package = item.get("package")?.as_str()?;
                let is_renamed = !base.contains_key(key)
                    && base.contains_key(package)
                    && !theirs.contains_key(package);
                is_renamed.then(|| (package.to_owned(), key.to_owned()))
            })
            .collect::<Vec<_>>()
    };
    tables.flat_map(of_table).collect()
}

/// Renames a dependency in all tables, at its place.
fn rename_dependency(document: &mut DocumentMut, old: &str, new: &str) {
    for path in DEPENDENCIES {
        let table = path
            .iter()
            .try_fold(document.as_item_mut(), |item, key| item.get_mut(key))
            .and_then(Item::as_table_mut)
            .filter(|table| table.contains_key(old) && !table.contains_key(new));
        if let Some(table) = table {
            rename_key(table, old, new);
        }
    }
}

/// Renames a key of a table. Tables have no function for that, so all entries are removed and
/// inserted in their order.
fn rename_key(table: &mut Table, old: &str, new: &str) {
    let keys: Vec<_> = table.iter().map(|(key, _)| key.to_owned()).collect();
    for key in keys {
        if let Some((mut key, item)) = table.remove_entry(&key) {
            if key.get() == old {
                key = Key::new(new)
                    .with_leaf_decor(key.leaf_decor().clone())
                    .with_dotted_decor(key.dotted_decor().clone());
            }
            table.insert_formatted(&key, item);
        }
    }
}

/// Reports whether a text is valid TOML. It is not if a line merge has duplicated a table.
pub fn is_valid(text: &str) -> bool {
    text.parse::<DocumentMut>().is_ok()
}

/// Applies the changes from `base` to `theirs` to the table `ours`, which is at the path `at`.
/// Messages about values that both sides have changed are added to `kept`.
fn merge_tables(
    base: &dyn TableLike,
    ours: &mut dyn TableLike,
    theirs: &dyn TableLike,
    at: &str,
    kept: &mut Vec<String>,
) {
    let keys = base
        .iter()
        .chain(theirs.iter())
        .map(|(key, _)| key.to_owned());
    for key in keys.collect::<BTreeSet<_>>() {
        let (old, new) = (base.get(&key), theirs.get(&key));
        if text_of(old) == text_of(new) {
            continue;
        }
        let path = if at.is_empty() {
            key.clone()
        } else {
            format!("{at}.{key}")
        };
        let mine = ours.get(&key);
        if text_of(mine) == text_of(old) {
            match new {
                Some(new) => {
                    ours.insert(&key, new.clone());
                    copy_comment(&key, theirs, ours);
                }
                None => drop(ours.remove(&key)),
            }
        } else if text_of(mine) != text_of(new) {
            let empty = Table::new();
            let old = old.and_then(Item::as_table_like).unwrap_or(&empty);
            match (ours.get_mut(&key), new) {
                (Some(mine), Some(new)) if mine.is_table_like() && new.is_table_like() => {
                    if let (Some(mine), Some(new)) = (mine.as_table_like_mut(), new.as_table_like())
                    {
                        merge_tables(old, mine, new, &path, kept);
                    }
                }
                (Some(Item::Value(Value::Array(mine))), Some(Item::Value(Value::Array(new)))) => {
                    let old = base.get(&key).and_then(Item::as_array).cloned();
                    merge_arrays(&old.unwrap_or_default(), mine, new);
                }
                (mine, new) => kept.push(difference(&path, mine.as_deref(), new)),
            }
        }
    }
}

/// Copies the comment above a key, unless the key has one.
fn copy_comment(key: &str, theirs: &dyn TableLike, ours: &mut dyn TableLike) {
    if let (Some(theirs), Some(mut ours)) = (theirs.key(key), ours.key_mut(key))
        && ours.leaf_decor().prefix().is_none()
    {
        *ours.leaf_decor_mut() = theirs.leaf_decor().clone();
    }
}

/// Adds the items that `theirs` has added to `base`, and removes those that it has removed.
fn merge_arrays(base: &Array, ours: &mut Array, theirs: &Array) {
    let has = |array: &Array, item: &Value| array.iter().any(|other| bare(other) == bare(item));
    let gone = |item: &Value| has(base, item) && !has(theirs, item);
    let added: Vec<_> = theirs
        .iter()
        .filter(|item| !has(base, item) && !has(ours, item))
        .cloned()
        .collect();
    ours.retain(|item| !gone(item));
    for item in added {
        ours.push(item);
    }
}

/// Returns the value of an item as text, without the comments and whitespace around it.
fn text_of(item: Option<&Item>) -> Option<String> {
    match item? {
        Item::Value(Value::Array(array)) => {
            Some(array.iter().map(bare).collect::<Vec<_>>().join(","))
        }
        Item::Value(value) if !value.is_inline_table() => Some(bare(value)),
        item => {
            let table = item.as_table_like()?;
            let mut fields: Vec<_> = table
                .iter()
                .map(|(key, item)| format!("{key}={:?}", text_of(Some(item))))
                .collect();
            fields.sort();
            Some(format!("{{{}}}", fields.join(",")))
        }
    }
}

fn bare(value: &Value) -> String {
    value.clone().decorated("", "").to_string()
}

fn difference(path: &str, mine: Option<&Item>, new: Option<&Item>) -> String {
    let word = |item| text_of(item).unwrap_or_else(|| "nothing".to_owned());
    format!(
        "`{path}` is {}, and rustop would have {}",
        word(mine),
        word(new)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const BASE: &str = "[workspace]\nmembers = [\".\", \"manager\"]\n\n[dependencies]\nkube = \"5.0\"\nmanager = { path = \"manager\" }\ntokio = { version = \"1\", features = [\"rt\"] }\n";
    const THEIRS: &str = "[workspace]\nmembers = [\".\", \"vendor\"]\n\n[dependencies]\nkube = \"5.1\"\nrustop = { path = \"vendor\" }\ntokio = { version = \"1\", features = [\"rt\", \"net\"] }\n";

    #[test]
    fn dependencies_move_and_the_users_stay() {
        let ours = "[workspace]\nmembers = [\".\", \"manager\", \"mine\"]\n\n# Mine.\n[dependencies]\nanyhow = \"1\" # errors\nkube = \"5.0\"\nmanager = { path = \"manager\" }\ntokio = { version = \"1\", features = [\"rt\", \"fs\"] }\n";
        let merged = merge(BASE, ours, THEIRS).unwrap();
        assert_eq!(merged.kept, Vec::<String>::new());
        for line in [
            "# Mine.\n",
            "anyhow = \"1\" # errors\n",
            "kube = \"5.1\"\n",
            "rustop = { path = \"vendor\" }",
            "\"fs\"",
            "\"net\"",
            "\"mine\"",
            "\"vendor\"",
        ] {
            assert!(merged.text.contains(line), "{line}\n{}", merged.text);
        }
        assert!(!merged.text.contains("manager"), "{}", merged.text);
    }

    #[test]
    fn a_renamed_dependency_keeps_its_place_and_the_users_features() {
        let base = "[workspace.dependencies]\nkube = \"5.0\"\nrustop-manager = { path = \"vendor\" }\ntokio = \"1\"\n\n[dependencies]\nkube.workspace = true\nrustop-manager.workspace = true\n";
        let theirs = base
            .replace(
                "rustop-manager = {",
                "manager = { package = \"rustop-manager\",",
            )
            .replace("rustop-manager.", "manager.");
        let ours = base
            .replace("\"vendor\"", "\"vendor\", features = [\"otel\"]")
            .replace("tokio = \"1\"", "tokio = \"1.5\"");
        let merged = merge(base, &ours, &theirs).unwrap();
        assert_eq!(merged.kept, [""; 0]);
        let manager = merged
            .text
            .lines()
            .find(|line| line.starts_with("manager = "));
        for part in ["package = \"rustop-manager\"", "features = [\"otel\"]"] {
            assert!(manager.unwrap().contains(part), "{}", merged.text);
        }
        let keys = merged.text.lines().filter(|line| !line.is_empty());
        let keys: Vec<_> = keys.map(|line| &line[..4]).collect();
        let expected = ["[wor", "kube", "mana", "toki", "[dep", "kube", "mana"];
        assert_eq!(keys, expected, "{}", merged.text);
        assert!(
            merged.text.ends_with("manager.workspace = true\n"),
            "{}",
            merged.text
        );
    }

    #[test]
    fn a_key_that_returns_has_its_comment() {
        let with = "[workspace]\nmembers = []\n# Not a member.\nexclude = [\"vendor\"]\n";
        let without = "[workspace]\nmembers = []\n";
        let removed = merge(with, with, without).unwrap();
        assert_eq!(removed.text, without);
        assert_eq!(merge(without, &removed.text, with).unwrap().text, with);
    }

    #[test]
    fn settings_changed_by_both_stay_and_are_reported() {
        let ours = BASE.replace("\"5.0\"", "\"4.9\"");
        let merged = merge(BASE, &ours, THEIRS).unwrap();
        assert_eq!(
            merged.kept,
            ["`dependencies.kube` is \"4.9\", and rustop would have \"5.1\""]
        );
        assert!(merged.text.contains("kube = \"4.9\""));
        assert!(merge("[", "", "").is_none());
        let commented = BASE.replace("manager = {", "# mine\nmanager = {");
        assert!(merge(BASE, &commented, THEIRS).is_none(), "its key goes");
    }
}
