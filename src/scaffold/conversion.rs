//! Generates `From` implementations between the types of two versions. Fields are matched by name:
//! equal fields compile at once, and the compiler reports the others.

mod differences;
mod layout;
mod shape;

use std::fmt::Write as _;

use syn::{Fields, GenericArgument, PathArguments, Type};

use self::shape::{Shape, find, types};

/// The longest content that rustfmt keeps on one line between braces.
const SHORT: usize = 18;

/// A version of a kind, with the source text of its types.
pub struct Version<'a> {
    /// The name of the version: `v1alpha1`.
    pub name: &'a str,
    /// The path of its module in the `api` crate: `v1alpha1::lolcow`.
    pub path: &'a str,
    /// The Rust source of the module.
    pub text: &'a str,
}

/// The conversion of types that differ between the two versions.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Unequal {
    /// Copies each field whose name exists on both sides. The user has just written the types and
    /// will check the result.
    Guess,
    /// Generates a `todo!` that names the differences. The user has not reviewed the types yet, and
    /// a wrong guess would lose stored data.
    Todo,
}

/// Generates the `use` lines and `impl`s that convert a kind between two versions. Returns `None`
/// if a text is not valid Rust or does not declare the kind's spec.
pub fn between(kind: &str, old: &Version, new: &Version, unequal: Unequal) -> Option<String> {
    let types = [types(old.text)?, types(new.text)?];
    let has = |name: &str| types.iter().all(|types| find(types, name).is_some());
    let parts = ["Spec", "Status"].map(|part| (part, format!("{kind}{part}")));
    if !has(&parts[0].1) {
        return None;
    }
    let mut groups = Vec::new();
    let is_part = |name: &str| parts.iter().any(|(_, part)| part == name);
    let inner: Vec<_> = types[0].iter().map(|(name, _)| name.clone()).collect();
    let inner: Vec<_> = inner
        .into_iter()
        .filter(|name| has(name) && !is_part(name))
        .collect();
    for (version, alias) in [(old, "old"), (new, "new")] {
        let mut uses = String::new();
        if !inner.is_empty() {
            let _ = writeln!(uses, "use crate::{} as {alias};", version.path);
        }
        for (part, name) in parts.iter().filter(|(_, name)| has(name)) {
            let side = if alias == "old" { "Old" } else { "New" };
            let _ = writeln!(uses, "use crate::{}::{name} as {side}{part};", version.path);
        }
        groups.push(uses);
    }
    let parts = parts.iter().filter(|(_, name)| has(name));
    let parts =
        parts.map(|(part, name)| (name.clone(), format!("Old{part}"), format!("New{part}")));
    let both = inner
        .iter()
        .map(|name| (name.clone(), format!("old::{name}"), format!("new::{name}")));
    for (name, older, newer) in parts.chain(both) {
        let [a, b] = [&types[0], &types[1]].map(|types| find(types, &name));
        let (Some(a), Some(b)) = (a, b) else { continue };
        let up = TypeConversion {
            inner: &inner,
            unequal,
            from: ("old", older.as_str(), a),
            to: (newer.as_str(), b),
        };
        let down = TypeConversion {
            inner: &inner,
            unequal,
            from: ("new", newer.as_str(), b),
            to: (older.as_str(), a),
        };
        groups.push(up.to_impl(new.name, old.name));
        groups.push(down.to_impl(old.name, new.name));
    }
    Some(groups.join("\n"))
}

/// The conversion of one type into the type of the same name in the other version.
struct TypeConversion<'a> {
    /// The names of types for which a separate `From` is generated.
    inner: &'a [String],
    unequal: Unequal,
    /// The variable name, the type as the file refers to it, and its shape.
    from: (&'a str, &'a str, &'a Shape),
    /// The type as the file refers to it, and its shape.
    to: (&'a str, &'a Shape),
}

impl TypeConversion<'_> {
    /// Generates the `impl`. `to` and `from` are the names of the versions.
    fn to_impl(&self, to: &str, from: &str) -> String {
        let (variable, ty, shape) = self.from;
        let differing = match self.unequal {
            Unequal::Guess => Vec::new(),
            Unequal::Todo => differences::differing_parts(shape, self.to.1),
        };
        let body = match (shape, self.to.1) {
            _ if !differing.is_empty() => differences::todo_body(variable, &differing, to),
            (Shape::Struct(old), Shape::Struct(new)) => self.fields(old, new, to, from),
            (Shape::Enum(old), Shape::Enum(new)) => self.variants(old, new),
            // A struct became an enum or the reverse: only the user knows the mapping, so the
            // generated function does not compile.
            _ => format!(
                "        let _ = {variable};\n        // Convert to {to}: one version has a struct, the other an enum.\n"
            ),
        };
        format!(
            "{}\n    fn from({variable}: {ty}) -> Self {{\n{body}    }}\n}}\n",
            layout::head(ty, self.to.0)
        )
    }

    fn fields(&self, old: &Fields, new: &Fields, to: &str, from: &str) -> String {
        let (variable, ty, _) = self.from;
        let (Fields::Named(_), Fields::Named(_)) = (old, new) else {
            let pattern = Pattern::of(old, self.inner);
            let (taken, made) = (pattern.taken(8), pattern.made(8));
            return format!("        let {ty}{taken} = {variable};\n        Self{made}\n");
        };
        let names = |fields: &Fields| -> Vec<String> {
            let names = fields.iter().filter_map(|field| field.ident.as_ref());
            names.map(ToString::to_string).collect()
        };
        let (olds, news) = (names(old), names(new));
        let taken = olds.iter().map(|name| {
            if news.contains(name) {
                (name.clone(), String::new())
            } else {
                (format!("{name}: _"), format!(" // dropped: not in {to}"))
            }
        });
        let made = news.iter().map(|name| {
            let old = old
                .iter()
                .find(|field| field.ident.as_ref().is_some_and(|it| it == name));
            match old {
                Some(old) => (made(name, &old.ty, self.inner), String::new()),
                None => (
                    format!("{name}: Default::default()"),
                    format!(" // not in {from}"),
                ),
            }
        });
        format!(
            "        let {ty}{} = {variable};\n        Self{}\n",
            braced(taken, 8),
            braced(made, 8)
        )
    }

    fn variants(&self, old: &[(String, Fields)], new: &[(String, Fields)]) -> String {
        let (variable, ty, _) = self.from;
        let mut arms = String::new();
        for (name, fields) in old {
            // The compiler reports each variant without a counterpart, since the match is then not
            // exhaustive.
            if !new.iter().any(|(known, _)| known == name) {
                continue;
            }
            let pattern = Pattern::of(fields, self.inner);
            let (taken, made) = (pattern.taken(12), pattern.made(12));
            let _ = writeln!(
                arms,
                "            {ty}::{name}{taken} => Self::{name}{made},"
            );
        }
        format!("        match {variable} {{\n{arms}        }}\n")
    }
}

/// The fields of an enum variant, or of a tuple or unit struct, that is the same on both sides.
struct Pattern {
    is_named: bool,
    /// The variable of each field, and the expression that converts it.
    fields: Vec<(String, String)>,
}

impl Pattern {
    fn of(fields: &Fields, inner: &[String]) -> Self {
        let is_named = matches!(fields, Fields::Named(_));
        let letters = ('a'..='z').map(String::from);
        let each = fields.iter().zip(letters).map(|(field, letter)| {
            let name = field.ident.as_ref().map_or(letter, ToString::to_string);
            let value = if is_named {
                made(&name, &field.ty, inner)
            } else {
                converted(&name, &field.ty, inner).unwrap_or_else(|| name.clone())
            };
            (name, value)
        });
        Self {
            is_named,
            fields: each.collect(),
        }
    }

    /// Returns the pattern that binds the fields of the old value to variables.
    fn taken(&self, indent: usize) -> String {
        self.written(indent, self.fields.iter().map(|(name, _)| name.clone()))
    }

    /// Returns the fields of the new value, each with its expression.
    fn made(&self, indent: usize) -> String {
        self.written(indent, self.fields.iter().map(|(_, value)| value.clone()))
    }

    fn written(&self, indent: usize, fields: impl Iterator<Item = String>) -> String {
        if self.is_named {
            return braced(fields.map(|field| (field, String::new())), indent);
        }
        let fields: Vec<_> = fields.collect();
        if fields.is_empty() {
            String::new()
        } else {
            format!("({})", fields.join(", "))
        }
    }
}

/// Formats fields with their comments between braces, as rustfmt does.
fn braced(fields: impl Iterator<Item = (String, String)>, indent: usize) -> String {
    let fields: Vec<_> = fields.collect();
    let names: Vec<_> = fields.iter().map(|(field, _)| field.as_str()).collect();
    let line = names.join(", ");
    let is_plain = fields.iter().all(|(_, comment)| comment.is_empty());
    if fields.is_empty() {
        return " {}".to_owned();
    }
    if is_plain && line.len() <= SHORT {
        return format!(" {{ {line} }}");
    }
    let blanks = " ".repeat(indent);
    let lines = fields
        .iter()
        .map(|(field, comment)| format!("{}{comment}\n", layout::field(field, indent + 4)));
    format!(" {{\n{}{blanks}}}", lines.collect::<String>())
}

/// Returns the initializer of a field from a variable of the same name.
fn made(name: &str, ty: &Type, inner: &[String]) -> String {
    match converted(name, ty, inner) {
        Some(value) => format!("{name}: {value}"),
        None => name.to_owned(),
    }
}

/// Returns the expression that converts a value of a type, or `None` if the value can be used as it
/// is.
fn converted(value: &str, ty: &Type, inner: &[String]) -> Option<String> {
    let Type::Path(path) = ty else { return None };
    let segment = path.path.segments.last()?;
    let name = segment.ident.to_string();
    let is_bare = path.path.segments.len() == 1;
    let arguments = match &segment.arguments {
        PathArguments::AngleBracketed(arguments) => arguments.args.iter(),
        _ => return (is_bare && inner.contains(&name)).then(|| format!("{value}.into()")),
    };
    let types = arguments.filter_map(|argument| match argument {
        GenericArgument::Type(ty) => Some(ty),
        _ => None,
    });
    let last = types.last()?;
    let each = converted("it", last, inner)?;
    let map = if each == "it.into()" {
        "Into::into".to_owned()
    } else {
        format!("|it| {each}")
    };
    match name.as_str() {
        "Option" => Some(format!("{value}.map({map})")),
        "Box" => Some(format!(
            "Box::new({})",
            converted(&format!("(*{value})"), last, inner)?
        )),
        "Vec" | "BTreeSet" | "HashSet" | "VecDeque" => {
            Some(format!("{value}.into_iter().map({map}).collect()"))
        }
        "BTreeMap" | "HashMap" => Some(format!(
            "{value}.into_iter().map(|(key, it)| (key, {each})).collect()"
        )),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
