//! The differences between the declarations of a type in two versions.

use syn::{Field, Fields, GenericArgument, PathArguments, Type};

use super::shape::Shape;

/// The maximum line width of rustfmt.
const WIDTH: usize = 100;

/// Returns the names of the fields or variants that exist on one side only or whose types differ. A
/// field whose type is not a plain path always counts as different, since it cannot be compared.
pub fn differing_parts(a: &Shape, b: &Shape) -> Vec<String> {
    let (a, b) = (parts(a), parts(b));
    let only = |these: &[Member], others: &[Member]| -> Vec<String> {
        let unmatched = these.iter().filter(|part| !part.is_in(others));
        unmatched.map(|part| part.name.clone()).collect()
    };
    let mut names = only(&a, &b);
    names.extend(only(&b, &a));
    let mut seen = std::collections::BTreeSet::new();
    names.retain(|name| seen.insert(name.clone()));
    names
}

/// Returns the body of a `From::from` that the user must write: a `todo!` with `names`, the fields
/// or variants that differ. `variable` is the parameter of the function, and `to` the name of the
/// target version.
pub fn todo_body(variable: &str, names: &[String], to: &str) -> String {
    let message = format!("convert to {to}: {}", names.join(", "));
    let line = format!("        todo!(\"{message}\")\n");
    let call = if line.len() <= WIDTH {
        line
    } else {
        format!(
            "        todo!(\n            \"{}\"\n        )\n",
            wrapped(&message)
        )
    };
    format!("        let _ = {variable};\n{call}")
}

/// Breaks a text into source lines that end in `\`, so that a long string literal fits into the
/// line width. The value of the literal is still one line.
fn wrapped(text: &str) -> String {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let line = lines.last().map_or(0, String::len);
        if line > 0 && line + word.len() > WIDTH - 20 {
            lines.push(String::new());
        }
        if let Some(line) = lines.last_mut() {
            line.push_str(word);
            line.push(' ');
        }
    }
    lines.join("\\\n             ").trim_end().to_owned()
}

/// A field or a variant.
struct Member {
    name: String,
    /// The type of a field, or the types of a variant's fields, as text; `None` if a type is not a
    /// plain path, and so cannot be compared.
    types: Option<String>,
}

impl Member {
    fn is_in(&self, others: &[Self]) -> bool {
        let is_same = |other: &Self| self.name == other.name && self.types == other.types;
        self.types.is_some() && others.iter().any(is_same)
    }
}

fn parts(shape: &Shape) -> Vec<Member> {
    match shape {
        Shape::Struct(fields) => fields.iter().enumerate().map(field).collect(),
        Shape::Enum(variants) => {
            let part = |(name, fields): &(String, Fields)| {
                let fields = fields.iter().enumerate().map(field);
                let types = fields.map(|field| Some(format!("{}: {}, ", field.name, field.types?)));
                Member {
                    name: name.clone(),
                    types: types.collect(),
                }
            };
            variants.iter().map(part).collect()
        }
    }
}

fn field((index, field): (usize, &Field)) -> Member {
    let name = field.ident.as_ref();
    Member {
        name: name.map_or_else(|| index.to_string(), ToString::to_string),
        types: type_text(&field.ty),
    }
}

/// Returns a type as text if it is a path, as in imported types.
fn type_text(ty: &Type) -> Option<String> {
    let Type::Path(path) = ty else { return None };
    let segment = |segment: &syn::PathSegment| {
        let arguments = match &segment.arguments {
            PathArguments::None => String::new(),
            PathArguments::AngleBracketed(arguments) => {
                let types = arguments.args.iter().map(|argument| match argument {
                    GenericArgument::Type(ty) => type_text(ty),
                    _ => None,
                });
                format!("<{}>", types.collect::<Option<Vec<_>>>()?.join(", "))
            }
            PathArguments::Parenthesized(_) => return None,
        };
        Some(format!("{}{arguments}", segment.ident))
    };
    let segments = path.path.segments.iter().map(segment);
    let segments: Option<Vec<_>> = segments.collect();
    path.qself.is_none().then_some(segments?.join("::"))
}
