//! Copies the user's types of one version to a new version.

use std::ops::Range;

use proc_macro2::{Delimiter, LineColumn, TokenStream, TokenTree};
use syn::{Attribute, ItemStruct, Meta};

/// The item that marks a version as not stored. Every version but one has it.
const NOT_STORED: &str = "storage = false";

/// Returns the types of one version as those of another, which is served and not stored: the same
/// text, with another version in `#[kube(..)]`.
///
/// # Errors
/// Returns an error that names the missing attribute if the text does not declare the kind in this
/// version, or an error if it is not valid Rust.
pub fn copied(
    text: &str,
    kind: &str,
    from: &TypesLocation,
    to: &TypesLocation,
) -> Result<String, String> {
    let Kube { items, lines } = Kube::of(text, kind, from.version)?;
    let mut edits = Vec::new();
    let has_storage = items.iter().any(|item| item.name == "storage");
    for (n, item) in items.iter().enumerate() {
        match item.name.as_str() {
            "version" => {
                let indent = lines.indent(item.at.start);
                let version = format!("version = \"{}\"", to.version);
                let more = (!has_storage).then(|| format!(",{indent}{NOT_STORED}"));
                edits.push((item.at.clone(), version + &more.unwrap_or_default()));
            }
            "storage" => edits.push((item.at.clone(), NOT_STORED.to_owned())),
            // `served` and `deprecated` apply to the old version only.
            "served" | "deprecated" => {
                let next = items.get(n + 1).filter(|next| next.list == item.list);
                let before = n.checked_sub(1).map(|n| &items[n]);
                let before = before.filter(|before| before.list == item.list);
                let at = match (before, next) {
                    (Some(before), _) => before.at.end..item.at.end,
                    (None, Some(next)) => item.at.start..next.at.start,
                    (None, None) => item.at.clone(),
                };
                edits.push((at, String::new()));
            }
            _ => {}
        }
    }
    edits.extend(supers(text, &lines, from.modules));
    edits.sort_by_key(|(at, _)| at.start);
    let mut copy = String::new();
    let mut end = 0;
    for (at, new) in edits {
        copy += &text[end..at.start.max(end)];
        copy += &new;
        end = at.end.max(end);
    }
    copy += &text[end..];
    let own = |place: &TypesLocation| format!("crate::{}::{}::", place.modules, place.module);
    Ok(copy.replace(&own(from), &own(to)))
}

/// Reports whether a version is the storage version, or returns `None` if the text does not declare
/// the kind in this version.
pub fn is_stored(text: &str, kind: &str, version: &str) -> Option<bool> {
    let kube = Kube::of(text, kind, version).ok()?;
    let storage = kube.items.iter().find(|item| item.name == "storage");
    Some(storage.is_none_or(|item| !text[item.at.clone()].ends_with("false")))
}

/// Reports whether a version has a status, or returns `None` if the text does not declare the kind
/// in this version.
pub fn has_status(text: &str, kind: &str, version: &str) -> Option<bool> {
    let kube = Kube::of(text, kind, version).ok()?;
    Some(kube.items.iter().any(|item| item.name == "status"))
}

/// The location of the types of a version.
pub struct TypesLocation<'a> {
    /// The name of the version, as in `#[kube(version = ..)]`.
    pub version: &'a str,
    /// The path of the version's module in the `api` crate: `batch::v1`.
    pub modules: &'a str,
    /// The module of the kind.
    pub module: &'a str,
}

/// The `#[kube(..)]` attributes of a kind.
struct Kube<'a> {
    items: Vec<TypePiece>,
    lines: Lines<'a>,
}

/// One comma-separated item of `#[kube(..)]`.
struct TypePiece {
    name: String,
    /// The byte range in the text.
    at: Range<usize>,
    /// The index of the attribute that contains the item.
    list: usize,
}

impl<'a> Kube<'a> {
    fn of(text: &'a str, kind: &str, version: &str) -> Result<Self, String> {
        let file = syn::parse_file(text).map_err(|error| format!("is not Rust: {error}"))?;
        let lines = Lines(text);
        let structs = file.items.iter().filter_map(|item| match item {
            syn::Item::Struct(item) => Some(item),
            _ => None,
        });
        let mut kinds = structs.map(|item| pieces(item, &lines));
        let is_meant = |items: &Vec<TypePiece>| {
            let says = |name: &str, value: &str| {
                let is = |item: &TypePiece| {
                    item.name == name && text[item.at.clone()].ends_with(&format!("\"{value}\""))
                };
                items.iter().any(is)
            };
            says("kind", kind) && says("version", version)
        };
        let missing = || {
            format!("has no `#[kube(kind = \"{kind}\", version = \"{version}\", ..)]` on a struct")
        };
        let items = kinds.find(is_meant).ok_or_else(missing)?;
        Ok(Self { items, lines })
    }
}

fn pieces(item: &ItemStruct, lines: &Lines) -> Vec<TypePiece> {
    let attributes = item.attrs.iter().enumerate();
    attributes
        .filter(|(_, attribute)| attribute.path().is_ident("kube"))
        .flat_map(|(list, attribute)| pieces_of(attribute, list, lines))
        .collect()
}

fn pieces_of(attribute: &Attribute, list: usize, lines: &Lines) -> Vec<TypePiece> {
    let Meta::List(meta) = &attribute.meta else {
        return Vec::new();
    };
    let tokens: Vec<_> = meta.tokens.clone().into_iter().collect();
    let is_comma = |token: &TokenTree| matches!(token, TokenTree::Punct(p) if p.as_char() == ',');
    let parts = tokens.split(is_comma);
    let piece = |part: &[TokenTree]| {
        let (start, end) = (part.first()?, part.last()?);
        Some(TypePiece {
            name: start.to_string(),
            at: lines.at(start.span().start())..lines.at(end.span().end()),
            list,
        })
    };
    parts.filter_map(piece).collect()
}

/// Returns edits that replace `super` by the module's full path, since `super` is another module in
/// the copy. `super::super` refers to the same module in both.
fn supers(text: &str, lines: &Lines, modules: &str) -> Vec<(Range<usize>, String)> {
    fn find(tokens: TokenStream, found: &mut Vec<proc_macro2::Span>) {
        let tokens: Vec<_> = tokens.into_iter().collect();
        let is_super = |token: Option<&TokenTree>| matches!(token, Some(TokenTree::Ident(word)) if word == "super");
        for (n, token) in tokens.iter().enumerate() {
            let is_module =
                n > 1 && matches!(&tokens[n - 2], TokenTree::Ident(word) if word == "mod");
            match token {
                TokenTree::Group(group)
                    if !(is_module && group.delimiter() == Delimiter::Brace) =>
                {
                    find(group.stream(), found);
                }
                TokenTree::Ident(_) if is_super(Some(token)) => {
                    let is_one_of_two = is_super(tokens.get(n + 3))
                        || n.checked_sub(3).is_some_and(|n| is_super(tokens.get(n)));
                    let is_path = matches!(tokens.get(n + 1), Some(TokenTree::Punct(_)));
                    found.extend((is_path && !is_one_of_two).then(|| token.span()));
                }
                _ => {}
            }
        }
    }
    let mut found = Vec::new();
    if let Ok(tokens) = text.parse() {
        find(tokens, &mut found);
    }
    let edit = |span: proc_macro2::Span| {
        let at = lines.at(span.start())..lines.at(span.end());
        (at, format!("crate::{modules}"))
    };
    found.into_iter().map(edit).collect()
}

/// A text, addressed by lines and columns.
struct Lines<'a>(&'a str);

impl Lines<'_> {
    /// Returns the byte offset of a line and column.
    fn at(&self, place: LineColumn) -> usize {
        let before: usize = self
            .0
            .split_inclusive('\n')
            .take(place.line - 1)
            .map(str::len)
            .sum();
        let line = &self.0[before..];
        let column = line.char_indices().nth(place.column);
        before + column.map_or(line.len(), |(at, _)| at)
    }

    /// Returns the separator in front of an item of an attribute: a line feed and indentation, or
    /// one space.
    fn indent(&self, at: usize) -> String {
        let start = self.0[..at].rfind('\n').map_or(0, |end| end + 1);
        let before = &self.0[start..at];
        if before.trim().is_empty() {
            format!("\n{before}")
        } else {
            " ".to_owned()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn copy(text: &str) -> Result<String, String> {
        let place = |version, modules| TypesLocation {
            version,
            modules,
            module: "cow",
        };
        copied(
            text,
            "Cow",
            &place("v1alpha1", "farm::v1alpha1"),
            &place("v1", "farm::v1"),
        )
    }

    #[test]
    fn the_copy_is_served_and_not_stored() {
        let text = "#[derive(CustomResource)]\n#[kube(\n    group = \"g\",\n    version = \"v1alpha1\",\n    kind = \"Cow\"\n)]\npub struct CowSpec {}\n";
        let expected = text.replace("\"v1alpha1\",", "\"v1\",\n    storage = false,");
        assert_eq!(copy(text).unwrap(), expected);
        assert_eq!(is_stored(text, "Cow", "v1alpha1"), Some(true));
        assert_eq!(is_stored(&expected, "Cow", "v1"), Some(false));
        let one_line = "/// Ü\n#[kube(kind = \"Cow\", version = \"v1alpha1\", served = false, storage = true)]\n#[kube(deprecated = \"old\", status = \"S\")]\nstruct S;\n";
        assert_eq!(
            copy(one_line).unwrap(),
            "/// Ü\n#[kube(kind = \"Cow\", version = \"v1\", storage = false)]\n#[kube(status = \"S\")]\nstruct S;\n"
        );
    }

    #[test]
    fn the_copy_means_the_same_modules() {
        let kube =
            "#[kube(kind = \"Cow\", version = \"v1alpha1\", storage = false)]\nstruct CowSpec;\n";
        let text = format!(
            "use super::herd::Herd;\nuse super::super::v2::x;\n{kube}#[serde(default = \"crate::farm::v1alpha1::cow::loud\")]\nstruct B(super::pen::Pen);\nmod tests {{\n    use super::*;\n}}\n"
        );
        let expected = text
            .replace("\"v1alpha1\"", "\"v1\"")
            .replace("use super::herd", "use crate::farm::v1alpha1::herd")
            .replace("(super::pen", "(crate::farm::v1alpha1::pen")
            .replace("v1alpha1::cow::loud", "v1::cow::loud");
        assert_eq!(copy(&text).unwrap(), expected);
    }

    #[test]
    fn types_of_other_kinds_are_not_copied() {
        assert!(copy("struct {").unwrap_err().starts_with("is not Rust"));
        let other = "#[kube(kind = \"Bull\", version = \"v1alpha1\")]\nstruct S;\n";
        assert!(copy(other).unwrap_err().contains("kind = \"Cow\""));
    }
}
