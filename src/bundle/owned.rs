//! The kinds that the operator owns and requires, with descriptors of their fields for consoles.

use serde_json::{Map, Value, json};

use super::config::{ConfigObject, items, text};
use super::patch;
use super::subject::Bundle;

/// The descriptor by which a console displays conditions.
const CONDITIONS: &str = "urn:alm:descriptor:io.kubernetes.conditions";

/// Returns `customresourcedefinitions`. Descriptions in `base` override those derived from the
/// CRDs.
pub fn definitions(bundle: &Bundle, crds: &[ConfigObject], base: &Value) -> Value {
    let mut owned = Vec::new();
    for crd in crds {
        let versions = items(&crd.json, "/spec/versions").iter();
        for version in versions.filter(|it| it["served"] == true) {
            owned.push(description(crd, version));
        }
    }
    for description in &mut owned {
        let same = |it: &&Value| {
            ["name", "version"]
                .iter()
                .all(|key| it[key] == description[key])
        };
        if let Some(own) = items(base, "/owned").iter().find(same) {
            for (field, value) in own.as_object().into_iter().flatten() {
                description[field] = value.clone();
            }
        }
    }
    let mut required: Vec<_> = bundle.required.clone();
    for own in items(base, "/required") {
        match required.iter_mut().find(|it| it["name"] == own["name"]) {
            Some(there) => patch::apply(there, own),
            None => required.push(own.clone()),
        }
    }
    let mut all = json!({"owned": owned});
    if !required.is_empty() {
        all["required"] = required.into();
    }
    all
}

/// Returns the description of one version of a kind.
fn description(crd: &ConfigObject, version: &Value) -> Value {
    let kind = crd.text("/spec/names/kind");
    let schema = &version["schema"]["openAPIV3Schema"];
    let mut json = json!({
        "name": crd.text("/metadata/name"),
        "kind": kind,
        "version": version["name"],
        "displayName": words(kind),
        "description": match text(schema, "/description") {
            "" => format!("Objects of kind {kind}."),
            description => description.to_owned(),
        },
    });
    for (part, field) in [("spec", "specDescriptors"), ("status", "statusDescriptors")] {
        let properties = schema["properties"][part]["properties"].as_object();
        let descriptors = properties.map(descriptors).unwrap_or_default();
        if !descriptors.is_empty() {
            json[field] = descriptors.into();
        }
    }
    json
}

fn descriptors(properties: &Map<String, Value>) -> Vec<Value> {
    let one = |(path, schema): (&String, &Value)| {
        let mut json = json!({"path": path, "displayName": words(path)});
        if let Some(description) = schema.get("description") {
            json["description"] = description.clone();
        }
        if path == "conditions" {
            json["x-descriptors"] = json!([CONDITIONS]);
        }
        json
    };
    properties.iter().map(one).collect()
}

/// Returns a name of a kind or a field as separate words: `Cron Job` for `CronJob` or `cronJob`.
pub fn words(name: &str) -> String {
    let mut words = String::new();
    let mut before = None;
    let mut rest = name.chars().peekable();
    while let Some(c) = rest.next() {
        let ends_word =
            before.is_some_and(|before: char| before.is_lowercase() || before.is_numeric());
        let ends_acronym = before.is_some_and(char::is_uppercase)
            && rest.peek().is_some_and(|next| next.is_lowercase());
        if c.is_uppercase() && (ends_word || ends_acronym) {
            words.push(' ');
        }
        if before.is_none() {
            words.extend(c.to_uppercase());
        } else {
            words.push(c);
        }
        before = Some(c);
    }
    words
}
