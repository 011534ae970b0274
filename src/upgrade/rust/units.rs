//! The units of a Rust file, each with a unique name: imports, items, the fields of structs, the
//! variants of enums. The units cover every line of the file.

use std::collections::BTreeSet;

use proc_macro2::Span;
use syn::{Attribute, Fields, Ident, Item, UseTree, Visibility};

/// The kind of a unit.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum UnitKind {
    /// The lines before the first item.
    Beginning,
    /// An import.
    Use,
    /// An item that is not split into members.
    Whole,
    /// The lines of a struct or an enum before its first member.
    Head,
    /// A field of a struct.
    Field,
    /// A variant of an enum.
    Variant,
    /// The closing lines of a struct or an enum.
    Foot,
}

/// A range of lines that is merged as a whole.
#[derive(Clone, Copy, Debug)]
pub struct Unit<'a> {
    pub kind: UnitKind,
    /// The blank lines before it.
    pub lead: &'a str,
    /// The number of its first line that is not blank, counted from 1.
    pub line: usize,
    /// Its lines, including the comments above it.
    pub text: &'a str,
}

/// A unit with its name, which is unique in the file: `size` of `HerdSpec`.
pub type Named<'a> = (String, Unit<'a>);

/// Splits a file into units, in their order. Returns `None` if the file is not valid Rust, or if
/// two units share a line or a name.
pub fn units(text: &str) -> Option<Vec<Named<'_>>> {
    let lines: Vec<_> = text.split_inclusive('\n').collect();
    let mut starts = Starts {
        lines: &lines,
        all: vec![("the beginning".to_owned(), UnitKind::Beginning, 0)],
    };
    for item in &syn::parse_file(text).ok()?.items {
        starts.item(item)?;
    }
    let ends = starts.all.iter().skip(1).map(|&(_, _, begin)| begin);
    let ends: Vec<_> = ends.chain([lines.len()]).collect();
    let length = |lines: &[&str]| lines.iter().map(|line| line.len()).sum::<usize>();
    let mut names = BTreeSet::new();
    let units = starts.all.into_iter().zip(ends);
    let units = units.map(|((name, kind, begin), end)| {
        let own = lines
            .get(begin..end)
            .filter(|own| begin == 0 || !own.is_empty())?;
        let blank = own.iter().take_while(|line| line.trim().is_empty()).count();
        let at = length(&lines[..begin]);
        let (lead, text) = text[at..at + length(own)].split_at(length(&own[..blank]));
        let line = begin + blank + 1;
        let unit = Unit {
            kind,
            lead,
            line,
            text,
        };
        names.insert(name.clone()).then_some((name, unit))
    });
    units.collect()
}

/// The units found so far: the name of each, its kind, and the number of lines before it.
struct Starts<'a> {
    lines: &'a [&'a str],
    all: Vec<(String, UnitKind, usize)>,
}

impl Starts<'_> {
    fn item(&mut self, item: &Item) -> Option<()> {
        let (attributes, visibility, word) = match item {
            Item::Struct(it) => {
                let place: ItemHead = (&it.attrs, Some(&it.vis), it.struct_token.span);
                let Fields::Named(fields) = &it.fields else {
                    return self.whole(place);
                };
                let members = fields.named.iter().filter_map(|field| {
                    let name = field.ident.as_ref()?;
                    Some((name, first((&field.attrs, Some(&field.vis), name.span()))))
                });
                let members: Vec<_> = members.collect();
                return self.divided(
                    &it.ident,
                    place,
                    (UnitKind::Field, &members),
                    fields.brace_token.span.close(),
                );
            }
            Item::Enum(it) => {
                let place: ItemHead = (&it.attrs, Some(&it.vis), it.enum_token.span);
                let members = it.variants.iter();
                let members =
                    members.map(|one| (&one.ident, first((&one.attrs, None, one.ident.span()))));
                let members: Vec<_> = members.collect();
                return self.divided(
                    &it.ident,
                    place,
                    (UnitKind::Variant, &members),
                    it.brace_token.span.close(),
                );
            }
            Item::Use(it) => {
                let line = first((&it.attrs, Some(&it.vis), it.use_token.span));
                self.add(format!("`use {}`", stem(&it.tree)), UnitKind::Use, line);
                return Some(());
            }
            Item::Const(it) => (&it.attrs, Some(&it.vis), it.const_token.span),
            Item::Fn(it) => (&it.attrs, Some(&it.vis), it.sig.fn_token.span),
            Item::Impl(it) => (&it.attrs, None, it.impl_token.span),
            Item::Macro(it) => (&it.attrs, None, it.mac.path.segments.first()?.ident.span()),
            Item::Mod(it) => (&it.attrs, Some(&it.vis), it.mod_token.span),
            Item::Static(it) => (&it.attrs, Some(&it.vis), it.static_token.span),
            Item::Trait(it) => (&it.attrs, Some(&it.vis), it.trait_token.span),
            Item::Type(it) => (&it.attrs, Some(&it.vis), it.type_token.span),
            _ => return None,
        };
        self.whole((attributes, visibility, word))
    }

    /// Adds an item that is not split. Its name is the line of its keyword.
    fn whole(&mut self, place: ItemHead) -> Option<()> {
        let line = self.lines.get(place.2.start().line.checked_sub(1)?)?;
        let name = line.split(['{', '=', ';']).next()?.trim();
        self.add(format!("`{name}`"), UnitKind::Whole, first(place));
        Some(())
    }

    fn divided(
        &mut self,
        item: &Ident,
        place: ItemHead,
        (kind, members): (UnitKind, &[(&Ident, usize)]),
        end: Span,
    ) -> Option<()> {
        let end = end.start().line;
        if members.is_empty() {
            return self.whole(place);
        }
        self.add(format!("`{item}`"), UnitKind::Head, first(place));
        for (name, line) in members {
            self.add(format!("`{name}` of `{item}`"), kind, *line);
        }
        self.add(format!("the end of `{item}`"), UnitKind::Foot, end);
        Some(())
    }

    /// Adds a unit, including the comments and blank lines above it.
    fn add(&mut self, name: String, kind: UnitKind, line: usize) {
        let is_above = |line: &&&str| {
            let line = line.trim_start();
            line.is_empty() || (line.starts_with("//") && !line.starts_with("//!"))
        };
        let above = self.lines.get(..line.saturating_sub(1)).unwrap_or_default();
        let begin = above.len() - above.iter().rev().take_while(is_above).count();
        self.all.push((name, kind, begin));
    }
}

/// The tokens that an item can begin with: its attributes, its visibility, and its keyword.
type ItemHead<'a> = (&'a [Attribute], Option<&'a Visibility>, Span);

/// Returns the line on which an item begins.
fn first((attributes, visibility, word): ItemHead) -> usize {
    let public = match visibility {
        Some(Visibility::Public(public)) => Some(public.span),
        Some(Visibility::Restricted(restricted)) => Some(restricted.pub_token.span),
        _ => None,
    };
    let attributes = attributes.iter().map(|it| it.pound_token.span);
    let spans = attributes.chain(public).chain([word]);
    spans
        .map(|span| span.start().line)
        .min()
        .unwrap_or_default()
}

/// Returns the path of an import, without the imported names.
fn stem(tree: &UseTree) -> String {
    let UseTree::Path(path) = tree else {
        return String::new();
    };
    match stem(&path.tree) {
        rest if rest.is_empty() => path.ident.to_string(),
        rest => format!("{}::{rest}", path.ident),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "//! Cows.\n#![allow(dead_code)]\n\nuse a::{B, C};\nuse a::b::D as E;\n\n// Mine.\n/// A cow.\n#[derive(\n    Debug,\n)]\npub struct Cow {\n    /// Its size.\n    #[serde(x)]\n    pub size: i32, // cm\n\n    // Not seen.\n    pub(crate) r#type: Option<\n        u8,\n    >,\n    // last\n}\n\ncrate::x!(Cow);\n\nenum Mood { Good }\n\nimpl Cow {\n    fn a() {}\n}\n";

    #[test]
    fn every_line_belongs_to_a_unit() {
        let file = FILE.replace("{ Good }", "{\n    Good,\n}");
        let all = units(&file).unwrap();
        let text: String = all.iter().flat_map(|(_, it)| [it.lead, it.text]).collect();
        assert_eq!(text, file);
        let names: Vec<_> = all
            .iter()
            .map(|(name, it)| (name.as_str(), it.kind, it.line))
            .collect();
        assert_eq!(
            names,
            [
                ("the beginning", UnitKind::Beginning, 1),
                ("`use a`", UnitKind::Use, 4),
                ("`use a::b`", UnitKind::Use, 5),
                ("`Cow`", UnitKind::Head, 7),
                ("`size` of `Cow`", UnitKind::Field, 13),
                ("`r#type` of `Cow`", UnitKind::Field, 17),
                ("the end of `Cow`", UnitKind::Foot, 21),
                ("`crate::x!(Cow)`", UnitKind::Whole, 24),
                ("`Mood`", UnitKind::Head, 26),
                ("`Good` of `Mood`", UnitKind::Variant, 27),
                ("the end of `Mood`", UnitKind::Foot, 28),
                ("`impl Cow`", UnitKind::Whole, 30),
            ]
        );
        assert_eq!(all[3].1.lead, "\n");
        assert_eq!(
            all[4].1.text,
            "    /// Its size.\n    #[serde(x)]\n    pub size: i32, // cm\n"
        );
    }

    #[test]
    fn indivisible_files_have_no_units() {
        assert!(units(FILE).is_none(), "a variant on the line of its enum");
        assert!(units("struct A;\nstruct A;\n").is_none(), "one name twice");
        assert!(units("<<<<<<< ours\n").is_none(), "no Rust");
        assert!(units("").is_some_and(|all| all.len() == 1));
    }
}
