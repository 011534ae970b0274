//! Label and field selectors of the in-memory API server.

use std::collections::{BTreeMap, BTreeSet};

use kube::core::{Expression, Selector, SelectorExt};
use serde_json::Value;

use super::{kinds::Kind, refusal::Refusal};

/// The selectable fields of built-in kinds in a real API server, in addition to name and namespace.
const SELECTABLE_FIELDS: &[(&str, &[&str])] = &[
    (
        "Event",
        &[
            "involvedObject.kind",
            "involvedObject.name",
            "involvedObject.namespace",
            "involvedObject.uid",
            "reason",
            "regarding.kind",
            "regarding.name",
            "regarding.namespace",
            "regarding.uid",
            "type",
        ],
    ),
    ("Job", &["status.successful"]),
    ("Namespace", &["status.phase"]),
    ("Node", &["spec.unschedulable"]),
    (
        "Pod",
        &[
            "spec.nodeName",
            "spec.restartPolicy",
            "spec.schedulerName",
            "spec.serviceAccountName",
            "status.phase",
            "status.podIP",
        ],
    ),
    ("ReplicaSet", &["status.replicas"]),
    ("Secret", &["type"]),
    ("Service", &["spec.clusterIP", "spec.type"]),
];

/// One field requirement: `path` must be equal to `value`, or must differ from it if `equal` is
/// false.
#[derive(Clone, Debug)]
struct Field {
    /// The names of the fields from the object on: `["spec", "nodeName"]`.
    path: Vec<String>,
    equal: bool,
    value: String,
}

/// The parsed `labelSelector` and `fieldSelector` of a list or watch.
#[derive(Clone, Debug)]
pub(super) struct Selectors {
    labels: Selector,
    fields: Vec<Field>,
}

impl Selectors {
    /// Parses the query parameters of a request for `kind`. An empty text selects everything.
    ///
    /// # Errors
    /// Returns 400 `BadRequest` if a selector is invalid, or if a field of the kind is not
    /// selectable.
    pub fn parse(labels: &str, fields: &str, kind: &Kind) -> Result<Self, Refusal> {
        let labels = split(labels).into_iter().map(|text| expression(&text));
        let fields = fields.split(',').filter(|text| !text.is_empty());
        Ok(Self {
            labels: labels.collect::<Result<_, _>>()?,
            fields: fields
                .map(|text| field(text, kind))
                .collect::<Result<_, _>>()?,
        })
    }

    /// Returns true if the object matches both selectors. A missing field has the value `""`.
    pub fn matches(&self, object: &Value) -> bool {
        let is = |field: &Field| {
            let value = field
                .path
                .iter()
                .fold(object, |value, name| &value[name.as_str()]);
            let value = match value {
                Value::Null => String::new(),
                Value::String(text) => text.clone(),
                other => other.to_string(),
            };
            (value == field.value) == field.equal
        };
        self.labels.matches(&labels(object)) && self.fields.iter().all(is)
    }
}

/// Returns the labels of an object.
pub(super) fn labels(object: &Value) -> BTreeMap<String, String> {
    let labels = object["metadata"]["labels"].as_object();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let labels = labels.into_iter().flatten();
    labels
        .map(|(name, value)| (name.clone(), text(value)))
        .collect()
}

/// Splits a selector at commas outside of parentheses.
fn split(text: &str) -> Vec<String> {
    let mut depth = 0;
    let mut parts = vec![String::new()];
    for letter in text.chars() {
        match letter {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        match parts.last_mut() {
            Some(last) if letter != ',' || depth > 0 => last.push(letter),
            _ => parts.push(String::new()),
        }
    }
    parts.retain(|part| !part.trim().is_empty());
    parts
}

/// Parses one requirement of a label selector, such as `tier in (front, back)` or `!ignore`.
fn expression(text: &str) -> Result<Expression, Refusal> {
    let text = text.trim();
    let (key, rest) = match text.find([' ', '=', '!', '(']).filter(|at| *at > 0) {
        Some(at) => (text[..at].to_owned(), text[at..].trim()),
        None => (text.to_owned(), ""),
    };
    let set = |text: &str| -> Option<BTreeSet<String>> {
        let inside = text.trim().strip_prefix('(')?.strip_suffix(')')?;
        Some(
            inside
                .split(',')
                .map(|value| value.trim().to_owned())
                .collect(),
        )
    };
    let value = |text: &str| text.trim().to_owned();
    let parsed = if let Some(key) = text.strip_prefix('!') {
        Some(Expression::DoesNotExist(value(key)))
    } else if rest.is_empty() {
        Some(Expression::Exists(key))
    } else if let Some(rest) = rest.strip_prefix("!=") {
        Some(Expression::NotEqual(key, value(rest)))
    } else if let Some(rest) = rest.strip_prefix("==").or(rest.strip_prefix('=')) {
        Some(Expression::Equal(key, value(rest)))
    } else if let Some(rest) = rest.strip_prefix("notin") {
        set(rest).map(|values| Expression::NotIn(key, values))
    } else {
        let values = rest.strip_prefix("in").and_then(set);
        values.map(|values| Expression::In(key, values))
    };
    parsed.ok_or_else(|| Refusal::bad_request(format!("unable to parse requirement: {text}")))
}

/// Parses one requirement of a field selector, such as `status.phase!=Running`.
fn field(text: &str, kind: &Kind) -> Result<Field, Refusal> {
    let (path, equal, value) = if let Some((path, value)) = text.split_once("!=") {
        (path, false, value)
    } else if let Some((path, value)) = text.split_once("==").or(text.split_once('=')) {
        (path, true, value)
    } else {
        let message = format!("invalid selector: '{text}'; can't understand '{text}'");
        return Err(Refusal::bad_request(message));
    };
    let always = ["metadata.name", "metadata.namespace"];
    // A kind with a schema is defined by a CRD, and has only the fields that the CRD makes
    // selectable.
    let built_in = SELECTABLE_FIELDS
        .iter()
        .filter(|(name, _)| kind.schema.is_none() && *name == kind.name);
    let known = always.contains(&path)
        || built_in.clone().any(|(_, fields)| fields.contains(&path))
        || kind
            .selectable
            .iter()
            .any(|known| known.trim_start_matches('.') == path);
    if !known {
        return Err(Refusal::bad_request(format!(
            "field label not supported: {path}"
        )));
    }
    Ok(Field {
        path: path.split('.').map(str::to_owned).collect(),
        equal,
        value: value.to_owned(),
    })
}
