//! Rules about lists, required fields and the status.
//!
//! Each function is the check of the rule of the same name in `diagnostic/lints`, which explains
//! it. It is called for every node of a schema, and returns the message of the warning, or `None`
//! if the node follows the rule.

use serde_json::Value;

use crate::crd::node::{Object, SchemaStep};
use crate::crd::topology::of_conditions;
use crate::lint::rule_input::RuleInput;

/// The keyword with the merge strategy of a list.
const LIST_TYPE: &str = "x-kubernetes-list-type";

fn required(schema: &Object) -> impl Iterator<Item = &str> {
    let names = schema
        .get("required")
        .and_then(Value::as_array)
        .into_iter()
        .flatten();
    names.filter_map(Value::as_str)
}

/// Checks that the project's structs in a list have at least one required field.
pub fn array_of_struct(input: &RuleInput) -> Option<String> {
    let items = input.node.object("items")?;
    let fields = items.get("properties")?.as_object()?;
    let one_of = items.contains_key("oneOf") || items.contains_key("anyOf");
    let is_own = input.origin.is_none_or(|origin| origin.has_own_type);
    let loose = is_own && !fields.is_empty() && !one_of && required(items).next().is_none();
    loose.then(|| "no field of the items is required".to_owned())
}

/// Checks that `status.conditions` is a list of Kubernetes' `Condition`, merged by `type`.
pub fn conditions(input: &RuleInput) -> Option<String> {
    if input.node.fields() != ["status", "conditions"]
        || input.node.step != SchemaStep::Field("conditions")
    {
        return None;
    }
    if !of_conditions(input.node.schema) {
        Some("the items are not Kubernetes' `Condition`".to_owned())
    } else if input.node.text(LIST_TYPE) != Some("map") {
        Some("the conditions are not merged by `type`".to_owned())
    } else {
        None
    }
}

/// Checks that no field is required and has a default, except for the keys of a list.
pub fn default_or_required(input: &RuleInput) -> Option<String> {
    let SchemaStep::Field(name) = input.node.step else {
        return None;
    };
    let parent = input.node.parent?;
    let both = input.node.schema.contains_key("default")
        && required(parent.schema).any(|required| required == name);
    // A key of a list must be required or have a default, and may have both.
    let is_key = || {
        let list = parent.parent?;
        let keys = list
            .schema
            .get(crate::crd::keywords::LIST_KEYS)?
            .as_array()?;
        Some(keys.iter().any(|key| key == name))
    };
    (both && !is_key().unwrap_or(false))
        .then(|| "the field is required and has a default".to_owned())
}

/// Checks that a list has a merge strategy.
pub fn list_type(input: &RuleInput) -> Option<String> {
    let silent = input.node.type_name() == "array" && !input.node.schema.contains_key(LIST_TYPE);
    silent.then(|| "the list has no merge strategy".to_owned())
}

/// Checks that strings, lists and maps have an upper limit. Strings with an enum or a format need
/// none, nor do `apiVersion` and `kind` of a resource.
pub fn max_length(input: &RuleInput) -> Option<String> {
    let node = input.node;
    let has = |keyword| node.schema.contains_key(keyword);
    let (what, limit) = match node.type_name() {
        "string" if !has("enum") && !has("format") => ("string", "maxLength"),
        "array" => ("list", "maxItems"),
        "object" if node.object("additionalProperties").is_some() => ("map", "maxProperties"),
        _ => return None,
    };
    let in_resource = matches!(node.step, SchemaStep::Field("apiVersion" | "kind"))
        && node.parent.is_some_and(crate::crd::node::Node::is_resource);
    (!has(limit) && !in_resource).then(|| format!("the {what} has no `{limit}`"))
}

/// Checks that strings, lists and maps have a lower limit. Strings with an enum, a format or a
/// pattern need none.
pub fn min_length(input: &RuleInput) -> Option<String> {
    let node = input.node;
    let has = |keyword| node.schema.contains_key(keyword);
    let limit = match node.type_name() {
        "string" if !has("enum") && !has("format") && !has("pattern") => "minLength",
        "array" => "minItems",
        "object" if node.object("additionalProperties").is_some() => "minProperties",
        _ => return None,
    };
    (!has(limit)).then(|| format!("the field has no `{limit}`"))
}

/// Checks that the fields of the status are optional. Fields inside of them may be required.
pub fn status_optional(input: &RuleInput) -> Option<String> {
    let SchemaStep::Field(name) = input.node.step else {
        return None;
    };
    let status = input
        .node
        .parent
        .filter(|parent| parent.step == SchemaStep::Field("status"))?;
    let is_status = status.parent.is_some_and(crate::crd::node::Node::is_root);
    let is_required = required(status.schema).any(|required| required == name);
    (is_status && is_required).then(|| "a field of the status is required".to_owned())
}

/// Checks that a status is a subresource.
pub fn status_subresource(input: &RuleInput) -> Option<String> {
    let is_status =
        input.node.is_root() && input.node.properties().any(|(name, _)| name == "status");
    (is_status && !input.has_status).then(|| "the status is not a subresource".to_owned())
}
