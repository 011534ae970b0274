//! Detects enums for which kube cannot generate a schema. kube panics without naming the type or
//! its line.

use crate::crd::crdgen::{FLATTENED, MIXED, TAGGED};
use crate::diagnostic::{Diagnostic, Place};
use crate::sources::types::{Declared, Field, Types, Variant};

/// kube's messages about enums in which only some variants have fields.
const OF_MIXED: [&str; 2] = ["Enum variant set", "variant defined type"];

/// kube's message about a property with different schemas in several variants.
const OF_TAGGED: &str = "was already defined as";

/// Returns diagnostics for the types at which kube panicked. `output` is what the failed `crdgen`
/// printed.
pub fn culprits(types: &Types, output: &str) -> Vec<Diagnostic> {
    let is_mixed = OF_MIXED.iter().any(|part| output.contains(part));
    match property(output) {
        Some(property) => types
            .iter()
            .flat_map(|of| differing(types, of, property, output))
            .collect(),
        None if is_mixed => types.iter().flat_map(mixed).collect(),
        None => Vec::new(),
    }
}

/// Extracts the property from `Property "form" has the schema .. but was already defined as ..`.
fn property(output: &str) -> Option<&str> {
    let (before, _) = output.split_once(OF_TAGGED)?;
    before.split_once("Property \"")?.1.split('"').next()
}

/// Reports the variants without fields of an enum in which others have fields.
fn mixed(item: &Declared) -> Vec<Diagnostic> {
    let plain: Vec<_> = item
        .variants
        .iter()
        .filter(|variant| variant.is_plain)
        .collect();
    if item.serde.tag.is_some() || item.serde.is_untagged || plain.len() == item.variants.len() {
        return Vec::new();
    }
    let diagnostic = |variant: &Variant| {
        let name = format!("{}::{}", item.ident, variant.ident);
        let message = format!("`{name}` has no fields, but other variants have");
        variant.place.diagnostic(message).help(MIXED)
    };
    plain.into_iter().map(diagnostic).collect()
}

/// Reports the enum whose tag is the property, the fields of that name in its variants, or the
/// field of that name in a struct with a flattened type.
fn differing(types: &Types, item: &Declared, property: &str, output: &str) -> Vec<Diagnostic> {
    let at = |place: &Place, message: String| place.diagnostic(message).help(TAGGED);
    if item.serde.tag.as_deref() == Some(property) {
        // kube prints two schemas of the tag, each with the name of a variant.
        let is_printed = |name: &&String| output.contains(&format!("String({name:?})"));
        if item.fields.keys().filter(is_printed).count() < 2 {
            return Vec::new();
        }
        let message = format!(
            "the variants of `{}` are distinguished by a tag, but their fields differ",
            item.ident
        );
        return vec![at(&item.name.place, message)];
    }
    if item.variants.is_empty() {
        let is_inside = types.flattened(item).any(|inner| inner.has(property));
        let field = item.fields.get(property).filter(|_| is_inside);
        let diagnostic = |field: &Field| {
            let message = format!(
                "`{property}` is a field of `{}` and of a type that is flattened into it",
                item.ident
            );
            field.diagnostic(message).help(FLATTENED)
        };
        return field.map(diagnostic).into_iter().collect();
    }
    let variants = item.variants.iter();
    let places = variants.filter_map(|variant| variant.fields.get(property));
    let message = format!("`{property}` is in several variants of `{}`", item.ident);
    // The first one conflicts with none before it.
    let others = places.skip(1);
    others.map(|place| at(place, message.clone())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the reported locations for some sources and an output of kube.
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
        assert_eq!(
            places(text, &of_property("form", "Named", "Round")),
            [(2, "Shape".to_owned())]
        );
        assert_eq!(
            places(text, &of_property("size", "X", "Y")),
            [(4, "size".to_owned())]
        );
    }

    /// Returns kube's panic over a property that two variants declare with different enum values.
    fn of_property(property: &str, one: &str, other: &str) -> String {
        format!(
            "Property {property:?} has the schema Object(SchemaObject {{ enum_values: Some([String({one:?})]) }}) but was \
             already defined as Object(SchemaObject {{ enum_values: Some([String({other:?})]) }}) in another subschema."
        )
    }

    #[test]
    fn a_panic_about_a_tag_names_only_the_enum_with_the_printed_variants() {
        let text = "#[serde(tag = \"type\")]\nenum Fine {\n    One { a: i32 },\n}\n\
                    #[serde(tag = \"type\", rename_all = \"camelCase\")]\nenum Shape {\n    Round { a: i32 },\n    \
                    VeryFlat { b: i32 },\n}\n";
        let output = of_property("type", "veryFlat", "round");
        assert_eq!(places(text, &output), [(6, "Shape".to_owned())]);
    }

    #[test]
    fn a_panic_about_a_field_next_to_a_flattened_type_names_the_field() {
        let text = "struct Outer {\n    kind: String,\n    #[serde(flatten)]\n    inner: Inner,\n    \
                    #[serde(flatten)]\n    rest: BTreeMap<String, Value>,\n}\n\
                    enum Inner {\n    A { kind: i32 },\n}\n\
                    #[serde(tag = \"kind\")]\nenum Fine {\n    One { a: i32 },\n}\n";
        let types = Types::of_texts([("api/src/a.rs", text)]);
        let output = of_property("kind", "X", "Y");
        let found = culprits(&types, &output);
        let [one] = &found[..] else {
            panic!("{found:?}");
        };
        assert_eq!(one.line(), Some(2));
        assert!(one.to_string().contains(FLATTENED), "{one}");
    }
}
