//! A merge of Rust source files by field. Additions of both sides are combined, and only changes of
//! both sides to the same place are left to the user.

mod order;
mod parts;
mod units;

use std::collections::{BTreeMap, BTreeSet};

use self::order::order;
use self::parts::lines;
use self::units::{Named, Unit, UnitKind, units};
use super::merged::{ManualEdit, Merged};

/// Merges source files with types: the merge base, the user's text, and rustop's new text. Returns
/// `None` if a text cannot be split into units, or if the result is not valid Rust.
pub fn merge(base: &str, ours: &str, theirs: &str) -> Option<Merged> {
    let files = [units(base)?, units(ours)?, units(theirs)?];
    let sides = files.each_ref().map(|all| Side::of(all));
    let [mine, new] = [&files[1], &files[2]].map(|all| all.iter().map(|(name, _)| name.as_str()));
    let mut places = Vec::new();
    let mut conflicting = Vec::new();
    for name in order(mine, new) {
        match sides[0].chosen(name, [&sides[1], &sides[2]]) {
            Ok(place) => places.extend(place),
            Err(()) => conflicting.push(name),
        }
    }
    // Fields and variants whose struct or enum was removed.
    let heads = places
        .iter()
        .filter(|place| place.unit.kind == UnitKind::Head);
    let heads: BTreeSet<_> = heads.map(|place| place.name).collect();
    let lost = places
        .iter()
        .filter(|place| item(place.name).is_some_and(|item| !heads.contains(item)));
    conflicting.extend(lost.map(|place| place.name));
    if !conflicting.is_empty() {
        let edits = conflicting
            .into_iter()
            .map(|name| sides[1].manual_edit(name, &sides[2]));
        return Some(Merged {
            text: ours.to_owned(),
            manual_edits: edits.collect(),
            ..Merged::default()
        });
    }
    let text = written(&places);
    syn::parse_file(&text).ok()?;
    Some(Merged {
        text,
        ..Merged::default()
    })
}

/// One of the texts: its units by name, each with a flag that is true if the previous unit has the
/// same kind.
struct Side<'a>(BTreeMap<&'a str, (&'a Unit<'a>, bool)>);

/// A unit of the merged text.
struct MergedUnit<'a> {
    name: &'a str,
    /// The unit in the text that it was taken from.
    unit: &'a Unit<'a>,
    /// True if the previous unit in that text has the same kind.
    follows: bool,
    /// The merged lines of the unit.
    text: String,
}

impl<'a> Side<'a> {
    fn of(all: &'a [Named<'a>]) -> Self {
        let before = [None]
            .into_iter()
            .chain(all.iter().map(|(_, unit)| Some(unit.kind)));
        let units = all.iter().zip(before);
        Self(
            units
                .map(|((name, unit), before)| (name.as_str(), (unit, before == Some(unit.kind))))
                .collect(),
        )
    }

    fn text(&self, name: &str) -> Option<&'a str> {
        self.0.get(name).map(|(unit, _)| unit.text)
    }

    /// Merges one unit, where `self` is the merge base. `Ok(None)` means that the unit is removed;
    /// an error means that the user must decide.
    fn chosen(
        &self,
        name: &'a str,
        [ours, theirs]: [&Self; 2],
    ) -> Result<Option<MergedUnit<'a>>, ()> {
        let place = |side: &Self, text: Option<String>| {
            let (unit, follows) = *side.0.get(name)?;
            Some(MergedUnit {
                name,
                unit,
                follows,
                text: text?,
            })
        };
        let texts = (self.text(name), ours.text(name), theirs.text(name));
        match texts {
            (_, mine, new) if mine == new => Ok(place(ours, mine.map(str::to_owned))),
            (old, mine, new) if mine == old => Ok(place(theirs, new.map(str::to_owned))),
            (old, mine, new) if new == old => Ok(place(ours, mine.map(str::to_owned))),
            (Some(old), Some(mine), Some(new)) => {
                let is_use = ours.0[name].0.kind == UnitKind::Use;
                let merged = if is_use { parts::names } else { parts::merge };
                Ok(place(ours, Some(merged(old, mine, new).ok_or(())?)))
            }
            _ => Err(()),
        }
    }

    /// Describes how the user should change a unit of this text to match `theirs`.
    fn manual_edit(&self, name: &str, theirs: &Self) -> ManualEdit {
        let around = || self.0.get(item(name)?);
        let unit = self.0.get(name).or_else(around);
        ManualEdit {
            name: name.to_owned(),
            line: unit.map_or(1, |(unit, _)| unit.line),
            text: theirs.text(name).map(str::to_owned),
        }
    }
}

/// Returns the struct or enum that a field, variant or end belongs to.
fn item(name: &str) -> Option<&str> {
    Some(name.rsplit_once(" of ")?.1)
}

/// Concatenates units. Blank lines between them follow the units of the same kind around them.
fn written(places: &[MergedUnit]) -> String {
    let mut text = String::new();
    let mut before = None;
    for place in places {
        let kind = place.unit.kind;
        let follows = before == Some(kind);
        text += match kind {
            UnitKind::Field | UnitKind::Variant if !follows => "",
            UnitKind::Field if !place.follows => "\n",
            UnitKind::Use | UnitKind::Variant if follows && !place.follows => "",
            UnitKind::Use if !follows && place.follows => "\n",
            _ => place.unit.lead,
        };
        text += &lines(&place.text);
        before = Some(kind);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const BASE: &str = "//! Cows.\n\nuse kube::A;\nuse serde::S;\n\n/// A cow.\n#[derive(A)]\npub struct Cow {\n    /// Its size.\n    #[schemars(range(max = 3))]\n    pub size: i32,\n\n    pub age: i32,\n}\n\npub enum Mood {\n    Good,\n    Bad,\n}\n\npub struct Tail {\n    pub length: i32,\n}\n";

    /// Merges `BASE` with two sides. Each is a list of replacements in it.
    fn merged(ours: &[[&str; 2]], theirs: &[[&str; 2]]) -> Merged {
        let with = |all: &[[&str; 2]]| {
            all.iter().fold(BASE.to_owned(), |text, [old, new]| {
                assert_eq!(text.matches(old).count(), 1, "{old}");
                text.replace(old, new)
            })
        };
        merge(BASE, &with(ours), &with(theirs)).unwrap()
    }

    #[track_caller]
    fn both(ours: &[[&str; 2]], theirs: &[[&str; 2]]) {
        let both: Vec<_> = [ours, theirs].concat();
        let expected = both
            .iter()
            .fold(BASE.to_owned(), |text, [old, new]| text.replace(old, new));
        let merged = merged(ours, theirs);
        assert_eq!((merged.text, merged.manual_edits), (expected, vec![]));
    }

    #[test]
    fn adjacent_field_additions_do_not_conflict() {
        let mine = ["pub age: i32,\n", "pub age: i32, // years\n"];
        both(
            &[mine],
            &[[
                "    /// Its size.\n",
                "    pub kind: String,\n\n    /// Its size.\n",
            ]],
        );
        both(
            &[mine],
            &[[
                "pub size: i32,\n",
                "pub size: i64,\n\n    pub born: Time,\n",
            ]],
        );
        both(
            &[["pub struct Cow", "#[allow(x)]\npub struct Cow"]],
            &[["/// A cow.\n", "/// One cow.\n"]],
        );
        // Theirs changes the comment and the limit of `size`, ours its type.
        both(
            &[["pub size: i32", "pub size: Size"]],
            &[["Its size", "The size"], ["max = 3", "max = 4"]],
        );
        both(
            &[["    Good,\n", "    Good,\n    Mine,\n"]],
            &[["    Bad,\n", "    Bad,\n    Worse,\n"]],
        );
        // A removed field leaves no blank lines behind.
        let gone = "    /// Its size.\n    #[schemars(range(max = 3))]\n    pub size: i32,\n\n";
        both(&[mine], &[[gone, ""]]);
    }

    #[test]
    fn equal_additions_appear_once() {
        let new = ["    Bad,\n", "    Bad,\n    Worse,\n"];
        let kind = "    pub age: i32,\n\n    pub kind: String,\n";
        let age = ["    pub age: i32,\n", kind];
        let merged = merged(&[new, age, ["Its size", "Mine"]], &[new, age]);
        let text = &merged.text;
        assert!(
            merged.manual_edits.is_empty() && text.contains("Mine"),
            "{text}"
        );
        assert_eq!(text.matches("Worse").count(), 1, "{text}");
        assert_eq!(text.matches("pub kind").count(), 1, "{text}");
    }

    #[test]
    fn imports_are_those_of_both() {
        let merged = merged(
            &[["kube::A", "kube::{A, Mine}"]],
            &[["kube::A", "kube::{B, C}"], ["use serde::S;\n", ""]],
        );
        assert!(
            merged
                .text
                .contains("\nuse kube::{B, C, Mine};\n\n/// A cow."),
            "{}",
            merged.text
        );
    }

    #[test]
    fn conflicting_changes_are_left_to_the_user() {
        for (ours, theirs, expected) in [
            (
                ["max = 3", "max = 5"],
                ["max = 3", "max = 4"],
                ("`size` of `Cow`", 9, "max = 4"),
            ),
            (
                ["    pub length: i32,\n", "    pub length: i8,\n"],
                ["pub struct Tail {\n    pub length: i32,\n}\n", ""],
                ("`length` of `Tail`", 22, ""),
            ),
            (
                [
                    "    pub length: i32,\n",
                    "    pub length: i32,\n\n    pub mine: i8,\n",
                ],
                ["pub struct Tail {\n    pub length: i32,\n}\n", ""],
                ("`mine` of `Tail`", 24, ""),
            ),
            (
                ["pub struct Tail {\n    pub length: i32,\n}\n", ""],
                [
                    "    pub length: i32,\n",
                    "    pub length: i32,\n\n    pub new: i8,\n",
                ],
                ("`new` of `Tail`", 1, "pub new"),
            ),
        ] {
            let merged = merged(&[ours], &[theirs]);
            let edit = &merged.manual_edits[0];
            assert_eq!((edit.name.as_str(), edit.line), (expected.0, expected.1));
            assert!(
                edit.text
                    .as_deref()
                    .unwrap_or_default()
                    .contains(expected.2)
            );
            assert_eq!(merged.manual_edits.len(), 1);
        }
    }

    #[test]
    fn invalid_rust_is_not_merged_by_units() {
        assert!(merge(BASE, "<<<<<<< ours\n", BASE).is_none());
    }
}
