//! Which types of a model have a value by default.

use std::collections::BTreeSet;

use super::model::{Body, Model, Type};

/// Those that have one.
#[derive(Debug, Default)]
pub struct Defaults {
    /// The enums of which a struct needs one.
    enums: BTreeSet<usize>,
    /// These enums, and the structs of which all fields have one.
    all: BTreeSet<usize>,
}

/// Enums have a default where a struct needs one, and structs where all of their fields have.
pub fn settle(model: &Model) -> Defaults {
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
    /// Whether a type of the model has a value by default.
    pub fn has_value(&self, index: usize) -> bool {
        self.all.contains(&index)
    }

    /// Whether it is an enum that has one.
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
