//! A struct or an enum, as far as its schema goes.

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

/// A struct, an enum, or a variant of an enum with fields of its own.
#[derive(Debug)]
pub struct Declared {
    /// Its name in its module: `Shape`, of a variant `Shape::Round`.
    pub ident: String,
    /// The name as if it were a field.
    pub name: Field,
    /// The fields by their names in JSON; of an enum, its variants.
    pub fields: BTreeMap<String, Field>,
    /// What is flattened into it, or stands in it without a name.
    pub flattened: Vec<TypeName>,
    /// The kind, where it is the spec of one.
    pub kind: Option<Kind>,
    /// What it derives.
    pub derives: Vec<Place>,
    /// The variants of an enum.
    pub variants: Vec<Variant>,
    /// How the variants of an enum are told apart, and the name of a struct is written.
    pub serde: Serde,
}

/// What `#[kube(..)]` says of a kind.
#[derive(Debug)]
pub struct Kind {
    /// The kind.
    pub of: GroupVersionKind,
    /// The type of the status.
    pub status: Option<TypeName>,
}

/// A field of a struct.
#[derive(Clone, Debug)]
pub struct Field {
    /// Its name in Rust.
    pub place: Place,
    /// The names of its type, from the outside in: `Option`, `Vec`, `Port`.
    pub types: Vec<TypeName>,
    /// Whether it is written even where it is empty.
    pub is_always_written: bool,
    /// Whether `#[schemars(..)]` gives it another schema than its type's.
    pub has_own_schema: bool,
    /// What `#[serde(..)]` says of it.
    pub serde: Pairs,
    /// What `#[schemars(..)]` says of it.
    pub schemars: Pairs,
}

/// A variant of an enum.
#[derive(Debug)]
pub struct Variant {
    /// Its name in Rust.
    pub place: Place,
    /// Whether it has nothing inside.
    pub is_plain: bool,
    /// The fields that have names, by those in JSON.
    pub fields: BTreeMap<String, Place>,
}

/// A source text, to say where in it a name stands.
pub struct Source<'a> {
    path: &'a Path,
    lines: Vec<&'a str>,
}

impl<'a> Source<'a> {
    /// A text, and how diagnostics name it.
    pub fn new(path: &'a Path, text: &'a str) -> Self {
        let lines = text.lines().collect();
        Self { path, lines }
    }

    fn place(&self, ident: &Ident) -> Place {
        let start = ident.span().start();
        let text = self.lines.get(start.line - 1).copied().unwrap_or_default();
        let mut chars = text.char_indices();
        let at = chars.nth(start.column).map_or(0, |(at, _)| at);
        let line = SourceLine {
            path: self.path.to_owned(),
            number: start.line,
            text: text.to_owned(),
        };
        Place {
            line: Arc::new(line),
            span: at..at + ident.to_string().len(),
        }
    }
}

impl Declared {
    /// A struct.
    pub fn of_struct(source: &Source, item: &ItemStruct) -> Self {
        let mut declared = Self::new(source, &item.ident, &item.attrs);
        declared.kind = Kind::of(&item.attrs);
        let serde = Serde::of(&item.attrs);
        declared.add_fields(source, &item.fields, &serde);
        declared
    }

    /// An enum, with those of its variants that have fields of their own.
    pub fn of_enum(source: &Source, item: &ItemEnum) -> Vec<Self> {
        let mut declared = Self::new(source, &item.ident, &item.attrs);
        let mut all = Vec::new();
        for variant in &item.variants {
            all.extend(declared.add_variant(source, variant));
        }
        all.insert(0, declared);
        all
    }

    fn new(source: &Source, ident: &Ident, attributes: &[Attribute]) -> Self {
        let derives = attributes.iter().flat_map(derives);
        Self {
            ident: word(ident),
            name: Field::new(source, ident, attributes, Vec::new()),
            fields: BTreeMap::new(),
            flattened: Vec::new(),
            kind: None,
            derives: derives.map(|name| source.place(&name)).collect(),
            variants: Vec::new(),
            serde: Serde::of(attributes),
        }
    }

    /// Adds a variant of an enum. One with fields of its own is a type of its own, which is given back.
    fn add_variant(&mut self, source: &Source, variant: &syn::Variant) -> Option<Self> {
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
        // Without a tag around them its fields are those of the enum.
        self.flattened.extend(types.iter().cloned());
        let field = Field::new(source, &variant.ident, &variant.attrs, types);
        let fields = inner.iter().flat_map(|inner| &inner.fields);
        self.variants.push(Variant {
            place: field.place.clone(),
            is_plain: matches!(variant.fields, Fields::Unit),
            fields: fields
                .map(|(name, field)| (name.clone(), field.place.clone()))
                .collect(),
        });
        self.fields.insert(name, field);
        inner
    }

    fn add_fields(&mut self, source: &Source, fields: &Fields, container: &Serde) {
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

    /// Whether the type, or one of its variants, writes a field of that name in JSON.
    pub fn has(&self, name: &str) -> bool {
        let mut variants = self.variants.iter();
        self.fields.contains_key(name)
            || self.serde.tag.as_deref() == Some(name)
            || variants.any(|variant| variant.fields.contains_key(name))
    }

    /// The names of types that lead into its schema.
    pub fn inside(&self) -> impl Iterator<Item = &TypeName> {
        let fields = self.fields.values().filter(|field| !field.has_own_schema);
        fields.flat_map(|field| &field.types).chain(&self.flattened)
    }

    /// The fields, and before them the type itself as if it were one.
    pub fn all_fields(&self) -> impl Iterator<Item = &Field> {
        [&self.name].into_iter().chain(self.fields.values())
    }

    /// All names of types, to be followed.
    pub fn names_mut(&mut self) -> impl Iterator<Item = &mut TypeName> {
        let fields = self.fields.values_mut().flat_map(|field| &mut field.types);
        let status = self.kind.iter_mut().flat_map(|kind| &mut kind.status);
        fields.chain(&mut self.flattened).chain(status)
    }
}

impl Field {
    fn new(source: &Source, ident: &Ident, attributes: &[Attribute], types: Vec<TypeName>) -> Self {
        let schemars = pairs(attributes, "schemars");
        let own = ["schema_with", "with", "skip"];
        Self {
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

    /// Its name in Rust.
    pub fn ident(&self) -> &str {
        self.place.text()
    }

    /// A diagnostic about it.
    pub fn diagnostic(&self, message: String) -> Diagnostic {
        self.place.diagnostic(message)
    }
}

impl Kind {
    /// Reads the attributes of a type, if it is the spec of a kind.
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

/// The names in a `#[derive(..)]`, without what leads to them.
fn derives(attribute: &Attribute) -> Vec<Ident> {
    if !attribute.path().is_ident("derive") {
        return Vec::new();
    }
    let names = attribute.parse_args_with(Punctuated::<syn::Path, Token![,]>::parse_terminated);
    let names = names.into_iter().flatten();
    let last = |name: syn::Path| Some(name.segments.last()?.ident.clone());
    names.filter_map(last).collect()
}
