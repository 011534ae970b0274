//! `From` between the types of two versions, field by field, as far as names tell. What is the same on both sides
//! builds at once; what is not, the compiler names.

mod gaps;
mod layout;
mod shape;

use std::fmt::Write as _;

use syn::{Fields, GenericArgument, PathArguments, Type};

use self::shape::{Shape, find, types};

/// What rustfmt puts on one line between braces.
const SHORT: usize = 18;

/// A version: its name, the path to the module with its types, and their text.
pub struct Version<'a> {
    /// `v1alpha1`.
    pub name: &'a str,
    /// `v1alpha1::lolcow`.
    pub path: &'a str,
    /// The Rust source.
    pub text: &'a str,
}

/// What becomes of a type that is not the same in both versions.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Unequal {
    /// What has its name on both sides is taken over, for somebody who has just written the types.
    Guess,
    /// A `todo!` that names what differs: nobody has looked at the types yet, and objects are at stake.
    Todo,
}

/// The `use` lines and `impl`s for the types of two versions of a kind; none where the texts are no Rust, or
/// have no spec of it.
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
        let up = Step {
            inner: &inner,
            unequal,
            from: ("old", older.as_str(), a),
            to: (newer.as_str(), b),
        };
        let down = Step {
            inner: &inner,
            unequal,
            from: ("new", newer.as_str(), b),
            to: (older.as_str(), a),
        };
        groups.push(up.written(new.name, old.name));
        groups.push(down.written(old.name, new.name));
    }
    Some(groups.join("\n"))
}

/// One type on its way to its namesake.
struct Step<'a> {
    /// Types that have a `From` of their own.
    inner: &'a [String],
    unequal: Unequal,
    /// The variable, the type as the file calls it, and what it consists of.
    from: (&'a str, &'a str, &'a Shape),
    to: (&'a str, &'a Shape),
}

impl Step<'_> {
    /// The `impl`; `to` and `from` are the names of the versions.
    fn written(&self, to: &str, from: &str) -> String {
        let (variable, ty, shape) = self.from;
        let gaps = match self.unequal {
            Unequal::Guess => Vec::new(),
            Unequal::Todo => gaps::between(shape, self.to.1),
        };
        let body = match (shape, self.to.1) {
            _ if !gaps.is_empty() => gaps::todo(variable, &gaps, to),
            (Shape::Struct(old), Shape::Struct(new)) => self.fields(old, new, to, from),
            (Shape::Enum(old), Shape::Enum(new)) => self.variants(old, new),
            // A struct that became an enum: what is to be, only its owner knows.
            _ => format!("        let _ = {variable};\n        // What is it in {to}?\n"),
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
                (format!("{name}: _"), format!(" // no place for it in {to}"))
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
            // The compiler names each that has no counterpart.
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

/// The fields of a variant, or of a struct without names, that are the same on both sides.
struct Pattern {
    is_named: bool,
    /// Each by its variable, and what becomes of it.
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

    fn taken(&self, indent: usize) -> String {
        self.written(indent, self.fields.iter().map(|(name, _)| name.clone()))
    }

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

/// Fields with comments between braces, as rustfmt has them.
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

/// A field as it is set from a variable of its name.
fn made(name: &str, ty: &Type, inner: &[String]) -> String {
    match converted(name, ty, inner) {
        Some(value) => format!("{name}: {value}"),
        None => name.to_owned(),
    }
}

/// What becomes of a value of a type; none where it stays as it is.
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
