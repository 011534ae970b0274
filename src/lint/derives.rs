//! Types that derive `JsonSchema` twice: the compiler speaks of conflicting implementations and of a derive that
//! nobody wrote.

use std::path::Path;
use std::sync::Arc;

use syn::{Attribute, Ident, Item, Path as Name, Token, punctuated::Punctuated};

use crate::diagnostic::{Diagnostic, SourceLine};

/// The types of a source text with both `KubeSchema` and `JsonSchema`.
pub fn derived_twice(path: &Path, text: &str) -> Vec<Diagnostic> {
    let mut twice = Vec::new();
    if let Ok(file) = syn::parse_file(text) {
        look(&file.items, &mut twice);
    }
    let diagnostic = |name: &Ident| {
        let start = name.span().start();
        let line = text.lines().nth(start.line - 1).unwrap_or_default();
        let at = line.char_indices().nth(start.column);
        let at = at.map_or(0, |(at, _)| at);
        let line = SourceLine {
            path: path.to_owned(),
            number: start.line,
            text: line.to_owned(),
        };
        let message = "`KubeSchema` derives `JsonSchema`, too, and a type can have it once";
        Diagnostic::at(&Arc::new(line), at..at + "JsonSchema".len(), message)
            .help("remove `JsonSchema` here; `KubeSchema` is the one that reads `#[x_kube(..)]`")
    };
    twice.iter().map(diagnostic).collect()
}

fn look(items: &[Item], twice: &mut Vec<Ident>) {
    for item in items {
        let attributes = match item {
            Item::Struct(item) => &item.attrs,
            Item::Enum(item) => &item.attrs,
            Item::Mod(module) => {
                let inner = module.content.as_ref().map(|(_, items)| items);
                look(inner.map_or(&[], Vec::as_slice), twice);
                continue;
            }
            _ => continue,
        };
        let derives: Vec<_> = attributes.iter().flat_map(derives).collect();
        if derives.iter().any(|name| name == "KubeSchema") {
            twice.extend(derives.into_iter().find(|name| name == "JsonSchema"));
        }
    }
}

/// The names in a `#[derive(..)]`, without what leads to them.
fn derives(attribute: &Attribute) -> Vec<Ident> {
    if !attribute.path().is_ident("derive") {
        return Vec::new();
    }
    let names = attribute.parse_args_with(Punctuated::<Name, Token![,]>::parse_terminated);
    let names = names.into_iter().flatten();
    let last = |name: Name| Some(name.segments.last()?.ident.clone());
    names.filter_map(last).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_derives_on_one_type_are_named_with_their_line() {
        let text = "#[derive(JsonSchema, Clone)]\nstruct Fine;\n\n#[derive(KubeSchema)]\nstruct Too;\n\nmod inner {\n    \
                    #[derive(Clone, kube::KubeSchema)]\n    #[derive(schemars::JsonSchema)]\n    enum Twice { A }\n}\n";
        let found = derived_twice(Path::new("api/src/v1/a.rs"), text);
        let found: Vec<_> = found.iter().map(ToString::to_string).collect();
        assert_eq!(found.len(), 1, "{found:#?}");
        assert!(found[0].contains("api/src/v1/a.rs:9:24"), "{}", found[0]);
        assert!(
            found[0].contains("remove `JsonSchema` here"),
            "{}",
            found[0]
        );
    }

    #[test]
    fn what_is_no_rust_is_for_the_compiler_to_name() {
        assert_eq!(derived_twice(Path::new("a.rs"), "struct {"), []);
    }
}
