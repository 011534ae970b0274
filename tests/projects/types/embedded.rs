//! Types of Kubernetes inside of a kind, and texts that YAML readers like to take for something else.

use k8s_openapi::api::core::v1 as core;
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
use k8s_openapi::apimachinery::pkg::apis::meta::v1 as meta;
use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;
use kube::{CustomResource, KubeSchema};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The desired state.
#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[kube(
    group = "my.domain",
    version = "v1alpha1",
    kind = "Lolcow",
    plural = "lolcows",
    namespaced,
    status = "LolcowStatus"
)]
#[serde(rename_all = "camelCase")]
pub struct LolcowSpec {
    /// A template.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub template: Option<core::PodTemplateSpec>,
    /// A metadata.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metadata: Option<meta::ObjectMeta>,
    /// A selector.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub selector: Option<meta::LabelSelector>,
    /// A size.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size: Option<Quantity>,
    /// A port.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub port: Option<IntOrString>,
    /// A service.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub service: Option<core::ServiceSpec>,
    /// A secret.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub secret: Option<core::SecretKeySelector>,
    /// One of the texts.
    #[serde(default)]
    pub text: Text,
    /// Its default is a text that looks like a truth.
    #[serde(default = "off")]
    #[schemars(length(max = 10))]
    pub switch: String,
    /// A number whose limits kube writes as fractions.
    #[schemars(range(min = 30000, max = 32767))]
    #[serde(default = "node_port")]
    pub node_port: i32,
}

fn off() -> String {
    "off".into()
}

fn node_port() -> i32 {
    30000
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
pub struct LolcowStatus {
    /// Without a word of how they are merged.
    pub conditions: Vec<meta::Condition>,
}

#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug, Default)]
pub enum Text {
    #[default]
    #[serde(rename = "on")]
    T0,
    #[serde(rename = "off")]
    T1,
    #[serde(rename = "y")]
    T2,
    #[serde(rename = "n")]
    T3,
    #[serde(rename = "yes")]
    T4,
    #[serde(rename = "no")]
    T5,
    #[serde(rename = "true")]
    T6,
    #[serde(rename = "null")]
    T7,
    #[serde(rename = "~")]
    T8,
    #[serde(rename = "=")]
    T9,
    #[serde(rename = "<<")]
    T10,
    #[serde(rename = "1_000")]
    T11,
    #[serde(rename = "0777")]
    T12,
    #[serde(rename = "0o17")]
    T13,
    #[serde(rename = "1e3")]
    T14,
    #[serde(rename = "1.0")]
    T15,
    #[serde(rename = "12:30")]
    T16,
    #[serde(rename = "0x1F")]
    T17,
    #[serde(rename = ".inf")]
    T18,
    #[serde(rename = "2001-12-14")]
    T19,
    #[serde(rename = "")]
    T20,
    #[serde(rename = "-")]
    T21,
    #[serde(rename = "*")]
    T22,
    #[serde(rename = "a: b")]
    T23,
    #[serde(rename = "# no")]
    T24,
    #[serde(rename = " a")]
    T25,
    #[serde(rename = "a\tb")]
    T26,
    #[serde(rename = "0b11")]
    T27,
    #[serde(rename = "Y")]
    T28,
    #[serde(rename = "True")]
    T29,
    #[serde(rename = "NULL")]
    T30,
    #[serde(rename = ".NaN")]
    T31,
    #[serde(rename = "+1")]
    T32,
    #[serde(rename = "1:30:00")]
    T33,
    #[serde(rename = "!x")]
    T34,
    #[serde(rename = "&x")]
    T35,
    #[serde(rename = "%x")]
    T36,
    #[serde(rename = "@x")]
    T37,
    #[serde(rename = "`x")]
    T38,
    #[serde(rename = "'")]
    T39,
    #[serde(rename = "\"")]
    T40,
    #[serde(rename = "\\")]
    T41,
    #[serde(rename = "a #b")]
    T42,
    #[serde(rename = "a ")]
    T43,
    #[serde(rename = "?")]
    T44,
    #[serde(rename = "|")]
    T45,
    #[serde(rename = ">-")]
    T46,
    #[serde(rename = "{")]
    T47,
    #[serde(rename = "[")]
    T48,
    #[serde(rename = "é")]
    T49,
    #[serde(rename = "a\nb")]
    T50,
    #[serde(rename = "---")]
    T51,
    #[serde(rename = "0.10")]
    T52,
}
