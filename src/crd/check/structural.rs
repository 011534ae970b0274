//! Checks that a schema is structural: every value has one type, and the schema uses nothing that
//! prevents the API server from pruning. See `ValidateStructural` in Kubernetes'
//! apiextensions-apiserver.

use serde_json::Value;

use crate::crd::finding::CrdProblem;
use crate::crd::node::{Node, SchemaStep};
use crate::crd::pattern::Pattern;

/// Types that a schema may have.
const TYPES: [&str; 6] = ["array", "boolean", "integer", "number", "object", "string"];

/// Keywords of JSON Schema that a CRD must not use, with advice on alternatives.
const FORBIDDEN: [(&str, &str); 8] = [
    ("id", ""),
    ("$schema", ""),
    (
        "$ref",
        "a recursive type has no finite schema: write \
         `#[schemars(schema_with = ..)]` on the field, with \
         `{\"x-kubernetes-preserve-unknown-fields\": true}`",
    ),
    ("definitions", "a recursive type has no finite schema"),
    (
        "patternProperties",
        "keys of a map are strings: write `BTreeMap<String, _>`",
    ),
    ("dependencies", ""),
    ("additionalItems", ""),
    (
        "uniqueItems",
        "write `#[x_kube(merge_strategy = ListMerge::Set)]`",
    ),
];

/// Keywords allowed at the root of a version with the `status` subresource.
const AT_ROOT: [&str; 22] = [
    "description",
    "type",
    "format",
    "title",
    "maximum",
    "exclusiveMaximum",
    "minimum",
    "exclusiveMinimum",
    "maxLength",
    "minLength",
    "pattern",
    "maxItems",
    "minItems",
    "uniqueItems",
    "multipleOf",
    "required",
    "items",
    "properties",
    "externalDocs",
    "example",
    "x-kubernetes-preserve-unknown-fields",
    "x-kubernetes-validations",
];

/// Keywords of Kubernetes' schema extensions.
pub const PRESERVE: &str = "x-kubernetes-preserve-unknown-fields";
pub const INT_OR_STRING: &str = "x-kubernetes-int-or-string";
pub const EMBEDDED: &str = "x-kubernetes-embedded-resource";

const FREE_FORM: &str = "for arbitrary JSON write `#[schemars(schema_with = ..)]` on the field, with \
    `{\"x-kubernetes-preserve-unknown-fields\": true}`, and `#[serde(default)]` if it is optional";

/// Reports why one node of a schema is not structural, and an invalid `pattern` of it. Does not
/// visit the nodes below.
pub fn check(node: &Node, found: &mut Vec<CrdProblem>) {
    forbidden(node, found);
    type_of_node(node, found);
    items_properties_and_pattern(node, found);
    extensions(node, found);
    metadata(node, found);
}

/// Reports violations of the rules for the root that [`check`] does not check. `has_status` tells
/// whether the version has the `status` subresource.
pub fn check_root(node: &Node, has_status: bool, found: &mut Vec<CrdProblem>) {
    if node.flag("nullable") {
        found.push(CrdProblem::at(node, "the root object cannot be nullable"));
    }
    if node.object("additionalProperties").is_some() || node.flag("additionalProperties") {
        found.push(CrdProblem::at(node, "the root object cannot be a map"));
    }
    let other = node
        .schema
        .keys()
        .find(|key| !AT_ROOT.contains(&key.as_str()));
    if let Some(other) = other.filter(|_| has_status) {
        found.push(
            CrdProblem::at(
                node,
                format!("`{other}` is not allowed at the root of a CRD with a status"),
            )
            .help("put it on the spec"),
        );
    }
}

fn forbidden(node: &Node, found: &mut Vec<CrdProblem>) {
    let contains = |keyword: &str| match node.schema.get(keyword) {
        None | Some(Value::Null | Value::Bool(false)) => false,
        Some(Value::Object(map)) => !map.is_empty() || keyword == "dependencies",
        Some(Value::String(text)) => !text.is_empty(),
        Some(_) => true,
    };
    for (keyword, help) in FORBIDDEN.iter().filter(|(keyword, _)| contains(keyword)) {
        let finding = CrdProblem::at(node, format!("a CRD must not contain `{keyword}`"));
        found.push(if help.is_empty() {
            finding
        } else {
            finding.help(*help)
        });
    }
}

fn type_of_node(node: &Node, found: &mut Vec<CrdProblem>) {
    let kind = node.type_name();
    if node.is_root() {
        if kind != "object" {
            found.push(CrdProblem::at(
                node,
                "the root object must have the type `object`",
            ));
        }
    } else if node.flag(EMBEDDED) {
        if kind != "object" {
            found.push(CrdProblem::at(
                node,
                "an embedded resource must have the type `object`",
            ));
        }
    } else if kind.is_empty() && !node.flag(INT_OR_STRING) && !node.flag(PRESERVE) {
        let refers = node.schema.contains_key("$ref");
        if !refers {
            found.push(untyped(node));
        }
    }
    if !kind.is_empty() && !TYPES.contains(&kind) {
        let finding = CrdProblem::at(node, format!("unknown type `{kind}`"));
        found.push(match kind {
            "null" => finding.help("write `Option<_>`, which gives `nullable: true`"),
            _ => finding.help(format!("the types are {}", TYPES.join(", "))),
        });
    }
}

/// Reports a schema without a type. The advice depends on the Rust type that generates such a
/// schema.
fn untyped(node: &Node) -> CrdProblem {
    let finding = CrdProblem::at(node, "the schema has no type");
    if node.schema.contains_key("anyOf") || node.schema.contains_key("oneOf") {
        finding.help(
            "an untagged enum of scalars has no type; for an integer or a string write \
             `k8s_openapi::apimachinery::pkg::util::intstr::IntOrString`",
        )
    } else if node.schema.contains_key("enum") {
        finding.help("`()` can only be null: leave the field out")
    } else {
        finding.help(format!("`serde_json::Value` can be anything; {FREE_FORM}"))
    }
}

fn items_properties_and_pattern(node: &Node, found: &mut Vec<CrdProblem>) {
    match node.schema.get("items") {
        Some(Value::Array(_)) => found.push(
            CrdProblem::at(
                node,
                "`items` must be one schema for all items, not a list of schemas",
            )
            .help("write a struct instead of a tuple"),
        ),
        None | Some(Value::Null) if node.type_name() == "array" => {
            found.push(CrdProblem::at(node, "a list must have `items`"));
        }
        _ => {}
    }
    let additional = node.schema.get("additionalProperties");
    if additional.is_some_and(|value| !value.is_null() && *value != Value::Bool(true))
        && node.properties().next().is_some()
    {
        found.push(
            CrdProblem::at(node, "`properties` and `additionalProperties` cannot be combined: an object is either a struct or a map")
                .help("put the map into a separate field, without `#[serde(flatten)]`, and remove `deny_unknown_fields`"),
        );
    }
    if let Some(pattern) = node.text("pattern") {
        let error = pattern_error(pattern).map(|why| CrdProblem::at(node, why).help(SYNTAX));
        found.extend(error);
    }
}

const SYNTAX: &str = "use the syntax of Go: <https://pkg.go.dev/regexp/syntax>";

/// Returns why the API server rejects a pattern; `None` if it is a valid regular expression.
pub fn pattern_error(pattern: &str) -> Option<String> {
    let why = Pattern::parse(pattern).err()?;
    Some(format!(
        "the pattern `{pattern}` is not a valid regular expression: {why}"
    ))
}

fn extensions(node: &Node, found: &mut Vec<CrdProblem>) {
    let mut report = |message: &str| found.push(CrdProblem::at(node, message));
    if node.schema.get(PRESERVE) == Some(&Value::Bool(false)) {
        report("`x-kubernetes-preserve-unknown-fields` can only be true");
    }
    for other in [PRESERVE, EMBEDDED] {
        if node.flag(INT_OR_STRING) && node.flag(other) {
            report(&format!("`{other}` contradicts `{INT_OR_STRING}`"));
        }
    }
    if !node.flag(EMBEDDED) {
        return;
    }
    if node.schema.contains_key("additionalProperties") {
        report("an embedded resource cannot be a map");
    }
    if !node.flag(PRESERVE) && node.properties().next().is_none() {
        report("an embedded resource must have properties or preserve unknown fields");
    }
    if in_metadata(node) {
        report("metadata cannot contain an embedded resource");
    }
}

/// Returns true if a schema is part of the type and object metadata of a resource.
pub fn in_metadata(node: &Node) -> bool {
    node.ancestors().any(|node| {
        matches!(
            node.step,
            SchemaStep::Field("apiVersion" | "kind" | "metadata")
        ) && node.parent.is_some_and(Node::is_resource)
    })
}

/// Checks that `apiVersion`, `kind` and `metadata` of a resource keep the types that Kubernetes
/// defines.
fn metadata(node: &Node, found: &mut Vec<CrdProblem>) {
    let SchemaStep::Field(name @ ("apiVersion" | "kind" | "metadata")) = node.step else {
        return;
    };
    let Some(parent) = node.parent.filter(|parent| parent.is_resource()) else {
        return;
    };
    let expected = if name == "metadata" {
        "object"
    } else {
        "string"
    };
    if node.type_name() != expected {
        found.push(CrdProblem::at(
            node,
            format!("`{name}` of a resource must have the type `{expected}`"),
        ));
    }
    let has_more = node.schema.iter().any(|(key, value)| match key.as_str() {
        "type" | "description" | "default" => false,
        "properties" => value.as_object().is_some_and(|fields| {
            fields
                .keys()
                .any(|name| name != "name" && name != "generateName")
        }),
        _ => true,
    });
    if parent.is_root()
        && name == "metadata"
        && (has_more || node.schema.contains_key("description"))
    {
        found.push(CrdProblem::at(
            node,
            "only `name` and `generateName` of metadata can have a schema",
        ));
    }
}
