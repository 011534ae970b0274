//! Names of types, fields and variants.

use std::collections::{BTreeMap, BTreeSet};

use heck::ToSnakeCase as _;

use super::model::Model;
use super::type_words::{acronyms, begins_identifier, camel, continues_identifier, upper_camel};
use crate::names::is_rust_keyword;
use crate::resource::TAKEN_TYPES;

/// Names that a type of a file cannot have, because the file or its derives use them for something
/// else.
const TAKEN: &[&str] = &[
    "BTreeMap",
    "CustomResource",
    "CustomResourceDefinition",
    "Deserialize",
    "IntOrString",
    "JsonSchema",
    "KubeSchema",
    "ListMerge",
    "MapMerge",
    "Message",
    "Quantity",
    "Reason",
    "Rule",
    "Self",
    "Serialize",
    "StructMerge",
    "Time",
    "Validated",
    "Value",
    "Any",
    "AnyObject",
    "Integer",
    "Number",
    "Object",
    "Schema",
];

/// The names of the types and copied schemas that a file defines or uses, by their index in the
/// model.
#[derive(Debug)]
pub struct Names {
    /// The names of the types.
    pub items: BTreeMap<usize, String>,
    /// The names of the schemas.
    pub kept: BTreeMap<usize, String>,
}

/// Chooses the names. A type gets the last word of its path; if that name is taken, preceding words
/// are added. `is_taken` returns true for further names that no type may have.
pub fn names(model: &Model, is_taken: &dyn Fn(&str) -> bool) -> Names {
    let fixed = model.items.iter().enumerate();
    let fixed = fixed.filter_map(|(index, item)| Some((index, item.fixed.clone()?)));
    let mut items: BTreeMap<usize, String> = fixed.collect();
    let words = TAKEN.iter().chain(TAKEN_TYPES);
    let mut taken = Taken::new(words);
    taken.names.extend(items.values().cloned());
    let order = model.order();
    let mut chosen = order.clone();
    chosen.sort_by_key(|&index| (model.items[index].path.len(), index));
    for index in chosen {
        let path = &model.items[index].path;
        items
            .entry(index)
            .or_insert_with(|| choose(path, None, &mut taken, is_taken));
    }
    let mut taken = Taken::new(TAKEN);
    let mut used: Vec<usize> = model.kept_of(&order).into_iter().collect();
    used.sort_by_key(|&index| model.kept[index].path.len());
    let mut kept = BTreeMap::new();
    for index in used {
        let one = &model.kept[index];
        let last = one.known.map(super::kubernetes::Known::ident);
        let name = choose(&one.path, last, &mut taken, &|_| false);
        kept.insert(index, name);
    }
    Names { items, kept }
}

fn choose(
    path: &[String],
    last: Option<&str>,
    taken: &mut Taken,
    is_taken: &dyn Fn(&str) -> bool,
) -> String {
    let (own, parents) = match (last, path.split_last()) {
        (Some(last), _) => (last.to_owned(), path),
        (None, Some((own, parents))) => (camel(own), parents),
        (None, None) => ("Type".to_owned(), path),
    };
    let mut name = own;
    let mut parents = parents.iter().rev();
    while taken.names.contains(&name) || is_taken(&name) {
        let Some(parent) = parents.next().map(|parent| camel(parent)) else {
            break;
        };
        // `ListenersListener` would say no more than `Listener`.
        if !name.starts_with(&parent) || parents.len() == 0 {
            name = parent + &name;
        }
    }
    taken.take_unless(&name, "", is_taken)
}

/// Returns the Rust names of the fields of a struct with these names in JSON, in the same order.
/// Keywords are raw identifiers: `r#type`.
pub fn fields<'a>(names: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut taken = Taken::default();
    names
        .map(|name| {
            let word: String = name
                .chars()
                .map(|c| if continues_identifier(c) { c } else { '_' })
                .collect();
            let mut snake = acronyms(&word.replace("IPv", "Ipv")).to_snake_case();
            if snake.is_empty() {
                "field".clone_into(&mut snake);
            }
            if !snake.starts_with(begins_identifier) {
                snake.insert(0, '_');
            }
            // These keywords cannot be raw identifiers.
            if ["self", "super", "crate"].contains(&snake.as_str()) {
                snake.push('_');
            }
            let snake = taken.take(&snake, "_");
            match snake.as_str() {
                word if is_rust_keyword(word) && !SOFT.contains(&word) => format!("r#{word}"),
                _ => snake,
            }
        })
        .collect()
}

/// Keywords that Rust reserves in some contexts only; a field can have them as its name.
const SOFT: &[&str] = &["union"];

/// The names that are taken in a scope.
#[derive(Default)]
struct Taken {
    names: BTreeSet<String>,
    /// The numbers that were last appended to names. Thousands of texts of a hostile CRD may have
    /// the same name.
    numbers: BTreeMap<String, usize>,
}

impl Taken {
    fn new<'a>(names: impl IntoIterator<Item = &'a &'a str>) -> Self {
        let names = names.into_iter().map(|&name| name.to_owned());
        Self {
            names: names.collect(),
            ..Self::default()
        }
    }

    /// Takes the name and returns it, with the next free number appended if it is taken.
    fn take(&mut self, name: &str, before_number: &str) -> String {
        self.take_unless(name, before_number, &|_| false)
    }

    /// Takes the name and returns it, with the next free number appended if it is taken here or
    /// according to `is_taken`.
    fn take_unless(
        &mut self,
        name: &str,
        before_number: &str,
        is_taken: &dyn Fn(&str) -> bool,
    ) -> String {
        let mut free = name.to_owned();
        while self.names.contains(&free) || is_taken(&free) {
            let number = self.numbers.entry(name.to_owned()).or_insert(1);
            *number += 1;
            free = format!("{name}{before_number}{number}");
        }
        self.names.insert(free.clone());
        free
    }
}

/// Returns the Rust names of the variants of an enum with these values, in the same order.
pub fn variants(texts: &[String]) -> Vec<String> {
    let mut taken = Taken::new(&["Self"]);
    let names = texts.iter();
    names.map(|text| taken.take(&variant(text), "")).collect()
}

fn variant(text: &str) -> String {
    const SIGNS: [(&str, &str); 12] = [
        ("", "Empty"),
        ("*", "Any"),
        ("=", "Equal"),
        ("==", "Equal"),
        ("!=", "NotEqual"),
        ("=~", "Match"),
        ("!~", "NotMatch"),
        ("<", "Less"),
        ("<=", "LessOrEqual"),
        (">", "Greater"),
        (">=", "GreaterOrEqual"),
        ("/", "Slash"),
    ];
    if let Some((_, name)) = SIGNS.iter().find(|(sign, _)| *sign == text) {
        return (*name).to_owned();
    }
    // `1.2` and `12` need different names.
    let parts: Vec<_> = text.split('.').collect();
    let is_number = parts.len() > 1
        && parts
            .iter()
            .all(|part| part.ends_with(|c: char| c.is_ascii_digit()));
    let name = if is_number {
        parts
            .iter()
            .map(|part| upper_camel(part))
            .collect::<Vec<_>>()
            .join("_")
    } else {
        upper_camel(text)
    };
    match name.chars().next() {
        None => "Value".to_owned(),
        Some(first) if !begins_identifier(first) => {
            let sign = if text.starts_with('-') { "Minus" } else { "V" };
            format!("{sign}{name}")
        }
        Some(_) => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_names_are_numbered() {
        let texts = ["a-b", "a.b", "a_b", "a-b-2", "Self"].map(str::to_owned);
        assert_eq!(variants(&texts), ["AB", "AB2", "AB3", "AB22", "Self2"]);
        let many = vec!["a".to_owned(); 20_000];
        assert_eq!(variants(&many).last().unwrap(), "A20000");
    }
}
