//! The attributes that determine a type's names in JSON.

use syn::parse::Parser as _;
use syn::punctuated::Punctuated;
use syn::{Attribute, Expr, ExprLit, Ident, Lit, Meta, MetaNameValue, Token};

use heck::{
    ToKebabCase as _, ToLowerCamelCase as _, ToPascalCase as _, ToShoutyKebabCase as _,
    ToShoutySnakeCase as _, ToSnakeCase as _,
};

/// The relevant settings in `#[serde(..)]`.
#[derive(Debug, Default)]
pub struct Serde {
    rename: Option<String>,
    rename_all: Option<String>,
    /// True if the field is flattened.
    pub is_flat: bool,
    /// True if the field is omitted from the output, always or in some cases.
    pub is_skipped: bool,
    /// True if the variants have no tag.
    pub is_untagged: bool,
    /// The name of the field with the variant's name.
    pub tag: Option<String>,
    /// The renaming rule for the fields of struct variants.
    rename_all_fields: Option<String>,
}

impl Serde {
    /// Parses the attributes of a type, a field or a variant.
    pub fn of(attributes: &[Attribute]) -> Self {
        let mut serde = Self::default();
        for (name, value) in pairs(attributes, "serde") {
            match name.as_str() {
                "tag" => serde.tag = value,
                "untagged" => serde.is_untagged = true,
                // The schema uses the names for deserialization.
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

    /// Returns the settings for the fields of a struct variant with these attributes.
    pub fn of_variant(&self, container: &Self) -> Self {
        let rename_all = self.rename_all.clone();
        Self {
            rename_all: rename_all.or_else(|| container.rename_all_fields.clone()),
            ..Self::default()
        }
    }

    /// Returns the JSON name of a field or variant with these attributes. `container` holds the
    /// attributes of its type.
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

/// Parses `name = "value"` pairs in parentheses as `outer.name`; none if they contain anything
/// else.
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

/// Returns the value of a string literal.
pub fn text_of(value: &Expr) -> Option<String> {
    match value {
        Expr::Lit(ExprLit {
            lit: Lit::Str(text),
            ..
        }) => Some(text.value()),
        _ => None,
    }
}

/// Names with their string values, if they have one. A pair inside of `outer(..)` is named
/// `outer.name`.
pub type Pairs = Vec<(String, Option<String>)>;

/// Returns the pairs of all attributes named `of`.
pub fn pairs(attributes: &[Attribute], of: &str) -> Pairs {
    let mut found = Vec::new();
    for attribute in attributes {
        let Meta::List(list) = &attribute.meta else {
            continue;
        };
        if !list.path.is_ident(of) {
            continue;
        }
        // Parsing stops at unsupported syntax; the pairs before it are used.
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
