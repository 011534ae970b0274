//! The differences between two versions of a kind, as their users see them.

use std::collections::{BTreeMap, BTreeSet};

use super::document::{Inline, Line, code, joined, text};
use super::fields::DocumentedField;
use super::model::{DocumentedVersion, VersionDifference};

const ADDED: &str = "Added";

/// The properties by which two versions of a place are compared.
#[derive(Default)]
struct Compared<'a> {
    /// The field; `None` for an object in a list or a map, and for the whole object.
    field: Option<&'a DocumentedField>,
    notes: Vec<&'a Line>,
}

/// Returns the differences, sorted by path. Leaves out the fields inside a field that only one
/// version has.
pub fn between(older: &DocumentedVersion, newer: &DocumentedVersion) -> Vec<VersionDifference> {
    let (old, new) = (places(older), places(newer));
    let mut changes = only_in(&new, &old, ADDED);
    changes.extend(only_in(&old, &new, "Removed"));
    for (path, new) in &new {
        if let Some(how) = old.get(path).and_then(|old| difference(old, new)) {
            let path = path.clone();
            changes.push(VersionDifference { path, how });
        }
    }
    changes.sort_by(|a, b| a.path.cmp(&b.path));
    changes
}

/// Returns the compared places of a version by path, without `apiVersion`, which always differs.
fn places(version: &DocumentedVersion) -> BTreeMap<String, Compared<'_>> {
    let mut places = BTreeMap::<String, Compared>::new();
    for section in &version.sections {
        let of_object = places.entry(section.path.clone()).or_default();
        of_object.notes.extend(&section.notes);
        for field in &section.fields {
            let place = places.entry(section.path_of(field)).or_default();
            place.field = Some(field);
            place.notes.extend(&field.notes);
        }
    }
    places.remove("apiVersion");
    places
}

/// Returns the places of `one` that `other` does not have, without those inside another such place.
/// `how` is `Added` or `Removed`.
fn only_in(
    one: &BTreeMap<String, Compared>,
    other: &BTreeMap<String, Compared>,
    how: &str,
) -> Vec<VersionDifference> {
    let paths = one.keys().map(String::as_str);
    let paths: BTreeSet<_> = paths.filter(|path| !other.contains_key(*path)).collect();
    let is_inside = |path: &str| {
        let mut above = path.match_indices(['.', '[']);
        above.any(|(end, _)| paths.contains(&path[..end]))
    };
    let outermost = paths.iter().filter(|path| !is_inside(path));
    outermost
        .map(|path| {
            let field = one.get(*path).and_then(|place| place.field);
            let how = if how == ADDED && field.is_some_and(DocumentedField::must_be_set) {
                format!("{how}, required")
            } else {
                how.to_owned()
            };
            VersionDifference {
                path: (*path).to_owned(),
                how: vec![text(how)],
            }
        })
        .collect()
}

/// Returns the differences between two versions of a place, one per line; `None` if there are none.
fn difference(old: &Compared, new: &Compared) -> Option<Line> {
    let mut lines = Vec::new();
    if let (Some(old), Some(new)) = (old.field, new.field) {
        if old.type_name != new.type_name {
            lines.push(from_to("Type", &old.type_name, &new.type_name));
        }
        match (old.must_be_set(), new.must_be_set()) {
            (false, true) => lines.push(vec![text("Now required")]),
            (true, false) => lines.push(vec![text("No longer required")]),
            _ => {}
        }
        match (&old.default, &new.default) {
            (Some(old), Some(new)) if old != new => lines.push(from_to("Default", old, new)),
            (None, Some(new)) => lines.push(vec![text("New default: "), code(new)]),
            (Some(old), None) => lines.push(vec![text("Removed default: "), code(old)]),
            _ => {}
        }
        if new.is_deprecated && !old.is_deprecated {
            lines.push(vec![text("Deprecated")]);
        }
    }
    lines.extend(only_notes(&new.notes, &old.notes, "New: "));
    lines.extend(only_notes(&old.notes, &new.notes, "Removed: "));
    (!lines.is_empty()).then(|| joined(lines, &Inline::Break))
}

/// Returns the notes of `one` that `other` does not have, each after the word `how`.
fn only_notes<'a>(
    one: &'a [&Line],
    other: &'a [&Line],
    how: &'a str,
) -> impl Iterator<Item = Line> + 'a {
    let notes = one.iter().filter(|note| !other.contains(note));
    notes.map(move |note| std::iter::once(text(how)).chain((*note).clone()).collect())
}

fn from_to(label: &str, old: &str, new: &str) -> Line {
    vec![
        text(format!("{label}: ")),
        code(old),
        text(" → "),
        code(new),
    ]
}
