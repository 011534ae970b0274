//! Enums for which kube makes no schema. It panics at them, and names neither the type nor its line.

use crate::crd::crdgen::{MIXED, TAGGED};
use crate::diagnostic::{Diagnostic, Place};
use crate::sources::types::{Declared, Types};

/// What kube says of variants with and without fields in one enum.
const OF_MIXED: [&str; 2] = ["Enum variant set", "variant defined type"];

/// What it says of a property that has another form in each variant.
const OF_TAGGED: &str = "was already defined as";

/// The places in the sources that kube has panicked at with this output.
pub fn culprits(types: &Types, output: &str) -> Vec<Diagnostic> {
    let is_mixed = OF_MIXED.iter().any(|part| output.contains(part));
    match property(output) {
        Some(property) => types
            .iter()
            .flat_map(|of| differing(of, property))
            .collect(),
        None if is_mixed => types.iter().flat_map(mixed).collect(),
        None => Vec::new(),
    }
}

/// `Property "form" has the schema .. but was already defined as ..`.
fn property(output: &str) -> Option<&str> {
    let (before, _) = output.split_once(OF_TAGGED)?;
    before.split_once("Property \"")?.1.split('"').next()
}

/// The variants without fields of an enum that has others.
fn mixed(item: &Declared) -> Vec<Diagnostic> {
    let plain: Vec<_> = item
        .variants
        .iter()
        .filter(|variant| variant.is_plain)
        .collect();
    if item.serde.tag.is_some() || item.serde.is_untagged || plain.len() == item.variants.len() {
        return Vec::new();
    }
    let diagnostic = |place: &Place| {
        let name = format!("{}::{}", item.ident, place.text());
        let message = format!("`{name}` has no fields, and other variants have");
        place.diagnostic(message).help(MIXED)
    };
    let found = plain.into_iter().map(|variant| diagnostic(&variant.place));
    found.collect()
}

/// The enum whose tag is the property, or the fields of that name in its variants.
fn differing(item: &Declared, property: &str) -> Vec<Diagnostic> {
    let at = |place: &Place, message: String| place.diagnostic(message).help(TAGGED);
    if item.serde.tag.as_deref() == Some(property) {
        let message = format!("the variants of `{}` are told apart by a tag", item.ident);
        return vec![at(&item.name.place, message)];
    }
    let variants = item.variants.iter();
    let places = variants.filter_map(|variant| variant.fields.get(property));
    let message = format!("`{property}` is in several variants of `{}`", item.ident);
    // The first one differs from none.
    let others = places.skip(1);
    others.map(|place| at(place, message.clone())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The places that are named for sources and an output of kube.
    fn places(text: &str, output: &str) -> Vec<(usize, String)> {
        let types = Types::of_texts([("api/src/a.rs", text)]);
        let found = culprits(&types, output).into_iter();
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
