//! Tests of the detection of Kubernetes types. One test generates `kubernetes.json`: run
//! `RUSTOP_OVERWRITE=1 cargo test --bin rustop kubernetes` after an update of k8s-openapi.

use k8s_openapi::api::{apps, autoscaling, batch, core, networking, rbac, storage};
use k8s_openapi::apimachinery::pkg::apis::meta::v1 as meta;
use schemars::generate::{SchemaGenerator, SchemaSettings};

use super::*;

/// Adds types from which every Kubernetes type in a CRD is reachable.
fn roots(generator: &mut SchemaGenerator) {
    macro_rules! roots {
        ($($kind:ty),+ $(,)?) => { $(generator.subschema_for::<$kind>();)+ };
    }
    roots!(
        apps::v1::DaemonSet,
        apps::v1::Deployment,
        apps::v1::StatefulSet,
        autoscaling::v2::HorizontalPodAutoscaler,
        batch::v1::CronJob,
        batch::v1::Job,
        core::v1::ConfigMap,
        core::v1::Event,
        core::v1::Namespace,
        core::v1::Node,
        core::v1::PersistentVolume,
        core::v1::PersistentVolumeClaim,
        core::v1::Pod,
        core::v1::PodTemplate,
        core::v1::Secret,
        core::v1::SecretReference,
        core::v1::Service,
        core::v1::ServiceAccount,
        core::v1::TypedLocalObjectReference,
        networking::v1::Ingress,
        networking::v1::NetworkPolicy,
        rbac::v1::ClusterRole,
        rbac::v1::RoleBinding,
        storage::v1::StorageClass,
        meta::Condition,
        meta::LabelSelector,
        meta::ObjectMeta,
    );
}

/// The keywords of a schema that the detection uses.
const KEYWORDS: [&str; 8] = [
    "$ref",
    "additionalProperties",
    "allOf",
    "anyOf",
    "format",
    "items",
    "required",
    "type",
];

/// Reduces a schema to [`KEYWORDS`], its properties, and the first words of its description.
fn reduced(schema: &Value) -> Value {
    let Value::Object(all) = schema else {
        return schema.clone();
    };
    let mut kept = Map::new();
    for (keyword, value) in all {
        let value = match keyword.as_str() {
            "description" => beginning(value.as_str().unwrap_or_default()).into(),
            "properties" => {
                let of_each = value.as_object().into_iter().flatten();
                of_each
                    .map(|(name, schema)| (name.clone(), reduced(schema)))
                    .collect()
            }
            "allOf" | "anyOf" => value
                .as_array()
                .into_iter()
                .flatten()
                .map(reduced)
                .collect(),
            "additionalProperties" | "items" => reduced(value),
            keyword if KEYWORDS.contains(&keyword) => value.clone(),
            _ => continue,
        };
        kept.insert(keyword.clone(), value);
    }
    kept.into()
}

#[test]
fn kubernetes_json_matches_k8s_openapi() {
    let mut generator = SchemaSettings::draft2020_12().into_generator();
    roots(&mut generator);
    let types = generator.take_definitions(true);
    let line = |(name, schema): (&String, &Value)| {
        let mut schema = reduced(schema);
        // The description of a field shows which type it was copied from. The description of a type
        // is not used.
        schema.as_object_mut().unwrap().remove("description");
        format!("{}: {schema}", Value::from(name.as_str()))
    };
    let lines: Vec<_> = types.iter().map(line).collect();
    let text = format!("{{\n{}\n}}\n", lines.join(",\n"));
    if std::env::var_os("RUSTOP_OVERWRITE").is_some() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/src/import/kubernetes.json");
        std::fs::write(path, text).unwrap();
        return;
    }
    assert!(
        text == super::text(),
        "kubernetes.json is out of date; help: RUSTOP_OVERWRITE=1 cargo test --bin rustop kubernetes"
    );
}

/// controller-gen can omit descriptions, and CRDs may contain types of earlier Kubernetes versions.
#[test]
fn a_type_without_descriptions_is_recognized_by_its_properties() {
    let object = |names: &str, required: &str| {
        let properties = names
            .split(' ')
            .map(|name| (name.to_owned(), serde_json::json!({"type": "string"})));
        let properties: Map<_, _> = properties.collect();
        let mut object = serde_json::json!({"type": "object", "properties": properties});
        object["required"] = required.split_whitespace().collect();
        object
    };
    let ident = |schema: &Value| recognize(schema).map(Known::ident);
    let retention = "StatefulSetPersistentVolumeClaimRetentionPolicy";
    for (names, expected) in [
        ("whenDeleted whenScaled", Some(retention)),
        ("whenDeleted", None),
        ("name namespace", None),
        ("key operator effect value", Some("Toleration")),
        ("key operator effect", None),
    ] {
        assert_eq!(ident(&object(names, "")), expected, "{names}");
    }
    let mut selector = object("matchLabels", "");
    selector["properties"]["matchLabels"] =
        serde_json::json!({"type": "object", "additionalProperties": {"type": "string"}});
    selector["properties"]["matchExpressions"] =
        serde_json::json!({"type": "array", "items": object("key operator", "key operator")});
    assert_eq!(ident(&selector), Some("LabelSelector"));
}
