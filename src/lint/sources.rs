//! The Rust types that a CRD comes from: which field, in which line, stands behind a place in a schema.
//!
//! What cannot be found (types of other crates, what a macro makes) is not an error: then there is no line
//! to show, and what lies inside of such a type is not the user's to change.

mod attributes;
mod unheard;
mod unions;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use syn::{Fields, GenericArgument, Ident, Item, PathArguments, Type, Variant};

use crate::diagnostic::{Diagnostic, SourceLine};
use attributes::Serde;
pub use unions::culprits;

/// A struct or an enum.
#[derive(Debug)]
struct Declared {
    file: Arc<File>,
    ident: String,
    /// Its own name, as if it were a field.
    name: Field,
    /// The fields by their names in JSON; of an enum, its variants.
    fields: BTreeMap<String, Field>,
    /// What is flattened into it, or stands in it without a name.
    flattened: Vec<String>,
    /// The version and the type of the status, where it is the spec of a kind.
    kind: Option<attributes::Kube>,
}

#[derive(Debug)]
struct File {
    path: PathBuf,
    lines: Vec<String>,
}

/// A field of a struct.
#[derive(Clone, Debug)]
pub struct Field {
    file: Arc<File>,
    line: usize,
    /// The bytes of its name in the line.
    span: std::ops::Range<usize>,
    /// The names of its type, from the outside in: `Option`, `Vec`, `Port`.
    pub types: Vec<String>,
    /// Whether it is written even where it is empty.
    pub is_always_written: bool,
    /// Whether `#[schemars(..)]` gives it another schema than its type's.
    has_own_schema: bool,
    /// What its attributes lose, each a sentence without its subject.
    losses: Vec<String>,
}

/// The types of the project's `api` crate.
#[derive(Debug, Default)]
pub struct Sources {
    types: BTreeMap<String, Declared>,
}

/// What stands behind a place in a schema.
#[derive(Clone, Copy, Debug)]
pub struct Origin<'a> {
    /// The deepest field on the way there that is the user's; of a whole object, spec or status, its type.
    pub field: &'a Field,
    /// Whether that field is the place itself, and not a field of another crate's type inside of it.
    pub is_own: bool,
    /// Whether the field's type is one of the project's.
    pub has_own_type: bool,
}

impl Sources {
    /// Reads sources; what is no Rust is left out, since cargo has said so by now.
    pub fn of(files: impl IntoIterator<Item = (PathBuf, String)>) -> Self {
        let mut sources = Self::default();
        for (path, text) in files {
            let Ok(syntax) = syn::parse_file(&text) else {
                continue;
            };
            let lines = text.lines().map(str::to_owned).collect();
            sources.add(&Arc::new(File { path, lines }), &syntax.items);
        }
        sources
    }

    fn add(&mut self, file: &Arc<File>, items: &[Item]) {
        for item in items {
            match item {
                Item::Mod(module) => {
                    if let Some((_, items)) = &module.content {
                        self.add(file, items);
                    }
                }
                Item::Struct(item) => {
                    let serde = Serde::of(&item.attrs);
                    let mut declared =
                        Declared::new(file, &item.ident, attributes::Kube::of(&item.attrs));
                    declared.name.losses = unheard::losses(&item.attrs);
                    declared.add_fields(&item.fields, &serde);
                    self.types
                        .insert(name_of(&item.ident, declared.kind.as_ref()), declared);
                }
                Item::Enum(item) => {
                    let serde = Serde::of(&item.attrs);
                    let mut declared = Declared::new(file, &item.ident, None);
                    declared.name.losses = unheard::losses(&item.attrs);
                    for variant in &item.variants {
                        let inner = declared.add_variant(variant, &serde);
                        self.types.extend(inner);
                    }
                    self.types.insert(item.ident.to_string(), declared);
                }
                _ => {}
            }
        }
    }

    /// Whether the kind's type is among the sources.
    pub fn know(&self, kind: &str, version: &str) -> bool {
        self.spec_of(kind, version).is_some()
    }

    fn spec_of(&self, kind: &str, version: &str) -> Option<&Declared> {
        self.types.get(&format!("{kind}/{version}"))
    }

    /// The field behind a place in the schema of a version of a kind; `fields` are the names on the way
    /// there, beginning with `spec` or `status`.
    pub fn find(&self, kind: &str, version: &str, fields: &[String]) -> Option<Origin<'_>> {
        let spec = self.spec_of(kind, version)?;
        let mut declared = match fields.first().map(String::as_str) {
            None | Some("spec") => Some(spec),
            Some("status") => self.types.get(spec.kind.as_ref()?.status.as_ref()?),
            _ => None,
        };
        let mut field = &declared?.name;
        for name in fields.iter().skip(1) {
            let Some(next) = declared.and_then(|declared| self.field(declared, name, 0)) else {
                return Some(Origin {
                    field,
                    is_own: false,
                    has_own_type: false,
                });
            };
            declared = next.types.iter().find_map(|name| self.types.get(name));
            field = next;
        }
        Some(Origin {
            field,
            is_own: true,
            has_own_type: declared.is_some(),
        })
    }

    /// Whether the type behind a place in the schema of a version of a kind is another crate's; none where the
    /// kind's type is not among the sources.
    pub fn is_foreign(&self, kind: &str, version: &str, fields: &[String]) -> Option<bool> {
        let spec = self.spec_of(kind, version)?;
        let mut declared = match fields.first().map(String::as_str) {
            Some("spec") => Some(spec),
            Some("status") => match spec.kind.as_ref().and_then(|kind| kind.status.as_ref()) {
                Some(status) => self.types.get(status),
                None => return Some(false),
            },
            _ => return Some(false),
        };
        for name in &fields[1..] {
            let Some(own) = declared else {
                return Some(true);
            };
            let Some(field) = self.field(own, name, 0) else {
                // It comes from what is flattened into the type, or is its only field.
                let mut others = own.flattened.iter();
                return Some(others.any(|name| !self.types.contains_key(name)));
            };
            declared = field.types.iter().find_map(|name| self.types.get(name));
        }
        Some(declared.is_none())
    }

    /// The fields and types of a version of a kind whose attributes lose something, with what.
    pub fn losses(&self, kind: &str, version: &str) -> Vec<(&Field, &str)> {
        let spec = self.spec_of(kind, version);
        let status = spec.and_then(|spec| self.types.get(spec.kind.as_ref()?.status.as_ref()?));
        let mut seen: Vec<&Declared> = spec.into_iter().chain(status).collect();
        let mut next = 0;
        while let Some(declared) = seen.get(next).copied() {
            next += 1;
            let of_fields = declared.fields.values();
            let of_fields = of_fields.filter(|field| !field.has_own_schema);
            let types = of_fields
                .flat_map(|field| &field.types)
                .chain(&declared.flattened);
            for inner in types.filter_map(|name| self.types.get(name)) {
                if !seen.iter().any(|seen| std::ptr::eq(*seen, inner)) {
                    seen.push(inner);
                }
            }
        }
        let fields = seen
            .into_iter()
            .flat_map(|declared| std::iter::once(&declared.name).chain(declared.fields.values()));
        let losses = fields.flat_map(|field| {
            let losses = field.losses.iter();
            losses.map(move |loss| (field, loss.as_str()))
        });
        losses.collect()
    }

    /// The fields that lead from a type back to itself, with the type's name.
    pub fn endless(&self) -> Vec<(&str, &Field)> {
        let mut found = Vec::new();
        for (name, declared) in &self.types {
            let leads_back = |field: &&Field| {
                // Without a look at how serde writes it: such a field has no schema.
                !field.has_own_schema
                    && field
                        .types
                        .iter()
                        .any(|ty| self.leads(ty, name, &mut Vec::new()))
            };
            found.extend(
                declared
                    .fields
                    .values()
                    .filter(leads_back)
                    .map(|field| (name.as_str(), field)),
            );
        }
        found
    }

    /// Whether a type is another one or contains it.
    fn leads<'a>(&'a self, from: &'a str, to: &str, seen: &mut Vec<&'a str>) -> bool {
        if from == to {
            return true;
        }
        if seen.contains(&from) {
            return false;
        }
        seen.push(from);
        let Some(declared) = self.types.get(from) else {
            return false;
        };
        let fields = declared
            .fields
            .values()
            .filter(|field| !field.has_own_schema);
        let mut types = fields.flat_map(|field| &field.types);
        types.any(|ty| self.leads(ty, to, seen))
    }

    /// A field of a type, or of one that is flattened into it. Types that flatten each other end somewhere.
    fn field<'a>(&'a self, declared: &'a Declared, name: &str, depth: usize) -> Option<&'a Field> {
        const DEEP: usize = 8;
        let flattened = declared
            .flattened
            .iter()
            .filter_map(|name| self.types.get(name));
        declared.fields.get(name).or_else(|| {
            let mut flattened = flattened.filter(|_| depth < DEEP);
            flattened.find_map(|inner| self.field(inner, name, depth + 1))
        })
    }
}

/// The name that a type is found by: of a kind's spec, the kind with its version.
fn name_of(ident: &Ident, kube: Option<&attributes::Kube>) -> String {
    kube.map_or_else(
        || ident.to_string(),
        |kube| format!("{}/{}", kube.kind, kube.version),
    )
}

impl Declared {
    fn new(file: &Arc<File>, ident: &Ident, kind: Option<attributes::Kube>) -> Self {
        let name = Field::new(file, ident, Vec::new(), false);
        Self {
            file: Arc::clone(file),
            ident: ident.to_string(),
            name,
            fields: BTreeMap::new(),
            flattened: Vec::new(),
            kind,
        }
    }

    /// Adds a variant of an enum. One with fields of its own is a type of its own, which is given back.
    fn add_variant(&mut self, variant: &Variant, container: &Serde) -> Option<(String, Self)> {
        let serde = Serde::of(&variant.attrs);
        let name = serde.rename(&variant.ident, container, true);
        let mut types = Vec::new();
        let mut inner = None;
        match &variant.fields {
            Fields::Unnamed(fields) => {
                types.extend(fields.unnamed.iter().flat_map(|field| names(&field.ty)));
            }
            Fields::Named(_) => {
                let mut declared = Self::new(&self.file, &variant.ident, None);
                declared.add_fields(&variant.fields, &serde.of_variant(container));
                let path = format!("{}::{}", self.ident, variant.ident);
                types.push(path.clone());
                inner = Some((path, declared));
            }
            Fields::Unit => {}
        }
        // Without a tag around them its fields are those of the enum.
        self.flattened.extend(types.iter().cloned());
        let mut field = Field::new(&self.file, &variant.ident, types, false);
        field.losses = unheard::losses(&variant.attrs);
        self.fields.insert(name, field);
        inner
    }

    fn add_fields(&mut self, fields: &Fields, container: &Serde) {
        for field in fields {
            let serde = Serde::of(&field.attrs);
            let types = names(&field.ty);
            let Some(ident) = &field.ident else {
                self.flattened.extend(types);
                continue;
            };
            if serde.is_flat {
                self.flattened.extend(types);
                continue;
            }
            let name = serde.rename(ident, container, false);
            let losses = unheard::losses(&field.attrs);
            let has_own_schema = attributes::has_own_schema(&field.attrs);
            let field = Field::new(&self.file, ident, types, !serde.is_skipped);
            self.fields.insert(
                name,
                Field {
                    has_own_schema,
                    losses,
                    ..field
                },
            );
        }
    }
}

impl Field {
    fn new(file: &Arc<File>, ident: &Ident, types: Vec<String>, is_always_written: bool) -> Self {
        let start = ident.span().start();
        let text = file.lines.get(start.line - 1).map_or("", String::as_str);
        let at = text
            .char_indices()
            .nth(start.column)
            .map_or(0, |(at, _)| at);
        Self {
            file: Arc::clone(file),
            line: start.line,
            span: at..at + ident.to_string().len(),
            types,
            is_always_written,
            has_own_schema: false,
            losses: Vec::new(),
        }
    }

    /// Its name in Rust.
    pub fn ident(&self) -> &str {
        let line = self.file.lines.get(self.line - 1);
        line.and_then(|line| line.get(self.span.clone()))
            .unwrap_or_default()
    }

    /// A diagnostic about it.
    pub fn diagnostic(&self, message: String) -> Diagnostic {
        let line = SourceLine {
            path: self.file.path.clone(),
            number: self.line,
            text: self
                .file
                .lines
                .get(self.line - 1)
                .cloned()
                .unwrap_or_default(),
        };
        Diagnostic::at(&Arc::new(line), self.span.clone(), message)
    }
}

/// The names in a type, from the outside in.
fn names(ty: &Type) -> Vec<String> {
    let mut names = Vec::new();
    collect(ty, &mut names);
    names
}

fn collect(ty: &Type, names: &mut Vec<String>) {
    match ty {
        Type::Path(path) => {
            let Some(segment) = path.path.segments.last() else {
                return;
            };
            names.push(segment.ident.to_string());
            if let PathArguments::AngleBracketed(arguments) = &segment.arguments {
                let types = arguments.args.iter().filter_map(|argument| match argument {
                    GenericArgument::Type(ty) => Some(ty),
                    _ => None,
                });
                types.for_each(|ty| collect(ty, names));
            }
        }
        Type::Array(array) => collect(&array.elem, names),
        Type::Tuple(tuple) => tuple.elems.iter().for_each(|ty| collect(ty, names)),
        Type::Group(group) => collect(&group.elem, names),
        Type::Paren(paren) => collect(&paren.elem, names),
        _ => {}
    }
}

#[cfg(test)]
mod tests;
