//! The fields of a schema, in one table for each object.

use serde_json::{Value, json};

use super::anchors::Anchors;
use super::document::{Inline, Line, joined, labeled};
use super::kubernetes::{KubernetesTypes, type_of};
use super::notes::{literal, of_schema};
use super::prose;
use crate::crd::node::{Object, flag};

/// The fields of one object.
#[derive(Debug)]
pub struct Section {
    /// The path of the object, for example `spec.ports[]`; empty for the whole object.
    pub path: String,
    /// The anchor of the section's heading.
    pub anchor: String,
    /// The description of the objects, if they are items of a list or values of a map; otherwise it
    /// is in the row of the field.
    pub description: Line,
    /// The limits and rules of the object.
    pub notes: Vec<Line>,
    /// The fields, in the order of the schema.
    pub fields: Vec<DocumentedField>,
    /// True for an object of a type of Kubernetes, and for the objects inside it.
    is_of_kubernetes: bool,
}

impl Section {
    /// Returns the path of one of the fields.
    pub fn path_of(&self, field: &DocumentedField) -> String {
        within(&self.path, &field.name)
    }
}

/// Returns the path of a field of the object at `path`.
fn within(path: &str, name: &str) -> String {
    if path.is_empty() {
        name.to_owned()
    } else {
        format!("{path}.{name}")
    }
}

/// A field of an object: one row of the section's table.
#[derive(Debug)]
pub struct DocumentedField {
    pub name: String,
    /// The type in the notation of Go, with the name of a type of Kubernetes: `[]Container`.
    pub type_name: String,
    /// The target of links to the field, and of the link from it.
    pub place: LinkTarget,
    /// True if the schema requires the field, also if it has a default.
    pub is_required: bool,
    /// True if the description begins a line with `Deprecated:`.
    pub is_deprecated: bool,
    /// The default as a literal; `None` if the schema has none.
    pub default: Option<String>,
    pub description: Line,
    /// The limits and rules of the value, without those of the objects inside it that have a
    /// section.
    pub notes: Vec<Line>,
}

impl DocumentedField {
    /// Returns true if a user must set the field. The API server sets defaults before it checks for
    /// required fields.
    pub fn must_be_set(&self) -> bool {
        self.is_required && self.default.is_none()
    }
}

/// The place to which links to a field lead.
#[derive(Debug)]
pub enum LinkTarget {
    /// The row of the field, with this anchor.
    Row(String),
    /// The section with its fields, which has this anchor.
    Section(String),
    /// A type in the reference of Kubernetes, and the anchor of the row of the field.
    Kubernetes { row: String, url: String },
}

/// The schema of an object that gets a section.
struct Pending<'a> {
    path: String,
    anchor: String,
    of: &'a Object,
    is_of_kubernetes: bool,
}

/// Returns the sections of a version, those of Kubernetes' types last. `prefix` begins the anchors;
/// `api_version` and `kind` are those of the objects.
pub fn sections(
    schema: &Object,
    [prefix, api_version, kind]: [&str; 3],
    types: KubernetesTypes,
    anchors: &mut Anchors,
) -> Vec<Section> {
    let whole = complete(schema, api_version, kind);
    let root = Pending {
        path: String::new(),
        anchor: prefix.to_owned(),
        of: &whole,
        is_of_kubernetes: false,
    };
    let mut sections = Vec::new();
    // The sections that follow, the next one last.
    let mut pending = vec![root];
    while let Some(next) = pending.pop() {
        let (fields, mut inside) = fields(&next, prefix, types, anchors);
        inside.reverse();
        pending.extend(inside);
        let is_inside = next.path.ends_with(']');
        sections.push(Section {
            description: if is_inside {
                description(next.of)
            } else {
                Line::new()
            },
            notes: of_schema(next.of, ""),
            path: next.path,
            anchor: next.anchor,
            fields,
            is_of_kubernetes: next.is_of_kubernetes,
        });
    }
    sections.sort_by_key(|section| section.is_of_kubernetes);
    sections
}

/// Returns the schema of whole objects with the fields that every object has, and that a CRD need
/// not declare.
fn complete(schema: &Object, api_version: &str, kind: &str) -> Object {
    const OBJECT_META: &str =
        "https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/object-meta/";
    let mut whole = schema.clone();
    // kube writes the kind there.
    if whole.get("title").is_some_and(|title| title == kind) {
        whole.remove("title");
    }
    let declared = whole.get("properties").and_then(Value::as_object);
    let metadata = declared.and_then(|fields| fields.get("metadata"));
    let metadata = metadata.filter(|it| it["properties"].is_object()).cloned();
    let description = format!("Standard metadata: {OBJECT_META}");
    let standard = [
        (
            "apiVersion",
            json!({"type": "string", "const": api_version}),
        ),
        ("kind", json!({"type": "string", "const": kind})),
        (
            "metadata",
            metadata.unwrap_or_else(|| json!({"type": "object", "description": description})),
        ),
    ];
    let names = standard.each_ref().map(|(name, _)| Value::from(*name));
    let mut fields: Object = standard
        .into_iter()
        .map(|(name, schema)| (name.to_owned(), schema))
        .collect();
    for (name, schema) in declared.into_iter().flatten() {
        fields.entry(name).or_insert_with(|| schema.clone());
    }
    let required = whole.get("required").and_then(Value::as_array);
    let required = required
        .into_iter()
        .flatten()
        .cloned()
        .chain(names)
        .collect();
    whole.insert("properties".to_owned(), Value::Object(fields));
    whole.insert("required".to_owned(), Value::Array(required));
    whole
}

/// Returns the fields of an object, and the objects inside of it that get a section.
fn fields<'a>(
    object: &Pending<'a>,
    prefix: &str,
    types: KubernetesTypes,
    anchors: &mut Anchors,
) -> (Vec<DocumentedField>, Vec<Pending<'a>>) {
    let properties = object.of.get("properties").and_then(Value::as_object);
    let required = object.of.get("required").and_then(Value::as_array);
    let is_required = |name: &str| required.is_some_and(|all| all.iter().any(|it| it == name));
    let mut fields = Vec::new();
    let mut inside = Vec::new();
    for (name, schema) in properties.into_iter().flatten() {
        let Some(schema) = schema.as_object() else {
            continue;
        };
        let path = within(&object.path, name);
        let anchor = anchors.of(&format!("{prefix}.{}", names(&path)));
        let chain = chain(schema);
        let (steps, of) = chain.last().expect("a chain begins with the field");
        let has_fields = of
            .get("properties")
            .and_then(Value::as_object)
            .is_some_and(|it| !it.is_empty());
        // All that is inside a type of Kubernetes belongs to Kubernetes.
        let known = Some(*of).filter(|_| has_fields && !object.is_of_kubernetes);
        let known = known.and_then(type_of);
        let linked = known.as_ref().filter(|_| types == KubernetesTypes::Linked);
        let has_section = has_fields && linked.is_none();
        let place = match linked {
            Some(known) => LinkTarget::Kubernetes {
                row: anchor,
                url: known.url.clone(),
            },
            None if has_section => {
                inside.push(Pending {
                    path: format!("{path}{steps}"),
                    anchor: anchor.clone(),
                    of,
                    is_of_kubernetes: object.is_of_kubernetes || known.is_some(),
                });
                LinkTarget::Section(anchor)
            }
            None => LinkTarget::Row(anchor),
        };
        let in_row = chain.len() - usize::from(has_section);
        let notes = chain[..in_row]
            .iter()
            .flat_map(|(steps, schema)| of_schema(schema, &values(steps)));
        // The description of a list of objects stays in the row of the list. That of an item is in
        // the section or in the reference of Kubernetes.
        let described = (chain.len() - usize::from(has_fields)).max(1);
        let descriptions = chain[..described].iter().filter_map(|(steps, schema)| {
            let line = description(schema);
            match (line.is_empty(), steps.is_empty()) {
                (true, _) => None,
                (false, true) => Some(line),
                (false, false) => Some(labeled(&values(steps), line)),
            }
        });
        let own = schema.get("description").and_then(Value::as_str);
        fields.push(DocumentedField {
            name: name.clone(),
            type_name: named(type_name(schema), known.map(|it| it.name)),
            place,
            is_required: is_required(name),
            is_deprecated: prose::is_deprecated(own.unwrap_or_default()),
            default: schema.get("default").map(literal),
            description: joined(descriptions, &Inline::Break),
            notes: notes.collect(),
        });
    }
    (fields, inside)
}

/// Returns a type with the name of its objects: `[]Container` for `[]object`.
fn named(type_name: String, objects: Option<&str>) -> String {
    match (type_name.strip_suffix("object"), objects) {
        (Some(around), Some(name)) => format!("{around}{name}"),
        _ => type_name,
    }
}

/// Returns the description of a schema; empty if it has none.
fn description(schema: &Object) -> Line {
    let text = schema.get("description").and_then(Value::as_str);
    prose::line(text.unwrap_or_default())
}

/// Returns a path without the steps to items and values.
fn names(path: &str) -> String {
    path.replace("[]", "").replace("[*]", "")
}

/// Returns the schema of a field, that of its items or values, and so on, each with the steps to
/// it: `[]` for an item, `[*]` for a value of a map.
fn chain(schema: &Object) -> Vec<(String, &Object)> {
    let mut chain = vec![(String::new(), schema)];
    let mut last = (String::new(), schema);
    while let Some((step, next)) = inside(last.1) {
        last = (format!("{}{step}", last.0), next);
        chain.push(last.clone());
    }
    chain
}

/// Returns the schema of the items or the values of a schema, with the step to them; `None` if it
/// is neither a list nor a map.
fn inside(schema: &Object) -> Option<(&'static str, &Object)> {
    let object = |keyword: &str| schema.get(keyword)?.as_object();
    let item = object("items").map(|items| ("[]", items));
    item.or_else(|| Some(("[*]", object("additionalProperties")?)))
}

/// Returns the words for the values behind some steps: `each item of each value`.
fn values(steps: &str) -> String {
    let steps = steps.split_inclusive(']').rev();
    let words = steps.map(|step| {
        if step == "[]" {
            "each item"
        } else {
            "each value"
        }
    });
    words.collect::<Vec<_>>().join(" of ")
}

/// Returns the type of a schema, in the notation of Go: `[]object`, `map[string]integer`.
fn type_name(schema: &Object) -> String {
    let text = |keyword: &str| schema.get(keyword).and_then(Value::as_str);
    if flag(schema, "x-kubernetes-int-or-string") {
        return "int-or-string".to_owned();
    }
    match (text("type"), inside(schema)) {
        (_, Some(("[]", items))) => format!("[]{}", type_name(items)),
        (_, Some((_, values))) => format!("map[string]{}", type_name(values)),
        (Some(name), None) => match text("format") {
            Some(format) => format!("{name} ({format})"),
            None => name.to_owned(),
        },
        (None, None) => "any".to_owned(),
    }
}
