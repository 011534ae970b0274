//! What the attributes of a type say of its names in JSON.

use syn::parse::Parser as _;
use syn::punctuated::Punctuated;
use syn::{Attribute, Expr, ExprLit, Ident, Lit, Meta, MetaNameValue, Token};

use heck::{
    ToKebabCase as _, ToLowerCamelCase as _, ToPascalCase as _, ToShoutyKebabCase as _,
    ToShoutySnakeCase as _, ToSnakeCase as _,
};

/// What `#[serde(..)]` says.
#[derive(Debug, Default)]
pub struct Serde {
    rename: Option<String>,
    rename_all: Option<String>,
    /// Whether the fields of the field's type take its place.
    pub is_flat: bool,
    /// Whether an empty value is left out.
    pub is_skipped: bool,
    /// Whether variants are told apart by their contents alone.
    pub is_untagged: bool,
    /// The field that says which variant it is.
    pub tag: Option<String>,
    /// How the type renames the fields of its struct variants.
    rename_all_fields: Option<String>,
}

impl Serde {
    /// Reads the attributes of a type, a field or a variant.
    pub fn of(attributes: &[Attribute]) -> Self {
        let mut serde = Self::default();
        for (name, value) in pairs(attributes, "serde") {
            match name.as_str() {
                "tag" => serde.tag = value,
                "untagged" => serde.is_untagged = true,
                // The schema has the names that are read.
                "rename" | "rename.deserialize" => serde.rename = value,
                "rename_all" | "rename_all.deserialize" => serde.rename_all = value,
                "rename_all_fields" | "rename_all_fields.deserialize" => {
                    serde.rename_all_fields = value;
                }
                "flatten" => serde.is_flat = true,
                "skip_serializing_if" | "skip" | "skip_serializing" => serde.is_skipped = true,
                _ => {}
            }
        }
        serde
    }

    /// What the fields of a struct variant with these attributes are renamed by.
    pub fn of_variant(&self, container: &Self) -> Self {
        let rename_all = self.rename_all.clone();
        Self {
            rename_all: rename_all.or_else(|| container.rename_all_fields.clone()),
            ..Self::default()
        }
    }

    /// The name in JSON of a field or variant with these attributes, in a type with those of `container`.
    pub fn rename(&self, ident: &Ident, container: &Self, is_variant: bool) -> String {
        let name = ident.to_string();
        let name = name.trim_start_matches("r#");
        if let Some(rename) = &self.rename {
            return rename.clone();
        }
        match container.rename_all.as_deref() {
            Some("camelCase") => name.to_lower_camel_case(),
            Some("PascalCase") => name.to_pascal_case(),
            Some("kebab-case") => name.to_kebab_case(),
            Some("snake_case") if is_variant => name.to_snake_case(),
            Some("SCREAMING_SNAKE_CASE") => name.to_shouty_snake_case(),
            Some("SCREAMING-KEBAB-CASE") => name.to_shouty_kebab_case(),
            Some("lowercase") => name.to_lowercase(),
            Some("UPPERCASE") => name.to_uppercase(),
            _ => name.to_owned(),
        }
    }
}

/// `outer.name = "value"` for what stands in parentheses, where that is all there is.
fn inner_pairs(
    outer: &str,
    content: proc_macro2::TokenStream,
) -> impl Iterator<Item = (String, Option<String>)> {
    let values = Punctuated::<MetaNameValue, Token![,]>::parse_terminated.parse2(content);
    let values = values.into_iter().flatten();
    values.filter_map(move |pair| {
        let name = pair.path.get_ident()?;
        Some((format!("{outer}.{name}"), text_of(&pair.value)))
    })
}

/// The text that stands behind an `=`.
pub fn text_of(value: &Expr) -> Option<String> {
    match value {
        Expr::Lit(ExprLit {
            lit: Lit::Str(text),
            ..
        }) => Some(text.value()),
        _ => None,
    }
}

/// The `name` and `name = "value"` in attributes of one name; of `outer(name = "value")` also `outer.name`.
pub type Pairs = Vec<(String, Option<String>)>;

/// Those in the attributes named `of`.
pub fn pairs(attributes: &[Attribute], of: &str) -> Pairs {
    let mut found = Vec::new();
    for attribute in attributes {
        let Meta::List(list) = &attribute.meta else {
            continue;
        };
        if !list.path.is_ident(of) {
            continue;
        }
        // Pieces that are no `name`, `name = value` or `name(..)` end the reading, and what came before stands.
        let _ = list.parse_nested_meta(|meta| {
            let name = meta.path.get_ident().map(ToString::to_string);
            let name = name.unwrap_or_default();
            let value = match meta.value() {
                Ok(value) => text_of(&value.parse::<Expr>()?),
                Err(_) if meta.input.peek(syn::token::Paren) => {
                    let content;
                    syn::parenthesized!(content in meta.input);
                    let content = content.parse::<proc_macro2::TokenStream>()?;
                    found.extend(inner_pairs(&name, content));
                    None
                }
                Err(_) => None,
            };
            found.push((name, value));
            Ok(())
        });
    }
    found
}
