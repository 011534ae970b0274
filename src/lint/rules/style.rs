//! Rules about names and descriptions. They do not apply to the fields of the root, which
//! Kubernetes names.
//!
//! Each function is the check of the rule of the same name in `diagnostic/lints`, which explains
//! it. It is called for every node of a schema, and returns the message of the warning, or `None`
//! if the node follows the rule.

use crate::crd::node::SchemaStep;
use crate::lint::rule_input::RuleInput;

/// Returns the name of a field; `None` for other places and for the fields of the root.
fn field<'a>(input: &RuleInput<'a>) -> Option<&'a str> {
    match input.node.step {
        SchemaStep::Field(name) if !input.node.parent?.is_root() => Some(name),
        _ => None,
    }
}

/// Reports a description that does not begin with the name of its field.
pub fn comment_start(input: &RuleInput) -> Option<String> {
    let (name, description) = (field(input)?, input.node.text("description")?);
    let fine = description.split_whitespace().next()?.trim_matches('`') == name;
    (!fine).then(|| format!("the description does not begin with `{name}`"))
}

/// Reports a field without a description.
pub fn description(input: &RuleInput) -> Option<String> {
    let silent = input
        .node
        .text("description")
        .is_none_or(|text| text.trim().is_empty());
    (field(input).is_some() && silent).then(|| "the field has no description".to_owned())
}

/// Reports a field whose name in JSON is not in `camelCase`.
pub fn json_names(input: &RuleInput) -> Option<String> {
    let name = field(input)?;
    let fine = name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.chars().all(|c| c.is_ascii_alphanumeric());
    (!fine).then(|| format!("`{name}` is not camelCase"))
}

/// Reports a name that matches a forbidden pattern of the project.
pub fn naming_conventions(input: &RuleInput) -> Option<String> {
    let name = field(input)?;
    let (_, instead) = input
        .names
        .iter()
        .find(|(pattern, _)| pattern.is_match(name))?;
    Some(format!(
        "`lint.forbiddenNames` forbids the name `{name}`: {instead}"
    ))
}

/// Reports a field named `phase` or `…Phase`.
pub fn no_phase(input: &RuleInput) -> Option<String> {
    let name = field(input)?;
    (name == "phase" || name.ends_with("Phase")).then(|| format!("the field `{name}` is a phase"))
}

/// Reports a name that ends with `Reference` or `References` instead of `Ref` or `Refs`.
pub fn no_references(input: &RuleInput) -> Option<String> {
    let name = field(input)?;
    let stem = name.strip_suffix('s').unwrap_or(name);
    (stem == "reference" || stem.ends_with("Reference"))
        .then(|| format!("`{name}` is not the short form"))
}

/// Reports a name that ends with `Timestamp` instead of `Time`.
pub fn no_timestamp(input: &RuleInput) -> Option<String> {
    let name = field(input)?;
    (name == "timestamp" || name.ends_with("Timestamp"))
        .then(|| format!("`{name}` is not the short form"))
}
