//! Rules about the types of fields.
//!
//! Each function is the check of the rule of the same name in `diagnostic/lints`, which explains
//! it. It is called for every node of a schema, and returns the message of the warning, or `None`
//! if the node follows the rule.

use serde_json::Value;

use crate::crd::keywords::{STRING_FORMATS, VALIDATIONS};
use crate::crd::node::{Object, SchemaStep};
use crate::lint::rule_input::RuleInput;
use crate::sources::types::Variant;

/// Reports an integer whose format is neither `int32` nor `int64`.
pub fn integers(input: &RuleInput) -> Option<String> {
    let format = input.node.text("format")?;
    let odd = input.node.type_name() == "integer" && !["int32", "int64"].contains(&format);
    odd.then(|| format!("Kubernetes has no integer format `{format}`"))
}

/// Reports a string whose format the API server does not know, unless a pattern or a CEL rule
/// validates it.
pub fn formats(input: &RuleInput) -> Option<String> {
    let format = input.node.text("format")?;
    let odd = input.node.type_name() == "string" && !STRING_FORMATS.contains(&format);
    let says_more =
        input.node.schema.contains_key("pattern") || input.node.schema.contains_key(VALIDATIONS);
    (odd && !says_more).then(|| {
        format!("the API server does not know the format `{format}` and does not validate it")
    })
}

/// Validation attributes of schemars, with the keywords that they generate. schemars silently
/// ignores an attribute that does not fit the type of the schema.
const CHECKED: [(&str, &[&str]); 3] = [
    (
        "length",
        &["minLength", "maxLength", "minItems", "maxItems"],
    ),
    ("range", &["minimum", "maximum"]),
    ("regex", &["pattern"]),
];

/// Reports a validation in Rust that is missing in the schema.
pub fn lost_validation(input: &RuleInput) -> Option<String> {
    let SchemaStep::Field(_) = input.node.step else {
        return None;
    };
    let schema = input.node.schema;
    // The pattern of a quantity comes from `quantities.rs`, not from an attribute.
    let is_either = input.node.flag("x-kubernetes-int-or-string");
    let is_kept =
        |keywords: &[&str]| !is_either && keywords.iter().any(|it| schema.contains_key(*it));
    let said = &input.origin?.field.schemars;
    let is_said = |attribute: &str| said.iter().any(|(name, _)| name == attribute);
    let mut checked = CHECKED.iter();
    let (lost, _) = checked.find(|(name, keywords)| is_said(name) && !is_kept(keywords))?;
    let what = match input.node.type_name() {
        _ if is_either => "an integer or a string",
        "object" => "a map",
        other => other,
    };
    Some(format!(
        "`{lost}` is missing in the schema of the field, which is {what}"
    ))
}

/// Reports an untagged enum that has struct variants and others.
pub fn lost_variant(input: &RuleInput) -> Option<String> {
    let branches = input.node.schema.get("anyOf")?.as_array()?;
    let mut variants = branches.iter().filter_map(Value::as_object);
    let is_struct =
        |variant: &Object| variant.contains_key("properties") || variant.contains_key("required");
    let others = variants.clone().any(|variant| !is_struct(variant));
    let mixed = others && variants.any(is_struct);
    // A struct whose fields are all optional has the same unrestricted schema as a string, so the
    // sources must decide.
    let variants = input.origin.and_then(|origin| origin.declared);
    let variants = variants.map_or(&[][..], |declared| &declared.variants);
    let has_fields = |variant: &Variant| !variant.fields.is_empty();
    let all_have_fields = !variants.is_empty() && variants.iter().all(has_fields);
    (mixed && !all_have_fields && input.node.type_name() == "object")
        .then(|| "the schema accepts only objects, but not all variants are objects".to_owned())
}

/// Reports a boolean.
pub fn no_bools(input: &RuleInput) -> Option<String> {
    (input.node.type_name() == "boolean").then(|| "the field is a boolean".to_owned())
}

/// Reports a field whose Rust type is a `Duration`.
pub fn no_durations(input: &RuleInput) -> Option<String> {
    let is_field = matches!(input.node.step, SchemaStep::Field(_));
    let named = input
        .origin?
        .field
        .types
        .iter()
        .any(|name| name.last() == "Duration");
    (is_field && named).then(|| "the field is a duration".to_owned())
}

/// Reports a floating point number.
pub fn no_floats(input: &RuleInput) -> Option<String> {
    (input.node.type_name() == "number").then(|| "the field is a floating point number".to_owned())
}

/// Reports a map whose values are neither strings nor quantities.
pub fn no_maps(input: &RuleInput) -> Option<String> {
    let values = input.node.object("additionalProperties")?;
    let is_text = values.get("type").and_then(Value::as_str) == Some("string");
    let is_quantity = values.contains_key("x-kubernetes-int-or-string");
    (!is_text && !is_quantity).then(|| "the values of the map are not strings".to_owned())
}

/// Reports a schema that allows null.
pub fn no_nullable(input: &RuleInput) -> Option<String> {
    input
        .node
        .flag("nullable")
        .then(|| "the field may be null".to_owned())
}

/// Reports an enum that serde writes as null: the API server rejects null for any `enum`, even if
/// it is nullable.
pub fn null_in_enum(input: &RuleInput) -> Option<String> {
    let node = input.node;
    if !node.flag("nullable") || !node.schema.contains_key("enum") {
        return None;
    }
    let what = match node.step {
        SchemaStep::Field(_) if writes_null(input) => "the field is",
        SchemaStep::Item => "an empty item is",
        SchemaStep::Value => "an empty value is",
        SchemaStep::Field(_) | SchemaStep::Root => return None,
    };
    Some(format!(
        "{what} serialized as `null`, which the API server rejects for an enum"
    ))
}

/// Returns true if serde writes a field that is `None` as null.
fn writes_null(input: &RuleInput) -> bool {
    input.origin.is_some_and(|origin| {
        let first = origin.field.types.first();
        origin.field.is_always_written && first.is_some_and(|name| name.last() == "Option")
    })
}

/// Reports an `Option` that serde writes as null instead of omitting it.
pub fn optional_fields(input: &RuleInput) -> Option<String> {
    let is_field = matches!(input.node.step, SchemaStep::Field(_));
    // For an enum, `null_in_enum` reports the problem.
    (is_field && writes_null(input) && null_in_enum(input).is_none())
        .then(|| "the field is serialized as `null` if it is empty".to_owned())
}

/// Reports an object without declared fields, whose contents the API server drops.
pub fn pruned(input: &RuleInput) -> Option<String> {
    let node = input.node;
    let is_open = node.flag("x-kubernetes-preserve-unknown-fields")
        // The API server rejects such a schema, so it does not prune.
        || node.schema.contains_key("patternProperties");
    if node.type_name() != "object" || is_open || node.properties().next().is_some() {
        return None;
    }
    match node.schema.get("additionalProperties") {
        Some(Value::Bool(true)) => Some(
            "the API server keeps the keys of the map, but drops the contents of its values"
                .to_owned(),
        ),
        Some(Value::Object(_)) => None,
        // A struct without fields has nothing to lose.
        _ if input.origin.is_some_and(|origin| origin.has_own_type) || is_whole(input) => None,
        _ => Some("the API server drops all contents of the object".to_owned()),
    }
}

/// Returns true for the whole object, its spec and its status, which may be empty.
fn is_whole(input: &RuleInput) -> bool {
    input
        .node
        .parent
        .is_none_or(crate::crd::node::Node::is_root)
}
