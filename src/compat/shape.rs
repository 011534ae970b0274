//! Changes of fields and their types, which determine the data that the API server keeps.

use serde_json::Value;

use super::pair::{PRESERVE, Pair, finding};
use crate::crd::finding::CrdProblem;
use crate::crd::node::{Node, Object, SchemaStep};
use crate::diagnostic::lints::compat as rules;

/// Reports changes of one schema node: of its type, and of which fields it has, but not of the
/// types of these fields. If the type changed, the fields are not compared.
pub fn check(pair: &Pair, found: &mut Vec<CrdProblem>) {
    types(pair, found);
    if pair.old.type_name() != pair.new.type_name() {
        return;
    }
    gone(pair, found);
    unknown(pair, found);
    required(pair, found);
    nulls(pair, found);
    embedded(pair, found);
}

/// Describes the type of a value for messages.
fn shape(node: &Node) -> &'static str {
    match node.type_name() {
        _ if node.flag("x-kubernetes-int-or-string") => "an integer or a string",
        "array" => "a list",
        "boolean" => "a boolean",
        "integer" => "an integer",
        "number" => "a number",
        "object" => "an object",
        "string" => "a string",
        _ => "anything",
    }
}

fn types(pair: &Pair, found: &mut Vec<CrdProblem>) {
    let (old, new) = (shape(&pair.old), shape(&pair.new));
    if old == new {
        return;
    }
    let is_wider = matches!(
        (old, new),
        (_, "anything")
            | ("an integer", "a number")
            | ("an integer" | "a string", "an integer or a string")
    );
    let (rule, help) = if is_wider {
        let help = format!("clients that expect {old} cannot read all values; update them first");
        (&rules::TYPE_WIDENED, help)
    } else {
        let help = "add a field with a different name, or a version with a conversion";
        (&rules::TYPE_CHANGED, help.to_owned())
    };
    found.push(
        pair.finding(rule, format!("changed from {old} to {new}"))
            .help(help),
    );
}

/// Reports fields that the API server no longer keeps.
fn gone(pair: &Pair, found: &mut Vec<CrdProblem>) {
    if pair.new.flag(PRESERVE) {
        return;
    }
    for (name, schema) in pair.old.properties() {
        // The API server keeps these fields in every resource, whether or not the schema declares
        // them.
        let is_meta =
            pair.new.is_resource() && ["apiVersion", "kind", "metadata"].contains(&name.as_str());
        let Some(schema) = schema.as_object().filter(|_| !is_meta) else {
            continue;
        };
        if pair
            .field(name)
            .is_some_and(|new| *new != Value::Bool(false))
        {
            continue;
        }
        let node = Node {
            schema,
            step: SchemaStep::Field(name),
            parent: Some(&pair.old),
        };
        let is_status = node.fields().first().is_some_and(|first| first == "status");
        let rule = if is_status {
            &rules::STATUS_FIELD_GONE
        } else {
            &rules::FIELD_GONE
        };
        let help = match renamed(pair, name, &node) {
            Some(other) => format!(
                "if you renamed it to `{other}`, keep both or add a version with a conversion; `#[serde(alias = ..)]` \
                 has no effect, since the API server drops the old name"
            ),
            None => {
                "keep it, marked as deprecated in its comment, until no object has it".to_owned()
            }
        };
        found.push(finding(&node, rule, "the field was removed").help(help));
    }
}

/// Returns the new name of a removed field, if exactly one new field has the same type.
fn renamed<'a>(pair: &Pair<'a>, name: &str, gone: &Node) -> Option<&'a str> {
    let is_new = |other: &str| {
        let old = pair.old.object("properties");
        other != name && !old.is_some_and(|old| old.contains_key(other))
    };
    let alike = pair.new.properties().filter(|(other, schema)| {
        let same = |key: &str| schema.get(key) == gone.schema.get(key);
        is_new(other) && same("type") && same("items") && same("format")
    });
    let names: Vec<_> = alike.map(|(other, _)| other.as_str()).collect();
    match names[..] {
        [one] => Some(one),
        _ => None,
    }
}

/// Reports undeclared fields that are no longer kept.
fn unknown(pair: &Pair, found: &mut Vec<CrdProblem>) {
    let is_open = |node: &Node| {
        let values = node.schema.get("additionalProperties");
        values.is_some_and(|values| *values != Value::Bool(false))
    };
    let (old, new) = (&pair.old, &pair.new);
    if new.flag(PRESERVE) {
        return;
    }
    if old.flag(PRESERVE) {
        let message = if is_open(new) {
            "unknown fields were preserved, and must now match a schema"
        } else {
            "unknown fields were preserved, and are now dropped"
        };
        found.push(pair.finding(&rules::UNKNOWN_FIELDS_GONE, message));
    } else if is_open(old) && !is_open(new) {
        let message = "was a map; now only keys that are fields are preserved";
        found.push(pair.finding(&rules::UNKNOWN_FIELDS_GONE, message));
    }
}

fn required(pair: &Pair, found: &mut Vec<CrdProblem>) {
    let names = |schema: &Object| {
        let names = schema.get("required").and_then(Value::as_array);
        let names = names.into_iter().flatten().filter_map(Value::as_str);
        names.map(str::to_owned).collect::<Vec<_>>()
    };
    let before: Vec<_> = pair.old.conjuncts().into_iter().flat_map(names).collect();
    let (old, new) = (pair.old.object("properties"), pair.new.object("properties"));
    for name in names(pair.new.schema) {
        let schema = new
            .and_then(|fields| fields.get(&name))
            .and_then(Value::as_object);
        let has_default = schema.is_some_and(|schema| schema.contains_key("default"));
        if before.contains(&name) || has_default {
            continue;
        }
        let node = Node {
            schema: schema.unwrap_or(pair.new.schema),
            step: SchemaStep::Field(&name),
            parent: Some(&pair.new),
        };
        let is_known = old.is_some_and(|fields| fields.contains_key(&name));
        let message = if is_known {
            "the field became required"
        } else {
            "the new field is required"
        };
        let help = "make it an `Option`, or add a default: `#[serde(default = ..)]`";
        found.push(finding(&node, &rules::FIELD_REQUIRED, message).help(help));
    }
}

/// Reports changes of `nullable`. A field with a default is never null, because the API server
/// removes the null before it applies the default.
fn nulls(pair: &Pair, found: &mut Vec<CrdProblem>) {
    let is_refused = pair.old.flag("nullable") && !pair.new.flag("nullable");
    let drops_null = |node: &Node| node.schema.contains_key("default") || shape(node) == "anything";
    if is_refused && !drops_null(&pair.new) {
        found.push(pair.finding(&rules::NULL_REFUSED, "may no longer be null"));
    }
    let is_allowed = pair.new.flag("nullable") && !pair.old.flag("nullable");
    if is_allowed && !drops_null(&pair.new) {
        found.push(pair.finding(&rules::VALUES_WIDENED, "may now be null"));
    }
}

fn embedded(pair: &Pair, found: &mut Vec<CrdProblem>) {
    let is = |node: &Node| node.flag("x-kubernetes-embedded-resource");
    if is(&pair.new) && !is(&pair.old) {
        let message = "became an embedded resource, which needs an `apiVersion` and a `kind`";
        found.push(pair.finding(&rules::EMBEDDED_RESOURCE, message));
    }
}
