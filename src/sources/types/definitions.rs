//! Structs and enums, reduced to what is relevant for schemas.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use kube::core::GroupVersionKind;
use syn::punctuated::Punctuated;
use syn::{Attribute, Fields, Ident, ItemEnum, ItemStruct, Token};

use super::attributes::{Pairs, Serde, pairs};
use super::names::{TypeName, names};
use crate::diagnostic::{Diagnostic, Place, SourceLine};
use crate::sources::imports::word;

/// A struct, an enum, or a struct variant of an enum.
#[derive(Debug)]
pub struct Declared {
    /// The name in its module: `Shape`, or `Shape::Round` for a variant.
    pub ident: String,
    /// The name of the type, represented as a field.
    pub name: Field,
    /// The fields by their JSON names; for an enum, its variants.
    pub fields: BTreeMap<String, Field>,
    /// The types of flattened and unnamed fields.
    pub flattened: Vec<TypeName>,
    /// The kind, if the type is the spec of one.
    pub kind: Option<DeclaredKind>,
    pub derives: Vec<Derive>,
    /// The variants, if the type is an enum.
    pub variants: Vec<Variant>,
    /// The serde attributes of the type.
    pub serde: Serde,
}

/// A trait in `#[derive(..)]`.
#[derive(Debug)]
pub struct Derive {
    /// The last segment of its path.
    pub ident: String,
    pub place: Place,
}

/// The kind declared by `#[kube(..)]`.
#[derive(Debug)]
pub struct DeclaredKind {
    pub of: GroupVersionKind,
    /// The status type; `None` if the kind has no status.
    pub status: Option<TypeName>,
}

/// A field of a struct.
#[derive(Clone, Debug)]
pub struct Field {
    /// The name in Rust.
    pub ident: String,
    /// The location of the name or, if a macro of the project declares the field, of its call.
    pub place: Place,
    /// The names in its type, from the outside in: `Option`, `Vec`, `Port`.
    pub types: Vec<TypeName>,
    /// True if the field is serialized even if it is empty.
    pub is_always_written: bool,
    /// True if `#[schemars(..)]` replaces the schema of its type.
    pub has_own_schema: bool,
    /// The contents of `#[serde(..)]`.
    pub serde: Pairs,
    /// The contents of `#[schemars(..)]`.
    pub schemars: Pairs,
}

/// A variant of an enum.
#[derive(Debug)]
pub struct Variant {
    /// The name in Rust.
    pub ident: String,
    /// The location, as that of a [`Field`].
    pub place: Place,
    /// True if it is a unit variant.
    pub is_plain: bool,
    /// The named fields, by their JSON names.
    pub fields: BTreeMap<String, Place>,
}

/// A source text, used to compute the locations of names.
pub struct SourceText<'a> {
    path: &'a Path,
    lines: Vec<&'a str>,
}

impl<'a> SourceText<'a> {
    /// Splits a text into lines. `path` is its name in diagnostics.
    pub fn new(path: &'a Path, text: &'a str) -> Self {
        let lines = text.lines().collect();
        Self { path, lines }
    }

    /// Returns the location of a name. If a macro declares it, that is the name of the macro in its
    /// call.
    fn place(&self, ident: &Ident) -> Place {
        let (start, end) = (ident.span().start(), ident.span().end());
        let text = self.lines.get(start.line - 1).copied().unwrap_or_default();
        let position = |column| {
            let mut chars = text.char_indices();
            chars.nth(column).map_or(text.len(), |(at, _)| at)
        };
        let line = SourceLine {
            path: self.path.to_owned(),
            number: start.line,
            text: text.to_owned(),
        };
        Place {
            line: Arc::new(line),
            span: position(start.column)..position(end.column),
        }
    }
}

impl Declared {
    pub fn of_struct(source: &SourceText, item: &ItemStruct) -> Self {
        let mut declared = Self::new(source, &item.ident, &item.attrs);
        declared.kind = DeclaredKind::of(&item.attrs);
        let serde = Serde::of(&item.attrs);
        declared.add_fields(source, &item.fields, &serde);
        declared
    }

    /// Converts an enum. Returns it and its struct variants.
    pub fn of_enum(source: &SourceText, item: &ItemEnum) -> Vec<Self> {
        let mut declared = Self::new(source, &item.ident, &item.attrs);
        let mut all = Vec::new();
        for variant in &item.variants {
            all.extend(declared.add_variant(source, variant));
        }
        all.insert(0, declared);
        all
    }

    fn new(source: &SourceText, ident: &Ident, attributes: &[Attribute]) -> Self {
        let derives = attributes.iter().flat_map(derives);
        Self {
            ident: word(ident),
            name: Field::new(source, ident, attributes, Vec::new()),
            fields: BTreeMap::new(),
            flattened: Vec::new(),
            kind: None,
            derives: derives
                .map(|name| Derive {
                    ident: word(&name),
                    place: source.place(&name),
                })
                .collect(),
            variants: Vec::new(),
            serde: Serde::of(attributes),
        }
    }

    /// Adds a variant of an enum. Returns a struct variant as a separate type.
    fn add_variant(&mut self, source: &SourceText, variant: &syn::Variant) -> Option<Self> {
        let serde = Serde::of(&variant.attrs);
        let name = serde.rename(&variant.ident, &self.serde, true);
        let mut types = Vec::new();
        let mut inner = None;
        match &variant.fields {
            Fields::Unnamed(fields) => {
                types.extend(fields.unnamed.iter().flat_map(|field| names(&field.ty)));
            }
            Fields::Named(_) => {
                let mut declared = Self::new(source, &variant.ident, &[]);
                declared.add_fields(source, &variant.fields, &serde.of_variant(&self.serde));
                types.push(TypeName::new(vec![
                    self.ident.clone(),
                    word(&variant.ident),
                ]));
                declared.ident = format!("{}::{}", self.ident, declared.ident);
                inner = Some(declared);
            }
            Fields::Unit => {}
        }
        // Without a tag, the variant's fields are those of the enum.
        self.flattened.extend(types.iter().cloned());
        let field = Field::new(source, &variant.ident, &variant.attrs, types);
        let fields = inner.iter().flat_map(|inner| &inner.fields);
        self.variants.push(Variant {
            ident: field.ident.clone(),
            place: field.place.clone(),
            is_plain: matches!(variant.fields, Fields::Unit),
            fields: fields
                .map(|(name, field)| (name.clone(), field.place.clone()))
                .collect(),
        });
        self.fields.insert(name, field);
        inner
    }

    fn add_fields(&mut self, source: &SourceText, fields: &Fields, container: &Serde) {
        for field in fields {
            let serde = Serde::of(&field.attrs);
            let types = names(&field.ty);
            match &field.ident {
                Some(ident) if !serde.is_flat => {
                    let name = serde.rename(ident, container, false);
                    let field = Field {
                        is_always_written: !serde.is_skipped,
                        ..Field::new(source, ident, &field.attrs, types)
                    };
                    self.fields.insert(name, field);
                }
                _ => self.flattened.extend(types),
            }
        }
    }

    /// Returns true if the type, or one of its variants, has a field of this JSON name.
    pub fn has(&self, name: &str) -> bool {
        let mut variants = self.variants.iter();
        self.fields.contains_key(name)
            || self.serde.tag.as_deref() == Some(name)
            || variants.any(|variant| variant.fields.contains_key(name))
    }

    /// Returns the names of the types that contribute to its schema.
    pub fn inside(&self) -> impl Iterator<Item = &TypeName> {
        let fields = self.fields.values().filter(|field| !field.has_own_schema);
        fields.flat_map(|field| &field.types).chain(&self.flattened)
    }

    /// Returns the type's name as a field, followed by all fields.
    pub fn all_fields(&self) -> impl Iterator<Item = &Field> {
        [&self.name].into_iter().chain(self.fields.values())
    }

    /// Returns all type names for resolution.
    pub fn names_mut(&mut self) -> impl Iterator<Item = &mut TypeName> {
        let fields = self.fields.values_mut().flat_map(|field| &mut field.types);
        let status = self.kind.iter_mut().flat_map(|kind| &mut kind.status);
        fields.chain(&mut self.flattened).chain(status)
    }
}

impl Field {
    fn new(
        source: &SourceText,
        ident: &Ident,
        attributes: &[Attribute],
        types: Vec<TypeName>,
    ) -> Self {
        let schemars = pairs(attributes, "schemars");
        let own = ["schema_with", "with", "skip"];
        Self {
            ident: ident.to_string(),
            place: source.place(ident),
            types,
            is_always_written: false,
            has_own_schema: schemars
                .iter()
                .any(|(name, _)| own.contains(&name.as_str())),
            serde: pairs(attributes, "serde"),
            schemars,
        }
    }

    /// Creates a diagnostic about the field.
    pub fn diagnostic(&self, message: String) -> Diagnostic {
        self.place.diagnostic(message)
    }
}

impl DeclaredKind {
    /// Parses the attributes of a type; `None` if it is not the spec of a kind.
    fn of(attributes: &[Attribute]) -> Option<Self> {
        let pairs = pairs(attributes, "kube");
        let value = |wanted: &str| pairs.iter().find(|(name, _)| name == wanted)?.1.clone();
        let status = value("status").map(|status| {
            let parts = status.split("::").map(|part| part.trim().to_owned());
            TypeName::new(parts.collect())
        });
        Some(Self {
            of: GroupVersionKind {
                group: value("group")?,
                version: value("version")?,
                kind: value("kind")?,
            },
            status,
        })
    }
}

/// Returns the last segments of the paths in `#[derive(..)]`.
fn derives(attribute: &Attribute) -> Vec<Ident> {
    if !attribute.path().is_ident("derive") {
        return Vec::new();
    }
    let names = attribute.parse_args_with(Punctuated::<syn::Path, Token![,]>::parse_terminated);
    let names = names.into_iter().flatten();
    let last = |name: syn::Path| Some(name.segments.last()?.ident.clone());
    names.filter_map(last).collect()
}
