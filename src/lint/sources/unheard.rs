//! What serde reads or writes and the schema does not say: the API server drops it without a word, or refuses it.

use syn::Attribute;

use super::attributes::pairs;

/// What the attributes of a field, a variant or a type lose, each a sentence about it without its subject.
pub fn losses(attributes: &[Attribute]) -> Vec<String> {
    let serde: Vec<_> = pairs(attributes, "serde").collect();
    let schemars: Vec<_> = pairs(attributes, "schemars").collect();
    let value = |of: &[(String, Option<String>)], wanted: &str| {
        let pair = of.iter().find(|(name, _)| name == wanted)?;
        pair.1.clone()
    };
    let has =
        |of: &[(String, Option<String>)], wanted: &str| of.iter().any(|(name, _)| name == wanted);
    let mut losses = Vec::new();
    for (_, alias) in serde.iter().filter(|(name, _)| name == "alias") {
        let alias = alias.as_deref().unwrap_or_default();
        losses.push(format!(
            "may be called `{alias}` in Rust alone: the API server does not know that name"
        ));
    }
    for renaming in ["rename", "rename_all", "rename_all_fields"] {
        let written = value(&serde, &format!("{renaming}.serialize"));
        let read = value(&serde, &format!("{renaming}.deserialize"));
        if written != read {
            let name =
                |name: &Option<String>| name.clone().unwrap_or_else(|| "as in Rust".to_owned());
            losses.push(format!(
                "is written as `{}` and read as `{}`: the API server drops what is written",
                name(&written),
                name(&read)
            ));
        }
        let in_schema = value(&schemars, renaming);
        if in_schema.is_some() && in_schema != value(&serde, renaming) {
            losses.push(format!(
                "has a `{renaming}` for schemars that serde does not know: the API server drops what serde writes"
            ));
        }
    }
    let skipped = has(&serde, "skip");
    if !skipped && has(&serde, "skip_deserializing") {
        losses.push("is written and not in the schema: the API server drops it".to_owned());
    }
    for skip in ["skip", "skip_deserializing"] {
        if !skipped && !has(&serde, skip) && has(&schemars, skip) {
            losses.push("is not in the schema: the API server drops it".to_owned());
        }
    }
    let from = value(&serde, "from").or_else(|| value(&serde, "try_from"));
    let into = value(&serde, "into");
    if into != from {
        let name = |name: Option<String>| name.unwrap_or_else(|| "Self".to_owned());
        losses.push(format!(
            "is written as a `{}` and read as a `{}`: the schema is that of one of them",
            name(into),
            name(from)
        ));
    }
    losses
}
