//! Herd of farm.example.org, as its CRD defines it.
#![allow(
    dead_code,
    rustdoc::all,
    clippy::doc_lazy_continuation,
    clippy::doc_overindented_list_items,
    clippy::enum_variant_names,
    reason = "texts and names are those of the CRD"
)]

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1 as corev1;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
use k8s_openapi::apimachinery::pkg::apis::meta::v1 as meta;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;
use kube::{CustomResource, KubeSchema};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// What is asked for.
#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[kube(
    group = "farm.example.org",
    version = "v1",
    kind = "Herd",
    plural = "herds",
    shortname = "hd",
    shortname = "hrd",
    category = "all",
    category = "farm",
    namespaced,
    status = "HerdStatus",
    doc = "Herd is a number of animals that graze together.\n\nIt has a \"breed\", and more than one line.",
    scale(spec_replicas_path = ".spec.size", status_replicas_path = ".status.size", label_selector_path = ".status.selector"),
    selectable = ".spec.breed",
    printcolumn(name = "Ready", type_ = "string", json_path = r#".status.conditions[?(@.type=="Ready")].status"#, description = "Whether the herd is where it should be."),
    printcolumn(name = "Size", type_ = "integer", json_path = ".spec.size", format = "int32", priority = "1"),
    printcolumn(name = "Age", type_ = "date", json_path = ".metadata.creationTimestamp"),
    validation = Rule::new("!has(self.spec) || !has(self.spec.size) || self.spec.size < 1000").message("is no herd any more"),
    derive = "KubeSchema",
    schema = "disabled"
)]
#[serde(remote = "Self")]
#[x_kube(validation = Rule::new("self.breed == oldSelf.breed").message("breed is immutable").reason(Reason::FieldValueForbidden).field_path(".breed"))]
#[x_kube(validation = Rule::new("!oldSelf.hasValue() || self.type == oldSelf.value().type").optional_old_self(true).message("type stays"))]
pub struct HerdSpec {
    /// Breed of all of them. See https://example.org/breeds for <all> of [them].
    pub breed: Breed,

    /// A word of Rust.
    #[schemars(extend("default" = "Dairy"))]
    pub r#type: Type,

    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 5000), extend("default" = 3))]
    pub size: Option<i32>,

    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(
        with = "Option<schema::Integer>",
        description = "  Weight begins with white space."
    )]
    pub weight: Option<i64>,

    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(
        with = "Option<schema::Number>",
        extend("minimum" = -1.5),
        extend("exclusiveMinimum" = true)
    )]
    pub price: Option<f64>,

    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("multipleOf" = 0.5))]
    pub grams: Option<f64>,

    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = -9223372036854775808_i64))]
    pub floor: Option<i64>,

    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<schema::Integer>", extend("enum" = [1, 2, 4]))]
    pub levels: Option<i64>,

    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<schema::Integer>", extend("enum" = ["SERIAL", "PARALLEL"]))]
    pub mixed: Option<i64>,

    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(
        description = "Name has lines that are longer than others, and a line that ends in a tab:\t\nand code:\n\n    let herd = Herd::new();",
        length(min = 1, max = 63),
        regex(pattern = "^[a-z]([-a-z0-9]*[a-z0-9])?$")
    )]
    pub name: Option<String>,

    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(description = "# No title at all", extend("format" = "uuid"))]
    pub title: Option<String>,

    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("format" = "byte"))]
    pub secret: Option<String>,

    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<schema::Time>")]
    pub born: Option<Time>,

    /// Window is not to be left out.
    #[schemars(required, extend("nullable" = true))]
    pub window: Option<Window>,

    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<schema::IntOrString>")]
    pub port: Option<IntOrString>,

    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<schema::Quantity>")]
    pub memory: Option<Quantity>,

    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<schema::Any>")]
    pub anything: Option<Value>,

    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<schema::AnyObject>")]
    pub open: Option<BTreeMap<String, Value>>,

    #[serde(skip_serializing_if = "Option::is_none")]
    pub half: Option<Half>,

    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<schema::AnyObject>", extend("x-kubernetes-embedded-resource" = true))]
    pub embedded: Option<BTreeMap<String, Value>>,

    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<schema::Object>")]
    pub nothing: Option<BTreeMap<String, Value>>,

    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = {"kind": "hay", "kilos": 2}))]
    pub feed: Option<Feed>,

    #[serde(skip_serializing_if = "Option::is_none")]
    pub choice: Option<Choice>,

    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(
        inner(length(min = 1, max = 20), regex(pattern = r"^\w+$")),
        length(max = 10),
        extend("default" = ["a", "b"])
    )]
    #[x_kube(merge_strategy = ListMerge::Set)]
    pub tags: Option<Vec<String>>,

    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Vec<schema::Word>>")]
    #[x_kube(merge_strategy = ListMerge::Atomic)]
    pub words: Option<Vec<String>>,

    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(inner(inner(range(max = 9))))]
    pub grid: Option<Vec<Vec<i32>>>,

    #[serde(skip_serializing_if = "Option::is_none")]
    #[x_kube(merge_strategy = ListMerge::Map(vec!["name".into()]))]
    pub animals: Option<Vec<Animal>>,

    #[serde(skip_serializing_if = "Option::is_none")]
    pub fathers: Option<Vec<Father>>,

    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<BTreeMap<String, schema::Limit>>")]
    #[x_kube(merge_strategy = MapMerge::Granular)]
    pub limits: Option<BTreeMap<String, i32>>,

    #[serde(skip_serializing_if = "Option::is_none")]
    pub barns: Option<BTreeMap<String, Barn>>,

    /// ResourceRequirements describes the compute resource requirements.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<schema::VolumeResourceRequirements>")]
    pub resources: Option<corev1::VolumeResourceRequirements>,
}

crate::schema::may_be_absent!(HerdSpec);

#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug, Default, PartialEq, Eq)]
#[serde(rename_all = "camelCase")]
pub enum Breed {
    #[default]
    Highland,
    #[serde(rename = "Jersey")]
    Jersey,
    #[serde(rename = "")]
    Empty,
    #[serde(rename = "7up")]
    V7up,
    #[serde(rename = "a/b")]
    AB,
    HighLand,
    #[serde(rename = "HIGHLAND")]
    Highland2,
    /// A text that this version of the schema does not list.
    #[serde(untagged)]
    #[schemars(skip)]
    Unknown(String),
}

#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug, Default, PartialEq, Eq)]
pub enum Type {
    #[default]
    Dairy,
    Beef,
    /// A text that this version of the schema does not list.
    #[serde(untagged)]
    #[schemars(skip)]
    Unknown(String),
}

#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[schemars(extend("minProperties" = 1), extend("maxProperties" = 2))]
pub struct Window {
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-kubernetes-validations" = [{"rule": r#"self != "never""#, "messageExpression": "'not ' + self"}]))]
    pub from: Option<String>,

    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("nullable" = true))]
    pub to: Option<String>,
}

#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[schemars(extend("x-kubernetes-preserve-unknown-fields" = true))]
pub struct Half {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub known: Option<String>,

    /// All other fields.
    #[serde(flatten)]
    #[schemars(skip)]
    pub rest: BTreeMap<String, Value>,
}

#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[schemars(
    extend("x-kubernetes-map-type" = "atomic"),
    extend("oneOf" = [{"required": ["kind"]}, {"properties": {"kilos": {"minimum": 5}}, "required": ["kilos"]}])
)]
pub struct Feed {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,

    #[serde(skip_serializing_if = "Option::is_none")]
    pub kilos: Option<i64>,
}

#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[schemars(
    extend("not" = {"required": ["left", "right"]}),
    extend("anyOf" = [{"required": ["left"]}, {"required": ["right"]}])
)]
pub struct Choice {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left: Option<String>,

    #[serde(skip_serializing_if = "Option::is_none")]
    pub right: Option<String>,
}

/// One of the herd.
#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[x_kube(validation = Rule::new(r#"self.name != """#).message(r#"say "who""#))]
pub struct Animal {
    pub name: String,

    /// Mother is another animal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mother: Option<Father>,

    #[serde(skip_serializing_if = "Option::is_none")]
    pub moods: Option<Vec<Mood>>,
}

/// Another animal, too.
#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
pub struct Father {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub farm: Option<String>,

    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
#[schemars(extend("maxLength" = 9))]
pub enum Mood {
    Calm,
    Wild,
    /// A text that this version of the schema does not list.
    #[serde(untagged)]
    #[schemars(skip)]
    Unknown(String),
}

#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[serde(rename_all = "camelCase")]
pub struct Barn {
    #[serde(rename = "X-Color", skip_serializing_if = "Option::is_none")]
    pub x_color: Option<String>,

    #[serde(skip_serializing_if = "Option::is_none")]
    pub _10x: Option<bool>,

    #[serde(rename = "podIP", skip_serializing_if = "Option::is_none")]
    pub pod_ip: Option<String>,

    #[serde(skip_serializing_if = "Option::is_none")]
    pub self_: Option<String>,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[serde(rename_all = "camelCase")]
pub struct HerdStatus {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size: Option<i32>,

    #[serde(skip_serializing_if = "Option::is_none")]
    pub selector: Option<String>,

    #[serde(skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,

    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Vec<schema::Condition>>")]
    #[x_kube(merge_strategy = ListMerge::Map(vec!["type".into()]))]
    pub conditions: Option<Vec<meta::Condition>>,
}

/// Returns the CRD: the schemas of the types, and the parts that Rust types cannot express.
#[must_use]
pub fn crd() -> CustomResourceDefinition {
    crate::schema::crd::<Herd>(json!({
        "metadata": {"annotations": {"farm.example.org/owner": "the farm"}, "labels": {"farm.example.org/part-of": "pasture"}},
        "spec": {"names": {"listKind": "HerdSet"}},
        "schema": {"required": null},
    }))
}

/// Schemas of this CRD that differ from those of the Rust types.
mod schema {
    pub use crate::schema::{Any, AnyObject, IntOrString, Integer, Number, Object, Quantity, Time};

    crate::schema::kept! {
        "herd.json"
        Condition
        Limit
        VolumeResourceRequirements
        Word
    }
}
