//! The Rust types that CRDs come from, by their full paths: which field, in which line, stands behind a place in
//! a schema.
//!
//! What cannot be found (types of other crates, what a macro makes) is not an error: then there is no line
//! to show, and what lies inside of such a type is not the user's to change.

pub mod attributes;
mod declared;
mod modules;
mod names;

use std::collections::HashMap;
use std::path::Path;

use kube::core::GroupVersionKind;

use modules::Modules;

pub use declared::{Declared, Field, Variant};
pub use modules::Parsed;
pub use names::TypeName;

/// Where the types are, relative to the project.
const ROOT: &str = "api/src";

/// The types of the project's `api` crate.
#[derive(Debug, Default)]
pub struct Types {
    /// In the order of files.
    declared: Vec<Declared>,
    /// Their numbers, by the kinds that they are the spec of.
    by_kind: HashMap<GroupVersionKind, usize>,
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
    /// That type.
    pub declared: Option<&'a Declared>,
}

/// Whether a file, relative to the project, is one with types.
pub fn is_at(path: &Path) -> bool {
    path.starts_with(ROOT)
}

impl Types {
    /// The types of some files, with the names in them followed to where they lead.
    pub fn of(files: Vec<Parsed>) -> Self {
        let (modules, all) = Modules::of(ROOT.as_ref(), files);
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

    /// The types of some texts; what is no Rust is left out.
    #[cfg(test)]
    pub fn of_texts<'a>(texts: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let parsed = |(path, text)| Parsed::of(Path::new(path), text);
        Self::of(texts.into_iter().filter_map(parsed).collect())
    }

    /// All of them, in the order of files and lines.
    pub fn iter(&self) -> impl Iterator<Item = &Declared> {
        self.declared.iter()
    }

    /// Whether the kind's type is among them.
    pub fn know(&self, kind: &GroupVersionKind) -> bool {
        self.by_kind.contains_key(kind)
    }

    /// The types of the spec and, if it is here, of the status of a kind.
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

    /// The first of some names that leads to a type of the project.
    fn own(&self, names: &[TypeName]) -> Option<&Declared> {
        names
            .iter()
            .find_map(|name| Some(&self.declared[name.own?]))
    }

    /// The types that lead into the schema of one.
    pub fn inside<'a>(&'a self, declared: &'a Declared) -> impl Iterator<Item = &'a Declared> {
        let names = declared.inside();
        names.filter_map(|name| Some(&self.declared[name.own?]))
    }

    /// The types of the project that are flattened into one.
    pub fn flattened<'a>(&'a self, declared: &'a Declared) -> impl Iterator<Item = &'a Declared> {
        let names = declared.flattened.iter();
        names.filter_map(|name| Some(&self.declared[name.own?]))
    }

    /// The types of the project in a field's type.
    pub fn of_field<'a>(&'a self, field: &'a Field) -> impl Iterator<Item = &'a Declared> {
        let names = field.types.iter();
        names.filter_map(|name| Some(&self.declared[name.own?]))
    }

    /// The field behind a place in the schema of a kind; `fields` are the names on the way there, beginning with
    /// `spec` or `status`.
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

    /// Whether the type behind a place in the schema of a kind is another crate's; none where the kind's type is not
    /// here.
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
                // It comes from what is flattened into the type, or is its only field.
                return Some(own.flattened.iter().any(|name| name.own.is_none()));
            };
            declared = self.own(&field.types);
        }
        Some(declared.is_none())
    }

    /// A field of a type, or of one that is flattened into it. Types that flatten each other end somewhere.
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
