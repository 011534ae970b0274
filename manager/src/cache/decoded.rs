//! The JSON of an object from the API server, split before it is decoded.
//!
//! `managedFields` make up most of an object's JSON, and take many times that size when parsed. The
//! operator needs only the entries of server-side apply. So they are cut out before the object is
//! decoded, and these entries are stored as text.
//!
//! The API server sends them with each object. A client cannot decline them: KEP-5958 adds
//! `drop=metadata.managedFields` to the `Accept` header, but no release up to Kubernetes 1.37 has
//! it.

use std::{borrow::Cow, sync::Arc};

use kube::core::ObjectMeta;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::managed_fields;

/// An object without its `managedFields`, and the entries of server-side apply that they contained.
#[derive(Clone, Debug)]
pub(crate) struct Decoded<K> {
    pub object: Arc<K>,
    /// The object as JSON.
    pub text: String,
    /// The fields that each field manager applied.
    pub applied: Applied,
    /// Hashes of the applied fields, for a trimmed object. Empty if the object is not trimmed.
    pub applied_hashes: AppliedHashes,
}

/// For each field manager, a hash of the fields that it applied and of their values in the object.
pub(crate) type AppliedHashes = Vec<(String, u64)>;

/// For each field manager, the `fieldsV1` of its applies to an object, as JSON. Applies to a
/// subresource are not included.
pub(crate) type Applied = Vec<(String, Box<str>)>;

/// The JSON of an object, split but not decoded.
#[derive(Clone, Debug)]
pub(crate) struct Parts {
    /// Only name, namespace, uid and resource version.
    pub meta: ObjectMeta,
    /// The JSON with `managedFields` set to `null`.
    pub text: String,
    pub applied: Applied,
}

#[derive(Deserialize)]
struct Envelope<'a> {
    #[serde(borrow, default)]
    metadata: Metadata<'a>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Metadata<'a> {
    name: Option<String>,
    namespace: Option<String>,
    uid: Option<String>,
    resource_version: Option<String>,
    #[serde(borrow)]
    managed_fields: Option<&'a RawValue>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct DecodedEntry<'a> {
    manager: String,
    #[serde(borrow)]
    operation: Cow<'a, str>,
    subresource: Option<String>,
    #[serde(borrow)]
    fields_v1: Option<&'a RawValue>,
}

impl<K> Decoded<K> {
    /// Computes the hash of the applied fields for each field manager.
    pub fn applied_hashes(&self) -> AppliedHashes {
        let Ok(state) = serde_json::from_str(&self.text) else {
            return AppliedHashes::new();
        };
        let hash = |(manager, fields): &(String, Box<str>)| {
            let fields = serde_json::from_str(fields).ok()?;
            Some((
                manager.clone(),
                managed_fields::applied_hash(&fields, &state),
            ))
        };
        self.applied.iter().filter_map(hash).collect()
    }
}

impl Parts {
    /// Splits the JSON of one object.
    pub fn of(text: &str) -> serde_json::Result<Self> {
        let Envelope { metadata } = serde_json::from_str(text)?;
        let managed_fields = metadata.managed_fields.map(RawValue::get);
        let without = |fields: &str| {
            // `fields` is a slice of `text`, so the difference of the addresses is its offset
            let start = fields.as_ptr().addr() - text.as_ptr().addr();
            [&text[..start], "null", &text[start + fields.len()..]].concat()
        };
        Ok(Self {
            meta: ObjectMeta {
                name: metadata.name,
                namespace: metadata.namespace,
                uid: metadata.uid,
                resource_version: metadata.resource_version,
                ..ObjectMeta::default()
            },
            text: managed_fields.map_or_else(|| text.to_owned(), without),
            applied: managed_fields.map(applied).unwrap_or_default(),
        })
    }
}

/// Returns the `fieldsV1` of a field manager's applies, as JSON; `None` if it did not apply the
/// object.
pub(crate) fn fields<'a>(applied: &'a Applied, manager: &str) -> Option<&'a str> {
    let mut entries = applied.iter();
    let (_, fields) = entries.find(|(name, _)| name == manager)?;
    Some(fields)
}

/// Returns the entries of server-side apply in `managed_fields`, which is JSON; empty if it cannot
/// be parsed.
fn applied(managed_fields: &str) -> Applied {
    let entries: Vec<DecodedEntry<'_>> = serde_json::from_str(managed_fields).unwrap_or_default();
    let applied = entries.into_iter().filter(|entry| {
        entry.operation == "Apply" && entry.subresource.as_deref().unwrap_or_default().is_empty()
    });
    let text = |entry: DecodedEntry<'_>| Some((entry.manager, entry.fields_v1?.get().into()));
    applied.filter_map(text).collect()
}

/// An object without server-side apply entries.
#[cfg(test)]
impl<K: serde::Serialize> From<K> for Decoded<K> {
    fn from(object: K) -> Self {
        Self {
            text: serde_json::to_string(&object).unwrap(),
            object: Arc::new(object),
            applied: Applied::new(),
            applied_hashes: AppliedHashes::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn parts(metadata: &Value) -> Parts {
        let object = json!({ "data": { "k": "v" }, "metadata": metadata });
        Parts::of(&object.to_string()).unwrap()
    }

    #[test]
    fn managed_fields_of_applies_are_extracted_and_the_rest_dropped() {
        let entry = |manager: &str, operation: &str, subresource: &str| {
            json!({
                "manager": manager, "operation": operation, "subresource": subresource,
                "apiVersion": "v1", "fieldsType": "FieldsV1", "fieldsV1": { "f:data": { "f:ü\n": {} } },
            })
        };
        let entries = [
            entry("kubectl", "Update", ""),
            entry("op/a", "Apply", ""),
            entry("op/a", "Apply", "status"),
        ];
        let parts = parts(&json!({ "managedFields": entries, "name": "a" }));
        let object: Value = serde_json::from_str(&parts.text).unwrap();
        let metadata = json!({ "managedFields": null, "name": "a" });
        assert_eq!(
            object,
            json!({ "data": { "k": "v" }, "metadata": metadata })
        );
        let [(manager, fields)] = &parts.applied[..] else {
            panic!("{:?}", parts.applied);
        };
        assert_eq!(manager, "op/a");
        let fields: Value = serde_json::from_str(fields).unwrap();
        assert_eq!(fields, json!({ "f:data": { "f:ü\n": {} } }));
    }

    #[test]
    fn an_object_is_identified_without_being_decoded() {
        let metadata = json!({
            "name": "a", "namespace": "b", "uid": "c", "resourceVersion": "4", "labels": 1,
        });
        let meta = parts(&metadata).meta;
        let said = [meta.name, meta.namespace, meta.uid, meta.resource_version];
        assert_eq!(said, ["a", "b", "c", "4"].map(|it| Some(it.to_owned())));
    }

    #[test]
    fn an_object_without_managed_fields_stays_as_it_is() {
        for text in [
            r#"{"metadata":{"name":"a"}}"#,
            r#"{"metadata":{"name":"a","managedFields":null}}"#,
            r#"{"data":{"k":"v"}}"#,
        ] {
            let parts = Parts::of(text).unwrap();
            assert_eq!(parts.text, text);
            assert!(parts.applied.is_empty());
        }
    }
}
