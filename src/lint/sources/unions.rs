//! Enums for which kube makes no schema. It panics at them, and names neither the type nor its line.

use std::path::PathBuf;
use std::sync::Arc;

use syn::{Fields, Item, ItemEnum, Variant};

use super::attributes::Serde;
use super::{Field, File};
use crate::crd::crdgen::{MIXED, TAGGED};
use crate::diagnostic::Diagnostic;

/// What kube says of variants with and without fields in one enum.
const OF_MIXED: [&str; 2] = ["Enum variant set", "variant defined type"];

/// What it says of a property that has another form in each variant.
const OF_TAGGED: &str = "was already defined as";

/// The places in the sources that kube has panicked at with this output.
pub fn culprits(
    files: impl IntoIterator<Item = (PathBuf, String)>,
    output: &str,
) -> Vec<Diagnostic> {
    let is_mixed = OF_MIXED.iter().any(|part| output.contains(part));
    let property = property(output);
    let mut found = Vec::new();
    if !is_mixed && property.is_none() {
        return found;
    }
    for (path, text) in files {
        let Ok(syntax) = syn::parse_file(&text) else {
            continue;
        };
        let lines = text.lines().map(str::to_owned).collect();
        let file = Arc::new(File { path, lines });
        each_enum(&syntax.items, &mut |item| {
            found.extend(match property {
                Some(property) => differing(&file, item, property),
                None => mixed(&file, item),
            });
        });
    }
    found
}

/// `Property "form" has the schema .. but was already defined as ..`.
fn property(output: &str) -> Option<&str> {
    let (before, _) = output.split_once(OF_TAGGED)?;
    before.split_once("Property \"")?.1.split('"').next()
}

fn each_enum(items: &[Item], look: &mut impl FnMut(&ItemEnum)) {
    for item in items {
        match item {
            Item::Enum(item) => look(item),
            Item::Mod(module) => {
                if let Some((_, items)) = &module.content {
                    each_enum(items, look);
                }
            }
            _ => {}
        }
    }
}

/// The variants without fields of an enum that has others.
fn mixed(file: &Arc<File>, item: &ItemEnum) -> Vec<Diagnostic> {
    let serde = Serde::of(&item.attrs);
    let is_plain = |variant: &&Variant| matches!(variant.fields, Fields::Unit);
    let plain: Vec<_> = item.variants.iter().filter(is_plain).collect();
    if serde.tag.is_some() || serde.is_untagged || plain.len() == item.variants.len() {
        return Vec::new();
    }
    let diagnostic = |variant: &Variant| {
        let field = Field::new(file, &variant.ident, Vec::new(), false);
        let name = format!("{}::{}", item.ident, variant.ident);
        let message = format!("`{name}` has no fields, and other variants have");
        field.diagnostic(message).help(MIXED)
    };
    plain.into_iter().map(diagnostic).collect()
}

/// The enum whose tag is the property, or the fields of that name in its variants.
fn differing(file: &Arc<File>, item: &ItemEnum, property: &str) -> Vec<Diagnostic> {
    let serde = Serde::of(&item.attrs);
    let at = |ident, message: String| {
        let field = Field::new(file, ident, Vec::new(), false);
        field.diagnostic(message).help(TAGGED)
    };
    if serde.tag.as_deref() == Some(property) {
        let message = format!("the variants of `{}` are told apart by a tag", item.ident);
        return vec![at(&item.ident, message)];
    }
    let mut found = Vec::new();
    for variant in &item.variants {
        let container = Serde::of(&variant.attrs);
        let fields = variant.fields.iter();
        let fields = fields.filter_map(|field| Some((field.ident.as_ref()?, &field.attrs)));
        let mut named = fields.filter(|(ident, attributes)| {
            Serde::of(attributes).rename(ident, &container, false) == property
        });
        if let Some((ident, _)) = named.next() {
            let message = format!("`{property}` is in several variants of `{}`", item.ident);
            found.push(at(ident, message));
        }
    }
    // One alone differs from none.
    if found.len() < 2 {
        Vec::new()
    } else {
        found.split_off(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The places that are named for sources and an output of kube.
    fn places(text: &str, output: &str) -> Vec<(usize, String)> {
        let files = [(PathBuf::from("a.rs"), text.to_owned())];
        let found = culprits(files, output).into_iter();
        let place = |found: Diagnostic| {
            let place = found.place.unwrap();
            (place.line.number, place.line.text[place.span].to_owned())
        };
        found.map(place).collect()
    }

    #[test]
    fn a_panic_about_variants_names_those_without_fields() {
        let text = "enum Fine { A, B }\nmod m {\n    enum Shape {\n        Round { radius: i32 },\n        None,\n    }\n}\n\
                    #[serde(untagged)]\nenum Either { A(i32), B }\n";
        let output = "Enum variant set [String(\"None\")] has type Single(String) but was already defined as \
                      Some(Single(Object)).";
        assert_eq!(places(text, output), [(5, "None".to_owned())]);
        assert_eq!(places(text, "something else"), []);
    }

    #[test]
    fn a_panic_about_a_property_names_the_enum_of_the_tag_or_the_fields() {
        let text = "#[serde(tag = \"form\")]\nenum Shape {\n    Round { size: i32 },\n    Named { size: String },\n}\n\
                    enum Other { A { size: i32 } }\n";
        let output = |property: &str| {
            format!(
                "Property \"{property}\" has the schema X but was already defined as Y in another subschema."
            )
        };
        assert_eq!(places(text, &output("form")), [(2, "Shape".to_owned())]);
        assert_eq!(places(text, &output("size")), [(4, "size".to_owned())]);
    }
}
