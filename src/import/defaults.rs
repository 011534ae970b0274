//! The types of a model that have a default value.

use std::collections::BTreeSet;

use super::model::{Body, Model, Type};

/// The types with a default value.
#[derive(Debug, Default)]
pub struct Defaults {
    /// Enums that are the type of a struct field, without `Option`.
    enums: BTreeSet<usize>,
    /// These enums, and the structs whose fields all have a default value.
    all: BTreeSet<usize>,
}

/// Finds the types with a default value: enums that a struct contains without `Option`, and structs
/// whose fields all have one.
pub fn find_defaults(model: &Model) -> Defaults {
    let mut defaults = Defaults::default();
    for item in &model.items {
        let Body::Struct(fields) = &item.body else {
            continue;
        };
        for field in fields {
            if let Type::Item(index) = field.kind
                && let Body::Enum(_) = model.items[index].body
            {
                defaults.enums.insert(index);
            }
        }
    }
    defaults.all.clone_from(&defaults.enums);
    loop {
        let before = defaults.all.len();
        for (index, item) in model.items.iter().enumerate() {
            if let Body::Struct(fields) = &item.body
                && fields.iter().all(|field| defaults.of_type(&field.kind))
            {
                defaults.all.insert(index);
            }
        }
        if defaults.all.len() == before {
            return defaults;
        }
    }
}

impl Defaults {
    /// Reports whether a type, by its index in `Model::items`, has a default value.
    pub fn has_value(&self, index: usize) -> bool {
        self.all.contains(&index)
    }

    /// Reports whether a type, by its index, is an enum with a default value: its first variant.
    pub fn is_enum(&self, index: usize) -> bool {
        self.enums.contains(&index)
    }

    fn of_type(&self, kind: &Type) -> bool {
        match kind {
            Type::Plain(name) => *name != "Time",
            Type::Known(known) => known.has_default(),
            Type::Item(index) => self.all.contains(index),
            _ => true,
        }
    }
}
