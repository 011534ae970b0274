//! The structs and enums of a source file, in the form that the conversion generator needs.

use syn::{Fields, Item};

/// The fields or variants of a type.
pub enum Shape {
    Struct(Fields),
    /// The names and the fields of the variants.
    Enum(Vec<(String, Fields)>),
}

/// Types with their names, in the order of the source.
pub type Types = Vec<(String, Shape)>;

/// Returns the structs and enums of a source text in their order, without generic ones. Returns
/// `None` if the text is not valid Rust.
pub fn types(text: &str) -> Option<Types> {
    let items = syn::parse_file(text).ok()?.items;
    let shape = |item| match item {
        Item::Struct(item) if item.generics.params.is_empty() => {
            Some((item.ident.to_string(), Shape::Struct(item.fields)))
        }
        Item::Enum(item) if item.generics.params.is_empty() => {
            let variants = item.variants.into_iter();
            let variants = variants.map(|variant| (variant.ident.to_string(), variant.fields));
            Some((item.ident.to_string(), Shape::Enum(variants.collect())))
        }
        _ => None,
    };
    Some(items.into_iter().filter_map(shape).collect())
}

/// Returns the type of a name.
pub fn find<'a>(types: &'a Types, name: &str) -> Option<&'a Shape> {
    let found = types.iter().find(|(known, _)| known == name);
    found.map(|(_, shape)| shape)
}
