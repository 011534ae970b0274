//! The names of types as written in the source.

use syn::{GenericArgument, PathArguments, Type};

use crate::sources::imports::word;

/// A type name as written in the source.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct TypeName {
    /// The segments of the path. The first one is empty if the path begins with `::`, that is, with
    /// another crate.
    pub path: Vec<String>,
    /// The index of the project's type to which the name resolves.
    pub own: Option<usize>,
}

impl TypeName {
    /// Creates an unresolved name.
    pub fn new(path: Vec<String>) -> Self {
        Self { path, own: None }
    }

    /// Returns the last segment: `Port` for `super::Port`.
    pub fn last(&self) -> &str {
        self.path.last().map_or("", String::as_str)
    }
}

/// Returns the names in a type, from the outside in.
pub fn names(ty: &Type) -> Vec<TypeName> {
    let mut names = Vec::new();
    collect(ty, &mut names);
    names
}

fn collect(ty: &Type, names: &mut Vec<TypeName>) {
    match ty {
        Type::Path(path) => {
            let Some(last) = path.path.segments.last() else {
                return;
            };
            let segments = path.path.segments.iter();
            let outside = path.path.leading_colon.as_ref().map(|_| String::new());
            let segments = segments.map(|segment| word(&segment.ident));
            names.push(TypeName::new(outside.into_iter().chain(segments).collect()));
            if let PathArguments::AngleBracketed(arguments) = &last.arguments {
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
