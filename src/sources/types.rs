//! The Rust types from which CRDs are generated, by their full paths. Maps a place in a schema to
//! the field and source line that declare it.
//!
//! A type that cannot be found, because another crate declares it or a macro of another crate
//! generates it, is not an error. There is just no source line to show, and the user cannot change
//! what is inside of such a type. Calls of the project's own macros are expanded.

pub mod attributes;
mod definitions;
mod modules;
mod names;
mod parsed;

use std::collections::HashMap;
use std::path::Path;

use kube::core::GroupVersionKind;

use modules::Modules;

pub use modules::Crate;

pub use definitions::{Declared, Field, Variant};
pub use names::TypeName;
pub use parsed::Parsed;

/// The directory of the types, relative to the project.
const ROOT: &str = "api/src";

/// The types in the project's `api` crate.
#[derive(Debug, Default)]
pub struct Types {
    /// In the order of files.
    declared: Vec<Declared>,
    /// Indices of the spec types by kind.
    by_kind: HashMap<GroupVersionKind, usize>,
}

/// The Rust code behind a place in a schema.
#[derive(Clone, Copy, Debug)]
pub struct Origin<'a> {
    /// The deepest of the user's fields in the path. For a whole object, spec or status, it is the
    /// type.
    pub field: &'a Field,
    /// True if the place is the field itself, false if it is a part of a type from another crate
    /// inside of it.
    pub is_own: bool,
    /// True if the field's type is one of the project's types.
    pub has_own_type: bool,
    /// The declaration of the field's type, if it is one of the project's.
    pub declared: Option<&'a Declared>,
}

/// Returns true if a file, given relative to the project, may declare types for CRDs.
pub fn is_in_types_crate(path: &Path) -> bool {
    path.starts_with(ROOT)
}

impl Types {
    /// Collects the types of some files and resolves the names in them.
    pub fn of(files: Vec<Parsed>) -> Self {
        Self::resolved(Modules::of(ROOT.as_ref(), parsed::expanded(files)))
    }

    /// Collects the types of several crates, which may use each other's types.
    pub fn of_crates(crates: &[Crate], files: Vec<Parsed>) -> Self {
        Self::resolved(Modules::of_crates(crates, parsed::expanded(files)))
    }

    fn resolved((modules, all): (Modules, Vec<(Vec<String>, Declared)>)) -> Self {
        let path = |(module, declared): &(Vec<String>, Declared)| {
            let parts = module.iter().chain([&declared.ident]);
            parts.map(String::as_str).collect::<Vec<_>>().join("::")
        };
        let by_path = all.iter().map(path).zip(0..).collect();
        let mut types = Self::default();
        for (number, (module, mut declared)) in all.into_iter().enumerate() {
            for name in declared.names_mut() {
                name.own = modules.resolve(&module, &name.path, &by_path);
            }
            if let Some(kind) = &declared.kind {
                types.by_kind.insert(kind.of.clone(), number);
            }
            types.declared.push(declared);
        }
        types
    }

    /// Collects the types of some source texts. Skips invalid Rust.
    #[cfg(test)]
    pub fn of_texts<'a>(texts: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let parsed = |(path, text)| Parsed::of(Path::new(path), text);
        Self::of(texts.into_iter().filter_map(parsed).collect())
    }

    /// Returns all types, in the order of files and lines.
    pub fn iter(&self) -> impl Iterator<Item = &Declared> {
        self.declared.iter()
    }

    /// Returns true if the project declares the spec type of the kind.
    pub fn has_kind(&self, kind: &GroupVersionKind) -> bool {
        self.by_kind.contains_key(kind)
    }

    /// Returns the types of the spec and, if it is known, the status of a kind.
    pub fn roots<'a>(
        &'a self,
        kind: &GroupVersionKind,
    ) -> impl Iterator<Item = &'a Declared> + use<'a> {
        let spec = self.spec(kind);
        let status = spec.and_then(|spec| self.status(spec));
        spec.into_iter().chain(status)
    }

    fn spec(&self, kind: &GroupVersionKind) -> Option<&Declared> {
        Some(&self.declared[*self.by_kind.get(kind)?])
    }

    fn status(&self, spec: &Declared) -> Option<&Declared> {
        let status = spec.kind.as_ref()?.status.as_ref()?;
        Some(&self.declared[status.own?])
    }

    /// Returns the first of the named types that belongs to the project.
    fn own(&self, names: &[TypeName]) -> Option<&Declared> {
        names
            .iter()
            .find_map(|name| Some(&self.declared[name.own?]))
    }

    /// Returns the project's types that contribute to the schema of a type.
    pub fn inside<'a>(&'a self, declared: &'a Declared) -> impl Iterator<Item = &'a Declared> {
        let names = declared.inside();
        names.filter_map(|name| Some(&self.declared[name.own?]))
    }

    /// Returns the project's types that are flattened into a type.
    pub fn flattened<'a>(&'a self, declared: &'a Declared) -> impl Iterator<Item = &'a Declared> {
        let names = declared.flattened.iter();
        names.filter_map(|name| Some(&self.declared[name.own?]))
    }

    /// Returns the project's types in a field's type.
    pub fn of_field<'a>(&'a self, field: &'a Field) -> impl Iterator<Item = &'a Declared> {
        let names = field.types.iter();
        names.filter_map(|name| Some(&self.declared[name.own?]))
    }

    /// Returns the field behind a place in the schema of a kind. `fields` are the names in the
    /// path, beginning with `spec` or `status`.
    pub fn find(&self, kind: &GroupVersionKind, fields: &[String]) -> Option<Origin<'_>> {
        let spec = self.spec(kind)?;
        let mut declared = match fields.first().map(String::as_str) {
            None | Some("spec") => Some(spec),
            Some("status") => self.status(spec),
            _ => None,
        };
        let mut field = &declared?.name;
        for name in fields.iter().skip(1) {
            let Some(next) = declared.and_then(|declared| self.field(declared, name, 0)) else {
                return Some(Origin {
                    field,
                    is_own: false,
                    has_own_type: false,
                    declared: None,
                });
            };
            declared = self.own(&next.types);
            field = next;
        }
        Some(Origin {
            field,
            is_own: true,
            has_own_type: declared.is_some(),
            declared,
        })
    }

    /// Returns true if the type behind a place in the schema of a kind belongs to another crate;
    /// `None` if the kind's spec type is not known.
    pub fn is_foreign(&self, kind: &GroupVersionKind, fields: &[String]) -> Option<bool> {
        let spec = self.spec(kind)?;
        let mut declared = match fields.first().map(String::as_str) {
            Some("spec") => Some(spec),
            Some("status") if spec.kind.as_ref()?.status.is_some() => self.status(spec),
            _ => return Some(false),
        };
        for name in &fields[1..] {
            let Some(own) = declared else {
                return Some(true);
            };
            let Some(field) = self.field(own, name, 0) else {
                // The field belongs to a flattened type, or is inside of the type's only field.
                return Some(own.flattened.iter().any(|name| name.own.is_none()));
            };
            declared = self.own(&field.types);
        }
        Some(declared.is_none())
    }

    /// Finds a field of a type or of the types flattened into it. The depth is limited, because
    /// types may flatten each other.
    fn field<'a>(&'a self, declared: &'a Declared, name: &str, depth: usize) -> Option<&'a Field> {
        const DEEP: usize = 8;
        let inside = declared.flattened.iter();
        declared.fields.get(name).or_else(|| {
            let inside = inside.filter_map(|name| Some(&self.declared[name.own?]));
            let mut inside = inside.filter(|_| depth < DEEP);
            inside.find_map(|inner| self.field(inner, name, depth + 1))
        })
    }
}

#[cfg(test)]
mod tests;
